//! Fluids, emitters and sinks in an app without a window.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_bevy::emitter::{EmitterOutput, SinkCount};
use xpbd_bevy::prelude::*;
use xpbd_core::collide::Collider;

use crate::support::{app_of, points, steps};

const RADIUS: f32 = 0.025;

fn app() -> App {
    app_of(XpbdPlugins::new(Settings { particle_radius: RADIUS, contact_margin: RADIUS, ..Settings::default() }), ())
}

fn present(app: &App, fluid: Entity) -> usize {
    let physics = app.world().resource::<Physics>();
    physics.world().active_count(physics.object_of(fluid).expect("it has been made")).expect("it is there")
}

/// A box without a lid, open above, about the origin: its floor at 0, its walls this far from the middle.
fn walls(app: &mut App, half: f32) {
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let world = physics.world_mut();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let wall =
            Collider { pose: Pose::from_translation(-half * normal), ..Collider::new(SharedShape::halfspace(normal)) };
        world.add_collider(wall).unwrap();
    }
}

#[test]
fn water_settles_at_its_density() {
    let mut app = app();
    walls(&mut app, 0.2);
    let block = Fluid::block(Vec3::new(0.2, 0.2, 0.1));
    let water = app.world_mut().spawn((block, Transform::from_xyz(0.0, 0.2, -0.1))).id();
    app.update();
    assert_eq!(present(&app, water), 8 * 8 * 4);
    steps(&mut app, 300);
    let points = points(&app, water);
    // Half the width, then all of it: half as high. The mean height is half of that.
    let mean = points.iter().map(|x| x.y).sum::<f32>() / points.len() as f32;
    assert!((mean - 0.1).abs() < 0.01, "{mean}");
    let highest = points.iter().map(|x| x.y).fold(0.0, f32::max);
    assert!(highest < 0.2 + RADIUS, "{highest}");
}

#[test]
fn a_block_stands_as_its_entity_does() {
    let mut app = app();
    let turned = Quat::from_axis_angle(Vec3::Y, 0.5);
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(turned);
    let block = app.world_mut().spawn((Fluid::block(Vec3::new(0.1, 0.2, 0.06)), place, GravityScale(0.0))).id();
    let velocity = LinearVelocity(Vec3::X);
    let points_of = Fluid::points([Vec3::ZERO, Vec3::X]).capacity(3);
    let moving = app.world_mut().spawn((points_of, place.with_scale(Vec3::splat(2.0)), velocity)).id();
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    app.update();
    let local: Vec<_> = points(&app, block).iter().map(|x| turned.inverse() * (x - place.translation)).collect();
    assert_eq!(local.len(), 4 * 8 * 2);
    let middle = local.iter().sum::<Vec3>() / local.len() as f32;
    assert!(middle.length() < 1e-5, "{middle}");
    let most = local.iter().fold(Vec3::ZERO, |most, x| most.max(x.abs()));
    assert!((most - Vec3::new(0.075, 0.175, 0.025)).length() < 1e-5, "{most}");
    let at = points(&app, moving);
    assert_eq!((at.len(), present(&app, moving)), (5, 2));
    assert!((at[0].distance(at[1]) - 2.0).abs() < 1e-5);
    let physics = app.world().resource::<Physics>();
    assert_eq!(physics.world().velocity(physics.object_of(moving).unwrap(), 1), Ok(Vec3::X));
}

#[test]
fn an_emitter_fills_and_a_sink_empties() {
    let mut app = app();
    let water = app.world_mut().spawn(Fluid::empty(400)).id();
    let opening = NozzleShape::Disc { radius: 0.075 };
    let down = Transform::from_xyz(0.0, 1.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::X);
    let tap = app.world_mut().spawn((Emitter::new(water, Nozzle::new(opening, 2.0).max_particles(300)), down)).id();
    steps(&mut app, 20);
    let emitted = app.world().get::<EmitterOutput>(tap).unwrap().emitted();
    // Layers of 5, a spacing of 0.05 m apart, at 2 m/s: 40 a second, the first at once.
    assert_eq!(emitted, 5 * (1 + 19 * 40 / 60));
    assert_eq!(present(&app, water) as u64, emitted);
    let lowest = points(&app, water).iter().map(|x| x.y).fold(f32::MAX, f32::min);
    let fallen = 1.0 - 2.0 * (20.0 / 60.0) - 0.5 * 9.81 * (20.0 / 60.0) * (20.0 / 60.0);
    assert!((lowest - fallen).abs() < 0.06, "{lowest} {fallen}");

    // Off: none come. A sink in the frame of its entity takes those below.
    app.world_mut().get_mut::<Emitter>(tap).unwrap().running = false;
    let region = Region::half_space(Vec3::ZERO, Vec3::Y);
    let drain = app.world_mut().spawn((Sink::new(region), Transform::from_xyz(0.0, -1.0, 0.0))).id();
    let other = app.world_mut().spawn(Fluid::points([Vec3::NEG_Y * 5.0])).id();
    app.world_mut().get_mut::<Sink>(drain).unwrap().fluids.push(water);
    for _ in 0..120 {
        app.update();
        let drained = app.world().get::<SinkCount>(drain).unwrap().0;
        assert_eq!(present(&app, water) as u64 + drained, emitted);
    }
    assert_eq!((present(&app, water), present(&app, other)), (0, 1));

    // On again, faster, up to its limit.
    let mut emitter = app.world_mut().get_mut::<Emitter>(tap).unwrap();
    (emitter.running, emitter.nozzle.speed) = (true, 3.0);
    steps(&mut app, 120);
    assert_eq!(app.world().get::<EmitterOutput>(tap).unwrap().emitted(), 300);
    app.world_mut().despawn(water);
    steps(&mut app, 3);
    app.world_mut().entity_mut(tap).remove::<Emitter>();
    app.update();
    assert!(app.world().get::<EmitterOutput>(tap).is_none());
}

#[test]
fn an_emitter_moves_with_its_parent_and_lets_the_oldest_go() {
    let mut app = app();
    let smoke = app.world_mut().spawn((Fluid::empty(50), GravityScale(0.0))).id();
    let cart = app.world_mut().spawn(Transform::default()).id();
    let nozzle = Nozzle::new(NozzleShape::Disc { radius: 0.01 }, 0.5).when_full(WhenFull::RecycleOldest);
    let chimney =
        app.world_mut().spawn((Emitter::new(smoke, nozzle), ChildOf(cart), Transform::from_xyz(0.0, 1.0, 0.0))).id();
    for frame in 0..600 {
        app.world_mut().get_mut::<Transform>(cart).unwrap().translation.x = frame as f32 * 0.02;
        app.update();
    }
    let outflow = app.world().get::<EmitterOutput>(chimney).unwrap();
    assert_eq!(outflow.emitted() - outflow.deactivated(), 50);
    assert_eq!((present(&app, smoke), outflow.missing()), (50, 0));
    // One every 0.1 s, 0.12 m apart: the last 50 are on the last 6 m, and go along −z.
    let points = points(&app, smoke);
    assert!(points.iter().all(|x| x.x > 5.8 && x.x < 12.0 && x.z < 0.0 && (x.y - 1.0).abs() < 0.05), "{points:?}");
}

#[test]
fn entities_are_mapped() {
    let [a, b] = [1, 2].map(|k| Entity::from_raw_u32(k).unwrap());
    let mut map = EntityHashMap::default();
    map.insert(a, b);
    let mut emitter = Emitter::new(a, Nozzle::new(NozzleShape::Ball { radius: 0.1 }, 1.0));
    let mut sink = Sink::new(Region::ball(Vec3::ZERO, 1.0)).of([a, b]);
    Component::map_entities(&mut emitter, &mut map);
    Component::map_entities(&mut sink, &mut map);
    assert_eq!((emitter.fluid, sink.fluids), (b, vec![b, b]));
}

/// Returns a box of ice of 8 × 4 × 4 particles about the origin without gravity, and water that it melts into.
fn ice(app: &mut App, change: impl FnOnce(Entity) -> PhaseChange) -> [Entity; 2] {
    let water = app.world_mut().spawn(Fluid::empty(128).material(FluidMaterial::new(1000.0))).id();
    let mesh = Cuboid::new(0.4, 0.2, 0.2).mesh().build();
    let mesh = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh));
    let ice = app.world_mut().spawn((Cluster::rigid(2.0 * RADIUS), mesh, change(water))).id();
    [ice, water]
}

#[test]
fn ice_melts_where_it_is_warm_and_freezes_where_it_is_cold() {
    let mut app = app();
    app.world_mut().resource_mut::<PhysicsSettings>().gravity = Vec3::ZERO;
    let [ice, water] = ice(&mut app, |water| PhaseChange {
        melting_point: 1.0,
        freezing_point: -1.0,
        ambient_temperature: -5.0,
        exchange_rate: 2.0,
        ..PhaseChange::new(water)
    });
    // The half with x > 0, in a frame that is turned and moved.
    let place = Transform::from_xyz(0.0, 3.0, 0.0).with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
    let region = Region::half_space(Vec3::ZERO, Vec3::Y);
    let stove = TemperatureRegion { region, temperature: 10.0, exchange_rate: 2.0 };
    let stove = app.world_mut().spawn((stove, place)).id();
    let state = |app: &App| app.world().get::<PhaseChangeState>(ice).unwrap().clone();
    // T = 10 − 15 exp(−2 t) passes 1 after ½ ln(15/9) = 0.2554 s, the 16th step. The first step builds the objects.
    let melted: Vec<u64> = (0..20)
        .map(|_| {
            app.update();
            state(&app).melted()
        })
        .collect();
    let first = melted.iter().position(|&count| count > 0);
    assert_eq!((first, melted[19], state(&app).missing()), (Some(15), 64, 0), "{melted:?}");
    assert_eq!([ice, water].map(|entity| present(&app, entity)), [64, 64]);
    assert!(state(&app).liquid_temperature(0).unwrap() > 1.0, "it keeps its temperature");
    let physics = app.world().resource::<Physics>();
    let solid = physics.object_of(ice).unwrap();
    for k in physics.world().active_particles(solid).unwrap() {
        let x = physics.world().position(solid, k as usize).unwrap();
        assert!(x.x < 0.0, "what was warm has melted: {x}");
    }
    // Without the stove it is cold everywhere: drops that are still where the ice was freeze back into it.
    app.world_mut().despawn(stove);
    app.world_mut().get_mut::<PhaseChange>(ice).unwrap().exchange_rate = 200.0;
    steps(&mut app, 3);
    let frozen = state(&app).frozen() as usize;
    assert_eq!([ice, water].map(|entity| present(&app, entity)), [64 + frozen, 64 - frozen]);
    assert!(frozen >= 32, "{frozen}");
}

#[test]
fn temperatures_follow_newtons_law_and_change_with_the_component() {
    let mut app = app();
    app.world_mut().resource_mut::<PhysicsSettings>().gravity = Vec3::ZERO;
    let [ice, _] = ice(&mut app, |water| PhaseChange {
        melting_point: 1e3,
        ambient_temperature: 30.0,
        exchange_rate: 0.7,
        ..PhaseChange::new(water)
    });
    steps(&mut app, 60);
    let temperature = |app: &App| app.world().get::<PhaseChangeState>(ice).unwrap().solid_temperature(5).unwrap();
    // T = 30 − 35 exp(−0.7 · 1 s), exp(−0.7) = 0.496585.
    let expected = 30.0 - 35.0 * 0.496_585;
    assert!((temperature(&app) - expected).abs() < 2e-3, "{} {expected}", temperature(&app));
    // A changed rate keeps temperatures: in another second exp(−1.4) is left of the difference.
    app.world_mut().get_mut::<PhaseChange>(ice).unwrap().exchange_rate = 1.4;
    steps(&mut app, 60);
    let expected = 30.0 - (30.0 - expected) * 0.246_597;
    assert!((temperature(&app) - expected).abs() < 2e-3, "{} {expected}", temperature(&app));
    // Below the present temperature, everything melts in the next step.
    app.world_mut().get_mut::<PhaseChange>(ice).unwrap().melting_point = 5.0;
    steps(&mut app, 1);
    assert_eq!((present(&app, ice), app.world().get::<PhaseChangeState>(ice).unwrap().melted()), (0, 128));
}

#[test]
fn foam_is_that_of_the_library_and_goes_with_its_liquid() {
    let mut app = app();
    walls(&mut app, 0.2);
    let block = Fluid::block(Vec3::splat(0.15));
    let options = FoamOptions { max_particles: 300, lifetime: [0.3, 0.5], ..default() };
    let place = Transform::from_xyz(0.0, 1.0, 0.0);
    let water = app.world_mut().spawn((block, Foam(options), LinearVelocity(Vec3::NEG_Y * 3.0), place)).id();
    let mut expected = xpbd_fluid::render::Foam::new(options).unwrap();
    let (mut most, mut frames_without) = (0, 0);
    for frame in 0..240 {
        app.update();
        let physics = app.world().resource::<Physics>();
        let object = physics.object_of(water).unwrap();
        let velocities: Vec<Vec3> =
            (0..points(&app, water).len()).map(|k| physics.world().velocity(object, k).unwrap()).collect();
        let gravity = physics.world().settings().gravity;
        expected.step(&points(&app, water), &velocities, 2.0 * RADIUS, gravity, 1.0 / 60.0);
        let foam = app.world().get::<FoamParticles>(water).unwrap();
        assert_eq!(foam.particles(), expected.particles(), "frame {frame}");
        most = most.max(foam.particles().len());
        frames_without += usize::from(foam.particles().is_empty());
    }
    assert!(most > 100 && frames_without > 10, "{most} {frames_without}");

    // Fewer are made with other options; none without the component.
    let snapshot = PhysicsSnapshot::save(app.world_mut()).unwrap();
    let saved = app.world().get::<FoamParticles>(water).unwrap().particles().to_vec();
    app.world_mut().get_mut::<Foam>(water).unwrap().max_particles = 0;
    steps(&mut app, 60);
    assert_eq!(app.world().get::<FoamParticles>(water).unwrap().particles(), []);
    snapshot.restore(app.world_mut()).unwrap();
    assert_eq!(app.world().get::<FoamParticles>(water).unwrap().particles(), saved);
    app.world_mut().entity_mut(water).remove::<Foam>();
    app.update();
    assert!(app.world().get::<FoamParticles>(water).is_none());
}
