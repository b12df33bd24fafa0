//! Strain of a tetrahedron along three directions of its material (\[Müller14\] Müller, Chentanez, Kim, Macklin,
//! Strain Based Dynamics).
//!
//! With the columns fᵢ of the deformation gradient F, what becomes of the material's unit vectors, the rows are
//! the entries of FᵀF, made lengths and angles so that each resists alone:
//!
//! ```text
//! C = (|f₁| − 1, |f₂| − 1, |f₃| − 1, cos(f₂, f₃), cos(f₁, f₃), cos(f₁, f₂))
//! ```
//!
//! solved in turn. Each has a modulus of its own, for wood, muscle, layers: the stored energy is
//! ½ V (Σ Eᵢ Cᵢ² + Σ Gᵢⱼ Cᵢⱼ²), and the compliances α eᵢ and α gᵢⱼ with α = 1/(M V), e = M/E, g = M/G, M the
//! largest modulus. What is stretched does not get thinner (ν = 0), unless the
//! [volume](super::tetra_volume) is a constraint too; with it a body recovers from inversion, without it not.
//! Every multiplier is admissible.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | Eᵢ | Young's modulus along direction i | Pa |
//! | Gᵢⱼ | shear modulus between directions i and j | Pa |
//! | V | rest volume | m³ |
//! | α | compliance | 1/J |

use glam::{DMat3, Vec3};
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::tetra;

/// The smallest length that an angle divides by \[1\].
const SHORT: f32 = 1e-3;

xpbd_core::parameters! {
    /// Parameters of [`FibreStrain`].
    pub struct FibreStrainParameters<S> {
        /// Inverse rest matrix by rows \[1/m\].
        pub inverse_rest: [S; 9],
        /// Factors e₁, e₂, e₃, g₂₃, g₁₃, g₁₂ of the compliance \[1\].
        pub compliance_factors: [S; 6],
    }
}

/// A constraint on stretch along and shear between three directions of a tetrahedron. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct FibreStrain;

impl Constraint<4, 6> for FibreStrain {
    type Parameters<S: Copy> = FibreStrainParameters<S>;

    const NAME: &'static str = "fibre-strain";
    const ROW_ORDER: RowOrder = RowOrder::Sequential;

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: FibreStrainParameters<S>) -> [S; 6] {
        let rest = tetrahedron.inverse_rest;
        let [d1, d2, d3] = tetra::edges(x);
        let [f1, f2, f3] = [0, 1, 2].map(|k| d1 * rest[k] + d2 * rest[3 + k] + d3 * rest[6 + k]);
        let [l1, l2, l3] = [f1, f2, f3].map(|f| f.length());
        let short = S::literal(SHORT);
        let cosine = |a: scalar::Vec3<S>, b, la: S, lb: S| a.dot(b) / (la.max(short) * lb.max(short));
        [l1 - 1.0, l2 - 1.0, l3 - 1.0, cosine(f2, f3, l2, l3), cosine(f1, f3, l1, l3), cosine(f1, f2, l1, l2)]
    }

    fn compliance<S: Real>(alpha: S, tetrahedron: FibreStrainParameters<S>) -> [[S; 6]; 6] {
        super::diagonal(tetrahedron.compliance_factors.map(|factor| alpha * factor))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], FibreStrainParameters)> {
        let (rest, points) = tetra::sample(number);
        let moduli = [1.0, 2.0, 3.0, 0.5, 0.6, 0.7];
        Some((points, FibreStrainParameters::new(rest, [Vec3::X, Vec3::Y, Vec3::Z], moduli)))
    }
}

impl FibreStrainParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] with three orthogonal unit directions and the moduli E₁, E₂, E₃,
    /// G₂₃, G₁₃, G₁₂ \[Pa\], infinite ones for what is rigid.
    pub fn new(rest: [Vec3; 4], axes: [Vec3; 3], moduli: [f32; 6]) -> Self {
        let edges = [1, 2, 3].map(|k| rest[k].as_dvec3() - rest[0].as_dvec3());
        let axes = DMat3::from_cols_array_2d(&axes.map(|axis| axis.as_dvec3().to_array()));
        let inverse = DMat3::from_cols_array_2d(&edges.map(|edge| edge.to_array())).inverse() * axes;
        let largest = largest(moduli);
        let factor = |modulus: f32| if modulus.is_finite() { largest / modulus } else { 0.0 };
        Self {
            inverse_rest: std::array::from_fn(|k| inverse.col(k % 3)[k / 3] as f32),
            compliance_factors: moduli.map(factor),
        }
    }
}

impl FibreStrain {
    /// Returns the compliance α \[1/J\] of a tetrahedron at rest \[m\] with these moduli \[Pa\].
    pub fn compliance(rest: [Vec3; 4], moduli: [f32; 6]) -> f32 {
        (1.0 / (f64::from(largest(moduli)) * tetra::volume(rest))) as f32
    }
}

/// Returns the largest finite modulus, or infinity.
fn largest(moduli: [f32; 6]) -> f32 {
    let finite = moduli.into_iter().filter(|modulus| modulus.is_finite());
    finite.reduce(f32::max).unwrap_or(f32::INFINITY)
}
