//! Times in a histogram of high dynamic range: every quantile to three digits, from a microsecond
//! to an hour, in bounded memory.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// An hour, in microseconds. What takes longer counts as this.
const LONGEST: u64 = 3_600_000_000;

/// Recorded times.
#[derive(Clone, Debug)]
pub(crate) struct Times(Option<Histogram<u64>>);

/// What they come to, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Quantiles {
    pub(crate) count: u64,
    pub(crate) mean: f64,
    pub(crate) min: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

/// One bar of a histogram with bars of equal width on a logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Bin {
    /// From this many milliseconds on, up to the next one's.
    pub(crate) from_ms: f64,
    pub(crate) to_ms: f64,
    pub(crate) count: u64,
}

impl Default for Times {
    fn default() -> Self {
        // These bounds are in order and the digits below 5, so there always is one.
        Self(Histogram::new_with_bounds(1, LONGEST, 3).ok())
    }
}

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(LONGEST);
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(micros.min(LONGEST));
        }
    }

    pub(crate) fn quantiles(&self) -> Quantiles {
        let Some(h) = self.0.as_ref().filter(|h| !h.is_empty()) else {
            return Quantiles::default();
        };
        let at = |q| h.value_at_quantile(q) as f64 / 1e3;
        Quantiles {
            count: h.len(),
            mean: h.mean() / 1e3,
            min: h.min() as f64 / 1e3,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            max: h.max() as f64 / 1e3,
        }
    }

    /// Ten bars for each power of ten, from the first that holds something to the last.
    pub(crate) fn bins(&self) -> Vec<Bin> {
        let mut bins: Vec<Bin> = Vec::new();
        let edge = |n: i32| 10f64.powf(f64::from(n) / 10.0) / 1e3;
        let mut last: Option<i32> = None;
        for value in self.0.iter().flat_map(Histogram::iter_recorded) {
            let n = ((value.value_iterated_to().max(1) as f64).log10() * 10.0).floor() as i32;
            for empty in last.map_or(n, |last| last + 1)..=n {
                bins.push(Bin { from_ms: edge(empty), to_ms: edge(empty + 1), count: 0 });
            }
            last = Some(n);
            if let Some(bin) = bins.last_mut() {
                bin.count += value.count_since_last_iteration();
            }
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_what_was_added() {
        let mut times = Times::default();
        (1..=1000).for_each(|ms| times.add(Duration::from_millis(ms)));
        let q = times.quantiles();
        assert_eq!(q.count, 1000);
        for (got, expected) in [(q.p50, 500.0), (q.p90, 900.0), (q.p99, 990.0), (q.max, 1000.0)] {
            assert!((got / expected - 1.0f64).abs() < 0.002, "{q:?}");
        }
        assert_eq!(Times::default().quantiles(), Quantiles::default());
    }

    #[test]
    fn bins_hold_everything_and_touch() {
        let mut times = Times::default();
        for micros in [0, 1, 5, 900, 1000, 1001, 90_000, 7_200_000_000] {
            times.add(Duration::from_micros(micros));
        }
        let bins = times.bins();
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 8);
        assert!(bins.windows(2).all(|w| (w[0].to_ms - w[1].from_ms).abs() < 1e-9 * w[0].to_ms));
    }
}
