//! The arguments, with the help that teaches them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Runs shell commands for software agents. Every command gets a fresh bash, and yet `cd`,
/// `export`, functions, aliases and options carry over from one command of a task to the next.
#[derive(Debug, Parser)]
#[command(
    name = "hexad",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  hexad exec -- 'cd /tmp && pwd'            run one command here
  hexad exec --task t1 -- export COLOR=red  start task t1 ...
  hexad exec --task t1 -- 'echo $COLOR'     ... and go on with its shell state
  hexad shell --task t1                     the same, line by line
  hexad serve --stdio                       let a program send commands as JSON lines
  hexad doctor                              what works here, and what is missing
  hexad bench --rate 20                     latency, throughput, accuracy of limits, orphans

Exit status: that of the command; 124 when it ran into its limit, 130 when it was interrupted,
128+n when signal n ended it, 125 when hexad itself failed."
)]
pub(super) struct Arguments {
    /// Configuration file [default: ./hexad.yaml, then ~/.config/hexad/hexad.yaml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one command and exit with its status
    Exec(ExecArguments),
    /// Type commands at a prompt
    Shell(ShellArguments),
    /// Take requests from a program
    Serve(ServeArguments),
    /// Show the saved shell state of a task
    State(StateArguments),
    /// List the tasks with a saved shell state
    List(ListArguments),
    /// End a task: what it left, its instance, its saved state
    Release(ReleaseArguments),
    /// Put load on a backend, and say what a user would see
    #[cfg(feature = "bench")]
    Bench(Box<super::bench::BenchArguments>),
    /// Say what each backend needs here, in words
    Doctor,
    /// Check the configuration and show it, or list the keys it may have
    Config(ConfigArguments),
}

#[derive(Debug, Args)]
pub(super) struct TaskArguments {
    /// Keep the shell state under this id: cd, export, functions, aliases and options carry over
    /// to the next call with the same id. Two calls at once wait for each other.
    #[arg(long, value_name = "ID")]
    pub(super) task: Option<String>,

    /// Use this backend instead of the configured one (local, docker, ssh, modal, daytona,
    /// singularity)
    #[arg(long, value_name = "NAME", conflicts_with = "profile")]
    pub(super) backend: Option<String>,

    /// Use this profile of the configuration
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
One word behind -- is a command line for bash: hexad exec -- 'ls | wc -l'
Several words are a program and its arguments, passed as they are: hexad exec -- ls 'a file'

Ctrl-C interrupts the command and everything it started; a second one quits at once.
Whatever the command leaves running is ended when hexad exits.")]
pub(super) struct ExecArguments {
    #[command(flatten)]
    pub(super) task: TaskArguments,

    /// Run in this directory, for this command alone
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<String>,

    /// End the command after this many seconds [default: the configured limit, 180]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) timeout: Option<f64>,

    /// Give the command what hexad reads from its own standard input; without it the command
    /// reads the end of file at once
    #[arg(long, value_name = "-", value_parser = ["-"])]
    pub(super) stdin: Option<String>,

    /// Set a variable, for this command alone (may be repeated)
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub(super) env: Vec<String>,

    /// Keep standard error apart from standard output
    #[arg(long)]
    pub(super) separate: bool,

    /// Keep the whole output in a file as well, and say where; it stays for a day
    #[arg(long)]
    pub(super) spill: bool,

    /// Print events as JSON lines instead of the output
    #[arg(long)]
    pub(super) json: bool,

    /// The command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line runs in a fresh bash with the state that the one before left. Ctrl-C interrupts a running
command; Ctrl-D or exit leaves. Unclosed quotes and a trailing backslash go on in the next line.")]
pub(super) struct ShellArguments {
    #[command(flatten)]
    pub(super) task: TaskArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "\
One JSON object a line, for example:
  {\"id\":\"1\",\"op\":\"execute\",\"task_id\":\"t1\",\"command\":\"make\",\"stream\":true}
  {\"id\":\"2\",\"op\":\"interrupt\",\"task_id\":\"t1\"}
Ops: execute, interrupt, status, list, state, release, ping. Each request is answered by events with
its id; the last one is finished, done or error. The end of the input finishes what runs; SIGTERM
interrupts it.")]
pub(super) struct ServeArguments {
    /// Speak over standard input and output (the only gateway of this version)
    #[arg(long, required = true)]
    pub(super) stdio: bool,

    /// Forget all shell state at exit instead of saving it
    #[arg(long)]
    pub(super) ephemeral: bool,
}

#[derive(Debug, Args)]
pub(super) struct StateArguments {
    /// The task
    #[arg(value_name = "ID")]
    pub(super) task: String,
    /// Print everything, values included, as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReleaseArguments {
    /// The task
    #[arg(value_name = "ID")]
    pub(super) task: String,
    /// The profile it was made with, if not the default one
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// List every key with its variable, default and meaning
    #[arg(long)]
    pub(super) keys: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }
}
