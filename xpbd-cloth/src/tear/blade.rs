//! What cuts.

use glam::Vec3;

use super::TearError;

/// The way of a straight blade: the parallelogram that it passes over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blade {
    /// Where the blade begins \[m\].
    pub corner: Vec3,
    /// From there to its end \[m\].
    pub edge: Vec3,
    /// How far it moves \[m\].
    pub path: Vec3,
}

/// A blade that covers an area.
pub(super) struct BladePlane {
    blade: Blade,
    normal: Vec3,
}

impl Blade {
    pub(super) fn plane(&self) -> Result<BladePlane, TearError> {
        let &Self { corner, edge, path } = self;
        match edge.cross(path).try_normalize() {
            Some(normal) if corner.is_finite() => Ok(BladePlane { blade: *self, normal }),
            _ => Err(TearError::Blade { corner, edge, path }),
        }
    }
}

impl BladePlane {
    /// Returns how far a place is in front of the plane \[m\].
    pub fn signed_distance(&self, place: Vec3) -> f32 {
        (place - self.blade.corner).dot(self.normal)
    }

    /// Returns whether the blade passes over the foot of a place.
    pub fn covers(&self, place: Vec3) -> bool {
        let Blade { corner, edge, path } = self.blade;
        let from = place - corner;
        let area = edge.cross(path).dot(self.normal);
        let along = [from.cross(path).dot(self.normal), edge.cross(from).dot(self.normal)];
        along.iter().all(|part| (0.0..=area).contains(part))
    }
}
