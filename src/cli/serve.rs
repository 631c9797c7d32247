//! `hexad serve`: the gateways.

use std::time::Duration;

use tokio::io::BufReader;

use super::args::ServeArguments;
use super::context::{Context, Failure, Signals};
use crate::gateway::stdio;

/// How long a request waits for a task that another hexad uses before it is a conflict.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn run(context: &Context, arguments: &ServeArguments) -> Result<u8, Failure> {
    debug_assert!(arguments.stdio, "the parser requires it");
    let config = context.config(None)?;
    let stop = Signals::listen()?.notify();
    let hexad = context.start(config, !arguments.ephemeral, Some(PATIENCE)).await?;
    let input = BufReader::with_capacity(64 * 1024, tokio::io::stdin());
    let served = stdio::serve(&hexad, input, tokio::io::stdout(), stop).await;
    // A stop has shut it down already.
    let _ = hexad.shutdown().await;
    served.map_err(|e| Failure::new(format!("reading requests: {e}")))?;
    Ok(0)
}
