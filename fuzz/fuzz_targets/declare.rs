//! Listings of variables: read or refused; what was read is what was there, and nothing in it runs
//! when it is given back to a shell.

#![no_main]

use hexad_actors::shell::declare::{
    Variable, decode_scalar, parse_declare, parse_exports, parse_set,
};
use libfuzzer_sys::fuzz_target;

/// Prints variables as bash does.
fn printed(variables: &[Variable]) -> Vec<u8> {
    let mut out = Vec::new();
    for Variable { name, flags, value } in variables {
        let flags = if flags.is_empty() { "-" } else { flags };
        out.extend_from_slice(format!("declare -{flags} {name}").as_bytes());
        if let Some(value) = value {
            out.push(b'=');
            out.extend_from_slice(value);
        }
        out.push(b'\n');
    }
    out
}

fuzz_target!(|text: &[u8]| {
    if let Ok(variables) = parse_declare(text) {
        assert_eq!(parse_declare(&printed(&variables)).as_ref(), Ok(&variables));
        for variable in &variables {
            let _ = variable.scalar();
        }
    }
    let _ = parse_set(text);
    let _ = parse_exports(text);
    let _ = decode_scalar(text);
});
