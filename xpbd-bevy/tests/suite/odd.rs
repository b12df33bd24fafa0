//! Odd descriptions: none panics, and each is one message that names the entity and the cause.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, steps};

/// Odd descriptions with their names, and words that are in their messages.
type Odd = Vec<(&'static str, Entity, &'static str)>;

/// Returns the meshes of odd things: a sheet, a cube, and meshes without triangles, with a vertex that is no number, and of
/// a line.
fn meshes(app: &mut App) -> [Mesh3d; 5] {
    let triangles = |positions: Vec<[f32; 3]>| {
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        mesh.with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
    };
    let strip = Mesh::new(PrimitiveTopology::LineStrip, RenderAssetUsages::default());
    let meshes = [
        Plane3d::default().mesh().size(1.0, 1.0).subdivisions(4).build(),
        Cuboid::from_length(0.4).into(),
        triangles(Vec::new()),
        triangles(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.0]]),
        strip,
    ];
    meshes.map(|mesh| Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh)))
}

fn cloths(world: &mut World, [sheet, _, empty, no_number, strip]: &[Mesh3d; 5]) -> Odd {
    let cloth = |change: fn(&mut ClothSettings)| {
        let mut settings = ClothSettings::default();
        change(&mut settings);
        (Cloth(settings), sheet.clone())
    };
    let gone = world.spawn(Transform::default()).id();
    world.despawn(gone);
    let scaled = |scale: f32| (Cloth::default(), sheet.clone(), Transform::from_scale(Vec3::splat(scale)));
    vec![
        ("no mesh", world.spawn(Cloth::default()).id(), "Mesh3d"),
        ("a line", world.spawn((Cloth::default(), strip.clone())).id(), "LineStrip"),
        ("no triangles", world.spawn((Cloth::default(), empty.clone())).id(), "0 vertices"),
        ("a vertex that is no number", world.spawn((Cloth::default(), no_number.clone())).id(), "vertex 2"),
        ("no size", world.spawn(scaled(0.0)).id(), "scale"),
        ("a size that is no number", world.spawn(scaled(f32::NAN)).id(), "scale"),
        ("a vertex that is not there", world.spawn((cloth(|_| {}), Pinned::vertices([99]))).id(), "vertex 99"),
        ("a colour that is not there", world.spawn((cloth(|_| {}), Pinned::painted(Color::WHITE))).id(), "colour"),
        ("no vertex", world.spawn((cloth(|_| {}), Pinned::when(|_, _| false))).id(), "no vertex"),
        ("a holder that is gone", world.spawn((cloth(|_| {}), Pinned::vertices([0]).held_by(gone))).id(), "gone"),
        ("no mass", world.spawn(cloth(|cloth| cloth.density = 0.0)).id(), "density"),
        ("a mass that is no number", world.spawn(cloth(|cloth| cloth.density = f32::NAN)).id(), "density"),
        ("a push", world.spawn(cloth(|cloth| cloth.stretch = Stretch::Edges { stiffness: -1.0 })).id(), "stiffness"),
        (
            "gas in a sheet",
            world.spawn(cloth(|cloth| cloth.gas = Some(Gas { amount: GasAmount::Ratio(1.0), compliance: 0.0 }))).id(),
            "closed",
        ),
        ("damping back in time", world.spawn(cloth(|cloth| cloth.damping_time = -1.0)).id(), "damping"),
        ("damping that is no number", world.spawn((cloth(|_| {}), LinearDamping(f32::NAN))).id(), "damping"),
        ("gravity that is no number", world.spawn((cloth(|_| {}), GravityScale(f32::NAN))).id(), "gravity"),
    ]
}

fn lines(world: &mut World) -> Odd {
    let rope = |settings| Rope { settings, ..Rope::default() };
    let rod = |settings| Rod { settings, ..Rod::default() };
    let no_density = RopeSettings { density: f32::NAN, ..default() };
    vec![
        ("a rope of no points", world.spawn(Rope::through([])).id(), "point"),
        ("a rope of no links", world.spawn(Rope::between(Vec3::ZERO, Vec3::X, 0, 1.0)).id(), "two points"),
        ("a rope that is too short", world.spawn(Rope::between(Vec3::ZERO, Vec3::X, 9, 0.5)).id(), "cannot span"),
        ("a rope without a density", world.spawn(rope(no_density)).id(), "density"),
        ("a rod of one point", world.spawn(Rod::through([Vec3::ZERO])).id(), "point"),
        ("a rod of no thickness", world.spawn(rod(RodSettings { radius: 0.0, ..default() })).id(), "radius"),
    ]
}

fn solids(world: &mut World, [sheet, cube, ..]: &[Mesh3d; 5]) -> Odd {
    let soft = |cell| (SoftBody { cell: Some(cell), ..default() }, cube.clone());
    let liquid = Elasticity::NeoHookean { youngs_modulus: 1e4, poisson_ratio: 0.7 };
    let liquid = SoftBody { settings: SoftBodySettings { elasticity: liquid, ..default() }, ..default() };
    let no_density = FluidMaterial::WATER.density(0.0);
    vec![
        ("an open soft body", world.spawn((SoftBody::default(), sheet.clone())).id(), "open"),
        ("cells of no size", world.spawn(soft(0.0)).id(), "cell"),
        ("a ratio that is too large", world.spawn((liquid, cube.clone())).id(), "Poisson"),
        ("an open cluster", world.spawn((Cluster::rigid(0.1), sheet.clone())).id(), "not closed"),
        ("particles at one place", world.spawn((Cluster::rigid(0.0), cube.clone())).id(), "spacing"),
        ("a fluid of no density", world.spawn(Fluid::block(Vec3::splat(0.2)).material(no_density)).id(), "density"),
        ("a fluid of no size", world.spawn(Fluid::block(Vec3::splat(-0.2))).id(), "too small"),
    ]
}

fn bodies(world: &mut World) -> Odd {
    let ball = || (RigidBody::Dynamic, Collider::ball(0.1));
    let at = |x: f32| Transform::from_xyz(x, 50.0, 0.0);
    let [a, b] = [20.0, 25.0].map(|x| world.spawn((ball(), at(x))).id());
    let hinge = |axis| HingeJoint::new(Vec3::new(20.0, 50.0, 0.0), axis);
    let motor = (Joint::new(b, BallJoint::new(Vec3::new(25.0, 50.0, 0.0))), AxisMotor(JointMotor::velocity(1.0)));
    let leash = DistanceJoint::new(Vec3::ZERO, Vec3::ZERO, -1.0, 1.0);
    let controller =
        CharacterController(xpbd_rigid::character::CharacterController { step_height: f32::NAN, ..default() });
    vec![
        ("nothing that has a mass", world.spawn((RigidBody::Dynamic, at(30.0))).id(), "collider"),
        ("half of a world", world.spawn((RigidBody::Dynamic, Collider::half_space(Vec3::Y), at(35.0))).id(), "volume"),
        ("less than no mass", world.spawn((ball(), Mass::new(-1.0), at(40.0))).id(), "mass"),
        ("no density", world.spawn((ball(), ColliderDensity(0.0), at(45.0))).id(), "density"),
        ("a push in place of friction", world.spawn((ball(), Friction::new(-1.0), at(50.0))).id(), "friction"),
        ("a bounce without end", world.spawn((ball(), Restitution(2.0), at(55.0))).id(), "restitution"),
        (
            "a radius that is no number",
            world.spawn((RigidBody::Fixed, Collider::ball(f32::NAN), at(60.0))).id(),
            "collider",
        ),
        ("a place that is no number", world.spawn((ball(), at(f32::NAN))).id(), "pose"),
        ("a velocity that is no number", world.spawn((ball(), LinearVelocity(Vec3::NAN), at(65.0))).id(), "velocity"),
        ("a joint of one body", world.spawn(Joint::between(a, a, hinge(Vec3::Y))).id(), "on one body"),
        ("a hinge about nothing", world.spawn(Joint::new(a, hinge(Vec3::ZERO))).id(), "axis"),
        ("limits the wrong way round", world.spawn(Joint::new(a, hinge(Vec3::Y).limits(1.0, -1.0))).id(), "limit"),
        ("a motor of a ball joint", world.spawn(motor).id(), "AxisMotor"),
        ("less than no distance", world.spawn(Joint::between(a, b, leash)).id(), "distance"),
        (
            "a step that is no number",
            world.spawn((controller, Collider::capsule(0.5, 0.3), at(70.0))).id(),
            "step_height",
        ),
    ]
}

#[test]
fn each_odd_description_is_one_message_that_names_its_entity_and_the_cause() {
    let mut app = app();
    let meshes = meshes(&mut app);
    let world = app.world_mut();
    let odd = [cloths(world, &meshes), lines(world), solids(world, &meshes), bodies(world)].concat();
    assert!(odd.len() > 35, "{}", odd.len());
    let mut told: Vec<PhysicsError> = Vec::new();
    for _ in 0..70 {
        steps(&mut app, 1);
        told.extend(app.world_mut().resource_mut::<Messages<PhysicsError>>().drain());
    }
    let mut faults = Vec::new();
    for (name, entity, word) in &odd {
        let of_entity: Vec<_> =
            told.iter().filter(|error| error.entity == *entity).map(|error| &error.message).collect();
        if of_entity.len() != 1 || !of_entity[0].contains(word) {
            faults.push(format!("{name}: not one message with {word:?}: {of_entity:?}"));
        }
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), odd.len(), faults.join("\n"));
}
