//! Vorticity confinement: a force that returns to eddies the energy that a step dissipates (\[PBF13\] eq. 15–16).
//!
//! ```text
//! ωᵢ = Σⱼ ∇W × (vⱼ − vᵢ)                    curl, exact for a linear field on the lattice
//! ηᵢ = Σⱼ ∇W (|ωⱼ| − |ωᵢ|)                  to where it swirls most
//! Δvᵢ = h ε d η/|η| × ω
//! ```
//!
//! The sums run over fluid particles. Times the spacing d, as in Fedkiw, Stam and Jensen, *Visual Simulation of
//! Smoke* (2001), eq. 11, the force fades as particles become finer. It adds energy, and momentum where eddies
//! are not closed; h ε is at most ½.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | ω | vorticity | 1/s |
//! | ε | confinement | 1/s |

use std::ops::Range;

use glam::{Vec3, Vec4};
use multiversion::multiversion;
use xpbd_core::medium::kernel::{MediumHook, MediumStage};
use xpbd_core::medium::{MediumContext, Neighbourhood, SOLID};
use xpbd_core::program::wgsl::constants;

use crate::four_neighbours::{FourNeighbours, columns, total};
use crate::kernel::{GRADIENT, gradient_falloff};
use crate::material::VORTICITY;

/// −Σ ∇W x over the lattice along an axis, in volumes.
const CURL_SUM: f32 = 0.950_149_2;
/// The largest h ε.
const MAX_CONFINEMENT: f32 = 0.5;

/// Returns the stages on a GPU.
pub fn stages() -> Vec<MediumStage> {
    let common = constants(&[("CURL_SUM", CURL_SUM), ("MAX_CONFINEMENT", MAX_CONFINEMENT)])
        + &format!("const VORTICITY = {VORTICITY}u;\n");
    let stage =
        |function, source: &str| MediumStage::summing(MediumHook::Velocities, function, common.clone() + source);
    vec![
        stage("set_curl", include_str!("vorticity/curl.wgsl")),
        stage("apply_confinement", include_str!("vorticity/confinement.wgsl")),
    ]
}

/// Buffers of vorticity confinement.
#[derive(Debug, Default)]
pub struct Vorticity {
    /// ω of each member, and 1 if it is of a fluid; one more, that is not.
    curls: Vec<Vec4>,
    /// |ω| of each member, and 1 if it is of a fluid; one more, that is not.
    sizes: Vec<[f32; 2]>,
}

impl Vorticity {
    /// Adds the change of velocity \[m/s\] of every member.
    pub fn add(&mut self, around: &MediumContext<'_>, changes: &mut [Vec4]) {
        let members = around.members;
        let Self { curls, sizes } = self;
        curls.resize(members.len(), Vec4::ZERO);
        let none = &mut Vec::<()>::new();
        around.for_each_chunk(curls, none, |chunk, curls, _| compute_curls(members, chunk, curls));
        sizes.clear();
        sizes.extend(curls.iter().map(|curl| [curl.truncate().length(), curl.w]));
        sizes.push([0.0; 2]);
        around
            .for_each_chunk(changes, none, |chunk, changes, _| apply_confinement(around, curls, sizes, chunk, changes));
    }
}

/// Computes ω \[1/s\] of a chunk.
#[multiversion(targets("x86_64+avx+avx2"))]
fn compute_curls(members: &Neighbourhood, chunk: Range<usize>, curls: &mut [Vec4]) {
    let per_reach = 1.0 / members.reach;
    let count = members.len();
    for (i, curl) in chunk.zip(curls) {
        *curl = Vec4::ZERO;
        if members.materials[i] == SOLID {
            continue;
        }
        let own = members.velocities[i];
        let (mut x, mut y, mut z) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for four in members.neighbours(i).as_chunks::<4>().0 {
            let apart = FourNeighbours::new(members, members.positions[i], four);
            let falloff = gradient_falloff(apart.in_reaches(per_reach)).0;
            let fluid = four.map(|j| {
                let solid = (j as usize) < count && members.materials[j as usize] == SOLID;
                if solid { 0.0 } else { 1.0 }
            });
            let slope = falloff * Vec4::from_array(fluid);
            let v = columns(&members.velocities, four);
            let (vx, vy, vz) = (v.x_axis - own.x, v.y_axis - own.y, v.z_axis - own.z);
            x += slope * (apart.y * vz - apart.z * vy);
            y += slope * (apart.z * vx - apart.x * vz);
            z += slope * (apart.x * vy - apart.y * vx);
        }
        let scale = GRADIENT * per_reach * per_reach / CURL_SUM;
        *curl = Vec4::new(total(x) * scale, total(y) * scale, total(z) * scale, 1.0);
    }
}

/// Adds the changes of velocity \[m/s\] of a chunk.
#[multiversion(targets("x86_64+avx+avx2"))]
fn apply_confinement(
    around: &MediumContext<'_>,
    curls: &[Vec4],
    sizes: &[[f32; 2]],
    chunk: Range<usize>,
    changes: &mut [Vec4],
) {
    let members = around.members;
    let per_reach = 1.0 / members.reach;
    for (i, change) in chunk.zip(changes) {
        let Some(material) = around.materials.get(members.materials[i] as usize) else { continue };
        let strength = material.parameters[VORTICITY];
        if strength == 0.0 {
            continue;
        }
        let (mut x, mut y, mut z) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for four in members.neighbours(i).as_chunks::<4>().0 {
            let apart = FourNeighbours::new(members, members.positions[i], four);
            let falloff = gradient_falloff(apart.in_reaches(per_reach)).0;
            // ∇W points against x.
            let rise = four.map(|j| {
                let [size, fluid] = sizes[j as usize];
                (sizes[i][0] - size) * fluid
            });
            let slope = falloff * Vec4::from_array(rise);
            x += slope * apart.x;
            y += slope * apart.y;
            z += slope * apart.z;
        }
        let toward = Vec3::new(total(x), total(y), total(z)).normalize_or_zero();
        let scale = (around.h * strength).min(MAX_CONFINEMENT) * (2.0 * around.radius);
        *change += (toward.cross(curls[i].truncate()) * scale).extend(0.0);
    }
}
