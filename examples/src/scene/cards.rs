//! A house of cards: plates that lean on each other in pairs, with plates across their tops.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::scalar::trig;
use xpbd_core::world::{BodyHandle, Settings, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, solid};
use crate::picture::Picture;

/// Length, depth and thickness of a card \[m\].
const CARD: [f32; 3] = [1.0, 0.7, 0.04];
/// Mass of a card \[kg\].
const MASS: f32 = 0.1;
/// Angle by which a card leans \[rad\].
const LEAN: f32 = 0.349_065_86;
/// Distance between neighbouring plates \[m\].
const GAP: f32 = 0.02;
/// Friction of cards and floor \[1\].
pub(crate) const FRICTION: f32 = 0.6;

pub(super) const RECIPE: Recipe = Recipe {
    name: "cards",
    summary: "a house of cards stands",
    frames: 600,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "5", help: "storeys" },
        OptionKey { name: "sleep", default: "on", help: "whether cards at rest fall asleep: on or off" },
    ],
    takes_mesh: false,
    build,
};

struct Cards {
    /// Cards, and where they were at the start.
    cards: Vec<(BodyHandle, Vec3)>,
    farthest: f64,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let storeys = setup.count("n", 1, 100)?;
    let sleep = setup.choice("sleep", &[("on", Settings::default().sleep_speed), ("off", 0.0)])?;
    let mut world = World::new(Settings { sleep_speed: sleep, ..setup.settings() })?;
    solid::floor(&mut world, FRICTION)?;
    let cards = house(&mut world, storeys)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Cards { cards, farthest: 0.0 }) })
}

/// Adds a house of so many storeys on y = 0, and returns its cards with their positions \[m\].
///
/// A card of length L and thickness t that leans by θ is L cos θ + t sin θ high. Its pair stands on edges L sin θ from the
/// middle and bears on edges t cos θ from it, which touch from the start. A card stands if tan θ < μ: what lies across
/// holds the tops of the cards below it together.
pub(crate) fn house(world: &mut World, storeys: usize) -> Result<Vec<(BodyHandle, Vec3)>, WorldError> {
    let ([length, depth, thickness], sine, cosine) = (CARD, trig::sin(LEAN), trig::cos(LEAN));
    let height = length * cosine + thickness * sine;
    let half_width = length * sine + thickness * cosine;
    let upright = 0.5 * Vec3::new(thickness, length, depth);
    let across = 0.5 * Vec3::new(2.0 * half_width, thickness, depth);
    let mut cards = Vec::new();
    let mut add = |pose: Pose, half: Vec3| {
        let card = solid::block(world, pose, half, MASS, FRICTION)?;
        cards.push((card, pose.translation));
        Ok::<_, WorldError>(())
    };
    for storey in 0..storeys {
        let pairs = storeys - storey;
        let floor = storey as f32 * (height + thickness);
        let middle = |k: usize| (k as f32 - 0.5 * (pairs - 1) as f32) * (2.0 * half_width + GAP);
        for (k, side) in (0..pairs).flat_map(|k| [(k, -1.0), (k, 1.0)]) {
            let place = Vec3::new(middle(k) + 0.5 * side * half_width, floor + 0.5 * height, 0.0);
            add(Pose::from_parts(place, Quat::from_rotation_z(side * LEAN)), upright)?;
        }
        for k in 1..pairs {
            let x = 0.5 * (middle(k - 1) + middle(k));
            add(Pose::translation(x, floor + height + 0.5 * thickness, 0.0), across)?;
        }
    }
    Ok(cards)
}

/// Returns how far the card that has moved farthest is from its place \[m\].
pub(crate) fn farthest_moved(world: &World, cards: &[(BodyHandle, Vec3)]) -> Result<f64, WorldError> {
    let mut ways = cards.iter().map(|&(card, from)| Ok(world.body_pose(card)?.translation.distance(from)));
    ways.try_fold(0.0, |farthest: f64, way: Result<f32, WorldError>| Ok(farthest.max(f64::from(way?))))
}

impl Observer for Cards {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.farthest = self.farthest.max(farthest_moved(world, &self.cards)?);
        Ok(())
    }

    /// `moved_m`: how far a card was from its place at most \[m\]; `max_penetration_m`: how deep cards are in each other
    /// or the floor at most \[m\]; `fastest_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let mut fastest = 0.0_f32;
        for &(card, _) in &self.cards {
            fastest = fastest.max(world.body(card)?.velocity.length());
        }
        let overlap = solid::penetration(world);
        Ok(vec![("moved_m", self.farthest), ("max_penetration_m", overlap), ("fastest_m_s", f64::from(fastest))])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        Ok(solid::draw(world, picture, solid::color).rotated(28.0, 14.0))
    }
}
