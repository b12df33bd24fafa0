//! Soft bodies of scenes: building, measuring and drawing them.

use glam::Vec3;
use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
use xpbd_core::world::{ObjectHandle, World, WorldError};

use super::{OptionKey, SceneError, Setup};
use crate::mesh::Mesh;

/// The key that names the material.
pub(super) const MATERIAL: OptionKey =
    OptionKey { name: "material", default: "neo-hookean", help: "neo-hookean, venant or fibres" };

/// Returns how many cells a cube of about this many tetrahedra has along each edge: twelve a cell, and two more for
/// each of its faces on the border.
pub(super) fn cells(count: usize) -> u32 {
    (1..).take_while(|k| 12 * k * k * k + 12 * k * k <= count as u32).last().unwrap_or(1)
}

/// Returns the vertices of a block beyond a place along x \[m\], each with its part of the area of that end, which sum
/// to 1.
pub(crate) fn end_face_weights(mesh: &TetraMesh, end: f32) -> Vec<(usize, f32)> {
    let mut areas = vec![0.0; mesh.positions().len()];
    for &triangle in mesh.surface() {
        let [a, b, c] = mesh.at(triangle);
        if a.x.min(b.x).min(c.x) > end {
            let area = 0.5 * (b - a).cross(c - a).length();
            triangle.iter().for_each(|&vertex| areas[vertex as usize] += area / 3.0);
        }
    }
    let all: f32 = areas.iter().sum();
    areas.into_iter().enumerate().filter(|(_, area)| *area > 0.0).map(|(k, area)| (k, area / all)).collect()
}

/// A soft body in a world.
pub(super) struct SceneBody {
    pub object: ObjectHandle,
    pub mesh: TetraMesh,
    edges: Vec<[u32; 2]>,
}

/// Returns a material of these numbers, of the kind that the user asks for. Those that need it to recover keep their
/// volume by a constraint.
pub(super) fn material(
    setup: &Setup<'_>,
    body: SoftBody,
    youngs_modulus: f32,
    poisson_ratio: f32,
) -> Result<SoftBody, SceneError> {
    let neo = Elasticity::NeoHookean { youngs_modulus, poisson_ratio };
    let venant = Elasticity::StVenantKirchhoff { youngs_modulus, poisson_ratio };
    let shear = youngs_modulus / (2.0 * (1.0 + poisson_ratio));
    let fibres = Elasticity::Orthotropic { youngs_moduli: [youngs_modulus; 3], shear_moduli: [shear; 3] };
    let material = setup.choice("material", &[("neo-hookean", neo), ("venant", venant), ("fibres", fibres)])?;
    let body = body.elasticity(material);
    Ok(if material == neo { body } else { body.volume_bulk_modulus(youngs_modulus) })
}

/// Adds a body at rest in the shape of a mesh, moved by what `place` says.
pub(super) fn add(
    world: &mut World,
    body: SoftBody,
    mesh: TetraMesh,
    place: impl Fn(usize, Vec3) -> Vec3,
) -> Result<SceneBody, SceneError> {
    let mut object = body.build().map_err(|error| SceneError::Object(error.to_string()))?;
    for (k, position) in object.positions.iter_mut().enumerate() {
        *position = place(k, *position);
    }
    let edges = mesh.edges();
    Ok(SceneBody { object: world.add(object)?, mesh, edges })
}

impl SceneBody {
    /// Returns the volumes of each tetrahedron now, negative if it is inverted, and at rest \[m³\].
    fn volumes(&self, world: &World) -> Result<impl Iterator<Item = [f64; 2]>, WorldError> {
        let places: Vec<_> = world.positions(self.object)?.map(|x| x.as_dvec3()).collect();
        let volume = |[a, b, c, d]: [glam::DVec3; 4]| (b - a).cross(c - a).dot(d - a) / 6.0;
        let both =
            move |&t: &[u32; 4]| [volume(t.map(|k| places[k as usize])), volume(self.mesh.at(t).map(|x| x.as_dvec3()))];
        Ok(self.mesh.tetrahedra().iter().map(both))
    }

    /// Returns the least volume of a tetrahedron as a part of that at rest \[1\], negative if it is inverted; NaN if a
    /// position is not finite.
    pub fn least_volume(&self, world: &World) -> Result<f64, WorldError> {
        let ratios = self.volumes(world)?.map(|[now, rest]| now / rest);
        Ok(ratios.fold(f64::INFINITY, |least, x| if x < least || x.is_nan() { x } else { least }))
    }

    /// Returns its volume as a part of that at rest \[1\].
    pub fn volume_ratio(&self, world: &World) -> Result<f64, WorldError> {
        let [now, rest] = self.volumes(world)?.fold([0.0; 2], |[a, b], [now, rest]| [a + now, b + rest]);
        Ok(now / rest)
    }

    /// Returns the largest relative difference of an edge from its length at rest \[1\].
    pub fn largest_strain(&self, world: &World) -> Result<f64, WorldError> {
        let places: Vec<_> = world.positions(self.object)?.map(|x| x.as_dvec3()).collect();
        let strain = |&[a, b]: &[u32; 2]| {
            let rest = self.mesh.at([a, b]).map(|x| x.as_dvec3());
            (places[a as usize].distance(places[b as usize]) / rest[0].distance(rest[1]) - 1.0).abs()
        };
        Ok(self.edges.iter().map(strain).fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most }))
    }

    /// Returns its surface as it is now.
    pub fn surface(&self, world: &World) -> Result<Mesh, WorldError> {
        Ok(Mesh { positions: world.positions(self.object)?.collect(), triangles: self.mesh.surface().to_vec() })
    }
}
