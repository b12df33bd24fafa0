//! Figures and tables as data.

use serde::Serialize;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Positions are proportional to the logarithm.
    Log,
}

/// An axis of a picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// Name and unit of the quantity.
    pub label: &'static str,
    /// Scale of the axis.
    pub scale: Scale,
    /// The numbers written at it, the first and the last at its ends.
    pub ticks: Vec<f64>,
}

/// A line in a picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Name of the curve.
    pub label: String,
    /// Points of the curve. It ends where it leaves the figure.
    pub points: Vec<(f64, f64)>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// The lines.
    pub curves: Vec<Curve>,
}

/// A table of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// The heads of its columns; the first is that of the labels.
    pub head: Vec<&'static str>,
    /// A label, and a number for each column after the first.
    pub rows: Vec<(String, Vec<f64>)>,
}

impl Axis {
    /// Creates an even axis with these numbers at it.
    pub fn linear(label: &'static str, ticks: &[f64]) -> Self {
        Self { label, scale: Scale::Linear, ticks: ticks.to_vec() }
    }

    /// Creates a logarithmic axis from one power of ten to another.
    pub fn decades(label: &'static str, from: i32, to: i32) -> Self {
        Self { label, scale: Scale::Log, ticks: (from..=to).map(|power| libm::exp10(f64::from(power))).collect() }
    }

    /// Creates a logarithmic axis with these numbers at it.
    pub fn log(label: &'static str, ticks: &[f64]) -> Self {
        Self { label, scale: Scale::Log, ticks: ticks.to_vec() }
    }

    /// Returns where a number is along it: 0 at its start, 1 at its end.
    pub fn position(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => libm::log10(value),
        };
        let ends = self.ticks.first().zip(self.ticks.last());
        ends.map_or(f64::NAN, |(&first, &last)| (along(value) - along(first)) / (along(last) - along(first)))
    }
}

impl Curve {
    /// Creates a line through these points.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points }
    }
}
