//! Rasterisation: the nearest surface at each sample.

mod sphere;
mod thickness;
mod triangle;

use std::ops::Range;

use glam::Vec2;
use rayon::prelude::*;

use super::geometry::{GROUND, Geometry, NOTHING};
use super::view::{Lens, View};
use sphere::ScreenSphere;
use triangle::{ScreenTriangle, clipped};

pub(super) use thickness::thickness;

/// Rows that one task fills.
const STRIP: usize = 32;

/// Factor by which the ground is drawn farther than its true depth `[1]`, so that cloth on it is in front.
const GROUND_SETBACK: f32 = 3e-4;

/// Per sample, row after row: the number of the nearest surface and how near it is.
#[derive(Clone)]
pub(super) struct Layer {
    /// Samples per row.
    pub columns: usize,
    /// Surface numbers; see [`Geometry`].
    pub number: Vec<u32>,
    /// Nearness; see [`super::view`]. Negative infinity where there is nothing.
    pub near: Vec<f32>,
}

/// Consecutive rows of a [`Layer`].
struct Strip<'a> {
    columns: usize,
    first_row: usize,
    number: &'a mut [u32],
    near: &'a mut [f32],
}

/// A surface on the grid of samples.
enum Shape {
    Triangle(ScreenTriangle),
    Sphere(ScreenSphere),
}

impl Layer {
    /// Creates an empty layer for `view`.
    fn empty(view: &View) -> Self {
        let count = view.columns as usize * view.rows as usize;
        Self { columns: view.columns as usize, number: vec![NOTHING; count], near: vec![f32::NEG_INFINITY; count] }
    }

    /// Runs `fill` on all strips at once.
    fn for_each_strip(&mut self, fill: impl Fn(Strip) + Sync) {
        let columns = self.columns;
        let length = STRIP * columns;
        let near = self.near.par_chunks_mut(length);
        let number = self.number.par_chunks_mut(length);
        near.zip(number).enumerate().for_each(|(index, (near, number))| {
            fill(Strip { columns, first_row: index * STRIP, number, near });
        });
    }
}

impl Strip<'_> {
    /// Returns the rows of this strip.
    fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.near.len() / self.columns
    }

    /// Records a surface at column `x` and row `y` if nothing nearer is there.
    #[inline]
    fn put(&mut self, x: usize, y: usize, number: u32, near: f32) {
        let index = (y - self.first_row) * self.columns + x;
        if near > self.near[index] {
            self.near[index] = near;
            self.number[index] = number;
        }
    }
}

impl Shape {
    /// Returns the box `[samples]` that holds this shape.
    fn extent(&self) -> (Vec2, Vec2) {
        match self {
            Self::Triangle(triangle) => triangle.extent(),
            Self::Sphere(sphere) => (sphere.low, sphere.high),
        }
    }
}

/// Draws all of `geometry` as `view` sees it. Triangles that show their back are left out unless
/// they are two-sided or the lens is parallel, as for shadows.
pub(super) fn draw(geometry: &Geometry, view: &View) -> Layer {
    let shapes = shapes(geometry, view);
    let bins = bins(shapes.iter().map(Shape::extent), view);
    let mut layer = Layer::empty(view);
    layer.for_each_strip(|mut strip| {
        for &index in &bins[strip.first_row / STRIP] {
            match &shapes[index as usize] {
                Shape::Triangle(triangle) => triangle.fill(&mut strip),
                Shape::Sphere(sphere) => sphere.fill(view, &mut strip),
            }
        }
    });
    layer
}

/// Puts the plane y = `height` `[m]` wherever it is nearer than what `layer` holds.
pub(super) fn cover(layer: &mut Layer, view: &View, height: f32) {
    layer.for_each_strip(|mut strip| {
        for y in strip.rows() {
            for x in 0..strip.columns {
                let ray = view.ray(sample(x, y));
                let depth = (height - ray.origin.y) / ray.direction.y;
                if depth > 0.0 && depth.is_finite() {
                    strip.put(x, y, GROUND, view.near(depth * (1.0 + GROUND_SETBACK)));
                }
            }
        }
    });
}

/// Returns the middle of the sample at column `x` and row `y`.
pub(super) fn sample(x: usize, y: usize) -> Vec2 {
    Vec2::new(x as f32 + 0.5, y as f32 + 0.5)
}

/// Returns the triangles of `geometry` beyond the clip depth, on the grid of samples.
fn clipped_triangles(geometry: &Geometry, view: &View) -> impl Iterator<Item = ScreenTriangle> {
    geometry.numbered_triangles().flat_map(move |(number, corners, _)| {
        let pieces = clipped(corners.map(|corner| view.local(corner)), view);
        pieces.map(move |piece| ScreenTriangle::new(number, piece, view))
    })
}

/// Returns all surfaces that may show, on the grid of samples.
fn shapes(geometry: &Geometry, view: &View) -> Vec<Shape> {
    let both_sides = matches!(view.lens, Lens::Parallel(_));
    let mut shapes = Vec::new();
    for (number, corners, two_sided) in geometry.numbered_triangles() {
        let pieces = clipped(corners.map(|corner| view.local(corner)), view);
        let pieces = pieces.map(|piece| ScreenTriangle::new(number, piece, view));
        shapes.extend(pieces.filter(|piece| both_sides || two_sided || piece.faces_viewer()).map(Shape::Triangle));
    }
    let spheres = geometry.numbered_spheres();
    shapes.extend(spheres.filter_map(|(number, sphere)| ScreenSphere::new(number, sphere, view)).map(Shape::Sphere));
    shapes
}

/// Returns for each strip the indices of the boxes `[samples]` that overlap it.
fn bins(extents: impl Iterator<Item = (Vec2, Vec2)>, view: &View) -> Vec<Vec<u32>> {
    let mut bins = vec![Vec::new(); (view.rows as usize).div_ceil(STRIP)];
    for (index, (low, high)) in (0..).zip(extents) {
        let outside = high.x < 0.0 || low.x > view.columns as f32;
        if outside || high.y < 0.0 || low.y > view.rows as f32 {
            continue;
        }
        let last = (high.y as usize / STRIP).min(bins.len() - 1);
        for bin in &mut bins[(low.y.max(0.0) as usize / STRIP).min(last)..=last] {
            bin.push(index);
        }
    }
    bins
}

/// Returns the whole numbers n in `bounds` whose sample centres n + ½ lie between `low` and `high`.
fn centers(low: f32, high: f32, bounds: Range<usize>) -> Range<usize> {
    let first = ((low - 0.5).ceil().max(0.0) as usize).max(bounds.start);
    let end = ((high + 0.5).floor().max(0.0) as usize).min(bounds.end);
    first..end
}
