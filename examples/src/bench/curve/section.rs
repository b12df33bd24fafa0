//! The page of curves.

use super::{CurvePoint, Study};
use crate::compare::{Axis, Curve, Figure, Section, Table, page};

/// Text at the start of the page.
const HEAD: &str = "\
# Error against time

The command `xpbd bench curve --out docs` writes this page and measures all of its numbers, on one thread of the machine
that it runs on. A study is a world that is hard to solve; it is stepped with several numbers of substeps by each of the
methods that it names. The tables show the error that 99 of 100 parts do not exceed and the largest one, after the last
frame and on the way to it, as the larger of all frames.
";

/// The smallest error that is drawn.
const SMALLEST: f64 = 1e-4;

/// Returns the axis of whole powers of ten around all finite values.
fn decades(label: &'static str, values: impl Iterator<Item = f64>) -> Axis {
    let powers = values.filter(|value| value.is_finite()).map(|value| libm::log10(value.max(SMALLEST)));
    let (low, high) = powers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (low, high) = if low <= high { (low.floor() as i32, high.ceil() as i32) } else { (0, 1) };
    Axis::decades(label, low, high.max(low + 1))
}

/// Returns the section of a study with its figure and its table.
pub fn section(study: &Study, points: &[CurvePoint]) -> Section {
    let drawn = |point: &CurvePoint| if study.moves { point.on_the_way.p99 } else { point.at_end.p99 };
    let x = decades("time of a frame [ms]", points.iter().map(|point| point.ms_per_frame.median));
    let y = decades(study.error, points.iter().map(drawn));
    let of = |method: &&'static str| {
        let own = points.iter().filter(|point| point.method == *method);
        let mut line: Vec<_> = own.map(|point| (point.ms_per_frame.median, drawn(point).max(SMALLEST))).collect();
        // The curve is drawn from its right end, since it ends where it leaves the figure.
        line.sort_by(|a, b| b.0.total_cmp(&a.0));
        Curve::new(*method, line)
    };
    let row = |point: &CurvePoint| {
        let CurvePoint { method, substeps, ms_per_frame, at_end, on_the_way } = point;
        let numbers = [ms_per_frame.median, at_end.p99, at_end.largest, on_the_way.p99, on_the_way.largest];
        (format!("{method}, {substeps}"), numbers.to_vec())
    };
    let head = ["method, substeps", "ms", "p99", "largest", "p99 on the way", "largest on the way"];
    Section {
        name: study.name,
        title: study.title,
        text: study.text,
        timed: true,
        figure: Figure { x, y, curves: study.methods.iter().map(of).collect() },
        table: Table { head: head.to_vec(), rows: points.iter().map(row).collect() },
    }
}

/// Returns the page of these sections.
pub fn convergence_page(sections: &[Section]) -> String {
    page(HEAD, "convergence", sections)
}
