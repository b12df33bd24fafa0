//! The stiffness with which the constraints of an object hold each of its particles in its place among the others.
//!
//! Something heavy that lies on a light particle is pushed back by the constraints that hold the particle, which move it by
//! a way u in every substep. A contact that knows no more than the mass m of the particle hands the impulse m u/h on, whatever the
//! stiffness is, so that heavy things sink into what is stiff and light. The implicit step of a particle among neighbours
//! that do not move, the block of the diagonal that vertex block descent solves for (\[VBD24\] Chen et al., *Vertex Block
//! Descent*, section 3),
//!
//! ```text
//! (m + h d + h² k) Δx = h² f
//! ```
//!
//! says what the impulse has to be: towards a contact the particle has the mass m + h d + h² k.
//!
//! The mass beyond m is the inertia of constraints, which a sweep has not passed on to the neighbours yet. If those are free
//! to move, momentum is lost with it. So a particle counts for no more than a part of what it meets, [`MOST_HELD`]: nothing changes between bodies of similar weight, and a heavy one loses less than
//! that part of its speed against a particle in a substep.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | m | mass of the particle | kg |
//! | k, d | stiffness and damping of its constraints, their diagonal | N/m, N s/m |
//! | f | force | N |

use serde::{Deserialize, Serialize};

/// Largest mass that a particle has for a contact by the constraints that hold it, as a part of the mass of what it meets
/// \[1\].
pub const MOST_HELD: f32 = 0.1;

/// The stiffness and the damping that a rigid constraint counts with \[N/m, N s/m\]: too much to matter, and far from overflow.
const RIGID: f32 = 1e30;

/// The stiffness of the particles of an object.
///
/// It moves nothing. [Contacts](crate::collide) with particles and with bodies ask for it; those between surfaces do not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ParticleStiffness {
    /// Stiffness of each particle against its neighbours \[N/m\], which may be infinite: the mean over all directions of the
    /// second derivative of the energy by the position of the particle alone. Particles beyond the list have none.
    pub stiffness: Vec<f32>,
    /// Damping time of the constraints \[s\]: the damping d is that times the stiffness.
    pub damping_time: f32,
}

impl ParticleStiffness {
    /// Returns the stiffness k \[N/m\] and the damping d \[N s/m\] of a particle of the object; both finite.
    pub fn get(&self, particle: usize) -> [f32; 2] {
        let stiffness = self.stiffness.get(particle).copied().unwrap_or(0.0).min(RIGID);
        [stiffness, (stiffness * self.damping_time).min(RIGID)]
    }
}
