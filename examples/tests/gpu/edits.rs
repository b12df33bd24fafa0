//! Edits between frames have the same effect on both back ends, with and without queries in between.

use examples::mesh::ball;
use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_cloth::{Cloth, Rope, Stretch, set_gas_volume_ratio};
use xpbd_core::batch::Batch;
use xpbd_core::world::{Backend, Integrator, Settings, World};

use crate::stage::{FRAME, SIDE, Stage, sheet};
use crate::support::{Gpu, Outcome, Test, cpu, ensure};

/// What is done before a frame.
type Edit = fn(&mut Stage, u32) -> Outcome;

/// Frames stepped.
const FRAMES: u32 = 24;

pub fn tests() -> Vec<Test> {
    let edits: [(&str, Edit); 16] = [
        ("adding_an_object", add),
        ("removing_an_object", remove),
        ("pinning_and_letting_go", pin),
        ("forces", force),
        ("impulses", impulse),
        ("teleporting", teleport),
        ("moving_what_is_pinned", move_pinned),
        ("moving_a_body", move_body),
        ("placing_a_body", place_body),
        ("other_settings", settings),
        ("other_gravity", gravity),
        ("adding_and_removing_constraints", constraints),
        ("changing_constraints", numbers),
        ("changing_parameters", params),
        ("letting_gas_in", gas),
        ("everything_at_once", everything),
    ];
    edits.map(|(name, edit)| Test::new(format!("edits::{name}"), move |gpu| agrees(gpu, name, edit))).into()
}

fn agrees(gpu: &Gpu, name: &str, edit: Edit) -> Outcome {
    let one = played(&mut cpu(), edit, false)?;
    let other = played(&mut gpu.stepper(), edit, false)?;
    gpu.same(name, &one, &other, 1e-3)?;
    let looked = played(&mut gpu.stepper(), edit, true)?;
    ensure(other.state_hash() == looked.state_hash(), || format!("{name}: looking changes the result"))
}

fn played(backend: &mut impl Backend, edit: Edit, look: bool) -> Result<World, libtest_mimic::Failed> {
    let settings = Settings { substeps: 6, integrator: Integrator::SecondOrder, ..Settings::default() };
    let mut stage = Stage::new(settings)?;
    for frame in 0..FRAMES {
        edit(&mut stage, frame)?;
        stage.world.step(backend, FRAME)?;
        if look {
            stage.world.synchronize()?;
        }
    }
    stage.world.synchronize()?;
    Ok(stage.world)
}

fn add(stage: &mut Stage, frame: u32) -> Outcome {
    if frame == 5 {
        stage.world.add(sheet(Vec3::new(0.0, -2.0, 1.0))?)?;
    }
    if frame == 12 {
        stage.world.add(Rope::between(Vec3::Z, Vec3::new(0.5, 0.2, 2.0), 20, 1.3).pin_ends().build()?)?;
    }
    Ok(())
}

fn remove(stage: &mut Stage, frame: u32) -> Outcome {
    match frame {
        7 => Ok(stage.world.remove(stage.sheet)?),
        15 => Ok(stage.world.remove(stage.masses)?),
        _ => Ok(()),
    }
}

fn pin(stage: &mut Stage, frame: u32) -> Outcome {
    let middle = (SIDE * SIDE / 2) as usize;
    match frame {
        4 => Ok(stage.world.set_pinned(stage.sheet, middle, true)?),
        9 => Ok(stage.world.set_pinned(stage.sheet, 0, false)?),
        14 => Ok(stage.world.set_pinned(stage.sheet, middle, false)?),
        _ => Ok(()),
    }
}

fn force(stage: &mut Stage, frame: u32) -> Outcome {
    if frame % 3 == 1 {
        stage.world.add_force(stage.sheet, 40, Vec3::new(0.3, 0.1, -0.2))?;
        stage.world.add_force(stage.masses, 1, Vec3::X * 4.0)?;
    }
    Ok(())
}

fn impulse(stage: &mut Stage, frame: u32) -> Outcome {
    if frame % 5 == 2 {
        stage.world.add_impulse(stage.rope, 6, Vec3::new(0.01, 0.02, 0.0))?;
    }
    Ok(())
}

fn teleport(stage: &mut Stage, frame: u32) -> Outcome {
    if frame == 8 {
        stage.world.set_position(stage.masses, 2, Vec3::new(-1.5, 0.2, 0.0), Vec3::Z * 2.0)?;
        stage.world.set_position(stage.sheet, 0, Vec3::new(-0.4, 1.1, -0.5), Vec3::ZERO)?;
    }
    Ok(())
}

fn move_pinned(stage: &mut Stage, frame: u32) -> Outcome {
    let way = Vec3::new(0.01, 0.02, -0.01) * frame as f32;
    let start = Vec3::new(-0.5, 1.0, -0.5);
    stage.world.move_pinned(stage.sheet, 0, start + way)?;
    stage.world.move_pinned(stage.masses, 0, Vec3::NEG_X + way * 0.5)?;
    Ok(())
}

fn move_body(stage: &mut Stage, frame: u32) -> Outcome {
    let place = Vec3::new(2.0, 0.01 * frame as f32, 0.0);
    let turn = Quat::from_xyzw(0.0, 0.02 * frame as f32, 0.0, 1.0).normalize();
    Ok(stage.world.move_body(stage.body, Pose::from_parts(place, turn))?)
}

fn place_body(stage: &mut Stage, frame: u32) -> Outcome {
    if frame == 6 {
        stage.world.set_body_pose(stage.body, Pose::translation(2.1, 0.1, 0.0))?;
    }
    Ok(())
}

fn settings(stage: &mut Stage, frame: u32) -> Outcome {
    let mut settings = stage.world.settings().clone();
    match frame {
        5 => settings.substeps = 9,
        10 => settings.iterations = 3,
        15 => settings.schedule.max_colours = 2,
        20 => settings.integrator = Integrator::FirstOrder,
        _ => return Ok(()),
    }
    Ok(stage.world.set_settings(settings)?)
}

fn gravity(stage: &mut Stage, frame: u32) -> Outcome {
    let gravity = if frame < 10 { Vec3::NEG_Y * 9.81 } else { Vec3::X * 3.0 };
    let settings = Settings { gravity, ..stage.world.settings().clone() };
    Ok(stage.world.set_settings(settings)?)
}

/// A link between two objects, for a while.
fn constraints(stage: &mut Stage, frame: u32) -> Outcome {
    let Stage { world, sheet, rope, .. } = stage;
    let last = SIDE * SIDE - 1;
    if frame == 6 {
        let link = Batch::new(Distance, &[[last, last + 1 + 12]], &[DistanceParameters { rest_length: 0.5 }])?
            .compliance(1e-2);
        world.add_batch(&[*sheet, *rope], &[], link)?;
    }
    if frame == 16 {
        let batch = *world.batches_of(*rope).last().ok_or("the rope has no batches")?;
        world.remove_batch(batch)?;
    }
    Ok(())
}

fn numbers(stage: &mut Stage, frame: u32) -> Outcome {
    let batch = stage.world.batches_of(stage.masses)[0];
    if frame == 8 {
        stage.world.edit_batch(batch, |batch| batch.parameters_mut(0)[0] = 0.6)?;
    }
    Ok(())
}

/// Another rest length in every frame but a few, with a new plan in between.
fn params(stage: &mut Stage, frame: u32) -> Outcome {
    let batch = stage.world.batches_of(stage.masses)[0];
    if frame == 12 {
        stage.world.set_pinned(stage.masses, 1, true)?;
    }
    if !frame.is_multiple_of(5) {
        let length = |k: usize| 0.3 + 0.1 * k as f32 + 0.01 * frame as f32;
        stage.world.edit_parameters(batch, |links| links.for_each_parameters(|k, link| link[0] = length(k)))?;
    }
    Ok(())
}

/// A balloon that gets more gas in every frame but a few, with a new plan in between.
fn gas(stage: &mut Stage, frame: u32) -> Outcome {
    let world = &mut stage.world;
    if frame == 0 {
        let shape = ball(0.2, 1);
        let cloth = Cloth::from_mesh(&shape.positions, shape.triangles.as_flattened()).at(Vec3::Y * 3.0);
        world.add(cloth.stretch(Stretch::Edges { stiffness: 50.0 }).inflated(1.0, 1e-6).build()?)?;
    }
    if frame == 12 {
        world.set_pinned(stage.masses, 1, true)?;
    }
    let balloon = *world.objects().last().ok_or("the balloon is gone")?;
    if !frame.is_multiple_of(5) {
        set_gas_volume_ratio(world, balloon, 1.0 + 0.02 * frame as f32)?;
    }
    Ok(())
}

fn everything(stage: &mut Stage, frame: u32) -> Outcome {
    let edits: [Edit; 11] =
        [add, pin, force, impulse, teleport, move_pinned, move_body, settings, constraints, numbers, params];
    edits.iter().try_for_each(|edit| edit(stage, frame))
}
