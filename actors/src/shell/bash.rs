//! The scripts for bash (4.1 or newer).
//!
//! Rules that every line here keeps, each for a trap that was met: all steps are builtins and say
//! `\builtin` (users define functions and aliases named like them); nothing depends on `IFS`,
//! options or the locale; the command's own first line is line 1; helper names start with `__hx_`
//! and are gone before the command and before the record.

use super::control::Nonce;
use super::options::{
    CARRIED_SET_OPTIONS, CARRIED_SHOPTS, RESERVED_FUNCTIONS, is_carried_variable,
};
use super::quote::bash_quote;
use super::record::{BEGUN, DONE, END, FINAL, HELLO, MOVED, PROVISIONAL};
use super::state::ShellState;
use super::{CommandInput, Dialect, RECORD_DESCRIPTOR, anchored};

/// Where the control stream lives in the shell and its children. Out of the way of what scripts
/// use by hand, and of what bash gives to `{name}>`.
const CONTROL: &str = "242";

/// Where standard output is kept for the end mark, whatever the command does with its own.
const OUTPUT: &str = "241";

/// Reads and evaluates two blocks. `-N` takes exactly the bytes of the block (bash reads them in
/// pieces of 4 KiB, never past the end) and ignores `IFS`; the long `-t` overrides a `TMOUT` that
/// the state may hold. The first block may hold any bytes, so it is read in the C locale; the
/// second is ASCII.
///
/// At the end of the input instead of a block the shell just ends.
pub(super) const PROLOGUE: &str = "\\builtin read -r -t 2000000000 -N 10 __hx_n && \
    LC_ALL=C \\builtin read -r -N \"$__hx_n\" __hx_s && \\builtin eval \"$__hx_s\"; \
    \\builtin read -r -t 2000000000 -N 10 __hx_n && \
    \\builtin read -r -N \"$__hx_n\" __hx_s && \\builtin eval \"$__hx_s\"";

/// The `trap` that users see: their EXIT trap is kept in `__hx_t` and run by ours, everything
/// else goes to the builtin. In a subshell nothing of ours is armed, so it only hides our trap
/// from listings. Tracing is off inside.
const TRAP_FUNCTION: &str = r#"trap () {
{ \builtin local -; \builtin set +x; } 2>/dev/null
if [[ $# -eq 0 || $1 == -p ]]; then
[[ $# -eq 0 ]] || \builtin shift
if [[ $# -eq 0 ]]; then
\builtin set -- EXIT 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 DEBUG ERR RETURN
fi
\builtin local __hx_i
for __hx_i; do
if [[ $__hx_i == EXIT || $__hx_i == 0 ]]; then
if [[ -n ${__hx_t+x} ]]; then \builtin printf 'trap -- %s EXIT\n' "${__hx_t@Q}"; fi
else
\builtin trap -p "$__hx_i"
fi
done
\builtin return 0
fi
if [[ $BASH_SUBSHELL -gt 0 || ( $1 == -* && $1 != - && $1 != -- ) ]]; then
\builtin trap "$@"
\builtin return
fi
[[ $1 != -- ]] || \builtin shift
\builtin local __hx_a=- __hx_i __hx_e=
if [[ $# -gt 1 ]]; then __hx_a=$1; \builtin shift; fi
\builtin local -a __hx_l; __hx_l=()
for __hx_i; do
case $__hx_i in
0|[Ee][Xx][Ii][Tt]) __hx_e=1 ;;
*) __hx_l[${#__hx_l[@]}]=$__hx_i ;;
esac
done
if [[ -n $__hx_e ]]; then
if [[ $__hx_a == - ]]; then \builtin unset -v __hx_t; else __hx_t=$__hx_a; fi
fi
if [[ ${#__hx_l[@]} -gt 0 || -z $__hx_e ]]; then \builtin trap -- "$__hx_a" "${__hx_l[@]}"; fi
}
__hx_q () { \builtin unset -f __hx_q; \builtin return "$1"; }
"#;

/// Ten digits and the script.
pub(super) fn block(script: Vec<u8>) -> Vec<u8> {
    let mut block = format!("{:010}", script.len()).into_bytes();
    block.extend(script);
    block
}

/// Moves standard error to the control descriptor, loads `state`, says hello.
pub(super) fn load_script(nonce: &Nonce, state: &ShellState, native_env: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(4096);
    // `\exec` and not `builtin exec`: behind `builtin` the redirections would be undone.
    push(&mut out, &format!("\\exec {CONTROL}>&2 2>&1\n"));
    // Silent as a whole: what a state holds (a locale that is missing here, say) must not talk.
    push(&mut out, "{\n");
    if let Some(umask) = state.umask {
        push(&mut out, &format!("\\builtin umask {umask:04o}\n"));
    }
    // Variables come first: compound assignments need a bare `declare`, which no function of the
    // user may hide yet.
    push_variables(&mut out, state, native_env);
    // Functions come before aliases, which would be expanded in them a second time, and are
    // parsed with extended patterns on, as they may hold some.
    push(&mut out, TRAP_FUNCTION);
    push(&mut out, "\\builtin shopt -s extglob\n");
    if state.dialect == Dialect::Bash && !state.functions.is_empty() {
        push(&mut out, "\\builtin eval -- ");
        out.extend(bash_quote(&state.functions));
        out.push(b'\n');
        for line in state.function_attributes.split(|&b| b == b'\n').filter(|l| !l.is_empty()) {
            push(&mut out, "\\builtin ");
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    push_directory(&mut out, &state.cwd);
    match &state.oldpwd {
        Some(oldpwd) => {
            push(&mut out, "\\builtin export OLDPWD=");
            out.extend(bash_quote(oldpwd));
        }
        None => push(&mut out, "\\builtin unset -v OLDPWD"),
    }
    push(&mut out, "\n");
    push_aliases(&mut out, state);
    push_options(&mut out, state);
    push(&mut out, "} 2>&-\n");
    push_frame(&mut out, nonce, HELLO, "\"$$\" \"$BASH_VERSION\" \"$PWD\"", 3);
    out
}

/// Those that come with the process's own environment (`native_env`) are there already: a shell takes
/// them over at a tenth of the cost of a declaration.
fn push_variables(out: &mut Vec<u8>, state: &ShellState, native_env: bool) {
    for variable in state.variables.iter().filter(|v| is_carried_variable(&v.name)) {
        if native_env && variable.is_environment() {
            continue;
        }
        push(out, "declare -");
        push(out, if variable.flags.is_empty() { "-" } else { &variable.flags });
        push(out, " ");
        push(out, &variable.name);
        if let Some(value) = &variable.value {
            out.push(b'=');
            out.extend_from_slice(value);
        }
        out.push(b'\n');
    }
}

/// Goes to `cwd` or, if that is gone or closed, to its nearest ancestor that lets us in.
fn push_directory(out: &mut Vec<u8>, cwd: &[u8]) {
    push(out, "__hx_d=");
    out.extend(bash_quote(cwd));
    push(out, "\n");
    push(out, NEAREST);
    push(out, "\n\\builtin unset -v __hx_d\n");
}

const NEAREST: &str = "until \\builtin cd -- \"${__hx_d:-/}\"; do \
    if [[ -z $__hx_d ]]; then \\builtin break; fi; __hx_d=${__hx_d%/*}; done";

fn push_aliases(out: &mut Vec<u8>, state: &ShellState) {
    if !state.aliases.is_empty() {
        push(out, "\\builtin eval -- ");
        out.extend(bash_quote(&state.aliases));
        out.push(b'\n');
    }
}

/// Sets every carried option to what the state says; the order of the lists matters.
fn push_options(out: &mut Vec<u8>, state: &ShellState) {
    if state.shopts.is_empty() {
        // A state that never was in a bash: keep bash's own defaults, and let aliases work.
        push(out, "\\builtin shopt -u extglob\n\\builtin shopt -s expand_aliases\n");
    } else {
        let (on, off): (Vec<&str>, Vec<&str>) =
            CARRIED_SHOPTS.iter().partition(|name| state.shopts.iter().any(|s| s == *name));
        push(out, &format!("\\builtin shopt -u {}\n", off.join(" ")));
        push(out, &format!("\\builtin shopt -s {}\n", on.join(" ")));
    }
    push(out, "\\builtin set");
    for name in CARRIED_SET_OPTIONS {
        let sign = if state.set_options.iter().any(|s| s == name) { '-' } else { '+' };
        push(out, &format!(" {sign}o {name}"));
    }
    push(out, "\n");
}

/// Arms the EXIT trap, evaluates the command.
pub(super) fn command_script(nonce: &Nonce, input: &CommandInput<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.command.len() + 2048);
    push(&mut out, "\\builtin unset -v __hx_n __hx_s; ");
    if input.end_mark {
        push(&mut out, &format!("\\exec {OUTPUT}>&1; "));
    }
    push(&mut out, "\\builtin trap -- ");
    out.extend(bash_quote(KEEP_STATUS.as_bytes()));
    // The line feed is written as an escape: the command begins on line 1.
    push(&mut out, "$'\\n'");
    out.extend(bash_quote(&exit_trap(nonce, input)));
    push(&mut out, " EXIT; ");
    match input.cwd {
        Some(cwd) => {
            push(&mut out, "\\builtin cd -- ");
            out.extend(bash_quote(&anchored(cwd)));
            push(&mut out, if input.separate { " 2>&242" } else { "" });
            push(&mut out, " || \\builtin exit 126; ");
        }
        // The shell may have waited here for a while: is the directory still the one it names?
        None => {
            push(&mut out, "[[ . -ef $PWD ]] || { __hx_d=$PWD; { ");
            push(&mut out, NEAREST);
            push(&mut out, "; } 2>&-; \\builtin unset -v __hx_d; ");
            push_frame_inline(&mut out, nonce, MOVED, "\"$PWD\"", 1);
            push(&mut out, "; }; ");
        }
    }
    for (name, value) in input.env {
        push(&mut out, &format!("\\builtin export {name}="));
        out.extend(bash_quote(value));
        push(&mut out, "; ");
    }
    if input.end_mark {
        push_frame_inline(&mut out, nonce, BEGUN, "''", 1);
        push(&mut out, "; ");
    }
    push(&mut out, &format!("__hx_q {}; \\builtin eval -- ", input.last_status));
    out.extend(bash_quote(input.command));
    if !input.stdin {
        push(&mut out, " </dev/null");
    }
    if input.separate {
        push(&mut out, &format!(" 2>&{CONTROL}"));
    }
    push(&mut out, "; ");
    push(&mut out, KEEP_STATUS_AT_END);
    out
}

/// Keeps `$?` and the options of the command's end, the first time it is met, and stops tracing.
/// Neither a function of the user nor another command comes before `$?` is read.
const KEEP_STATUS: &str = "{ \\builtin : \"${__hx_r=$?}\" \"${__hx_o=$SHELLOPTS}\"; \
    \\builtin set +xv; } >&- 2>&-";

/// The same behind the command: met only when the command came to its end, and not when `exit`, an
/// option or a signal ended the shell. The end mark or the frame behind the record tells.
const KEEP_STATUS_AT_END: &str = "{ \\builtin : \"${__hx_r=$?}\" \"${__hx_o=$SHELLOPTS}\" \
    \"${__hx_z=1}\"; \\builtin set +xv; } >&- 2>&-";

/// The trap: saves `$?` before anything else, silences tracing and the user's own traps, runs the
/// user's EXIT trap if there is one, writes the final record.
///
/// [`KEEP_STATUS`] is a line of its own before it, because `set -v` shows the first line, and nothing
/// more, when the command calls `exit`. A function of the user named `unset` or `builtin` is got rid
/// of in POSIX mode, where the special builtin `unset` comes before functions; assigning the
/// variable enters that mode.
///
/// A child that bash has forked and that a signal ends before it runs its program would run the trap
/// of its parent, too: only the shell itself writes a record.
///
/// A user's EXIT trap may itself call `exit`, which ends the shell at once; so a provisional
/// record goes before it.
fn exit_trap(nonce: &Nonce, input: &CommandInput<'_>) -> Vec<u8> {
    let separate = input.separate;
    let stderr = if separate { format!(" 2>&{CONTROL}") } else { String::new() };
    let mut out = Vec::with_capacity(2048);
    push(
        &mut out,
        "if { [[ -z ${BASHPID-} || $BASHPID == $$ ]]; } >&- 2>&-; then \
         { [[ -o posix ]] || POSIXLY_CORRECT=; \\unset -f unset builtin; \
         \\builtin trap - DEBUG ERR RETURN; \\builtin set +exuv +o posix; } >&- 2>&-; ",
    );
    push(&mut out, "if [[ -n ${__hx_t+x} ]]; then ");
    push_record(&mut out, nonce, PROVISIONAL, separate, CONTROL);
    push(&mut out, "(\\builtin exit \"$__hx_r\"); \\builtin eval -- \"$__hx_t\"");
    push(&mut out, &format!("{stderr}; \\builtin unset -v __hx_t; fi; "));
    let file = RECORD_DESCRIPTOR.to_string();
    push_record(&mut out, nonce, FINAL, separate, if input.record_file { &file } else { CONTROL });
    // What was being done when the trap came: no signal then.
    push(
        &mut out,
        "{ [[ ${BASH_COMMAND-} != exit && ${BASH_COMMAND-} != 'exit '* ]] || __hx_z=1; } >&- 2>&-; ",
    );
    let (kind, descriptor) = if input.end_mark { (END, OUTPUT) } else { (DONE, CONTROL) };
    let (mark, kind) = (nonce.as_str(), char::from(kind));
    push(
        &mut out,
        &format!(
            "\\builtin printf '\\000{mark}:{kind}%s\\000{mark};' \"${{__hx_z-}}\" \
             >&{descriptor} 2>&-; "
        ),
    );
    if !input.end_mark {
        // Whoever reads need not wait until the shell has torn itself down: if nobody else holds
        // the streams, they end here. `exec` must not be a function, nor come behind `builtin`.
        push(&mut out, "\\builtin unset -f exec; ");
        push(&mut out, &format!("\\exec >&- 2>&- {CONTROL}>&-; "));
    }
    push(&mut out, "\\builtin exit \"$__hx_r\"; fi");
    out
}

fn push_record(out: &mut Vec<u8>, nonce: &Nonce, kind: u8, separate: bool, descriptor: &str) {
    let mark = nonce.as_str();
    let body = "\\builtin printf '%s\\000' \"$__hx_r\" \"$__hx_o\" \"$BASHOPTS\"; \
         \\builtin pwd; \\builtin printf '\\000'; \
         \\builtin umask; \\builtin printf '\\000'; \
         \\builtin declare -p; \\builtin printf '\\000'; \
         \\builtin declare -f; \\builtin printf '\\000'; \
         \\builtin declare -F; \\builtin printf '\\000'; \
         \\builtin alias -p; \\builtin printf '\\000'; ";
    push(out, &format!("{{ \\builtin unset -f {} __hx_q; ", RESERVED_FUNCTIONS.join(" ")));
    push(out, &format!("\\builtin printf '\\000{mark}:{}'; ", char::from(kind)));
    push(out, body);
    if separate {
        push(out, body);
    }
    push(out, &format!("\\builtin printf '\\000{mark};'; }} >&{descriptor} 2>&-; "));
}

fn push_frame(out: &mut Vec<u8>, nonce: &Nonce, kind: u8, words: &str, count: usize) {
    push_frame_inline(out, nonce, kind, words, count);
    push(out, "\n");
}

fn push_frame_inline(out: &mut Vec<u8>, nonce: &Nonce, kind: u8, words: &str, count: usize) {
    let mark = nonce.as_str();
    let fields = "%s\\000".repeat(count);
    let kind = char::from(kind);
    push(
        out,
        &format!("\\builtin printf '\\000{mark}:{kind}{fields}\\000{mark};' {words} >&{CONTROL}"),
    );
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
#[path = "bash_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "trap_tests.rs"]
mod trap_tests;
