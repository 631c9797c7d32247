//! Starting a child: its own session, default signals, three pipes, a file for its record and nothing else of
//! ours.
//!
//! `posix_spawn` and not fork: the cost does not grow with the memory of the embedding program.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use hexad_actors::backend::{Process, SpawnSpec};
use hexad_actors::shell::RECORD_DESCRIPTOR;
use hexad_actors::{BackendError, Unavailable};
use nix::errno::Errno;
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::SigSet;
use rustix::fs::{MemfdFlags, Mode, OFlags, fchmod, memfd_create, open};

use super::exit::ChildExit;
use super::pipe::{self, Reader, Writer};

/// Starts what `spec` says. All other descriptors of this process are close-on-exec.
pub(super) fn spawn(spec: &SpawnSpec) -> Result<Process, BackendError> {
    let program = spec.argv.first().ok_or_else(|| BackendError::internal("no program"))?;
    let argv = spec.argv.iter().map(|a| c_string(a)).collect::<Result<Vec<_>, _>>()?;
    let env = spec
        .env
        .iter()
        .map(|(name, value)| {
            let mut entry = name.clone();
            entry.push("=");
            entry.push(value);
            c_string(&entry)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let io = |error: std::io::Error| shortage(&error);
    let (stdin_read, stdin_write) = pipe::pair().map_err(io)?;
    let (stdout_read, stdout_write) = pipe::pair().map_err(io)?;
    let (stderr_read, stderr_write) = pipe::pair().map_err(io)?;
    let (record, record_write) = record_file().map_err(io)?;

    let started = (|| {
        let mut actions = PosixSpawnFileActions::init()?;
        actions.add_dup2(stdin_read.as_raw_fd(), 0)?;
        actions.add_dup2(stdout_write.as_raw_fd(), 1)?;
        actions.add_dup2(stderr_write.as_raw_fd(), 2)?;
        actions.add_dup2(record_write.as_raw_fd(), RECORD_DESCRIPTOR)?;
        let mut attributes = PosixSpawnAttr::init()?;
        let session = PosixSpawnFlags::from_bits_retain(libc::POSIX_SPAWN_SETSID.into());
        attributes.set_flags(
            session
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
        )?;
        attributes.set_sigdefault(&SigSet::all())?;
        attributes.set_sigmask(&SigSet::empty())?;
        posix_spawnp(&argv[0], &actions, &attributes, &argv, &env)
    })();
    let pid = started.map_err(|error| refused(program, error))?;

    let ours = rustix::process::Pid::from_raw(pid.as_raw())
        .ok_or_else(|| BackendError::internal("a process id of 0"))?;
    let exit = ChildExit::new(ours).map_err(|error| {
        BackendError::internal(format!("watching process {pid} (Linux 5.4 is needed): {error}"))
    })?;
    Ok(Process {
        stdin: Box::new(Writer::new(stdin_write).map_err(io)?),
        stdout: Box::new(Reader::new(stdout_read).map_err(io)?),
        control: Box::new(Reader::new(stderr_read).map_err(io)?),
        exit: Box::new(exit),
        pid: Some(pid.as_raw()),
        record: Some(record),
    })
}

/// A file in memory: (for us, for the shell). What the command starts inherits the latter, maybe as
/// another user, so it can only be written to, and opened anew by nobody else.
fn record_file() -> std::io::Result<(File, OwnedFd)> {
    let file = memfd_create("hexad-record", MemfdFlags::CLOEXEC)?;
    fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let write = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    Ok((file.into(), write))
}

fn c_string(text: &OsStr) -> Result<CString, BackendError> {
    CString::new(text.as_bytes()).map_err(|_| BackendError::internal("a NUL byte in an argument"))
}

fn shortage(error: &std::io::Error) -> BackendError {
    BackendError::unavailable(
        Unavailable::Quota,
        format!(
            "no pipe or file for a new process: {error}; raise the limit of open files (ulimit -n)"
        ),
    )
}

fn refused(program: &OsStr, error: Errno) -> BackendError {
    let program = program.to_string_lossy();
    match error {
        Errno::ENOENT => BackendError::unavailable(
            Unavailable::NoBinary,
            format!("{program} is not there; install bash or set terminal.shell"),
        ),
        Errno::EACCES => BackendError::unavailable(
            Unavailable::NoPermission,
            format!("{program} may not be executed by this user"),
        ),
        Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE => BackendError::unavailable(
            Unavailable::Quota,
            format!("{program} was not started: {error}; this machine is at a limit"),
        ),
        other => BackendError::internal(format!("{program} was not started: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::fs::{FileExt as _, PermissionsExt as _};

    use super::*;

    #[test]
    fn the_shells_end_of_the_record_file_cannot_be_read() {
        let (ours, theirs) = record_file().unwrap();
        assert_eq!(ours.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let mut theirs = File::from(theirs);
        theirs.write_all(b"record").unwrap();
        let refused = theirs.read(&mut [0; 10]).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EBADF));
        let mut bytes = [0; 6];
        ours.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"record");
    }
}
