//! Checks of soft bodies: bars that are pulled, a beam that bends, bodies that are rotated, and bodies that recover.

use glam::{Quat, Vec3};
use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
use xpbd_core::world::Object;

use super::lab::{Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::soft::end_face_weights;
use crate::scene::{Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] = rows![
    neo_hookean_stretch,
    neo_hookean_contraction,
    venant_stretch,
    venant_contraction,
    fibres_stretch,
    cantilever,
    rotated_rest,
    linear_momentum,
    angular_momentum,
    flattened,
    disordered,
    stretched,
    venant_flattened,
    venant_stretched,
];

/// Young's modulus \[Pa\] and Poisson ratio of the bar, its length and the side of its section \[m\].
const YOUNG: f32 = 1e5;
const POISSON: f32 = 0.4;
const LENGTH: f32 = 0.6;
const SIDE: f32 = 0.15;
/// Pull over E A \[1\].
const STRAIN: f32 = 0.003;

const NEO: Elasticity = Elasticity::NeoHookean { youngs_modulus: YOUNG, poisson_ratio: POISSON };
const VENANT: Elasticity = Elasticity::StVenantKirchhoff { youngs_modulus: YOUNG, poisson_ratio: POISSON };
const FIBRES: Elasticity =
    Elasticity::Orthotropic { youngs_moduli: [YOUNG, 2.0 * YOUNG, 3.0 * YOUNG], shear_moduli: [YOUNG; 3] };

/// Returns the elongation of the middle half of a bar along x and the contraction of its middle \[m\]: there the stress
/// is uniform, far from where it is held.
fn bar(device: &Device, elasticity: Elasticity) -> Result<[f64; 2], SceneError> {
    let mesh = built(TetraMesh::block([8, 2, 2], Vec3::new(LENGTH, SIDE, SIDE)))?;
    let end = 0.4999 * LENGTH;
    let object = SoftBody::new(&mesh).elasticity(elasticity).linear_damping(30.0).pin_where(|_, x| x.x < -end);
    let mut lab = Lab::new(device, weightless(40, 1))?;
    let bar = lab.world.add(built(object.build())?)?;
    let load = end_face_weights(&mesh, end);
    for _ in 0..30 {
        for &(vertex, share) in &load {
            lab.world.add_force(bar, vertex, Vec3::X * (YOUNG * SIDE * SIDE * STRAIN * share))?;
        }
        lab.step()?;
    }
    let now: Vec<_> = lab.world.positions(bar)?.map(|x| x.as_dvec3()).collect();
    let mean = |axis: usize, place: Vec3| {
        let near = |x: &Vec3| (x.x - place.x).abs() < 1e-4 && (place.y == 0.0 || (x.y - place.y).abs() < 1e-4);
        let found = || mesh.positions().iter().zip(&now).filter(|(rest, _)| near(rest));
        found().map(|(_, x)| x[axis]).sum::<f64>() / found().count() as f64
    };
    let length = mean(0, Vec3::X * (0.25 * LENGTH)) - mean(0, Vec3::X * (-0.25 * LENGTH));
    let height = mean(1, Vec3::Y * (0.5 * SIDE)) - mean(1, Vec3::Y * (-0.5 * SIDE));
    Ok([length - f64::from(0.5 * LENGTH), f64::from(SIDE) - height])
}

/// Compares with F L/(E A).
fn stretch(device: &Device, name: &'static str, elasticity: Elasticity) -> Outcome {
    Check::relative(name, f64::from(STRAIN * 0.5 * LENGTH), bar(device, elasticity)?[0], 0.02)
}

/// Compares with ν ΔL/L of the width.
fn contraction(device: &Device, name: &'static str, elasticity: Elasticity) -> Outcome {
    let [elongation, contraction] = bar(device, elasticity)?;
    Check::relative(name, f64::from(POISSON * SIDE / (0.5 * LENGTH)) * elongation, contraction, 0.1)
}

/// Compares the stretch of a bar of stable Neo-Hookean material with linear elasticity.
pub fn neo_hookean_stretch(device: &Device) -> Outcome {
    stretch(device, "Neo-Hookean bar: elongation [m]", NEO)
}

/// Compares the contraction of a bar of stable Neo-Hookean material with linear elasticity.
pub fn neo_hookean_contraction(device: &Device) -> Outcome {
    contraction(device, "Neo-Hookean bar: contraction [m]", NEO)
}

/// Compares the stretch of a bar of St. Venant–Kirchhoff material with linear elasticity.
pub fn venant_stretch(device: &Device) -> Outcome {
    stretch(device, "St. Venant-Kirchhoff bar: elongation [m]", VENANT)
}

/// Compares the contraction of a bar of St. Venant–Kirchhoff material with linear elasticity.
pub fn venant_contraction(device: &Device) -> Outcome {
    contraction(device, "St. Venant-Kirchhoff bar: contraction [m]", VENANT)
}

/// Compares the stretch of a fibrous bar with the modulus along it; the moduli across it differ.
pub fn fibres_stretch(device: &Device) -> Outcome {
    stretch(device, "bar of fibres: elongation [m]", FIBRES)
}

/// Compares with P L³/(3 E I).
pub fn cantilever(device: &Device) -> Outcome {
    let error = played(
        device,
        "cantilever",
        &Options::default().with("kind", "tets").with("sag", 0.02).frames(60),
        "tip_error_ratio",
    )?;
    Check::at_most("cantilever of tetrahedra: error of its deflection [1]", 0.1, error)
}

/// Returns a metric of a scene after all of its frames.
fn played(device: &Device, scene: &str, options: &Options, metric: &str) -> Result<f64, SceneError> {
    let mut scene = Recipe::find(scene)?.build(options)?;
    scene.run(&mut device.stepper())?;
    scene.metric(metric)
}

fn block(elasticity: Elasticity) -> Result<Object, SceneError> {
    let mesh = built(TetraMesh::block([2, 3, 2], Vec3::new(0.6, 1.0, 0.8)))?;
    built(SoftBody::new(&mesh).elasticity(elasticity).volume_bulk_modulus(YOUNG).build())
}

/// Measures the largest motion of a vertex in a frame of rotated bodies at rest, of every material and stiffness,
/// relative to their size of 1 m.
pub fn rotated_rest(device: &Device) -> Outcome {
    let stiff = Elasticity::NeoHookean { youngs_modulus: 1e8, poisson_ratio: 0.5 };
    let mut farthest = 0.0_f32;
    for elasticity in [NEO, VENANT, FIBRES, stiff] {
        for turn in [Quat::from_xyzw(0.3, -0.5, 0.2, 0.7), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)] {
            let mut object = block(elasticity)?;
            object.positions = object.rest_positions.iter().map(|&x| turn.normalize() * x).collect();
            let start = object.positions.clone();
            let mut lab = Lab::new(device, weightless(20, 1))?;
            let handle = lab.world.add(object)?;
            lab.step()?;
            let ways = lab.world.positions(handle)?.zip(start).map(|(now, start)| now.distance(start));
            farthest = ways.fold(farthest, f32::max);
        }
    }
    Check::at_most("soft bodies at rest, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}

/// Measures the change of Σ m v per second, relative to Σ m |v|, of free bodies with random velocities, for 2 s.
pub fn linear_momentum(device: &Device) -> Outcome {
    let mut worst = 0.0_f64;
    for elasticity in [NEO, VENANT, FIBRES] {
        let mut object = block(elasticity)?;
        let mut random = Random::new(7);
        object.velocities = object.positions.iter().map(|_| random.vector()).collect();
        let momenta = object.masses.iter().zip(&object.velocities).map(|(mass, velocity)| mass * velocity.length());
        let size = f64::from(momenta.sum::<f32>());
        let mut lab = Lab::new(device, weightless(20, 1))?;
        lab.world.add(object)?;
        let before = lab.world.momentum().linear;
        lab.steps(120)?;
        worst = worst.max((lab.world.momentum().linear - before).length() / size / 2.0);
    }
    Check::at_most("momentum of soft bodies: change a second [1]", 1e-5, worst)
}

/// Measures the relative change of Σ x × m v per second of free bodies that rotate slowly and vibrate, for 2 s.
/// Backward Euler itself changes it by ω² h = 10⁻⁶.
pub fn angular_momentum(device: &Device) -> Outcome {
    let spin = Vec3::new(0.01, 0.03, 0.015);
    let mut worst = 0.0_f64;
    for elasticity in [NEO, VENANT, FIBRES] {
        let mut object = block(elasticity)?;
        let mut random = Random::new(7);
        let velocity = |&x: &Vec3| spin.cross(x) + random.vector() * 2e-3;
        object.velocities = object.positions.iter().map(velocity).collect();
        let mut lab = Lab::new(device, weightless(20, 1))?;
        lab.world.add(object)?;
        let before = lab.world.momentum().angular;
        lab.steps(120)?;
        worst = worst.max((lab.world.momentum().angular - before).length() / before.length() / 2.0);
    }
    Check::at_most("angular momentum of soft bodies: change a second [1]", 1e-5, worst)
}

/// Measures the deviation of a cube's edges from their lengths 2 s after its release, if it was always finite.
fn recovered(device: &Device, name: &'static str, start: &str, material: &str) -> Outcome {
    let options = Options::default().with("n", 432).with("start", start).with("material", material);
    let mut scene = Recipe::find("squash")?.build(&options)?;
    scene.run(&mut device.stepper())?;
    let whole = scene.metric("finite")? == 1.0 && scene.metric("volume_ratio")? > 0.9;
    Check::at_most(name, 0.01, if whole { scene.metric("recovered")? } else { f64::INFINITY })
}

/// Checks the recovery of a body whose vertices all lie in a plane.
pub fn flattened(device: &Device) -> Outcome {
    recovered(device, "cube from a plane, Neo-Hookean: strain after 2 s [1]", "plane", "neo-hookean")
}

/// Checks the recovery of a body whose vertices are at random positions.
pub fn disordered(device: &Device) -> Outcome {
    recovered(device, "cube from disorder, Neo-Hookean: strain after 2 s [1]", "random", "neo-hookean")
}

/// Checks the recovery of a body that is ten times as long.
pub fn stretched(device: &Device) -> Outcome {
    recovered(device, "cube from ten times its length, Neo-Hookean: strain after 2 s [1]", "stretched", "neo-hookean")
}

/// Checks the recovery from a plane with the volume as a constraint.
pub fn venant_flattened(device: &Device) -> Outcome {
    recovered(device, "cube from a plane, St. Venant-Kirchhoff and volume: strain after 2 s [1]", "plane", "venant")
}

/// Checks the recovery from ten times the length with the volume as a constraint.
pub fn venant_stretched(device: &Device) -> Outcome {
    let name = "cube from ten times its length, St. Venant-Kirchhoff and volume: strain after 2 s [1]";
    recovered(device, name, "stretched", "venant")
}
