//! Viscosity: velocities become alike (\[PBF13\] eq. 17), as fast as a physical viscosity makes them.
//!
//! ```text
//! mᵢ Δvᵢ = Σⱼ kᵢⱼ Vᵢ Vⱼ W (vⱼ − vᵢ) + walls,     kᵢⱼ = min(2 h d³ μᵢⱼ / ⟨x²⟩, min(mᵢ, mⱼ) / max(sᵢ, sⱼ))
//! ```
//!
//! Σ W (vⱼ − vᵢ) is ½ ⟨x²⟩ ∇²v to second order, so that the acceleration is μ/ρ ∇²v. What a pair does is equal
//! and opposite whatever the two are: μᵢⱼ = 2 μᵢ μⱼ/(μᵢ + μⱼ), the viscosity at which the stress is the same on
//! both sides of where they meet. A solid is a fluid of infinite viscosity there, so that fluids stick to
//! it; it takes the momentum. Walls are what the fluid does not slip on, see
//! [`wall_drag`](crate::kernel::wall_drag); what they and bodies take is lost.
//!
//! sᵢ = Σⱼ Vᵢ Vⱼ W + walls counts how much is around. The bound on k makes the changes that one member
//! undergoes add up to no more than the differences, so that no step adds energy, however crowded it is; it
//! is a bound on the viscosity, ρ ⟨x²⟩/(2 h), about ρ d²/(8 h): see
//! [`FluidMaterial::max_viscosity`](crate::FluidMaterial::max_viscosity).
//!
//! Forces along v and not along x do not keep angular momentum: a drop that spins slows down, at a rate of
//! about ν over the square of its radius.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | μ | dynamic viscosity | Pa s |
//! | ν | μ/ρ | m²/s |
//! | ⟨x²⟩ | second moment of the kernel along an axis | m² |
//! | V | volume of a solid particle, 1 of a fluid one | d³ |
//! | s | crowding | 1 |

use std::ops::Range;

use glam::Vec4;
use multiversion::multiversion;
use xpbd_core::medium::kernel::{MediumHook, MediumStage};
use xpbd_core::medium::{MediumContext, Neighbourhood, SOLID, Wall};
use xpbd_core::program::wgsl::constants;
use xpbd_core::scalar::Single;

use crate::density::Density;
use crate::four_neighbours::{FourNeighbours, columns, total};
use crate::kernel::{SECOND_MOMENT, wall_drag, weight};
use crate::material::VISCOSITY;

/// The smallest 1/μ of a fluid \[1/(Pa s)\]; that of a solid is 0.
const MIN_FLUIDITY: f32 = 1e-12;
/// The smallest viscosity \[Pa s\] that is divided by on a GPU, which is as good as none.
const MIN_VISCOSITY: f32 = 1e-37;
/// The smallest number that the bound on k is divided by \[1/kg\], where nothing can move or nothing is around.
const MIN_BOUND: f32 = 1e-30;

/// Returns the stages on a GPU, which hand on inverse mass \[1/kg\], 1/μ \[1/(Pa s)\], crowding and volume of each
/// member.
pub fn stages() -> Vec<MediumStage> {
    let values = [("MIN_FLUIDITY", MIN_FLUIDITY), ("MIN_VISCOSITY", MIN_VISCOSITY), ("MIN_BOUND", MIN_BOUND)];
    let common = constants(&values) + &format!("const VISCOSITY = {VISCOSITY}u;\n");
    let stage =
        |function, source: &str| MediumStage::summing(MediumHook::Velocities, function, common.clone() + source);
    vec![
        stage("set_crowding", include_str!("viscosity/crowding.wgsl")),
        stage("apply_viscosity", include_str!("viscosity/exchange.wgsl")),
    ]
}

/// Buffers of viscosity.
#[derive(Debug, Default)]
pub struct Viscosity {
    /// Volume \[d³\] and 1/μ \[1/(Pa s)\] of each member; one more, that has none.
    about: Vec<[f32; 2]>,
    /// Inverse mass, 1/μ and crowding of each member; one more, that has none.
    crowds: Vec<Vec4>,
    /// Vᵢ Vⱼ W of each entry of the lists.
    weights: Vec<Vec<f32>>,
}

impl Viscosity {
    /// Adds the change of velocity \[m/s\] of every member.
    pub fn add(&mut self, around: &MediumContext<'_>, density: &Density, changes: &mut [Vec4]) {
        let members = around.members;
        let Self { about, crowds, weights } = self;
        about.clear();
        about.extend((0..members.len()).map(|i| [density.volume(i), fluidity(around, members.materials[i])]));
        about.push([0.0; 2]);
        crowds.resize(members.len(), Vec4::ZERO);
        around.for_each_chunk(crowds, weights, |chunk, crowds, weights| {
            compute_crowding(members, about, chunk, crowds, weights)
        });
        crowds.push(Vec4::ZERO);
        around.for_each_chunk(changes, weights, |chunk, changes, weights| {
            apply_viscosity(around, crowds, chunk, changes, weights)
        });
    }
}

/// Returns 1/μ of a material \[1/(Pa s)\]: 0 for a solid, infinite for a fluid without viscosity.
fn fluidity(around: &MediumContext<'_>, material: u32) -> f32 {
    match material {
        SOLID => 0.0,
        material => (1.0 / around.materials[material as usize].parameters[VISCOSITY]).max(MIN_FLUIDITY),
    }
}

/// Sums over the lists of a chunk: what is around each member, and the weight of each entry. Solids do not see
/// each other.
#[multiversion(targets("x86_64+avx+avx2"))]
fn compute_crowding(
    members: &Neighbourhood,
    about: &[[f32; 2]],
    chunk: Range<usize>,
    crowds: &mut [Vec4],
    weights: &mut Vec<f32>,
) {
    let per_reach = 1.0 / members.reach;
    weights.clear();
    for (i, crowd) in chunk.zip(crowds) {
        let x = members.positions[i];
        let [volume, fluidity] = about[i];
        let mut sum = Vec4::ZERO;
        for four in members.neighbours(i).as_chunks::<4>().0 {
            let [a, b, c, d] = four.map(|j| about[j as usize]);
            let mut w = weight(FourNeighbours::new(members, x, four).in_reaches(per_reach)).0;
            w *= Vec4::new(a[0], b[0], c[0], d[0]) * volume;
            if fluidity == 0.0 {
                w = Vec4::select(Vec4::new(a[1], b[1], c[1], d[1]).cmpgt(Vec4::ZERO), w, Vec4::ZERO);
            }
            sum += w;
            weights.extend_from_slice(&w.to_array());
        }
        let walls: f32 = members.walls(i).iter().map(|wall| drag(wall, per_reach)).sum();
        *crowd = Vec4::new(x.w, fluidity, total(sum) + walls, 0.0);
    }
}

/// Returns what a wall adds to the sum, over its velocity against that of the member \[1\].
fn drag(wall: &Wall, per_reach: f32) -> f32 {
    wall.coverage * wall_drag(Single(wall.height * per_reach)).0
}

/// Adds the changes of velocity \[m/s\] of a chunk.
#[multiversion(targets("x86_64+avx+avx2"))]
fn apply_viscosity(
    around: &MediumContext<'_>,
    crowds: &[Vec4],
    chunk: Range<usize>,
    changes: &mut [Vec4],
    weights: &[f32],
) {
    let members = around.members;
    let per_reach = 1.0 / members.reach;
    let scale = 2.0 * around.h * (2.0 * around.radius) / SECOND_MOMENT;
    let mut rest = weights;
    for (i, change) in chunk.zip(changes) {
        let near = members.neighbours(i);
        let (own, others) = rest.split_at(near.len());
        rest = others;
        let (crowd, velocity) = (crowds[i], members.velocities[i]);
        let [inverse_mass, fluidity, crowding, _] = crowd.to_array();
        let mut sum = Vec4::ZERO;
        for (four, weights) in near.as_chunks::<4>().0.iter().zip(own.as_chunks::<4>().0) {
            let of = columns(crowds, four);
            let (heaviest, densest) = (of.x_axis.max(Vec4::splat(inverse_mass)), of.z_axis.max(Vec4::splat(crowding)));
            let most = 1.0 / (heaviest * densest).max(Vec4::splat(MIN_BOUND));
            let k = (scale * (2.0 / (of.y_axis + fluidity))).min(most) * Vec4::from_array(*weights);
            for (&j, k) in four.iter().zip(k.to_array()) {
                sum += (members.velocities[j as usize] - velocity) * k;
            }
        }
        sum *= inverse_mass;
        for wall in members.walls(i) {
            let k = (scale * inverse_mass / fluidity).min(1.0 / crowding);
            sum += (wall.velocity.extend(0.0) - velocity) * (k * drag(wall, per_reach));
        }
        *change += sum.truncate().extend(0.0);
    }
}
