//! Random scenes with random edits, for as long as one likes: what fails, freezes, leaks memory, or leaves a closed room.

use std::time::{Duration, Instant};

use glam::Vec3;
use parry3d::shape::SharedShape;
use serde::Serialize;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Settings, World};

use crate::matrix::{Error, Kind, Piece, add_thrown};
use crate::random::Random;
use crate::scene::FRAME;

/// Half the edge of the room \[m\], and the thickness of its walls.
const ROOM: f32 = 0.6;
const WALL: f32 = 0.2;
/// Frames of a scene.
const FRAMES: u32 = 120;
/// Frames in which a wall pushes out what a blow has driven into it.
const BACK: u32 = 30;
/// Greatest speed of what is thrown \[m/s\].
const FASTEST: f32 = 50.0;
/// Most particles and bodies of a scene.
const MOST: usize = 6_000;
/// Scenes after which the memory in use is that of a steady state.
const WARM: u64 = 5;

/// Results of a soak.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Soaked {
    /// Number of scenes.
    pub scenes: u64,
    /// Number of frames.
    pub frames: u64,
    /// Number of edits between frames.
    pub edits: u64,
    /// Number of restored snapshots whose next frames had other bits than those without.
    pub unequal: u64,
    /// Number of objects and bodies that became non-finite and were frozen.
    pub frozen: u64,
    /// Number of particles and bodies that were in a wall, or behind it, at the end of their scene.
    pub driven_in: u64,
    /// Number of these that had not come back half a second later.
    pub outside: u64,
    /// Memory in use after the first scenes \[bytes\]; 0 where the system does not tell.
    pub memory_first: u64,
    /// Most memory in use after a scene \[bytes\].
    pub memory_most: u64,
    /// Seeds of the scenes in which something went wrong.
    pub seeds: Vec<u64>,
}

/// Runs random scenes for a time, the first with this seed, the next with the next.
///
/// # Errors
/// A step or an edit was refused, with the seed of its scene.
pub fn soak(time: Duration, first_seed: u64) -> Result<Soaked, Error> {
    let (start, mut result) = (Instant::now(), Soaked::default());
    while start.elapsed() < time || result.scenes == 0 {
        let seed = first_seed + result.scenes;
        let before = (result.unequal, result.frozen, result.outside);
        scene(seed, &mut result).map_err(|error| format!("the scene with seed {seed}: {error}"))?;
        if before != (result.unequal, result.frozen, result.outside) {
            result.seeds.push(seed);
        }
        result.scenes += 1;
        let memory = memory_in_use();
        if result.scenes <= WARM {
            result.memory_first = memory;
        }
        result.memory_most = result.memory_most.max(memory);
    }
    Ok(result)
}

/// A room and what is in it.
struct Scene {
    random: Random,
    world: World,
    backend: CpuBackend,
    pieces: Vec<Piece>,
}

fn scene(seed: u64, result: &mut Soaked) -> Result<(), Error> {
    let mut random = Random::new(seed);
    let settings = Settings { substeps: 5 + random.bits() % 20, ..Settings::default() };
    let backend = CpuBackend::new(Threads::Exactly(1 + random.bits() as usize % 3));
    let mut scene = Scene { world: World::new(settings)?, backend, pieces: Vec::new(), random };
    // A snapshot is read by the types that are known.
    xpbd_cloth::register(scene.world.registry_mut())?;
    xpbd_fluid::register(scene.world.registry_mut())?;
    xpbd_rigid::register(scene.world.registry_mut())?;
    scene.add_room()?;
    for _ in 0..2 + scene.random.bits() % 4 {
        scene.add()?;
    }
    for _ in 0..FRAMES {
        if scene.random.bits().is_multiple_of(12) {
            scene.edit(result)?;
            result.edits += 1;
        }
        scene.step(result)?;
    }
    let driven_in = scene.outside()?;
    if driven_in > 0 {
        for _ in 0..BACK {
            scene.step(result)?;
        }
        result.driven_in += driven_in;
        result.outside += scene.outside()?;
    }
    Ok(())
}

impl Scene {
    fn add_room(&mut self) -> Result<(), Error> {
        for way in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let half = Vec3::splat(ROOM + WALL) - way.abs() * (ROOM + 0.5 * WALL);
            let wall = Collider::new(SharedShape::cuboid(half.x, half.y, half.z));
            self.world.add_collider(wall.at(way * (ROOM + 0.5 * WALL)))?;
        }
        Ok(())
    }

    /// Adds something of a random kind at a random place with a random velocity.
    fn add(&mut self) -> Result<(), Error> {
        let kind = Kind::THROWN[self.random.bits() as usize % Kind::THROWN.len()];
        let place = self.random.vector() * (ROOM - 0.2);
        let velocity = self.random.vector() * FASTEST * (0.5 + 0.5 * self.random.signed()) * 0.577;
        let piece = add_thrown(&mut self.world, kind, place, velocity)?;
        if self.random.bits().is_multiple_of(2) {
            piece.let_sleep(&mut self.world)?;
        }
        self.pieces.push(piece);
        Ok(())
    }

    /// Changes something.
    fn edit(&mut self, result: &mut Soaked) -> Result<(), Error> {
        let chosen = self.random.bits() as usize % self.pieces.len().max(1);
        match self.random.bits() % 6 {
            0 if self.size() < MOST => self.add()?,
            1 if self.pieces.len() > 1 => self.pieces.swap_remove(chosen).remove(&mut self.world)?,
            2 => {
                let gravity = self.random.vector() * 20.0;
                let substeps = 5 + self.random.bits() % 20;
                self.world.set_settings(Settings { gravity, substeps, ..self.world.settings().clone() })?;
            }
            3 => self.restore(result)?,
            4 => {
                let velocity = self.random.vector();
                let Some(piece) = self.pieces.get(chosen) else { return Ok(()) };
                piece.push(&mut self.world, velocity)?;
            }
            _ => self.backend = CpuBackend::new(Threads::Exactly(1 + self.random.bits() as usize % 3)),
        }
        Ok(())
    }

    /// Goes two frames on, back by a snapshot, and the same frames again.
    fn restore(&mut self, result: &mut Soaked) -> Result<(), Error> {
        let saved = self.world.snapshot()?;
        let never_restored = self.two_frames_on(result)?;
        self.world.restore(&saved)?;
        result.unequal += u64::from(self.two_frames_on(result)? != never_restored);
        Ok(())
    }

    /// Makes two frames, and returns the hash of the state after them.
    fn two_frames_on(&mut self, result: &mut Soaked) -> Result<u64, Error> {
        for _ in 0..2 {
            self.step(result)?;
        }
        Ok(self.world.state_hash())
    }

    fn step(&mut self, result: &mut Soaked) -> Result<(), Error> {
        let report = self.world.step(&mut self.backend, FRAME)?;
        result.frozen += (report.frozen.len() + report.frozen_bodies.len()) as u64;
        result.frames += 1;
        Ok(())
    }

    fn size(&self) -> usize {
        self.world.state().particles.len() + self.world.state().bodies.len()
    }

    /// Returns the number of particles and bodies that are in a wall or behind it.
    fn outside(&self) -> Result<u64, Error> {
        let is_outside = |x: &Vec3| x.abs().max_element() > ROOM;
        let mut count = 0;
        for piece in &self.pieces {
            count += piece.particles(&self.world)?.iter().filter(|x| is_outside(x)).count();
            count += piece.centres(&self.world)?.iter().filter(|x| is_outside(x)).count();
        }
        Ok(count as u64)
    }
}

/// Returns the memory that the process has in use \[bytes\], 0 where the system does not tell.
fn memory_in_use() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}
