//! A kind of command: its text, and what its result must be. A result that is quick and wrong
//! must not count as a good one, so every answer is checked.

use std::time::Duration;

use hexad_actors::{Execute, ExecuteResult, Outcome};

/// One entry of a mix.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// What the report calls it.
    pub(crate) name: String,
    /// Its part of all requests, 0 to 1.
    pub(crate) share: f64,
    pub(crate) kind: Kind,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Bash alone.
    Builtin,
    /// One program is started.
    External,
    /// This many bytes are printed.
    Output { bytes: usize },
    /// This many bytes are read.
    Stdin { bytes: usize },
    /// Nothing happens for a while.
    Sleep { span: Duration },
    /// The status is this one.
    Fail { code: u8 },
    /// The command runs into its limit.
    Timeout { limit: Duration },
    /// The command is interrupted this long after it began.
    Interrupt { after: Duration },
    /// A process is left running, which ends by itself after a while.
    Background { span: Duration },
    /// The user's own command.
    Command { text: String, code: u8 },
}

/// The variable that marks processes which must be gone once their command has ended.
pub(crate) const ENDED: &str = "HEXAD_BENCH_ENDED";
/// The variable that marks processes which may stay until their task is released.
pub(crate) const LEFT: &str = "HEXAD_BENCH_LEFT";

impl Kind {
    /// The request, made once and copied for each time it is sent. `nonce` marks its processes.
    pub(crate) fn request(&self, nonce: &str) -> Execute {
        // What ends by a limit or an interrupt is a small tree: one process alone would be easy.
        let endless = || format!("export {ENDED}={nonce}; sleep 600 & sleep 600");
        match self {
            Self::Builtin => Execute::new(":"),
            Self::External => Execute::new("env true"),
            Self::Output { bytes } => Execute::new(output(*bytes)),
            Self::Stdin { bytes } => Execute::new("wc -c").stdin(vec![b'x'; *bytes]),
            Self::Sleep { span } => Execute::new(format!("sleep {}", span.as_secs_f64())),
            Self::Fail { code } => Execute::new(format!("(exit {code})")),
            // In a subshell, so that the variable does not carry over to the next command.
            Self::Timeout { limit } => Execute::new(format!("( {} )", endless())).timeout(*limit),
            Self::Interrupt { .. } => Execute::new(format!("( {} )", endless())),
            Self::Background { span } => {
                Execute::new(format!("{LEFT}={nonce} sleep {} &", span.as_secs_f64()))
            }
            // What it leaves is found even if it strips hexad's own mark off.
            Self::Command { text, .. } => Execute::new(text.clone()).env(LEFT, nonce),
        }
    }

    /// When the command is to be interrupted, counted from its start.
    pub(crate) fn interrupt_after(&self) -> Option<Duration> {
        match self {
            Self::Interrupt { after } => Some(*after),
            _ => None,
        }
    }

    /// The limit that the command is meant to run into.
    pub(crate) fn limit(&self) -> Option<Duration> {
        match self {
            Self::Timeout { limit } => Some(*limit),
            _ => None,
        }
    }

    /// Whether `result` is what this command must come to; if not, what it was.
    pub(crate) fn check(&self, result: &ExecuteResult) -> Result<(), String> {
        let expected = match self {
            Self::Fail { code } | Self::Command { code, .. } => Outcome::Exited(*code),
            Self::Timeout { limit } => Outcome::TimedOut { limit: *limit },
            Self::Interrupt { .. } => {
                return match result.outcome {
                    Outcome::Interrupted { .. } => Ok(()),
                    _ => Err(told(result)),
                };
            }
            _ => Outcome::Exited(0),
        };
        if result.outcome != expected {
            return Err(told(result));
        }
        match self {
            Self::Output { bytes } if result.output.total_bytes != *bytes as u64 => {
                Err(format!("{} of {bytes} bytes of output came", result.output.total_bytes))
            }
            Self::Stdin { bytes } if result.text().trim() != bytes.to_string() => {
                Err(format!("of {bytes} bytes of input the command saw {}", result.text().trim()))
            }
            _ => Ok(()),
        }
    }
}

/// Short output comes from a builtin, so that no program is measured with it.
fn output(bytes: usize) -> String {
    if bytes <= 64 * 1024 {
        format!("printf '%*s' {bytes} ''")
    } else {
        format!("head -c {bytes} /dev/zero")
    }
}

fn told(result: &ExecuteResult) -> String {
    let text: String = result.text().trim().chars().take(120).collect();
    format!("{} ({}): {text}", result.outcome.as_str(), result.returncode())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn result(outcome: Outcome, output: &[u8]) -> ExecuteResult {
        ExecuteResult {
            outcome,
            output: hexad_actors::Captured {
                head: output.to_vec(),
                total_bytes: output.len() as u64,
                ..Default::default()
            },
            stderr: None,
            cwd: String::new(),
            duration: Duration::ZERO,
            left_running: Vec::new(),
            notices: Vec::new(),
            repeated: false,
        }
    }

    #[test]
    fn wrong_results_are_told_from_right_ones() {
        let ok = |kind: &Kind, outcome, output: &[u8]| kind.check(&result(outcome, output)).is_ok();
        assert!(ok(&Kind::Builtin, Outcome::Exited(0), b""));
        assert!(!ok(&Kind::Builtin, Outcome::Exited(1), b""));
        assert!(!ok(&Kind::Builtin, Outcome::Lost { reason: "gone".into() }, b""));
        assert!(ok(&Kind::Output { bytes: 3 }, Outcome::Exited(0), b"abc"));
        assert!(!ok(&Kind::Output { bytes: 3 }, Outcome::Exited(0), b"ab"));
        assert!(ok(&Kind::Stdin { bytes: 3 }, Outcome::Exited(0), b"  3\n"));
        assert!(!ok(&Kind::Stdin { bytes: 3 }, Outcome::Exited(0), b"2\n"));
        assert!(ok(&Kind::Fail { code: 3 }, Outcome::Exited(3), b""));
        assert!(!ok(&Kind::Fail { code: 3 }, Outcome::Exited(0), b""));
        let limit = Duration::from_secs(1);
        assert!(ok(&Kind::Timeout { limit }, Outcome::TimedOut { limit }, b""));
        assert!(!ok(&Kind::Timeout { limit }, Outcome::Exited(124), b""));
        let after = Duration::ZERO;
        assert!(!ok(&Kind::Interrupt { after }, Outcome::Exited(130), b""));
    }

    #[test]
    fn output_has_the_length_that_was_asked_for() {
        for bytes in [0, 1, 1000, 65_536, 65_537, 200_000] {
            let run = Command::new("bash").args(["-c", &output(bytes)]).output().unwrap();
            assert_eq!(run.stdout.len(), bytes);
        }
    }

    #[test]
    fn the_texts_are_shell() {
        let kinds = [
            Kind::Timeout { limit: Duration::from_secs(1) },
            Kind::Background { span: Duration::from_millis(1500) },
            Kind::Sleep { span: Duration::from_micros(1) },
        ];
        for kind in kinds {
            let text = String::from_utf8(kind.request("n0nce").command).unwrap();
            let mut check = Command::new("bash");
            check.args(["-n", "-c", &text]).stderr(Stdio::null());
            assert!(check.status().unwrap().success(), "{text}");
        }
    }
}
