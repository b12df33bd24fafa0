//! Sheets with surfaces that lie on each other, shared by two scenes.

use xpbd_core::world::{ObjectHandle, World, WorldError};

use crate::mesh::{Mesh, count_crossings};

/// Returns the surface of an object as it collides.
pub(super) fn mesh(world: &World, object: ObjectHandle) -> Result<Mesh, WorldError> {
    let state = world.state().objects.get(object).ok_or(WorldError::StaleHandle("object"))?;
    let triangles = state.surface.as_ref().map(|surface| surface.triangles.clone()).unwrap_or_default();
    Ok(Mesh { positions: world.positions(object)?.collect(), triangles })
}

/// Returns how many edges of these surfaces run through triangles of them.
pub(super) fn cloth_crossings(world: &World, objects: &[ObjectHandle]) -> Result<usize, WorldError> {
    let mut all = Mesh::default();
    for &object in objects {
        let mesh = mesh(world, object)?;
        let first = all.positions.len() as u32;
        all.positions.extend(mesh.positions);
        all.triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|corner| corner + first)));
    }
    Ok(count_crossings(&all.positions, &all.triangles))
}
