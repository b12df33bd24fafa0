//! The motion that is expected of particles, and the boxes around it.

use glam::{Vec3, Vec4Swizzles};

use crate::collide::detection::DetectionContext;
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::collide::surface_contacts::motion::{EXPECTED_FALL, ExpectedMotion};
use crate::collide::surface_contacts::swept_box::SweptBox;

/// Longest displacement for which pairs are searched for, in reaches \[1\]: beyond it, all would meet all.
pub(super) const MAX_DISPLACEMENT: f32 = 64.0;
/// Deviation of a particle that is allowed besides half of the margin, as a part of its displacement \[1\].
pub(super) const STRAY_RATIO: f32 = 0.03;

/// The part of a frame for which pairs are found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FramePart {
    /// Time since the last whole search at which it begins \[s\].
    pub begin: f32,
    /// Its length \[s\].
    pub length: f32,
}

/// The motion that is expected of particles in the rest of a frame.
#[derive(Clone, Copy)]
pub(super) struct Expectation<'a> {
    /// State of the world.
    pub context: &'a DetectionContext<'a>,
    /// The rest of the frame; boxes begin earlier, at the last whole search.
    pub rest: FramePart,
    /// Mean displacement that is expected of all vertices \[m\].
    pub mean: Vec3,
    /// Mean displacement since the last whole search, to which boxes are relative \[m\].
    pub drift: Vec3,
    /// Distance by which a point may be off the expected motion, besides a part of its displacement \[m\].
    pub margin: f32,
}

impl<'a> Expectation<'a> {
    /// Expects the motion of a part of a frame, without drift.
    pub fn new(context: &'a DetectionContext<'_>, features: &SurfaceFeatures, rest: FramePart) -> Self {
        let margin = 0.5 * context.settings.contact_margin;
        let expectation = Self { context, rest, mean: Vec3::ZERO, drift: Vec3::ZERO, margin };
        let travels = features.vertices.iter().map(|&vertex| expectation.travel(vertex as usize));
        let mean = travels.sum::<Vec3>() / features.vertices.len().max(1) as f32;
        Self { mean: if mean.is_finite() { mean } else { Vec3::ZERO }, ..expectation }
    }

    /// Returns the displacement of a particle in the world \[m\].
    fn travel(&self, i: usize) -> Vec3 {
        let particles = self.context.particles;
        (particles.velocity[i] + particles.acceleration[i] * (EXPECTED_FALL * self.rest.length)).xyz()
            * self.rest.length
    }

    /// Returns the expected motion of a particle that has come so far in the substep, and the box around what is within
    /// `reach` of it.
    pub fn of(&self, i: usize, reach: f32, behind: f32) -> (ExpectedMotion, SweptBox) {
        let way = (self.travel(i) - self.mean).clamp_length_max(MAX_DISPLACEMENT * (reach + self.margin));
        let (from, way) = (self.context.particles.position(i), if way.is_finite() { way } else { Vec3::ZERO });
        let room = self.margin + STRAY_RATIO * way.length();
        let around = Vec3::splat(reach + room + behind) + from.abs() * (4.0 * f32::EPSILON);
        let motion = ExpectedMotion { displacement: way, tolerance: room, behind };
        let FramePart { begin, length } = self.rest;
        let before = if length > 0.0 { way * (begin / length) } else { Vec3::ZERO };
        (motion, SweptBox::new(from - self.drift - before, before + way, around))
    }
}
