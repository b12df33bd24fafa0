//! Collision shapes as surfaces to draw.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{Ball, Shape, TypedShape};

use crate::mesh::Mesh;

/// Corners around round shapes.
const AROUND: u32 = 64;
/// Half the side of the square that stands for a tilted plane \[m\].
const PLANE: f32 = 4.0;

/// A piece of a shape.
#[derive(Clone, Debug)]
pub(super) enum ShapePiece {
    /// A ball around a centre \[m\], of a radius \[m\].
    Ball(Vec3, f32),
    /// A mesh in the world.
    Mesh(Mesh),
    /// An infinite floor at this height \[m\].
    Floor(f32),
}

/// Returns the pieces of a shape at `pose`; none of shapes without a surface, like points and lines.
pub(super) fn pieces(shape: &dyn Shape, pose: Pose) -> Vec<ShapePiece> {
    let mesh = |(positions, triangles): (Vec<Vec3>, Vec<[u32; 3]>)| {
        let positions = positions.into_iter().map(|x| pose.transform_point(x)).collect();
        vec![ShapePiece::Mesh(Mesh { positions, triangles })]
    };
    match shape.as_typed_shape() {
        TypedShape::Ball(&Ball { radius }) => vec![ShapePiece::Ball(pose.translation, radius)],
        TypedShape::Capsule(capsule) => mesh(capsule.to_trimesh(AROUND, AROUND / 4)),
        TypedShape::Compound(compound) => {
            compound.shapes().iter().flat_map(|(part, shape)| pieces(&**shape, pose * *part)).collect()
        }
        TypedShape::Cone(cone) => mesh(cone.to_trimesh(AROUND)),
        TypedShape::ConvexPolyhedron(hull) => mesh(hull.to_trimesh()),
        TypedShape::Cuboid(cuboid) => mesh(cuboid.to_trimesh()),
        TypedShape::Cylinder(cylinder) => mesh(cylinder.to_trimesh(AROUND)),
        TypedShape::HalfSpace(plane) => vec![half_space(pose.rotation * plane.normal, pose.translation)],
        TypedShape::HeightField(field) => mesh(field.to_trimesh()),
        TypedShape::TriMesh(surface) => mesh((surface.vertices().to_vec(), surface.indices().to_vec())),
        TypedShape::Triangle(triangle) => mesh((vec![triangle.a, triangle.b, triangle.c], vec![[0, 1, 2], [0, 2, 1]])),
        _ => Vec::new(),
    }
}

/// Returns a floor if the plane is level, a square if it is not.
fn half_space(normal: Vec3, point: Vec3) -> ShapePiece {
    if normal.y > 0.9999 {
        return ShapePiece::Floor(point.y);
    }
    let across = normal.any_orthonormal_vector() * PLANE;
    let along = normal.cross(across);
    let corners = [across + along, along - across, -across - along, across - along];
    ShapePiece::Mesh(Mesh {
        positions: corners.map(|corner| point + corner).to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    })
}

#[cfg(test)]
mod tests {
    use parry3d::shape::SharedShape;

    use super::*;

    fn only(shape: &SharedShape) -> ShapePiece {
        let pose = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), glam::Quat::from_xyzw(0.5, 0.5, -0.5, 0.5));
        let mut pieces = pieces(&**shape, pose);
        assert_eq!(pieces.len(), 1, "{:?}", shape.shape_type());
        pieces.remove(0)
    }

    #[test]
    fn solids_face_outward_and_have_their_volume() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let pi = std::f32::consts::PI;
        let solids = [
            (SharedShape::cuboid(0.1, 0.2, 0.3), 0.048),
            (SharedShape::cylinder(0.5, 0.2), 0.04 * pi),
            (SharedShape::cone(0.5, 0.3), 0.03 * pi),
            (SharedShape::capsule_y(0.5, 0.2), (0.04 + 0.032 / 3.0) * pi),
            (SharedShape::convex_hull(&corners).expect("a tetrahedron"), 1.0 / 6.0),
        ];
        for (shape, volume) in solids {
            let ShapePiece::Mesh(mesh) = only(&shape) else { panic!("{:?} is no mesh", shape.shape_type()) };
            assert!((mesh.signed_volume() / volume - 1.0).abs() < 0.01, "{:?}", shape.shape_type());
        }
    }

    #[test]
    fn compounds_hold_their_parts_and_level_planes_are_floors() {
        let parts = vec![
            (Pose::translation(0.0, 1.0, 0.0), SharedShape::ball(0.5)),
            (Pose::translation(0.0, 0.0, 1.0), SharedShape::cuboid(1.0, 1.0, 1.0)),
        ];
        let found = pieces(&*SharedShape::compound(parts), Pose::translation(0.0, 0.0, 2.0));
        assert!(
            matches!(found[..], [ShapePiece::Ball(center, 0.5), ShapePiece::Mesh(_)] if center == Vec3::new(0.0, 1.0, 2.0))
        );
        let plane = SharedShape::halfspace(Vec3::Y);
        assert!(matches!(pieces(&*plane, Pose::translation(0.0, 0.3, 0.0))[..], [ShapePiece::Floor(0.3)]));
    }
}
