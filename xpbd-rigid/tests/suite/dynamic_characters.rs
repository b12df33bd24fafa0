//! Characters on dynamic bodies, against closed forms.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::query::SpatialIndex;
use xpbd_core::scalar::trig;
use xpbd_rigid::character::{CharacterInput, DynamicCharacter};
use xpbd_rigid::prelude::*;

use super::characters::{G, HEIGHT, RADIUS, slope};
use super::support::FRAME;

const MASS: f32 = 80.0;

struct Scene {
    world: World,
    cpu: CpuBackend,
    index: SpatialIndex,
    capsule: ColliderHandle,
    body: BodyHandle,
    character: DynamicCharacter,
    input: CharacterInput,
    on_ground: bool,
}

impl Scene {
    fn new(at: Vec3) -> Self {
        let mut world = World::new(Settings { sleep_speed: 0.0, ..Settings::default() }).unwrap();
        let body = Body::dynamic(Pose::from_translation(at), Mass::new(MASS, Vec3::splat(20.0)));
        let body = world.add_body(body.locked_axes(LockedAxes::ROTATION_LOCKED)).unwrap();
        let shape = Collider::new(SharedShape::capsule_y(HEIGHT - RADIUS, RADIUS)).attached_to(body);
        let capsule = world.add_collider(shape.friction(Friction::new(0.0))).unwrap();
        let (cpu, index) = (CpuBackend::new(Threads::Exactly(1)), SpatialIndex::default());
        let (character, input) = (DynamicCharacter::default(), CharacterInput::default());
        Self { world, cpu, index, capsule, body, character, input, on_ground: false }
    }

    fn add(&mut self, shape: SharedShape) {
        self.world.add_collider(Collider::new(shape)).unwrap();
    }

    fn walk(&mut self, velocity: Vec3, frames: usize) {
        self.input.velocity = velocity;
        for _ in 0..frames {
            let space = self.index.update(&self.world);
            let step = self.character.step(&space, self.capsule, &self.input, FRAME).unwrap();
            self.on_ground = step.ground.is_some();
            step.apply(&mut self.world).unwrap();
            self.world.step(&mut self.cpu, FRAME).unwrap();
        }
    }

    fn state(&self) -> Body {
        self.world.body(self.body).unwrap()
    }

    fn place(&self) -> Vec3 {
        self.state().pose.translation
    }
}

/// It stands on 40° without creeping, walks up there with its speed, and slides down 50° with g sin α.
#[test]
fn a_dynamic_character_stands_and_walks_on_slopes() {
    for (degrees, stands) in [(0.0_f32, true), (25.0, true), (40.0, true), (50.0, false)] {
        let [sine, cosine] = [trig::sin, trig::cos].map(|of| of(degrees.to_radians()));
        let mut scene = Scene::new(Vec3::Y * (RADIUS / cosine + HEIGHT - RADIUS + 1e-3));
        scene.add(slope(degrees));
        scene.character.air_response = 0.0;
        scene.walk(Vec3::ZERO, 60);
        let (from, before) = (scene.place(), scene.state().velocity);
        scene.walk(Vec3::ZERO, 60);
        let way = scene.place() - from;
        if !stands {
            let gain = (scene.state().velocity - before).length();
            assert!((gain - G * sine).abs() < 0.02 * G * sine, "{degrees}°: {gain}");
            continue;
        }
        assert!(scene.on_ground && way.length() < 1e-3, "{degrees}°: {way}");
        scene.walk(Vec3::X * 2.0, 60);
        let from = scene.place();
        scene.walk(Vec3::X * 2.0, 60);
        let (way, expected) = (scene.place() - from, 2.0 * Vec3::new(cosine, sine, 0.0));
        assert!(way.distance(expected) < 0.02, "{degrees}°: {way}, but {expected}");
        scene.walk(Vec3::NEG_X * 2.0, 60);
        let from = scene.place();
        scene.walk(Vec3::NEG_X * 2.0, 30);
        let way = scene.place() - from;
        assert!(way.distance(-expected * 0.5) < 0.02 && scene.on_ground, "{degrees}° down: {way}");
    }
}

/// It starts with F/m while its force is too small for its response, and jumps v²/2g high; the discrete top is within v Δt/2 of it.
#[test]
fn a_dynamic_character_is_driven_by_its_force_and_jumps() {
    let mut scene = Scene::new(Vec3::Y * HEIGHT);
    scene.add(SharedShape::halfspace(Vec3::Y));
    scene.character.max_force = 160.0;
    scene.walk(Vec3::ZERO, 10);
    scene.walk(Vec3::X * 5.0, 60);
    assert!((scene.state().velocity.x - 2.0).abs() < 0.01, "{}", scene.state().velocity);
    let from = scene.place().y;
    scene.input.jump_speed = 5.0;
    scene.walk(Vec3::X * 2.0, 1);
    let (mut high, mut frames) = (from, 1);
    // The button is held: it jumps once, and again when it has landed.
    while frames < 50 {
        scene.walk(Vec3::X * 2.0, 1);
        high = high.max(scene.place().y);
        frames += 1;
    }
    assert!((high - from - 25.0 / (2.0 * G)).abs() < 2.5 * FRAME, "{}", high - from);
}

/// The ground is driven back: the momentum of the character and its raft along the ground stays.
#[test]
fn a_dynamic_character_pushes_its_ground_back() {
    let mut scene = Scene::new(Vec3::Y * (HEIGHT + 0.5));
    scene.add(SharedShape::halfspace(Vec3::Y));
    let half = Vec3::new(4.0, 0.25, 4.0);
    let raft = Body::dynamic(Pose::from_translation(Vec3::Y * 0.25), Mass::cuboid(200.0, half));
    let raft = scene.world.add_body(raft).unwrap();
    let shape = Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(raft);
    scene.world.add_collider(shape.friction(Friction::new(0.0))).unwrap();
    scene.walk(Vec3::ZERO, 30);
    scene.walk(Vec3::X * 1.5, 60);
    let (own, below) = (scene.state().velocity, scene.world.body(raft).unwrap().velocity);
    assert!((own.x - below.x - 1.5).abs() < 0.02, "{own} {below}");
    let momentum = MASS * own.x + 200.0 * below.x;
    assert!(momentum.abs() < 0.02 * MASS * own.x, "{momentum}");
}

/// A ball of 20 kg at 4 m/s takes the mean velocity to m v/(m + M), as it would of any body: it is pushed.
#[test]
fn a_dynamic_character_is_pushed_by_bodies() {
    let mut scene = Scene::new(Vec3::Y * HEIGHT);
    scene.add(SharedShape::halfspace(Vec3::Y));
    scene.character.ground_response = 0.0;
    scene.walk(Vec3::ZERO, 10);
    let at = Pose::from_translation(Vec3::new(-0.8, HEIGHT, 0.0));
    let ball = Body::dynamic(at, Mass::ball(20.0, 0.2)).velocity(Vec3::X * 4.0).gravity_scale(0.0);
    let ball = scene.world.add_body(ball).unwrap();
    scene.world.add_collider(Collider::new(SharedShape::ball(0.2)).attached_to(ball)).unwrap();
    scene.walk(Vec3::ZERO, 20);
    let velocity = scene.state().velocity.x;
    let together = MASS * velocity + 20.0 * scene.world.body(ball).unwrap().velocity.x;
    assert!((velocity - 0.8).abs() < 0.05 && (together - 80.0).abs() < 0.5, "{velocity} {together}");
}
