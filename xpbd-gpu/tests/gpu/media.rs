//! Media: what particles do to all particles near them, as on the CPU but for the order of sums.

mod breeze;
mod contracts;
mod liquids;
mod pool;

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_core::bodies::BodyKind;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{Backend, World};

use crate::{Test, backend, ensure};

pub const TESTS: &[Test] = &[
    ("media::a_fluid_in_a_basin_moves_as_on_the_cpu", || parity(pool::basin)),
    ("media::a_fluid_of_several_iterations_moves_as_on_the_cpu", || parity(pool::iterations)),
    ("media::a_fluid_of_second_order_moves_as_on_the_cpu", || parity(pool::second_order)),
    ("media::a_fluid_far_from_the_origin_moves_as_on_the_cpu", || parity(pool::far)),
    ("media::a_widely_scattered_fluid_moves_as_on_the_cpu", || parity(pool::scattered)),
    ("media::fluid_particles_at_one_place_part_as_on_the_cpu", || parity(pool::at_one_place)),
    ("media::fluids_of_different_density_move_as_on_the_cpu", || parity(pool::two_fluids)),
    ("media::a_fluid_with_solids_moves_as_on_the_cpu", || parity(pool::solids)),
    ("media::a_fluid_with_pinned_particles_moves_as_on_the_cpu", || parity(pool::pinned)),
    ("media::a_body_in_a_fluid_moves_as_on_the_cpu", || parity(pool::body)),
    ("media::a_fluid_at_edges_moves_as_on_the_cpu", || parity(pool::edges)),
    ("media::a_fluid_in_a_mesh_moves_as_on_the_cpu", || parity(pool::bowl)),
    ("media::viscous_fluids_move_as_on_the_cpu", || parity(liquids::viscous)),
    ("media::a_viscous_fluid_beside_another_moves_as_on_the_cpu", || parity(liquids::half_viscous)),
    ("media::surface_tension_acts_as_on_the_cpu", || parity(liquids::tense)),
    ("media::surface_tension_in_several_iterations_acts_as_on_the_cpu", || parity(liquids::tense_in_iterations)),
    ("media::adhesion_acts_as_on_the_cpu", || parity(liquids::adhesive)),
    ("media::vorticity_confinement_acts_as_on_the_cpu", || parity(liquids::swirling)),
    ("media::fluids_with_all_effects_move_as_on_the_cpu", || parity(liquids::everything)),
    ("media::a_medium_that_changes_velocities_acts_as_on_the_cpu", || parity(breeze::hall)),
    ("media::a_medium_that_changes_second_order_velocities_acts_as_on_the_cpu", || parity(breeze::second_order)),
    ("media::two_runs_give_equal_bits", contracts::two_runs),
    ("media::a_splash_has_the_averages_of_the_cpu", contracts::splash),
    ("media::a_frame_allocates_nothing", contracts::resident),
    ("media::a_basin_without_pairs_dispatches_no_search", contracts::no_pairs),
    ("media::walls_without_room_are_reported", contracts::dropped_walls),
    ("media::a_medium_without_a_kernel_is_refused", contracts::refused),
    ("media::too_many_numbers_are_refused", contracts::too_many_numbers),
    ("media::members_come_and_go_as_on_the_cpu", contracts::edits),
];

const FRAME: f32 = 1.0 / 60.0;

/// Makes a world.
type Build = fn() -> Result<World, Failed>;

fn cpu() -> CpuBackend {
    CpuBackend::new(Threads::Exactly(1))
}

/// Returns a world after some frames on the CPU.
fn played(build: Build, frames: usize) -> Result<World, Failed> {
    let (mut world, mut cpu) = (build()?, cpu());
    for _ in 0..frames {
        step(&mut world, &mut cpu)?;
    }
    Ok(world)
}

/// A frame in which the bodies that follow a path go down and turn.
fn step(world: &mut World, backend: &mut impl Backend) -> Result<(), Failed> {
    for body in world.state().body_handles.keys().to_vec() {
        if world.body(body)?.kind == BodyKind::Kinematic {
            let pose = world.body_pose(body)?;
            let way = FRAME * Vec3::new(0.2, -1.0, 0.0);
            let turn = Quat::from_rotation_y(FRAME);
            world.move_body(body, Pose::from_parts(pose.translation + way, turn * pose.rotation))?;
        }
    }
    world.step(backend, FRAME)?;
    Ok(())
}

/// From where the CPU has brought a world, one more frame is the same on both back ends to a millionth of the
/// size of the world.
fn parity(build: Build) -> Result<(), Failed> {
    let mut gpu = backend()?;
    for frames in [0, 3, 12] {
        let (mut one, mut other) = (played(build, frames)?, played(build, frames)?);
        let before = one.state_hash();
        step(&mut one, &mut cpu())?;
        step(&mut other, &mut gpu)?;
        other.synchronize()?;
        ensure(before != one.state_hash(), || "nothing happens".into())?;
        let apart = apart(&one, &other);
        ensure(apart <= 1e-6, || format!("after {frames} frames {apart:e} of the size apart"))?;
    }
    Ok(())
}

/// Returns the farthest that a particle or body is from its twin, over the size of the world. Coordinates that are rounded to
/// neighbouring numbers, which are far apart far from the origin, count as the same.
fn apart(a: &World, b: &World) -> f32 {
    let (x, y) = (&a.state().particles, &b.state().particles);
    let (p, q) = (&a.state().bodies, &b.state().bodies);
    let distance = |a: Vec3, b: Vec3| ((a - b).abs() - f32::EPSILON * a.abs()).max(Vec3::ZERO).length();
    let particles = (0..x.len()).map(|i| distance(x.position(i), y.position(i)));
    let bodies = (0..p.len()).map(|k| distance(p.central_pose(k).translation, q.central_pose(k).translation));
    let places = || (0..x.len()).map(|i| x.position(i));
    let (low, high) = (places().reduce(Vec3::min), places().reduce(Vec3::max));
    let size = low.zip(high).map_or(0.1, |(low, high)| low.distance(high));
    particles.chain(bodies).fold(0.0, |farthest, d| if d <= farthest { farthest } else { d }) / size
}
