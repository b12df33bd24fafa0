//! Every combination of integrator and solver method agrees with the CPU.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Cloth, Stretch};
use xpbd_core::prelude::*;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};

use crate::stage::{FRAME, Stage};
use crate::support::{Gpu, Outcome, Test, cpu, ensure};

pub fn tests() -> Vec<Test> {
    let ways = ways()
        .into_iter()
        .map(|(name, settings)| Test::new(format!("methods::{name}"), move |gpu| agrees(gpu, name, &settings)));
    ways.chain([
        Test::new("methods::changing_substeps", changing_substeps),
        Test::new("methods::forces_and_energy_are_those_of_the_cpu", multipliers),
        Test::new("methods::a_constraint_of_ones_own", own_constraint),
        Test::new("methods::coarse_levels", coarse_levels),
        Test::new("methods::mass_scaling", mass_scaling),
    ])
    .collect()
}

/// Settings by name.
pub fn ways() -> Vec<(&'static str, Settings)> {
    let base = Settings { substeps: 8, ..Settings::default() };
    let scheduled = |schedule: ScheduleSettings| Settings { schedule, ..base.clone() };
    let default = ScheduleSettings::default();
    vec![
        ("usual", base.clone()),
        ("one_substep_of_many_iterations", Settings { substeps: 1, iterations: 12, ..base.clone() }),
        ("several_iterations", Settings { iterations: 3, ..base.clone() }),
        ("second_order", Settings { integrator: Integrator::SecondOrder, ..base.clone() }),
        (
            "second_order_of_several_iterations",
            Settings { integrator: Integrator::SecondOrder, iterations: 3, ..base.clone() },
        ),
        ("plain_pbd", Settings { solver_method: SolverMethod::Pbd, ..base.clone() }),
        ("weightless", Settings { gravity: Vec3::ZERO, ..base.clone() }),
        ("jacobi_only", scheduled(ScheduleSettings { max_colours: 0, ..default })),
        ("relaxed_jacobi", scheduled(ScheduleSettings { max_colours: 3, omega: 1.3, ..default })),
        ("sequential", scheduled(ScheduleSettings { order: ScheduleOrder::Sequential, ..default })),
    ]
}

fn agrees(gpu: &Gpu, name: &str, settings: &Settings) -> Outcome {
    let (mut one, mut other) = (Stage::new(settings.clone())?, Stage::new(settings.clone())?);
    one.steps(&mut cpu(), 30)?;
    other.steps(&mut gpu.stepper(), 30)?;
    gpu.same(name, &one.world, &other.world, 1e-3)
}

/// Substeps, iterations and the length of the frame change in mid-run; second order starts anew.
fn changing_substeps(gpu: &Gpu) -> Outcome {
    let settings = Settings { integrator: Integrator::SecondOrder, ..Settings::default() };
    let play = |backend: &mut dyn FnMut(&mut World, f32) -> Outcome| {
        let mut stage = Stage::new(settings.clone())?;
        for (frame, &(substeps, iterations)) in [(8, 1), (8, 1), (5, 2), (5, 1), (13, 1), (8, 4)].iter().enumerate() {
            stage.world.set_settings(Settings { substeps, iterations, ..settings.clone() })?;
            let dt = if frame == 3 { 0.5 * FRAME } else { FRAME };
            (0..3).try_for_each(|_| backend(&mut stage.world, dt))?;
        }
        stage.world.synchronize()?;
        Ok::<_, libtest_mimic::Failed>(stage.world)
    };
    let (mut cpu, mut stepper) = (cpu(), gpu.stepper());
    let one = play(&mut |world, dt| Ok(world.step(&mut cpu, dt).map(drop)?))?;
    let other = play(&mut |world, dt| Ok(world.step(&mut stepper, dt).map(drop)?))?;
    gpu.same("changing substeps", &one, &other, 1e-3)
}

/// Multipliers come back with the state.
fn multipliers(gpu: &Gpu) -> Outcome {
    for (name, settings) in ways() {
        let (mut one, mut other) = (Stage::new(settings.clone())?, Stage::new(settings)?);
        one.steps(&mut cpu(), 5)?;
        other.steps(&mut gpu.stepper(), 5)?;
        for object in [one.sheet, one.rope, one.masses] {
            for batch in one.world.batches_of(object) {
                for constraint in 0..one.world.batch(batch)?.len() {
                    let (one, other) =
                        (one.world.row_forces(batch, constraint)?, other.world.row_forces(batch, constraint)?);
                    for (a, b) in one.iter().zip(&other) {
                        assert!((a - b).abs() <= 1e-3 * (1.0 + a.abs()), "{name}: {a} N and {b} N");
                    }
                }
            }
        }
        let (one, other) = (one.world.energy().total(), other.world.energy().total());
        assert!((one - other).abs() <= 1e-3 * one.abs(), "{name}: {one} J and {other} J");
    }
    Ok(())
}

xpbd_core::parameters! {
    struct LeashParameters<S> {
        /// Length of the slack leash \[m\].
        length: S,
    }
}

/// Pulls its two ends together and never pushes.
struct Leash;

impl Constraint<2, 1> for Leash {
    type Parameters<S: Copy> = LeashParameters<S>;

    const NAME: &'static str = "leash";

    fn value<S: Real>(x: &Points<S, 2>, leash: LeashParameters<S>) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - leash.length]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: LeashParameters<S>, _: S) -> [S; 1] {
        [lambda.min(S::zero())]
    }
}

fn own_constraint(gpu: &Gpu) -> Outcome {
    let stage = || {
        let mut stage = Stage::new(Settings { substeps: 8, iterations: 2, ..Settings::default() })?;
        stage.world.register(Leash)?;
        let dog = Object::new("dog", vec![Vec3::Z, Vec3::new(0.1, -0.5, 1.2)], 5.0).pin([0]);
        let leash = Batch::new(Leash, &[[0, 1]], &[LeashParameters { length: 0.7 }])?.compliance(1e-4).damping(500.0);
        stage.world.add(dog.with(leash))?;
        Ok::<_, libtest_mimic::Failed>(stage)
    };
    let (mut one, mut other) = (stage()?, stage()?);
    one.steps(&mut cpu(), 40)?;
    other.steps(&mut gpu.stepper(), 40)?;
    gpu.same("leash", &one.world, &other.world, 1e-3)
}

/// Coarse levels of a sheet that swings.
fn coarse_levels(gpu: &Gpu) -> Outcome {
    let play = |backend: &mut dyn FnMut(&mut World) -> Outcome| {
        let mut world = World::new(Settings { substeps: 8, ..Settings::default() })?;
        let rigid = Stretch::Edges { stiffness: f32::INFINITY };
        let sheet = Cloth::grid(40, 40, 1.0, 1.0).stretch(rigid).pin([0, 39]).coarse_levels(true);
        let sheet = world.add(sheet.build()?)?;
        ensure(world.batch(world.batches_of(sheet)[0])?.name() == "multilevel", || "it has no levels".into())?;
        (0..20).try_for_each(|_| backend(&mut world))?;
        world.synchronize()?;
        Ok::<_, libtest_mimic::Failed>(world)
    };
    let (mut cpu, mut stepper) = (cpu(), gpu.stepper());
    let one = play(&mut |world| Ok(world.step(&mut cpu, FRAME).map(drop)?))?;
    let other = play(&mut |world| Ok(world.step(&mut stepper, FRAME).map(drop)?))?;
    gpu.same("coarse levels", &one, &other, 1e-3)
}

/// Scaled masses of sheets that hang from a ball, and collide as particles and as surfaces.
fn mass_scaling(gpu: &Gpu) -> Outcome {
    let play = |backend: &mut dyn FnMut(&mut World) -> Outcome, thickness: Option<f32>| {
        let mut world = World::new(Settings { substeps: 8, particle_radius: 0.012, ..Settings::default() })?;
        world.add_collider(Collider::new(SharedShape::ball(0.3)).friction(Friction::new(0.5)))?;
        let sheet = Cloth::grid(40, 40, 1.0, 1.0).at(Vec3::Y * 0.32).friction(Friction::new(0.5)).mass_scaling(0.02);
        let sheet = thickness.into_iter().fold(sheet, Cloth::surface_collision);
        let sheet = world.add(sheet.build()?)?;
        (0..40).try_for_each(|_| backend(&mut world))?;
        world.synchronize()?;
        let scaling = world.batch(world.batches_of(sheet)[0])?;
        // The strain and the number of vertices come before the factors.
        let factors =
            scaling.save()[8..].as_chunks().0[..1600].iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        Ok::<(World, Vec<f32>), libtest_mimic::Failed>((world, factors))
    };
    for thickness in [None, Some(0.006)] {
        let (mut cpu, mut stepper) = (cpu(), gpu.stepper());
        let (one, factors) = play(&mut |world| Ok(world.step(&mut cpu, FRAME).map(drop)?), thickness)?;
        let (other, found) = play(&mut |world| Ok(world.step(&mut stepper, FRAME).map(drop)?), thickness)?;
        ensure(factors.iter().any(|&factor| factor > 2.0), || "no mass is scaled".into())?;
        gpu.same("mass scaling", &one, &other, 1e-2)?;
        ensure(!gpu.is_exact || factors == found, || format!("other factors with a thickness of {thickness:?}"))?;
    }
    Ok(())
}
