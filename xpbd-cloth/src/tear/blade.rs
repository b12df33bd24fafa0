//! The blade that cuts a sheet.

use glam::Vec3;

use super::TearError;

/// The path of a straight blade: the parallelogram that it sweeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blade {
    /// Position of one end of the blade \[m\].
    pub corner: Vec3,
    /// Vector from there to the other end \[m\].
    pub edge: Vec3,
    /// Displacement of the blade \[m\].
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
    /// Returns the signed distance \[m\] of a position from the plane, positive in front of it.
    pub fn signed_distance(&self, place: Vec3) -> f32 {
        (place - self.blade.corner).dot(self.normal)
    }

    /// Returns whether the blade sweeps the projection of a position onto the plane.
    pub fn covers(&self, place: Vec3) -> bool {
        let Blade { corner, edge, path } = self.blade;
        let from = place - corner;
        let area = edge.cross(path).dot(self.normal);
        let along = [from.cross(path).dot(self.normal), edge.cross(from).dot(self.normal)];
        along.iter().all(|part| (0.0..=area).contains(part))
    }
}
