//! Contacts between two meshes that are found on the back of a face.
//!
//! By itself a triangle has two sides. A face of a mesh that has sunk a little into a face of another one is behind it
//! and would be held there. The faces around it cross the other face, and their contacts push the right way. So contacts
//! on the back of a face are left out where the mesh has an inside.

use glam::Vec3;
use parry3d::shape::{Shape, TriMeshFlags, TypedShape};

use super::internal_edges::triangle;
use super::shape_manifold::ShapeManifold;

/// The cosine of the angle between the normals of a contact and of its face below which it is on the back.
const BACK: f32 = -1e-3;

/// Removes the manifolds of two meshes or height fields on the back of a face of a mesh with an inside, or of a height
/// field.
pub fn remove_back_faces(shapes: [&dyn Shape; 2], found: &mut Vec<ShapeManifold>) {
    let is_mesh =
        |shape: &dyn Shape| matches!(shape.as_typed_shape(), TypedShape::TriMesh(_) | TypedShape::HeightField(_));
    if !shapes.into_iter().all(is_mesh) {
        return;
    }
    found.retain(|candidate| {
        [0, 1].into_iter().all(|side| {
            let outward = outward_normal(shapes[side], candidate.pieces[side]);
            outward.is_none_or(|outward| candidate.normals[side].dot(outward) >= BACK)
        })
    });
}

/// Returns the outward normal of a triangle; none for a surface with two sides.
fn outward_normal(shape: &dyn Shape, piece: u32) -> Option<Vec3> {
    let normal = || triangle(shape, piece)?.normal();
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) if mesh.flags().contains(TriMeshFlags::ORIENTED) => normal(),
        TypedShape::HeightField(_) => normal().map(|normal| normal * normal.y.signum()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use parry3d::math::Pose;
    use parry3d::shape::{Cuboid, SharedShape};
    use parry3d::utils::Array2;

    use super::super::manifold::ManifoldSearch;
    use crate::collide::solid_mesh;

    #[test]
    fn a_mesh_that_has_sunk_into_another_surface_is_pushed_out_of_it() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mesh = solid_mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("a solid mesh");
        let block = Cuboid::new(Vec3::new(2.0, 0.5, 2.0)).to_trimesh();
        let below: Vec<Vec3> = block.0.iter().map(|corner| corner - 0.5 * Vec3::Y).collect();
        let block = solid_mesh(&below, &block.1).expect("a solid mesh");
        let field = SharedShape::heightfield(Array2::zeros(3, 3), Vec3::new(4.0, 1.0, 4.0));
        for (ground, depth) in [(&field, 1e-3), (&field, 1e-2), (&block, 1e-3), (&block, 1e-2)] {
            let mut found = Vec::new();
            let pose = Pose::translation(-0.3, depth, 0.4);
            ManifoldSearch::default().manifolds([&*mesh, &**ground], &pose, (0.02, 1e-3), &mut found);
            assert!(!found.is_empty(), "no manifold at a depth of {depth} m");
            for manifold in found {
                assert!(manifold.normal.y > 0.99, "{manifold:?} at a depth of {depth} m");
                assert!((manifold.overlaps[0] - depth).abs() < 1e-4, "{manifold:?} at a depth of {depth} m");
            }
        }
    }
}
