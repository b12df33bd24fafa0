//! Ten thousand random operations: never a panic, never a number that is not finite, and every
//! handle names what it named.

mod edits;

use xpbd_core::cpu::CpuBackend;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{
    BodyHandle, ColliderHandle, CollisionLayers, Friction, Integrator, ObjectHandle, Settings, SolverMethod, World,
};

use super::snapshot::register;
use super::support::{FRAME, Lcg, assert_finite, cpu};

const OPERATIONS: usize = 10_000;

/// What the world should hold.
#[derive(Clone, Default, Debug)]
struct Held {
    objects: Vec<(ObjectHandle, usize)>,
    bodies: Vec<BodyHandle>,
    colliders: Vec<ColliderHandle>,
}

struct Fuzz {
    world: World,
    cpu: CpuBackend,
    random: Lcg,
    held: Held,
    gone: Vec<ObjectHandle>,
    saved: Option<(Vec<u8>, u64, Held)>,
    steps: usize,
    frozen: usize,
}

impl Fuzz {
    fn new(seed: u64) -> Self {
        let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
        register(&mut world);
        let (held, gone) = (Held::default(), Vec::new());
        Self { world, cpu: cpu(), random: Lcg::new(seed), held, gone, saved: None, steps: 0, frozen: 0 }
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.random.below(one_in) == 0
    }

    fn edit_settings(&mut self) {
        let random = &mut self.random;
        let schedule = ScheduleSettings {
            max_colours: [0, 1, 3, 48, 64, 1000][random.below(6)],
            omega: random.range(0.5, 1.5),
            order: [ScheduleOrder::Coloured, ScheduleOrder::Sequential][random.below(2)],
        };
        let settings = Settings {
            gravity: random.vector(10.0),
            substeps: 1 + random.below(6) as u32,
            iterations: 1 + random.below(3) as u32,
            solver_method: [SolverMethod::Xpbd, SolverMethod::Pbd][random.below(2)],
            integrator: [Integrator::FirstOrder, Integrator::SecondOrder][random.below(2)],
            particle_radius: random.range(0.001, 0.05),
            contact_margin: random.range(0.0, 0.05),
            max_depenetration_speed: random.range(0.1, 10.0),
            sleep_speed: random.range(-0.5, 0.5).max(0.0),
            sleep_time: random.range(0.0, 0.2),
            schedule,
        };
        self.world.set_settings(settings).unwrap();
        let filter = CollisionLayers {
            memberships: random.next(),
            filters: random.next() | 1,
            self_collision: random.below(2) == 0,
        };
        let (friction, restitution) = (Friction::new(random.range(0.0, 2.0)), random.range(0.0, 1.0));
        if let Some((object, _)) = self.particle() {
            self.world.set_collision_layers(object, filter).unwrap();
            self.world.set_friction(object, friction).unwrap();
            self.world.set_restitution(object, restitution).unwrap();
        }
    }

    fn save_or_restore(&mut self) {
        if self.saved.is_none() || self.chance(3) {
            self.saved = Some((self.world.snapshot().unwrap(), self.world.state_hash(), self.held.clone()));
        } else if let Some((bytes, hash, held)) = &self.saved {
            self.world.restore(bytes).unwrap();
            assert_eq!(self.world.state_hash(), *hash);
            self.held = held.clone();
            self.gone.clear();
        }
    }

    fn step(&mut self) {
        let lengths = [FRAME, FRAME, FRAME, 1.0 / 30.0, 1.0 / 144.0, 1e-9, 0.0, 0.1, 1.0, 10.0];
        let dt = lengths[self.random.below(lengths.len())];
        let hash = self.world.state_hash();
        let report = self.world.step(&mut self.cpu, dt).unwrap();
        assert!(dt > 0.0 || self.world.state_hash() == hash);
        self.steps += 1;
        self.frozen += report.frozen.len();
        for &object in &report.frozen {
            assert!(self.world.is_frozen(object).unwrap());
            if self.random.below(2) == 0 {
                self.world.unfreeze(object).unwrap();
            }
        }
    }

    fn operate(&mut self) {
        match self.random.below(20) {
            0 | 1 if self.held.objects.len() < 8 => self.add(),
            2 if self.held.objects.len() > 3 => self.remove(),
            3..=7 => self.edit_particle(),
            8 => self.edit_collider(),
            9 => self.edit_body(),
            10 => self.edit_batch(),
            11 => self.edit_settings(),
            12 if self.chance(4) => self.save_or_restore(),
            _ => self.step(),
        }
    }

    fn check(&mut self) {
        let objects: Vec<_> = self.held.objects.iter().map(|&(object, _)| object).collect();
        assert_eq!(self.world.objects(), objects);
        for &(object, count) in &self.held.objects {
            assert_eq!(self.world.positions(object).unwrap().len(), count);
            for batch in self.world.batches_of(object) {
                let force = self.world.row_forces(batch, 0).unwrap();
                let frozen = self.held.bodies.iter().any(|&body| self.world.is_body_frozen(body).unwrap());
                // Lengths of which the squares leave f32 have no force, to the other objects of a batch either.
                let far = self.held.objects.iter().any(|&(other, _)| {
                    self.world.batches_of(other).contains(&batch)
                        && self.world.positions(other).unwrap().any(|x| x.abs().max_element() > 1e15)
                });
                let finite = force.iter().all(|f| !f.is_nan());
                assert!(frozen || far || finite || self.world.is_frozen(object).unwrap(), "{force:?}");
            }
        }
        assert!(self.gone.iter().all(|&object| self.world.is_frozen(object).is_err()));
        for &body in &self.held.bodies {
            let pose = self.world.body_pose(body).unwrap();
            assert!(pose.translation.is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-4, "{pose:?}");
        }
        assert_finite(&self.world);
    }
}

fn run(seed: u64) {
    let mut fuzz = Fuzz::new(seed);
    for operation in 0..OPERATIONS {
        fuzz.operate();
        if operation % 5 == 0 {
            fuzz.check();
        }
    }
    fuzz.check();
    println!("seed {seed}: {} steps, {} frozen", fuzz.steps, fuzz.frozen);
    assert!(fuzz.steps > OPERATIONS / 4);
}

#[test]
fn ten_thousand_operations() {
    run(1);
}

#[test]
fn ten_thousand_others() {
    run(2);
}

#[test]
fn ten_thousand_more() {
    run(3);
}
