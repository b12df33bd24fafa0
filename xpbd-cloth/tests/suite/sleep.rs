//! Objects that may fall asleep: when they do, what wakes them, and what they cost then.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Cloth, Rope};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, ContactPhase};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::handle::{BodyHandle, ColliderHandle};
use xpbd_core::object::Object;
use xpbd_core::world::{CollisionLayers, Friction, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
/// Number of the particle of the sheet under its load.
const UNDER_LOAD: usize = 11 * 8 + 8;

/// A sheet on a table that is a kinematic body, under one box and below another one, and a floor under all.
struct Stage {
    world: World,
    sheet: ObjectHandle,
    table: BodyHandle,
    floor: ColliderHandle,
    load: BodyHandle,
    /// A box that does not fall before it is let go.
    hammer: BodyHandle,
}

fn add_box(world: &mut World, body: Body, half: Vec3) -> BodyHandle {
    let body = world.add_body(body).unwrap();
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(0.6))).unwrap();
    body
}

/// Returns a sheet of 80 cm that may sleep, at a height \[m\].
fn sheet(height: f32) -> Object {
    let sheet = Cloth::grid(11, 11, 0.8, 0.8)
        .density(0.5)
        .mass_scaling(0.02)
        .surface_collision(0.01)
        .friction(Friction::new(0.6));
    sheet.at(Vec3::Y * height).can_sleep(true).build().unwrap()
}

impl Stage {
    fn new() -> Self {
        let mut world = World::new(Settings::default()).unwrap();
        let at = |x, y, z| Pose::translation(x, y, z);
        let table = add_box(&mut world, Body::kinematic(at(0.0, -0.1, 0.0)), Vec3::new(0.6, 0.1, 0.6));
        let floor = world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::NEG_Y)).unwrap();
        let sheet = world.add(sheet(0.02)).unwrap();
        let half = Vec3::splat(0.05);
        let mut add =
            |place| add_box(&mut world, Body::dynamic(place, Mass::cuboid(0.2, half)).gravity_scale(0.0), half);
        let [load, hammer] = [at(0.24, 0.1, 0.24), at(-0.2, 0.3, -0.2)].map(&mut add);
        world.edit_body(load, |body| body.gravity_scale = 1.0).unwrap();
        Self { world, sheet, table, floor, load, hammer }
    }

    /// Returns a stage after 3 s.
    fn asleep() -> Self {
        let mut stage = Self::new();
        stage.steps(180);
        assert!(stage.sleeps() && stage.world.is_asleep(stage.load).unwrap(), "it is awake after 3 s");
        stage
    }

    fn steps(&mut self, frames: u32) {
        step(&mut self.world, frames);
    }

    fn let_hammer_fall(&mut self) {
        self.world.edit_body(self.hammer, |body| body.gravity_scale = 1.0).unwrap();
    }

    fn sleeps(&self) -> bool {
        self.world.is_object_asleep(self.sheet).unwrap()
    }

    fn places(&self) -> Vec<Vec3> {
        self.world.positions(self.sheet).unwrap().collect()
    }
}

fn step(world: &mut World, frames: u32) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..frames {
        world.step(&mut cpu, FRAME).unwrap();
    }
}

#[test]
fn a_sheet_at_rest_sleeps_with_what_lies_on_it() {
    let mut stage = Stage::asleep();
    let (places, load) = (stage.places(), stage.world.body_pose(stage.load).unwrap());
    let contacts = stage.world.contacts().len();
    stage.steps(60);
    assert!(stage.sleeps());
    assert_eq!((places, load), (stage.places(), stage.world.body_pose(stage.load).unwrap()));
    assert!(contacts >= 2 && stage.world.contacts().len() == contacts);
    assert!(stage.world.contacts().iter().all(|contact| contact.phase == ContactPhase::Stay));
    let report = stage.world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).unwrap();
    assert_eq!((report.constraints, report.surface_contacts), (0, 0));
}

#[test]
fn an_object_does_not_sleep_unless_it_may() {
    let mut stage = Stage::new();
    stage.world.set_can_sleep(stage.sheet, false).unwrap();
    stage.steps(180);
    assert!(!stage.sleeps());
    stage.world.set_can_sleep(stage.sheet, true).unwrap();
    stage.steps(60);
    assert!(stage.sleeps());
    stage.world.set_can_sleep(stage.sheet, false).unwrap();
    assert!(!stage.sleeps());
}

/// An edit of a stage whose sheet sleeps, which is to be awake within a number of frames.
type Disturbance = fn(&mut Stage);

#[test]
fn what_disturbs_a_sleeper_wakes_it() {
    let disturbances: [(&str, u32, Disturbance); 20] = [
        ("waking", 0, |stage| stage.world.wake_object(stage.sheet).unwrap()),
        ("waking the load", 0, |stage| stage.world.wake(stage.load).unwrap()),
        ("pushing the load", 0, |stage| stage.world.add_body_impulse(stage.load, Vec3::Y).unwrap()),
        ("pinning", 0, |stage| stage.world.set_pinned(stage.sheet, 3, true).unwrap()),
        ("moving a vertex", 0, |stage| stage.world.set_position(stage.sheet, 0, Vec3::Y, Vec3::ZERO).unwrap()),
        ("a force", 0, |stage| stage.world.add_force(stage.sheet, 0, Vec3::Y).unwrap()),
        ("an impulse", 0, |stage| stage.world.add_impulse(stage.sheet, 0, Vec3::Y * 0.01).unwrap()),
        ("friction", 0, |stage| stage.world.set_friction(stage.sheet, Friction::new(0.1)).unwrap()),
        ("less weight", 0, |stage| stage.world.set_gravity_scale(stage.sheet, -1.0).unwrap()),
        ("layers", 0, |stage| {
            stage
                .world
                .set_collision_layers(stage.sheet, CollisionLayers { filters: 0, ..CollisionLayers::default() })
                .unwrap()
        }),
        ("other gravity", 0, |stage| {
            let gravity = Vec3::X * 3.0;
            stage.world.set_settings(Settings { gravity, ..stage.world.settings().clone() }).unwrap();
        }),
        ("softer constraints", 0, |stage| {
            let batch = stage.world.batches_of(stage.sheet)[0];
            stage.world.edit_parameters(batch, |numbers| numbers.set_compliance(0, 1e-3)).unwrap();
        }),
        ("fewer constraints", 0, |stage| {
            let batch = stage.world.batches_of(stage.sheet)[0];
            stage.world.remove_batch(batch).unwrap();
        }),
        ("losing the load", 0, |stage| stage.world.remove_body(stage.load).unwrap()),
        ("losing the floor", 0, |stage| stage.world.remove_collider(stage.floor).unwrap()),
        ("placing the table", 0, |stage| {
            stage.world.set_body_pose(stage.table, Pose::translation(0.0, -0.3, 0.0)).unwrap();
        }),
        ("moving the table", 1, |stage| {
            stage.world.move_body(stage.table, Pose::translation(0.0, -0.11, 0.0)).unwrap();
        }),
        ("a body that falls on it", 30, |stage| {
            stage.let_hammer_fall();
            stage.steps(1);
            assert!(stage.sleeps(), "it wakes before it is hit");
        }),
        ("a particle that falls on it", 30, |stage| {
            stage.world.add(Object::new("grain", vec![Vec3::new(0.0, 0.2, 0.0)], 0.05)).unwrap();
            stage.steps(1);
            assert!(stage.sleeps(), "it wakes before it is hit");
        }),
        ("a sheet that falls on it", 30, |stage| {
            let mut other = sheet(0.3);
            other.can_sleep = false;
            stage.world.add(other).unwrap();
            stage.steps(1);
            assert!(stage.sleeps(), "it wakes before it is hit");
        }),
    ];
    for (name, frames, disturb) in disturbances {
        let mut stage = Stage::asleep();
        disturb(&mut stage);
        let awake = (0..frames).fold(!stage.sleeps(), |awake, _| {
            stage.steps(1);
            awake || !stage.sleeps()
        });
        assert!(awake, "{name} does not wake it");
    }
}

#[test]
fn a_sleeper_goes_with_the_table_under_it() {
    let mut stage = Stage::asleep();
    for frame in 1..=10_u16 {
        let height = -0.1 - 0.01 * f32::from(frame);
        stage.world.move_body(stage.table, Pose::translation(0.0, height, 0.0)).unwrap();
        stage.steps(1);
    }
    stage.steps(60);
    let farthest = stage.places().iter().map(|x| (x.y + 0.09).abs()).fold(0.0, f32::max);
    assert!(farthest < 1e-4, "a vertex is {farthest} m off the table");
    assert!(stage.sleeps());
}

#[test]
fn a_sleeper_holds_what_falls_on_it_and_sleeps_again() {
    let mut stage = Stage::asleep();
    stage.let_hammer_fall();
    let mut grain = Object::new("grain", vec![Vec3::new(0.0, 0.3, 0.0)], 0.05);
    grain.can_sleep = true;
    let grain = stage.world.add(grain).unwrap();
    stage.steps(240);
    assert!(stage.sleeps() && stage.world.is_asleep(stage.hammer).unwrap());
    let height = stage.world.body_pose(stage.hammer).unwrap().translation.y;
    assert!((height - 0.06).abs() < 0.01, "the box is at {height} m");
    let height = stage.world.positions(grain).unwrap().map(|x| x.y).sum::<f32>();
    assert!((height - 0.02).abs() < 0.005, "the grain is at {height} m");
}

#[test]
fn a_sleeper_is_saved_as_it_is() {
    let mut stage = Stage::asleep();
    let mut other = Stage::new();
    other.world.restore(&stage.world.snapshot().unwrap()).unwrap();
    for stage in [&mut stage, &mut other] {
        stage.steps(5);
        assert!(stage.sleeps());
        stage.world.add_impulse(stage.sheet, UNDER_LOAD, Vec3::Y * 0.1).unwrap();
        stage.steps(30);
    }
    assert_eq!(stage.world.state_hash(), other.world.state_hash());
}

/// The tension of a loaded rope that is solved directly is part of its stiffness: it is there again when it wakes.
#[test]
fn a_loaded_rope_that_wakes_hangs_as_before() {
    let mut world = World::new(Settings { substeps: 10, ..Settings::default() }).unwrap();
    let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y, 20, 1.0).pin([0]);
    let mut rope = rope.can_sleep(true).build().unwrap();
    *rope.masses.last_mut().unwrap() = 1000.0 * rope.masses[1];
    let rope = world.add(rope).unwrap();
    step(&mut world, 120);
    assert!(world.is_object_asleep(rope).unwrap());
    let before: Vec<Vec3> = world.positions(rope).unwrap().collect();
    world.wake_object(rope).unwrap();
    for frame in 0..20 {
        step(&mut world, 1);
        let farthest = world.positions(rope).unwrap().zip(&before).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(farthest < 1e-5, "{farthest} m after {frame} frames");
    }
}

/// A box that hangs on a rope comes to rest with it, where it stayed awake before.
#[test]
fn a_body_on_a_rope_sleeps_with_it_and_wakes_with_its_pin() {
    let mut world = World::new(Settings::default()).unwrap();
    let rope = Rope::between(Vec3::ZERO, Vec3::NEG_Y * 0.5, 10, 0.5).pin([0]).can_sleep(true).build().unwrap();
    let rope = world.add(rope).unwrap();
    let half = Vec3::splat(0.05);
    let load = Body::dynamic(Pose::translation(0.0, -0.55, 0.0), Mass::cuboid(0.1, half)).damping(2.0, 2.0);
    let load = world.add_body(load).unwrap();
    let tie = xpbd_cloth::attach(&[(10, Vec3::Y * 0.05)]).unwrap();
    world.add_batch(&[rope], &[load], tie).unwrap();
    step(&mut world, 240);
    assert!(world.is_object_asleep(rope).unwrap() && world.is_asleep(load).unwrap());
    world.move_pinned(rope, 0, Vec3::X * 0.02).unwrap();
    assert!(!world.is_object_asleep(rope).unwrap() && !world.is_asleep(load).unwrap());
}
