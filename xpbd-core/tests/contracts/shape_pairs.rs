//! Every shape of a dynamic body rests on every other shape, and the other shapes are refused by name.

use glam::{IVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Shape, SharedShape};
use parry3d::utils::Array2;
use xpbd_core::bodies::{Body, BodyKind, LockedAxes, Mass};
use xpbd_core::collide::{Collider, open_mesh, solid_mesh};
use xpbd_core::world::{BodyHandle, Settings, World};

use super::contact_shapes::box_mesh;
use super::support::{refused, step};

/// Half extents of the shapes [m]; thin ones have no height.
const HALF: Vec3 = Vec3::new(0.4, 0.3, 0.4);

/// Returns every shape that a dynamic body may have, with two horizontal faces or caps.
fn solid_shapes() -> Vec<(&'static str, SharedShape)> {
    let (corners, faces) = box_mesh(HALF);
    let inner: Vec<_> = corners.iter().map(|corner| corner - corner.signum() * 0.1).collect();
    let slab = |x: f32| (Pose::translation(x, 0.0, 0.0), SharedShape::cuboid(0.2, 0.3, 0.4));
    vec![
        ("ball", SharedShape::ball(0.3)),
        ("cuboid", SharedShape::cuboid(0.4, 0.3, 0.4)),
        ("capsule", SharedShape::capsule_x(0.3, 0.3)),
        ("cylinder", SharedShape::cylinder(0.3, 0.4)),
        ("cone", SharedShape::cone(0.3, 0.4)),
        ("convex polyhedron", SharedShape::convex_hull(&corners).unwrap()),
        ("solid mesh", solid_mesh(&corners, &faces).unwrap()),
        ("open mesh", open_mesh(&corners, &faces).unwrap()),
        ("compound", SharedShape::compound(vec![slab(-0.2), slab(0.2)])),
        ("round cuboid", SharedShape::round_cuboid(0.3, 0.2, 0.3, 0.1)),
        ("round cylinder", SharedShape::round_cylinder(0.2, 0.3, 0.1)),
        ("round cone", SharedShape::round_cone(0.2, 0.3, 0.1)),
        ("round convex polyhedron", SharedShape::round_convex_hull(&inner, 0.1).unwrap()),
    ]
}

/// Returns the other shapes, with their tops at height 0.
fn other_shapes() -> Vec<(&'static str, SharedShape)> {
    let [a, b, c] = [[1.0, 0.0, 1.5], [1.0, 0.0, -1.5], [-1.5, 0.0, 0.0]].map(Vec3::from_array);
    let [low_a, low_b, low_c] = [a, b, c].map(|corner| corner - Vec3::Y * 0.1);
    vec![
        ("half-space", SharedShape::halfspace(Vec3::Y)),
        ("height field", SharedShape::heightfield(Array2::zeros(9, 9), Vec3::new(2.0, 1.0, 2.0))),
        ("round triangle", SharedShape::round_triangle(low_a, low_b, low_c, 0.1)),
        ("sheet", open_mesh(&[a, b, -a, -b], &[[0, 1, 2], [0, 2, 3]]).unwrap()),
    ]
}

/// Returns the height above the origin of the body of the highest point of a shape [m].
fn top(shape: &dyn Shape, pose: Pose) -> f32 {
    shape.compute_aabb(&pose).maxs.y
}

/// Adds a body that moves along y alone, with a collider turned by `rotation`.
fn add(world: &mut World, kind: BodyKind, height: f32, shape: &SharedShape, rotation: Quat) -> BodyHandle {
    let along_y = LockedAxes { translation: [true, false, true], rotation: [true; 3] };
    let body = Body::dynamic(Pose::translation(0.02, height, 0.03), Mass::ball(1.0, 0.3)).locked_axes(along_y);
    let body = world.add_body(Body { kind, ..body }).unwrap();
    world.add_collider(Collider::new(shape.clone()).attached_to(body).rotation(rotation)).unwrap();
    body
}

/// Drops a shape on one with its top at height 0, which stands on the floor `y = -depth`; returns its lowest point
/// [m] and its speed [m/s] at the end.
fn dropped(lower: (BodyKind, &SharedShape, Quat), upper: &SharedShape) -> (f32, f32) {
    let mut world = World::new(Settings { substeps: 10, ..Settings::default() }).unwrap();
    let (kind, shape, rotation) = lower;
    let turned = Pose::from_parts(Vec3::ZERO, rotation);
    let height = if kind == BodyKind::Dynamic { -top(&**shape, turned) } else { 0.0 };
    let floor = height + shape.compute_aabb(&turned).mins.y;
    if kind == BodyKind::Dynamic {
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::Y * floor)).unwrap();
    }
    add(&mut world, kind, height, shape, rotation);
    let rotation = Quat::from_rotation_y(0.3);
    let bottom = upper.compute_aabb(&Pose::from_parts(Vec3::ZERO, rotation)).mins.y;
    let body = add(&mut world, BodyKind::Dynamic, 0.02 - bottom, upper, rotation);
    step(&mut world, 40);
    let body = world.body(body).unwrap();
    (body.pose.translation.y + bottom, body.velocity.length())
}

/// Describes a pair that does not rest.
fn check(above: &str, below: &str, (height, speed): (f32, f32)) -> Option<String> {
    let rests = height.abs() < 0.01 && speed < 0.05;
    (!rests).then(|| format!("{above} on {below}: {height} m, {speed} m/s"))
}

#[test]
fn a_body_of_any_shape_rests_on_a_body_of_any_shape() {
    let mut failed = Vec::new();
    for (below, lower) in &solid_shapes() {
        // Cones stand on their tips, so that their bases are on top.
        let rotation =
            if below.contains("cone") { Quat::from_rotation_x(std::f32::consts::PI) } else { Quat::IDENTITY };
        for (above, upper) in &solid_shapes() {
            failed.extend(check(above, below, dropped((BodyKind::Dynamic, lower, rotation), upper)));
        }
    }
    assert!(failed.is_empty(), "{} pairs do not rest:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn a_body_of_any_shape_rests_on_every_shape_that_does_not_move() {
    let mut failed = Vec::new();
    for (below, lower) in &other_shapes() {
        for (above, upper) in &solid_shapes() {
            failed.extend(check(above, below, dropped((BodyKind::Fixed, lower, Quat::IDENTITY), upper)));
        }
    }
    assert!(failed.is_empty(), "{} pairs do not rest:\n{}", failed.len(), failed.join("\n"));
}

/// Returns what a world says of a collider with this shape on a body of this kind.
fn refusal(kind: BodyKind, shape: SharedShape) -> String {
    let mut world = World::default();
    let body = world.add_body(Body { kind, ..Body::fixed(Pose::IDENTITY) }).unwrap();
    refused(&mut world, |world| world.add_collider(Collider::new(shape).attached_to(body))).to_string()
}

#[test]
fn a_shape_that_others_would_pass_is_refused_by_name() {
    let cells = [IVec3::ZERO, IVec3::X];
    let field = || SharedShape::heightfield(Array2::zeros(3, 3), Vec3::ONE);
    for (name, shape) in [
        ("Voxels", SharedShape::voxels(Vec3::ONE, &cells)),
        ("Segment", SharedShape::segment(Vec3::ZERO, Vec3::X)),
        ("Polyline", SharedShape::polyline(vec![Vec3::ZERO, Vec3::X], None)),
        ("Triangle", SharedShape::triangle(Vec3::ZERO, Vec3::X, Vec3::Y)),
        ("HeightField", SharedShape::compound(vec![(Pose::IDENTITY, field())])),
    ] {
        let error = refusal(BodyKind::Fixed, shape);
        assert!(error.starts_with(&format!("the shape of a collider is {name}; it must be ")), "{error}");
    }
}

#[test]
fn a_shape_without_contacts_with_its_like_is_refused_on_a_dynamic_body() {
    for ((_, shape), name) in other_shapes().iter().zip(["HalfSpace", "HeightField", "RoundTriangle"]) {
        let error = refusal(BodyKind::Dynamic, shape.clone());
        let start = format!("the shape of a collider on a dynamic body is {name}; it must be ");
        assert!(error.starts_with(&start), "{error}");
        let mut world = World::default();
        let body = add(&mut world, BodyKind::Kinematic, 0.0, shape, Quat::IDENTITY);
        let edit = |world: &mut World| world.edit_body(body, |body| body.kind = BodyKind::Dynamic);
        assert_eq!(refused(&mut world, edit).to_string(), error);
    }
}
