//! Bodies that forces and constraints move.

mod contacts;
mod edits;
mod faults;
mod joints;
mod stage;
mod transient_passes;
mod yard;

use libtest_mimic::Failed;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::World;
use xpbd_gpu::Readback;

use crate::{Test, backend, ensure, ensure_equal};
use stage::{FRAME, Stage};

pub const TESTS: &[Test] = &[
    ("bodies::free_bodies_move_as_on_the_cpu", || compare(stage::free, edits::none, 40)),
    ("bodies::free_bodies_beside_kinematic_ones_move_as_on_the_cpu", || compare(stage::free, edits::targets, 30)),
    ("bodies::forces_and_impulses_move_bodies_as_on_the_cpu", || compare(stage::free, edits::pushes, 30)),
    ("bodies::regions_of_forces_move_bodies_as_on_the_cpu", || compare(stage::free, edits::regions, 30)),
    ("bodies::a_chain_on_a_fixed_body_swings_as_on_the_cpu", || compare(joints::chain, edits::none, 40)),
    ("bodies::a_body_with_many_joints_moves_as_on_the_cpu", || compare(joints::hub, edits::none, 30)),
    ("bodies::particles_attached_to_bodies_move_as_on_the_cpu", || compare(joints::attached, edits::none, 30)),
    ("bodies::locked_axes_under_constraints_hold_as_on_the_cpu", || compare(joints::axes, edits::none, 30)),
    ("bodies::multipliers_of_several_iterations_are_those_of_the_cpu", || compare(joints::iterated, edits::none, 20)),
    ("bodies::second_order_particles_on_bodies_move_as_on_the_cpu", || compare(joints::second_order, edits::none, 20)),
    ("bodies::constraints_with_rates_change_velocities_as_on_the_cpu", || compare(joints::bouncing, edits::none, 30)),
    ("bodies::rates_of_a_remainder_change_velocities_as_on_the_cpu", || compare(joints::bouncing_hub, edits::none, 20)),
    ("bodies::particles_on_colliders_of_bodies_move_as_on_the_cpu", || compare(joints::carried, edits::none, 30)),
    ("bodies::edits_between_frames_act_as_on_the_cpu", || compare(joints::chain, edits::all, 30)),
    ("bodies::removals_between_frames_act_as_on_the_cpu", || compare(joints::attached, edits::removals, 20)),
    ("bodies::a_restored_snapshot_continues_as_on_the_cpu", edits::snapshots),
    ("bodies::a_world_that_changes_back_ends_keeps_its_bits", edits::switching),
    ("bodies::a_body_that_is_not_finite_is_frozen", faults::frozen),
    ("bodies::a_frame_that_fails_changes_nothing", faults::refused),
    ("bodies::a_frame_allocates_nothing", faults::resident),
    ("bodies::a_tower_comes_to_rest", contacts::tower),
    ("bodies::heaps_of_boxes_and_balls_settle_as_on_the_cpu", contacts::heap),
    ("bodies::boxes_on_slopes_stick_and_slide_as_on_the_cpu", contacts::slopes),
    ("bodies::cylinders_and_cones_go_over_to_their_sides_as_on_the_cpu", contacts::tumbling),
    ("bodies::belts_carry_boxes_and_particles_as_on_the_cpu", contacts::belts),
    ("bodies::rebounds_pass_through_rows_as_on_the_cpu", contacts::rebounds),
    ("bodies::more_contacts_than_a_sweep_allows_are_solved_as_on_the_cpu", contacts::tray),
    ("bodies::a_lift_wakes_bodies_that_sleep_on_it", contacts::lift),
    ("bodies::edits_of_bodies_in_contact_act_as_on_the_cpu", contacts::edits),
    ("bodies::particles_and_bodies_push_each_other_as_on_the_cpu", contacts::particles),
    ("bodies::a_body_in_contact_that_is_not_finite_is_frozen", contacts::broken),
    ("bodies::a_world_with_contacts_that_changes_back_ends_keeps_its_bits", contacts::switching),
    ("bodies::a_frame_with_contacts_allocates_nothing", contacts::resident),
    ("bodies::transient_passes_are_solved_as_on_the_cpu", transient_passes::gathered),
    ("bodies::transient_passes_in_order_are_solved_as_on_the_cpu", transient_passes::in_order),
];

/// Steps the same world on the CPU, on the GPU looking at it after every frame, and on the GPU without
/// looking before the end.
fn compare(
    build: fn() -> Result<Stage, Failed>,
    edit: fn(&mut Stage, u32) -> Result<(), Failed>,
    frames: u32,
) -> Result<(), Failed> {
    let [mut a, mut b, mut c] = [build()?, build()?, build()?];
    let (mut cpu, mut late, mut silent) = (CpuBackend::default(), backend()?, backend()?);
    silent.set_readback(Readback::OnRequest);
    let start = a.world.state_hash();
    for frame in 0..frames {
        for stage in [&mut a, &mut b, &mut c] {
            edit(stage, frame)?;
        }
        a.world.step(&mut cpu, FRAME)?;
        b.world.step(&mut late, FRAME)?;
        c.world.step(&mut silent, FRAME)?;
        b.world.synchronize()?;
        ensure_equal(&late, &a.world, &b.world, 1e-3).map_err(|failed| at(frame, failed))?;
    }
    c.world.synchronize()?;
    ensure_equal(&silent, &a.world, &c.world, 1e-3)?;
    ensure(a.world.state_hash() != start, || "nothing has moved".into())?;
    let remainder = a.world.plan().traced().map(|pass| pass.remainder.len()).sum::<usize>();
    ensure(remainder == a.remainder, || format!("{remainder} constraints are in a remainder"))?;
    same_sums(&a.world, &b.world)?;
    let residuals = |stage: &mut Stage| -> Vec<Option<u32>> {
        let Stage { world, batches, .. } = stage;
        batches.iter().map(|&batch| world.residual(batch).ok().map(f32::to_bits)).collect()
    };
    let expected = residuals(&mut a);
    ensure(residuals(&mut b) == expected && residuals(&mut c) == expected, || "residuals differ".into())
}

fn at(frame: u32, failed: Failed) -> Failed {
    format!("frame {frame}: {}", failed.message().unwrap_or_default()).into()
}

/// What is worked out from a state is there after synchronizing, and finite.
fn same_sums(a: &World, b: &World) -> Result<(), Failed> {
    let (on_cpu, on_gpu) = (a.energy(), b.energy());
    let scale = on_cpu.kinetic.abs() + on_cpu.gravitational.abs() + on_cpu.elastic.abs();
    let close = (on_cpu.total() - on_gpu.total()).abs() <= 1e-3 * scale;
    ensure(close, || format!("{on_cpu:?} and {on_gpu:?}"))
}
