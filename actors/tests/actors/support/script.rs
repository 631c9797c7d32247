//! Reading the blocks that the runtime writes to a shell, as the fake shell does: plain text
//! search, no evaluation.

/// What the load block says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) nonce: String,
    pub(crate) cwd: String,
    /// The `declare` lines, as they are.
    pub(crate) variables: Vec<String>,
}

/// What the command block says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered {
    pub(crate) command: String,
    /// Directory for this command alone.
    pub(crate) cwd: Option<String>,
    /// `$?` as the command sees it.
    pub(crate) status: u8,
    /// Exported for this command alone, as `NAME=word`.
    pub(crate) env: Vec<String>,
    pub(crate) stdin: bool,
    pub(crate) separate: bool,
}

pub(crate) fn read_load(script: &str) -> Loaded {
    let nonce = between(script, "'\\000", ":H").expect("the load script says hello");
    let cwd = between(script, "__hx_d='", "'\n").expect("the load script names a directory");
    let variables = script.lines().filter(|l| l.starts_with("declare -")).map(String::from);
    Loaded { nonce: last_word(&nonce), cwd, variables: variables.collect() }
}

pub(crate) fn read_command(script: &str) -> Ordered {
    let marker = "; \\builtin eval -- '";
    let at = script.rfind(marker).expect("the command script evaluates a command");
    let (before, after) = (&script[..at], &script[at + marker.len()..]);
    let end = after.rfind('\'').expect("the command is quoted");
    let tail = &after[end + 1..];
    let status_at = before.rfind("__hx_q ").expect("the status of the last command is set");
    // The trap is one quoted word; behind it come the directory and the variables.
    let armed = before.find(" EXIT; ").expect("the trap is armed") + " EXIT; ".len();
    let prelude = &before[armed..status_at];
    Ordered {
        command: after[..end].replace("'\\''", "'"),
        cwd: prelude.starts_with("\\builtin cd -- '").then(|| between(prelude, "'", "'").unwrap()),
        status: before[status_at + "__hx_q ".len()..].trim().parse().expect("a status"),
        env: prelude
            .split("; ")
            .filter_map(|step| step.strip_prefix("\\builtin export "))
            .map(String::from)
            .collect(),
        stdin: !tail.contains("</dev/null"),
        separate: tail.contains("2>&242"),
    }
}

fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let from = text.find(start)? + start.len();
    let length = text[from..].find(end)?;
    Some(text[from..from + length].to_owned())
}

fn last_word(text: &str) -> String {
    text.rsplit("\\000").next().unwrap_or(text).to_owned()
}
