//! Ambient occlusion: the part of the sky that each pixel's point sees, estimated from its neighbours on the screen.
//!
//! The estimator is that of M. McGuire, M. Mara, D. Luebke, *Scalable Ambient Obscurance*, 2012:
//! with v the vector from the point to a neighbour, n the normal and R the reach,
//! A = 1 − k / s Σ max(0, 1 − v² / R²)³ · R max(0, v·n − β) / (v² + ε).
//! A 4 × 4 mean over points of the same surface removes the pattern of the turned discs.

use glam::Vec3;
use rayon::prelude::*;

use super::SAMPLES;
use super::noise::Disc;
use super::viewed_scene::ViewedScene;

/// Reach R as a share of the content's radius `[1]`.
const REACH: f32 = 0.22;

/// Strength k `[1]`; greater darkens creases more.
const STRENGTH: f32 = 1.8;

/// Longest distance on the screen that is looked at `[pixels]`.
const MAX_PIXELS: f32 = 140.0;

/// The open share of the sky `[1]` for every pixel.
pub(super) struct Occlusion {
    width: usize,
    open: Vec<f32>,
}

/// The surface point that the first sample of a pixel shows.
#[derive(Clone, Copy)]
struct Point {
    position: Vec3,
    normal: Vec3,
    /// Samples per metre; zero where the pixel shows nothing.
    density: f32,
}

/// The points of all pixels and the scale of the estimate.
struct Field {
    width: usize,
    height: usize,
    points: Vec<Point>,
    reach: f32,
}

impl Occlusion {
    /// Looks around every pixel of `stage`, whose content has the given `radius` `[m]`.
    pub(super) fn new(stage: &ViewedScene, radius: f32) -> Self {
        let field = Field::new(stage, REACH * radius);
        let disc = Disc::new(20, 0.8);
        let raw = field.map(|x, y| field.open(x, y, &disc));
        Self { width: field.width, open: field.map(|x, y| field.mean(&raw, x, y)) }
    }

    /// Returns the open share `[1]` at the pixel in column `x` and row `y`.
    pub(super) fn open(&self, x: usize, y: usize) -> f32 {
        self.open[y * self.width + x]
    }
}

impl Field {
    fn new(stage: &ViewedScene, reach: f32) -> Self {
        let step = SAMPLES as usize;
        let mut field = Self {
            width: stage.view.columns as usize / step,
            height: stage.view.rows as usize / step,
            points: Vec::new(),
            reach,
        };
        field.points = field.map(|x, y| {
            let (x, y) = (step * x, step * y);
            let nothing = Point { position: Vec3::ZERO, normal: Vec3::ZERO, density: 0.0 };
            stage.hit(x, y).map_or(nothing, |hit| Point {
                position: hit.position,
                normal: hit.normal,
                density: stage.density(x, y),
            })
        });
        field
    }

    /// Returns the value of `of(column, row)` for all pixels, row after row.
    fn map<T: Send>(&self, of: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        (0..self.width * self.height)
            .into_par_iter()
            .with_min_len(self.width)
            .map(|index| of(index % self.width, index / self.width))
            .collect()
    }

    /// Returns the estimate A at one pixel.
    fn open(&self, x: usize, y: usize, disc: &Disc) -> f32 {
        let point = self.points[y * self.width + x];
        if point.density == 0.0 || self.reach <= 0.0 {
            return 1.0;
        }
        let pixels = (self.reach * point.density / SAMPLES as f32).min(MAX_PIXELS);
        let hidden: f32 = disc
            .at(x, y)
            .filter_map(|offset| {
                let column = (x as f32 + 0.5 + pixels * offset.x) as isize;
                let row = (y as f32 + 0.5 + pixels * offset.y) as isize;
                self.at(column, row)
            })
            .map(|neighbour| self.hides(&point, &neighbour))
            .sum();
        (1.0 - STRENGTH * hidden / disc.len() as f32).clamp(0.0, 1.0)
    }

    /// Returns one term of the sum: how much `neighbour` hides the sky from `point`.
    fn hides(&self, point: &Point, neighbour: &Point) -> f32 {
        let squared_reach = self.reach * self.reach;
        let v = neighbour.position - point.position;
        let distance = v.length_squared();
        let fade = (1.0 - distance / squared_reach).max(0.0);
        let rise = (v.dot(point.normal) - 0.012 * self.reach).max(0.0);
        fade * fade * fade * self.reach * rise / (distance + 1e-3 * squared_reach)
    }

    /// Returns the mean of `raw` over the surrounding pixels that lie in the same plane.
    fn mean(&self, raw: &[f32], x: usize, y: usize) -> f32 {
        let point = self.points[y * self.width + x];
        let own = raw[y * self.width + x];
        let (mut sum, mut weight) = (own, 1.0);
        for (dx, dy) in (0..16).map(|cell| (cell % 4 - 2, cell / 4 - 2)) {
            let (column, row) = (x as isize + dx, y as isize + dy);
            let Some(neighbour) = self.at(column, row) else {
                continue;
            };
            let v = neighbour.position - point.position;
            if v.dot(point.normal).abs() < 0.1 * self.reach {
                sum += raw[row as usize * self.width + column as usize];
                weight += 1.0;
            }
        }
        sum / weight
    }

    /// Returns the point at a column and row, if the pixel exists and shows something.
    fn at(&self, column: isize, row: isize) -> Option<Point> {
        let inside = (0..self.width as isize).contains(&column) && (0..self.height as isize).contains(&row);
        inside.then(|| self.points[row as usize * self.width + column as usize]).filter(|point| point.density > 0.0)
    }
}
