//! Manifolds of one constraint type as a set of contacts, and what is left of them after a frame.
#![expect(unsafe_code, reason = "threads write disjoint slots")]

use std::ops::Range;

use glam::{Vec3, Vec4, Vec4Swizzles};

use super::manifold_pose::{ManifoldSide, of_points};
use crate::collide::body_contact::{
    BodyContactParameters, GroundContactParameters, MANIFOLD_POINTS, ManifoldParameters, SLIDING_SLIP,
    SLIDING_TOLERANCE,
};
use crate::collide::contact_set::{ContactSet, ContactSubstep};
use crate::friction::Friction;
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::schedule::TracedPass;

/// Smallest part of an impulse that remains when velocities take it back \[1\]: a contact that pushed has touched.
pub const MIN_IMPULSE_RATIO: f32 = 1e-6;

/// The manifolds of one constraint type.
#[derive(Debug, Default)]
pub struct ManifoldSet {
    /// The manifolds as constraints.
    pub pass: Option<TracedPass>,
    pub(super) candidates: Vec<ManifoldCandidate>,
    /// Normal impulse of each slot in this frame \[N s\].
    pub(super) impulses: Vec<f32>,
    /// For each slot on a surface that does not move mean(b) − d from its centre \[m\].
    pub(super) feet: Vec<Vec3>,
    /// For each slot, whether its surfaces neither roll nor run nor rebound.
    pub(super) is_steady: Vec<bool>,
    /// For each slot, whether its points are still to be taken where bodies are at the start of the frame.
    pub(super) is_fresh: Vec<bool>,
    /// True if any of them has restitution.
    pub(super) rebounds: bool,
}

/// A manifold that may touch in the frame.
#[derive(Debug, Clone, Copy)]
pub struct ManifoldCandidate {
    /// Indices of the colliders in the order of colliders.
    pub colliders: [u32; 2],
    /// Number of the manifold among those of its colliders.
    pub number: u32,
    /// The surfaces of both bodies.
    pub sides: [ManifoldSide; 2],
    /// For each side, whether the other one lies on a face of it.
    pub on_face: [bool; 2],
    /// Number of points.
    pub count: usize,
    /// Unit normal from the second side to the first \[1\].
    pub normal: Vec3,
    /// Smallest distance of the surfaces at the points \[m\].
    pub gap: f32,
    /// Friction of both surfaces together.
    pub friction: Friction,
    /// Restitution of both surfaces together \[1\].
    pub restitution: f32,
    /// Velocity of the first surface against its body less that of the second against its own, along the surface
    /// \[m/s\].
    pub surface_velocity: Vec3,
    /// Mean distance of the points from their middle \[m\].
    pub arm: f32,
    /// Slip at the start of the frame \[m\].
    pub slip: Vec3,
    /// Twist at the start of the frame \[rad\].
    pub twist: f32,
    /// Normal impulse of each point in the substep before the frame \[N s\].
    pub impulses: [f32; MANIFOLD_POINTS],
    /// Impulse of friction on the first body in the substep before the frame \[N s\].
    pub friction_impulse: Vec3,
    /// Angular impulse of friction about the normal in the substep before the frame \[N m s\].
    pub twist_impulse: f32,
}

/// The indices of a manifold's numbers among the columns of its pass.
#[derive(Debug, Clone, Copy)]
pub struct ManifoldColumns {
    /// True if both sides are on bodies.
    pub pair: bool,
    /// First column of the normal.
    pub normal: usize,
    /// First column of d of a pair, or of the foot on a surface that does not move.
    pub displacement: usize,
    /// First column of the axis of each side.
    pub axes: [usize; 2],
    /// Columns of gaps, friction and restitution.
    pub manifold: ManifoldParameters<usize>,
}

impl ManifoldColumns {
    /// Returns the columns of a pass of manifolds.
    pub fn of(pass: &TracedPass) -> Self {
        if pass.nodes.len() == 2 {
            let BodyContactParameters { normal, displacement, manifold } = pass.columns_of();
            let axes = [0, 1].map(|side| 3 * (2 * MANIFOLD_POINTS + side));
            Self { pair: true, normal: normal.x, displacement: displacement[0], axes, manifold }
        } else {
            let GroundContactParameters { normal, foot, axis, manifold } = pass.columns_of();
            let axes = [3 * MANIFOLD_POINTS, axis.x];
            Self { pair: false, normal: normal.x, displacement: foot.x, axes, manifold }
        }
    }
}

impl ManifoldSet {
    /// Returns the manifolds, one for each slot.
    pub fn candidates(&self) -> &[ManifoldCandidate] {
        &self.candidates
    }

    /// Returns for a slot whether its points are still to be taken where bodies are at the start of the frame, and on a
    /// surface that does not move mean(b) − d from its centre \[m\].
    pub fn start_of(&self, slot: usize) -> (bool, Vec3) {
        (self.is_fresh[slot], self.feet[slot])
    }

    /// Stores the result of a device for a manifold besides the columns and multipliers of its pass: its normal
    /// impulse in this frame \[N s\], and on a surface that does not move mean(b) − d from its centre \[m\].
    pub fn store_device_result(&mut self, slot: usize, impulse: f32, foot: Vec3) {
        self.impulses[slot] = impulse;
        self.feet[slot] = foot;
    }

    /// Returns whether the manifold in a slot pushed in this frame.
    pub(super) fn pushed(&self, slot: usize) -> bool {
        self.impulses.get(slot).is_some_and(|&impulse| impulse > 0.0)
    }

    /// Returns the manifolds that pushed in this frame, with their slots.
    pub(super) fn pushing(&self) -> impl Iterator<Item = (usize, &ManifoldCandidate)> {
        self.candidates.iter().enumerate().filter(|&(slot, _)| self.impulses[slot] > 0.0)
    }

    /// Returns the mean of the points of a manifold on the first body, of a round shape those of its core, and of their
    /// distances from the surface \[m\], weighted by their impulses in the last substep; of one that has parted by then
    /// the mean of all.
    pub(super) fn push_center(&self, slot: usize, found: &ManifoldCandidate) -> (Vec3, f32) {
        let weights = [0, 1, 2, 3].map(|k| match &self.pass {
            Some(pass) if k < found.count => pass.lambda[k][slot].max(0.0),
            _ => 0.0,
        });
        let sum: f32 = weights.iter().sum();
        let ManifoldSide { cores, round, .. } = &found.sides[0];
        let of = |k: usize| cores[k].extend(round[k]);
        let mean: Vec4 = match sum {
            0.0 => (0..found.count).map(of).sum::<Vec4>() / found.count as f32,
            _ => (0..MANIFOLD_POINTS).map(|k| of(k) * (weights[k] / sum)).sum(),
        };
        (mean.xyz(), mean.w)
    }

    /// Adds the normal impulses of a substep to those of the frame; `per_multiplier` is that of a multiplier of 1 \[1/s\].
    fn add_impulses(&mut self, per_multiplier: f32, workers: &WorkerScope<'_>) {
        let Some(pass) = &self.pass else { return };
        add_pushes(&mut self.impulses, &pass.lambda, per_multiplier, (workers, &pass.slot_ranges()));
    }
}

impl ManifoldSet {
    /// Adds the normal impulses of impacts to those of the frame, and forgets them.
    fn add_impacts(&mut self, per_multiplier: f32, workers: &WorkerScope<'_>) {
        let Some(pass) = self.pass.as_mut().filter(|pass| !pass.impacts.is_empty()) else { return };
        add_pushes(&mut self.impulses, &pass.impacts, per_multiplier, (workers, &pass.slot_ranges()));
        pass.impacts.iter_mut().for_each(|row| row.fill(0.0));
    }
}

impl ContactSet for ManifoldSet {
    fn len(&self) -> usize {
        self.candidates.len()
    }

    fn clear(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.clear();
        }
        self.candidates.clear();
        self.impulses.clear();
        self.feet.clear();
        self.is_steady.clear();
        self.is_fresh.clear();
        self.rebounds = false;
    }

    fn rebounds(&self) -> bool {
        self.rebounds
    }

    fn pass(&self) -> Option<&TracedPass> {
        self.pass.as_ref()
    }

    fn pass_mut(&mut self) -> Option<&mut TracedPass> {
        self.pass.as_mut()
    }

    fn update_predicted(&mut self, substep: &ContactSubstep<'_>) {
        self.refresh(substep);
    }

    /// Counts the push of the positions so far that what pushed has touched, even if the velocities take it back.
    fn accumulate(&mut self, per_multiplier: f32, workers: &WorkerScope<'_>, _: &mut dyn FnMut(u32)) {
        self.add_impulses(MIN_IMPULSE_RATIO * per_multiplier, workers);
    }

    fn accumulate_velocities(&mut self, per_multiplier: f32, workers: &WorkerScope<'_>) {
        self.add_impulses(per_multiplier, workers);
        self.add_impacts(per_multiplier, workers);
    }
}

/// Returns the normal multipliers of a manifold together, summed as the constraint sums them.
pub(super) fn push(lambda: &[Vec<f32>], slot: usize) -> f32 {
    sum_of_pushes(of_points(|row| lambda[row][slot]))
}

#[inline]
fn sum_of_pushes([a, b, c, d]: [f32; MANIFOLD_POINTS]) -> f32 {
    a.max(0.0) + b.max(0.0) + c.max(0.0) + d.max(0.0)
}

/// Adds the normal multipliers of each manifold together to its impulse; `per_multiplier` is that of a multiplier of 1
/// \[1/s\]. Threads have the parts of slots that they solve.
fn add_pushes(
    impulses: &mut [f32],
    lambda: &[Vec<f32>],
    per_multiplier: f32,
    (workers, slots): (&WorkerScope<'_>, &[Range<usize>]),
) {
    let [a, b, c, d, ..] = lambda else { return };
    let impulses = DisjointSlice::new(impulses);
    workers.run_parts(slots, |part| {
        let rows = a[part.clone()].iter().zip(&b[part.clone()]).zip(&c[part.clone()]).zip(&d[part.clone()]);
        // SAFETY: every slot belongs to one thread.
        let impulses = unsafe { impulses.slice(part) };
        for (impulse, (((&a, &b), &c), &d)) in impulses.iter_mut().zip(rows) {
            *impulse += sum_of_pushes([a, b, c, d]) * per_multiplier;
        }
    });
}

/// Returns whether a manifold with this dynamic coefficient of friction \[1\] and arm of the twist \[m\] sticks against
/// sliding, and against twisting.
pub(super) fn sticks(lambda: &[Vec<f32>], slot: usize, dynamic_coefficient: f32, twist_arm: f32) -> [bool; 2] {
    let sliding = dynamic_coefficient * push(lambda, slot);
    let held = |multiplier: f32, limit: f32| limit * SLIDING_TOLERANCE < (multiplier - limit).abs();
    let [along, across] = [lambda[5][slot], lambda[6][slot]];
    let slip = (along * along + across * across).sqrt();
    [held(slip, sliding), held(lambda[4][slot].abs(), twist_arm * sliding)]
}

/// Returns the part of a slip \[m\] that a manifold keeps that slides.
pub(super) fn slipping(slip: Vec3) -> Vec3 {
    let length = slip.length();
    if length > SLIDING_SLIP { slip * (SLIDING_SLIP / length) } else { slip }
}

/// Returns the axes of both sides, the second turned by `twist` \[rad\] about the normal.
pub(super) fn surface_axes(normal: Vec3, twist: f32) -> [Vec3; 2] {
    let axis = normal.any_orthonormal_vector();
    [axis, (axis - normal.cross(axis) * twist).normalize()]
}
