//! Frames along a line of points.
//!
//! Parallel transport rotates the first axis across the rod from segment to segment by the smallest rotation from one
//! tangent t to the next, u, which maps a vector d across t to d − (d·u)/(1 + t·u) (t + u). The frames then have
//! the curvature of the line, and no twist.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use super::RodError;
use xpbd_core::scalar::rotation::normalized;

/// The smallest 1 + cos of an angle between segments through which a frame is transported: 1.6° short of
/// turning back.
const FOLD: f64 = 4e-4;

/// Lengths and frames of the segments between points.
#[derive(Debug, Clone)]
pub(super) struct RodShape {
    /// Length of each segment \[m\].
    pub lengths: Vec<f32>,
    /// Rotation of each segment from (x, y, z), with the third axis along it.
    pub frames: Vec<Quat>,
}

impl RodShape {
    /// Creates the shape of a line \[m\], with the direction of the first axis across it.
    pub fn new(points: &[Vec3], normal: Option<Vec3>) -> Result<Self, RodError> {
        if points.len() < 2 {
            return Err(RodError::TooFewPoints(points.len()));
        }
        if let Some(point) = points.iter().position(|x| !x.is_finite()) {
            return Err(RodError::Position { point: point as u32, position: points[point] });
        }
        let ways: Vec<DVec3> = points.windows(2).map(|pair| pair[1].as_dvec3() - pair[0].as_dvec3()).collect();
        if let Some(first) = ways.iter().position(|way| way.length() == 0.0) {
            let first = first as u32;
            return Err(RodError::Coincident { first, second: first + 1 });
        }
        let tangents: Vec<DVec3> = ways.iter().map(|way| way.normalize()).collect();
        let mut across = first_normal(tangents[0], normal)?;
        let mut frames = vec![frame(tangents[0], across)];
        for (k, pair) in tangents.windows(2).enumerate() {
            let [t, u] = [pair[0], pair[1]];
            if 1.0 + t.dot(u) < FOLD {
                return Err(RodError::TurnsBack { point: k as u32 + 1 });
            }
            across -= (t + u) * (across.dot(u) / (1.0 + t.dot(u)));
            across = across.reject_from_normalized(u).normalize();
            frames.push(frame(u, across));
        }
        Ok(Self { lengths: ways.iter().map(|way| way.length() as f32).collect(), frames })
    }

    /// Creates a straight line of segments of these lengths \[m\].
    pub fn straight(lengths: &[f32]) -> Self {
        Self { lengths: lengths.to_vec(), frames: vec![Quat::IDENTITY; lengths.len()] }
    }
}

/// Returns the axis across the first segment.
fn first_normal(tangent: DVec3, normal: Option<Vec3>) -> Result<DVec3, RodError> {
    let Some(normal) = normal else { return Ok(tangent.any_orthonormal_vector()) };
    let unit = normal.as_dvec3().try_normalize().map(|unit| unit.reject_from_normalized(tangent));
    unit.filter(|across| across.length() > 1e-3).map(DVec3::normalize).ok_or(RodError::Normal(normal))
}

fn frame(tangent: DVec3, across: DVec3) -> Quat {
    let axes = DMat3::from_cols(across, tangent.cross(across), tangent);
    normalized(DQuat::from_mat3(&axes).normalize().as_quat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_the_line_without_twist() {
        let helix = |k: i16| {
            let (sine, cosine) = libm::sincosf(0.3 * f32::from(k));
            Vec3::new(cosine, 0.1 * f32::from(k), sine)
        };
        let points: Vec<Vec3> = (0..40).map(helix).collect();
        let shape = RodShape::new(&points, Some(Vec3::X)).unwrap();
        for (k, frame) in shape.frames.iter().enumerate() {
            let along = (points[k + 1] - points[k]).normalize();
            assert!((*frame * Vec3::Z - along).length() < 1e-6);
        }
        for pair in shape.frames.windows(2) {
            let apart = pair[0].inverse() * pair[1];
            assert!(apart.z.abs() < 1e-6, "{apart}");
        }
    }

    #[test]
    fn lines_that_turn_back_are_refused() {
        let error = RodShape::new(&[Vec3::ZERO, Vec3::X, Vec3::ZERO], None).unwrap_err();
        assert_eq!(error, RodError::TurnsBack { point: 1 });
    }
}
