//! Saving a world to bytes and restoring it, bit for bit.
//!
//! A snapshot holds everything that later steps depend on. Constraint types are named, not stored:
//! the world that restores must know them. What can be derived (the plan) is derived again.

mod shapes;

use glam::Vec3;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::World;
use super::error::WorldError;
use super::report::BrokenConstraint;
use super::state::{BatchState, State};
use super::validate::{check_supports, check_triangles};
use crate::batch::Registry;
use crate::batch::{Batch, BreakLimits, ConstraintBatch};
use crate::bodies::Bodies;
use crate::collide::body_contacts::{BodyContacts, SavedBodyContacts};
use crate::collide::surface_contacts::SurfaceContacts;
use crate::collide::surface_contacts::crossed_pair::CrossedPair;
use crate::collide::surface_contacts::tangles::TangleMemory;
use crate::collide::{Collider, Collision, Contact, Contacts, SensorOverlap};
use crate::connector::Connectors;
use crate::handle::{BatchHandle, BodyHandle, ColliderHandle, ObjectHandle, OrderedMap, SensorHandle};
use crate::object::ObjectState;
use crate::particles::Particles;
use crate::settings::{ConstraintSolver, Settings};

/// First bytes of a snapshot: a name and the version of the format.
const MAGIC: [u8; 8] = *b"xpbd\x00\x00\x00\x14";

/// What a snapshot holds.
#[derive(Serialize, Deserialize)]
struct SavedWorld {
    settings: Settings,
    particles: Particles,
    bodies: Bodies,
    objects: OrderedMap<ObjectHandle, ObjectState>,
    body_handles: OrderedMap<BodyHandle, ()>,
    batches: OrderedMap<BatchHandle, SavedBatch>,
    colliders: OrderedMap<ColliderHandle, Collider>,
    sensors: OrderedMap<SensorHandle, Collider>,
    sensor_overlaps: Vec<SensorOverlap>,
    events: Vec<Contact>,
    collisions: Vec<Collision>,
    body_contacts: SavedBodyContacts,
    crossed: Vec<CrossedPair>,
    tangled: TangleMemory,
    ignored: Vec<[BodyHandle; 2]>,
    broken: Vec<BrokenConstraint>,
    frames: u64,
    last_substep: f32,
}

#[derive(Serialize, Deserialize)]
struct SavedBatch {
    objects: SmallVec<[ObjectHandle; 2]>,
    bodies: SmallVec<[BodyHandle; 2]>,
    breaks_with: Option<BatchHandle>,
    name: String,
    data: SavedData,
    solver: ConstraintSolver,
    multipliers: Vec<f32>,
}

#[derive(Serialize, Deserialize)]
enum SavedData {
    Traced {
        connectors: Connectors,
        nodes: Vec<u32>,
        locals: Vec<Vec3>,
        parameters: Vec<f32>,
        compliance: Vec<f32>,
        damping: Vec<f32>,
        break_limits: BreakLimits,
    },
    Custom(Vec<u8>),
}

impl World {
    /// Returns the whole world as bytes, synchronized with the device that it is on, if any.
    ///
    /// # Errors
    /// A collider of a shape that parry cannot serialize, or a device that is lost.
    pub fn snapshot(&mut self) -> Result<Vec<u8>, WorldError> {
        self.state.sync_from_device().map_err(|error| WorldError::Device(error.to_string()))?;
        let state = &self.state;
        let Ok(batches) = state
            .batches
            .try_map(|batch| Ok::<_, std::convert::Infallible>(SavedBatch::of(batch, state.direct_multipliers(batch))));
        let saved = SavedWorld {
            settings: state.settings.clone(),
            particles: state.particles.clone(),
            bodies: state.bodies.clone(),
            objects: state.objects.clone(),
            body_handles: state.body_handles.clone(),
            batches,
            colliders: state.colliders.clone(),
            sensors: state.sensors.clone(),
            sensor_overlaps: state.sensor_overlaps.clone(),
            events: state.contacts.events.clone(),
            collisions: state.contacts.collisions.clone(),
            body_contacts: state.contacts.bodies.saved(),
            crossed: state.contacts.surfaces.crossed.clone(),
            // A new plan forgets it, and the next step makes one.
            tangled: if state.plan_is_stale {
                TangleMemory::default()
            } else {
                state.contacts.surfaces.tangled.clone()
            },
            ignored: state.ignored_pairs.clone(),
            broken: state.broken.clone(),
            frames: state.frames,
            last_substep: state.last_substep,
        };
        let payload = postcard::to_stdvec(&saved).map_err(|error| refused(error.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }

    /// Replaces everything by what a snapshot holds; stepping on gives the same bits as never
    /// having stopped. Handles taken before the snapshot was made are valid again.
    ///
    /// # Errors
    /// Bytes that are no snapshot, are truncated or corrupt, or name constraint types that this
    /// world does not know ([`World::register`]). The world is then as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), WorldError> {
        let header = snapshot.split_at_checked(MAGIC.len()).filter(|(magic, _)| *magic == MAGIC);
        let (_, rest) = header.ok_or_else(|| refused("it does not begin like a snapshot of this version".into()))?;
        let (sum, payload) = rest.split_first_chunk::<4>().ok_or_else(|| refused("it is truncated".into()))?;
        if u32::from_le_bytes(*sum) != crc32fast::hash(payload) {
            return Err(refused("its checksum does not match: it is truncated or corrupt".into()));
        }
        let (saved, rest): (SavedWorld, _) =
            postcard::take_from_bytes(payload).map_err(|error| refused(error.to_string()))?;
        if !rest.is_empty() {
            return Err(refused(format!("{} bytes follow its end", rest.len())));
        }
        *self.state = saved.into_state(&self.registry)?;
        Ok(())
    }
}

fn refused(reason: String) -> WorldError {
    WorldError::Snapshot(reason)
}

/// Returns a collider whose shape has its search structures built anew.
fn rebuild_collider(collider: &Collider) -> Result<Collider, WorldError> {
    let shape =
        shapes::rebuilt(&collider.shape).ok_or_else(|| refused("the shape of a collider is not valid".into()))?;
    Ok(Collider { shape, ..collider.clone() })
}

impl SavedWorld {
    fn into_state(self, registry: &Registry) -> Result<State, WorldError> {
        self.settings.validate()?;
        let sound = self.particles.is_valid()
            && self.bodies.is_valid()
            && self.objects.is_valid()
            && self.batches.is_valid()
            && self.colliders.is_valid()
            && self.sensors.is_valid()
            && self.body_handles.is_valid()
            && self.body_handles.len() == self.bodies.len()
            && self.body_contacts.is_valid()
            && self.crossed.iter().all(|crossed| crossed.side.abs() == 1.0)
            && self.last_substep.is_finite();
        if !sound {
            return Err(refused("its lists do not fit together".into()));
        }
        let mut end = 0;
        for (_, object) in self.objects.iter() {
            if object.range.start != end || object.range.end < end {
                return Err(refused(format!("the particles of object `{}` are not where they should be", object.name)));
            }
            end = object.range.end;
            if object
                .pin_targets
                .iter()
                .any(|(particle, target)| *particle as usize >= object.range.len() || !target.is_finite())
            {
                return Err(refused(format!("a target of object `{}` is not valid", object.name)));
            }
            if let Some(surface) = &object.surface {
                surface.validate(&object.name, object.range.len())?;
            }
            check_triangles(&object.triangles, &object.name, object.range.len())?;
            check_supports(&object.supports, &object.name, object.range.len())?;
            object.stiffness.validate(&object.name, object.range.len())?;
            if !object.sleep.is_valid() {
                return Err(refused(format!("the sleep of object `{}` is not valid", object.name)));
            }
            let absent = |particle: u32| {
                self.particles.inactive.get(object.range.start + particle as usize).is_none_or(|&absent| absent)
            };
            if object.pin_targets.iter().any(|&(particle, _)| absent(particle)) {
                return Err(refused(format!("a target of object `{}` is of an absent particle", object.name)));
            }
        }
        if end != self.particles.len() {
            return Err(refused("it has particles that belong to no object".into()));
        }
        let bodies = BodyContacts::restored(self.body_contacts);
        let surfaces = SurfaceContacts::restored(self.crossed, self.tangled);
        let mut state = State {
            settings: self.settings,
            particles: self.particles,
            bodies: self.bodies,
            objects: self.objects,
            body_handles: self.body_handles,
            batches: self.batches.try_map(|batch| batch.to_state(registry))?,
            colliders: self.colliders.try_map(rebuild_collider)?,
            sensors: self.sensors.try_map(rebuild_collider)?,
            sensor_overlaps: self.sensor_overlaps,
            contacts: Contacts {
                events: self.events,
                collisions: self.collisions,
                bodies,
                surfaces,
                ..Contacts::default()
            },
            ignored_pairs: self.ignored,
            broken: self.broken,
            frames: self.frames,
            last_substep: self.last_substep,
            plan_is_stale: true,
            has_forces: true,
            ..State::default()
        };
        state.rebuild_ignored_indices();
        for (handle, batch) in state.batches.iter() {
            if batch.objects.iter().any(|&object| state.objects.get(object).is_none()) {
                return Err(refused(format!("batch `{}` names an object that does not exist", batch.batch.name())));
            }
            for &body in &batch.bodies {
                state.body_index(body)?;
            }
            batch.batch.validate(state.node_counts(handle)?)?;
        }
        let colliders = state.colliders.iter().map(|(_, collider)| collider);
        for collider in colliders.chain(state.sensors.iter().map(|(_, sensor)| sensor)) {
            state.check_collider(collider.clone())?;
        }
        Ok(state)
    }
}

impl SavedBatch {
    fn of(state: &BatchState, multipliers: Vec<f32>) -> Self {
        let data = match state.batch.traced() {
            Some(batch) => {
                let all = 0..batch.len();
                SavedData::Traced {
                    connectors: batch.connectors().clone(),
                    nodes: all.clone().flat_map(|k| batch.node_indices(k)).copied().collect(),
                    locals: all.clone().flat_map(|k| batch.locals(k)).copied().collect(),
                    parameters: all.clone().flat_map(|k| batch.parameters(k)).copied().collect(),
                    compliance: all.clone().map(|k| batch.compliance_of(k)).collect(),
                    damping: all.map(|k| batch.damping_of(k)).collect(),
                    break_limits: batch.break_limits().clone(),
                }
            }
            None => SavedData::Custom(state.batch.save()),
        };
        let solver = state.batch.traced().map(Batch::constraint_solver).unwrap_or_default();
        let BatchState { breaks_with, .. } = *state;
        let (objects, bodies) = (state.objects.clone(), state.bodies.clone());
        Self { objects, bodies, breaks_with, name: state.batch.name().into(), data, solver, multipliers }
    }

    fn to_state(&self, registry: &Registry) -> Result<BatchState, WorldError> {
        let batch: Box<dyn ConstraintBatch> = match &self.data {
            SavedData::Traced {
                connectors,
                nodes,
                locals,
                parameters: params,
                compliance,
                damping,
                break_limits: strength,
            } => {
                let kind = registry.get(&self.name)?.clone();
                let (nodes, locals, params) = (nodes.clone(), locals.clone(), params.clone());
                let batch = Batch::from_parts(kind, connectors.clone(), nodes, locals, params)?;
                if !strength.matches_len(batch.len()) {
                    return Err(refused(format!("batch `{}` has break forces for other constraints", self.name)));
                }
                Box::new(
                    batch
                        .compliances(compliance.clone())?
                        .dampings(damping.clone())?
                        .with_break_limits(strength.clone())
                        .solver(self.solver),
                )
            }
            SavedData::Custom(bytes) => registry.restore_batch(&self.name)?(bytes)?,
        };
        let (objects, bodies) = (self.objects.clone(), self.bodies.clone());
        let multipliers = self.multipliers.clone();
        let (breaks_with, placements) = (self.breaks_with, SmallVec::new());
        Ok(BatchState { objects, bodies, batch, breaks_with, placements, multipliers })
    }
}
