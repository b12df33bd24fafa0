//! Rollback: every frame goes eight frames back and forward again, to the same bits.
//!
//! A game that is played over a network predicts what the other players do, and makes its last frames again when it learns
//! what they did. Here nothing is learnt, so that the frames that are made again must be the same, although balls come, go
//! and wake crates that sleep. Such a frame makes nine steps, saves nine snapshots and restores one: it took 11 times as long
//! as a plain one in a build whose physics was optimised and Bevy was not. The program prints what it takes.
//!
//! A game must be able to bring back whatever it despawns within the frames that it may take back. So a ball that goes loses
//! its body and its collider at once, and its entity when no frame needs it any more.

use std::collections::VecDeque;
use std::error::Error;
use std::time::Instant;

use bevy::asset::AssetPlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use xpbd_bevy::prelude::*;

/// The number of frames that are taken back.
pub const WINDOW: usize = 8;

/// A game whose frames can be taken back.
pub struct Game {
    /// The app.
    pub app: App,
    /// The number of the next frame.
    pub frame: u32,
    balls: Vec<Entity>,
    /// Balls without a body, with the frames in which they went.
    gone: VecDeque<(u32, Entity)>,
}

/// A game as it was before a frame.
pub struct SavedGame {
    physics: PhysicsSnapshot,
    frame: u32,
    balls: Vec<Entity>,
}

/// Returns the description of a ball.
fn ball() -> impl Bundle {
    (RigidBody::Dynamic, Collider::ball(0.15), ColliderDensity(300.0))
}

impl Default for Game {
    /// Creates the game: crates on a floor, and a sheet between them that hangs by two corners.
    fn default() -> Self {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AssetPlugin::default(), MeshPlugin, TransformPlugin));
        app.add_plugins(XpbdPlugins::default());
        app.insert_resource(Time::<Fixed>::from_hz(60.0)).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        app.finish();
        app.cleanup();
        let world = app.world_mut();
        world.spawn(Collider::half_space(Vec3::Y));
        for k in 0..6_u8 {
            let crate_k = (RigidBody::Dynamic, Collider::cuboid(0.2, 0.2, 0.2), ColliderDensity(200.0));
            world.spawn((crate_k, Transform::from_xyz(0.5 * f32::from(k) - 1.25, 0.2, 0.0)));
        }
        let sheet = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(14).build();
        let sheet = Mesh3d(world.resource_mut::<Assets<Mesh>>().add(sheet));
        world.spawn((Cloth::default(), Pinned::vertices([0, 15]), sheet, Transform::from_xyz(0.0, 1.2, 0.0)));
        // The first update makes no step, the second one builds what was spawned.
        app.update();
        app.update();
        Self { app, frame: 0, balls: Vec::new(), gone: VecDeque::new() }
    }
}

impl Game {
    /// Makes a frame: what the game does in it depends on its number alone.
    pub fn step(&mut self) {
        let world = self.app.world_mut();
        if self.frame % 90 == 60 {
            let x = 0.5 * (self.frame / 90 % 6) as f32 - 1.25;
            let velocity = LinearVelocity(Vec3::new(0.1, -4.0, 0.0));
            self.balls.push(world.spawn((ball(), velocity, Transform::from_xyz(x, 2.0, 0.1))).id());
        }
        if self.frame % 90 == 59 && !self.balls.is_empty() {
            let oldest = self.balls.remove(0);
            world.entity_mut(oldest).remove::<(RigidBody, Collider)>();
            self.gone.push_back((self.frame, oldest));
        }
        while let Some(&(frame, entity)) = self.gone.front()
            && frame as usize + WINDOW < self.frame as usize
        {
            world.despawn(entity);
            self.gone.pop_front();
        }
        self.app.update();
        self.frame += 1;
    }

    /// Saves the game.
    ///
    /// # Errors
    /// As [`PhysicsSnapshot::save`].
    pub fn save(&mut self) -> Result<SavedGame, Box<dyn Error>> {
        let physics = PhysicsSnapshot::save(self.app.world_mut())?;
        Ok(SavedGame { physics, frame: self.frame, balls: self.balls.clone() })
    }

    /// Restores the game.
    ///
    /// # Errors
    /// As [`PhysicsSnapshot::restore`].
    pub fn restore(&mut self, saved: &SavedGame) -> Result<RestoredEntities, Box<dyn Error>> {
        (self.frame, self.balls) = (saved.frame, saved.balls.clone());
        let world = self.app.world_mut();
        // Balls that went since come back before the bodies that the snapshot gives them.
        while let Some((_, entity)) = self.gone.pop_back_if(|&mut (frame, _)| frame >= saved.frame) {
            world.entity_mut(entity).insert(ball());
        }
        let restored = saved.physics.restore(world)?;
        for &entity in &restored.spawned_since {
            world.despawn(entity);
        }
        Ok(restored)
    }

    /// Returns the hash of all numbers of the physics world.
    pub fn hash(&self) -> u64 {
        self.app.world().resource::<Physics>().world().state_hash()
    }
}

/// A game of which every frame takes the last ones back.
#[derive(Default)]
pub struct Rollback {
    /// The game.
    pub game: Game,
    /// The last frames: the game before each, and its hash after it.
    last: VecDeque<(SavedGame, u64)>,
}

impl Rollback {
    /// Takes the last frames back, makes them again, and makes a new one. Returns what was taken back.
    ///
    /// # Errors
    /// A frame that was made again has other bits, or a snapshot failed.
    pub fn frame(&mut self) -> Result<RestoredEntities, Box<dyn Error>> {
        let mut restored = RestoredEntities::default();
        if let Some((saved, _)) = self.last.front() {
            restored = self.game.restore(saved)?;
        }
        for _ in 0..self.last.len() {
            let Some((_, expected)) = self.last.pop_front() else { break };
            let frame = self.game.frame;
            let again = self.save_and_step()?;
            if again != expected {
                return Err(format!("frame {frame} has the hash {again:016x}, it was {expected:016x}").into());
            }
        }
        self.save_and_step()?;
        if self.last.len() > WINDOW {
            self.last.pop_front();
        }
        Ok(restored)
    }

    /// Makes a frame that can be taken back, and returns its hash.
    fn save_and_step(&mut self) -> Result<u64, Box<dyn Error>> {
        let saved = self.game.save()?;
        self.game.step();
        let hash = self.game.hash();
        self.last.push_back((saved, hash));
        Ok(hash)
    }
}

/// Compares a game with rollback with a plain one, and prints what a frame costs.
///
/// # Errors
/// A frame has other bits.
pub fn main() -> Result<(), Box<dyn Error>> {
    const FRAMES: u32 = 300;
    let (mut plain, mut rollback) = (Game::default(), Rollback::default());
    let mut seconds = [0.0; 2];
    for frame in 0..FRAMES {
        let start = Instant::now();
        plain.step();
        let middle = Instant::now();
        rollback.frame()?;
        seconds[0] += (middle - start).as_secs_f64();
        seconds[1] += middle.elapsed().as_secs_f64();
        if rollback.game.hash() != plain.hash() {
            return Err(format!("frame {frame} has other bits than without rollback").into());
        }
    }
    let [plain, rollback] = seconds.map(|seconds| seconds * 1e3 / f64::from(FRAMES));
    println!("{FRAMES} frames with equal bits");
    println!("a plain frame: {plain:.2} ms; one that goes {WINDOW} frames back and forward: {rollback:.2} ms");
    println!("that is {:.1} plain frames", rollback / plain);
    Ok(())
}
