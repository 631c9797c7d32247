//! The runtime's settings from the options that are one value for the whole runtime.

use hexad_actors::Settings;

use super::profile::Options;

/// The settings; what has no option keeps the runtime's own default.
pub(super) fn settings(options: &Options) -> Settings {
    let count = |key| usize::try_from(options.number(key)).unwrap_or(0);
    Settings {
        default_timeout: options.seconds("timeout"),
        max_timeout: options.seconds("max_foreground_timeout"),
        kill_grace: options.seconds("daemon_term_grace_seconds"),
        idle_lifetime: options.seconds("lifetime_seconds"),
        queue_limit: count("queue_limit"),
        spares: count("spares"),
        spare_lifetime: options.seconds("spare_lifetime_seconds"),
        progress_interval: options.seconds("progress_seconds"),
        output_limit: count("output_limit"),
        login_timeout: options.seconds("login_timeout_seconds"),
        start_timeout: options.seconds("start_timeout_seconds"),
        ..Settings::default()
    }
}
