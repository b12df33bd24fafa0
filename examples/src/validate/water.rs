//! Checks of water: columns, floating and held bodies, a dam break, a bag and a sieve.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::Settings;
use xpbd_fluid::{Fluid, FluidMaterial};
use xpbd_rigid::joint::{FixedJoint, Joint};

use super::fluid::run_scene;
use super::lab::{G, Lab, built};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![column, floating_box, held_box, dam_front, dam_leaks, bag_leaks, seepage];

/// Compares a column of a hundred layers with its volume and weight: its level within 2 %, its force on the floor
/// within 3 %, and its density within 1 % in the mean and 3 % at most. The result is the worst of the four over its
/// tolerance.
pub fn column(device: &Device) -> Outcome {
    let scene = run_scene(device, "column", &Options::default().with("side", 3).frames(90))?;
    let off = |name: &str, from: f64, tolerance: f64| Ok((scene.metric(name)? - from).abs() / tolerance);
    let all: Result<Vec<f64>, SceneError> = [
        ("level_ratio", 1.0, 0.02),
        ("force_ratio", 1.0, 0.03),
        ("mean_density_error", 0.0, 0.01),
        ("max_density_error", 0.0, 0.03),
    ]
    .map(|(name, from, tolerance)| off(name, from, tolerance))
    .into_iter()
    .collect();
    let worst = all?.into_iter().fold(0.0, f64::max);
    Check::at_most("fluid column: level, force and density over their tolerances [1]", 1.0, worst)
}

/// Checks that a box half as dense as water floats half submerged. Starts that differ by half a millimetre
/// end between 1.037 and 1.047: water that has melted is lighter than its lattice.
pub fn floating_box(device: &Device) -> Outcome {
    let scene = run_scene(device, "float", &Options::default())?;
    Check::near("floating box: draft over what the densities say [1]", 1.0, scene.metric("draft_ratio")?, 0.07)
}

/// Compares the lift of a box of eight particles a side, held under water, with the weight of the water that it displaces. The
/// water begins on its lattice, without a gap around the box.
pub fn held_box(device: &Device) -> Outcome {
    const RADIUS: f32 = 0.025;
    const SPACING: f32 = 2.0 * RADIUS;
    /// Particles along the box, and from there to each wall and to the surface.
    const BOX: usize = 8;
    const GAP: usize = 4;
    const FRAMES: [u32; 2] = [120, 120];
    let count = BOX + 2 * GAP;
    let (side, half) = (count as f32 * SPACING, Vec3::splat(0.5 * BOX as f32 * SPACING));
    let settings =
        Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, substeps: 10, ..Settings::default() };
    let mut lab = Lab::new(device, settings)?;
    let walls = [(Vec3::X, 0.0), (Vec3::NEG_X, side), (Vec3::Z, 0.0), (Vec3::NEG_Z, side), (Vec3::Y, 0.0)];
    for (normal, away) in walls {
        lab.world.add_collider(Collider::new(SharedShape::halfspace(normal)).at(normal.abs() * away))?;
    }
    let middle = Vec3::splat(0.5 * side);
    let number = |k: usize| Vec3::new((k % count) as f32, (k / count % count) as f32, (k / count / count) as f32);
    let lattice = (0..count.pow(3)).map(|k| (number(k) + 0.5) * SPACING);
    let water = lattice.filter(|x| (x - middle).abs().cmpgt(half).any()).collect();
    built(Fluid::particles(water).add_to_world(&mut lab.world))?;
    let mass = FluidMaterial::WATER.density * 8.0 * half.element_product();
    let body = lab.world.add_body(Body::dynamic(Pose::from_translation(middle), Mass::cuboid(mass, half)))?;
    let shape = SharedShape::cuboid(half.x, half.y, half.z);
    lab.world.add_collider(Collider::new(shape).attached_to(body))?;
    let joint = built(FixedJoint::new(middle).add_to_world(&mut lab.world, body))?;
    lab.steps(FRAMES[0])?;
    let mut held = 0.0;
    for _ in 0..FRAMES[1] {
        lab.step()?;
        held += f64::from(built(joint.reaction(&lab.world))?.force.y) / f64::from(FRAMES[1]);
    }
    let weight = f64::from(mass) * G;
    Check::near("held box: lift over the weight of its water [1]", 1.0, (weight - held) / weight, 0.03)
}

fn dam(device: &Device) -> Result<Scene, SceneError> {
    run_scene(device, "dam-break", &Options::default().with("n", 1000).frames(60))
}

/// Checks that the front of a dam break is never faster than 2 √(g H).
pub fn dam_front(device: &Device) -> Outcome {
    Check::at_most("dam break: speed of the front over 2 √(g H) [1]", 1.05, dam(device)?.metric("front_speed_ratio")?)
}

/// Checks that no particle leaves the basin.
pub fn dam_leaks(device: &Device) -> Outcome {
    Check::at_most("dam break: particles outside of the basin [1]", 0.0, dam(device)?.metric("leaked")?)
}

/// Checks that no particle passes a swung bag of cloth that weighs less than a hundredth of the water in it. Were the cloth not held
/// against the water, 575 of 5,000 would.
pub fn bag_leaks(device: &Device) -> Outcome {
    let bag = Options::default().with("opening", 0).with("swing", 0.05).frames(60);
    let passed = run_scene(device, "funnel", &bag)?.metric("passed")?;
    Check::at_most("bag of cloth: particles of water that pass it [1]", 0.0, passed)
}

/// Compares how fast a column of water in a shaft seeps through cloth of 0.2 kg/m² that is pinned all round with Darcy's law:
/// its height falls by the part ψ in a second. In the layer of the cloth water is faster than in the column, and takes that
/// momentum along, so that it is slower by some percent.
pub fn seepage(device: &Device) -> Outcome {
    const PERMEABILITY: f32 = 0.5;
    const HALF: f32 = 0.1;
    let radius = 0.0125;
    let mut lab = Lab::new(device, Settings { particle_radius: radius, substeps: 10, ..Settings::default() })?;
    for outwards in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let wall = Collider::new(SharedShape::cuboid(0.5, 1.0, 0.5)).at(outwards * (HALF + 0.5));
        lab.world.add_collider(wall)?;
    }
    let cloth = Cloth::grid(11, 11, 2.0 * HALF, 2.0 * HALF).surface_collision(0.005).permeability(PERMEABILITY);
    let cloth = cloth.pin_where(|_, x| x.x.abs().max(x.z.abs()) > 0.99 * HALF);
    lab.world.add(built(cloth.build())?)?;
    let (low, high) = (Vec3::new(-HALF, 0.015, -HALF), Vec3::new(HALF, 0.265, HALF));
    let water = built(Fluid::block(low, high).add_to_world(&mut lab.world))?;
    let mut above = [0.0; 2];
    let (first, last) = (15, 75);
    for (count, frames) in above.iter_mut().zip([first, last]) {
        lab.steps(frames)?;
        *count = lab.world.positions(water)?.filter(|x| x.y > 0.0).count() as f64;
    }
    let rate = (above[0] / above[1]).ln() / f64::from(last) * 60.0;
    Check::near(
        "seepage: part of a column that passes in a second over Darcy's law [1]",
        1.0,
        rate / f64::from(PERMEABILITY),
        0.1,
    )
}
