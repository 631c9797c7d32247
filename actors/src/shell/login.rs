//! What the login capture evaluates: profile and rc files, once per environment.

use super::quote::bash_quote;

/// Which start-up files the first contact reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginPlan {
    /// Files to read behind the profile (`terminal.shell_init_files`); when empty, `~/.bashrc`.
    pub init_files: Vec<String>,
    /// Whether `~/.bashrc` is read where the profile does not do so itself
    /// (`terminal.auto_source_bashrc`).
    pub bashrc: bool,
}

impl Default for LoginPlan {
    fn default() -> Self {
        Self { init_files: Vec::new(), bashrc: true }
    }
}

impl LoginPlan {
    /// The commands, as bash reads them. Each file is read like a login shell would: the system
    /// profile, the first of the user's three profiles, then the init files. A file that is
    /// missing is skipped; one that fails does not stop the next.
    #[must_use]
    pub fn script(&self) -> Vec<u8> {
        let mut out = b"builtin set +e; [[ ! -r /etc/profile ]] || builtin source /etc/profile; \
            for __hx_f in ~/.bash_profile ~/.bash_login ~/.profile; do \
            if [[ -r $__hx_f ]]; then builtin source \"$__hx_f\"; builtin break; fi; \
            __hx_f=; done; "
            .to_vec();
        if !self.init_files.is_empty() {
            for file in &self.init_files {
                out.extend_from_slice(b"__hx_f=");
                out.extend(init_file(file));
                out.extend_from_slice(b"; [[ ! -r $__hx_f ]] || builtin source \"$__hx_f\"; ");
            }
        } else if self.bashrc {
            // Most profiles read it themselves; reading it twice would double what it adds.
            out.extend_from_slice(
                b"if [[ -r ~/.bashrc && ( -z $__hx_f || $(<\"$__hx_f\") != *bashrc* ) ]]; then \
                builtin source ~/.bashrc; fi; ",
            );
        }
        out.extend_from_slice(b"builtin unset -v __hx_f; builtin set +euxv; builtin true");
        out
    }
}

/// `~` and `${VAR}` at the start of a configured name are the target's.
fn init_file(name: &str) -> Vec<u8> {
    if let Some(rest) = name.strip_prefix("~/") {
        let mut out = b"~/".to_vec();
        out.extend(bash_quote(rest.as_bytes()));
        return out;
    }
    if let Some((variable, rest)) = name.strip_prefix("${").and_then(|n| n.split_once('}'))
        && super::quote::is_variable_name(variable)
    {
        let mut out = format!("${{{variable}-}}").into_bytes();
        out.extend(bash_quote(rest.as_bytes()));
        return out;
    }
    bash_quote(name.as_bytes())
}
