//! The mapping between the world and samples.
//!
//! A sample's *nearness* grows toward the viewer and is linear over the screen along any plane:
//! 1 / z in perspective, −z in parallel projection, with z the depth along the line of sight `[m]`.

use glam::{Vec2, Vec3};

/// Depth `[m]` before which nothing is drawn in perspective.
pub(super) const CLIP: f32 = 1e-3;

/// The projection of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lens {
    /// All sight lines start in one point; samples per unit of tangent `[1]`.
    Perspective(f32),
    /// Side by side; samples per metre `[1/m]`.
    Parallel(f32),
}

/// A place to look from, and the grid of samples that is looked through.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// Point from which depth is measured `[m]`.
    pub origin: Vec3,
    /// Unit vector to the right of the picture.
    pub right: Vec3,
    /// Unit vector to the top of the picture.
    pub up: Vec3,
    /// Unit vector along the line of sight.
    pub forward: Vec3,
    /// Projection of the view.
    pub lens: Lens,
    /// Samples per row.
    pub columns: u32,
    /// Rows of samples.
    pub rows: u32,
}

/// A point on the grid of samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projected {
    /// Place in samples, x to the right and y down; sample centres lie at halves.
    pub place: Vec2,
    /// Nearness of the point, as the module defines it.
    pub near: f32,
}

/// A sight line: the point at depth z is `origin + z * direction`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    /// The point at depth zero `[m]`.
    pub origin: Vec3,
    /// Change per metre of depth `[1]`; not of unit length in perspective.
    pub direction: Vec3,
}

impl Ray {
    /// Returns the point at `depth` `[m]`.
    pub(super) fn at(self, depth: f32) -> Vec3 {
        self.origin + depth * self.direction
    }
}

impl View {
    /// Creates a view from `origin` along `forward`, which need not be of unit length.
    pub(super) fn new(origin: Vec3, forward: Vec3, lens: Lens, [columns, rows]: [u32; 2]) -> Self {
        let forward = forward.normalize_or(Vec3::NEG_Z);
        let right = forward.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X);
        Self { origin, right, up: right.cross(forward), forward, lens, columns, rows }
    }

    /// `point` in the axes right, up, forward, from the origin `[m]`.
    pub(super) fn local(&self, point: Vec3) -> Vec3 {
        let offset = point - self.origin;
        Vec3::new(offset.dot(self.right), offset.dot(self.up), offset.dot(self.forward))
    }

    /// Returns where a `local` point falls; in perspective its depth must be positive.
    pub(super) fn project(&self, local: Vec3) -> Projected {
        let (scale, near) = match self.lens {
            Lens::Perspective(focal) => (focal / local.z, 1.0 / local.z),
            Lens::Parallel(density) => (density, -local.z),
        };
        let center = self.center();
        Projected { place: Vec2::new(center.x + scale * local.x, center.y - scale * local.y), near }
    }

    /// Returns the sight line through `place` `[samples]`.
    pub(super) fn ray(&self, place: Vec2) -> Ray {
        let offset = place - self.center();
        let across = |scale: f32| (offset.x * self.right - offset.y * self.up) / scale;
        match self.lens {
            Lens::Perspective(focal) => Ray { origin: self.origin, direction: self.forward + across(focal) },
            Lens::Parallel(density) => Ray { origin: self.origin + across(density), direction: self.forward },
        }
    }

    /// Returns the depth `[m]` of a point that is `near`.
    pub(super) fn depth(&self, near: f32) -> f32 {
        match self.lens {
            Lens::Perspective(_) => 1.0 / near,
            Lens::Parallel(_) => -near,
        }
    }

    /// Returns how near a point at `depth` `[m]` is.
    pub(super) fn near(&self, depth: f32) -> f32 {
        match self.lens {
            Lens::Perspective(_) => 1.0 / depth,
            Lens::Parallel(_) => -depth,
        }
    }

    /// Samples per metre at `depth` `[m]`.
    pub(super) fn density(&self, depth: f32) -> f32 {
        match self.lens {
            Lens::Perspective(focal) => focal / depth,
            Lens::Parallel(density) => density,
        }
    }

    /// Returns the middle of the grid `[samples]`.
    fn center(&self) -> Vec2 {
        0.5 * Vec2::new(self.columns as f32, self.rows as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_returns_to_the_projected_point() {
        let point = Vec3::new(0.3, -0.2, 0.7);
        for lens in [Lens::Perspective(90.0), Lens::Parallel(50.0)] {
            let view = View::new(Vec3::new(3.0, 2.0, 4.0), Vec3::new(-3.0, -2.0, -4.0), lens, [80, 60]);
            let projected = view.project(view.local(point));
            let back = view.ray(projected.place).at(view.depth(projected.near));
            assert!(back.distance(point) < 1e-4, "{back}");
        }
    }

    #[test]
    fn looking_straight_down_keeps_its_axes() {
        let view = View::new(Vec3::Y, Vec3::NEG_Y, Lens::Parallel(1.0), [2, 2]);
        assert_eq!(view.right, Vec3::X);
        assert_eq!(view.up, Vec3::NEG_Z);
    }
}
