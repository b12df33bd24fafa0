//! [Stable Neo-Hookean material](super::neo_hookean) that keeps its deformation beyond its yield strain: clay, dough,
//! metal.
//!
//! C and its gradient are those of [`NeoHookean`]. The inverse rest matrix [changes](super::tetra_plasticity) at the end
//! of a frame, and the volume at rest stays.

use glam::Vec3;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::prelude::*;
use xpbd_core::scalar;

use super::tetra_plasticity::{self, TetraPlasticityParameters};
use super::{NeoHookean, NeoHookeanParameters, tetra};

xpbd_core::parameters! {
    /// Parameters of [`PlasticNeoHookean`].
    pub struct PlasticNeoHookeanParameters<S> {
        /// Elastic material, whose inverse rest matrix changes.
        pub elastic: NeoHookeanParameters<S>,
        /// Parameters of the plastic law.
        pub plastic: TetraPlasticityParameters<S>,
    }
}

/// A Neo-Hookean tetrahedron that yields. Compliance \[1/J\].
#[derive(Debug, Clone, Copy)]
pub struct PlasticNeoHookean;

impl Constraint<4, 2> for PlasticNeoHookean {
    type Parameters<S: Copy> = PlasticNeoHookeanParameters<S>;

    const NAME: &'static str = "plastic-neo-hookean";
    const ROW_ORDER: RowOrder = NeoHookean::ROW_ORDER;

    fn value<S: Real>(x: &Points<S, 4>, tetrahedron: PlasticNeoHookeanParameters<S>) -> [S; 2] {
        NeoHookean::value(x, tetrahedron.elastic)
    }

    fn gradient<S: Real>(
        x: &Points<S, 4>,
        tetrahedron: PlasticNeoHookeanParameters<S>,
    ) -> Option<[[scalar::Vec3<S>; 4]; 2]> {
        NeoHookean::gradient(x, tetrahedron.elastic)
    }

    fn evolve_parameters<S: Real>(
        x: &Points<S, 4>,
        mut tetrahedron: PlasticNeoHookeanParameters<S>,
        dt: S,
    ) -> Option<PlasticNeoHookeanParameters<S>> {
        let PlasticNeoHookeanParameters { elastic, plastic } = tetrahedron;
        tetrahedron.elastic.inverse_rest = tetra_plasticity::evolved(x, elastic.inverse_rest, plastic, dt);
        Some(tetrahedron)
    }

    fn compliance<S: Real>(alpha: S, tetrahedron: PlasticNeoHookeanParameters<S>) -> [[S; 2]; 2] {
        <NeoHookean as Constraint<4, 2>>::compliance(alpha, tetrahedron.elastic)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; 4], PlasticNeoHookeanParameters)> {
        let (rest, points) = tetra::sample(number);
        let plasticity = Plasticity { yield_strain: 0.05, creep: 10.0, limit: 0.5 };
        Some((points, PlasticNeoHookeanParameters::new(rest, 0.4, plasticity)))
    }
}

impl PlasticNeoHookeanParameters {
    /// Creates the parameters of a tetrahedron at rest \[m\] with a Poisson ratio ν in \[0, ½\].
    pub fn new(rest: [Vec3; 4], poisson_ratio: f32, plasticity: Plasticity) -> Self {
        let elastic = NeoHookeanParameters::new(rest, poisson_ratio);
        Self { elastic, plastic: TetraPlasticityParameters::new(elastic.inverse_rest, plasticity) }
    }
}
