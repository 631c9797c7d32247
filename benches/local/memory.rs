//! The memory of this process, as the kernel counts it.

use std::fs;

/// Resident now, in KiB.
pub(crate) fn resident() -> f64 {
    field("VmRSS:")
}

/// Resident at most since [`forget_peak`], in KiB.
pub(crate) fn peak() -> f64 {
    field("VmHWM:")
}

/// Starts counting the peak anew.
pub(crate) fn forget_peak() {
    // Where that is refused, the peak is the whole run's: a number that is too large.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn field(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0.0)
}
