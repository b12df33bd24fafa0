//! A state of particles to search, and what the CPU finds in it.

use glam::{Vec3, Vec4};
use libtest_mimic::Failed;
use xpbd_core::collide::ContactSet;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::object::{ObjectState, ParticleStiffness};
use xpbd_core::particles::Particles;
use xpbd_core::sleep::SleepState;
use xpbd_core::world::{Backend, CollisionLayers, Friction, Settings, State, StepReport};
use xpbd_gpu::internals::{PairSearchObject, PairSearchScene};

/// Length of a frame \[s\].
pub const DT: f32 = 1.0 / 60.0;

/// \[m/s²\]
const GRAVITY: Vec3 = Vec3::new(0.4, -9.81, -0.7);

/// A linear congruential generator, in −1..1.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub fn next(&mut self) -> f32 {
        (self.bits() >> 8) as f32 / (1u32 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Particles and objects.
pub struct Case {
    pub particles: Particles,
    pub objects: Vec<ObjectState>,
    /// \[m\]
    pub radius: f32,
    /// \[m\]
    pub margin: f32,
}

/// The lists of partners of all particles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lists {
    /// Partners that there are.
    pub needed: usize,
    /// Pairs dropped.
    pub dropped: usize,
    pub lists: Vec<Vec<u32>>,
}

impl Case {
    pub fn new(radius: f32, margin: f32) -> Self {
        Self { particles: Particles::default(), objects: Vec::new(), radius, margin }
    }

    /// Adds an object whose rest shape is where it is; every particle weighs 1 kg.
    pub fn with(mut self, positions: impl IntoIterator<Item = Vec3>, filter: CollisionLayers) -> Self {
        let start = self.particles.len();
        positions.into_iter().for_each(|x| self.particles.push(x, Vec3::ZERO, 1.0, x));
        self.objects.push(ObjectState {
            name: String::new(),
            range: start..self.particles.len(),
            friction: Friction::new(0.0),
            restitution: 0.0,
            collision_layers: filter,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            frozen: false,
            can_sleep: false,
            sleep: SleepState::default(),
            surface: None,
            triangles: Vec::new(),
            supports: Vec::new(),
            stiffness: ParticleStiffness::default(),
            pin_targets: Vec::new(),
        });
        self
    }

    /// Grains: particles that collide with each other wherever they started.
    pub fn grains(self, positions: impl IntoIterator<Item = Vec3>) -> Self {
        let mut case = self.with(positions, CollisionLayers { self_collision: true, ..CollisionLayers::default() });
        let apart = 10.0 * case.radius;
        case.particles.rest_positions.iter_mut().enumerate().for_each(|(i, rest)| *rest = Vec3::X * apart * i as f32);
        case
    }

    /// Gives every particle a velocity of up to `speed` \[m/s\] along each axis and a small offset.
    pub fn moving(mut self, random: &mut Random, speed: f32) -> Self {
        for i in 0..self.particles.len() {
            self.particles.velocity[i] = (random.vector() * speed).extend(0.0);
            self.particles.offset[i] = (random.vector() * 1e-3 * self.radius).extend(0.0);
        }
        self
    }

    /// Acceleration of each particle: gravity, unless it is pinned.
    pub fn accelerations(&self) -> Vec<Vec4> {
        self.particles.anchor.iter().map(|x| if x.w > 0.0 { GRAVITY.extend(0.0) } else { Vec4::ZERO }).collect()
    }

    /// Returns what the search on the GPU is told of it.
    pub fn pairs_objects(&self) -> Vec<PairSearchObject> {
        let object = |object: &ObjectState| PairSearchObject {
            range: object.range.clone(),
            groups: object.collision_layers.memberships,
            mask: object.collision_layers.filters,
            self_collision: object.collision_layers.self_collision,
            excluded: object.frozen || object.surface.is_some(),
            medium: None,
        };
        self.objects.iter().map(object).collect()
    }

    pub fn scene<'a>(&'a self, objects: &'a [PairSearchObject]) -> PairSearchScene<'a> {
        let (rest, absent) = (&self.particles.rest_positions, &self.particles.inactive);
        PairSearchScene { objects, rest, absent, radius: self.radius, margin: self.margin, dt: DT }
    }

    /// Returns the pairs of the CPU, as the lists of both their particles.
    pub fn on_cpu(&self) -> Result<Lists, Failed> {
        let settings = Settings {
            gravity: GRAVITY,
            particle_radius: self.radius,
            contact_margin: self.margin,
            substeps: 1,
            ..Settings::default()
        };
        let mut state = State { settings, particles: self.particles.clone(), ..State::default() };
        self.objects.iter().for_each(|object| _ = state.objects.push(object.clone()));
        CpuBackend::new(Threads::Exactly(1)).advance(&mut state, DT, &mut StepReport::default())?;
        let mut lists = vec![Vec::new(); self.particles.len()];
        let contacts = &state.contacts.particles;
        for &[i, j] in contacts.pairs() {
            lists[i as usize].push(j);
            lists[j as usize].push(i);
        }
        lists.iter_mut().for_each(|list| list.sort_unstable());
        Ok(Lists { needed: 2 * contacts.len(), dropped: contacts.dropped(), lists })
    }
}
