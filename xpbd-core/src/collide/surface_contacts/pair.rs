//! A pair of features: whether it touches, and on which side it is to be kept.

use glam::{Vec3, Vec4Swizzles};
use serde::{Deserialize, Serialize};

use super::motion::Motion;
use super::side::{Corners, Kind, Nearest};
use crate::particles::Particles;
use crate::world::Friction;

/// Two features that may touch.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// What they are.
    pub kind: Kind,
    /// World indices of their vertices.
    pub nodes: [u32; 4],
    /// How far apart they are kept \[m\].
    pub distance: f32,
    /// Friction of both together.
    pub friction: Friction,
    /// The side on which they are kept while they touch or have crossed, or 0.
    pub held: f32,
    /// How far its features have to have moved before they can touch \[m\].
    pub wake: f32,
}

/// A pair on the wrong side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Crossed {
    /// What it is.
    pub kind: Kind,
    /// World indices of its vertices.
    pub nodes: [u32; 4],
    /// The side on which it belongs: 1 or −1.
    pub side: f32,
}

/// A pair that touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    /// Its number.
    pub pair: u32,
    /// Of the nearest points.
    pub weights: [f32; 3],
    /// From the second feature to the first.
    pub normal: Vec3,
    /// Whether the features have crossed, or touch at a rim, where no side tells which way is out.
    pub crossed: bool,
    pub rim: bool,
}

impl Crossed {
    pub(super) fn key(&self) -> (Kind, [u32; 4]) {
        (self.kind, self.nodes)
    }
}

impl Pair {
    /// How they touch at the predicted positions, if they do.
    pub(super) fn touch(&mut self, particles: &Particles, motion: &Motion) -> Option<Active> {
        let Self { kind, distance, .. } = *self;
        let moved = motion.of(kind, self.nodes);
        let now = self.corners(particles);
        let mut nearest = kind.nearest(now);
        let apart = nearest.apart.length();
        if self.held == 0.0 && apart >= distance.max(2.0 * motion.step) {
            self.wake = moved + (apart - distance);
            return None;
        }
        let before = self.corners_before(particles);
        let start = kind.side(before);
        if self.held != 0.0 && self.held != start && !kind.nearest(before).inside {
            self.held = 0.0;
        }
        let mut side = if self.held == 0.0 { start } else { self.held };
        let (mut at, end) = (now, kind.side(now));
        let mut has_crossed = end != side;
        if has_crossed && start == side {
            match kind.crossing(before, now) {
                None => (side, has_crossed) = (end, false),
                Some(_) if nearest.inside => {}
                Some((corners, hit)) => (nearest, at) = (Nearest { inside: true, ..hit }, corners),
            }
        }
        let normal = kind.normal(at) * side;
        if has_crossed {
            self.wake = moved;
            self.held = if nearest.inside { side } else { 0.0 };
            let normal = normal.try_normalize().filter(|_| nearest.inside)?;
            return Some(Active { pair: 0, weights: nearest.weights, normal, crossed: true, rim: false });
        }
        self.held = if apart < distance && nearest.inside { side } else { 0.0 };
        self.wake = moved + (apart - distance).max(0.0);
        let touches = apart < distance && (nearest.inside || kind == Kind::EdgeEdge);
        let normal = if nearest.inside { normal } else { nearest.apart };
        let normal = normal.try_normalize().filter(|_| touches)?;
        Some(Active { pair: 0, weights: nearest.weights, normal, crossed: false, rim: !nearest.inside })
    }

    /// The last three points relative to the first, where they are \[m\].
    pub(super) fn corners(&self, particles: &Particles) -> [Vec3; 3] {
        let [first, rest @ ..] = self.nodes.map(|node| node as usize);
        rest.map(|node| particles.between(first, node))
    }

    /// As [`Pair::corners`], when the substep began.
    fn corners_before(&self, particles: &Particles) -> Corners {
        let [first, rest @ ..] = self.nodes.map(|node| node as usize);
        let start = |i: usize| (particles.anchor[i], particles.start[i]);
        let (anchor, offset) = start(first);
        rest.map(|node| ((start(node).0 - anchor) + (start(node).1 - offset)).xyz())
    }
}
