//! The density constraint \[PBF13\], for every particle i of a fluid at once (Jacobi):
//!
//! ```text
//! Cᵢ = Σⱼ Vⱼ W(xᵢ − xⱼ) + wall − 1 ≤ 0
//! λᵢ = −ω max(Cᵢ, 0) / ((1 + Cᵢ) (Σⱼ wⱼ |∇W|² + wᵢ |Σⱼ ∇W|²))        (eq. 11, but for 1 + Cᵢ)
//! Δxᵢ = wᵢ Σⱼ (λᵢ + λⱼ) ∇W(xᵢ − xⱼ)                        (eq. 12)
//! ```
//!
//! Volumes are counted instead of masses, so that fluids of different density meet without a gap
//! \[Solenthaler08\]: the correction times the mass is equal and opposite for every pair. Solids count in the
//! density with the volume that each of their particles stands for, Vⱼ = 1/Σₖ W over the solids around it
//! (\[Akinci12\] eq. 4); they push back as contacts, not here (\[Unified14\] section 7). What lies behind a wall
//! pushes by wᵢ λᵢ ∇Γ, as the pressure of a boundary does in \[Akinci12\] eq. 9, and is pushed back. Contacts still
//! hold particles at their radius; without that push water would hang on walls as a film.
//!
//! One iteration a substep is a weakly compressible fluid at the limit of what is stable. A mode of which a
//! projection takes away the part s goes on as z² = (1 − s)(2z − 1) says from substep to substep, which is stable up
//! to s = 4/3. For the steepest mode of the lattice s is 2.6 ω (summed over the neighbours, for all wave vectors), so that
//! ω = 0.51 is safe for what pulls as well as pushes; pressure only pushes, and stays calm at ω = 0.6 and restless at 0.8
//! (measured on a column of 100 layers). At rest under gravity C grows downwards by 0.43 g h²/(ω d²) a metre (measured there, too):
//! errors fall with the square of the substep. A fluid under a heavier one bears that at its own stiffness, so that C is
//! larger there by the ratio of the densities.
//!
//! In a fluid that is pressed together more neighbours are in reach, and the steepest mode grows: s is 3.1 ω at C = 0.36
//! and 3.8 ω at C = 0.91. So ω is divided by 1 + C, which is the project's own. Water 300 particles deep, at 10
//! substeps, springs from its basin at 170 m/s without that, and settles with it.
//!
//! The gradient of the kernel vanishes with the distance. Particles that are all but at one place have a finite
//! compression and next to no gradient, and a correction that is linear in it would throw them across the scene. With the sum S
//! of eq. 11 and the radius r of a particle, multipliers are limited so that no pair is moved by more than
//! r/(1 + C), where the limit is the project's own:
//!
//! ```text
//! |λᵢ| ≤ r / ((1 + Cᵢ) √(wᵢ S))
//! ```
//!
//! Particles at exactly one place, where the corner of a room has put them, have no gradient at all; each is moved its own way
//! by up to a thousandth of r.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | C | compression | 1 |
//! | λ | multiplier | kg m² |
//! | w | inverse mass | 1/kg |
//! | r | radius of a particle | m |
//! | ω | relaxation | 1 |

mod one_place;

use std::ops::Range;

use glam::{Vec3, Vec4};
use multiversion::multiversion;
use xpbd_core::medium::kernel::{MediumHook, MediumStage};
use xpbd_core::medium::{MediumContext, Neighbourhood, SOLID};
use xpbd_core::program::wgsl::constants;
use xpbd_core::scalar::Single;

use crate::four_neighbours::{FourNeighbours, total};
use crate::kernel::{GRADIENT, gradient_falloff, wall_fill, wall_fill_slope, weight};

/// ω.
const RELAXATION: f32 = 0.5;

/// Returns the stages on a GPU, which finds the gradients again where the CPU keeps them.
pub fn stages() -> Vec<MediumStage> {
    let stage = |function, source| MediumStage::summing(MediumHook::Project, function, source);
    vec![
        MediumStage { only_with_solids: true, ..stage("set_solid_volume", include_str!("density/solid_volume.wgsl")) },
        stage("set_multiplier", include_str!("density/multiplier.wgsl")),
        stage("correct", include_str!("density/correction.wgsl")),
    ]
}

/// Returns what the stages of all effects have in common, as WGSL.
pub fn wgsl() -> String {
    constants(&[("RELAXATION", RELAXATION), ("PARTING", one_place::PARTING)]) + include_str!("density.wgsl")
}

/// Buffers of the density constraint.
#[derive(Debug, Default)]
pub struct Density {
    /// Position of each member and λ; one more, that is nowhere.
    places: Vec<Vec4>,
    /// Volume of each member, and inverse mass where it is not a solid; one more, that has none.
    about: Vec<[f32; 2]>,
    lists: Vec<Lists>,
}

/// The sums of a chunk that later stages need.
#[derive(Debug, Default)]
struct Lists {
    /// The gradient of each entry of the lists of neighbours, over x.
    slopes: Vec<f32>,
    /// Displacement of each member by each of its walls \[m\].
    pushes: Vec<f32>,
    /// Members that share their place with another, in order.
    at_one_place: Vec<u32>,
}

impl Density {
    /// Writes the correction of every member.
    pub fn project(&mut self, around: &MediumContext<'_>, corrections: &mut [Vec4]) {
        let members = around.members;
        let mixed = members.has_solids || !one_mass(members);
        self.update_volumes(around, mixed);
        self.places.resize(members.len(), Vec4::ZERO);
        let about = &self.about;
        around.for_each_chunk(&mut self.places, &mut self.lists, |chunk, places, lists| match mixed {
            true => compute_multipliers::<true>(around, about, chunk, places, lists),
            false => compute_multipliers::<false>(around, about, chunk, places, lists),
        });
        self.places.push(members.positions[members.len()].truncate().extend(0.0));
        let places = &self.places;
        around.for_each_chunk(corrections, &mut self.lists, |chunk, corrections, lists| {
            let first = chunk.start;
            compute_corrections(members, places, chunk, corrections, lists);
            one_place::part(members, around.radius, &lists.at_one_place, first, corrections);
        });
    }

    /// Returns how far each wall has pushed its member \[m\], a list a chunk.
    pub fn pushes(&self) -> impl Iterator<Item = &[f32]> {
        self.lists.iter().map(|lists| lists.pushes.as_slice())
    }

    /// Returns the volume of a member \[d³\] when it was last projected.
    pub fn volume(&self, i: usize) -> f32 {
        self.about.get(i).map_or(1.0, |about| about[0])
    }

    /// Updates volumes \[d³\] and inverse masses \[1/kg\] of the members.
    fn update_volumes(&mut self, around: &MediumContext<'_>, mixed: bool) {
        self.about.clear();
        if !mixed {
            return;
        }
        let members = around.members;
        self.about.resize(members.len(), [0.0; 2]);
        around.for_each_chunk(&mut self.about, &mut Vec::<()>::new(), |chunk, about, _| {
            for (i, about) in chunk.zip(about) {
                let solid = members.materials[i] == SOLID;
                *about = if solid { [solid_volume(members, i), 0.0] } else { [1.0, members.positions[i].w] };
            }
        });
        self.about.push([0.0; 2]);
    }
}

/// Returns whether all members weigh the same.
fn one_mass(members: &Neighbourhood) -> bool {
    let count = members.len();
    members.positions[..count].windows(2).all(|pair| pair[0].w == pair[1].w)
}

/// Returns the volume that a solid particle stands for \[d³\], over the lattice.
fn solid_volume(members: &Neighbourhood, i: usize) -> f32 {
    let per_reach = 1.0 / members.reach;
    let x = members.positions[i];
    let mut sum = 0.0;
    for &j in members.neighbours(i).iter().filter(|&&j| (j as usize) < members.len()) {
        if members.materials[j as usize] == SOLID {
            let away = (members.positions[j as usize] - x).truncate();
            sum += weight(Single((away.length() * per_reach).min(1.0))).0;
        }
    }
    1.0 / sum
}

/// Returns how much of the kernel walls fill, over the lattice. Walls at an angle share what is behind both.
fn wall_share(members: &Neighbourhood, i: usize) -> f32 {
    let per_reach = 1.0 / members.reach;
    let mut open = 1.0;
    for wall in members.walls(i) {
        open *= 1.0 - wall.coverage * wall_fill(Single(wall.height * per_reach)).0;
    }
    1.0 - open
}

/// Returns the gradient of that; along each wall it is appended to `slopes` \[1/m\].
fn wall_gradient(members: &Neighbourhood, i: usize, slopes: &mut Vec<f32>) -> Vec3 {
    let per_reach = 1.0 / members.reach;
    let walls = members.walls(i);
    let mut sum = Vec3::ZERO;
    for (k, wall) in walls.iter().enumerate() {
        let mut slope = wall.coverage * wall_fill_slope(Single(wall.height * per_reach)).0 * per_reach;
        for (_, other) in walls.iter().enumerate().filter(|&(l, _)| l != k) {
            slope *= 1.0 - other.coverage * wall_fill(Single(other.height * per_reach)).0;
        }
        slopes.push(slope);
        sum += slope * wall.normal;
    }
    sum
}

/// Sums over the lists of a chunk: λ of each member behind its position, the slope of each entry, and what
/// walls push.
#[multiversion(targets("x86_64+avx+avx2"))]
fn compute_multipliers<const MIXED: bool>(
    around: &MediumContext<'_>,
    about: &[[f32; 2]],
    chunk: Range<usize>,
    places: &mut [Vec4],
    lists: &mut Lists,
) {
    let members = around.members;
    let Lists { slopes, pushes, at_one_place } = lists;
    slopes.clear();
    pushes.clear();
    at_one_place.clear();
    for (i, place) in chunk.zip(places) {
        let x = members.positions[i];
        *place = x.truncate().extend(0.0);
        if members.materials[i] == SOLID {
            slopes.resize(slopes.len() + members.neighbours(i).len(), 0.0);
            continue;
        }
        let sums = sum::<MIXED>(members, about, i, slopes);
        let first = pushes.len();
        let gradient = sums.gradient + wall_gradient(members, i, pushes);
        let compression = sums.density + wall_share(members, i) - 1.0;
        let stiffness = sums.others + x.w * gradient.length_squared();
        if compression > 0.0 && stiffness > 0.0 {
            let most = around.radius / (x.w * stiffness).sqrt();
            place.w = -(RELAXATION * compression / stiffness).min(most) / (1.0 + compression);
        }
        if sums.at_its_place > 1.0 {
            at_one_place.push(i as u32);
        }
        pushes[first..].iter_mut().for_each(|slope| *slope *= place.w * x.w);
    }
}

/// Sums over the neighbours of one member.
struct Sums {
    /// Σ V W with itself, over the lattice.
    density: f32,
    /// Σⱼ wⱼ |∇W|².
    others: f32,
    /// Σⱼ ∇W.
    gradient: Vec3,
    /// Number of members at its very place, itself among them.
    at_its_place: f32,
}

/// Returns the four neighbours at a time, in four sums each.
#[inline(always)]
fn sum<const MIXED: bool>(members: &Neighbourhood, about: &[[f32; 2]], i: usize, slopes: &mut Vec<f32>) -> Sums {
    let x = members.positions[i];
    let per_reach = 1.0 / members.reach;
    let scale = GRADIENT * per_reach * per_reach;
    let mut density = Vec4::ZERO;
    let mut others = Vec4::ZERO;
    let mut at_its_place = Vec4::ZERO;
    let (mut gx, mut gy, mut gz) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
    for four in members.neighbours(i).as_chunks::<4>().0 {
        let apart = FourNeighbours::new(members, x, four);
        let FourNeighbours { x: dx, y: dy, z: dz, square, .. } = apart;
        let q = apart.in_reaches(per_reach);
        let mut w = weight(q).0;
        let mut slope = gradient_falloff(q).0 * scale;
        if MIXED {
            let of = |k: usize| about[four[k] as usize];
            let [a, b, c, d] = [of(0), of(1), of(2), of(3)];
            let volumes = Vec4::new(a[0], b[0], c[0], d[0]);
            w *= volumes;
            // Solids resist like the member itself, or what lies among them would throw its few neighbours away;
            // but they have no slope: they push as contacts.
            let weights = Vec4::new(a[1], b[1], c[1], d[1]);
            let moves = weights.cmpgt(Vec4::ZERO);
            let pull = slope * volumes;
            others += Vec4::select(moves, weights, Vec4::splat(x.w)) * (pull * pull * square);
            slope = Vec4::select(moves, slope, Vec4::ZERO);
        } else {
            others += slope * slope * square;
        }
        at_its_place += Vec4::select(square.cmpeq(Vec4::ZERO), Vec4::ONE, Vec4::ZERO);
        density += w;
        gx += slope * dx;
        gy += slope * dy;
        gz += slope * dz;
        slopes.extend_from_slice(&slope.to_array());
    }
    let others = if MIXED { total(others) } else { x.w * total(others) };
    let gradient = Vec3::new(total(gx), total(gy), total(gz));
    Sums { density: total(density), others, gradient, at_its_place: total(at_its_place) }
}

/// Computes the corrections \[m\] of a chunk.
#[multiversion(targets("x86_64+avx+avx2"))]
fn compute_corrections(
    members: &Neighbourhood,
    places: &[Vec4],
    chunk: Range<usize>,
    corrections: &mut [Vec4],
    lists: &Lists,
) {
    let (mut rest, mut pushes) = (lists.slopes.as_slice(), lists.pushes.iter());
    for (i, correction) in chunk.zip(corrections) {
        let near = members.neighbours(i);
        let (own, others) = rest.split_at(near.len());
        rest = others;
        let x = places[i];
        let mut sum = Vec4::ZERO;
        for (&j, &slope) in near.iter().zip(own) {
            let other = places[j as usize];
            sum += (x - other) * (slope * (x.w + other.w));
        }
        sum *= members.positions[i].w;
        for (wall, push) in members.walls(i).iter().zip(&mut pushes) {
            sum += (*push * wall.normal).extend(0.0);
        }
        *correction = sum;
    }
}

/// Returns the density of every member over its rest density, 0 for solids: Σ V W and what walls fill.
pub fn measure(around: &MediumContext<'_>) -> Vec<f32> {
    let members = around.members;
    let mut density = Density::default();
    density.update_volumes(around, true);
    let mut slopes = Vec::new();
    let of = |i: usize| match members.materials[i] {
        SOLID => 0.0,
        _ => {
            slopes.clear();
            sum::<true>(members, &density.about, i, &mut slopes).density + wall_share(members, i)
        }
    };
    (0..members.len()).map(of).collect()
}
