//! The option table: every key of `terminal:`, in the order in which they are listed to people.
//!
//! This is the only place where a key, a variable or a default is written down.

use super::backend::BackendKind::{self, Daytona, Docker, Local, Modal, Singularity, Ssh};
use super::option::DefaultValue::{Decimal, Flag, Millis, Number, Text as Word};
use super::option::Kind::{self, Bool, Choice, Integer, List, Map, Path, Seconds, Text};
use super::option::{OptionSpec, Zero};

const IMAGE: &str = "nikolaik/python-nodejs:python3.11-nodejs20";
const SIF_IMAGE: &str = "docker://nikolaik/python-nodejs:python3.11-nodejs20";
const GIB: i64 = 1 << 30;
const MEGABYTES: Kind = Integer { min: 0, max: 1 << 30 };
const SWITCH: Kind = Seconds { zero: Zero::Allowed };
const LIMIT: Kind = Seconds { zero: Zero::IsDefault };
const PERIOD: Kind = Seconds { zero: Zero::Refused };

const fn opt(key: &'static str, kind: Kind, help: &'static str) -> OptionSpec {
    OptionSpec::new(key, kind, help)
}

/// Every option there is.
#[rustfmt::skip] // A table: one option a paragraph.
pub static OPTIONS: &[OptionSpec] = &[
    opt("backend", Choice(&BackendKind::NAMES), "where commands run")
        .legacy("env_type").vars(&["TERMINAL_ENV"]).default(Word("local")),
    opt("cwd", Text, "directory in which a task starts; empty, \".\", \"auto\" and \"cwd\" leave it to the backend")
        .vars(&["TERMINAL_CWD"]),
    opt("timeout", LIMIT, "limit of a command that names none; 0 is the default")
        .vars(&["TERMINAL_TIMEOUT"]).default(Millis(180_000)),
    opt("env_passthrough", List, "names of host variables that commands may see although they look like secrets"),
    opt("credential_files", List, "files of this machine that are copied into every environment"),
    opt("sandbox_dir", Path, "directory of this machine that holds what environments keep")
        .vars(&["TERMINAL_SANDBOX_DIR"]),
    opt("login_shell", Bool, "run a login shell once per environment, to learn PATH and the profile")
        .default(Flag(true)),

    opt("max_foreground_timeout", LIMIT, "largest limit that a request may ask for; 0 is the default")
        .vars(&["TERMINAL_MAX_FOREGROUND_TIMEOUT"]).default(Millis(600_000)).runtime(),
    opt("lifetime_seconds", SWITCH, "an environment idle for this long is retired; 0 keeps it until it is released")
        .vars(&["TERMINAL_LIFETIME_SECONDS"]).default(Millis(300_000)).runtime(),
    opt("daemon_term_grace_seconds", SWITCH, "time between asking a process to end and killing it")
        .default(Millis(2_000)).runtime(),
    opt("spares", Integer { min: 0, max: 1 }, "shells started ahead of time for each environment")
        .vars(&["HEXAD_SPARES"]).default(Number(1)).runtime(),
    opt("spare_lifetime_seconds", SWITCH, "a spare shell that waited this long is dropped")
        .default(Millis(300_000)).runtime(),
    opt("queue_limit", Integer { min: 1, max: 1_000_000 }, "commands that may wait in one environment")
        .default(Number(64)).runtime(),
    opt("progress_seconds", PERIOD, "time between two signs of life of a running command")
        .default(Millis(10_000)).runtime(),
    opt("output_limit", Integer { min: 1, max: GIB }, "bytes of output kept in a result")
        .also_in("tool_output", "max_bytes").default(Number(50_000)).runtime(),
    opt("login_timeout_seconds", PERIOD, "how long the login shell may take")
        .default(Millis(30_000)).runtime(),
    opt("start_timeout_seconds", PERIOD, "how long starting an environment may take")
        .default(Millis(300_000)).runtime(),

    opt("home_mode", Choice(&["auto", "real", "profile"]), "which HOME commands get: the user's own, or one kept apart")
        .vars(&["TERMINAL_HOME_MODE"]).default(Word("auto")).of(Local),
    opt("shell_init_files", List, "files that the login shell sources instead of the usual ones")
        .of(Local),
    opt("auto_source_bashrc", Bool, "whether the login shell sources the usual files of the user")
        .default(Flag(true)).of(Local),
    opt("shell", Path, "the bash to use; without it the one in PATH").of(Local),
    opt("env", Map, "variables that every command gets").of(Local).secret(),

    opt("container_cpu", Kind::Decimal { max: 4096.0 }, "processors of an environment; 0 sets no limit")
        .vars(&["TERMINAL_CONTAINER_CPU"]).default(Decimal(1.0)).containers(),
    opt("container_memory", MEGABYTES, "memory in MB; 0 sets no limit")
        .vars(&["TERMINAL_CONTAINER_MEMORY"]).default(Number(5_120)).containers(),
    opt("container_disk", MEGABYTES, "disk in MB, where it can be limited; 0 sets no limit")
        .vars(&["TERMINAL_CONTAINER_DISK"]).default(Number(51_200)).containers(),
    opt("container_persistent", Bool, "keep the files of a task when its environment is retired")
        .vars(&["TERMINAL_CONTAINER_PERSISTENT"]).default(Flag(true)).containers(),

    opt("docker_image", Text, "image to run")
        .vars(&["TERMINAL_DOCKER_IMAGE"]).default(Word(IMAGE)).of(Docker),
    opt("docker_forward_env", List, "names of host variables that are passed into the container")
        .vars(&["TERMINAL_DOCKER_FORWARD_ENV"]).of(Docker),
    opt("docker_env", Map, "variables that the container gets")
        .vars(&["TERMINAL_DOCKER_ENV"]).of(Docker).secret(),
    opt("docker_volumes", List, "mounts, each host:container or host:container:ro")
        .vars(&["TERMINAL_DOCKER_VOLUMES"]).of(Docker),
    opt("docker_extra_args", List, "further arguments in the form that docker run takes")
        .vars(&["TERMINAL_DOCKER_EXTRA_ARGS"]).of(Docker).secret(),
    opt("docker_mount_cwd_to_workspace", Bool, "mount the host's working directory at /workspace")
        .vars(&["TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE"]).default(Flag(false)).of(Docker),
    opt("docker_network", Bool, "give the container a network")
        .vars(&["TERMINAL_DOCKER_NETWORK"]).default(Flag(true)).of(Docker),
    opt("docker_run_as_host_user", Bool, "run as the user and group of this process")
        .vars(&["TERMINAL_DOCKER_RUN_AS_HOST_USER"]).default(Flag(false)).of(Docker),
    opt("docker_persist_across_processes", Bool, "let a later process find the container again")
        .vars(&["TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES"]).default(Flag(true)).of(Docker),
    opt("docker_orphan_reaper", Bool, "remove old containers whose owner is gone")
        .vars(&["TERMINAL_DOCKER_ORPHAN_REAPER"]).default(Flag(true)).of(Docker),

    opt("ssh_host", Text, "machine to connect to, or a name of ~/.ssh/config")
        .vars(&["TERMINAL_SSH_HOST"]).of(Ssh),
    opt("ssh_user", Text, "user to log in as").vars(&["TERMINAL_SSH_USER"]).of(Ssh),
    opt("ssh_port", Integer { min: 1, max: 65_535 }, "port to connect to")
        .vars(&["TERMINAL_SSH_PORT"]).default(Number(22)).of(Ssh),
    opt("ssh_key", Path, "private key to log in with").vars(&["TERMINAL_SSH_KEY"]).of(Ssh),
    opt("ssh_config", Path, "configuration of ssh to use instead of the usual ones").of(Ssh),
    opt("ssh_known_hosts", Path, "file of known host keys to use instead of the usual ones").of(Ssh),
    opt("ssh_host_keys", Choice(&["accept-new", "strict"]), "whether the key of a host that is not known is remembered, or refused")
        .default(Word("accept-new")).of(Ssh),
    opt("ssh_password_file", Path, "file that holds the password; without it HEXAD_SSH_PASSWORD may hold it").of(Ssh),
    opt("ssh_passphrase_file", Path, "file that holds the passphrase of the key; without it HEXAD_SSH_PASSPHRASE may hold it").of(Ssh),
    opt("ssh_idle_seconds", SWITCH, "a connection that nobody uses for this long is closed; 0 keeps it")
        .default(Millis(60_000)).of(Ssh),

    opt("modal_mode", Choice(&["auto", "direct", "managed"]), "with the user's own account, or through a gateway")
        .vars(&["TERMINAL_MODAL_MODE"]).default(Word("auto")).of(Modal),
    opt("modal_image", Text, "image to run")
        .vars(&["TERMINAL_MODAL_IMAGE"]).default(Word(IMAGE)).of(Modal),
    opt("daytona_image", Text, "image to run")
        .vars(&["TERMINAL_DAYTONA_IMAGE"]).default(Word(IMAGE)).of(Daytona),
    opt("singularity_image", Text, "image to run: a docker:// address or a .sif file")
        .vars(&["TERMINAL_SINGULARITY_IMAGE"]).default(Word(SIF_IMAGE)).of(Singularity),

    opt("persistent_shell", Bool, "shell state always carries over, so there is nothing to choose")
        .vars(&["TERMINAL_PERSISTENT_SHELL", "TERMINAL_SSH_PERSISTENT", "TERMINAL_LOCAL_PERSISTENT"]).unused(),
    opt("sudo_password", Text, "hexad does not answer sudo's question yet")
        .vars(&["SUDO_PASSWORD"]).unused().secret(),
    opt("disk_warning_gb", Integer { min: 0, max: GIB }, "hexad does not measure disks")
        .vars(&["TERMINAL_DISK_WARNING_GB"]).unused(),
    opt("scratch_dir", Path, "hexad leaves no scratch files")
        .vars(&["TERMINAL_SCRATCH_DIR"]).unused(),
];

/// The option with this key or older key.
pub(super) fn find(key: &str) -> Option<&'static OptionSpec> {
    OPTIONS.iter().find(|spec| spec.key == key || spec.legacy_key == Some(key))
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
