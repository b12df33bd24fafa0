//! Checks of water: columns, floating bodies, a dam break, a bag and a sieve.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_cloth::Cloth;
use xpbd_core::collide::Collider;
use xpbd_core::world::Settings;
use xpbd_fluid::Fluid;

use super::fluid::run_scene;
use super::lab::{Lab, built};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::scene::{Options, Scene, SceneError};

pub(super) const ROWS: &[Row] = rows![column, floating_box, dam_front, dam_leaks, bag_leaks, seepage];

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

/// Checks that a box half as dense as water floats half submerged. It bobs on: starts that differ by half a millimetre end
/// between 0.945 and 0.982.
pub fn floating_box(device: &Device) -> Outcome {
    let scene = run_scene(device, "float", &Options::default())?;
    Check::near("floating box: draft over what the densities say [1]", 1.0, scene.metric("draft_ratio")?, 0.07)
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
