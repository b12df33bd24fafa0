//! Every number of every component is changed by reflection while a scene runs, as an inspector does.

use bevy::ecs::reflect::ReflectComponent;
use bevy::prelude::*;
use bevy::reflect::{PartialReflect, ReflectRef};
use xpbd_bevy::body::BodyId;
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::*;

use crate::support::{app, floor, points, steps};

/// The numbers from which the geometry of an object or the frames of a joint are made: another one is built from them.
const GEOMETRY: [(&str, &str); 6] = [
    ("Rope", "path"),
    ("Rope", "points"),
    ("Rod", "points"),
    ("Fluid", "shape"),
    ("Joint", "anchor"),
    ("SoftBody", "cell"),
];

/// Returns a running scene of everything that has components, and its entities.
fn scene() -> (App, Vec<Entity>) {
    let mut app = app();
    floor(&mut app);
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    let sheet = Mesh3d(meshes.add(Plane3d::default().mesh().size(1.0, 1.0).subdivisions(5)));
    let cube = Mesh3d(meshes.add(Mesh::from(Cuboid::new(0.3, 0.3, 0.3))));
    let material = (Friction::new(0.4), Restitution(0.1), GravityScale(0.9), LinearDamping(2.0));
    let world = app.world_mut();
    let cloth = ClothSettings {
        air: Some(Air::default()),
        mass_scaling: Some(0.02),
        surface_collision: Some(0.01),
        ..default()
    };
    let held = (Pinned::vertices([0, 6]), ConstantAcceleration(Vec3::X * 0.1), Transform::from_xyz(0.0, 3.0, 0.0));
    let cloth = world.spawn((Cloth(cloth), sheet, material, held)).id();
    // Bending that begins at 0 would be other constraints.
    let rope = RopeSettings { bending: 1e-3, ..default() };
    let rope = (Rope { settings: rope, ..Rope::between(Vec3::ZERO, Vec3::X, 10, 1.0) }, LinearDamping(2.0));
    let rope = world.spawn((rope, Pinned::vertices([0]), Transform::from_xyz(3.0, 3.0, 0.0))).id();
    let rod = (Rod::between(Vec3::ZERO, Vec3::X * 0.5, 5), Clamped::first());
    let rod = world.spawn((rod, LinearDamping(0.5), Transform::from_xyz(6.0, 3.0, 0.0))).id();
    let jelly = world.spawn((SoftBody::default(), cube, Transform::from_xyz(9.0, 0.2, 0.0))).id();
    let post = Transform::from_xyz(12.0, 2.0, 0.0);
    let body = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.2, 0.1), Mass::new(3.0), SleepingDisabled, material);
    let wing = world.spawn((body, AngularDamping(0.3), ColliderDensity(400.0), ExternalForce::default(), post)).id();
    let hinge = HingeJoint::new(Vec3::new(11.5, 2.0, 0.0), Vec3::Y);
    let joint = (Joint::new(wing, hinge), AxisMotor(JointMotor::velocity(0.5)), AxisLimits::new(-3.0, 3.0));
    let joint = world.spawn(joint).id();
    let wind = ForceField::Wind { velocity: Vec3::Z * 0.2, damping: 0.1 };
    let wind = world.spawn((ForceRegion::new(Collider::ball(20.0), wind), Transform::default())).id();
    let belt = (Collider::cuboid(1.0, 0.1, 1.0), SurfaceVelocity(Vec3::X), Transform::from_xyz(15.0, 1.0, 0.0));
    let belt = world.spawn(belt).id();
    let caster = world.spawn(RayCaster::new(Vec3::Y * 5.0, Dir3::NEG_Y)).id();
    steps(&mut app, 240);
    (app, vec![cloth, rope, rod, jelly, wing, joint, wind, belt, caster])
}

/// Collects the paths of all numbers in a value.
fn numbers(value: &dyn PartialReflect, path: &str, found: &mut Vec<String>) {
    // The parts of what is of unit length do not change one by one.
    if value.reflect_type_path().ends_with("::Quat") || value.reflect_type_path().ends_with("::Dir3") {
        return;
    }
    let mut visit = |name: String, field: Option<&dyn PartialReflect>| {
        if let Some(field) = field {
            numbers(field, &format!("{path}{name}"), found);
        }
    };
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => (0..fields.field_len()).for_each(|k| {
            visit(format!(".{}", fields.name_at(k).unwrap_or_default()), fields.field_at(k));
        }),
        ReflectRef::TupleStruct(fields) => {
            (0..fields.field_len()).for_each(|k| visit(format!(".{k}"), fields.field(k)));
        }
        ReflectRef::Enum(variant) => (0..variant.field_len()).for_each(|k| {
            let name = variant.name_at(k).map_or(format!(".{k}"), |name| format!(".{name}"));
            visit(name, variant.field_at(k));
        }),
        ReflectRef::List(items) => (0..items.len()).for_each(|k| visit(format!("[{k}]"), items.get(k))),
        ReflectRef::Array(items) => (0..items.len()).for_each(|k| visit(format!("[{k}]"), items.get(k))),
        ReflectRef::Opaque(_) if value.try_downcast_ref::<f32>().is_some() => found.push(path.to_string()),
        _ => {}
    }
}

/// Returns the components of an entity that the plugin has registered, with their short names.
fn components(app: &App, entity: Entity) -> Vec<(String, ReflectComponent)> {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let own = registry.iter().filter(|of| of.type_info().type_path().starts_with("xpbd_bevy::"));
    let component = own.filter_map(|of| {
        let component = of.data::<ReflectComponent>()?.clone();
        component.contains(app.world().entity(entity)).then(|| {
            let name = of.type_info().type_path_table().short_path().to_string();
            (name, component)
        })
    });
    component.collect()
}

/// Returns the paths of all numbers of a component of an entity.
fn paths(app: &App, component: &ReflectComponent, entity: Entity) -> Vec<String> {
    let mut paths = Vec::new();
    let value = component.reflect(app.world().entity(entity)).expect("the entity has it");
    numbers(value.as_partial_reflect(), "", &mut paths);
    paths
}

#[test]
fn every_number_changes_live_and_resets_nothing() {
    let (mut app, entities) = scene();
    let handles = |app: &App| -> Vec<_> {
        let of = |&entity: &Entity| {
            (app.world().get::<ObjectId>(entity).copied(), app.world().get::<BodyId>(entity).copied())
        };
        entities.iter().map(of).collect()
    };
    let particles = |app: &App| -> Vec<Vec<Vec3>> {
        entities.iter().filter(|&&it| app.world().get::<ObjectId>(it).is_some()).map(|&it| points(app, it)).collect()
    };
    let (mut faults, mut count) = (Vec::new(), 0);
    for &entity in &entities {
        for (name, component) in components(&app, entity) {
            for path in paths(&app, &component, entity) {
                if GEOMETRY.iter().any(|&(of, part)| of == name && path.contains(part)) {
                    continue;
                }
                count += 1;
                let (before, built) = (particles(&app), handles(&app));
                let mut value = component.reflect_mut(app.world_mut().entity_mut(entity)).expect("the entity has it");
                // What is set away is not there any more.
                let Ok(field) = value.reflect_path_mut(path.as_str()) else { continue };
                let number = field.try_downcast_mut::<f32>().expect("it is a number");
                *number += if *number == 0.0 { 1e-4 } else { *number * 1e-3 };
                steps(&mut app, 1);
                for PhysicsError { message, .. } in app.world_mut().resource_mut::<Messages<PhysicsError>>().drain() {
                    faults.push(format!("{name}{path}: {message}"));
                }
                if handles(&app) != built {
                    faults.push(format!("{name}{path} built something anew"));
                    continue;
                }
                let after = particles(&app);
                let way = |(a, b): (&Vec3, &Vec3)| a.distance(*b);
                let farthest = before.iter().flatten().zip(after.iter().flatten()).map(way).fold(0.0, f32::max);
                // All that is soft has come to rest, where nothing that is built anew would lie.
                if farthest > 0.01 {
                    faults.push(format!("{name}{path} moved a particle by {farthest} m"));
                }
            }
        }
    }
    assert!(count > 60, "{count} numbers");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the path of the value that a number is a part of. One cause is told once for it: for three coordinates, for the
/// points of a line, for two limits.
fn part(path: &str) -> &str {
    let path = path.split('[').next().unwrap_or(path);
    let parts = [".x", ".y", ".z", ".min", ".max", ".a", ".b"];
    parts.iter().fold(path, |path, end| path.strip_suffix(end).unwrap_or(path))
}

#[test]
fn a_number_that_is_not_one_is_told_and_leaves_the_scene_as_it_is() {
    let (mut app, entities) = scene();
    let mut silent = std::collections::BTreeMap::<String, bool>::new();
    for &entity in &entities {
        for (name, component) in components(&app, entity) {
            for path in paths(&app, &component, entity) {
                let set = |app: &mut App, number: f32| {
                    let mut value =
                        component.reflect_mut(app.world_mut().entity_mut(entity)).expect("the entity has it");
                    let field = value.reflect_path_mut(path.as_str()).expect("the field is there");
                    std::mem::replace(field.try_downcast_mut::<f32>().expect("it is a number"), number)
                };
                let valid = set(&mut app, f32::NAN);
                let mut told = false;
                for step in 0..3 {
                    if step == 2 {
                        set(&mut app, valid);
                    }
                    steps(&mut app, 1);
                    let mut errors = app.world_mut().resource_mut::<Messages<PhysicsError>>();
                    told |= errors.drain().any(|error| error.entity == entity);
                }
                *silent.entry(format!("{name}{}", part(&path))).or_default() |= told;
            }
        }
    }
    steps(&mut app, 10);
    let physics = app.world().resource::<Physics>();
    for &entity in &entities {
        if physics.object_of(entity).is_some() {
            assert!(points(&app, entity).iter().all(|point| point.is_finite()));
        }
        if let Some(body) = physics.body_of(entity) {
            assert!(!physics.world().is_body_frozen(body).unwrap());
        }
    }
    let silent: Vec<_> = silent.into_iter().filter(|(_, told)| !told).map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
