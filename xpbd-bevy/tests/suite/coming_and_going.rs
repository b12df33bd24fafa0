//! Anything may come and go at any time, and leaves nothing behind.

use bevy::gizmos::GizmoPlugin;
use bevy::prelude::*;
use xpbd_bevy::debug::DebugPlugin;
use xpbd_bevy::drag::DragPlugin;
use xpbd_bevy::prelude::*;
use xpbd_core::batch::Batch;
use xpbd_core::prelude::{Constraint, Points, Real};

use crate::support::app_of;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn place(&mut self) -> Vec3 {
        Vec3::from_array([0.0; 3].map(|_: f32| self.below(1000) as f32 / 250.0 - 2.0)) + 2.0 * Vec3::Y
    }
}

struct Tie;

impl Constraint<2, 1> for Tie {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "tie of a test";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }
}

/// Returns an app with everything but a renderer.
fn app() -> App {
    let settings = Settings { particle_radius: 0.03, substeps: 2, ..Settings::default() };
    app_of(XpbdPlugins::new(settings), (GizmoPlugin, DebugPlugin, DragPlugin::default()))
}

/// Spawns something; what it may need of others is any of those alive, or of those that were.
fn spawn(world: &mut World, random: &mut Random, known: &[Entity], meshes: &[Handle<Mesh>; 2]) -> Entity {
    let at = Transform::from_translation(random.place());
    let any = |random: &mut Random| known.get(random.below(known.len().max(1))).copied();
    let [sheet, ball] = meshes.clone().map(Mesh3d);
    let pins = match any(random) {
        Some(entity) if random.below(2) == 0 => Pinned::vertices([0, 1]).held_by(entity),
        _ => Pinned::when(|k, _| k % 7 == 0),
    };
    let spawned = match random.below(17) {
        0 => world.spawn((Cloth::default(), sheet, at)),
        1 => world.spawn((Cloth::default(), pins, sheet, at, Friction::new(0.3), SelfCollision)),
        2 => world.spawn((Rope::between(Vec3::ZERO, Vec3::X, 8, 1.1), pins, at)),
        3 => world.spawn((Cluster::soft(0.1), ball, at, pins)),
        4 => world.spawn((
            Fluid::block(Vec3::splat(0.08)).capacity(5),
            at,
            CollisionLayers { memberships: 2, filters: 3 },
        )),
        5 => match any(random) {
            Some(fluid) => world.spawn((Emitter::new(fluid, Nozzle::new(NozzleShape::Disc { radius: 0.05 }, 1.0)), at)),
            None => world.spawn(at),
        },
        6 => world.spawn((RigidBody::Dynamic, Collider::ball(0.1), Restitution(0.5), at)),
        7 => world.spawn((RigidBody::Kinematic, Collider::cuboid(0.1, 0.1, 0.1), at)),
        8 => world.spawn((Collider::cuboid(0.2, 0.2, 0.2), at, ColliderDensity(100.0))),
        9 => match (any(random), any(random)) {
            (Some(a), Some(b)) => world.spawn(Joint::between(a, b, BallJoint::new(at.translation))),
            _ => world.spawn(at),
        },
        10 => match any(random) {
            Some(a) => world.spawn((RigidBody::Dynamic, ChildOf(a), Collider::ball(0.05), at)),
            None => world.spawn(at),
        },
        11 => {
            let tearing = TearSettings { max_strain: 0.2, max_force: f32::INFINITY, capacity: 8 };
            world.spawn((Cloth(ClothSettings { tearing: Some(tearing), ..default() }), sheet, at, pins))
        }
        12 => {
            let clamped = any(random).map_or_else(Clamped::last, |a| Clamped::first().held_by(a));
            world.spawn((Rod::between(Vec3::ZERO, Vec3::X * 0.5, 6), clamped, at))
        }
        13 => {
            let winch = Winch { length: 0.3 + random.below(10) as f32 / 5.0, speed: 2.0, attached_to: any(random) };
            let mut rope = Rope::between(Vec3::ZERO, Vec3::X, 8, 1.1);
            rope.spool = 4;
            world.spawn((rope, winch, at))
        }
        14 => match any(random) {
            Some(rod) => world.spawn(SegmentAttachment { rod, segment: 2 }),
            None => world.spawn(at),
        },
        15 => {
            let damping = FrameDamping { frame_entity: any(random), ..FrameDamping::default() };
            world.spawn((Cloth::default(), sheet, at, damping, SkinAttachment::all().max_distance(0.1), pins))
        }
        _ => match (any(random), Batch::new(Tie, &[[0, 1]], &[[0.1]])) {
            (Some(a), Ok(batch)) => world.spawn(Constraints::new(batch).between([a])),
            _ => world.spawn(at),
        },
    };
    spawned.id()
}

/// Changes something of an entity, or takes a component from it.
fn change(world: &mut World, random: &mut Random, entity: Entity) {
    let place = random.place();
    let Ok(mut entity) = world.get_entity_mut(entity) else { return };
    match random.below(14) {
        0 => drop(entity.remove::<Cloth>()),
        1 => drop(entity.remove::<RigidBody>()),
        2 => drop(entity.remove::<Collider>()),
        3 => drop(entity.remove::<Pinned>()),
        4 => drop(entity.insert(Friction::new(0.7))),
        5 => drop(entity.insert(Pinned::vertices([2, 3]))),
        6 => {
            if let Some(mut cloth) = entity.get_mut::<Cloth>() {
                cloth.density *= 1.5;
            }
        }
        7 => drop(entity.remove::<(Rod, Winch)>()),
        8 => drop(entity.remove::<Clamped>()),
        9 => drop(entity.insert(Clamped::last())),
        10 => {
            if let Some(mut rod) = entity.get_mut::<Rod>() {
                rod.radius *= 1.1;
            }
        }
        11 => drop(entity.remove::<(FrameDamping, SkinAttachment)>()),
        12 => {
            let blade = Blade { corner: place - Vec3::splat(2.0), edge: Vec3::X * 4.0, path: Vec3::ONE * 4.0 };
            let cut = CutCloth { entity: entity.id(), blade };
            world.write_message(cut);
        }
        _ => {
            if let Some(mut transform) = entity.get_mut::<Transform>() {
                transform.translation = place;
            }
        }
    }
}

#[test]
fn ten_thousand_come_and_go() {
    let mut app = app();
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    let sheet = Plane3d::default().mesh().size(0.5, 0.5).subdivisions(3).build();
    let ball = Sphere::new(0.15).mesh().ico(2).expect("it is small");
    let meshes = [meshes.add(sheet), meshes.add(ball)];
    app.update();
    let before = app.world().entities().count_spawned();
    let (mut random, mut known, mut most) = (Random(7), Vec::new(), [0, 0]);
    for turn in 0..10_000 {
        match random.below(5) {
            0 | 1 => {
                let entity = spawn(app.world_mut(), &mut random, &known, &meshes);
                known.push(entity);
            }
            2 | 3 if !known.is_empty() => {
                let entity = known.swap_remove(random.below(known.len()));
                app.world_mut().try_despawn(entity).ok();
            }
            _ if !known.is_empty() => {
                let entity = known[random.below(known.len())];
                change(app.world_mut(), &mut random, entity);
            }
            _ => {}
        }
        while known.len() > 40 {
            let entity = known.swap_remove(random.below(known.len()));
            app.world_mut().try_despawn(entity).ok();
        }
        if turn % 25 == 0 {
            app.update();
            let physics = app.world().resource::<Physics>().world();
            most = [most[0].max(physics.objects().len()), most[1].max(physics.state().body_handles.len())];
        }
    }
    assert!(most.iter().all(|&count| count > 5), "{most:?}");
    for entity in known {
        app.world_mut().try_despawn(entity).ok();
    }
    app.update();
    app.update();
    assert_eq!(app.world().entities().count_spawned(), before);
    let physics = app.world().resource::<Physics>();
    let state = physics.world().state();
    let left = [state.objects.len(), state.body_handles.len(), state.batches.len(), state.colliders.len()];
    assert_eq!(left, [0; 4]);
    assert_eq!(physics.owned_count(), 0);
}
