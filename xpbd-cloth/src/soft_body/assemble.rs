//! The step from a description of a soft body to particles and constraints.

use glam::{DMat3, Vec3};
use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::number::NumberError;
use xpbd_core::object::ParticleStiffness;
use xpbd_core::world::Object;

use super::{Elasticity, SoftBody, SoftBodyError, SoftBodySettings};
use crate::constraint::{
    FibreStrain, FibreStrainParameters, NeoHookean, NeoHookeanParameters, PlasticNeoHookean,
    PlasticNeoHookeanParameters, PlasticTetraStrain, PlasticTetraStrainParameters, TetraLeastVolume,
    TetraLeastVolumeParameters, TetraStrain, TetraStrainParameters, TetraVolume, TetraVolumeParameters,
};
use crate::stiffness;
use crate::tetra_mesh::{TetraError, TetraMesh};

/// The largest plastic strain \[1\] for which the constraints are made.
const LARGEST_PLASTIC_STRAIN: f32 = 4.0;

pub(super) fn object(body: &SoftBody) -> Result<Object, SoftBodyError> {
    check(body)?;
    let mesh = TetraMesh::new(&body.rest_positions, &body.indices)?;
    let vertices = mesh.positions().len();
    let pins = body.particles.sorted_pins(vertices).map_err(|index| SoftBodyError::Pin { index, vertices })?;
    let batches = [Some(material(body, &mesh)?), volume(body, &mesh)?, least_volume(body, &mesh)?];
    let mut object = body.particles.object(mesh.positions(), masses(&mesh, body.settings.density)?, pins);
    if let Some(vertex) = object.positions.iter().position(|x| !x.is_finite()) {
        return Err(TetraError::Position { vertex: vertex as u32, position: object.positions[vertex] }.into());
    }
    object.rest_positions = body.rest_positions.clone();
    object.stiffness = stiffness(body, &mesh);
    object.triangles = mesh.surface().to_vec();
    if let Some(thickness) = body.settings.surface_collision {
        object = object.surface(mesh.surface().to_vec(), thickness);
    }
    Ok(batches.into_iter().flatten().fold(object, Object::with))
}

fn check(body: &SoftBody) -> Result<(), SoftBodyError> {
    body.particles.check()?;
    NumberError::check_positive("density", body.settings.density)?;
    NumberError::check_not_negative("damping time", body.settings.damping_time)?;
    if let Some(least) = body.settings.least_volume {
        NumberError::check("least volume", least, "at least 0 and below 1", (0.0..1.0).contains(&least))?;
    }
    if let Some(thickness) = body.settings.surface_collision {
        NumberError::check_positive("thickness of the surface", thickness)?;
    }
    if let Some(bulk) = body.settings.volume_bulk_modulus {
        NumberError::check_positive_or_infinite("bulk modulus of the volume", bulk)?;
    }
    if let Some(plasticity) = body.settings.plasticity {
        plasticity.check()?;
        let limit = plasticity.limit;
        NumberError::check("plastic limit of a soft body", limit, "at most 4", limit <= LARGEST_PLASTIC_STRAIN)?;
        if matches!(body.settings.elasticity, Elasticity::Orthotropic { .. }) {
            return Err(SoftBodyError::Incompatible("`plasticity` cannot be combined with `Elasticity::Orthotropic`"));
        }
    }
    Ok(body.settings.elasticity.check()?)
}

fn masses(mesh: &TetraMesh, density: f32) -> Result<Vec<f32>, SoftBodyError> {
    let masses: Vec<f32> = mesh.vertex_volumes().iter().map(|volume| volume * density).collect();
    match masses.iter().position(|&mass| !(mass > 0.0 && mass.is_finite())) {
        Some(vertex) => Err(SoftBodyError::Mass { vertex: vertex as u32, mass: masses[vertex] }),
        None => Ok(masses),
    }
}

/// Returns how stiffly the material and the volume hold the vertices.
fn stiffness(body: &SoftBody, mesh: &TetraMesh) -> ParticleStiffness {
    let SoftBodySettings { elasticity, volume_bulk_modulus, damping_time, .. } = body.settings;
    let bulk = f64::from(volume_bulk_modulus.unwrap_or(0.0));
    let mut sums = vec![0.0; mesh.positions().len()];
    for &tetrahedron in mesh.tetrahedra() {
        let [a, b, c, d] = mesh.at(tetrahedron).map(Vec3::as_dvec3);
        let gradients = DMat3::from_cols(b - a, c - a, d - a).inverse();
        let [b, c, d] = [0, 1, 2].map(|vertex| gradients.row(vertex));
        let volume = 1.0 / (6.0 * gradients.determinant());
        for (vertex, gradient) in tetrahedron.into_iter().zip([-(b + c + d), b, c, d]) {
            let density = elasticity.vertex_stiffness(gradient) + bulk * gradient.length_squared() / 3.0;
            sums[vertex as usize] += volume * density;
        }
    }
    ParticleStiffness { stiffness: sums.into_iter().map(|sum| sum as f32).collect(), damping_time }
}

/// Creates a batch over all tetrahedra, with parameters and a compliance from the rest shape of each.
fn batch<K, const M: usize>(
    constraint: K,
    mesh: &TetraMesh,
    damping_time: f32,
    parameters: impl Fn([Vec3; 4]) -> K::Parameters<f32>,
    compliance: impl Fn([Vec3; 4]) -> f32,
) -> Result<Batch, SoftBodyError>
where
    K: Constraint<4, M>,
{
    let rest = || mesh.tetrahedra().iter().map(|&tetrahedron| mesh.at(tetrahedron));
    let compliances: Vec<_> = rest().map(compliance).collect();
    let parameters: Vec<_> = rest().map(parameters).collect();
    let beta = stiffness::damping_coefficient(damping_time, &compliances);
    Ok(Batch::new(constraint, mesh.tetrahedra(), &parameters)?.compliances(compliances)?.damping(beta))
}

fn material(body: &SoftBody, mesh: &TetraMesh) -> Result<Batch, SoftBodyError> {
    let time = body.settings.damping_time;
    match body.settings.elasticity {
        Elasticity::NeoHookean { youngs_modulus: e, poisson_ratio: nu } => {
            let compliance = |rest| NeoHookean::compliance(rest, e, nu);
            if let Some(plasticity) = body.settings.plasticity {
                let parameters = |rest| PlasticNeoHookeanParameters::new(rest, nu, plasticity);
                return batch(PlasticNeoHookean, mesh, time, parameters, compliance);
            }
            batch(NeoHookean, mesh, time, |rest| NeoHookeanParameters::new(rest, nu), compliance)
        }
        Elasticity::StVenantKirchhoff { youngs_modulus: e, poisson_ratio: nu } => {
            let compliance = |rest| TetraStrain::compliance(rest, e);
            if let Some(plasticity) = body.settings.plasticity {
                let parameters = |rest| PlasticTetraStrainParameters::new(rest, nu, plasticity);
                return batch(PlasticTetraStrain, mesh, time, parameters, compliance);
            }
            batch(TetraStrain, mesh, time, |rest| TetraStrainParameters::new(rest, nu), compliance)
        }
        Elasticity::Orthotropic { youngs_moduli: [x, y, z], shear_moduli: [yz, xz, xy] } => {
            let moduli = [x, y, z, yz, xz, xy];
            let parameters = |rest| FibreStrainParameters::new(rest, Vec3::AXES, moduli);
            batch(FibreStrain, mesh, time, parameters, |rest| FibreStrain::compliance(rest, moduli))
        }
    }
}

fn volume(body: &SoftBody, mesh: &TetraMesh) -> Result<Option<Batch>, SoftBodyError> {
    let of = |bulk| {
        let compliance = |rest| TetraVolume::compliance(rest, bulk);
        batch(TetraVolume, mesh, body.settings.damping_time, TetraVolumeParameters::new, compliance)
    };
    body.settings.volume_bulk_modulus.map(of).transpose()
}

fn least_volume(body: &SoftBody, mesh: &TetraMesh) -> Result<Option<Batch>, SoftBodyError> {
    let of = |least| {
        let parameters = |rest| TetraLeastVolumeParameters::new(rest, least);
        batch(TetraLeastVolume, mesh, 0.0, parameters, |_| 0.0)
    };
    body.settings.least_volume.map(of).transpose()
}
