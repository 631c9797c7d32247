//! hexad runs shell commands for software agents: one message, six places to run it.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! use hexad::{Config, Hexad};
//!
//! let hexad = Hexad::start(Config::builtin()).await?;
//! let task = hexad.task("demo");
//! task.execute("cd /tmp; greet() { echo \"hello from $PWD\"; }").await?;
//! let result = task.execute("greet").await?;
//! assert_eq!(result.text(), "hello from /tmp\n");
//! hexad.shutdown().await?;
//! # Ok(()) })
//! # }
//! ```
//!
//! The runtime itself is [`hexad_actors`]; this crate brings the backends, the configuration, the
//! gateways and the command line.

pub mod backend;
#[cfg(feature = "bench")]
mod bench;
pub mod cli;
pub mod config;
pub mod gateway;
mod hexad;
pub mod host;
mod owner;
mod private;
mod store;
pub mod sys;

pub use hexad_actors as actors;
pub use hexad_actors::{
    Captured, EnvironmentStatus, Error, Event, Execute, ExecuteResult, InterruptCause, Notice,
    Outcome, Slow, Stream, Streams, Subscriber, SupervisorMessage, TaskId,
};

pub use self::config::Config;
pub use self::hexad::{Builder, EventStream, Hexad, Task};
pub use self::store::FileStore;
