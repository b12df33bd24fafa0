//! Adhesion: fluids stick to solids and walls \[Akinci13\].
//!
//! ```text
//! Fᵢ = −Σⱼ E d a Vⱼ A(|x|) x/|x| − Σ walls ½ b c E d u² n,       x = xᵢ − xⱼ                    (eq. 6)
//! A(q R) = (4 (−4 q² + 6 q − 2))^¼ for ½ < q < 1, else 0                                        (eq. 7)
//! ```
//!
//! a and b make E the work of adhesion: what it takes to part half a lattice of fluid from half a lattice of
//! solid, or from a wall d/2 below its first layer, an area. By the equation of Young and Dupré, E = γ (1 + cos θ),
//! drops then meet walls at the angle θ, and E = 0 lets go. Lines of contact stick, though: drops of 700 particles
//! that spread come to rest at 119°, 103° and 91° where 120°, 90° and 60° are due, and such that draw back at 101°, 60°
//! and 59°.
//!
//! The sums run over the particles of solids, which take the opposite; walls and bodies take nothing. E is at most
//! m/(50 h²), m the smaller mass of the two.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E | work of adhesion | N/m |
//! | V | volume of a solid particle | d³ |
//! | n, u, c | normal of a wall, 1 − its distance over R, its coverage | 1 |

use std::ops::Range;

use glam::Vec4;
use xpbd_core::medium::kernel::{MediumHook, MediumStage};
use xpbd_core::medium::{MediumContext, SOLID};
use xpbd_core::program::wgsl::{constants, function};
use xpbd_core::program::{Graph, Sym};
use xpbd_core::scalar::{Real, Single4};

use crate::density::Density;
use crate::four_neighbours::{FourNeighbours, MIN_DISTANCE, gather, total};
use crate::material::{ADHESION, MAX_FORCE};

/// a.
const PAIR: f32 = 0.263_037_3;
/// ½ b: (¾³ + ¼³) b/3 is 1.
const WALL: f32 = 24.0 / 7.0;

/// The smallest inverse mass \[1/kg\] that is divided by on a GPU.
const MIN_INVERSE_MASS: f32 = 1e-30;

/// Returns the stages on a GPU: solids, and walls. A is so steep at the reach that it matters who has come within reach
/// since the start of the substep, whom the CPU does not see: positions at that time are handed on.
pub fn stages() -> Vec<MediumStage> {
    let common = wgsl();
    let mark = "fn store_position(k: u32) {\n    set_field(HANDED_ON, k, place(k));\n}\n";
    let stage =
        |function, source: &str| MediumStage::summing(MediumHook::Velocities, function, common.clone() + source);
    vec![
        MediumStage {
            sums: false,
            only_with_solids: true,
            only_first: true,
            ..MediumStage::summing(MediumHook::Project, "store_position", mark)
        },
        MediumStage { only_with_solids: true, ..stage("apply_adhesion", include_str!("adhesion/pairs.wgsl")) },
        MediumStage { sums: false, ..stage("apply_wall_adhesion", include_str!("adhesion/walls.wgsl")) },
    ]
}

/// Returns what both stages call, as WGSL.
fn wgsl() -> String {
    let values = [
        ("PAIR", PAIR),
        ("WALL_ADHESION", WALL),
        ("MAX_FORCE", MAX_FORCE),
        ("MIN_DISTANCE", MIN_DISTANCE),
        ("MIN_INVERSE_MASS", MIN_INVERSE_MASS),
    ];
    let adhesion = function(&Graph::new(), "adhesion", ["q"], |(q,): (Sym,)| adhesion(q));
    [constants(&values), format!("const ADHESION = {ADHESION}u;\n"), adhesion].concat()
}

/// Buffers of adhesion.
#[derive(Debug, Default)]
pub struct Adhesion {
    /// E of each member, or of a solid minus its volume; one more, that has none.
    about: Vec<f32>,
}

impl Adhesion {
    /// Adds the change of velocity \[m/s\] of every member.
    pub fn add(&mut self, around: &MediumContext<'_>, density: &Density, changes: &mut [Vec4]) {
        let members = around.members;
        let number = |i: usize| match members.materials[i] {
            SOLID => -density.volume(i),
            material => around.materials[material as usize].parameters[ADHESION],
        };
        self.about.clear();
        self.about.extend((0..members.len()).map(number));
        self.about.push(0.0);
        let about = &self.about;
        around.for_each_chunk(changes, &mut Vec::<()>::new(), |chunk, changes, _| {
            apply_adhesion(around, about, chunk, changes)
        });
    }
}

/// Adds the changes of velocity \[m/s\] of a chunk.
fn apply_adhesion(around: &MediumContext<'_>, about: &[f32], chunk: Range<usize>, changes: &mut [Vec4]) {
    let members = around.members;
    let per_reach = 1.0 / members.reach;
    let scale = 2.0 * around.radius / around.h;
    let square = around.h * around.h;
    for (i, change) in chunk.zip(changes) {
        let inverse_mass = members.positions[i].w;
        if members.has_solids && about[i] != 0.0 {
            let (mut x, mut y, mut z) = (Vec4::ZERO, Vec4::ZERO, Vec4::ZERO);
            for four in members.neighbours(i).as_chunks::<4>().0 {
                let apart = FourNeighbours::new(members, members.positions[i], four);
                let other = gather(about, four);
                // Of a fluid and a solid the one number is positive and the other negative.
                let (energy, volume) = (other.max(Vec4::splat(about[i])), -other.min(Vec4::splat(about[i])));
                let one_of_each = energy.cmpgt(Vec4::ZERO) & volume.cmpgt(Vec4::ZERO);
                let masses = four.map(|j| members.positions[j as usize].w.max(inverse_mass));
                let weighed = (energy * square * Vec4::from_array(masses)).min(Vec4::splat(MAX_FORCE));
                let pull = weighed / Vec4::from_array(masses).max(Vec4::splat(f32::MIN_POSITIVE));
                let pull = Vec4::select(one_of_each, pull * volume, Vec4::ZERO);
                let along = pull * adhesion(Single4(apart.distance * per_reach)).0
                    / apart.distance.max(Vec4::splat(MIN_DISTANCE));
                x += along * apart.x;
                y += along * apart.y;
                z += along * apart.z;
            }
            *change -= Vec4::new(total(x), total(y), total(z), 0.0) * (scale * PAIR * inverse_mass);
        }
        let strength = (about[i].max(0.0) * square * inverse_mass).min(MAX_FORCE);
        for wall in members.walls(i) {
            let u = 1.0 - (wall.height * per_reach).clamp(0.0, 1.0);
            *change -= wall.normal.extend(0.0) * (scale * WALL * strength * wall.coverage * u * u);
        }
    }
}

/// Returns A \[1\] at a distance of q reaches.
#[inline(always)]
fn adhesion<S: Real>(q: S) -> S {
    let inside = ((q * 6.0 - q * q * 4.0 - S::literal(2.0)) * 4.0).max(S::zero());
    q.select_lt(S::one(), inside.sqrt().sqrt(), S::zero())
}

#[cfg(test)]
mod tests {
    use xpbd_core::scalar::Single;

    use super::*;

    /// ∫ from q to 1 of A.
    fn work(q: f64) -> f64 {
        let steps = 20_000;
        let from = q.max(0.5);
        let at = |k: i32| (from + (1.0 - from) * (f64::from(k) + 0.5) / f64::from(steps)) as f32;
        (0..steps).map(|k| f64::from(adhesion(Single(at(k))).0)).sum::<f64>() * (1.0 - from) / f64::from(steps)
    }

    /// Two half lattices are parted: every pair across, and every layer from a wall.
    #[test]
    fn parting_takes_the_work_of_adhesion() {
        let mut pairs = 0.0;
        for (x, y, z) in (0..50).map(|k| (k % 5 - 2, k / 5 % 5 - 2, k / 25 + 1)) {
            let q = f64::from(x * x + y * y + z * z).sqrt() / 2.0;
            if q < 1.0 {
                pairs += f64::from(z) * work(q) * 2.0 * f64::from(PAIR);
            }
        }
        assert!((pairs - 1.0).abs() < 1e-4, "{pairs}");
        let wall: f64 = [0.25, 0.75].map(|z: f64| 2.0 * f64::from(WALL) * (1.0 - z).powi(3) / 3.0).iter().sum();
        assert!((wall - 1.0).abs() < 1e-6, "{wall}");
    }
}
