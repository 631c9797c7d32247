//! Processes of a host without `/proc`: those in the process group of a shell, found with `ps`.
//!
//! Weaker than marks: what left the group is not found, nor what belongs to a whole environment.

use hexad_actors::backend::{Scope, Signal};

/// Prints what [`parse_list`](hexad_actors::backend::table::parse_list) reads.
pub(super) fn list_script(scope: &Scope) -> String {
    script(scope, "printf '%s\\000%s\\000' \"$p\" \"$c\"")
}

/// Prints a letter for each process that got the signal.
pub(super) fn signal_script(scope: &Scope, signal: Signal) -> String {
    script(scope, &format!("kill -{} \"$p\" && printf x", signal.name()))
}

fn script(scope: &Scope, action: &str) -> String {
    // Zombies have ended. Without a leader there is nothing to look for.
    let Some(leader) = scope.leader else { return ":".into() };
    format!(
        "ps -A -o pid= -o pgid= -o stat= -o args= | while read -r p g s c; do \
         [ \"$g\" = {leader} ] || continue; case $s in Z*) continue;; esac; {action}; done"
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    use hexad_actors::backend::table::parse_list;

    use super::*;

    fn ask(script: &str) -> Vec<u8> {
        Command::new("sh").args(["-c", script]).output().unwrap().stdout
    }

    #[test]
    fn a_group_is_found_and_ended() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 4040 & sleep 4040; true"])
            .process_group(0)
            .spawn()
            .unwrap();
        let leader = i32::try_from(shell.id()).unwrap();
        let scope = Scope { mark: "m".into(), leader: Some(leader) };
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let mut found = Vec::new();
        while found.len() < 3 && std::time::Instant::now() < until {
            found = parse_list(&ask(&list_script(&scope)));
        }
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|p| p.pid == leader && p.command.starts_with("sh -c")));
        assert_eq!(ask(&signal_script(&scope, Signal::Kill)).len(), 3);
        shell.wait().unwrap();
        assert!(ask(&list_script(&Scope { mark: "m".into(), leader: None })).is_empty());
    }
}
