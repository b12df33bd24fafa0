//! From a description of a soft body to particles and constraints.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::world::{CollisionLayers, Object};

use super::{Elasticity, SoftBody, SoftBodyError};
use crate::constraint::{FibreStrain, NeoHookean, PlasticNeoHookean, PlasticTetraStrain, TetraStrain, TetraVolume};
use crate::parameter;
use crate::tetra_mesh::{TetraError, TetraMesh};

/// The largest plastic strain that its flow is made for.
const FARTHEST: f32 = 4.0;

pub(super) fn object(body: SoftBody) -> Result<Object, SoftBodyError> {
    check_numbers(&body)?;
    let mesh = TetraMesh::new(&body.rest, &body.indices)?;
    let vertices = mesh.positions().len();
    let positions: Vec<_> = mesh.positions().iter().map(|&x| x + body.offset).collect();
    if let Some(vertex) = positions.iter().position(|x| !x.is_finite()) {
        return Err(TetraError::Position { vertex: vertex as u32, position: positions[vertex] }.into());
    }
    let pins = parameter::pins(&body.pins, vertices).map_err(|index| SoftBodyError::Pin { index, vertices })?;
    let batches = [Some(material(&body, &mesh)?), volume(&body, &mesh)?];
    let mut object = Object::new(body.name, positions, 0.0);
    object.masses = masses(&mesh, body.density)?;
    object.pins = pins;
    object.friction = body.friction;
    object.collision_layers = CollisionLayers { self_collision: body.self_collision, ..CollisionLayers::default() };
    object.linear_damping = body.drag;
    object.rest_positions = body.rest;
    Ok(batches.into_iter().flatten().fold(object, Object::with))
}

fn check_numbers(body: &SoftBody) -> Result<(), SoftBodyError> {
    parameter::positive("density", body.density)?;
    parameter::not_negative("damping time", body.damping)?;
    parameter::not_negative("drag", body.drag)?;
    if let Some(bulk) = body.bulk {
        parameter::stiffness("bulk modulus", bulk)?;
    }
    if let Some(yielding) = body.plastic {
        yielding.check()?;
        parameter::at_most("yield limit of a soft body", yielding.limit, FARTHEST, "at most 4")?;
        if matches!(body.elasticity, Elasticity::Orthotropic { .. }) {
            return Err(SoftBodyError::Incompatible("a material of fibres does not yield"));
        }
    }
    Ok(body.elasticity.check()?)
}

fn masses(mesh: &TetraMesh, density: f32) -> Result<Vec<f32>, SoftBodyError> {
    let masses: Vec<f32> = mesh.vertex_volumes().iter().map(|volume| volume * density).collect();
    match masses.iter().position(|&mass| !(mass > 0.0 && mass.is_finite())) {
        Some(vertex) => Err(SoftBodyError::Mass { vertex: vertex as u32, mass: masses[vertex] }),
        None => Ok(masses),
    }
}

/// Returns a batch over all tetrahedra, with parameters and a compliance from the rest shape of each.
fn batch<K, const M: usize>(
    constraint: K,
    mesh: &TetraMesh,
    damping: f32,
    params: impl Fn([Vec3; 4]) -> K::Parameters<f32>,
    compliance: impl Fn([Vec3; 4]) -> f32,
) -> Result<Batch, SoftBodyError>
where
    K: Constraint<4, M>,
{
    let rest = || mesh.tetrahedra().iter().map(|&tetrahedron| mesh.at(tetrahedron));
    let compliances: Vec<_> = rest().map(compliance).collect();
    let params: Vec<_> = rest().map(params).collect();
    let beta = parameter::damping(damping, &compliances);
    Ok(Batch::new(constraint, mesh.tetrahedra(), &params)?.compliances(compliances)?.damping(beta))
}

fn material(body: &SoftBody, mesh: &TetraMesh) -> Result<Batch, SoftBodyError> {
    match body.elasticity {
        Elasticity::NeoHookean { youngs_modulus: e, poisson_ratio: nu } => {
            let compliance = |rest| NeoHookean::compliance(rest, e, nu);
            if let Some(yielding) = body.plastic {
                let params = |rest| PlasticNeoHookean::params(rest, nu, yielding);
                return batch(PlasticNeoHookean, mesh, body.damping, params, compliance);
            }
            batch(NeoHookean, mesh, body.damping, |rest| NeoHookean::params(rest, nu), compliance)
        }
        Elasticity::StVenantKirchhoff { youngs_modulus: e, poisson_ratio: nu } => {
            let compliance = |rest| TetraStrain::compliance(rest, e);
            if let Some(yielding) = body.plastic {
                let params = |rest| PlasticTetraStrain::params(rest, nu, yielding);
                return batch(PlasticTetraStrain, mesh, body.damping, params, compliance);
            }
            batch(TetraStrain, mesh, body.damping, |rest| TetraStrain::params(rest, nu), compliance)
        }
        Elasticity::Orthotropic { youngs_moduli: [x, y, z], shear_moduli: [yz, xz, xy] } => {
            let moduli = [x, y, z, yz, xz, xy];
            let params = |rest| FibreStrain::params(rest, Vec3::AXES, moduli);
            batch(FibreStrain, mesh, body.damping, params, |rest| FibreStrain::compliance(rest, moduli))
        }
    }
}

fn volume(body: &SoftBody, mesh: &TetraMesh) -> Result<Option<Batch>, SoftBodyError> {
    let of =
        |bulk| batch(TetraVolume, mesh, body.damping, TetraVolume::params, |rest| TetraVolume::compliance(rest, bulk));
    body.bulk.map(of).transpose()
}
