//! Surface tension \[Akinci13\]: a liquid holds together where it ends, and its surface becomes smaller.
//!
//! ```text
//! Fᵢ = −Σⱼ γ d ((Kᵢⱼ − 1)₊ A C(|x|) x/|x| + Kᵢⱼ B w(|x|) (nᵢ − nⱼ)),     Kᵢⱼ = 2/(ρᵢ + ρⱼ)          (eq. 1, 3, 5)
//! C(q R) = 64 ((1 − q)³ q³ if q > ½, else 2 (1 − q)³ q³ − 1/64)                                      (eq. 2)
//! nᵢ = R Σⱼ ∇W,    x = xᵢ − xⱼ
//! ```
//!
//! The sums run over particles of the same liquid, so that two liquids that meet are two surfaces. What a
//! pair does is equal and opposite. Three things differ from the paper:
//!
//! - Cohesion acts by what K exceeds 1, near the surface alone. Within the liquid its pulls cancel but for a
//!   pressure, many times that of the surface, which freezes small drops.
//! - The difference of normals counts by w, the kernel over its value at 0, so that nothing jumps at R.
//! - Forces are corrections h² w F of the predicted positions beside those of the density. Pull and pressure
//!   then cancel before anything moves; as a change of velocity, pulls that pressure answers would make a
//!   drop spin ever faster.
//!
//! A = 35/4 and B = 5/4 make γ physical: drops of 900, 4000 and 14000 particles, stretched by 15 %, swing with
//! periods within 6 % of Lamb's 2π √(ρ a³/(8 γ)), so γ holds within 12 %. No step can follow more than γ = m/(50 h²):
//! a liquid that should have more has that, see [`FluidMaterial::max_surface_tension`](crate::FluidMaterial::max_surface_tension). Not all of this is
//! central forces: the spin of a drop drifts by less than 1e-3 of m a √(γ/(ρ a)) a second.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | γ | surface tension | N/m |
//! | C | cohesion: pushes where closer than 0.27 R, pulls up to R | 1 |
//! | n | normal into the liquid, 0 inside | 1 |
//! | ρ | density over the lattice, of the same liquid alone | 1 |

use std::ops::Range;

use glam::Vec4;
use xpbd_core::medium::kernel::{MediumHook, MediumStage};
use xpbd_core::medium::{Material, MediumContext, Neighbourhood, SOLID};
use xpbd_core::program::wgsl::{constants, function};
use xpbd_core::program::{Graph, Sym};
use xpbd_core::scalar::Real;

use crate::four_neighbours::{FourNeighbours, MIN_DISTANCE, columns, gather, total};
use crate::kernel::{GRADIENT, SELF_WEIGHT, gradient_falloff, weight};
use crate::material::{MAX_FORCE, SURFACE_TENSION};

/// A.
const COHESION: f32 = 8.75;
/// B.
const TIGHTENING: f32 = 1.25;
/// The liquid of what has no surface tension, and of the member that is nowhere.
const NONE: [f32; 2] = [-1.0, -2.0];

/// Returns the stages on a GPU.
pub fn stages() -> Vec<MediumStage> {
    let common = wgsl();
    let stage = |function, source: &str| {
        let every = MediumStage::summing(MediumHook::Project, function, common.clone() + source);
        MediumStage { only_first: true, ..every }
    };
    vec![
        stage("set_normal", include_str!("surface_tension/normal.wgsl")),
        stage("apply_tension", include_str!("surface_tension/tension.wgsl")),
    ]
}

/// Returns what both stages call, as WGSL.
fn wgsl() -> String {
    let values =
        [("COHESION", COHESION), ("TIGHTENING", TIGHTENING), ("MAX_FORCE", MAX_FORCE), ("MIN_DISTANCE", MIN_DISTANCE)];
    let index = format!("const SURFACE_TENSION = {SURFACE_TENSION}u;\n");
    let cohesion = function(&Graph::new(), "cohesion", ["q"], |(q,): (Sym,)| cohesion(q));
    constants(&values) + &index + &cohesion + include_str!("surface_tension.wgsl")
}

/// Buffers of surface tension.
#[derive(Debug, Default)]
pub struct SurfaceTension {
    kinds: LiquidIndices,
    /// The liquid of each member; one more, that is none.
    liquids: Vec<f32>,
    /// Normal and density of each member; one more, that has none.
    normals: Vec<Vec4>,
}

/// The first of the materials that are the same liquid, for each of them.
#[derive(Debug, Default)]
struct LiquidIndices {
    of: Vec<f32>,
    known: Vec<Material>,
}

impl LiquidIndices {
    fn update(&mut self, materials: &[Material]) {
        if self.known == materials {
            return;
        }
        self.known = materials.to_vec();
        let first = |material: &Material| match material.parameters[SURFACE_TENSION] > 0.0 {
            true => materials.iter().position(|other| other == material).unwrap_or(0) as f32,
            false => NONE[0],
        };
        self.of = materials.iter().map(first).collect();
    }
}

impl SurfaceTension {
    /// Adds the correction \[m\] of every member.
    pub fn add(&mut self, around: &MediumContext<'_>, corrections: &mut [Vec4]) {
        let members = around.members;
        let Self { kinds, liquids, normals } = self;
        kinds.update(around.materials);
        let liquid = |&material: &u32| if material == SOLID { NONE[0] } else { kinds.of[material as usize] };
        liquids.clear();
        liquids.extend(members.materials.iter().map(liquid));
        liquids.push(NONE[1]);
        normals.resize(members.len(), Vec4::ZERO);
        let none = &mut Vec::<()>::new();
        around.for_each_chunk(normals, none, |chunk, normals, _| compute_normals(members, liquids, chunk, normals));
        normals.push(Vec4::ZERO);
        around.for_each_chunk(corrections, none, |chunk, corrections, _| {
            apply_tension(around, liquids, normals, chunk, corrections);
        });
    }
}

/// Computes normals and densities of a chunk.
fn compute_normals(members: &Neighbourhood, liquids: &[f32], chunk: Range<usize>, normals: &mut [Vec4]) {
    let per_reach = 1.0 / members.reach;
    for (i, normal) in chunk.zip(normals) {
        *normal = Vec4::ZERO;
        if liquids[i] < 0.0 {
            continue;
        }
        let (mut x, mut y, mut z, mut density) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for four in members.neighbours(i).as_chunks::<4>().0 {
            let apart = FourNeighbours::new(members, members.positions[i], four);
            let same = gather(liquids, four).cmpeq(Vec4::splat(liquids[i]));
            let q = apart.in_reaches(per_reach);
            let slope = Vec4::select(same, gradient_falloff(q).0, Vec4::ZERO);
            density += Vec4::select(same, weight(q).0, Vec4::ZERO);
            x += slope * apart.x;
            y += slope * apart.y;
            z += slope * apart.z;
        }
        let scale = GRADIENT * per_reach;
        *normal = Vec4::new(total(x) * scale, total(y) * scale, total(z) * scale, total(density));
    }
}

/// Adds the corrections \[m\] of a chunk.
fn apply_tension(
    around: &MediumContext<'_>,
    liquids: &[f32],
    normals: &[Vec4],
    chunk: Range<usize>,
    corrections: &mut [Vec4],
) {
    let members = around.members;
    let per_reach = 1.0 / members.reach;
    for (i, correction) in chunk.zip(corrections) {
        if liquids[i] < 0.0 {
            continue;
        }
        let own = normals[i];
        let (mut x, mut y, mut z) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
        for four in members.neighbours(i).as_chunks::<4>().0 {
            let apart = FourNeighbours::new(members, members.positions[i], four);
            let same = gather(liquids, four).cmpeq(Vec4::splat(liquids[i]));
            let q = apart.in_reaches(per_reach);
            let n = columns(normals, four);
            let k = Vec4::select(same, 2.0 / (n.w_axis + own.w), Vec4::ZERO);
            let cohesion = (k - Vec4::ONE).max(Vec4::ZERO) * cohesion(q).0 * COHESION;
            let along = cohesion / apart.distance.max(Vec4::splat(MIN_DISTANCE));
            let across = k * weight(q).0 * (TIGHTENING / SELF_WEIGHT);
            x += along * apart.x + across * (own.x - n.x_axis);
            y += along * apart.y + across * (own.y - n.y_axis);
            z += along * apart.z + across * (own.z - n.z_axis);
        }
        let tension = around.materials[members.materials[i] as usize].parameters[SURFACE_TENSION];
        let scale = (tension * around.h * around.h * members.positions[i].w).min(MAX_FORCE) * (2.0 * around.radius);
        *correction -= Vec4::new(total(x), total(y), total(z), 0.0) * scale;
    }
}

/// Returns C \[1\] at a distance of q reaches.
#[inline(always)]
fn cohesion<S: Real>(q: S) -> S {
    let product = (S::one() - q) * q;
    let cube = product * product * product * 64.0;
    S::literal(0.5).select_lt(q, cube, cube * 2.0 - S::one())
}

#[cfg(test)]
mod tests {
    use xpbd_core::scalar::Single;

    use super::*;

    #[test]
    fn cohesion_pulls_between_a_quarter_and_the_reach() {
        let [at_zero, near, half, end] = [0.0, 0.25, 0.5, 1.0].map(|q| cohesion(Single(q)).0);
        assert_eq!((at_zero, half, end), (-1.0, 1.0, 0.0));
        assert!(near < 0.0);
        let [below, above, far] = [0.4999, 0.5001, 0.8].map(|q| cohesion(Single(q)).0);
        assert!((below - above).abs() < 1e-3);
        assert!((far - 0.262_144).abs() < 1e-6);
    }
}
