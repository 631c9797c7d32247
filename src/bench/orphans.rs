//! Counts the processes that should not be there, on the target: survivors of commands that were
//! ended, and whatever is left once every task is released.
//!
//! On this machine the process table is read. Elsewhere a command of a task of its own looks
//! through `/proc` of the target, and this machine is looked through as well. A process that wiped
//! its environment is not seen by either.

use std::time::Duration;

use hexad_actors::Execute;
use serde::Serialize;

use super::resources::{Found, carrying, zombies};
use super::work::{ENDED, LEFT};
use crate::hexad::{Hexad, Task};

/// How many environments are asked for survivors.
const ASKED: usize = 64;
/// What was ended may take this long to leave the process table.
const PATIENCE: Duration = Duration::from_secs(3);

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Orphans {
    /// Processes of commands that had been ended, before anything was released.
    pub(crate) survivors: usize,
    /// Processes left after every task was released.
    pub(crate) left: usize,
    /// Ended children of hexad that nobody waited for.
    pub(crate) zombies: usize,
    /// Some of them.
    pub(crate) examples: Vec<String>,
    /// Where it was looked.
    pub(crate) looked: String,
    /// Where it could not be looked, and why.
    pub(crate) unknown: Option<String>,
}

impl Orphans {
    pub(crate) fn total(&self) -> usize {
        self.survivors + self.left + self.zombies
    }

    fn note(&mut self, found: &[Found]) {
        for found in found.iter().take(10usize.saturating_sub(self.examples.len())) {
            self.examples.push(format!("{} ({})", found.pid, found.command));
        }
    }
}

/// Looks for processes of commands that were ended by a limit or an interrupt.
pub(crate) async fn survivors(local: bool, tasks: &[Task], nonce: &str, orphans: &mut Orphans) {
    let signs = [format!("{ENDED}={nonce}")];
    let found = settle(|| carrying(&signs)).await;
    orphans.note(&found);
    orphans.survivors += found.len();
    if local {
        return;
    }
    // The containers of a daemon on this machine were seen already.
    let seen = found.len();
    let script = count_script(&[&signs[0]], None);
    let mut there = 0;
    for task in tasks.iter().take(ASKED) {
        match ask(task, &script).await {
            Ok(count) => there += count,
            Err(error) => orphans.unknown = Some(error),
        }
    }
    orphans.survivors += there.saturating_sub(seen);
}

/// Looks for anything of this runtime once its tasks are released.
pub(crate) async fn left(
    local: bool,
    hexad: &Hexad,
    probe: Task,
    nonce: &str,
    orphans: &mut Orphans,
) {
    let mark = format!("HEXAD_MARK={}.", hexad.mark());
    let signs = [mark.clone(), format!("{ENDED}={nonce}"), format!("{LEFT}={nonce}")];
    let found = settle(|| carrying(&signs)).await;
    orphans.note(&found);
    orphans.left = found.len();
    orphans.zombies = settle(|| vec![(); zombies()]).await.len();
    orphans.looked = "the process table of this machine".to_owned();
    if local {
        return;
    }
    orphans.looked = "the process table of this machine, and /proc of the target".to_owned();
    let signs: Vec<&str> = signs.iter().map(String::as_str).collect();
    match ask(&probe, &count_script(&signs, Some(&mark))).await {
        Ok(count) => orphans.left += count,
        Err(error) => orphans.unknown = Some(error),
    }
    if let Err(error) = probe.release().await {
        orphans.unknown = Some(error.to_string());
    }
}

/// How many processes of this runtime there are on the target.
pub(crate) async fn processes(local: bool, hexad: &Hexad, tasks: &[Task]) -> Option<f64> {
    let mark = format!("HEXAD_MARK={}.", hexad.mark());
    if local {
        return tokio::task::spawn_blocking(move || carrying(&[mark]).len() as f64).await.ok();
    }
    let script = count_script(&[&mark], None);
    let mut sum = 0;
    for task in tasks.iter().take(8) {
        sum += ask(task, &script).await.ok()?;
    }
    Some(sum as f64)
}

/// Looks again for a while as long as something is found.
async fn settle<T>(look: impl Fn() -> Vec<T>) -> Vec<T> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let found = look();
        if found.is_empty() || tokio::time::Instant::now() >= deadline {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A script that prints how many processes carry one of `signs`. With `but_own`, those that carry
/// the mark of the script's own environment do not count.
fn count_script(signs: &[&str], but_own: Option<&str>) -> String {
    // What has ended meanwhile (the search itself has) does not count.
    // The first letter in brackets, so that the programs that search do not find themselves.
    let pattern = |sign: &str| format!("[{}]{}", &sign[..1], sign[1..].replace('.', "[.]"));
    let all: Vec<String> = signs.iter().map(|sign| pattern(sign)).collect();
    let own = if but_own.is_some() {
        "own=${HEXAD_MARK%.*}; grep -aqsF \"HEXAD_MARK=$own.\" \"$f\" && continue; "
    } else {
        ""
    };
    format!(
        "n=0; for f in $(grep -alsE '(^|.)({})' /proc/[0-9]*/environ); do [ -e \"$f\" ] || continue; {own}n=$((n+1)); done; \
         echo $n",
        all.join("|")
    )
}

async fn ask(task: &Task, script: &str) -> Result<usize, String> {
    let request = Execute { fork: true, ..Execute::new(script) };
    let result = task.execute(request).await.map_err(|error| error.to_string())?;
    let text = result.text();
    text.trim().parse().map_err(|_| format!("the target was asked and said: {}", text.trim()))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn count(script: &str, mark: &str) -> usize {
        let output = Command::new("bash").args(["-c", script]).env("HEXAD_MARK", mark).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().parse().unwrap()
    }

    #[test]
    fn the_script_counts_others_and_not_itself() {
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let mark = format!("HEXAD_MARK={nonce}.");
        let script = count_script(&[&mark], Some(&mark));
        let mut other = Command::new("sleep");
        other.arg("60").env("HEXAD_MARK", format!("{nonce}.7.1")).stdin(Stdio::null());
        let mut other = other.spawn().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while count(&script, &format!("{nonce}.8.1")) == 0 && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert_eq!(count(&script, &format!("{nonce}.8.1")), 1);
        // As if it were of the environment that asks.
        assert_eq!(count(&script, &format!("{nonce}.7.2")), 0);
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(count(&script, &format!("{nonce}.8.1")), 0);
    }
}
