//! The limits and delays of the runtime, with the reference product's defaults where it has them.

use std::time::Duration;

/// How one runtime behaves. All fields have defaults; embedders change what they need.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Limit of a command that names none (`terminal.timeout`). 180 s.
    pub default_timeout: Duration,
    /// The largest limit a request may ask for (`TERMINAL_MAX_FOREGROUND_TIMEOUT`). 600 s.
    pub max_timeout: Duration,
    /// Between TERM and KILL (`terminal.daemon_term_grace_seconds`). 2 s.
    pub kill_grace: Duration,
    /// An environment with nothing to do for this long is retired (`terminal.lifetime_seconds`).
    /// 300 s; zero keeps environments until they are released.
    pub idle_lifetime: Duration,
    /// How often the janitor looks. 60 s.
    pub janitor_interval: Duration,
    /// How often the janitor sweeps what dead runtimes left. 600 s; it also sweeps at start.
    pub sweep_interval: Duration,
    /// Commands that may wait in one environment before callers get `busy`. 64.
    pub queue_limit: usize,
    /// Bash processes kept waiting per environment: 0 or 1. More would hold the same shell state
    /// twice. 1.
    pub spares: usize,
    /// A spare that waited this long is dropped to save memory. 300 s.
    pub spare_lifetime: Duration,
    /// Between two `progress` events of a running command. 10 s.
    pub progress_interval: Duration,
    /// Bytes of output kept in a result, 40 % from its head and 60 % from its tail
    /// (`tool_output.max_bytes`). 50,000.
    pub output_limit: usize,
    /// How long the login shell may take at first contact. 30 s.
    pub login_timeout: Duration,
    /// How long provisioning may take before the waiting callers get an error. 300 s.
    pub start_timeout: Duration,
    /// Chunks a slow subscriber may lag behind before it gets a gap instead. 256.
    pub subscriber_buffer: usize,
    /// Results kept per environment to answer repeated request ids. 64.
    pub remembered_results: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_timeout: Duration::from_secs(180),
            max_timeout: Duration::from_secs(600),
            kill_grace: Duration::from_secs(2),
            idle_lifetime: Duration::from_secs(300),
            janitor_interval: Duration::from_secs(60),
            sweep_interval: Duration::from_secs(600),
            queue_limit: 64,
            spares: 1,
            spare_lifetime: Duration::from_secs(300),
            progress_interval: Duration::from_secs(10),
            output_limit: 50_000,
            login_timeout: Duration::from_secs(30),
            start_timeout: Duration::from_secs(300),
            subscriber_buffer: 256,
            remembered_results: 64,
        }
    }
}
