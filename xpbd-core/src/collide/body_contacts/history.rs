//! The state that manifolds hand on from one frame to the next.

use glam::Vec3;
use smallvec::SmallVec;

use super::manifold_pose::{ManifoldPose, ManifoldSide, middle, of_points, of_sides};
use super::manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet, push, slipping, sticks};
use crate::bodies::Bodies;
use crate::collide::body_contact::MANIFOLD_POINTS;
use crate::handle::ColliderHandle;

/// The smallest cosine of the angle between the normals of a manifold and of the one that it continues \[1\].
const SAME_DIRECTION: f32 = 0.7;

/// A manifold that pushed, at the end of a frame.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ManifoldHistory {
    /// The colliders of the manifold.
    pub colliders: [ColliderHandle; 2],
    /// Unit normal from the second side to the first \[1\].
    pub normal: Vec3,
    /// The points on the first body, of a round shape those of its core \[m\].
    pub points: [Vec3; MANIFOLD_POINTS],
    /// Normal impulse of each point in the last substep \[N s\].
    pub impulses: [f32; MANIFOLD_POINTS],
    /// Impulse of friction on the first body in the last substep \[N s\].
    pub friction_impulse: Vec3,
    /// Angular impulse of friction about the normal in the last substep \[N m s\].
    pub twist_impulse: f32,
    /// Tangential displacement since the surfaces began to stick \[m\]; where they slide, no more than they keep of it.
    pub slip: Vec3,
    /// Rotation about the normal since the surfaces began to stick \[rad\]; zero where they slide.
    pub twist: f32,
}

impl ManifoldHistory {
    /// Returns whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let vectors = self.points.iter().chain([&self.normal, &self.friction_impulse, &self.slip]);
        let numbers = self.impulses.iter().chain([&self.twist_impulse, &self.twist]);
        vectors.into_iter().all(|v| v.is_finite()) && numbers.into_iter().all(|x| x.is_finite())
    }
}

impl ManifoldSet {
    /// Returns what a manifold hands on at the end of a frame whose substeps have the length `h` \[s\].
    pub(super) fn history(
        &self,
        columns: &ManifoldColumns,
        bodies: &Bodies,
        slot: usize,
        colliders: [ColliderHandle; 2],
        h: f32,
    ) -> Option<ManifoldHistory> {
        let (pass, found) = (self.pass.as_ref()?, &self.candidates[slot]);
        let impulse = |row: usize| pass.lambda[row][slot] / h;
        let number = |column: usize| pass.columns[column][slot];
        let local = |first: usize| Vec3::new(number(first), number(first + 1), number(first + 2));
        let sides = ManifoldPose::now(bodies, &found.sides, found.normal);
        let turned = |side: usize, v: Vec3| sides.rotation(side) * v;
        let center = |side: usize| {
            let points = of_points(|k| local(3 * (side * MANIFOLD_POINTS + k)));
            turned(side, middle(points))
        };
        let [a, b] = of_sides(|side| turned(side, local(columns.axes[side])));
        let [sticks, holds] = sticks(&pass.lambda, slot, found.friction.dynamic_coefficient, found.arm);
        let rolls = found.sides.iter().any(ManifoldSide::is_round);
        let slip = match columns.pair {
            _ if rolls || push(&pass.lambda, slot) == 0.0 => Vec3::ZERO,
            true => {
                let [along, across] = [0, 1].map(|k| number(columns.displacement + k));
                sides.slip([center(0), center(1)]) + b * along + found.normal.cross(b) * across
            }
            false => sides.slip([center(0), self.feet[slot]]),
        };
        Some(ManifoldHistory {
            colliders,
            normal: found.normal,
            points: found.sides[0].cores,
            impulses: of_points(impulse),
            friction_impulse: b * impulse(5) + found.normal.cross(b) * impulse(6),
            twist_impulse: impulse(4),
            slip: if sticks { slip } else { slipping(slip) },
            twist: if sticks && holds && !rolls { found.normal.dot(b.cross(a)) } else { 0.0 },
        })
    }
}

/// The manifolds of two colliders in the last frame, of which new ones are continued.
pub(super) struct PreviousManifolds<'a> {
    history: &'a [ManifoldHistory],
    /// For each manifold, which of its points and whether its friction are still to be taken.
    left: SmallVec<[([bool; MANIFOLD_POINTS], bool); 2]>,
    margin: f32,
}

impl<'a> PreviousManifolds<'a> {
    /// Takes the manifolds of one pair of colliders; `margin` is the contact margin \[m\].
    pub fn new(history: &'a [ManifoldHistory], margin: f32) -> Self {
        let left = history.iter().map(|past| (past.impulses.map(|impulse| impulse > 0.0), true)).collect();
        Self { history, left, margin }
    }

    /// Gives a manifold the slip and twist of the nearest one that faced the same way, and the impulses that no other
    /// manifold has taken: of friction from that one, of each point from the nearest point.
    pub fn continue_manifold(&mut self, found: &mut ManifoldCandidate) {
        let (cores, near) = (found.sides[0].cores, self.margin.max(found.arm));
        let distance = |k: usize| middle(self.history[k].points).distance_squared(middle(cores));
        let nearest = |normal: Vec3| {
            let same = (0..self.history.len()).filter(|&k| self.faces(k, normal) && distance(k) < near * near);
            same.min_by(|&x, &y| distance(x).total_cmp(&distance(y)))
        };
        let mut continued = nearest(found.normal);
        if found.gap >= 0.0 && continued.is_none() {
            continued = nearest(-found.normal);
            if continued.is_some() {
                // Surfaces without an inside that have passed each other by an overlap are still on their old sides.
                found.normal = -found.normal;
            }
        }
        let Some(nearest) = continued else { return };
        let past = &self.history[nearest];
        let tangential = |v: Vec3| v - found.normal * found.normal.dot(v);
        (found.slip, found.twist) = (tangential(past.slip), past.twist);
        if std::mem::take(&mut self.left[nearest].1) {
            (found.friction_impulse, found.twist_impulse) = (tangential(past.friction_impulse), past.twist_impulse);
        }
        if past.points == cores {
            let taken = &mut self.left[nearest].0;
            found.impulses = [0, 1, 2, 3].map(|k| if std::mem::take(&mut taken[k]) { past.impulses[k] } else { 0.0 });
        } else {
            self.take_impulses(found, near);
        }
    }

    /// Returns whether a manifold of the last frame has nearly this normal.
    fn faces(&self, k: usize, normal: Vec3) -> bool {
        self.history[k].normal.dot(normal) > SAME_DIRECTION
    }

    /// Gives each point the impulse of the nearest point that is not farther than `near` \[m\].
    fn take_impulses(&mut self, found: &mut ManifoldCandidate, near: f32) {
        let normal = found.normal;
        for (core, impulse) in found.sides[0].cores[..found.count].iter().zip(&mut found.impulses) {
            let place = |&(k, point): &(usize, usize)| self.history[k].points[point].distance_squared(*core);
            let same = (0..self.history.len()).filter(|&k| self.faces(k, normal));
            let points = same.flat_map(|k| (0..MANIFOLD_POINTS).map(move |point| (k, point)));
            let free = points.filter(|&(k, point)| self.left[k].0[point]);
            let taken = free.min_by(|x, y| place(x).total_cmp(&place(y))).filter(|point| place(point) < near * near);
            if let Some((k, point)) = taken {
                self.left[k].0[point] = false;
                *impulse = self.history[k].impulses[point];
            }
        }
    }
}
