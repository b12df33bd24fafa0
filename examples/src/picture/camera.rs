//! The camera of a picture.

use glam::{Vec2, Vec3};

use super::view::{CLIP, Lens, View};
use crate::mesh::Bounds;

/// Vertical field of view of framed pictures `[°]`.
const FOV_Y_DEGREES: f32 = 28.0;

/// Room around framed content as a share of its size `[1]`.
const MARGIN: f32 = 0.16;

/// A camera placed by hand, or one that finds its place from what it shall show.
#[derive(Clone, Copy, Debug)]
pub(super) enum Camera {
    /// The camera is at `eye` and looks at `target` `[m]`.
    Placed { eye: Vec3, target: Vec3, fov_y_degrees: f32 },
    /// The camera is as close as possible while it shows all of `bounds`, or if none are given all content but for the share
    /// `strays` of its points that lies farthest out on each side.
    Framing { bounds: Option<Bounds>, azimuth_degrees: f32, elevation_degrees: f32, strays: f32 },
}

impl Default for Camera {
    fn default() -> Self {
        Self::Framing { bounds: None, azimuth_degrees: 32.0, elevation_degrees: 20.0, strays: 0.0 }
    }
}

impl Camera {
    /// This camera, framing `bounds` from the direction it already has.
    pub(super) fn framed(self, bounds: Bounds) -> Self {
        let (azimuth_degrees, elevation_degrees) = self.angles();
        Self::Framing { bounds: Some(bounds), azimuth_degrees, elevation_degrees, strays: 0.0 }
    }

    /// This camera, framing the content from the direction it already has, without the share `strays` of its points.
    pub(super) fn without_strays(self, strays: f32) -> Self {
        let (azimuth_degrees, elevation_degrees) = self.angles();
        Self::Framing { bounds: None, azimuth_degrees, elevation_degrees, strays }
    }

    /// This camera, framing what it already framed from another direction.
    pub(super) fn rotated(self, azimuth_degrees: f32, elevation_degrees: f32) -> Self {
        let (bounds, strays) = match self {
            Self::Placed { .. } => (None, 0.0),
            Self::Framing { bounds, strays, .. } => (bounds, strays),
        };
        Self::Framing { bounds, azimuth_degrees, elevation_degrees, strays }
    }

    /// Returns the vertical field of view `[°]`.
    pub(super) fn fov_y_degrees(self) -> f32 {
        match self {
            Self::Placed { fov_y_degrees, .. } => fov_y_degrees.clamp(1.0, 170.0),
            Self::Framing { .. } => FOV_Y_DEGREES,
        }
    }

    /// Returns the view through this camera onto `content`, points that lie inside of its surfaces.
    pub(super) fn view(self, content: &[Vec3], columns: u32, rows: u32) -> View {
        let (eye, forward) = match self {
            Self::Placed { eye, target, .. } => (eye, target - eye),
            Self::Framing { bounds, strays, .. } => {
                let aspect = columns as f32 / rows as f32;
                match bounds.filter(|bounds| !bounds.is_empty()) {
                    Some(bounds) => self.standpoint(&bounds.corners(), 0.0, aspect),
                    None => self.standpoint(content, strays, aspect),
                }
            }
        };
        let focal = 0.5 * rows as f32 / half_tangent(self.fov_y_degrees());
        View::new(eye, forward, Lens::Perspective(focal), [columns, rows])
    }

    /// Returns the eye `[m]` and line of sight that fit `points`, but for the share `strays` on each side, into a picture of
    /// the given `aspect`.
    ///
    /// A point at x across and z toward the viewer is inside the picture when the eye, at
    /// (e, d), has (x − e) ≤ (d − z) tan, and mirrored: each side bounds d ± e / tan from below by
    /// the greatest z ± x / tan. Both bounds meet at the closest eye.
    fn standpoint(self, points: &[Vec3], strays: f32, aspect: f32) -> (Vec3, Vec3) {
        let (azimuth, elevation) = self.angles();
        let (azimuth_sine, azimuth_cosine) = libm::sincosf(azimuth.to_radians());
        let (rise, reach) = libm::sincosf(elevation.clamp(-89.0, 89.0).to_radians());
        let forward = -Vec3::new(reach * azimuth_sine, rise, reach * azimuth_cosine);
        let left_out = (strays * points.len() as f32) as usize;
        let center = Vec3::from_array([0, 1, 2].map(|axis| {
            let [high, low] = [1.0, -1.0].map(|side| {
                let mut places: Vec<f32> = points.iter().map(|point| side * point[axis]).collect();
                greatest(&mut places, left_out)
            });
            0.5 * (high - low)
        }));
        let level = View::new(center, forward, Lens::Parallel(1.0), [1, 1]);
        let tangent_y = half_tangent(FOV_Y_DEGREES) / (1.0 + MARGIN);
        let tangents = Vec2::new(tangent_y * aspect, tangent_y);
        let locals: Vec<Vec3> = points.iter().map(|&point| level.local(point)).collect();
        let bound = |side: f32| {
            let bounds = locals.iter().map(|local| side * local.truncate() / tangents - local.z);
            let (mut x, mut y): (Vec<f32>, Vec<f32>) = bounds.map(|bound| (bound.x, bound.y)).unzip();
            Vec2::new(greatest(&mut x, left_out), greatest(&mut y, left_out)).max(Vec2::splat(CLIP))
        };
        let [high, low] = [1.0, -1.0].map(bound);
        let aim = 0.5 * (high - low) * tangents;
        let distance = (0.5 * (high + low)).max_element();
        let eye = center + aim.x * level.right + aim.y * level.up - distance * forward;
        (eye, forward)
    }

    /// Azimuth and elevation `[°]` of the framing view.
    fn angles(self) -> (f32, f32) {
        match self {
            Self::Framing { azimuth_degrees, elevation_degrees, .. } => (azimuth_degrees, elevation_degrees),
            Self::Placed { .. } => Self::default().angles(),
        }
    }
}

/// Returns the greatest of numbers, `left_out` of them left out.
fn greatest(numbers: &mut [f32], left_out: usize) -> f32 {
    if left_out >= numbers.len() {
        return f32::MIN;
    }
    *numbers.select_nth_unstable_by(left_out, |a, b| b.total_cmp(a)).1
}

/// Returns the tangent of half the angle `degrees`.
fn half_tangent(degrees: f32) -> f32 {
    libm::tanf(0.5 * degrees.to_radians())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framed_corners_fall_inside_the_picture() {
        let bounds = Bounds { min: Vec3::new(-1.0, 0.0, -3.0), max: Vec3::new(2.0, 1.5, 1.0) };
        for (azimuth, elevation) in [(32.0, 20.0), (200.0, 80.0), (-90.0, -10.0)] {
            let camera = Camera::default().rotated(azimuth, elevation).framed(bounds);
            let view = camera.view(&[], 320, 200);
            for corner in bounds.corners() {
                let place = view.project(view.local(corner)).place;
                assert!((0.0..320.0).contains(&place.x), "{place}");
                assert!((0.0..200.0).contains(&place.y), "{place}");
            }
        }
    }

    #[test]
    fn strays_do_not_move_the_camera_away() {
        let near: Vec<Vec3> = (0..100).map(|k| Vec3::new((k % 10) as f32, (k / 10) as f32, 0.0)).collect();
        let far = [near.as_slice(), &[Vec3::X * 1000.0, Vec3::Y * -1000.0]].concat();
        let origin =
            |points: &[Vec3], strays: f32| Camera::default().without_strays(strays).view(points, 320, 200).origin;
        let (alone, left_out, all) = (origin(&near, 0.0), origin(&far, 0.02), origin(&far, 0.0));
        assert!(alone.distance(left_out) < 0.1 * alone.length(), "{alone} {left_out}");
        assert!(all.length() > 10.0 * alone.length(), "{alone} {all}");
    }
}
