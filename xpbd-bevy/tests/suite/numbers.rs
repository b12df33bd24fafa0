//! Numbers of running objects change without a new object and without a new plan.

use bevy::prelude::*;
use xpbd_bevy::object::rope::RopePath;
use xpbd_bevy::prelude::*;
use xpbd_core::world::ObjectHandle;

use crate::support::{app, points, steps};

/// A sheet of 11 × 11 vertices that hangs by one side.
fn hang_cloth(app: &mut App) -> Entity {
    let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build();
    let mesh = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet));
    let cloth = Cloth(ClothSettings {
        stretch: Stretch::Edges { stiffness: 1e4 },
        bending: Bending::Dihedral { stiffness: 1e-4 },
        air: Some(Air::default()),
        ..default()
    });
    app.world_mut().spawn((cloth, mesh, Pinned::vertices(0..11), Friction::new(0.3))).id()
}

fn hang_rope(app: &mut App) -> Entity {
    let settings = RopeSettings { stretch: 1e4, bending: 1e-3, ..default() };
    let rope = Rope { settings, ..Rope::between(Vec3::ZERO, Vec3::X, 20, 1.1) };
    app.world_mut().spawn((rope, Pinned::vertices([0]))).id()
}

/// The object of an entity, and the number of plans made.
fn object_and_plans(app: &App, entity: Entity) -> (Option<ObjectHandle>, u64) {
    let physics = app.world().resource::<Physics>();
    (physics.object_of(entity), physics.world().plan_generation())
}

fn velocities(app: &App, entity: Entity) -> Vec<Vec3> {
    let physics = app.world().resource::<Physics>();
    let object = physics.object_of(entity).expect("it has been built");
    let count = physics.world().positions(object).expect("it is in the world").count();
    (0..count).map(|k| physics.world().velocity(object, k).expect("it is in the world")).collect()
}

/// Makes steps, each after a change, and asserts that no particle moves farther in a step than its velocity before or
/// after lets it, but for a part of the largest speed.
fn assert_continuous(app: &mut App, entity: Entity, count: usize, mut change: impl FnMut(&mut App, f32)) {
    for step in 0..count {
        let (before, start) = (points(app, entity), velocities(app, entity));
        change(app, step as f32 / count as f32);
        app.update();
        let end = velocities(app, entity);
        let fastest = start.iter().chain(&end).map(|velocity| velocity.length()).fold(0.0, f32::max);
        for (k, now) in points(app, entity).iter().enumerate() {
            let way = now.distance(before[k]);
            assert!(way < 2.0 * fastest / 60.0 + 1e-3, "particle {k} in step {step}: {way} m at {fastest} m/s");
        }
    }
}

#[test]
fn numbers_of_a_cloth_changed_every_frame_keep_its_motion_object_and_plan() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    steps(&mut app, 20);
    // Only the first release of vertices that have always been held makes a plan.
    *app.world_mut().get_mut::<Pinned>(cloth).unwrap() = Pinned::vertices([0]);
    steps(&mut app, 10);
    let before = object_and_plans(&app, cloth);
    assert_continuous(&mut app, cloth, 40, |app, part| {
        app.insert_resource(Wind::new(Vec3::X * part));
        let mut entity = app.world_mut().entity_mut(cloth);
        let mut described = entity.get_mut::<Cloth>().unwrap();
        described.stretch = Stretch::Edges { stiffness: 1e4 * (1.0 + part) };
        described.bending = Bending::Dihedral { stiffness: 1e-4 * (1.0 + part) };
        described.damping_time = 0.001 * (1.0 + part);
        *entity.get_mut::<Pinned>().unwrap() = Pinned::vertices(0..(1.0 + 10.0 * part) as u32);
        entity.insert((Friction::new(0.3 + 0.1 * part), LinearDamping(0.1 * part)));
        if part > 0.5 {
            entity.insert(SelfCollision);
        }
    });
    assert_eq!(object_and_plans(&app, cloth), before);
    let physics = app.world().resource::<Physics>();
    let object = physics.world().state().objects.get(before.0.unwrap()).unwrap();
    assert!(
        (object.friction.dynamic_coefficient - 0.3975).abs() < 1e-5 && (object.linear_damping - 0.0975).abs() < 1e-5
    );
    assert!(object.collision_layers.self_collision);
}

#[test]
fn numbers_of_a_rope_changed_every_frame_keep_its_motion_object_and_plan() {
    let mut app = app();
    let rope = hang_rope(&mut app);
    steps(&mut app, 20);
    let before = object_and_plans(&app, rope);
    assert_continuous(&mut app, rope, 40, |app, part| {
        let mut entity = app.world_mut().entity_mut(rope);
        let mut described = entity.get_mut::<Rope>().unwrap();
        (described.stretch, described.bending) = (1e4 * (1.0 + part), 1e-3 * (1.0 + part));
        described.damping_time = 0.001 * (1.0 + part);
        entity.insert(LinearDamping(0.1 * part));
    });
    assert_eq!(object_and_plans(&app, rope), before);
}

#[test]
fn components_marked_as_changed_with_the_same_values_change_no_bits() {
    let run = |marks: bool| {
        let mut app = app();
        let cloth = hang_cloth(&mut app);
        for _ in 0..30 {
            app.update();
            if marks {
                let mut entity = app.world_mut().entity_mut(cloth);
                entity.get_mut::<Cloth>().unwrap().set_changed();
                entity.get_mut::<Pinned>().unwrap().set_changed();
                entity.get_mut::<Friction>().unwrap().set_changed();
            }
        }
        (points(&app, cloth), object_and_plans(&app, cloth).1)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn gravity_scale_of_a_running_cloth_acts_and_ends_with_its_component() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    app.world_mut().entity_mut(cloth).remove::<Pinned>();
    steps(&mut app, 2);
    let plans = object_and_plans(&app, cloth);
    app.world_mut().entity_mut(cloth).insert(GravityScale(-1.0));
    steps(&mut app, 30);
    let rise = |app: &App| velocities(app, cloth).iter().map(|velocity| velocity.y).sum::<f32>() / 121.0;
    assert!(rise(&app) > 1.0, "{} m/s, against the air", rise(&app));
    app.world_mut().entity_mut(cloth).remove::<GravityScale>();
    steps(&mut app, 60);
    assert!(rise(&app) < -1.0, "{} m/s", rise(&app));
    assert_eq!(object_and_plans(&app, cloth), plans);
}

#[test]
fn a_rope_with_more_links_goes_on_from_where_the_one_before_was() {
    let mut app = app();
    let rope = hang_rope(&mut app);
    steps(&mut app, 30);
    let (before, object) = (points(&app, rope), object_and_plans(&app, rope).0);
    // Links that are one percent longer than those of before: a rope this stiff would lash out at more.
    let path = |links: u8| RopePath::Points((0..=links).map(|k| Vec3::X * (0.0555 * f32::from(k))).collect());
    app.world_mut().get_mut::<Rope>(rope).unwrap().path = path(20);
    app.update();
    assert_eq!(object_and_plans(&app, rope).0, object, "only lengths differ");
    app.world_mut().get_mut::<Rope>(rope).unwrap().path = path(25);
    app.update();
    assert_ne!(object_and_plans(&app, rope).0, object);
    let after = points(&app, rope);
    assert_eq!(after.len(), 26);
    for (k, (now, before)) in after.iter().zip(&before).enumerate() {
        assert!(now.distance(*before) < 0.3, "point {k} at {now} was at {before}");
    }
}

#[test]
fn an_invalid_description_leaves_the_object_as_it_was() {
    let mut app = app();
    let cloth = hang_cloth(&mut app);
    steps(&mut app, 5);
    let before = object_and_plans(&app, cloth);
    app.world_mut().get_mut::<Cloth>(cloth).unwrap().density = f32::NAN;
    steps(&mut app, 2);
    assert_eq!(object_and_plans(&app, cloth), before);
}
