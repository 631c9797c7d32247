//! The parts of the hot path that are not waiting for a process, one by one.
//!
//! `cargo bench --bench micro`, or `scripts/bench-micro` to compare with the recorded baseline; each line is the time of one call. Together they are what hexad
//! itself adds to a command: two blocks are made, the control stream is cut into frames, the
//! record is parsed, output is kept, and messages go back and forth between actors.

use std::fmt::Write as _;
use std::sync::Arc;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use hexad::actors::output::Collector;
use hexad::actors::shell::record::{FINAL, parse_record};
use hexad::actors::shell::{CommandInput, Dialect, Frame, FrameReader, Nonce, ShellState};
use hexad::host::Host;
use hexad::{Config, Hexad};

fn main() {
    divan::main();
}

/// What the trap writes for a shell of 60 variables and 10 functions, a usual size.
fn payload() -> Vec<u8> {
    let mut variables = String::new();
    for n in 0..40 {
        let _ =
            writeln!(variables, "declare -x NAME_{n}=\"/usr/local/lib/thing-{n}:/opt/{n}/bin\"");
    }
    for n in 0..15 {
        let _ =
            writeln!(variables, "declare -- local_{n}=\"a \\\"quoted\\\" value of number {n}\"");
    }
    for n in 0..5 {
        let _ = writeln!(variables, "declare -a list_{n}=([0]=\"one\" [1]=\"two\" [2]=$'a\\nb')");
    }
    let (mut functions, mut names) = (String::new(), String::new());
    for n in 0..10 {
        let body = "    local a=$1;\n    if [[ -n $a ]]; then\n        echo \"$a\";\n    fi";
        let _ = writeln!(functions, "function_{n} () \n{{ \n{body}\n}}");
        let _ = writeln!(names, "declare -f function_{n}");
    }
    let parts = [
        "0",
        "braceexpand:hashall:interactive-comments",
        "checkwinsize:cmdhist:complete_fullquote:expand_aliases:extquote:force_fignore:\
         globasciiranges:globskipdots:hostcomplete:interactive_comments:patsub_replacement:\
         progcomp:promptvars:sourcepath",
        "/home/user/project\n",
        "0022\n",
        &variables,
        &functions,
        &names,
        "alias ll='ls -l'\n",
    ];
    let mut payload = Vec::new();
    for part in parts {
        payload.extend_from_slice(part.as_bytes());
        payload.push(0);
    }
    payload
}

fn frame() -> Frame {
    Frame { kind: FINAL, payload: payload(), oversize: false }
}

fn nonce() -> Nonce {
    Nonce::fixed("0123456789abcdef0123456789abcdef")
}

fn state() -> ShellState {
    parse_record(&frame(), Dialect::Bash, false).unwrap_or_else(|e| panic!("{e}"))
}

/// What the machine itself is worth: `scripts/bench-micro` divides all other rows by this one.
/// Bytes are hashed (FNV-1a), each step of which needs the one before.
#[divan::bench]
fn calibration(bencher: Bencher<'_, '_>) {
    let bytes = payload();
    bencher.bench(|| {
        black_box(&bytes).iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    });
}

/// The block that loads a state into the next shell.
#[divan::bench]
fn load_block(bencher: Bencher<'_, '_>) {
    let (nonce, state) = (nonce(), state());
    bencher.bench(|| Dialect::Bash.load_block(black_box(&nonce), black_box(&state), true));
}

/// The block that carries a command, for commands of several lengths.
#[divan::bench(args = [10, 1_000, 100_000])]
fn command_block(bencher: Bencher<'_, '_>, length: usize) {
    let nonce = nonce();
    let command = "echo 'hi';".repeat(length / 10).into_bytes();
    let input = CommandInput { command: &command, ..CommandInput::default() };
    bencher.bench(|| Dialect::Bash.command_block(black_box(&nonce), black_box(&input)));
}

/// A control stream that holds one final record, in pieces as a pipe gives them: bash writes
/// with each of its builtins.
#[divan::bench(args = [256, 4096, 65_536])]
fn frame_reader_feed(bencher: Bencher<'_, '_>, piece: usize) {
    let nonce = nonce();
    let mut stream = format!("\0{}:{}", nonce.as_str(), char::from(FINAL)).into_bytes();
    stream.extend(payload());
    stream.extend(format!("\0{};", nonce.as_str()).into_bytes());
    bencher.counter(BytesCount::new(stream.len())).bench(|| {
        let mut reader = FrameReader::new(&nonce);
        let (mut frames, mut outside) = (Vec::new(), Vec::new());
        for piece in black_box(&stream).chunks(piece) {
            reader.feed(piece, &mut frames, &mut outside);
        }
        assert_eq!((frames.len(), outside.len()), (1, 0));
        frames
    });
}

/// The record of a shell of 60 variables and 10 functions, from bytes to a state.
#[divan::bench]
fn parse_a_record(bencher: Bencher<'_, '_>) {
    let frame = frame();
    let counter = BytesCount::new(frame.payload.len());
    bencher.counter(counter).bench(|| parse_record(black_box(&frame), Dialect::Bash, false));
}

/// Whether the state that came back is the one that the shell was given.
#[divan::bench]
fn compare_states(bencher: Bencher<'_, '_>) {
    let (one, other) = (state(), state());
    bencher.bench(|| black_box(&one) == black_box(&other));
}

/// Output beyond the limit, as it comes from a full pipe.
#[divan::bench]
fn collector_push_64_kib(bencher: Bencher<'_, '_>) {
    let chunk = vec![b'x'; 64 * 1024];
    let mut collector = Collector::new(50_000);
    collector.push(&chunk);
    bencher.counter(BytesCount::new(chunk.len())).bench_local(|| collector.push(black_box(&chunk)));
}

/// Output in small pieces, as a chatty program writes it.
#[divan::bench]
fn collector_push_100_bytes(bencher: Bencher<'_, '_>) {
    let chunk = vec![b'x'; 100];
    let mut collector = Collector::new(50_000);
    collector.push(&vec![b'x'; 64 * 1024]);
    bencher.counter(BytesCount::new(chunk.len())).bench_local(|| collector.push(black_box(&chunk)));
}

/// A question that goes caller, supervisor, environment and back: two actors and no process.
#[divan::bench]
fn status_of_an_environment(bencher: Bencher<'_, '_>) {
    ask(bencher, true);
}

/// A question that the supervisor answers itself: one actor.
#[divan::bench]
fn status_of_an_unknown_task(bencher: Bencher<'_, '_>) {
    ask(bencher, false);
}

/// Batches of calls from a worker of the runtime, as a server would make them.
fn ask(bencher: Bencher<'_, '_>, known: bool) {
    const CALLS: usize = 100;
    let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
    let path = folder.path().as_os_str().to_owned();
    let system = std::env::var_os("PATH").unwrap_or_default();
    let env = [("HEXAD_STATE_DIR", path.clone()), ("HOME", path), ("PATH", system)];
    let host = Host::with_env(env.map(|(name, value)| (name.into(), value)).into());
    let runtime = tokio::runtime::Runtime::new().unwrap_or_else(|e| panic!("{e}"));
    let started = runtime.block_on(Hexad::builder(Config::builtin()).host(host).start());
    let hexad = started.unwrap_or_else(|e| panic!("{e}"));
    let task = Arc::new(hexad.task("micro"));
    if known {
        runtime.block_on(task.execute("true")).unwrap_or_else(|e| panic!("{e}"));
    }
    bencher.counter(ItemsCount::new(CALLS)).bench_local(|| {
        let task = Arc::clone(&task);
        let calls = runtime.spawn(async move {
            for _ in 0..CALLS {
                let status = task.status().await.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(status.is_some(), known);
            }
        });
        runtime.block_on(calls).unwrap_or_else(|e| panic!("{e}"));
    });
    runtime.block_on(hexad.shutdown()).unwrap_or_else(|e| panic!("{e}"));
}
