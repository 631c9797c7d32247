//! Which shell options and variables are carried from one command to the next.
//!
//! The lists are allow-lists for options (what is not named here is not carried) and a deny-list
//! for variables (bash's own dynamic and read-only ones, and ours).

/// `set -o` options that are carried. Left out on purpose: `errexit`, `xtrace` and `verbose`
/// guard or trace the command that sets them and would break or litter later ones; `monitor`,
/// `history`, `histexpand`, `emacs`, `vi`, `notify`, `ignoreeof` belong to an interactive shell;
/// `noexec`, `onecmd`, `privileged` and `keyword` would keep a fresh shell from working.
pub const CARRIED_SET_OPTIONS: &[&str] = &[
    "allexport",
    "braceexpand",
    "errtrace",
    "functrace",
    "hashall",
    "noclobber",
    "noglob",
    "nolog",
    "nounset",
    "physical",
    "pipefail",
    // Last: it changes how everything after it is read.
    "posix",
];

/// `shopt` options that are carried. Left out: those of an interactive shell, the read-only ones
/// and `extdebug`, which lets a debugger skip the runtime's own steps.
pub const CARRIED_SHOPTS: &[&str] = &[
    "array_expand_once",
    "assoc_expand_once",
    "autocd",
    "bash_source_fullpath",
    "cdable_vars",
    "cdspell",
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "cmdhist",
    "dirspell",
    "dotglob",
    "execfail",
    "expand_aliases",
    "extglob",
    "extquote",
    "failglob",
    "force_fignore",
    "globasciiranges",
    "globskipdots",
    "globstar",
    "gnu_errfmt",
    "inherit_errexit",
    "interactive_comments",
    "lastpipe",
    "localvar_inherit",
    "localvar_unset",
    "nocaseglob",
    "nocasematch",
    "noexpand_translation",
    "nullglob",
    "patsub_replacement",
    "promptvars",
    "shift_verbose",
    "sourcepath",
    "varredir_close",
    "xpg_echo",
];

/// Variables that bash makes itself or that make sense in one process only.
const NOT_CARRIED: &[&str] = &[
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_CMDS",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_LINENO",
    "BASH_LOADABLES_PATH",
    "BASH_MONOSECONDS",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_TRAPSIG",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "BASH_XTRACEFD",
    "COMP_CWORD",
    "COMP_KEY",
    "COMP_LINE",
    "COMP_POINT",
    "COMP_TYPE",
    "COMP_WORDBREAKS",
    "COMP_WORDS",
    "COPROC",
    "COPROC_PID",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "OLDPWD",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "READLINE_ARGUMENT",
    "READLINE_LINE",
    "READLINE_MARK",
    "READLINE_POINT",
    "SECONDS",
    "SHELLOPTS",
    "SHLVL",
    "SRANDOM",
    "UID",
    "_",
];

/// The environment variable that marks every process of a command. Its value is
/// `<runtime>.<environment>.<run>`, after a colon behind the mark of an outer hexad if there is one.
pub const MARK_VARIABLE: &str = "HEXAD_MARK";

/// Prefix of the names that the shell scripts of this crate use; never carried.
pub(crate) const HELPER_PREFIX: &str = "__hx_";

/// Functions that the runtime cannot work beside; never carried.
pub(crate) const RESERVED_FUNCTIONS: &[&str] = &["trap", "builtin", "unset"];

/// Whether a variable of this name is part of the shell state.
#[must_use]
pub fn is_carried_variable(name: &str) -> bool {
    !name.starts_with(HELPER_PREFIX)
        && name != MARK_VARIABLE
        && NOT_CARRIED.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_so_that_search_works() {
        assert!(NOT_CARRIED.is_sorted());
        assert!(CARRIED_SHOPTS.is_sorted());
    }

    #[test]
    fn user_variables_are_carried_and_dynamic_ones_are_not() {
        assert!(is_carried_variable("PATH"));
        assert!(is_carried_variable("IFS"));
        assert!(is_carried_variable("BASH_ENV"));
        for name in ["RANDOM", "UID", "__hx_n", "HEXAD_MARK", "_", "PWD"] {
            assert!(!is_carried_variable(name), "{name}");
        }
    }
}
