//! A pair of features: whether it touches, and on which side it is to be kept.

use glam::{Vec3, Vec4Swizzles};

use super::feature_geometry::{ClosestPoints, Corners, FeaturePairKind};
use super::motion::SurfaceMotion;
use crate::friction::Friction;
use crate::particles::Particles;

/// Pairs nearer than this, in thicknesses, are solved: what is not yet near enough to push may be pushed there by
/// others, and layers that rest on each other would tremble if their contacts came and went.
pub(super) const CLOSE: f32 = 1.1;

/// Distance in thicknesses below which a pair counts as deep \[1\].
const DEEP: f32 = 0.5;

/// Two features that may touch.
#[derive(Debug, Clone, Copy)]
pub struct FeaturePair {
    /// Kinds of the two features.
    pub kind: FeaturePairKind,
    /// World indices of their vertices.
    pub nodes: [u32; 4],
    /// Distance that the contact keeps \[m\].
    pub distance: f32,
    /// Friction of both surfaces together.
    pub friction: Friction,
    /// Side on which the pair is kept while it touches or has crossed, else 0.
    pub kept_side: f32,
}

/// A pair that touches in the current substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct ActivePair {
    /// Index of the pair.
    pub pair: u32,
    /// Barycentric weights of the nearest points.
    pub weights: [f32; 3],
    /// Unit normal from the second feature to the first \[1\].
    pub normal: Vec3,
    /// Distance between the features \[m\], 0 if they have crossed.
    pub apart: f32,
    /// True if the features have crossed, or touch at a rim, where no side tells which way is out.
    pub crossed: bool,
    pub rim: bool,
    /// True if the features overlap so much that one sweep may not suffice.
    pub deep: bool,
}

impl FeaturePair {
    /// Returns how they touch at the predicted positions, if they do, and how far they have to have moved \[m\] before
    /// they have to be looked at again.
    pub(super) fn touch(
        &mut self,
        wake: &mut f32,
        particles: &Particles,
        motion: &SurfaceMotion,
    ) -> Option<ActivePair> {
        let Self { kind, distance, .. } = *self;
        let close = distance * CLOSE;
        let moved = motion.of(kind, self.nodes);
        let now = self.corners(particles);
        let mut nearest = kind.nearest(now);
        let apart = nearest.apart.length();
        if self.kept_side == 0.0 && apart >= close.max(motion.step(kind, self.nodes)) {
            *wake = moved + (apart - close);
            return None;
        }
        let before = self.corners_before(particles);
        let start = kind.side(before);
        if self.kept_side != 0.0 && self.kept_side != start && !kind.nearest(before).inside {
            self.kept_side = 0.0;
        }
        let mut side = if self.kept_side == 0.0 { start } else { self.kept_side };
        let (mut at, end) = (now, kind.side(now));
        let mut has_crossed = end != side;
        if has_crossed && start == side {
            match kind.crossing(before, now) {
                None => (side, has_crossed) = (end, false),
                Some(_) if nearest.inside => {}
                Some((corners, hit)) => (nearest, at) = (ClosestPoints { inside: true, ..hit }, corners),
            }
        }
        let normal = kind.normal(at) * side;
        if has_crossed {
            *wake = moved;
            self.kept_side = if nearest.inside { side } else { 0.0 };
            let normal = normal.try_normalize().filter(|_| nearest.inside)?;
            return Some(ActivePair {
                pair: 0,
                weights: nearest.weights,
                normal,
                crossed: true,
                apart: 0.0,
                rim: false,
                deep: true,
            });
        }
        self.kept_side = if apart < distance && nearest.inside { side } else { 0.0 };
        *wake = moved + (apart - close).max(0.0);
        let touches = apart < close && (nearest.inside || kind != FeaturePairKind::VertexTriangle);
        let normal = if nearest.inside { normal } else { nearest.apart };
        let normal = normal.try_normalize().filter(|_| touches)?;
        let (rim, deep) = (!nearest.inside, apart < DEEP * distance);
        Some(ActivePair { pair: 0, weights: nearest.weights, normal, apart, crossed: false, rim, deep })
    }

    /// Returns the last three points relative to the first, where they are \[m\].
    #[inline]
    pub(super) fn corners(&self, particles: &Particles) -> [Vec3; 3] {
        let [first, a, b, c] = self.nodes;
        let from_first = |node: u32| particles.between(first as usize, node as usize);
        [from_first(a), from_first(b), from_first(c)]
    }

    /// As [`FeaturePair::corners`], when the substep began.
    fn corners_before(&self, particles: &Particles) -> Corners {
        let [first, a, b, c] = self.nodes;
        let start = |node: u32| (particles.anchor[node as usize], particles.start[node as usize]);
        let (anchor, offset) = start(first);
        let from_first = |node: u32| ((start(node).0 - anchor) + (start(node).1 - offset)).xyz();
        [from_first(a), from_first(b), from_first(c)]
    }
}
