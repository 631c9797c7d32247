use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn error(text: &str) -> String {
    Mix::parse(text).unwrap_err()
}

#[test]
fn the_mixes_of_our_own_are_sound() {
    let mix = Mix::parse(BUILT_IN).unwrap();
    assert_eq!(mix.works.len(), 10);
    assert!((mix.works.iter().map(|w| w.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert_eq!(mix.works[0].share, 0.4);
    assert_eq!(mix.works[5].kind, Kind::Sleep { span: Duration::from_millis(50) });
    assert_eq!(Mix::parse(PLAIN).unwrap().works.len(), 1);
}

#[test]
fn shares_are_parts_of_their_sum_and_one_of_0_is_left_out() {
    let mix = Mix::parse(
        "seed: 9\ncommands:\n- {kind: builtin, share: 3}\n- {kind: fail, share: 0}\n- {kind: external}\n",
    )
    .unwrap();
    let shares: Vec<(&str, f64)> = mix.works.iter().map(|w| (w.name.as_str(), w.share)).collect();
    assert_eq!(shares, [("builtin", 0.75), ("external", 0.25)]);
    assert_eq!(mix.seed, Some(9));
}

#[test]
fn times_are_seconds_or_have_a_unit() {
    let mix =
        Mix::parse("commands:\n- {kind: sleep, for: 2}\n- {kind: timeout, limit: 1.5s}\n").unwrap();
    assert_eq!(mix.works[0].kind, Kind::Sleep { span: Duration::from_secs(2) });
    assert_eq!(mix.works[1].kind, Kind::Timeout { limit: Duration::from_millis(1500) });
}

#[test]
fn entries_of_one_kind_are_told_apart() {
    let mix = Mix::parse("commands: [{kind: output}, {kind: output}, {kind: output}]").unwrap();
    let names: Vec<&str> = mix.works.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(names, ["output", "output 2", "output 3"]);
}

#[test]
fn mistakes_are_named_with_their_entry() {
    let text = "commands:\n- {kind: builtin}\n- {kind: slep}\n";
    assert!(error(text).starts_with("commands, entry 2: kind \"slep\" is not known"), "{text}");
    assert!(error("commands: [{kind: builtin, bytes: 3}]").contains("no use for bytes"));
    assert!(error("commands: [{kind: sleep, for: soon}]").contains("for: "));
    assert!(error("commands: [{kind: builtin, share: -1}]").contains("share"));
    assert!(error("commands: [{kind: timeout, limit: 0}]").contains("limit"));
    assert!(error("commands: [{kind: command}]").contains("needs `command`"));
    assert!(error("commands: []").contains("at least one"));
    assert!(error("commands: [{kind: builtin, share: 0}]").contains("at least one"));
    assert!(error("commands: [{kind: builtin, shares: 1}]").contains("shares"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Mix::parse(&text);
    }

    #[test]
    fn shares_always_sum_to_one(shares in prop::collection::vec(0.001f64..1000.0, 1..20)) {
        let entries: Vec<String> =
            shares.iter().map(|s| format!("{{kind: builtin, share: {s}}}")).collect();
        let mix = Mix::parse(&format!("commands: [{}]", entries.join(", "))).unwrap();
        prop_assert!((mix.works.iter().map(|w| w.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
