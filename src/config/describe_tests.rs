use super::describe;
use crate::config::OPTIONS;

#[test]
fn lists_every_option_once() {
    let text = describe();
    for spec in OPTIONS {
        let title = format!("\n  {}: {}\n", spec.key, spec.help);
        assert_eq!(text.matches(&title).count(), 1, "{}", spec.key);
    }
    assert_eq!(text.matches("\n  ").count(), OPTIONS.len() * 2, "two lines an option");
}

#[test]
fn says_what_each_takes() {
    let text = describe();
    let start = "\
all backends:
  backend: where commands run
      one of local, docker, ssh, modal, daytona, singularity; default local; variable TERMINAL_ENV; older name env_type
";
    assert!(text.starts_with(start), "{text}");
    for part in [
        "a number of seconds from 0 to 2592000 (30 days); default 180; variable TERMINAL_TIMEOUT\n",
        "\nbackend ssh:\n  ssh_host: ",
        "a whole number from 1 to 1073741824; default 50000; also tool_output.max_bytes; not in profiles\n",
        "\nknown, without effect:\n  persistent_shell: ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
