//! Height fields: the triangles under a path `[m]`, and the way up out of the ground.
//!
//! A height field is the surface of solid ground: a centre below it, within its rectangle and not
//! under a removed triangle, is led up.

use super::mesh::{NearTriangles, TriangleSource};
use super::near::resolution;
use super::path::ParticlePath;
use super::pieces::{PathQuery, Pieces};
use super::sweep::{push_plane, sweep};
use super::{ContactPlane, ContactPlanes};
use glam::Vec3;
use parry3d::shape::{HeightField, Triangle};
use std::ops::RangeInclusive;

/// Cells that meet an interval `[m]` of one axis, of `count` cells of width `cell` `[m]` that start
/// at `origin` `[m]`.
fn cells(low: f32, high: f32, origin: f32, cell: f32, count: usize) -> RangeInclusive<usize> {
    let last = count as f32 - 1.0;
    let (low, high) = ((low - origin) / cell, (high - origin) / cell);
    if !(high >= 0.0 && low <= count as f32) {
        return RangeInclusive::new(1, 0);
    }
    low.floor().clamp(0.0, last) as usize..=high.floor().clamp(0.0, last) as usize
}

/// Returns the part of the path whose x is in the interval.
fn clip(path: &ParticlePath, low: f32, high: f32) -> (Vec3, Vec3) {
    let (x, u) = (path.start.x, path.direction.x);
    if u.abs() < 1e-6 {
        return (path.start, path.end());
    }
    let (a, b) = ((low - x) / u, (high - x) / u);
    let at = |s: f32| path.at(s.clamp(0.0, path.length));
    (at(a.min(b)), at(a.max(b)))
}

impl TriangleSource for HeightField {
    fn visit(&self, path: &ParticlePath, reach: f32, mut visit: impl FnMut(u32, Triangle)) {
        let (start, end) = (path.start, path.end());
        let (low, high) = (start.min(end) - reach, start.max(end) + reach);
        let (width, depth) = (self.cell_width(), self.cell_height());
        let (x0, z0) = (self.x_at(0), self.z_at(0));
        let mut id = 0;
        for j in cells(low.x, high.x, x0, width, self.ncols()) {
            let pad = reach + 1e-3 * width;
            let (a, b) = clip(path, self.x_at(j) - pad, self.x_at(j + 1) + pad);
            let (low, high) = (a.min(b) - pad, a.max(b) + pad);
            for i in cells(low.z, high.z, z0, depth, self.nrows()) {
                let (left, right) = self.triangles_at(i, j);
                for t in [left, right].into_iter().flatten() {
                    let bottom = t.a.y.min(t.b.y).min(t.c.y);
                    let top = t.a.y.max(t.b.y).max(t.c.y);
                    if bottom <= high.y && top >= low.y {
                        visit(id, t);
                    }
                    id += 1;
                }
            }
        }
    }
}

pub(super) fn contact_planes(field: &HeightField, query: &PathQuery, out: &mut ContactPlanes) {
    let path = ParticlePath::new(query.from, query.to);
    let mut set = NearTriangles::new(field, &path, query.span());
    if let Some((plane, height)) = ground(field, query.from)
        && height <= resolution(query.from)
    {
        let nearest = set
            .nearest(query.span().min(-height))
            .filter(|item| upward(&item.triangle).is_some_and(|n| n.dot(item.first.normal) < 0.0));
        let exit = nearest.map_or(plane, |item| ContactPlane { point: item.first.point, normal: -item.first.normal });
        push_plane(exit, out);
    } else if set.count() > 0 {
        sweep(&mut set, query, out);
    }
}

/// Returns the unit normal `[1]` of a triangle on its upper side.
fn upward(t: &Triangle) -> Option<Vec3> {
    let normal = (t.b - t.a).cross(t.c - t.a).try_normalize()?;
    Some(if normal.y < 0.0 { -normal } else { normal })
}

/// Returns the plane of the triangle above or below `x` and the height `[m]` of `x` over it.
fn ground(field: &HeightField, x: Vec3) -> Option<(ContactPlane, f32)> {
    let (i, j) = field.cell_at_point(x)?;
    let (left, right) = field.triangles_at(i, j);
    let t = [left, right].into_iter().flatten().find(|t| covers(t, x))?;
    let normal = upward(&t)?;
    let height = normal.dot(x - t.a);
    let point = x - normal * height;
    Some((ContactPlane { point, normal }, height))
}

/// Returns whether `x` is above or below the triangle.
fn covers(t: &Triangle, x: Vec3) -> bool {
    let turn = |a: Vec3, b: Vec3| (b.x - a.x) * (x.z - a.z) - (b.z - a.z) * (x.x - a.x);
    let turns = [turn(t.a, t.b), turn(t.b, t.c), turn(t.c, t.a)];
    turns.iter().all(|&v| v >= 0.0) || turns.iter().all(|&v| v <= 0.0)
}
