//! Compares a result with what a row expects. Says everything that is wrong, not the first thing.

use hexad::ExecuteResult;

use super::cmd::{Expect, Text};

/// What is wrong with `result`; nothing if it is as expected. `fill` replaces placeholders,
/// `usual` are the notices that a target gives with any first command.
pub fn differences(
    expect: &Expect,
    result: &ExecuteResult,
    fill: &dyn Fn(&[u8]) -> Vec<u8>,
    usual: &[&str],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let output = result.output.bytes();
    streams(&expect.output, &output, "output", fill, &mut wrong);
    let stderr = result.stderr.as_ref().map(hexad::Captured::bytes).unwrap_or_default();
    streams(&expect.stderr, &stderr, "stderr", fill, &mut wrong);
    if expect.code.is_some_and(|code| code != result.returncode()) {
        wrong.push(format!(
            "status {} instead of {:?}; output {}",
            result.returncode(),
            expect.code,
            shown(&output)
        ));
    }
    if expect.outcome.is_some_and(|outcome| outcome != result.outcome.as_str()) {
        wrong.push(format!("outcome {:?} instead of {:?}", result.outcome, expect.outcome));
    }
    if let Some(cwd) = &expect.cwd {
        let wanted = String::from_utf8_lossy(&fill(cwd)).into_owned();
        if result.cwd != wanted {
            wrong.push(format!("cwd {:?} instead of {wanted:?}", result.cwd));
        }
    }
    let said: Vec<&str> = result
        .notices
        .iter()
        .map(|n| n.code.as_str())
        .filter(|code| !usual.contains(code))
        .filter(|code| !(expect.may_lose_state && *code == "state_kept"))
        .collect();
    if said != expect.notices {
        wrong.push(format!("notices {:?} instead of {:?}", result.notices, expect.notices));
    }
    if !expect.left.contains(&result.left_running.len()) {
        wrong.push(format!("left running {:?}, expected {:?}", result.left_running, expect.left));
    }
    if result.duration > expect.within {
        wrong.push(format!("took {:?}, at most {:?} is right", result.duration, expect.within));
    }
    if expect.repeated.is_some_and(|repeated| repeated != result.repeated) {
        wrong.push(format!("repeated is {}", result.repeated));
    }
    wrong.extend(expect.checks.iter().filter_map(|check| check(result).err()));
    wrong
}

fn streams(
    expected: &[Text],
    got: &[u8],
    name: &str,
    fill: &dyn Fn(&[u8]) -> Vec<u8>,
    wrong: &mut Vec<String>,
) {
    for text in expected {
        let (wanted, fine, word) = match text {
            Text::Is(text) => (fill(text), fill(text) == got, "is not"),
            Text::Has(text) => (fill(text), contains(got, &fill(text)), "lacks"),
            Text::Lacks(text) => (fill(text), !contains(got, &fill(text)), "has"),
        };
        if !fine {
            wrong.push(format!("{name} {} {word} {}", shown(got), shown(&wanted)));
        }
    }
}

/// Whether `needle` is somewhere in `haystack`.
fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || haystack.windows(needle.len()).any(|w| w == needle)
}

/// Bytes for a person, cut.
pub fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(400)];
    let more = if cut.len() < bytes.len() {
        format!("… ({} bytes)", bytes.len())
    } else {
        String::new()
    };
    format!("\"{}\"{more}", cut.escape_ascii())
}
