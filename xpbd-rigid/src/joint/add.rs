//! The description of a joint, and how joints become batches of a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{BatchHandle, BodyHandle, World};

use super::handle::JointBatch;
use super::{JointBasis, JointError, JointFrame, JointHandle, JointPart, JointRole, JointSettings};

/// A description of a joint: what locks two bodies together, and what limits and drives them.
///
/// [`Joint::parts`] returns the constraints that it consists of; the rest is the same for all joints.
pub trait Joint: Sized {
    /// Returns the settings that all joints have, to change them.
    fn settings(&mut self) -> &mut JointSettings;

    /// Returns its constraints for these axes on the first and the second body; `joint` is its number, for
    /// errors.
    ///
    /// # Errors
    /// A number that is not valid.
    fn parts(&self, bases: [&JointBasis; 2], joint: usize) -> Result<Vec<JointPart>, JointError>;

    /// Places the joint at a frame on each body instead of one in the world.
    #[must_use]
    fn on_bodies(mut self, a: JointFrame, b: JointFrame) -> Self {
        self.settings().placement = JointSettings::on_bodies(a, b).placement;
        self
    }

    /// Sets the compliance of the joint's forces \[m/N\]; 0, the default, is rigid.
    #[must_use]
    fn compliance(mut self, compliance: f32) -> Self {
        self.settings().compliance = compliance;
        self
    }

    /// Sets the compliance of the joint's torques \[rad/(N m)\]; 0, the default, is rigid.
    #[must_use]
    fn rotational_compliance(mut self, compliance: f32) -> Self {
        self.settings().rotational_compliance = compliance;
        self
    }

    /// Sets the damping coefficient of the compliance \[N s/m, and the same number in N m s/rad\]; a rigid joint is not
    /// damped.
    #[must_use]
    fn damping_coefficient(mut self, damping_coefficient: f32) -> Self {
        self.settings().damping_coefficient = damping_coefficient;
        self
    }

    /// Breaks the joint when any of its constraints bears more than this force \[N\] in the mean over a frame.
    #[must_use]
    fn break_force(mut self, force: f32) -> Self {
        self.settings().break_force = force;
        self
    }

    /// Breaks the joint when any of its constraints bears more than this torque \[N m\] in the mean over a frame.
    #[must_use]
    fn break_torque(mut self, torque: f32) -> Self {
        self.settings().break_torque = torque;
        self
    }

    /// Sets whether the two bodies collide with each other, which they do not by default.
    #[must_use]
    fn contacts_enabled(mut self, enabled: bool) -> Self {
        self.settings().contacts_enabled = enabled;
        self
    }

    /// Sets how the lock of the joint is solved. By default chains and trees of joints are solved directly and hold under
    /// any load with a few substeps, and nets are swept ([`ConstraintSolver::Automatic`]).
    #[must_use]
    fn solver(mut self, solver: ConstraintSolver) -> Self {
        self.settings().solver = solver;
        self
    }

    /// Joins two bodies.
    ///
    /// # Errors
    /// An invalid setting, or a body that does not exist; the world is then as it was.
    fn add(self, world: &mut World, a: BodyHandle, b: BodyHandle) -> Result<JointHandle, JointError> {
        let mut handles = Self::add_all(world, [(self, a, b)])?;
        handles.pop().ok_or(JointError::SameBody(0))
    }

    /// Joins a body to the world, by a fixed body that it adds at the anchor: the first of the
    /// [bodies](JointHandle::bodies). Of a joint with a frame on each body, the first is then in the world.
    ///
    /// # Errors
    /// An invalid setting, or a body that does not exist; the world is then as it was.
    fn add_to_world(mut self, world: &mut World, body: BodyHandle) -> Result<JointHandle, JointError> {
        let (position, placement) = self.settings().placement.on_world();
        if !position.is_finite() {
            return Err(JointError::Vector { joint: 0, what: "anchor", value: position });
        }
        self.settings().placement = placement;
        let fixed = world.add_body(Body::fixed(Pose::from_translation(position)))?;
        let added = self.add(world, fixed, body);
        if added.is_err() {
            world.remove_body(fixed)?;
        }
        added
    }

    /// Joins pairs of bodies by joints of one kind, as one batch for each of their constraints: for
    /// hundreds of joints that stay. A batch is removed with any of its bodies, and so are all these
    /// joints; joints whose bodies come and go are better added one by one, and are solved as fast.
    ///
    /// # Errors
    /// The first joint at fault; the world is then as it was.
    fn add_all(
        world: &mut World,
        joints: impl IntoIterator<Item = (Self, BodyHandle, BodyHandle)>,
    ) -> Result<Vec<JointHandle>, JointError> {
        let mut prepared = Vec::new();
        for (joint, (mut description, a, b)) in joints.into_iter().enumerate() {
            let settings = *description.settings();
            settings.check(joint)?;
            let bases = settings.placement.resolve(world, joint, [a, b])?;
            let parts = description.parts([&bases[0], &bases[1]], joint)?;
            prepared.push(PreparedJoint { bodies: [a, b], bases, settings, parts });
        }
        let mut handles: Vec<Option<JointHandle>> = prepared.iter().map(|_| None).collect();
        let mut added = Vec::new();
        for group in groups(&prepared) {
            let members: Vec<&PreparedJoint> = group.iter().map(|&member| &prepared[member]).collect();
            match add_group(world, &members, &mut added) {
                Ok(parts) => group.iter().enumerate().for_each(|(index, &member)| {
                    handles[member] = Some(prepared[member].handle(parts.clone(), index));
                }),
                Err(error) => {
                    added.into_iter().try_for_each(|batch| world.remove_batch(batch))?;
                    return Err(error);
                }
            }
        }
        for member in prepared.iter().filter(|member| !member.settings.contacts_enabled) {
            let [a, b] = member.bodies;
            world.set_contacts_between(a, b, false)?;
        }
        Ok(handles.into_iter().flatten().collect())
    }
}

/// A joint that has been checked.
struct PreparedJoint {
    bodies: [BodyHandle; 2],
    bases: [JointBasis; 2],
    settings: JointSettings,
    parts: Vec<JointPart>,
}

impl PreparedJoint {
    fn breaks(&self) -> bool {
        self.settings.break_force < f32::INFINITY || self.settings.break_torque < f32::INFINITY
    }

    fn batches_with(&self, other: &Self) -> bool {
        self.settings.solver == other.settings.solver
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| a.batches_with(b))
    }

    fn handle(&self, parts: Arc<[JointBatch]>, index: usize) -> JointHandle {
        let Self { bodies, bases, settings, .. } = *self;
        JointHandle { bodies, bases, contacts_enabled: settings.contacts_enabled, parts, index }
    }
}

/// Returns the joints grouped by those that consist of the same constraints.
fn groups(prepared: &[PreparedJoint]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (k, joint) in prepared.iter().enumerate() {
        match groups.iter_mut().find(|group| prepared[group[0]].batches_with(joint)) {
            Some(group) => group.push(k),
            None => groups.push(vec![k]),
        }
    }
    groups
}

/// Adds joints that consist of the same constraints, and appends their batches to `added`.
fn add_group(
    world: &mut World,
    members: &[&PreparedJoint],
    added: &mut Vec<BatchHandle>,
) -> Result<Arc<[JointBatch]>, JointError> {
    let mut numbers = BTreeMap::new();
    let mut bodies = Vec::new();
    for &body in members.iter().flat_map(|member| &member.bodies) {
        numbers.entry(body).or_insert_with(|| {
            bodies.push(body);
            bodies.len() as u32 - 1
        });
    }
    let nodes: Vec<u32> = members.iter().flat_map(|member| member.bodies.map(|body| numbers[&body])).collect();
    let first = added.len();
    for part in 0..members[0].parts.len() {
        added.push(world.add_batch(&[], &bodies, batch(members, part, nodes.clone())?)?);
    }
    let batches = &added[first..];
    world.break_together(batches)?;
    let parts = members[0].parts.iter().zip(batches);
    Ok(parts.map(|(part, &batch)| JointBatch { role: part.role, batch, layout: part.layout }).collect())
}

/// Returns the batch of one part of all members.
fn batch(members: &[&PreparedJoint], part: usize, nodes: Vec<u32>) -> Result<Batch, JointError> {
    let parts = || members.iter().map(|member| &member.parts[part]);
    let first = &members[0].parts[part];
    let locals: Vec<Vec3> = parts().flat_map(|part| &part.locals).copied().collect();
    let parameters: Vec<f32> = parts().flat_map(|part| &part.parameters).copied().collect();
    let batch = Batch::from_parts(first.kind.clone(), first.connectors.clone(), nodes, locals, parameters)?
        .compliances(parts().map(|part| part.compliance).collect())?
        .damping(first.damping_coefficient)
        .force_rows(first.force_rows)
        .solver(if first.role == JointRole::Lock { members[0].settings.solver } else { ConstraintSolver::Sweep });
    if !members.iter().any(|member| member.breaks()) {
        return Ok(batch);
    }
    let limits = members.iter().map(|member| [member.settings.break_force, member.settings.break_torque]);
    Ok(batch.break_forces(first.force_rows, limits.collect())?)
}
