//! `hexad bench`: puts load on a backend and says what a user would see.
//!
//! Schedules, statistics, drift and plots are plain code; only [`load`], [`orphans`], [`run`] and
//! [`scale`] run anything, through the library's own front door. Nothing here knows a backend: one
//! is asked for by the configuration, like any other task's.

mod drift;
mod html;
mod load;
mod machine;
pub(crate) mod mix;
mod orphans;
mod plot;
mod random;
pub(crate) mod report;
mod resources;
pub(crate) mod run;
pub(crate) mod scale;
pub(crate) mod schedule;
pub(crate) mod span;
mod statistics;
mod text;
mod times;
mod work;

pub(crate) use self::html::page;
pub(crate) use self::load::Pace;
pub(crate) use self::machine::Machine;
pub(crate) use self::report::Report;
pub(crate) use self::text::summary;
