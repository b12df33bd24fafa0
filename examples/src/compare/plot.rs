//! Figures as SVG.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Axis, CompareError, Figure, Scale};

/// Width and height; a picture is shown smaller.
const SIZE: (u32, u32) = (1800, 1000);
/// Room for labels to the right of the lines.
const LABELS: u32 = 500;
/// Height of a line of text.
const TEXT: i32 = 36;

/// Blue, orange, green, red, violet, brown and turquoise.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x1F, 0x5F, 0xA8),
    RGBColor(0xE0, 0x7B, 0x1A),
    RGBColor(0x2E, 0x8B, 0x57),
    RGBColor(0xB8, 0x2E, 0x3E),
    RGBColor(0x7A, 0x52, 0xA3),
    RGBColor(0x6B, 0x5B, 0x4B),
    RGBColor(0x1A, 0x93, 0xA3),
];

fn error(error: impl std::fmt::Display) -> CompareError {
    CompareError::Plot(error.to_string())
}

/// Returns the picture as the text of an SVG file.
///
/// # Errors
/// The picture cannot be drawn.
pub fn svg(figure: &Figure) -> Result<String, CompareError> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(error)?;
        draw(&root, figure).map_err(error)?;
        root.present().map_err(error)?;
    }
    Ok(text)
}

type Failure<'a> = DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>;

/// An axis as plotters knows them. Its own logarithm would be that of the machine.
#[derive(Clone)]
struct PlotAxis(Axis);

impl Ranged for PlotAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (first, last): (i32, i32)) -> i32 {
        first + (f64::from(last - first) * self.0.position(*value)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.0.ticks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        let end = |tick: Option<&f64>| tick.copied().unwrap_or_default();
        end(self.0.ticks.first())..end(self.0.ticks.last())
    }
}

/// Returns what is written at a tick.
fn label(axis: &Axis, tick: f64) -> String {
    match axis.scale {
        Scale::Log if !(1e-2..1e4).contains(&tick) => format!("{tick:e}"),
        _ => format!("{tick}"),
    }
}

fn draw<'a>(root: &DrawingArea<SVGBackend<'a>, Shift>, figure: &Figure) -> Result<(), Failure<'a>> {
    let Figure { x, y, curves } = figure;
    let mut chart = ChartBuilder::on(root)
        .margin(30)
        .margin_right(LABELS)
        .x_label_area_size(110)
        .y_label_area_size(150)
        .build_cartesian_2d(PlotAxis(x.clone()), PlotAxis(y.clone()))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .axis_style(BLACK.mix(0.5))
        .label_style(("sans-serif", TEXT))
        .x_desc(x.label)
        .y_desc(y.label)
        .x_label_formatter(&|tick| label(x, *tick))
        .y_label_formatter(&|tick| label(y, *tick))
        .draw()?;
    let mut ends = Vec::new();
    for (curve, color) in curves.iter().zip(COLORS.iter().cycle()) {
        let points = clip_to_axes(figure, &curve.points);
        chart.draw_series(LineSeries::new(points.iter().copied(), color.stroke_width(5)))?;
        if let Some(end) = points.last() {
            ends.push((chart.backend_coord(end).1, curve.label.as_str(), *color));
        }
    }
    let right = SIZE.0 as i32 - LABELS as i32 + 16;
    for (height, label, color) in separate_labels(ends) {
        let style = ("sans-serif", TEXT).into_text_style(root).color(&color).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(label, (right, height), style))?;
    }
    Ok(())
}

/// Returns the part of a line within the picture: to where it first leaves it, upwards or downwards.
fn clip_to_axes(figure: &Figure, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Figure { x: across, y: up, .. } = figure;
    let within = |axis: &Axis, value: f64| (-1e-9..=1.0 + 1e-9).contains(&axis.position(value));
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in points {
        if within(across, x) && within(up, y) {
            kept.push((x, y));
            continue;
        }
        let border = if up.position(y) > 1.0 { up.ticks.last() } else { up.ticks.first() };
        if let Some((&(x0, y0), &border)) = kept.last().zip(border).filter(|_| y.is_finite() && within(across, x)) {
            let part = (up.position(border) - up.position(y0)) / (up.position(y) - up.position(y0));
            kept.push((x0 + (x - x0) * part.clamp(0.0, 1.0), border));
        }
        break;
    }
    kept
}

/// Labels at these heights, moved down or up until none covers another.
fn separate_labels(mut labels: Vec<(i32, &str, RGBColor)>) -> Vec<(i32, &str, RGBColor)> {
    labels.sort_by_key(|(height, ..)| *height);
    let gap = TEXT + 6;
    for k in 1..labels.len() {
        labels[k].0 = labels[k].0.max(labels[k - 1].0 + gap);
    }
    let mut bottom = SIZE.1 as i32 - 140;
    for label in labels.iter_mut().rev() {
        label.0 = label.0.min(bottom);
        bottom = label.0 - gap;
    }
    labels
}
