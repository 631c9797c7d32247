//! The scripts for a POSIX sh (dash, busybox): the same protocol with what such a shell has.
//!
//! It cannot read a given number of bytes, so a block is a count of lines and the lines. It cannot
//! print its functions, so those are not carried. Its `trap` cannot be wrapped, so a command that
//! sets its own EXIT trap leaves no record and the old state stays.

use super::control::Nonce;
use super::options::{CARRIED_SET_OPTIONS, is_carried_variable};
use super::quote::posix_quote;
use super::record::{BEGUN, END, FINAL, HELLO, MOVED};
use super::state::ShellState;
use super::{CommandInput, Dialect, anchored};

/// The control descriptor: a POSIX sh need only know single digits.
const CONTROL: &str = "9";

/// Where standard output is kept for the end mark.
const OUTPUT: &str = "8";

/// Reads and evaluates two blocks, line by line (a `read` of a pipe takes single bytes and so
/// never more than its line).
pub(super) const PROLOGUE: &str = "__hx_s=; IFS= read -r __hx_n || exit; \
    while [ \"$__hx_n\" -gt 0 ]; do IFS= read -r __hx_l; __hx_s=\"$__hx_s$__hx_l\n\"; \
    __hx_n=$((__hx_n-1)); done; eval \"$__hx_s\"; \
    __hx_s=; IFS= read -r __hx_n || exit; \
    while [ \"$__hx_n\" -gt 0 ]; do IFS= read -r __hx_l; __hx_s=\"$__hx_s$__hx_l\n\"; \
    __hx_n=$((__hx_n-1)); done; eval \"$__hx_s\"";

/// A line with the number of lines, and the lines.
pub(super) fn block(script: Vec<u8>) -> Vec<u8> {
    let lines = script.iter().filter(|b| **b == b'\n').count() + 1;
    let mut block = format!("{lines}\n").into_bytes();
    block.extend(script);
    block.push(b'\n');
    block
}

/// Moves standard error to the control descriptor, loads `state`, says hello.
pub(super) fn load_script(nonce: &Nonce, state: &ShellState, native_env: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(4096);
    push(&mut out, &format!("exec {CONTROL}>&2 2>&1\n{{\n"));
    if let Some(umask) = state.umask {
        push(&mut out, &format!("umask {umask:04o}\n"));
    }
    for variable in state.variables.iter().filter(|v| is_carried_variable(&v.name)) {
        if native_env && variable.is_environment() {
            continue;
        }
        let Some(value) = &variable.value else { continue };
        // Values that another kind of shell quoted in its own way are unquoted first.
        let value = match state.dialect {
            Dialect::Posix => value.clone(),
            Dialect::Bash => match variable.scalar() {
                Some(bytes) => posix_quote(&bytes),
                None => continue,
            },
        };
        push(&mut out, &format!("{}=", variable.name));
        out.extend(value);
        out.push(b'\n');
        if variable.is_exported() {
            push(&mut out, &format!("export {}\n", variable.name));
        }
    }
    push(&mut out, "__hx_d=");
    out.extend(posix_quote(&state.cwd));
    push(&mut out, &format!("\n{NEAREST}\nunset __hx_d\n"));
    if let Some(oldpwd) = &state.oldpwd {
        push(&mut out, "OLDPWD=");
        out.extend(posix_quote(oldpwd));
        push(&mut out, "\n");
    }
    if !state.aliases.is_empty() {
        push(&mut out, "eval ");
        out.extend(posix_quote(&alias_commands(&state.aliases)));
        out.push(b'\n');
    }
    for name in CARRIED_SET_OPTIONS {
        if state.set_options.iter().any(|s| s == name) {
            push(&mut out, &format!("command set -o {name}\n"));
        }
    }
    push(&mut out, "} 2>/dev/null\n__hx_q() { return \"$1\"; }\n");
    push_frame(&mut out, nonce, HELLO, "\"$$\" '' \"$PWD\"", 3);
    out
}

/// `alias` of dash and busybox prints `name='value'`; of others, a command already.
fn alias_commands(listing: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // A new alias begins where a line starts outside quotes.
    let mut quote = None;
    let mut escaped = false;
    let mut starts = true;
    for &byte in listing {
        if std::mem::take(&mut starts) {
            out.extend_from_slice(b"alias ");
        }
        out.push(byte);
        match (quote, byte) {
            (None, _) if std::mem::take(&mut escaped) => {}
            (None, b'\\') => escaped = true,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'\n') => starts = true,
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    out
}

const NEAREST: &str = "until cd -- \"${__hx_d:-/}\"; do \
    if [ -z \"$__hx_d\" ]; then break; fi; __hx_d=${__hx_d%/*}; done";

/// Arms the EXIT trap, evaluates the command.
pub(super) fn command_script(nonce: &Nonce, input: &CommandInput<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.command.len() + 1024);
    push(&mut out, "unset __hx_n __hx_s __hx_l; ");
    if input.end_mark {
        push(&mut out, &format!("exec {OUTPUT}>&1; "));
    }
    push(&mut out, "trap ");
    out.extend(posix_quote(exit_trap(nonce, input).as_bytes()));
    push(&mut out, " EXIT; ");
    let stderr = if input.separate { format!(" 2>&{CONTROL}") } else { String::new() };
    match input.cwd {
        Some(cwd) => {
            push(&mut out, "command cd -- ");
            out.extend(posix_quote(&anchored(cwd)));
            push(&mut out, &format!("{stderr} || exit 126; "));
        }
        None => {
            push(&mut out, "[ . -ef \"$PWD\" ] || { __hx_d=$PWD; { ");
            push(&mut out, NEAREST);
            push(&mut out, "; } 2>/dev/null; unset __hx_d; ");
            push_frame(&mut out, nonce, MOVED, "\"$PWD\"", 1);
            push(&mut out, "}; ");
        }
    }
    for (name, value) in input.env {
        push(&mut out, &format!("export {name}="));
        out.extend(posix_quote(value));
        push(&mut out, "; ");
    }
    if input.end_mark {
        push_frame(&mut out, nonce, BEGUN, "''", 1);
    }
    push(&mut out, &format!("__hx_q {}; command eval ", input.last_status));
    // A command that begins with a hyphen is no option; not every `eval` knows `--`.
    let command = [if input.command.starts_with(b"-") { b" " } else { &b""[..] }, input.command];
    out.extend(posix_quote(&command.concat()));
    if !input.stdin {
        push(&mut out, " </dev/null");
    }
    push(&mut out, &stderr);
    if input.end_mark {
        // Met only when the command came to its end.
        push(&mut out, "; { __hx_z=$?; __hx_q \"$__hx_z\"; } 2>/dev/null");
    }
    out
}

fn exit_trap(nonce: &Nonce, input: &CommandInput<'_>) -> String {
    let mark = nonce.as_str();
    let body = "printf '%s\\000' \"$__hx_r\"; pwd; printf '\\000'; umask; printf '\\000'; \
        printf '%s\\000' \"$__hx_o\"; unset __hx_o; set; printf '\\000'; \
        export -p; printf '\\000'; alias; printf '\\000'; ";
    let kind = char::from(FINAL);
    let options = "__hx_o=$(set +o); ";
    let end = match input.end_mark {
        true => {
            let end = char::from(END);
            format!(
                "; printf '\\000{mark}:{end}%s\\000{mark};' \"${{__hx_z-}}\" >&{OUTPUT} 2>/dev/null"
            )
        }
        false => String::new(),
    };
    let twice = if input.separate { format!("{options}{body}") } else { String::new() };
    format!(
        "{{ __hx_r=$?; {options}set +exuv; unset -f __hx_q; }} 2>/dev/null; \
         {{ printf '\\000{mark}:{kind}'; {body}{twice}printf '\\000{mark};'; }} \
         >&{CONTROL} 2>/dev/null{end}"
    )
}

fn push_frame(out: &mut Vec<u8>, nonce: &Nonce, kind: u8, words: &str, count: usize) {
    let mark = nonce.as_str();
    let fields = "%s\\000".repeat(count);
    let kind = char::from(kind);
    push(out, &format!("printf '\\000{mark}:{kind}{fields}\\000{mark};' {words} >&{CONTROL}\n"));
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
#[path = "posix_tests.rs"]
mod tests;
