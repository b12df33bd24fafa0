//! Passes that are made for one frame do what those of a plan do.

use libtest_mimic::Failed;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::schedule::{Pass, TracedPass};
use xpbd_core::world::{Backend, Settings, State, StepError, StepReport};

use super::joints::{attached, bouncing, bouncing_hub, chain, hub, iterated};
use super::stage::{FRAME, Stage};
use crate::lent::Lent;
use crate::{backend, ensure_equal};

/// Solves the passes of the plan as if they were made for the frame, every other frame; with `in_order`
/// the corrections of remainders move nodes one after the other.
struct Remade {
    gpu: Lent,
    in_order: bool,
}

/// Solves remainders of the plan in order.
struct InOrder(CpuBackend);

fn put_in_order(pass: &mut TracedPass) {
    pass.remainder_nodes.clear();
    pass.remainder_entries.clear();
}

impl Backend for Remade {
    fn name(&self) -> String {
        self.gpu.name()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        if !self.in_order && state.frames % 2 == 1 {
            return self.gpu.advance(state, dt, report);
        }
        let mut passes: Vec<_> = state.plan.traced().cloned().collect();
        if self.in_order {
            passes.iter_mut().for_each(put_in_order);
        }
        let plan = std::mem::take(&mut state.plan);
        state.plan_generation += 1;
        let result = self.gpu.advance_with_passes(state, &passes.iter().collect::<Vec<_>>(), dt, report);
        state.plan = plan;
        state.plan_generation += 1;
        result
    }
}

impl Backend for InOrder {
    fn name(&self) -> String {
        self.0.name()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        for pass in &mut state.plan.passes {
            if let Pass::Traced(pass) = pass {
                put_in_order(pass);
            }
        }
        self.0.advance(state, dt, report)
    }
}

fn compare(
    build: fn() -> Result<Stage, Failed>,
    iterations: u32,
    cpu: &mut impl Backend,
    gpu: &mut Remade,
) -> Result<(), Failed> {
    let (mut a, mut b) = (build()?, build()?);
    for stage in [&mut a, &mut b] {
        let settings = Settings { iterations, ..stage.world.settings().clone() };
        stage.world.set_settings(settings)?;
    }
    for _ in 0..16 {
        a.world.step(cpu, FRAME)?;
        b.world.step(gpu, FRAME)?;
    }
    b.world.synchronize()?;
    ensure_equal(&gpu.gpu, &a.world, &b.world, 1e-3)
}

pub fn gathered() -> Result<(), Failed> {
    let mut gpu = Remade { gpu: backend()?, in_order: false };
    for (build, iterations) in [(chain as fn() -> _, 1), (iterated, 3), (attached, 1), (hub, 2), (bouncing_hub, 1)] {
        compare(build, iterations, &mut CpuBackend::default(), &mut gpu)?;
    }
    Ok(())
}

pub fn in_order() -> Result<(), Failed> {
    let mut gpu = Remade { gpu: backend()?, in_order: true };
    for (build, iterations) in [(attached as fn() -> _, 1), (hub, 2), (bouncing, 1), (bouncing_hub, 1)] {
        compare(build, iterations, &mut InOrder(CpuBackend::default()), &mut gpu)?;
    }
    Ok(())
}
