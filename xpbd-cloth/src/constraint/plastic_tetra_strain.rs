//! [Strain of a tetrahedron](super::tetra_strain) of a material that keeps its deformation beyond its yield strain.
//!
//! C is that of [`TetraStrain`]. The inverse rest matrix [changes](super::tetra_plasticity) at the end of a frame, and the
//! volume at rest stays.

use glam::Vec3;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::prelude::*;

use super::tetra_plasticity::{self, TetraPlasticityParameters};
use super::{TetraStrain, TetraStrainParameters, tetra};

xpbd_core::parameters! {
    /// Parameters of [`PlasticTetraStrain`].
    pub struct PlasticTetraStrainParameters<S> {
        /// Elastic material, whose inverse rest matrix changes.
        pub elastic: TetraStrainParameters<S>,
        /// Parameters of the plastic law.
        pub plastic: TetraPlasticityParameters<S>,
    }
}

/// A constraint on Green's strain of a tetrahedron that yields. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticTetraStrain;

impl Constraint<4, 6> for PlasticTetraStrain {
    type Parameters<S: Copy> = PlasticTetraStrainParameters<S>;

    const NAME: &'static str = "plastic-tetra-strain";

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: PlasticTetraStrainParameters<S>) -> [S; 6] {
        TetraStrain::value(x, tetrahedron.elastic)
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 4>,
        mut tetrahedron: PlasticTetraStrainParameters<S>,
        dt: S,
    ) -> Option<PlasticTetraStrainParameters<S>> {
        let PlasticTetraStrainParameters { elastic, plastic } = tetrahedron;
        tetrahedron.elastic.inverse_rest = tetra_plasticity::evolved(x, elastic.inverse_rest, plastic, dt);
        Some(tetrahedron)
    }

    fn compliance<S: Real>(alpha: S, tetrahedron: PlasticTetraStrainParameters<S>) -> [[S; 6]; 6] {
        <TetraStrain as Constraint<4, 6>>::compliance(alpha, tetrahedron.elastic)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], PlasticTetraStrainParameters)> {
        let (rest, points) = tetra::sample(number);
        let plasticity = Plasticity { yield_strain: 0.05, creep: 10.0, limit: 0.5 };
        Some((points, PlasticTetraStrainParameters::new(rest, 0.3, plasticity)))
    }
}

impl PlasticTetraStrainParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in (−1, ½].
    pub fn new(rest: [Vec3; 4], poisson_ratio: f32, plasticity: Plasticity) -> Self {
        let elastic = TetraStrainParameters::new(rest, poisson_ratio);
        Self { elastic, plastic: TetraPlasticityParameters::new(elastic.inverse_rest, plasticity) }
    }
}
