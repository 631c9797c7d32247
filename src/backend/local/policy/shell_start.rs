//! Variables that change how a bash starts, before the runtime's own script has a say.
//!
//! Only names are judged here, never values.

/// A bash that inherits one of these reads a file, changes mode or redirects its trace before the
/// first line of the runtime's script runs, which can hang or break every command.
const POISON: &[&str] = &["BASH_ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_XTRACEFD"];

/// Settings of the host's own interactive shell. Inherited they are a surprise; somebody who
/// configures `ENV=staging` means it, and a non-interactive bash does not act on it.
const INTERACTIVE: &[&str] = &["ENV", "PS4", "PROMPT_COMMAND"];

/// Words that the runtime's scripts say. An exported function with such a name would run instead.
/// Other exported functions are kept: environment modules work through them.
#[rustfmt::skip]
const SCRIPT_WORDS: &[&str] = &[
    "builtin", "exec", "eval", "read", "printf", "unset", "trap", "declare", "alias", "shopt",
    "set", "cd", "exit", "umask", "pwd", "export", "return",
];

/// Whether a shell must never start with `name`, wherever the value comes from.
pub(super) fn is_poison(name: &str) -> bool {
    POISON.contains(&name)
        || exported_function(name).is_some_and(|function| SCRIPT_WORDS.contains(&function))
}

/// Whether `name` belongs to the host's interactive shell.
pub(super) fn is_interactive(name: &str) -> bool {
    INTERACTIVE.contains(&name)
}

/// The function that `name` carries: `BASH_FUNC_f%%`, and `BASH_FUNC_f()` as some vendors' bash
/// of 2014 wrote it.
fn exported_function(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("BASH_FUNC_")?;
    rest.strip_suffix("%%").or_else(|| rest.strip_suffix("()"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_named_like_script_words_are_poison() {
        for name in ["BASH_FUNC_read%%", "BASH_FUNC_builtin%%", "BASH_FUNC_cd()", "BASH_ENV"] {
            assert!(is_poison(name), "{name}");
        }
    }

    #[test]
    fn other_functions_and_look_alikes_are_kept() {
        for name in ["BASH_FUNC_module%%", "BASH_FUNC_reader%%", "BASH_FUNC_read", "bash_env"] {
            assert!(!is_poison(name), "{name}");
        }
    }
}
