//! The points of manifolds from substep to substep.
#![expect(unsafe_code, reason = "threads write columns at disjoint slots")]

use glam::{Vec3, Vec4Swizzles};
use smallvec::SmallVec;

use super::manifold_pose::{ManifoldPose, ManifoldSide, middle, middle_of, of_points, of_sides, point, rotated};
use super::manifold_set::{ManifoldCandidate, ManifoldColumns, ManifoldSet, push, slipping, sticks, surface_axes};
use crate::bodies::Bodies;
use crate::collide::body_contact::{MANIFOLD_POINTS, ManifoldParameters, UNUSED_POINT_GAP};
use crate::collide::contact_set::ContactSubstep;
use crate::parallel::DisjointSlice;

impl ManifoldSet {
    /// Brings the points of manifolds that slid or did not push opposite each other again, lets
    /// round shapes roll and belts run on, at the start of a substep.
    pub(super) fn refresh(&mut self, substep: &ContactSubstep<'_>) {
        let &ContactSubstep { bodies, index, h, workers, .. } = substep;
        let Self { pass: Some(pass), candidates: found, feet, is_steady, is_fresh, .. } = self else { return };
        let (places, slots) = (ManifoldColumns::of(pass), pass.slot_ranges());
        let refresh = Refresh {
            bodies,
            places,
            columns: pass.columns.iter_mut().map(|column| DisjointSlice::new(column)).collect(),
            lambda: &pass.lambda,
            feet: DisjointSlice::new(feet),
            is_steady,
            is_fresh: if index == 0 { is_fresh } else { &[] },
            h,
        };
        workers.run_parts(&slots, |part| {
            for slot in part {
                // SAFETY: every slot belongs to one thread.
                unsafe {
                    if !refresh.stays(slot) {
                        refresh.run(slot, &found[slot]);
                    }
                }
            }
        });
    }

    /// Takes the points of what may rebound where bodies are at the start of a frame, for what hits before its first
    /// substep ends.
    pub(super) fn place_rebounding(&mut self, bodies: &Bodies) {
        let Self { pass: Some(pass), candidates, .. } = self else { return };
        let places = ManifoldColumns::of(pass);
        for (slot, found) in candidates.iter().enumerate().filter(|(_, found)| found.restitution > 0.0) {
            let sides = ManifoldPose::now(bodies, &found.sides, found.normal);
            let surfaces = sides.surfaces();
            let (arms, [axis, other]) = (sides.arms(&surfaces), surface_axes(found.normal, 0.0));
            let (gaps, foot) = (sides.gaps(&surfaces, &arms), middle_of(arms[1]));
            let locals = of_sides(|side| rotated(sides.rotation(side).inverse(), arms[side]));
            let heights = sides.heights(arms[1], foot);
            let mut write = |column: usize, v: Vec3| {
                let columns = pass.columns[column..].iter_mut().zip(v.to_array());
                columns.for_each(|(column, number)| column[slot] = number);
            };
            for k in 0..MANIFOLD_POINTS {
                write(3 * k, point(&locals[0], k));
                if places.pair {
                    write(3 * (MANIFOLD_POINTS + k), point(&locals[1], k));
                }
            }
            write(places.axes[0], sides.rotation(0).inverse() * axis);
            write(places.axes[1], sides.rotation(1).inverse() * other);
            if let (Some(body), false) = (found.sides[0].body, places.pair) {
                write(places.displacement, (found.sides[1].center - bodies.anchor[body as usize].xyz()) + foot);
            }
            for k in 0..MANIFOLD_POINTS {
                let height = if places.pair { 0.0 } else { heights[k] };
                let gap = if k < found.count { gaps[k] - height } else { UNUSED_POINT_GAP };
                pass.columns[places.manifold.gaps[k]][slot] = gap;
            }
            pass.columns[places.manifold.acceleration][slot] = sides.acceleration(bodies);
        }
    }
}

/// The data that a refresh reads and writes.
struct Refresh<'a> {
    bodies: &'a Bodies,
    places: ManifoldColumns,
    columns: SmallVec<[DisjointSlice<'a, f32>; 48]>,
    lambda: &'a [Vec<f32>],
    feet: DisjointSlice<'a, Vec3>,
    is_steady: &'a [bool],
    /// For each slot whether its points are to be taken anew; empty but in the first substep of a frame.
    is_fresh: &'a [bool],
    h: f32,
}

impl Refresh<'_> {
    /// Returns whether the points of a manifold are to be taken where its past says.
    fn is_fresh(&self, slot: usize) -> bool {
        self.is_fresh.get(slot) == Some(&true)
    }

    /// Returns whether a refresh would leave a manifold as it is: one of two bodies that sticks.
    ///
    /// # Safety
    /// No other thread touches the slot.
    unsafe fn stays(&self, slot: usize) -> bool {
        let ManifoldParameters { friction, twist_arm, .. } = self.places.manifold;
        // SAFETY: passed on to the caller.
        let number = |column: usize| unsafe { self.columns[column].get(slot) };
        !self.is_fresh(slot)
            && self.is_steady[slot]
            && self.places.pair
            && sticks(self.lambda, slot, number(friction.dynamic_coefficient), number(twist_arm)) == [true; 2]
    }

    /// # Safety
    /// No other thread touches the slot.
    unsafe fn run(&self, slot: usize, found: &ManifoldCandidate) {
        let sides = ManifoldPose::now(self.bodies, &found.sides, found.normal);
        let [sticks, holds] = sticks(self.lambda, slot, found.friction.dynamic_coefficient, found.arm);
        let rolls = found.sides.iter().any(ManifoldSide::is_round);
        let is_fresh = self.is_fresh(slot);
        let [moves_points, turns_axes] = [is_fresh || !sticks || rolls, is_fresh || !holds];
        // SAFETY: passed on to the caller.
        unsafe {
            if moves_points || turns_axes {
                let before = ManifoldPose::before(self.bodies, &found.sides, found.normal);
                let mut way = if is_fresh { Vec3::ZERO } else { self.way(slot, &before) };
                if moves_points {
                    let slip = match (is_fresh, sticks) {
                        (true, _) => found.slip,
                        (false, true) => self.slip(slot, &before),
                        (false, false) if rolls || push(self.lambda, slot) == 0.0 => Vec3::ZERO,
                        (false, false) => slipping(self.slip(slot, &before)),
                    };
                    way = self.set_points(slot, found, &sides, slip);
                }
                if turns_axes {
                    self.set_axes(slot, found, &sides);
                }
                self.set_way(slot, &before, way);
            }
            if found.surface_velocity != Vec3::ZERO {
                self.advance_surfaces(slot, &sides, found.surface_velocity * self.h);
            }
            if let (Some(body), false) = (found.sides[0].body, self.places.pair) {
                let foot = (found.sides[1].center - self.bodies.anchor[body as usize].xyz()) + self.feet.get(slot);
                self.write(slot, self.places.displacement, foot);
            }
            if found.restitution > 0.0 {
                self.columns[self.places.manifold.acceleration].set(slot, sides.acceleration(self.bodies));
            }
        }
    }

    /// Returns the middle of the points of a side from its centre, in the world \[m\]; of a surface that does
    /// not move less d.
    unsafe fn middle(&self, slot: usize, sides: &ManifoldPose<'_>, side: usize) -> Vec3 {
        // SAFETY: passed on to the caller.
        unsafe {
            if side == 1 && !self.places.pair {
                return self.feet.get(slot);
            }
            let points = of_points(|k| self.read(slot, 3 * (side * MANIFOLD_POINTS + k)));
            sides.rotation(side) * middle(points)
        }
    }

    /// Returns the slip of the sides \[m\].
    unsafe fn slip(&self, slot: usize, sides: &ManifoldPose<'_>) -> Vec3 {
        // SAFETY: passed on to the caller.
        unsafe { sides.slip([self.middle(slot, sides, 0), self.middle(slot, sides, 1)]) + self.way(slot, sides) }
    }

    /// Returns the directions along which d of a pair is measured.
    unsafe fn directions(&self, slot: usize, sides: &ManifoldPose<'_>) -> [Vec3; 2] {
        // SAFETY: passed on to the caller.
        let axis = sides.rotation(1) * unsafe { self.read(slot, self.places.axes[1]) };
        [axis, sides.normal().cross(axis)]
    }

    /// Returns d of a pair \[m\]; of a surface that does not move, whose foot holds it, none.
    unsafe fn way(&self, slot: usize, sides: &ManifoldPose<'_>) -> Vec3 {
        if !self.places.pair {
            return Vec3::ZERO;
        }
        // SAFETY: passed on to the caller.
        unsafe {
            let [along, across] = self.directions(slot, sides);
            let number = |k: usize| self.columns[self.places.displacement + k].get(slot);
            along * number(0) + across * number(1)
        }
    }

    /// Makes d of a pair this way \[m\].
    unsafe fn set_way(&self, slot: usize, sides: &ManifoldPose<'_>, way: Vec3) {
        if !self.places.pair {
            return;
        }
        // SAFETY: passed on to the caller.
        unsafe {
            for (k, direction) in self.directions(slot, sides).into_iter().enumerate() {
                self.columns[self.places.displacement + k].set(slot, direction.dot(way));
            }
        }
    }

    /// Takes points that are opposite each other now, and returns d \[m\]; `slip` is that of the start of the substep.
    unsafe fn set_points(&self, slot: usize, found: &ManifoldCandidate, sides: &ManifoldPose<'_>, slip: Vec3) -> Vec3 {
        let surfaces = sides.surfaces();
        let arms = ManifoldPose::acting(self.bodies, &found.sides, found.normal).arms(&surfaces);
        let gaps = sides.gaps(&surfaces, &arms);
        let locals = of_sides(|side| rotated(sides.rotation(side).inverse(), arms[side]));
        let before = ManifoldPose::before(self.bodies, &found.sides, found.normal);
        let way = slip - before.slip(of_sides(|side| before.rotation(side) * middle_of(locals[side])));
        let foot = middle_of(arms[1]);
        let heights = sides.heights(arms[1], foot);
        // SAFETY: passed on to the caller.
        unsafe {
            self.feet.set(slot, foot - way);
            for k in 0..MANIFOLD_POINTS {
                self.write(slot, 3 * k, point(&locals[0], k));
                let height = if self.places.pair { 0.0 } else { heights[k] };
                let gap = if k < found.count { gaps[k] - height } else { UNUSED_POINT_GAP };
                self.columns[self.places.manifold.gaps[k]].set(slot, gap);
                if self.places.pair {
                    self.write(slot, 3 * (MANIFOLD_POINTS + k), point(&locals[1], k));
                }
            }
        }
        way
    }

    /// Adds the way of the surfaces against their bodies in the substep that begins \[m\] to d.
    unsafe fn advance_surfaces(&self, slot: usize, sides: &ManifoldPose<'_>, way: Vec3) {
        // SAFETY: passed on to the caller.
        unsafe {
            if self.places.pair {
                self.set_way(slot, sides, self.way(slot, sides) + way);
            } else {
                self.feet.set(slot, self.feet.get(slot) - way);
            }
        }
    }

    /// Aligns the axes of both sides, except for the twist at the start of the frame.
    unsafe fn set_axes(&self, slot: usize, found: &ManifoldCandidate, sides: &ManifoldPose<'_>) {
        let [axis, other] = surface_axes(found.normal, if self.is_fresh(slot) { found.twist } else { 0.0 });
        // SAFETY: passed on to the caller.
        unsafe {
            self.write(slot, self.places.axes[0], sides.rotation(0).inverse() * axis);
            self.write(slot, self.places.axes[1], sides.rotation(1).inverse() * other);
        }
    }

    unsafe fn read(&self, slot: usize, column: usize) -> Vec3 {
        let [x, y, z] = [&self.columns[column], &self.columns[column + 1], &self.columns[column + 2]];
        // SAFETY: passed on to the caller.
        unsafe { Vec3::new(x.get(slot), y.get(slot), z.get(slot)) }
    }

    unsafe fn write(&self, slot: usize, column: usize, v: Vec3) {
        for (k, number) in v.to_array().into_iter().enumerate() {
            // SAFETY: passed on to the caller.
            unsafe { self.columns[column + k].set(slot, number) };
        }
    }
}
