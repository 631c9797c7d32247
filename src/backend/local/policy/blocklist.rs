//! Look-ups in the tables of names: which variables belong to hexad and the agent above it.
//!
//! What follows from a match is decided in `secrets`; nothing here may depend on configuration.
//! All look-ups but the one for settings take an upper-case name: `openai_api_key` is as secret as
//! `OPENAI_API_KEY`.

use super::names::{
    CHAT, CHAT_SUFFIXES, CREDENTIAL_NAMES, CREDENTIAL_WORDS, NAMES, PREFIXES, PROVIDER_SUFFIXES,
    PROVIDERS, TERMINAL_GROUPS, TERMINAL_NAMES,
};

/// Whether `name` (upper case) is a variable of the agent's own services.
pub(super) fn is_fixed(name: &str) -> bool {
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || is_product(name, PROVIDERS, PROVIDER_SUFFIXES)
        || is_product(name, CHAT, CHAT_SUFFIXES)
}

/// Whether `name` is an owner of `owners`, an underscore, and one of `suffixes`.
fn is_product(name: &str, owners: &[&str], suffixes: &[&str]) -> bool {
    suffixes.iter().any(|suffix| {
        name.strip_suffix(suffix)
            .and_then(|rest| rest.strip_suffix('_'))
            .is_some_and(|owner| owners.contains(&owner))
    })
}

/// Whether `name` (upper case) is a secret that the agent makes up while it runs: the keys of its
/// helper models and of its relay. Their middle part is not known in advance.
pub(super) fn is_dynamic(name: &str) -> bool {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    (name.starts_with("AUXILIARY_") && ends(&["_API_KEY", "_BASE_URL"]))
        || (name.starts_with("GATEWAY_RELAY_") && ends(&["_SECRET", "_KEY", "_TOKEN"]))
}

/// Whether `name` (upper case) reads like a credential that is not one of the fixed names.
///
/// The general AWS chain stays, or `aws` and `terraform` would stop working; so does the login of
/// the Claude command line, which would log its user out. `…_TOKENIZER` and `…_MAX_TOKENS` do not
/// end in one of the words, so they need no exception.
pub(super) fn is_credential_like(name: &str) -> bool {
    if name.starts_with("AWS_") || name == "CLAUDE_CODE_OAUTH_TOKEN" {
        return false;
    }
    CREDENTIAL_NAMES.contains(&name)
        || CREDENTIAL_WORDS.iter().any(|word| {
            name.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
        })
}

/// Whether `name` is one of the variables that configure the terminal tool.
///
/// They are withheld because `TERMINAL_DOCKER_ENV` and its like carry values, and because a hexad
/// started by a command must not take up this one's backend by accident. Only the known names
/// are: an IDE's `TERMINAL_EMULATOR` is none of ours.
pub(super) fn is_terminal_setting(name: &str) -> bool {
    name.strip_prefix("TERMINAL_").is_some_and(|rest| {
        TERMINAL_NAMES.contains(&rest)
            || TERMINAL_GROUPS.iter().any(|group| rest.starts_with(group))
    })
}

#[cfg(test)]
#[path = "blocklist_tests.rs"]
mod tests;
