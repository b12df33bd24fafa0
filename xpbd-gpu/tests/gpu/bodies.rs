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
    ("bodies::free_bodies", || compare(stage::free, edits::none, 40)),
    ("bodies::beside_those_that_follow_targets", || compare(stage::free, edits::targets, 30)),
    ("bodies::forces_and_impulses", || compare(stage::free, edits::pushes, 30)),
    ("bodies::a_chain_on_a_fixed_body", || compare(joints::chain, edits::none, 40)),
    ("bodies::many_joints_on_one_body", || compare(joints::hub, edits::none, 30)),
    ("bodies::particles_attached_to_bodies", || compare(joints::attached, edits::none, 30)),
    ("bodies::axes_and_locks_under_constraints", || compare(joints::axes, edits::none, 30)),
    ("bodies::iterations_keep_multipliers", || compare(joints::iterated, edits::none, 20)),
    ("bodies::second_order_particles_on_bodies", || compare(joints::second_order, edits::none, 20)),
    ("bodies::constraints_that_ask_for_rates", || compare(joints::bouncing, edits::none, 30)),
    ("bodies::rates_of_a_remainder", || compare(joints::bouncing_hub, edits::none, 20)),
    ("bodies::particles_on_colliders_of_bodies", || compare(joints::carried, edits::none, 30)),
    ("bodies::edits", || compare(joints::chain, edits::all, 30)),
    ("bodies::removals", || compare(joints::attached, edits::removals, 20)),
    ("bodies::snapshots", edits::snapshots),
    ("bodies::switching", edits::switching),
    ("bodies::not_finite_is_frozen", faults::frozen),
    ("bodies::a_frame_that_fails_changes_nothing", faults::refused),
    ("bodies::a_frame_makes_nothing", faults::resident),
    ("bodies::a_tower_comes_to_rest", contacts::tower),
    ("bodies::heaps_of_boxes_and_balls", contacts::heap),
    ("bodies::slopes", contacts::slopes),
    ("bodies::more_contacts_than_a_sweep_bears", contacts::tray),
    ("bodies::a_lift_wakes_what_sleeps_on_it", contacts::lift),
    ("bodies::edits_of_bodies_in_contact", contacts::edits),
    ("bodies::particles_and_bodies_push_each_other", contacts::particles),
    ("bodies::not_finite_in_contact", contacts::broken),
    ("bodies::switching_in_contact", contacts::switching),
    ("bodies::a_frame_with_contacts_makes_nothing", contacts::resident),
    ("bodies::passes_made_every_frame", transient_passes::gathered),
    ("bodies::passes_made_every_frame_in_order", transient_passes::in_order),
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
    same_sums(&a.world, &b.world)
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
