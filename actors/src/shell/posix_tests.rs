//! The scripts in a real `sh`: what is carried, and that it comes back the same for ever after.

use proptest::prelude::*;

use super::super::real_shell::{Ran, command, fresh, run, run_as};
use super::*;
use crate::shell::declare::Variable;

fn sh(text: &str) -> Ran {
    fresh(Dialect::Posix, text)
}

fn session(commands: &[&str]) -> String {
    let mut state = ShellState::empty(Dialect::Posix, "/");
    let mut output = String::new();
    for text in commands {
        let input = CommandInput { last_status: state.last_status, ..command(text) };
        let ran = run(&state, &input, b"");
        state = ran.state();
        output = ran.stdout;
    }
    output
}

#[test]
fn hello_output_status_and_record() {
    let ran = sh("echo out; echo err >&2; A=1; exit 3");
    assert_eq!((ran.stdout.as_str(), ran.outside.as_str()), ("out\nerr\n", ""));
    assert_eq!(ran.status.code(), Some(3));
    let state = ran.state();
    assert_eq!(state.last_status, 3);
    assert_eq!(state.variable("A").unwrap().scalar().unwrap(), b"1");
    assert!(!state.variable("A").unwrap().is_exported());
    assert_eq!(ran.hello().cwd, b"/");
}

#[test]
fn everything_that_is_carried_is_there_for_the_next() {
    for (first, second, output) in [
        ("cd /usr; cd /tmp", "pwd; cd - >/dev/null; pwd", "/tmp\n/usr\n"),
        ("A=\"it's\"; export B='x y'", "echo \"$A\"; env | grep ^B", "it's\nB=x y\n"),
        ("umask 027", "umask", "0027\n"),
        ("(exit 42)", "echo $?", "42\n"),
        ("set -f", "echo /*", "/*\n"),
        (
            "alias a='echo one'; alias b=\"echo it\\\\'s\"; alias c='echo three'",
            "a\nb\nc",
            "one\nit's\nthree\n",
        ),
        (
            "export L='one\nexport X=two\nX=three'; X=mine",
            "echo \"$L\"; env | grep ^X=m; echo $X",
            "one\nexport X=two\nX=three\nmine\n",
        ),
    ] {
        assert_eq!(session(&[first, second]), output, "{first}");
        assert_eq!(session(&[first, "(exit $?)", second]), output, "{first}, a command later");
    }
}

#[test]
fn a_command_that_breaks_off_leaves_its_record() {
    for (text, status) in [
        ("exit 7", 7),
        ("set -e; false; A=2", 1),
        ("set -u; echo $nothing", 2),
        ("nothing_like_this", 127),
        ("echo 'open", 2),
    ] {
        let ran = sh(text);
        assert_eq!(ran.state().last_status, status, "{text}: {ran:?}");
    }
}

#[test]
fn standard_input_is_the_command_s_or_empty() {
    let state = ShellState::empty(Dialect::Posix, "/");
    let input = CommandInput { stdin: true, ..command("cat") };
    assert_eq!(run(&state, &input, b"data\nmore").stdout, "data\nmore");
    assert_eq!(run(&state, &command("cat; echo end"), b"not for you").stdout, "end\n");
}

#[test]
fn separate_streams_and_a_doubled_record() {
    let state = ShellState::empty(Dialect::Posix, "/");
    let input = CommandInput { separate: true, ..command("echo out; echo err >&2; A=1") };
    let ran = run(&state, &input, b"");
    assert_eq!((ran.stdout.as_str(), ran.outside.as_str()), ("out\n", "err\n"));
    assert_eq!(ran.state().variable("A").unwrap().scalar().unwrap(), b"1");
}

#[test]
fn a_directory_and_variables_for_one_command() {
    let env = [("A".to_owned(), b"it's".to_vec())];
    let input = CommandInput { cwd: Some(b"/usr"), env: &env, ..command("pwd; env | grep ^A") };
    let state = ShellState::empty(Dialect::Posix, "/");
    assert_eq!(run(&state, &input, b"").stdout, "/usr\nA=it's\n");
    let gone = CommandInput { cwd: Some(b"/no/such"), ..command("echo never") };
    let ran = run(&state, &gone, b"");
    assert_eq!(ran.status.code(), Some(126));
    assert!(!ran.stdout.contains("never"));
}

#[test]
fn helper_names_are_not_carried() {
    let state = sh("A=1").state();
    assert!(state.variables.iter().all(|v| !v.name.starts_with("__hx")), "{state:?}");
}

#[test]
fn a_state_of_bash_gives_what_a_plain_shell_can_hold() {
    let state = fresh(
        Dialect::Bash,
        "cd /usr; export A=$'it\\'s\\n\\xff'; declare -a l=(1 2); B=2; umask 027",
    )
    .state();
    let text = command("pwd; umask; echo $B; env | grep -a -A1 ^A= | od -An -c | tr -d ' \\n'");
    let ran = run_as(Dialect::Posix, &state, &text, b"");
    assert_eq!(ran.stdout, "/usr\n0027\n2\nA=it's\\n377\\n");
}

fn any_state() -> impl Strategy<Value = ShellState> {
    // Bytes of a value: no NUL; dash cannot tell some bytes above 0x80 from its own marks.
    let value = prop::collection::vec(1u8..0x80, 0..40);
    let variable =
        ("[a-z][a-z0-9_]{0,5}", any::<bool>(), value).prop_map(|(name, export, value)| Variable {
            name: format!("v_{name}"),
            flags: if export { "x".into() } else { String::new() },
            value: Some(posix_quote(&value)),
        });
    let alias = ("[a-z]{1,5}", "[ -~]{0,12}").prop_map(|(name, value)| {
        let mut line = format!("q_{name}=").into_bytes();
        line.extend(posix_quote(value.as_bytes()));
        line.push(b'\n');
        line
    });
    let cwd = prop::sample::select(vec!["/", "/usr", "/tmp"]);
    (
        prop::collection::vec(variable, 0..6),
        prop::collection::vec(alias, 0..4),
        prop::sample::subsequence(vec!["allexport", "noclobber", "noglob", "nounset"], 0..=4),
        (0u32..=0o777, any::<u8>(), cwd),
    )
        .prop_map(|(mut variables, aliases, options, (umask, last_status, cwd))| {
            variables.sort_by(|a, b| a.name.cmp(&b.name));
            variables.dedup_by(|a, b| a.name == b.name);
            ShellState {
                umask: Some(umask),
                last_status,
                variables,
                aliases: aliases.concat(),
                set_options: options.into_iter().map(String::from).collect(),
                ..ShellState::empty(Dialect::Posix, cwd)
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_state_that_went_through_sh_comes_back_the_same(given in any_state()) {
        let pass = |state: &ShellState| {
            let input = CommandInput { last_status: state.last_status, ..command("(exit $?)") };
            let ran = run(state, &input, b"");
            assert_eq!((&*ran.stdout, &*ran.outside), ("", ""), "{ran:?}");
            ran.state()
        };
        let once = pass(&given);
        let twice = pass(&once);
        prop_assert_eq!(&once, &twice);
        prop_assert_eq!(once.umask, given.umask);
        prop_assert_eq!(once.last_status, given.last_status);
        prop_assert_eq!(&once.cwd, &given.cwd);
        prop_assert_eq!(&once.set_options, &given.set_options);
        for wanted in &given.variables {
            let got = once.variable(&wanted.name).unwrap();
            prop_assert_eq!(got.scalar(), wanted.scalar(), "{}", wanted.name);
            prop_assert_eq!(got.is_exported(), wanted.is_exported(), "{}", wanted.name);
        }
    }
}
