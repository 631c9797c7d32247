//! The scripts in a real bash: what a command sees, what it leaves, and that a state which went
//! through bash once comes back the same for ever after.

use std::process::Command;

use proptest::prelude::*;

use super::super::real_shell::{command, fresh, run};
use super::*;
use crate::shell::declare::Variable;

fn bash(text: &str) -> super::super::real_shell::Ran {
    fresh(Dialect::Bash, text)
}

/// Runs commands one after the other; gives the output of the last.
fn session(commands: &[&str]) -> String {
    let mut state = ShellState::empty(Dialect::Bash, "/");
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
fn the_prologue_says_hello_and_takes_its_leave_with_a_record() {
    let ran = bash("echo out; echo err >&2; exit 3");
    assert_eq!(ran.stdout, "out\nerr\n", "in the order they were written");
    assert_eq!(ran.outside, "");
    assert_eq!(ran.status.code(), Some(3));
    assert_eq!(ran.state().last_status, 3);
    let hello = ran.hello();
    assert!(hello.pid > 1 && !hello.version.is_empty());
    assert_eq!(hello.cwd, b"/");
}

#[test]
fn without_a_block_the_shell_just_ends() {
    let argv = Dialect::Bash.argv("bash".as_ref(), false);
    let output = Command::new(&argv[0]).args(&argv[1..]).output().unwrap();
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

#[test]
fn everything_that_a_command_leaves_is_there_for_the_next() {
    for (first, second, output) in [
        ("cd /usr; cd /tmp", "pwd; cd -", "/tmp\n/usr\n"),
        (
            "export A='x y'; B=$'\\xff\\n'",
            "printf '%s|%s' \"$A\" \"$B\" | od -An -c | tr -d ' \\n'",
            "xy|377\\n",
        ),
        (
            "declare -A m=([a]=1 ['b c']=$'2\\n'); l=(1 '' \"3 4\")",
            "echo \"${m[b c]}|${#l[@]}|${l[2]}\"",
            "2\n|3|3 4\n",
        ),
        ("f() { echo \"f $1\"; }; export -f f", "f 1; bash -c 'f 2'", "f 1\nf 2\n"),
        ("shopt -s expand_aliases; alias hi='echo \"it'\\''s\"'", "hi", "it's\n"),
        ("alias ls='echo listed'", "ls", "listed\n"),
        ("umask 027", "umask", "0027\n"),
        (
            "set -o pipefail; shopt -s nullglob extglob",
            "false | true; echo $?; echo /nothing*; [[ aa == +(a) ]] && echo yes",
            "1\n\nyes\n",
        ),
        ("(exit 42)", "echo $?", "42\n"),
        ("set -euo pipefail; false; echo no", "echo $- | tr -dc e; echo $?", "0\n"),
        ("declare -i n=3; readonly r=5", "n=n+1; echo $n; (r=6) 2>/dev/null || echo $r", "4\n5\n"),
        ("f() { case $1 in +(a)) echo ext;; esac; }", "f aa", "ext\n"),
        ("unset PATH_X; unset A", "echo \"${A-unset}\"", "unset\n"),
    ] {
        // Extended patterns must be on for bash to parse that function at all.
        let first = if first.contains("+(a)) echo") {
            format!("shopt -s extglob\n{first}")
        } else {
            first.to_owned()
        };
        assert_eq!(session(&[&first, second]), output, "{first}");
        assert_eq!(session(&[&first, "true", "(exit $?)", second]).is_empty(), output.is_empty());
    }
}

#[test]
fn a_command_that_breaks_off_leaves_its_record_all_the_same() {
    for (text, status) in [
        ("A=1; echo 'open", 2),
        ("A=1; exit 7", 7),
        ("A=1; set -e; false; A=2", 1),
        ("A=1; set -u; echo $nothing; A=2", 127),
        ("A=1\n) bad syntax", 2),
        ("A=1; return 5", 2),
        ("A=1; nothing_like_this", 127),
    ] {
        let ran = bash(text);
        let state = ran.state();
        assert_eq!(state.last_status, status, "{text}: {ran:?}");
        if !text.contains('\'') && !text.contains("syntax") {
            assert_eq!(state.variable("A").unwrap().scalar().unwrap(), b"1", "{text}");
        }
    }
    // A signal that ends the shell leaves a record too; only the exit tells of the signal.
    let ran = bash("A=1; kill -TERM $$; sleep 1");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ran.status), Some(15));
    assert_eq!(ran.state().variable("A").unwrap().scalar().unwrap(), b"1");
    for text in ["exec true", "kill -KILL $$"] {
        assert!(!bash(text).has(FINAL), "{text}");
    }
}

#[test]
fn standard_input_is_the_command_s_or_empty() {
    let state = ShellState::empty(Dialect::Bash, "/");
    let input = CommandInput { stdin: true, ..command("cat; echo; read x || echo end") };
    assert_eq!(run(&state, &input, b"data\0more\n").stdout, "data\0more\n\nend\n");
    assert_eq!(run(&state, &command("cat; echo end"), b"not for you").stdout, "end\n");
}

#[test]
fn what_users_redefine_is_not_used_by_the_scripts() {
    let hostile = "for f in eval printf exit declare cd pwd umask alias set shopt export return \
        local read source test; do eval \"$f() { echo HIJACKED \\$FUNCNAME; return 9; }\"; done; \
        IFS=0123456789; TMOUT=1; GLOBIGNORE=*; POSIXLY_CORRECT_X=1; X=kept";
    assert_eq!(session(&[hostile, "true", "builtin printf '%s' \"$X\""]), "kept");
    let aliases = "shopt -s expand_aliases; for a in builtin unset trap printf set exec; do \
        alias -- \"$a=echo HIJACKED\"; done; X=kept";
    assert_eq!(session(&[aliases, "\\true", "\\echo $X"]), "kept\n");
}

#[test]
fn tracing_does_not_show_the_runtime() {
    let ran = bash("set -x; true");
    // Bash repeats the first character of `PS4` once for each `eval` around the command.
    assert_eq!(ran.stdout, "+++ true\n");
    let state = ran.state();
    assert_eq!(run(&state, &command("echo quiet"), b"").stdout, "quiet\n");
}

#[test]
fn line_numbers_are_the_user_s() {
    let ran = bash("true\nnothing_like_this");
    assert!(ran.stdout.starts_with("bash: line 2:"), "{}", ran.stdout);
}

#[test]
fn helper_names_are_neither_seen_nor_carried() {
    let ran = bash("compgen -v __hx; compgen -A function __hx; f() { :; }");
    assert_eq!(ran.stdout, "");
    let state = ran.state();
    assert!(state.variables.iter().all(|v| !v.name.starts_with("__hx")));
    let functions = String::from_utf8_lossy(&state.functions).into_owned();
    assert!(functions.starts_with("f ()") && !functions.contains("trap ()"), "{functions}");
}

#[test]
fn a_directory_that_is_gone_is_left_for_its_nearest_ancestor() {
    let state = ShellState::empty(Dialect::Bash, "/usr/no/such/place");
    let ran = run(&state, &command("pwd"), b"");
    assert_eq!((ran.stdout.as_str(), &ran.hello().cwd[..]), ("/usr\n", &b"/usr"[..]));
    let own = CommandInput { cwd: Some(b"/no/such"), ..command("echo never") };
    let ran = run(&ShellState::empty(Dialect::Bash, "/usr"), &own, b"");
    assert!(!ran.stdout.contains("never"));
    assert_eq!(ran.status.code(), Some(126));
}

#[test]
fn separate_streams_share_the_control_stream_and_the_record_is_doubled() {
    let state = ShellState::empty(Dialect::Bash, "/");
    let text =
        "echo out; echo err >&2; x=$RANDOM$SECONDS$EPOCHREALTIME$SRANDOM$BASHPID$LINENO; A=1";
    let ran = run(&state, &CommandInput { separate: true, ..command(text) }, b"");
    assert_eq!((ran.stdout.as_str(), ran.outside.as_str()), ("out\n", "err\n"));
    assert_eq!(ran.state().variable("A").unwrap().scalar().unwrap(), b"1");
}

#[test]
fn variables_of_a_request_are_exported_to_its_command() {
    let env = [("A".to_owned(), b"it's \xff".to_vec())];
    let input =
        CommandInput { env: &env, ..command("env | grep -a ^A= | od -An -c | tr -d ' \\n'") };
    let ran = run(&ShellState::empty(Dialect::Bash, "/"), &input, b"");
    assert_eq!(ran.stdout, "A=it's377\\n");
}

/// A state as a caller could have made it.
fn any_state() -> impl Strategy<Value = ShellState> {
    let variable = (
        "[a-z][a-z0-9_]{0,5}",
        prop::sample::select(vec!["", "x", "r", "u", "l", "xr"]),
        prop::option::weighted(0.9, prop::collection::vec(1u8..=255, 0..40)),
    )
        .prop_map(|(name, flags, value)| Variable {
            name: format!("v_{name}"),
            flags: flags.into(),
            value: value.map(|v| bash_quote(&v)),
        });
    let array =
        prop::collection::btree_map(0usize..9, prop::collection::vec(1u8..=255, 0..20), 0..5)
            .prop_map(|items| {
                let mut value = b"(".to_vec();
                for (index, item) in items {
                    value.extend(format!("[{index}]=").into_bytes());
                    value.extend(bash_quote(&item));
                    value.push(b' ');
                }
                value.push(b')');
                Variable { name: "array".into(), flags: "a".into(), value: Some(value) }
            });
    let functions = prop::sample::subsequence(
        vec![
            "f () { echo one; }\n",
            "g-h () { local x=$1; [[ $x == +(a|b) ]] && case $x in *) echo \"$x\" ;; esac; }\n",
            "here () { cat <<EOF\n$HOME 'it'\nEOF\n}\n",
            "printf () { builtin printf \"$@\"; }\n",
            "sub () ( exit 3 )\n",
        ],
        0..=5,
    );
    let aliases = prop::sample::subsequence(
        vec!["alias a1='echo x'\n", "alias a2='it'\\''s'\n", "alias a-3='for'\n"],
        0..=3,
    );
    let options = prop::sample::subsequence(CARRIED_SET_OPTIONS.to_vec(), 0..=11);
    let shopts = prop::sample::subsequence(known_shopts(), 1..=20);
    let cwd = prop::sample::select(vec!["/", "/usr", "/tmp", "/usr/bin"]);
    let rest = (0u32..=0o777, any::<u8>(), prop::option::of(Just(b"/usr/lib".to_vec())), cwd);
    (prop::collection::vec(variable, 0..6), array, functions, aliases, options, shopts, rest)
        .prop_map(|(mut variables, array, functions, aliases, options, shopts, rest)| {
            variables.sort_by(|a, b| a.name.cmp(&b.name));
            variables.dedup_by(|a, b| a.name == b.name);
            variables.push(array);
            let (umask, last_status, oldpwd, cwd) = rest;
            ShellState {
                oldpwd,
                umask: Some(umask),
                last_status,
                set_options: options.iter().map(|o| (*o).into()).collect(),
                shopts,
                variables,
                functions: functions.concat().into_bytes(),
                aliases: aliases.concat().into_bytes(),
                ..ShellState::empty(Dialect::Bash, cwd)
            }
        })
}

/// The carried options that the bash at hand has.
fn known_shopts() -> Vec<String> {
    let output = Command::new("bash").args(["-c", "shopt"]).output().unwrap().stdout;
    let text = String::from_utf8(output).unwrap();
    let known: Vec<&str> = text.split_whitespace().collect();
    CARRIED_SHOPTS.iter().filter(|s| known.contains(s)).map(|s| (*s).to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_state_that_went_through_bash_comes_back_the_same(given in any_state()) {
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
        prop_assert_eq!(&once.oldpwd, &given.oldpwd);
        prop_assert_eq!(&once.cwd, &given.cwd);
        prop_assert_eq!(&once.set_options, &given.set_options);
        if !given.set_options.iter().any(|o| o == "posix") {
            prop_assert_eq!(&once.shopts, &given.shopts);
        }
        for wanted in given.variables.iter().filter(|v| !v.flags.contains(['a', 'u', 'l'])) {
            let got = once.variable(&wanted.name);
            prop_assert_eq!(got.and_then(Variable::scalar), wanted.scalar(), "{}", wanted.name);
        }
        let same_aliases = |a: &[u8]| a.iter().filter(|b| **b == b'\n').count();
        prop_assert_eq!(same_aliases(&once.aliases), same_aliases(&given.aliases));
    }
}
