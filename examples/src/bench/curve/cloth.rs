//! Inextensible sheets.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BatchHandle, Friction, ObjectHandle, Settings, World, WorldError};

use super::{Errors, Study, Trial};
use crate::scene::SceneError;
use crate::scene::sheet::edges;
use crate::scene::strain::Strains;

/// Vertices along a side of a sheet of 1 m by 1 m, and the mass of the sheet \[kg\].
const SIDE: u32 = 100;
const MASS: f32 = 0.2;
/// Friction of sheets and what they lie on \[1\].
const FRICTION: f32 = 0.5;
/// Drag of the air \[1/s\].
const DRAG: f32 = 0.5;

/// Ways to hold a sheet: whether it has tethers, and coarse levels.
const HELD_BY: [[bool; 2]; 4] = [[false, false], [true, false], [false, true], [true, true]];
const HELD_BY_NAMES: &[&str] = &["edges", "tethers", "levels", "tethers and levels"];

const STRAIN: &str = "strain of edges [%]";

pub(super) const HANG: Study = Study {
    name: "hang",
    title: "A sheet that hangs by two corners",
    text: "An inextensible sheet of 100 × 100 vertices swings down from level and has 10 s to come to rest. A sweep over \
           edges passes a load on by a few edges a substep, so that the strain falls with the square of the substeps. \
           Tethers hold each vertex at the length of the sheet from a pin, and coarse levels keep the sheet within its \
           lengths while it moves.",
    error: STRAIN,
    moves: false,
    methods: HELD_BY_NAMES,
    substeps: &[5, 10, 20, 40],
    build: hang,
};

pub(super) const SWING: Study = Study {
    name: "swing",
    title: "A sheet that is swung",
    text: "The pins of the same sheet move to and fro by 0.5 m, twice a second, with up to 39 m/s². The largest of the \
           strains on the way is drawn.",
    error: STRAIN,
    moves: true,
    methods: HELD_BY_NAMES,
    substeps: &[5, 10, 20, 40],
    build: swing,
};

pub(super) const DRAPE: Study = Study {
    name: "drape",
    title: "A free sheet on a ball",
    text: "The sheet falls on a ball with a radius of 0.3 m and hangs from it by friction. No tether can help. What is \
           left is the load of the whole sheet on about a hundred vertices, unless these weigh more in their constraints \
           (mass scaling with a strain of 2 %).",
    error: STRAIN,
    moves: false,
    methods: &["edges", "levels", "mass scaling", "levels and mass scaling"],
    substeps: &[5, 10, 20, 40, 80],
    build: drape,
};

pub(super) const HEAVY: Study = Study {
    name: "heavy",
    title: "A heavy ball in a light sheet",
    text: "A ball of 20 kg falls into a sheet of 30 × 30 vertices and 0.2 kg that is pinned all round. Where it passes \
           through, the error is infinite. It weighs 90,000 times as much as a vertex: without supports a contact gives it no \
           more of an impulse than a vertex has, and what holds it are edges that are longer than they should be. The sheet is \
           flat between its pins, so that it has to stretch by some percent to bear anything.",
    error: STRAIN,
    moves: false,
    methods: &["without supports", "with supports"],
    substeps: &[10, 20, 40, 80, 160],
    build: heavy,
};

/// Returns a sheet of so many vertices a side at a height \[m\].
fn sheet(side: u32, height: f32) -> Cloth {
    Cloth::grid(side, side, 1.0, 1.0)
        .density(MASS)
        .friction(Friction::new(FRICTION))
        .linear_damping(DRAG)
        .at(Vec3::Y * height)
}

/// Adds a sheet to a world in which its particles touch each other, and returns it with its edges.
fn add(world: &mut World, cloth: Cloth) -> Result<(ObjectHandle, BatchHandle), SceneError> {
    let object = cloth.build().map_err(|error| SceneError::Object(error.to_string()))?;
    let sheet = world.add(object)?;
    Ok((sheet, edges(world, sheet)?))
}

fn world(side: u32, substeps: u32) -> Result<World, SceneError> {
    let particle_radius = 0.5 / (side - 1) as f32;
    Ok(World::new(Settings { substeps, particle_radius, ..Settings::default() })?)
}

/// Returns the stretch of the edges of a sheet \[%\].
fn strain(world: &World, sheet: ObjectHandle, edges: BatchHandle) -> Result<Errors, WorldError> {
    let Strains { p99, max, .. } = Strains::of(world, sheet, edges)?;
    Ok(Errors { p99: 100.0 * p99, largest: 100.0 * max })
}

/// Builds a sheet that hangs by two corners, held by these.
fn pinned(method: usize, substeps: u32) -> Result<(World, ObjectHandle, BatchHandle), SceneError> {
    let mut world = world(SIDE, substeps)?;
    let [tethers, levels] = HELD_BY[method];
    let cloth = sheet(SIDE, 0.0).pin([0, SIDE - 1]).tethers(tethers).coarse_levels(levels);
    let (sheet, edges) = add(&mut world, cloth)?;
    Ok((world, sheet, edges))
}

fn hang(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    let (world, sheet, edges) = pinned(method, substeps)?;
    Ok(Trial::new(world, 600, move |world| strain(world, sheet, edges)))
}

fn swing(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    /// Amplitude \[m\] and angular frequency \[rad/s\].
    const AMPLITUDE: f32 = 0.25;
    const FREQUENCY: f32 = 4.0 * std::f32::consts::PI;
    let (world, sheet, edges) = pinned(method, substeps)?;
    let pins = [0, SIDE as usize - 1];
    let [a, b] = [world.position(sheet, pins[0])?, world.position(sheet, pins[1])?];
    let trial = Trial::new(world, 240, move |world| strain(world, sheet, edges));
    Ok(trial.driven(move |world, time| {
        let shift = Vec3::Z * (AMPLITUDE * (1.0 - libm::cosf(FREQUENCY * time)));
        [(pins[0], a), (pins[1], b)].into_iter().try_for_each(|(pin, rest)| world.move_pinned(sheet, pin, rest + shift))
    }))
}

fn drape(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    let mut world = world(SIDE, substeps)?;
    world.add_collider(Collider::new(SharedShape::ball(0.3)).friction(Friction::new(FRICTION)))?;
    let cloth = sheet(SIDE, 0.35).coarse_levels(method % 2 == 1);
    let (sheet, edges) = add(&mut world, if method < 2 { cloth } else { cloth.mass_scaling(0.02) })?;
    Ok(Trial::new(world, 360, move |world| strain(world, sheet, edges)))
}

fn heavy(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    const SIDE: u32 = 30;
    const RADIUS: f32 = 0.15;
    const WEIGHT: f32 = 20.0;
    let mut world = world(SIDE, substeps)?;
    let is_rim = |vertex: &u32| [vertex % SIDE, vertex / SIDE].iter().any(|&place| place == 0 || place + 1 == SIDE);
    let rim: Vec<u32> = (0..SIDE * SIDE).filter(is_rim).collect();
    let cloth = sheet(SIDE, 0.0).pin(rim);
    let (sheet, edges) = add(&mut world, if method == 0 { cloth.tethers(false) } else { cloth })?;
    let ball = world.add_body(Body::dynamic(Pose::translation(0.0, RADIUS + 0.05, 0.0), Mass::ball(WEIGHT, RADIUS)))?;
    let shape = Collider::new(SharedShape::ball(RADIUS)).attached_to(ball).friction(Friction::new(FRICTION));
    world.add_collider(shape)?;
    Ok(Trial::new(world, 300, move |world| {
        let passed = world.body_pose(ball)?.translation.y < -1.0;
        if passed { Ok(Errors::of([f64::INFINITY].into_iter())) } else { strain(world, sheet, edges) }
    }))
}
