//! Plots as SVG text: lines or bars, linear or logarithmic axes. Colours come from the page's
//! style sheet, so that one drawing suits light and dark. Plain code.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;

/// How numbers become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Numbers from 0 down are left out.
    Log,
}

/// One line, or one row of bars.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    /// As bars, each from its x to the next one's.
    pub(crate) bars: bool,
}

impl Series {
    pub(crate) fn line(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, bars: false }
    }

    pub(crate) fn bars(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, bars: true }
    }
}

/// A plot.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) x: (&'static str, Scale),
    pub(crate) y: (&'static str, Scale),
    pub(crate) series: Vec<Series>,
}

/// One axis: the range it shows and how.
#[derive(Clone, Copy, Debug)]
struct Axis {
    from: f64,
    to: f64,
    scale: Scale,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, scale: Scale) -> Option<Self> {
        let shown = |v: &f64| v.is_finite() && (scale == Scale::Linear || *v > 0.0);
        let (from, to) = values
            .filter(shown)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if from > to {
            return None;
        }
        let (from, to) = match scale {
            Scale::Linear => (from.min(0.0), if to > 0.0 { to * 1.05 } else { 1.0 }),
            Scale::Log => {
                let (a, b) = (10f64.powf(from.log10().floor()), 10f64.powf(to.log10().ceil()));
                (a, if b > a { b } else { a * 10.0 })
            }
        };
        Some(Self { from, to, scale })
    }

    /// From 0 to 1; none for what the axis cannot show.
    fn place(&self, value: f64) -> Option<f64> {
        let part = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).log10() / (self.to / self.from).log10(),
        };
        part.is_finite().then_some(part)
    }

    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Log => {
                let decades = (self.to / self.from).log10().round() as i32;
                (0..=decades).map(|n| self.from * 10f64.powi(n)).collect()
            }
            Scale::Linear => {
                let raw = (self.to - self.from) / 5.0;
                let decade = 10f64.powf(raw.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * decade);
                let step = step.into_iter().find(|s| *s >= raw).unwrap_or(raw);
                let first = (self.from / step).ceil() as i64;
                (first..first + 12).map(|n| n as f64 * step).filter(|t| *t <= self.to).collect()
            }
        }
    }
}

impl Plot {
    /// The drawing; a sentence when there is nothing to draw.
    pub(crate) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let x = Axis::of(points().map(|p| p.0), self.x.1);
        let y = Axis::of(points().map(|p| p.1), self.y.1);
        let (Some(x), Some(y)) = (x, y) else {
            return "<p class=\"none\">nothing to draw</p>".to_owned();
        };
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} over {}\">",
            escape(self.y.0),
            escape(self.x.0)
        );
        self.frame(&mut out, x, y);
        for (n, series) in self.series.iter().enumerate() {
            draw(&mut out, n, series, x, y);
        }
        self.legend(&mut out);
        out.push_str("</svg>");
        out
    }

    fn frame(&self, out: &mut String, x: Axis, y: Axis) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in y.ticks() {
            let Some(at) = across_y(y, tick) else { continue };
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                number(tick)
            );
        }
        for tick in x.ticks() {
            let Some(at) = across_x(x, tick) else { continue };
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
                 <text class=\"tick mid\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 15.0,
                number(tick)
            );
        }
        let _ = write!(
            out,
            "<text class=\"label mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
             <text class=\"label mid\" transform=\"rotate(-90)\" x=\"{:.1}\" y=\"13\">{}</text>",
            f64::midpoint(LEFT, right),
            HEIGHT - 6.0,
            escape(self.x.0),
            -f64::midpoint(TOP, bottom),
            escape(self.y.0)
        );
    }

    fn legend(&self, out: &mut String) {
        if self.series.len() < 2 {
            return;
        }
        let mut at = LEFT + 10.0;
        for (n, series) in self.series.iter().enumerate() {
            let _ = write!(
                out,
                "<rect class=\"f{n}\" x=\"{at:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                TOP + 3.0,
                at + 14.0,
                TOP + 12.0,
                escape(&series.name)
            );
            at += 34.0 + 7.0 * series.name.chars().count() as f64;
        }
    }
}

fn across_x(axis: Axis, value: f64) -> Option<f64> {
    axis.place(value).map(|part| LEFT + part * (WIDTH - LEFT - RIGHT))
}

fn across_y(axis: Axis, value: f64) -> Option<f64> {
    axis.place(value).map(|part| HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP))
}

fn draw(out: &mut String, n: usize, series: &Series, x: Axis, y: Axis) {
    let places: Vec<(f64, f64, (f64, f64))> = series
        .points
        .iter()
        .filter_map(|p| Some((across_x(x, p.0)?, across_y(y, p.1)?, *p)))
        .collect();
    if series.bars {
        for (at, (left, top, point)) in places.iter().enumerate() {
            // The last point only ends the bar before it.
            let Some((right, ..)) = places.get(at + 1) else { break };
            let _ = write!(
                out,
                "<rect class=\"f{n}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" \
                 height=\"{:.1}\"><title>{} to {}: {}</title></rect>",
                (right - left - 0.8).max(0.5),
                (HEIGHT - BOTTOM - top).max(0.0),
                number(point.0),
                places.get(at + 1).map_or_else(String::new, |next| number(next.2.0)),
                number(point.1)
            );
        }
        return;
    }
    let line: Vec<String> = places.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
    let _ = write!(out, "<polyline class=\"l{n}\" points=\"{}\"/>", line.join(" "));
    if places.len() <= 80 {
        for (cx, cy, point) in places {
            let _ = write!(
                out,
                "<circle class=\"f{n}\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.5\"><title>{} at {}: \
                 {}</title></circle>",
                escape(&series.name),
                number(point.0),
                number(point.1)
            );
        }
    }
}

/// A number with three digits that count, and no more than needed.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 1e6 {
        return format!("{:.3}M", value / 1e6).replace(".000M", "M");
    }
    let digits = match size {
        _ if size == 0.0 || size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Text as it may stand between tags and in attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plot(points: Vec<(f64, f64)>, scale: Scale) -> String {
        let series = vec![Series::line("a<b", points.clone()), Series::bars("bars", points)];
        Plot { x: ("seconds", scale), y: ("ms", scale), series }.svg()
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.05, 1.0, 1.25, 33.33, 1234.5, 2_000_000.0].map(number);
        assert_eq!(shown, ["0", "0.05", "1", "1.25", "33.3", "1234", "2M"]);
    }

    #[test]
    fn nothing_is_said_in_words() {
        assert!(plot(Vec::new(), Scale::Linear).contains("nothing to draw"));
        assert!(plot(vec![(0.0, 0.0)], Scale::Log).contains("nothing to draw"));
    }

    #[test]
    fn names_are_escaped() {
        let svg = plot(vec![(0.0, 1.0), (1.0, 2.0)], Scale::Linear);
        assert!(svg.contains("a&lt;b") && !svg.contains("a<b"));
    }

    #[test]
    fn a_higher_value_is_drawn_higher() {
        let y = Axis::of([0.1, 100.0].into_iter(), Scale::Log).unwrap();
        assert!(across_y(y, 100.0) < across_y(y, 10.0));
        let y = Axis::of([3.0, 5.0].into_iter(), Scale::Linear).unwrap();
        assert!(across_y(y, 5.0) < across_y(y, 3.0));
        assert_eq!(y.place(0.0), Some(0.0));
    }

    proptest! {
        #[test]
        fn everything_lies_within_the_picture(
            points in prop::collection::vec((-1e3f64..1e9, -1e3f64..1e9), 0..40),
            log: bool,
        ) {
            let svg = plot(points, if log { Scale::Log } else { Scale::Linear });
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
            for part in svg.split("cx=\"").skip(1) {
                let x: f64 = part[..part.find('"').unwrap()].parse().unwrap();
                prop_assert!((0.0..=WIDTH).contains(&x), "{}", x);
            }
        }
    }
}
