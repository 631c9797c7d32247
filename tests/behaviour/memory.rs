//! Output of any size is kept in bounds.

use hexad::{Config, Execute, Hexad};

use crate::harness::row::Wish;
use crate::harness::target::host;

/// The most memory that this process ever used, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs in a process of its own, so that nothing else counts.
#[test]
fn a_gibibyte_of_output_needs_no_memory() {
    if std::env::var_os(ALONE).is_some() {
        return alone();
    }
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "memory::a_gibibyte_of_output_needs_no_memory", "--nocapture"])
        .env(ALONE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "see above");
}

const ALONE: &str = "HEXAD_TEST_ALONE";

fn alone() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let hexad = Hexad::builder(Config::builtin())
            .host(host(&Wish::default(), folder.path()))
            .start()
            .await
            .unwrap();
        let task = hexad.task("big");
        task.execute("true").await.unwrap();
        let before = peak();
        let result = task.execute(Execute::new("head -c 1G /dev/zero")).await.unwrap();
        assert_eq!(result.returncode(), 0);
        assert_eq!(result.output.total_bytes, 1 << 30);
        let grown = peak() - before;
        assert!(grown < 64 * 1024, "{grown} KiB more than before");
        hexad.shutdown().await.unwrap();
    });
}
