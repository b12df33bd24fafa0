//! Sheets as the triangles that are simulated, and how often these cross, shared by some scenes.

use xpbd_core::world::{ObjectHandle, World, WorldError};

use crate::mesh::{Mesh, count_crossings};

/// Returns the triangles of an object as they are simulated.
pub(super) fn mesh(world: &World, object: ObjectHandle) -> Result<Mesh, WorldError> {
    let state = world.state().objects.get(object).ok_or(WorldError::StaleHandle("object"))?;
    let triangles = state.surface.as_ref().map_or(&state.triangles, |surface| &surface.triangles);
    Ok(Mesh { positions: world.positions(object)?.collect(), triangles: triangles.clone() })
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
