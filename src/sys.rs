//! The one place with `unsafe`: hiding the environment of this process from its children, and
//! handing a descriptor to the reactor.
#![expect(unsafe_code, reason = "neither can be done through a safe interface")]

use std::ffi::OsString;
use std::fs;
#[cfg(feature = "local")]
use std::os::fd::OwnedFd;

#[cfg(feature = "local")]
use tokio::io::{Interest, unix::AsyncFd};

/// Watches a descriptor for readiness. Must be called within a tokio runtime.
#[cfg(feature = "local")]
pub(crate) fn watch(fd: OwnedFd, interest: Interest) -> std::io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` is open, always gives the same descriptor, and belongs to the `AsyncFd`
    // from here on; nothing lets go of it before that does.
    Ok(unsafe { AsyncFd::register_with_interest(fd, interest) }?)
}

/// Takes the environment and hides it from other processes as far as the kernel lets us.
///
/// * The process is made non-dumpable: other processes of the same user cannot read its
///   `/proc/PID/environ`, memory or descriptors. A process of root still can.
/// * The block that `/proc/PID/environ` shows is erased, so that even root's processes see nothing
///   there. They could still read this process's memory with a debugger; nothing prevents that.
///
/// Call it first thing in `main`, before any other thread exists.
#[must_use]
pub fn take_environment() -> Vec<(OsString, OsString)> {
    let env: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    if let Some((start, end)) = environment_block() {
        for (name, value) in &env {
            // SAFETY: the caller promises that there is no other thread. The C library puts the
            // entry into memory of its own, so that nothing points into the block any more.
            unsafe { std::env::set_var(name, value) };
        }
        // SAFETY: the kernel says that `start..end` is the block in which it put the initial
        // environment of this very process: mapped, writable, and not part of any Rust object.
        // The C library's own pointers were replaced above; entries it keeps besides (names
        // without `=`) become empty strings, which it skips.
        unsafe { std::ptr::write_bytes(start as *mut u8, 0, end - start) };
    }
    // Refused only by kernels that do not know it.
    let _ = nix::sys::prctl::set_dumpable(false);
    env
}

/// Where the kernel put the initial environment: fields 50 and 51 of `/proc/self/stat`.
fn environment_block() -> Option<(usize, usize)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().collect();
    // The first field behind the name is number 3.
    let start: usize = fields.get(47)?.parse().ok()?;
    let end: usize = fields.get(48)?.parse().ok()?;
    (start != 0 && start < end && end - start < 64 * 1024 * 1024).then_some((start, end))
}
