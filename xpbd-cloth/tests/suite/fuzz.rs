//! Random scenes of all that the crate makes, with random numbers, some of them bad, and random edits while they run:
//! never a panic, never a number that is not finite but in what is frozen and reported, nobody else disturbed, and
//! the same bits from every snapshot.

mod edits;
mod objects;
mod random;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::Rope;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{CollisionLayers, ObjectHandle, Settings, World};

use objects::Thing;
use random::Random;

const OPERATIONS: usize = 2000;
/// Lengths of frames \[s\]: those of games, in which things live long, and some in which they are torn about.
const USUAL: [f32; 6] = [1.0 / 60.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 30.0, 1.0 / 144.0, 0.0];
const WILD: [f32; 8] = [1.0 / 60.0, 1.0 / 30.0, 1.0 / 144.0, 1e-9, 0.0, 0.1, 1.0, 10.0];

/// A world with things in it, and one with nothing but the witness, who is in both and touches nobody.
struct Fuzz {
    random: Random,
    frames: &'static [f32],
    world: World,
    alone: World,
    witness: [ObjectHandle; 2],
    cpu: CpuBackend,
    things: Vec<Thing>,
    saved: Option<Saved>,
    count: Count,
}

struct Saved {
    world: Vec<u8>,
    alone: Vec<u8>,
    things: Vec<Thing>,
}

/// What has been done, so that a test that does nothing fails.
#[derive(Debug, Default)]
struct Count {
    steps: usize,
    frozen: usize,
    built: usize,
    refused: usize,
    edited: usize,
    torn: usize,
    continued: usize,
}

fn world() -> World {
    let settings = Settings { substeps: 3, particle_radius: 0.02, contact_margin: 0.02, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    world
}

/// Where the witness is.
const PLACE: Vec3 = Vec3::new(500.0, 0.0, 0.0);
const LINKS: u32 = 8;

/// Returns a rope far away.
fn witness(world: &mut World) -> ObjectHandle {
    let mut rope =
        Rope::between(PLACE, PLACE + Vec3::X, LINKS, 1.2).stretch(1e4).tethers(false).pin_ends().build().unwrap();
    rope.collision_layers = CollisionLayers { memberships: 0, filters: 0, self_collision: false };
    world.add(rope).unwrap()
}

impl Fuzz {
    fn new(seed: u64, frames: &'static [f32]) -> Self {
        let (mut world, mut alone) = (world(), world());
        let witness = [witness(&mut world), witness(&mut alone)];
        let floor = SharedShape::halfspace(parry3d::math::Vector::Y);
        world.add_collider(Collider { pose: Pose::translation(0.0, -1.0, 0.0), ..Collider::new(floor) }).unwrap();
        world.add_collider(Collider::new(SharedShape::ball(0.3))).unwrap();
        let cpu = CpuBackend::new(Threads::Exactly(1));
        let (things, saved, count) = (Vec::new(), None, Count::default());
        Self { random: Random::new(seed), frames, world, alone, witness, cpu, things, saved, count }
    }

    fn operate(&mut self) {
        match self.random.below(16) {
            0 | 1 if self.things.len() < 6 => self.add(),
            2 if self.things.len() > 3 => self.remove(),
            3..=8 => self.edit(),
            9 if self.random.below(4) == 0 => self.save_or_restore(),
            10 if self.random.below(8) == 0 => self.go_on_elsewhere(),
            11 if self.random.below(4) == 0 => self.change_settings(),
            _ => self.step(),
        }
    }

    fn add(&mut self) {
        match Thing::random(&mut self.random, &mut self.world) {
            Ok(thing) => {
                self.things.push(thing);
                self.count.built += 1;
            }
            Err(reason) => {
                assert!(!reason.is_empty());
                self.count.refused += 1;
            }
        }
    }

    fn remove(&mut self) {
        let thing = self.things.swap_remove(self.random.below(self.things.len()));
        thing.remove(&mut self.world);
        assert!(self.world.positions(thing.object()).is_err());
    }

    fn step(&mut self) {
        let dt = self.frames[self.random.below(self.frames.len())];
        let report = self.world.step(&mut self.cpu, dt).unwrap();
        self.alone.step(&mut self.cpu, dt).unwrap();
        self.count.steps += 1;
        self.count.frozen += report.frozen.len();
        for &object in &report.frozen {
            assert!(self.world.is_frozen(object).unwrap());
            if object != self.witness[0] && self.random.below(2) == 0 {
                self.world.unfreeze(object).unwrap();
            }
        }
        self.calm();
        for &body in &report.frozen_bodies {
            if self.random.below(2) == 0 {
                let still = Pose::from_translation(self.random.vector(1.0));
                let _ = self.world.edit_body(body, |body| body.pose = still);
            }
        }
    }

    /// Frames of very different lengths throw the witness about too: it begins anew when it is far from its place.
    fn calm(&mut self) {
        let [here, there] = self.witness;
        let far = |x: Vec3| x.distance(PLACE) > 10.0;
        if self.world.is_frozen(here).unwrap() || self.world.positions(here).unwrap().any(far) {
            for (world, object) in [(&mut self.world, here), (&mut self.alone, there)] {
                world.unfreeze(object).unwrap();
                for k in 1..LINKS as usize {
                    let place = PLACE + Vec3::new(0.125 * k as f32, 0.01 * (k * k % 5) as f32, 0.0);
                    world.set_position(object, k, place, Vec3::Z * k as f32).unwrap();
                }
            }
        }
    }

    fn change_settings(&mut self) {
        let random = &mut self.random;
        let settings = Settings {
            substeps: 1 + random.below(4) as u32,
            iterations: 1 + random.below(2) as u32,
            gravity: random.vector(20.0),
            ..self.world.settings().clone()
        };
        self.world.set_settings(settings.clone()).unwrap();
        self.alone.set_settings(settings).unwrap();
    }

    fn save_or_restore(&mut self) {
        match &self.saved {
            Some(saved) if self.random.below(3) > 0 => {
                self.world.restore(&saved.world).unwrap();
                self.alone.restore(&saved.alone).unwrap();
                self.things.clone_from(&saved.things);
                self.saved = None;
            }
            _ => {
                let (world, alone) = (self.world.snapshot().unwrap(), self.alone.snapshot().unwrap());
                self.saved = Some(Saved { world, alone, things: self.things.clone() });
            }
        }
    }

    /// A world made of the snapshot goes on as this one does.
    fn go_on_elsewhere(&mut self) {
        let mut other = World::default();
        xpbd_cloth::register(other.registry_mut()).unwrap();
        other.restore(&self.world.snapshot().unwrap()).unwrap();
        for _ in 0..3 {
            self.edit_both(&mut other);
            let dt = self.frames[self.random.below(self.frames.len())];
            let report = self.world.step(&mut self.cpu, dt).unwrap();
            self.alone.step(&mut self.cpu, dt).unwrap();
            let again = other.step(&mut CpuBackend::new(Threads::Exactly(2)), dt).unwrap();
            assert_eq!((&report.frozen, &report.frozen_bodies), (&again.frozen, &again.frozen_bodies));
            assert_eq!(self.world.state_hash(), other.state_hash());
        }
        self.count.continued += 1;
    }

    fn check(&self) {
        for &object in self.world.objects() {
            let mut all = self.world.positions(object).unwrap().chain(self.world.velocities(object).unwrap());
            assert!(all.all(Vec3::is_finite), "{object:?}");
        }
        let bits = |world: &World, object| {
            let all = world.positions(object).unwrap().chain(world.velocities(object).unwrap());
            all.flat_map(|x| x.to_array()).map(f32::to_bits).collect::<Vec<_>>()
        };
        let [here, there] = self.witness;
        assert_eq!(bits(&self.world, here), bits(&self.alone, there), "the witness was disturbed");
    }
}

/// Says how many vertices came apart.
fn run(seed: u64, frames: &'static [f32]) -> usize {
    let mut fuzz = Fuzz::new(seed, frames);
    for operation in 0..OPERATIONS {
        fuzz.operate();
        if operation % 7 == 0 {
            fuzz.check();
        }
    }
    fuzz.check();
    println!("seed {seed}: {:?}", fuzz.count);
    let Count { steps, built, refused, edited, torn, continued, .. } = fuzz.count;
    assert!(steps > OPERATIONS / 5 && built > 10 && refused > 5 && edited > OPERATIONS / 10 && continued > 0);
    torn
}

#[test]
fn usual_frames() {
    assert!(run(1, &USUAL) + run(5, &USUAL) > 0, "nothing has torn");
}

#[test]
fn wild_frames() {
    run(3, &WILD);
    run(4, &WILD);
}
