//! Particles against bodies that can be pushed.

use glam::Vec3;
use xpbd_core::collide::ContactSet;
use xpbd_core::collide::body_contact::ParticleBodyContactParameters;
use xpbd_core::collide::particle_body_contacts::ParticleBodyContacts;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::constraint::layout::ProgramLayout;
use xpbd_core::object::Supports;
use xpbd_core::schedule::{ParameterAppender, PassSlot, TracedPass};
use xpbd_core::world::Settings;

use super::{CollisionContext, Collisions, column, read, vector};
use crate::layout::{PARTICLE_BODY_RECORD, PassRange, wgsl_constants};
use crate::media::{body_pushes_text, body_walls_text};
use crate::pass_kernel::{GATHER, PassKernel};
use crate::pipelines::Family;
use crate::wgsl;

/// Pipelines of these contacts.
#[derive(Debug)]
pub(super) struct ParticleBodyKernels {
    columns: Vec<u16>,
    refresh: wgpu::ComputePipeline,
    share: wgpu::ComputePipeline,
    accumulate: wgpu::ComputePipeline,
    pairs: [wgpu::ComputePipeline; 2],
    /// Kernels that solve, cold and warm.
    correct: [wgpu::ComputePipeline; 2],
    gather: wgpu::ComputePipeline,
    /// Kernels with room for this many walls.
    walls: Option<(u64, [wgpu::ComputePipeline; 2])>,
}

impl ParticleBodyKernels {
    fn new(kind: &ConstraintType, connectors: &Connectors, context: &mut CollisionContext<'_>) -> Result<Self, String> {
        let columns = PassKernel::keeping(kind, connectors, false).columns;
        let text = text(kind, connectors)?;
        let mut get = |family, text: &str, entry| context.pipelines.get(context.device, family, text, entry);
        let mut own = |entry| get(Family::Collisions, &text, entry);
        let [refresh, share, accumulate] =
            [own("update_particle_bodies")?, own("share_particle_bodies")?, own("accumulate_particle_bodies")?];
        let pairs = [own("begin_from_pairs")?, own("return_to_pairs")?];
        let [cold, warm] =
            [particle_body_pass_text(kind, connectors, false)?, particle_body_pass_text(kind, connectors, true)?];
        let correct = [
            get(Family::Pass, &cold, "correct_particle_bodies")?,
            get(Family::Pass, &warm, "correct_particle_bodies")?,
        ];
        let gather = get(Family::Pass, &cold, "gather_particle_bodies")?;
        Ok(Self { columns, refresh, share, accumulate, pairs, correct, gather, walls: None })
    }
}

impl ParticleBodyKernels {
    /// Returns the kernel that finds the walls of bodies, and the one that pushes bodies back.
    fn walls(&mut self, most: u64, context: &mut CollisionContext<'_>) -> Result<[wgpu::ComputePipeline; 2], String> {
        if let Some((_, pipelines)) = self.walls.as_ref().filter(|(known, _)| *known == most) {
            return Ok(pipelines.clone());
        }
        let mut get = |text: &str, entry| context.pipelines.get(context.device, Family::Pass, text, entry);
        let both = [get(&body_walls_text(most), "body_walls")?, get(&body_pushes_text(most), "body_pushes")?];
        self.walls = Some((most, both.clone()));
        Ok(both)
    }
}

/// Prints the kernels that update contacts.
///
/// # Errors
/// The kernel of the contacts does not read a column that is to be written.
pub fn text(kind: &ConstraintType, connectors: &Connectors) -> Result<String, String> {
    let (constants, own) = (constants(kind, connectors)?, include_str!("../wgsl/particle_bodies.wgsl"));
    let supports = wgsl::supports();
    let parts = [wgsl::RANGE, wgsl::VECTOR, &constants, wgsl::COLLISION_DATA, &supports, own, wgsl::PAIR_HANDOVER];
    Ok(wgsl::kernel(&parts))
}

/// Prints the kernels that solve contacts; with `warm` multipliers are kept from iteration to iteration.
///
/// # Errors
/// The kernel of the contacts does not read a column that is to be written.
pub fn particle_body_pass_text(kind: &ConstraintType, connectors: &Connectors, warm: bool) -> Result<String, String> {
    let kernel = PassKernel::keeping(kind, connectors, warm);
    let (constants, own) = (constants(kind, connectors)?, include_str!("../wgsl/particle_body_pass.wgsl"));
    let parts = [wgsl::RANGE, wgsl::PASS_DATA, &kernel.moves(), GATHER, &constants, own, &kernel.functions];
    Ok(wgsl::kernel(&parts))
}

fn constants(kind: &ConstraintType, connectors: &Connectors) -> Result<String, String> {
    let columns = PassKernel::keeping(kind, connectors, false).columns;
    let layout = ProgramLayout::new(kind, connectors);
    let width = connectors.nodes().len();
    let at: ParticleBodyContactParameters<usize> = layout.columns_of();
    let normal = column(&columns, width, at.normal.x, 3)?;
    let slack = column(&columns, width, at.slack, 1)?;
    let rebound = column(&columns, width, at.rebound, 1)?;
    let free = column(&columns, width, at.free, 1)?;
    let shares = column(&columns, width, usize::from(layout.mass_shares), 2)?;
    Ok(wgsl_constants!(
        NORMAL = normal,
        SLACK = slack,
        REBOUND = rebound,
        FREE = free,
        SHARES = shares,
        RECORD = PARTICLE_BODY_RECORD
    ))
}

impl Collisions {
    /// Lays out the contacts of particles with bodies.
    pub(super) fn add_particle_bodies(
        &mut self,
        touches: &ParticleBodyContacts,
        context: &mut CollisionContext<'_>,
    ) -> Result<(), String> {
        let Some(like) = touches.pass.as_ref().filter(|_| !touches.is_empty()) else { return Ok(()) };
        let mut kernels = match self.particle_body_kernels.take() {
            Some(kernels) => kernels,
            None => ParticleBodyKernels::new(&like.kind, &like.connectors, context)?,
        };
        let pass = inactive_pass(touches, like, context.settings, context.supports);
        let table = &mut self.passes.table;
        let base = table.lay_out(&pass, &kernels.columns);
        let first = self.words.len() as u32;
        for found in touches.candidates() {
            self.words.extend([
                vector(found.plane.point, 0),
                vector(found.plane.normal, found.restitution.to_bits()),
                [0; 4],
                [0; 4],
            ]);
        }
        add_supports(&mut self.words, first as usize, touches, context.supports);
        let (count, nodes) = (touches.len(), base.gathers as usize);
        let range = PassRange { first, count: count as u32, ..base };
        self.refresh.push(table.dispatch(range, &kernels.refresh, count));
        self.refresh.push(table.dispatch(range, &kernels.share, nodes));
        for (dispatches, correct) in self.particle_bodies.iter_mut().zip(&kernels.correct) {
            dispatches.push(table.dispatch(base, correct, count));
            dispatches.push(table.dispatch(base, &kernels.gather, nodes));
        }
        self.accumulate.push(table.dispatch(range, &kernels.accumulate, count));
        for pipeline in &kernels.pairs {
            self.pair_handover.push(table.dispatch(range, pipeline, context.particles));
        }
        if let Some(most) = context.walls {
            let [find, push_back] = kernels.walls(most, context)?;
            let table = &mut self.passes.table;
            self.walls = Some([table.dispatch(range, &find, count), table.dispatch(range, &push_back, context.bodies)]);
        }
        self.passes.columns.push(kernels.columns.clone());
        self.particle_body_kernels = Some(kernels);
        self.pass_indices[0] = Some(self.passes.table.bases.len() - 1);
        self.record_starts.push(first as usize);
        Ok(())
    }
}

/// Lists behind the records of contacts the supports of their particles, two a vector, and notes where they are, and the
/// coverage.
fn add_supports(records: &mut Vec<[u32; 4]>, first: usize, touches: &ParticleBodyContacts, supports: &Supports) {
    for (slot, found) in touches.candidates().iter().enumerate() {
        let list = supports.get(found.particle);
        records[first + slot * PARTICLE_BODY_RECORD + 3] =
            [records.len() as u32, list.len() as u32, found.coverage.to_bits(), 0];
        let words = |&(pin, length): &(u32, f32)| [pin, length.to_bits()];
        records.extend(list.chunks(2).map(|pair| {
            let [a, b] = [0, 1].map(|k| pair.get(k).map_or([0; 2], words));
            [a[0], a[1], b[0], b[1]]
        }));
    }
}

/// Returns all contacts as constraints that do not touch yet, in one remainder.
fn inactive_pass(
    touches: &ParticleBodyContacts,
    like: &TracedPass,
    settings: &Settings,
    supports: &Supports,
) -> TracedPass {
    let mut pass = TracedPass::empty(like.kind.clone(), like.connectors.clone());
    let mut parameters = ParameterAppender::new(&pass);
    for (slot, found) in touches.candidates().iter().enumerate() {
        pass.nodes[0].push(found.particle);
        pass.nodes[1].push(found.body);
        let point = pass.columns.iter_mut().zip(found.plane.point.to_array());
        point.for_each(|(column, number)| column.push(number));
        let [stiffness, damping] = supports.stiffness(found.particle);
        let contact = ParticleBodyContactParameters {
            normal: Vec3::ZERO.into(),
            distance: settings.particle_radius,
            friction: found.friction.into(),
            slack: -1.0,
            rebound: 0.0,
            free: 1.0,
            stiffness,
            damping,
        };
        parameters.append(&mut pass, contact);
        pass.slots.push(PassSlot { batch: u32::MAX, constraint: slot as u32 });
    }
    parameters.finish(&mut pass);
    pass.remainder = 0..touches.len();
    let shares = usize::from(pass.layout.mass_shares);
    pass.columns[shares..].iter_mut().for_each(|column| column.resize(touches.len(), 1.0));
    pass.list_remainder_nodes(&|_, _| true);
    pass.pad();
    pass
}

/// Applies the records that came back.
pub(super) fn take(touches: &mut ParticleBodyContacts, records: &[u32]) {
    let count = touches.len();
    for (number, words) in records.chunks_exact(4 * PARTICLE_BODY_RECORD).take(count).enumerate() {
        let ((_, impulse), (normal, _)) = (read(words, 0), read(words, 2));
        touches.store_device_result(number, impulse, normal);
    }
}
