//! Messages and observers in an app without a window.

use bevy::ecs::message::MessageCursor;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, body, floor, steps};

/// All messages of a kind since it was made.
struct Ear<M: Message>(MessageCursor<M>, Vec<M>);

impl<M: Message + Copy> Ear<M> {
    fn new() -> Self {
        Self(MessageCursor::default(), Vec::new())
    }

    fn hear(&mut self, app: &App) {
        self.1.extend(self.0.read(app.world().resource::<Messages<M>>()));
    }

    /// Makes steps, and listens after each.
    fn steps(&mut self, app: &mut App, count: usize) {
        for _ in 0..count {
            app.update();
            self.hear(app);
        }
    }
}

/// What observers heard.
#[derive(Resource, Default)]
struct Heard(Vec<(Entity, Entity)>);

fn crate_at(app: &mut App, y: f32) -> Entity {
    let parts = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), Transform::from_xyz(0.0, y, 0.0));
    app.world_mut().spawn(parts).id()
}

#[test]
fn a_collision_starts_once_and_ends_once() {
    let mut app = app();
    app.init_resource::<Heard>();
    let ground = floor(&mut app);
    let falling =
        app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, 1.0, 0.0), SleepingDisabled)).id();
    let shape = app.world_mut().spawn((Collider::cuboid(0.5, 0.5, 0.5), ChildOf(falling))).id();
    app.world_mut().entity_mut(falling).observe(|hit: On<CollisionStarted>, mut heard: ResMut<Heard>| {
        heard.0.push((hit.entity, hit.other));
    });
    let (mut started, mut ended) = (Ear::<CollisionStarted>::new(), Ear::<CollisionEnded>::new());
    while started.1.is_empty() {
        started.steps(&mut app, 1);
    }
    let collision = app.world().resource::<Physics>().world().collisions()[0];
    assert!(collision.impulse > 0.0 && started.1[0].impulse == collision.impulse);
    started.steps(&mut app, 60);
    ended.hear(&app);
    let [hit] = started.1[..] else { panic!("{:?}", started.1) };
    assert!([hit.entity, hit.other] == [shape, ground] || [hit.entity, hit.other] == [ground, shape]);
    assert!(hit.point.y.abs() < 0.05 && (hit.normal.y.abs() - 1.0).abs() < 1e-3, "{hit:?}");
    assert!(hit.body.or(hit.other_body) == Some(falling));
    assert_eq!(app.world().resource::<Heard>().0, [(falling, ground)]);
    // Nothing is told of a step twice, nor of an edit that touches neither.
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    started.steps(&mut app, 5);
    app.world_mut().resource_mut::<PhysicsTime>().paused = false;
    let other = app.world_mut().spawn((Collider::ball(1.0), Transform::from_xyz(90.0, 0.0, 0.0))).id();
    started.steps(&mut app, 5);
    app.world_mut().despawn(other);
    started.steps(&mut app, 5);
    ended.hear(&app);
    assert!(started.1.len() == 1 && ended.1.is_empty());
    app.world_mut().despawn(ground);
    ended.steps(&mut app, 3);
    assert!(ended.1.len() == 1, "{:?}", ended.1);
}

#[test]
fn sleep_is_told() {
    let mut app = app();
    floor(&mut app);
    let entity = crate_at(&mut app, 0.5);
    let (mut fell, mut woke) = (Ear::<FellAsleep>::new(), Ear::<WokeUp>::new());
    fell.steps(&mut app, 150);
    assert_eq!(fell.1, [FellAsleep { entity }]);
    app.world_mut().get_mut::<LinearVelocity>(entity).unwrap().0.y = 3.0;
    woke.steps(&mut app, 5);
    assert_eq!(woke.1, [WokeUp { entity }]);
}

#[test]
fn a_joint_that_bears_too_much_is_told() {
    let mut app = app();
    app.init_resource::<Heard>();
    let entity = crate_at(&mut app, 0.0);
    let hinge = HingeJoint::new(Vec3::Y, Vec3::Z).break_force(12e3);
    let joint = app.world_mut().spawn(Joint::new(entity, hinge)).id();
    app.world_mut().entity_mut(joint).observe(|broken: On<JointBroken>, mut heard: ResMut<Heard>| {
        heard.0.push((broken.entity, broken.b));
    });
    let (mut broken, mut others) = (Ear::<JointBroken>::new(), Ear::<ConstraintBroken>::new());
    broken.steps(&mut app, 30);
    assert!(broken.1.is_empty());
    app.world_mut().entity_mut(entity).insert(ExternalForce { force: Vec3::NEG_Y * 5e3, torque: Vec3::ZERO });
    broken.steps(&mut app, 30);
    others.hear(&app);
    let [one] = broken.1[..] else { panic!("{:?}", broken.1) };
    assert!((one.entity, one.a, one.b) == (joint, None, entity) && one.force > 12e3, "{one:?}");
    assert!(others.1.is_empty());
    assert_eq!(app.world().resource::<Heard>().0, [(joint, entity)]);
    assert!(app.world().get::<Transform>(entity).unwrap().translation.y < -0.2);
}

#[test]
fn cloth_lands_on_a_body() {
    let mut app = app();
    let parts = (RigidBody::Fixed, Collider::ball(0.3), Transform::IDENTITY);
    let ball = app.world_mut().spawn(parts).id();
    let mesh = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(19).build();
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    let at = Transform::from_xyz(0.0, 0.5, 0.0);
    let cloth = app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), at, Friction::new(1.0))).id();
    let mut started = Ear::<CollisionStarted>::new();
    started.steps(&mut app, 60);
    let hit = started.1.first().expect("it landed");
    assert_eq!((hit.entity, hit.other, hit.other_body), (cloth, ball, Some(ball)));
    assert!(hit.normal.y > 0.9 && (hit.point.length() - 0.3).abs() < 0.05, "{hit:?}");
    let object = app.world().get::<xpbd_bevy::object::ObjectId>(cloth).unwrap().handle();
    let middle = app.world().resource::<Physics>().world().position(object, 220).unwrap();
    assert!(middle.y > 0.29 && middle.y < 0.4, "{middle}");
    steps(&mut app, 1);
}

#[test]
fn what_is_pushed_out_of_all_numbers_is_told() {
    let mut app = app();
    let far = ExternalForce { force: Vec3::X * 3e38, torque: Vec3::ZERO };
    let entity = crate_at(&mut app, 0.0);
    app.world_mut().entity_mut(entity).insert((far, Mass::new(1e-3)));
    let mut frozen = Ear::<Frozen>::new();
    frozen.steps(&mut app, 5);
    assert_eq!(frozen.1, [Frozen { entity }]);
    assert!(
        app.world().get::<Transform>(entity).unwrap().is_finite() && body(&app, entity).pose.translation.is_finite()
    );
}

#[test]
fn a_sensor_tells_what_enters_and_leaves_it_and_lets_it_through() {
    let mut app = app();
    app.init_resource::<Heard>();
    let gate = app.world_mut().spawn((Collider::cuboid(2.0, 0.1, 2.0), Sensor)).id();
    app.world_mut().entity_mut(gate).observe(|entered: On<SensorEntered>, mut heard: ResMut<Heard>| {
        heard.0.push((entered.entity, entered.other));
    });
    let falling = crate_at(&mut app, 1.0);
    let (mut entered, mut exited) = (Ear::<SensorEntered>::new(), Ear::<SensorExited>::new());
    for _ in 0..60 {
        entered.steps(&mut app, 1);
        exited.hear(&app);
    }
    assert_eq!(entered.1, [SensorEntered { entity: gate, other: falling, other_body: Some(falling) }]);
    assert_eq!(exited.1, [SensorExited { entity: gate, other: falling, other_body: Some(falling) }]);
    assert_eq!(app.world().resource::<Heard>().0, [(gate, falling)]);
    assert!(body(&app, falling).pose.translation.y < -2.0);
}

#[test]
fn what_is_removed_leaves_a_sensor() {
    let mut app = app();
    app.world_mut().spawn((Collider::cuboid(2.0, 2.0, 2.0), Sensor));
    let inside = app.world_mut().spawn((RigidBody::Kinematic, Collider::ball(0.5))).id();
    let (mut entered, mut exited) = (Ear::<SensorEntered>::new(), Ear::<SensorExited>::new());
    entered.steps(&mut app, 3);
    app.world_mut().despawn(inside);
    exited.steps(&mut app, 3);
    entered.hear(&app);
    assert!(entered.1.len() == 1 && exited.1.len() == 1, "{:?}, {:?}", entered.1, exited.1);
    assert_eq!(exited.1[0].other, inside);
}

#[test]
fn a_collider_becomes_a_sensor_and_back() {
    let mut app = app();
    let table = app.world_mut().spawn((Collider::cuboid(2.0, 0.1, 2.0), Transform::from_xyz(0.0, -0.1, 0.0))).id();
    let resting = crate_at(&mut app, 0.5);
    let zone = app.world_mut().spawn((Collider::ball(5.0), Sensor, ChildOf(resting))).id();
    steps(&mut app, 30);
    assert!(body(&app, resting).pose.translation.y > 0.49);
    assert!((body(&app, resting).mass.mass - 1000.0).abs() < 0.01, "a sensor has no mass");
    let contents = |app: &App| {
        let state = app.world().resource::<Physics>().world().state();
        (state.colliders.len(), state.sensors.len())
    };
    assert_eq!(contents(&app), (2, 1));
    app.world_mut().entity_mut(table).insert(Sensor);
    steps(&mut app, 10);
    assert!(body(&app, resting).pose.translation.y < 0.45);
    assert_eq!(contents(&app), (1, 2));
    app.world_mut().entity_mut(zone).remove::<Sensor>();
    steps(&mut app, 1);
    assert_eq!(contents(&app), (2, 1));
    assert!(body(&app, resting).mass.mass > 1000.0);
}

#[test]
fn colliding_entities_are_those_that_touch_now() {
    let mut app = app();
    let ground = floor(&mut app);
    app.world_mut().entity_mut(ground).insert(CollidingEntities::default());
    // A body with its collider on a child, a second crate on top, and a sensor through which they hang.
    let lower = app.world_mut().spawn((RigidBody::Dynamic, Transform::from_xyz(0.0, 0.5, 0.0))).id();
    let shape = app.world_mut().spawn((Collider::cuboid(0.5, 0.5, 0.5), ChildOf(lower))).id();
    app.world_mut().entity_mut(lower).insert(CollidingEntities::default());
    let upper = crate_at(&mut app, 1.5);
    app.world_mut().entity_mut(upper).insert(CollidingEntities::default());
    let zone =
        (Collider::cuboid(2.0, 0.2, 2.0), Sensor, Transform::from_xyz(0.0, 1.5, 0.0), CollidingEntities::default());
    let zone = app.world_mut().spawn(zone).id();
    let rope = Rope::between(Vec3::new(4.0, 0.05, 0.0), Vec3::new(5.0, 0.05, 0.0), 10, 1.0);
    let rope = app.world_mut().spawn((rope, CollidingEntities::default())).id();
    let touched = |app: &App, entity: Entity| app.world().get::<CollidingEntities>(entity).unwrap().0.clone();
    let sorted = |mut entities: Vec<Entity>| {
        entities.sort_unstable();
        entities
    };
    // Also once all are asleep.
    for count in [30, 200] {
        steps(&mut app, count);
        assert_eq!(touched(&app, lower), sorted(vec![ground, upper]));
        assert_eq!(touched(&app, upper), [shape]);
        assert_eq!(touched(&app, ground), sorted(vec![shape, rope]));
        assert_eq!(touched(&app, zone), [upper]);
        assert_eq!(touched(&app, rope), [ground]);
    }
    assert!(app.world().entity(upper).contains::<Sleeping>());
    app.world_mut().despawn(lower);
    steps(&mut app, 1);
    assert_eq!(touched(&app, upper), []);
    assert_eq!(touched(&app, ground), [rope]);
}
