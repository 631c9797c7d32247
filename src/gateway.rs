//! Gateways: the wire vocabulary, and the ways it travels.

pub mod stdio;
pub mod wire;
