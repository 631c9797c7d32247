//! Whether something grows over a long run: a robust straight line through the samples, and a
//! tolerance. Plain code.

use serde::Serialize;

/// Fewer samples than this prove nothing.
const FEWEST: usize = 8;
/// The first part of a run is getting used to its work.
const SETTLING: f64 = 0.2;

/// How much growth is still no growth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// As a part of where the line begins.
    pub(crate) part: f64,
    /// In the unit of the samples; small numbers wobble.
    pub(crate) least: f64,
}

/// What a series did.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Drift {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) samples: usize,
    /// Where the line begins, behind the settling.
    pub(crate) from: f64,
    /// Where it ends.
    pub(crate) to: f64,
    pub(crate) per_hour: f64,
    /// The growth that would have been tolerated.
    pub(crate) tolerated: f64,
    /// None: too few samples to say.
    pub(crate) grows: Option<bool>,
}

/// Looks at a series of (seconds, value).
pub(crate) fn look(
    what: impl Into<String>,
    unit: &'static str,
    series: &[(f64, f64)],
    tolerance: Tolerance,
) -> Drift {
    let last = series.last().map_or(0.0, |p| p.0);
    let settled: Vec<(f64, f64)> =
        series.iter().copied().filter(|p| p.0 >= last * SETTLING).collect();
    let slope = slope(&settled);
    let begin = settled.first().map_or(0.0, |p| p.0);
    let offset = median(settled.iter().map(|p| p.1 - slope * p.0).collect());
    let (from, to) = (offset + slope * begin, offset + slope * last);
    let tolerated = tolerance.least.max(from.abs() * tolerance.part);
    // The line alone could follow a single step of a few samples; the ends must agree with it.
    let quarter = (settled.len() / 4).max(1);
    let values = |part: &[(f64, f64)]| median(part.iter().map(|p| p.1).collect());
    let ends = if settled.is_empty() {
        0.0
    } else {
        values(&settled[settled.len() - quarter..]) - values(&settled[..quarter])
    };
    let grows =
        (settled.len() >= FEWEST).then_some(to - from > tolerated && ends > tolerated * 0.5);
    Drift {
        what: what.into(),
        unit,
        samples: settled.len(),
        from,
        to,
        per_hour: slope * 3600.0,
        tolerated,
        grows,
    }
}

/// The median of the slopes between all pairs (Theil and Sen): single outliers do not move it.
fn slope(series: &[(f64, f64)]) -> f64 {
    let mut slopes = Vec::new();
    for (n, a) in series.iter().enumerate() {
        for b in &series[n + 1..] {
            if b.0 > a.0 {
                slopes.push((b.1 - a.1) / (b.0 - a.0));
            }
        }
    }
    median(slopes)
}

/// 0 of nothing.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bench::random::Random;

    const TOLERANCE: Tolerance = Tolerance { part: 0.1, least: 1.0 };

    fn series(count: usize, value: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..count).map(|n| (n as f64, value(n as f64))).collect()
    }

    fn grows(series: &[(f64, f64)]) -> Option<bool> {
        look("memory", "KiB", series, TOLERANCE).grows
    }

    #[test]
    fn a_leak_is_growth() {
        let mut random = Random::new(5);
        let noise: Vec<f64> = (0..100).map(|_| random.fraction() * 20.0).collect();
        let leak = series(100, |t| 1000.0 + 3.0 * t + noise[t as usize]);
        let drift = look("memory", "KiB", &leak, TOLERANCE);
        assert_eq!(drift.grows, Some(true), "{drift:?}");
        assert!((drift.per_hour / 3600.0 - 3.0).abs() < 0.3, "{drift:?}");
    }

    #[test]
    fn noise_steps_spikes_and_settling_are_none() {
        let mut random = Random::new(6);
        let noise: Vec<f64> = (0..100).map(|_| random.fraction() * 200.0).collect();
        assert_eq!(grows(&series(100, |t| 1000.0 + noise[t as usize])), Some(false));
        assert_eq!(grows(&series(100, |t| if t > 95.0 { 9000.0 } else { 1000.0 })), Some(false));
        assert_eq!(grows(&series(100, |t| (t * 100.0).min(1500.0))), Some(false));
        assert_eq!(grows(&series(100, |t| 1000.0 - t)), Some(false));
        assert_eq!(grows(&series(100, |_| 0.0)), Some(false));
    }

    #[test]
    fn too_few_samples_say_nothing() {
        assert_eq!(grows(&series(5, |t| t * 1000.0)), None);
        assert_eq!(grows(&[]), None);
    }

    proptest! {
        #[test]
        fn what_is_steady_never_fails(value in 0f64..1e9, count in 0usize..60) {
            prop_assert_ne!(grows(&series(count, |_| value)), Some(true));
        }

        #[test]
        fn doubling_always_fails(value in 10f64..1e9, count in 20usize..60) {
            let end = count as f64;
            prop_assert_eq!(grows(&series(count, |t| value * (1.0 + 2.0 * t / end))), Some(true));
        }
    }
}
