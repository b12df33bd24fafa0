//! The particles that colliders push, which a direct solve leaves where their contacts have put them.
//!
//! A contact sees the mass of the one particle that it touches, and the solve that follows takes back most of its push: the end
//! of a rod that hits a wall enters it as if a spring of m/h² held the mass M of the whole rod. With a mass along the normal
//! of many times its own, the particle stays, and the others move. Only a solve over what contacts have changed does so.
//!
//! A particle is held where a contact has pushed it in this substep or, within a frame, in the one before. A rope that lies on
//! a collider under a load would tremble otherwise: where its neighbours lift a particle for a substep, no contact pushes it,
//! and the solve that holds the neighbours presses it into the collider.

use glam::{Vec3, Vec4, Vec4Swizzles};

use crate::collide::contact::ShapeContactParameters;
use crate::schedule::TracedPass;

/// The particles that colliders push.
#[derive(Default)]
pub struct HeldParticles {
    /// The sum of the normals of the contacts that push each particle \[1\]; `w` is 1 if they do so in this substep.
    normals: Vec<Vec4>,
    /// The particles whose sums are not zero.
    particles: Vec<u32>,
}

impl HeldParticles {
    /// Finds them by the contacts of particles with colliders, in a world of so many particles; `is_first` in the first
    /// substep of a frame.
    pub fn find(&mut self, contacts: Option<&TracedPass>, particles: usize, is_first: bool) {
        let Self { normals, particles: held, .. } = self;
        held.retain(|&particle| {
            let normal = &mut normals[particle as usize];
            let stays = !is_first && normal.w == 1.0 && normal.xyz() != Vec3::ZERO;
            *normal = if stays { normal.xyz().extend(0.0) } else { Vec4::ZERO };
            stays
        });
        normals.resize(particles, Vec4::ZERO);
        let Some(pass) = contacts else { return };
        let columns = pass.columns_of::<ShapeContactParameters<usize>>().normal;
        for (slot, &particle) in pass.nodes[0][..pass.len()].iter().enumerate() {
            if pass.lambda[0][slot] > 0.0 {
                let (normal, added) = (&mut normals[particle as usize], pass.vector_at(columns, slot));
                if *normal == Vec4::ZERO {
                    held.push(particle);
                }
                *normal = if normal.w == 1.0 { *normal + added.extend(0.0) } else { added.extend(1.0) };
            }
        }
    }

    /// Returns the sum of the normals along which each particle is pushed \[1\]; nothing if none is.
    pub fn normals(&self) -> &[Vec4] {
        if self.particles.is_empty() { &[] } else { &self.normals }
    }
}
