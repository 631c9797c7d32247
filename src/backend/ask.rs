//! Questions to a target: talking to a shell that waits there, and what an answer means.

use hexad_actors::BackendError;
use hexad_actors::backend::Process;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Whether `$BASH_VERSION` is 4.1 or newer, which the shell protocol needs.
pub(super) fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().unwrap_or(0));
    let own: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    own >= (4, 1)
}

/// Has a waiting `sh -s` run a script and gives what that prints. `place` is for errors.
///
/// # Errors
/// The shell has ended.
pub(super) async fn converse(
    shell: &mut Process,
    script: &str,
    place: &str,
) -> Result<Vec<u8>, BackendError> {
    let io = |e: std::io::Error| BackendError::lost(format!("talking to {place}: {e}"));
    let end = uuid::Uuid::new_v4().simple().to_string();
    let text = format!("{{ {script}\n}} </dev/null 2>/dev/null; printf '%s' {end}\n");
    shell.stdin.write_all(text.as_bytes()).await.map_err(io)?;
    shell.stdin.flush().await.map_err(io)?;
    let mut answer = Vec::new();
    while !answer.ends_with(end.as_bytes()) {
        if shell.stdout.read_buf(&mut answer).await.map_err(io)? == 0 {
            return Err(ended(shell, place, &answer).await);
        }
    }
    answer.truncate(answer.len() - end.len());
    Ok(answer)
}

/// Why it ended, as far as it said.
async fn ended(shell: &mut Process, place: &str, answer: &[u8]) -> BackendError {
    let mut said = answer.to_vec();
    let mut rest = [0; 2000];
    while let Ok(count @ 1..) = shell.control.read(&mut rest).await {
        said.extend_from_slice(&rest[..count]);
        if said.len() > rest.len() {
            break;
        }
    }
    let said = String::from_utf8_lossy(&said);
    BackendError::lost(format!("the shell at {place} ended: {}", said.trim()))
}
