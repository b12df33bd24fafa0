//! Contact manifolds for every pair of shapes.
//!
//! The dispatcher of parry takes a triangle mesh apart and asks for the contacts of each triangle with a whole height
//! field, of which it knows none. Here both are taken apart.

use parry3d::math::Pose;
use parry3d::query::details::contact_manifolds_heightfield_composite_shape;
use parry3d::query::{ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d::shape::{Shape, TypedShape};

/// Computes the manifolds of two shapes that are nearer than `reach` \[m\]; `between` is the pose of the second in the
/// frame of the first.
pub fn contact_manifolds(
    [a, b]: [&dyn Shape; 2],
    between: &Pose,
    reach: f32,
    manifolds: &mut Vec<ContactManifold<(), ()>>,
    workspace: &mut Option<ContactManifoldsWorkspace>,
) {
    let (parry, back) = (&DefaultQueryDispatcher, between.inverse());
    let computed = match (a.as_typed_shape(), b.as_typed_shape()) {
        (TypedShape::HeightField(field), TypedShape::TriMesh(mesh)) => {
            contact_manifolds_heightfield_composite_shape(
                parry, between, &back, field, mesh, reach, manifolds, workspace, false,
            );
            Ok(())
        }
        (TypedShape::TriMesh(mesh), TypedShape::HeightField(field)) => {
            contact_manifolds_heightfield_composite_shape(
                parry, &back, between, field, mesh, reach, manifolds, workspace, true,
            );
            Ok(())
        }
        _ => parry.contact_manifolds(between, a, b, reach, manifolds, workspace),
    };
    // Pairs without contacts are refused when the collider is added.
    if computed.is_err() {
        manifolds.clear();
    }
}

/// Returns whether two shapes touch; `between` is the pose of the second in the frame of the first.
pub fn shapes_touch(shapes: [&dyn Shape; 2], between: &Pose) -> bool {
    let mut manifolds = Vec::new();
    contact_manifolds(shapes, between, 0.0, &mut manifolds, &mut None);
    manifolds.iter().flat_map(|manifold| &manifold.points).any(|point| point.dist <= 0.0)
}
