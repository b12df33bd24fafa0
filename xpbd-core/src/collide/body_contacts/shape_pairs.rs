//! Contact manifolds for every pair of shapes.
//!
//! The dispatcher of parry takes a triangle mesh apart and asks for the contacts of each triangle with a whole height
//! field, of which it knows none. Here both are taken apart. Pairs of convex parts are looked at for
//! [faces](super::face_manifold) that one lies on first.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::details::{
    NormalConstraints, contact_manifolds_composite_shape_composite_shape, contact_manifolds_composite_shape_shape,
    contact_manifolds_heightfield_composite_shape, contact_manifolds_heightfield_shape_shapes,
    contact_manifolds_trimesh_shape_shapes,
};
use parry3d::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeCastOptions, Unsupported,
};
use parry3d::shape::{Shape, TypedShape};

use super::box_manifold::box_manifold;
use super::convex_core::ConvexCore;
use super::face_manifold::{FaceContact, face_contact};
use super::line_manifold::line_manifold;
use super::shape_manifold::feature;

/// The smallest cosine of the angle between a normal that parry finds and that of a triangle for the contact to be on its face \[1\].
const COS_ON_TRIANGLE: f32 = 0.99999;

/// Computes the manifolds of two shapes that are nearer than `reach` \[m\]; `between` is the pose of the second in the
/// frame of the first.
pub fn contact_manifolds(
    [a, b]: [&dyn Shape; 2],
    between: &Pose,
    reach: f32,
    manifolds: &mut Vec<ContactManifold<(), ()>>,
    workspace: &mut Option<ContactManifoldsWorkspace>,
) {
    // Pairs without contacts are refused when the collider is added.
    if ShapePairs.contact_manifolds(between, a, b, reach, manifolds, workspace).is_err() {
        manifolds.clear();
    }
}

/// Computes the manifold of two convex shapes, as [`contact_manifolds`] does.
fn convex_manifold(
    shapes: [&dyn Shape; 2],
    between: &Pose,
    reach: f32,
    manifold: &mut ContactManifold<(), ()>,
) -> Result<(), Unsupported> {
    let found = match shapes.map(Shape::as_typed_shape) {
        [TypedShape::Cuboid(a), TypedShape::Cuboid(b)] => {
            box_manifold([a, b], between, reach).map_or(FaceContact::Apart, FaceContact::Touching)
        }
        _ => match shapes.map(ConvexCore::of) {
            [Some(a), Some(b)] => core_contact([&a, &b], shapes, between, reach),
            _ => FaceContact::Undecided,
        },
    };
    match found {
        FaceContact::Apart => manifold.clear(),
        FaceContact::Touching(found) => found.put_into(manifold),
        FaceContact::Undecided => {
            let [a, b] = shapes;
            DefaultQueryDispatcher.contact_manifold_convex_convex(between, a, b, None, None, reach, manifold)?;
            // Of two triangles in each other parry finds the normal of a face but for rounding.
            let are_flat = shapes.iter().all(|shape| shape.as_triangle().is_some());
            note_faces(manifold, |side, normal| are_flat && is_of_triangle(shapes[side], normal));
        }
    }
    Ok(())
}

/// Returns what faces, and then the sides of cylinders, say of whether two shapes touch.
fn core_contact(cores: [&ConvexCore<'_>; 2], shapes: [&dyn Shape; 2], between: &Pose, reach: f32) -> FaceContact {
    match face_contact(cores, between, reach) {
        FaceContact::Undecided => {
            line_manifold(cores, shapes, between, reach).map_or(FaceContact::Undecided, FaceContact::Touching)
        }
        decided => decided,
    }
}

/// Notes in a manifold of parry's whether a side is touched on a face, which is told for the side and its normal.
fn note_faces(manifold: &mut ContactManifold<(), ()>, is_on_face: impl Fn(usize, Vec3) -> bool) {
    let [first, second] = [is_on_face(0, manifold.local_n1), is_on_face(1, manifold.local_n2)].map(feature);
    manifold.points.iter_mut().for_each(|point| (point.fid1, point.fid2) = (first, second));
}

/// Returns whether a shape is a triangle with this normal, but for rounding.
fn is_of_triangle(shape: &dyn Shape, normal: Vec3) -> bool {
    let face = shape.as_triangle().and_then(|triangle| triangle.normal());
    face.is_some_and(|face| normal.dot(face).abs() > COS_ON_TRIANGLE)
}

/// The dispatcher of parry with other manifolds of convex shapes, and of height fields and meshes.
struct ShapePairs;

impl PersistentQueryDispatcher for ShapePairs {
    fn contact_manifolds(
        &self,
        between: &Pose,
        a: &dyn Shape,
        b: &dyn Shape,
        reach: f32,
        manifolds: &mut Vec<ContactManifold<(), ()>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let back = between.inverse();
        let parts = [a, b].map(Shape::as_composite_shape);
        match ([a, b].map(Shape::as_typed_shape), parts) {
            ([TypedShape::HeightField(field), _], [_, Some(parts)]) => contact_manifolds_heightfield_composite_shape(
                self, between, &back, field, parts, reach, manifolds, workspace, false,
            ),
            ([_, TypedShape::HeightField(field)], [Some(parts), _]) => contact_manifolds_heightfield_composite_shape(
                self, &back, between, field, parts, reach, manifolds, workspace, true,
            ),
            (_, [Some(first), Some(second)]) => contact_manifolds_composite_shape_composite_shape(
                self, between, first, second, reach, manifolds, workspace,
            ),
            ([TypedShape::TriMesh(_), _] | [_, TypedShape::TriMesh(_)], _) => {
                contact_manifolds_trimesh_shape_shapes(self, between, a, b, reach, manifolds, workspace);
            }
            ([TypedShape::HeightField(_), _] | [_, TypedShape::HeightField(_)], _) => {
                contact_manifolds_heightfield_shape_shapes(self, between, a, b, reach, manifolds, workspace);
            }
            (_, [Some(parts), None]) => {
                contact_manifolds_composite_shape_shape(self, between, parts, b, reach, manifolds, workspace, false);
            }
            (_, [None, Some(parts)]) => {
                contact_manifolds_composite_shape_shape(self, &back, parts, a, reach, manifolds, workspace, true);
            }
            (_, [None, None]) => {
                manifolds.resize_with(1, ContactManifold::new);
                return convex_manifold([a, b], between, reach, &mut manifolds[0]);
            }
        }
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        between: &Pose,
        a: &dyn Shape,
        b: &dyn Shape,
        of_first: Option<&dyn NormalConstraints>,
        of_second: Option<&dyn NormalConstraints>,
        reach: f32,
        manifold: &mut ContactManifold<(), ()>,
    ) -> Result<(), Unsupported> {
        if of_first.is_some() || of_second.is_some() {
            let parry = &DefaultQueryDispatcher;
            parry.contact_manifold_convex_convex(between, a, b, of_first, of_second, reach, manifold)?;
            note_faces(manifold, |side, normal| is_of_triangle([a, b][side], normal));
            return Ok(());
        }
        convex_manifold([a, b], between, reach, manifold)
    }
}

impl QueryDispatcher for ShapePairs {
    fn intersection_test(&self, between: &Pose, a: &dyn Shape, b: &dyn Shape) -> Result<bool, Unsupported> {
        DefaultQueryDispatcher.intersection_test(between, a, b)
    }

    fn distance(&self, between: &Pose, a: &dyn Shape, b: &dyn Shape) -> Result<f32, Unsupported> {
        DefaultQueryDispatcher.distance(between, a, b)
    }

    fn contact(
        &self,
        between: &Pose,
        a: &dyn Shape,
        b: &dyn Shape,
        reach: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        DefaultQueryDispatcher.contact(between, a, b, reach)
    }

    fn closest_points(
        &self,
        between: &Pose,
        a: &dyn Shape,
        b: &dyn Shape,
        reach: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        DefaultQueryDispatcher.closest_points(between, a, b, reach)
    }

    fn cast_shapes(
        &self,
        between: &Pose,
        way: Vec3,
        a: &dyn Shape,
        b: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes(between, way, a, b, options)
    }

    fn cast_shapes_nonlinear(
        &self,
        first: &NonlinearRigidMotion,
        a: &dyn Shape,
        second: &NonlinearRigidMotion,
        b: &dyn Shape,
        start: f32,
        end: f32,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        DefaultQueryDispatcher.cast_shapes_nonlinear(first, a, second, b, start, end, stop_at_penetration)
    }
}

/// Returns whether two shapes are nearer than `reach` \[m\]; `between` is the pose of the second in the frame of the first.
pub fn are_near(shapes: [&dyn Shape; 2], between: &Pose, reach: f32) -> bool {
    let mut manifolds = Vec::new();
    contact_manifolds(shapes, between, reach, &mut manifolds, &mut None);
    manifolds.iter().flat_map(|manifold| &manifold.points).any(|point| point.dist <= reach)
}
