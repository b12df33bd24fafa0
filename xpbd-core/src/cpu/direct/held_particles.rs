//! The particles that colliders hold, and friction under the load of what is solved directly.
//!
//! A contact sees the mass of the one particle that it touches, and the solve that follows takes back most of its push: the end
//! of a rod that hits a wall enters it as if a spring of m/h² held the mass M of the whole rod. So a solve over what contacts
//! have changed gives a particle that touches a collider a mass of H = 10⁴ times its own along the normal n. It stays, the
//! others move, and its small displacement Δ tells the load N = −H m n·Δ, which a contact never sees: a rope that hangs over a
//! beam presses it with what hangs from it. A particle with N < 0 is pulled off, and let go.
//!
//! Friction is solved for after that, in three more solves. With s the slip of a particle in the substep before friction and s′
//! what the first of them leaves of it,
//!
//! ```text
//! F₁ = −K s′,   K = μ_k N/|s|
//! F₂ = F₃ = −min(μ_k N, F_s) s/|s|,   F_s = |F₁| |s|/(|s| − |s′|)
//! ```
//!
//! F₁ is the secant of Coulomb's law, which the system contains: it spreads friction over all particles of a rope as sliding does.
//! By what it leaves, a force F_s on each particle stops the slip. The other two use the loads that the friction before them has
//! left. A particle sticks in the last one, with whatever friction that takes, if friction could stop twice its slip: one that
//! sticks holds all that it is tied to, so this is not said near the limit. In an impact the friction of the contact is all.
//! Every one of these solves also lifts a particle back by n·Δ, so that it does not breathe with its load. Forces are counted
//! times h², as multipliers are.

use glam::{Vec3, Vec4, Vec4Swizzles};

use crate::collide::contact::ShapeContactParameters;
use crate::particles::Particles;
use crate::schedule::TracedPass;
use crate::schedule::direct::{
    HELD_MASS, HELD_REACH, IMPACT, IS_IMPACT, LARGEST_DRAG, LEAST_NORMAL_SQUARED, STICKING, STICKING_MARGIN,
    UNSTOPPABLE,
};

/// The particles that colliders hold. All lists but the first have an entry for each particle of the world.
#[derive(Default)]
pub struct HeldParticles {
    /// The particles that are held.
    particles: Vec<u32>,
    /// Sum of the normals n of the contacts \[1\], zero where none holds; `w` is not used.
    pub normals: Vec<Vec4>,
    /// Sum n·Δ of all solves, the sum of those that the held mass has resisted \[m\], the friction F_s that would stop the
    /// slip, and the friction so far \[kg m\].
    pub loads: Vec<Vec4>,
    /// Displacement of the surface in the substep \[m\]; `w` is the friction coefficient while the particle slides \[1\].
    surfaces: Vec<Vec4>,
    /// Slip before friction \[m\]; `w` is the friction coefficient while the particle sticks \[1\], or [`IS_IMPACT`].
    slips: Vec<Vec4>,
    /// Pull \[kg m\], and the mass K \[kg\] with which friction drags; the mass is [`STICKING`] where the particle sticks.
    pub tractions: Vec<Vec4>,
}

impl HeldParticles {
    /// Forgets all of them, as at the start of a frame, since particles come and go between frames.
    pub fn forget(&mut self) {
        for particle in self.particles.drain(..) {
            let i = particle as usize;
            (self.normals[i], self.loads[i], self.tractions[i]) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        }
    }

    /// Finds them by the contacts of particles with colliders.
    pub fn find(&mut self, contacts: Option<&TracedPass>, particles: &Particles, radius: f32) {
        self.forget();
        let Self { particles: held, normals, loads, surfaces, slips, tractions } = self;
        [&mut *normals, loads, surfaces, slips, tractions]
            .into_iter()
            .for_each(|all| all.resize(particles.len(), Vec4::ZERO));
        let Some(pass) = contacts else { return };
        let columns = pass.columns_of::<ShapeContactParameters<usize>>();
        for (slot, &particle) in pass.nodes[0][..pass.len()].iter().enumerate() {
            let (i, normal) = (particle as usize, pass.vector_at(columns.normal, slot));
            let gap = normal.dot(particles.offset[i].xyz()) + pass.columns[columns.gap][slot];
            if pass.lambda[0][slot] > 0.0 || gap < HELD_REACH * radius {
                if normals[i] == Vec4::ZERO {
                    held.push(particle);
                }
                normals[i] += normal.extend(0.0);
                let coefficient = |column: usize| pass.columns[column][slot];
                let (displacement, friction) = (pass.vector_at(columns.displacement, slot), columns.friction);
                surfaces[i] = displacement.extend(coefficient(friction.dynamic_coefficient));
                let is_impact = pass.lambda[0][slot] * particles.anchor[i].w > IMPACT * radius;
                slips[i].w = if is_impact { IS_IMPACT } else { coefficient(friction.static_coefficient) };
            }
        }
    }

    /// Returns whether no particle is held.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Returns the slip of a particle along its surface in the substep \[m\].
    fn slip(&self, particles: &Particles, i: usize, normal: Vec3) -> Vec3 {
        let moved = (particles.offset[i] - particles.start[i]).xyz() - self.surfaces[i].xyz();
        moved - normal * normal.dot(moved)
    }

    /// Returns the unit normal of a particle, the length of the sum of its normals, and its mass \[kg\]; none if it is not held, or
    /// in an impact.
    fn hold(&self, particles: &Particles, i: usize) -> Option<(Vec3, f32, f32)> {
        let (sum, inverse_mass) = (self.normals[i].xyz(), particles.anchor[i].w);
        let length = sum.length();
        let is_held = length * length > LEAST_NORMAL_SQUARED && inverse_mass > 0.0 && self.slips[i].w != IS_IMPACT;
        is_held.then(|| (sum / length, length, 1.0 / inverse_mass))
    }

    /// Drags back what slips, by friction under the loads of the solves before, and lets go what is pulled off. Returns
    /// whether there is anything to solve for.
    pub fn drag(&mut self, particles: &Particles) -> bool {
        let mut any = false;
        for k in 0..self.particles.len() {
            let i = self.particles[k] as usize;
            let Some((normal, length, mass)) = self.hold(particles, i) else { continue };
            let per_length = (HELD_MASS * mass) / length;
            let load = -per_length * self.loads[i].y;
            if load < 0.0 {
                self.normals[i] = Vec4::ZERO;
                self.tractions[i] = (normal * -load).extend(0.0);
            } else {
                let slip = self.slip(particles, i, normal);
                let slipped = slip.length();
                let bound = self.surfaces[i].w * load;
                let drag = if slipped > 0.0 { (bound / slipped).min(LARGEST_DRAG * mass) } else { 0.0 };
                self.slips[i] = slip.extend(self.slips[i].w);
                self.tractions[i] = (normal * (-per_length * self.loads[i].x) - slip * drag).extend(drag);
            }
            any |= self.tractions[i] != Vec4::ZERO;
        }
        any
    }

    /// Lets particles slide, or stick in the last solve if friction can stop them. Returns whether there is anything to solve
    /// for.
    pub fn slide(&mut self, particles: &mut Particles, is_last: bool) -> bool {
        let mut any = false;
        for k in 0..self.particles.len() {
            let i = self.particles[k] as usize;
            let drag = std::mem::take(&mut self.tractions[i]).w;
            let Some((normal, length, mass)) = self.hold(particles, i) else { continue };
            let per_length = (HELD_MASS * mass) / length;
            let ([sticking, sliding], slip) = ([self.slips[i].w, self.surfaces[i].w], self.slips[i].xyz());
            let (slipped, now) = (slip.length(), self.slip(particles, i, normal));
            if drag > 0.0 {
                let left = now.length();
                let stop = if left < slipped { drag * left * slipped / (slipped - left) } else { UNSTOPPABLE };
                self.loads[i] = Vec4::new(self.loads[i].x, self.loads[i].y, stop, drag * left);
            }
            let [sunk, resisted, stop, friction] = self.loads[i].to_array();
            let load = (-per_length * resisted).max(0.0);
            let mut pull = normal * (-per_length * sunk);
            if is_last && stop > 0.0 && sticking * load >= STICKING_MARGIN * stop {
                particles.offset[i] -= now.extend(0.0);
                self.tractions[i] = Vec4::new(0.0, 0.0, 0.0, STICKING);
            } else {
                if stop > 0.0 {
                    let next = (sliding * load).min(stop);
                    pull += slip * ((friction - next) / slipped);
                    self.loads[i].w = next;
                }
                self.tractions[i] = pull.extend(0.0);
            }
            any |= self.tractions[i] != Vec4::ZERO;
        }
        any
    }
}
