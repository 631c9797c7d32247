//! When which command is due on which task: a plan that depends on nothing but its seed.

use std::time::Duration;

use super::random::Random;
use super::work::Work;

/// How requests are spaced at a fixed rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Arrivals {
    /// At equal distances.
    Even,
    /// At random (exponential distances), as independent users would.
    Poisson,
}

/// Picks kinds so that after any number of requests each has had its share, give or take a few.
#[derive(Clone, Debug)]
pub(crate) struct Picker {
    shares: Vec<f64>,
    credit: Vec<f64>,
}

impl Picker {
    /// The shares sum to 1. The seed decides which kind comes when.
    pub(crate) fn new(works: &[Work], random: &mut Random) -> Self {
        let shares: Vec<f64> = works.iter().map(|work| work.share).collect();
        let credit = shares.iter().map(|_| random.fraction()).collect();
        Self { shares, credit }
    }

    /// The next kind: everyone is paid its share, and the richest pays 1 for its turn.
    pub(crate) fn next(&mut self) -> usize {
        let mut richest = 0;
        for at in 0..self.credit.len() {
            self.credit[at] += self.shares[at];
            if self.credit[at] > self.credit[richest] {
                richest = at;
            }
        }
        self.credit[richest] -= 1.0;
        richest
    }
}

/// One request that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Since the start.
    pub(crate) due: Duration,
    /// Which entry of the mix.
    pub(crate) kind: usize,
    /// Which task.
    pub(crate) task: usize,
}

/// Arrivals without end.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    random: Random,
    picker: Picker,
    arrivals: Arrivals,
    rate: f64,
    tasks: usize,
    number: u64,
    last: f64,
}

impl Schedule {
    /// `rate` is in requests a second, above 0.
    pub(crate) fn new(
        works: &[Work],
        (rate, arrivals): (f64, Arrivals),
        tasks: usize,
        seed: u64,
    ) -> Self {
        let mut random = Random::new(seed);
        let picker = Picker::new(works, &mut random);
        Self { random, picker, arrivals, rate, tasks, number: 0, last: 0.0 }
    }
}

impl Iterator for Schedule {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let due = match self.arrivals {
            // From the number, so that rounding does not add up over hours.
            Arrivals::Even => self.number as f64 / self.rate,
            Arrivals::Poisson => self.last - (1.0 - self.random.fraction()).ln() / self.rate,
        };
        self.last = due;
        self.number += 1;
        let (kind, task) = (self.picker.next(), self.random.below(self.tasks));
        Some(Arrival { due: Duration::try_from_secs_f64(due).ok()?, kind, task })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bench::mix::{BUILT_IN, Mix};

    fn schedule(arrivals: Arrivals, seed: u64) -> Schedule {
        let mix = Mix::parse(BUILT_IN).unwrap();
        Schedule::new(&mix.works, (100.0, arrivals), 8, seed)
    }

    #[test]
    fn a_seed_gives_the_same_plan_and_another_one_another() {
        let plan = |seed| schedule(Arrivals::Poisson, seed).take(200).collect::<Vec<_>>();
        assert_eq!(plan(1), plan(1));
        assert_ne!(plan(1), plan(2));
    }

    #[test]
    fn the_rate_is_kept() {
        let even = schedule(Arrivals::Even, 1).nth(360_000).unwrap().due;
        assert_eq!(even, Duration::from_secs(3600));
        let poisson = schedule(Arrivals::Poisson, 1).nth(10_000).unwrap().due.as_secs_f64();
        assert!((95.0..105.0).contains(&poisson), "{poisson}");
    }

    proptest! {
        #[test]
        fn every_prefix_has_the_shares(
            weights in prop::collection::vec(0.01f64..1.0, 1..12),
            seed: u64,
            count in 1usize..500,
        ) {
            let total: f64 = weights.iter().sum();
            let entries: Vec<String> =
                weights.iter().map(|w| format!("{{kind: builtin, share: {w}}}")).collect();
            let mix = Mix::parse(&format!("commands: [{}]", entries.join(", "))).unwrap();
            let mut picker = Picker::new(&mix.works, &mut Random::new(seed));
            let mut picked = vec![0.0; weights.len()];
            for _ in 0..count {
                picked[picker.next()] += 1.0;
            }
            for (weight, picked) in weights.iter().zip(picked) {
                let expected = weight / total * count as f64;
                prop_assert!((picked - expected).abs() <= weights.len() as f64 + 1.0);
            }
        }

        #[test]
        fn arrivals_never_go_back(seed: u64) {
            let dues: Vec<_> = schedule(Arrivals::Poisson, seed).take(300).map(|a| a.due).collect();
            prop_assert!(dues.is_sorted());
        }
    }
}
