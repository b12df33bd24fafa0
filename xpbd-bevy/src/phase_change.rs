//! Melting and freezing by heat.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! fn ice_on_a_stove(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
//!     // Particles of both weigh the same: where they have a radius of 0.025 m, 8 × 8 × 8 fill the cube, which has the
//!     // density of the liquid.
//!     let water = commands.spawn(Fluid::empty(512).material(FluidMaterial::WATER)).id();
//!     let mut ice = Cluster::rigid(0.05);
//!     ice.density = FluidMaterial::WATER.density;
//!     let cube = Mesh3d(meshes.add(Cuboid::from_length(0.4)));
//!     commands.spawn((ice, cube, PhaseChange::new(water), Transform::from_xyz(0.0, 0.3, 0.0)));
//!     let plate = Region::cuboid(Vec3::ZERO, Vec3::new(0.5, 0.1, 0.5));
//!     commands.spawn(TemperatureRegion { region: plate, temperature: 200.0, exchange_rate: 0.5 });
//! }
//! ```

use bevy::ecs::entity::MapEntities;
use bevy::ecs::intern::Interned;
use bevy::ecs::reflect::ReflectMapEntities;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use xpbd_core::world::{ObjectHandle, World as Core};
use xpbd_fluid::convert::{self, SlotSelection};
use xpbd_fluid::{Region, SpawnError};

use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use crate::time::StepLength;

/// Lets the solid of its entity melt into a liquid, and the liquid freeze into the solid, by a temperature of each particle.
///
/// A particle approaches the temperature of the [`TemperatureRegion`] in which it is, or that of the surroundings. Particles of
/// both weigh the same, as those of a [`Cluster`](crate::object::cluster::Cluster) do that is a box of whole particles of the
/// density of the liquid. The liquid needs [room](crate::object::fluid::Fluid::capacity). What is drawn from a mesh does not
/// show what has melted: draw the particles (`DrawParticles`), and give the mesh as a [`RestMesh`](crate::object::RestMesh).
///
/// All numbers but the initial temperatures may be changed at any time.
#[derive(Component, MapEntities, Debug, Clone, Copy, PartialEq, Reflect)]
#[component(map_entities)]
#[reflect(Component, Debug, PartialEq, MapEntities)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(PhaseChangeState)]
pub struct PhaseChange {
    /// The fluid into which the solid melts.
    #[entities]
    pub liquid: Entity,
    /// The temperature above which the solid melts \[degrees\].
    pub melting_point: f32,
    /// The temperature below which the liquid freezes \[degrees\], no higher than the melting point.
    pub freezing_point: f32,
    /// Temperature of the solid at first \[degrees\].
    pub solid_temperature: f32,
    /// Temperature of the liquid at first, and of particles that come into it from elsewhere \[degrees\].
    pub liquid_temperature: f32,
    /// Temperature outside of all regions \[degrees\].
    pub ambient_temperature: f32,
    /// Rate at which particles outside of all regions approach that temperature \[1/s\]: by 63 % in the inverse of it.
    pub exchange_rate: f32,
}

impl PhaseChange {
    /// Creates the phase change of ice and water at 0 °C, in degrees Celsius, without heat from the surroundings.
    pub fn new(liquid: Entity) -> Self {
        Self {
            liquid,
            melting_point: 0.0,
            freezing_point: 0.0,
            solid_temperature: -5.0,
            liquid_temperature: 20.0,
            ambient_temperature: 20.0,
            exchange_rate: 0.0,
        }
    }
}

/// A region with a temperature, in the frame of its entity, whose scale does not count. Where several overlap, the entity
/// that was spawned first counts.
#[derive(Component, Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Component, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform)]
pub struct TemperatureRegion {
    /// The region in the frame of the entity.
    pub region: Region,
    /// Temperature of the region \[degrees\].
    pub temperature: f32,
    /// Rate at which particles approach the temperature \[1/s\]: by 63 % in the inverse of it.
    pub exchange_rate: f32,
}

/// The temperatures of a [`PhaseChange`], and what has melted and frozen.
#[derive(Component, Debug, Default, Clone)]
pub struct PhaseChangeState {
    model: Option<convert::PhaseChange>,
    /// The solid and the liquid that the model was made for, or could not be.
    objects: Option<[ObjectHandle; 2]>,
    /// The description that the model has.
    described: Option<PhaseChange>,
    melted: u64,
    frozen: u64,
    missing: u64,
}

impl PhaseChangeState {
    /// Returns the temperature of a particle of the solid \[degrees\].
    pub fn solid_temperature(&self, particle: usize) -> Option<f32> {
        self.model.as_ref()?.temperature(self.objects?[0], particle)
    }

    /// Returns the temperature of a particle of the liquid \[degrees\].
    pub fn liquid_temperature(&self, particle: usize) -> Option<f32> {
        self.model.as_ref()?.temperature(self.objects?[1], particle)
    }

    /// Returns the number of particles that have melted.
    pub fn melted(&self) -> u64 {
        self.melted
    }

    /// Returns the number of particles that have frozen.
    pub fn frozen(&self) -> u64 {
        self.frozen
    }

    /// Returns how many times a particle could not change for want of room.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Makes the model be what the component says.
    fn update(&mut self, world: &Core, objects: [ObjectHandle; 2], change: &PhaseChange) -> Result<(), SpawnError> {
        let before = self.described.replace(*change);
        let transition = [change.freezing_point, change.melting_point];
        let is_other = self.objects.replace(objects) != Some(objects);
        if is_other {
            *self = Self { objects: Some(objects), described: Some(*change), ..Self::default() };
            let model = convert::PhaseChange::new(world, objects, transition)?;
            let model = model.initial_temperatures([change.solid_temperature, change.liquid_temperature])?;
            self.model = Some(model.surroundings(change.ambient_temperature, change.exchange_rate)?);
        } else if let Some(model) = &mut self.model
            && before.as_ref() != Some(change)
        {
            model.set_transition_temperatures(transition)?;
            model.set_surroundings(change.ambient_temperature, change.exchange_rate)?;
        }
        Ok(())
    }

    /// Exchanges heat over a step of this length \[s\], then melts and freezes.
    fn step(&mut self, world: &mut Core, regions: &[convert::TemperatureRegion], dt: f32) -> Result<(), SpawnError> {
        let (Some(model), Some([solid, _])) = (&mut self.model, self.objects) else { return Ok(()) };
        model.set_regions(regions.to_vec())?;
        world.synchronize()?;
        let goals = goals(world, solid);
        let max_distance = 2.0 * world.settings().particle_radius;
        let slots = goals.as_ref().map_or(SlotSelection::Lowest, |goals| SlotSelection::Nearest {
            goals,
            max_distance,
            snap_to_goal: false,
        });
        let report = model.step(world, dt, slots)?;
        self.melted += report.melted.from.len() as u64;
        self.frozen += report.frozen.from.len() as u64;
        self.missing += report.melted.rejected as u64;
        Ok(())
    }
}

/// Returns where the particles of a solid belong \[m\]; none for a solid without clusters.
fn goals(world: &Core, solid: ObjectHandle) -> Option<Vec<Vec3>> {
    #[cfg(feature = "rigid")]
    let goals = xpbd_rigid::cluster::goals(world, solid).ok();
    #[cfg(not(feature = "rigid"))]
    let goals = {
        let _ = (world, solid);
        None
    };
    goals
}

/// Melting and freezing.
#[derive(Debug, Clone)]
pub struct PhaseChangePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for PhaseChangePlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<PhaseChange>().register_type::<TemperatureRegion>();
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, exchange_heat);
        app.add_observer(forget);
        save_required_component::<PhaseChangeState>(app);
    }
}

fn forget(removed: On<Remove, PhaseChange>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<PhaseChangeState>();
}

fn exchange_heat(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    mut changes: Query<(Entity, &PhaseChange, &ObjectId, &mut PhaseChangeState)>,
    regions: Query<(Entity, &TemperatureRegion)>,
    objects: Query<&ObjectId>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    if changes.is_empty() {
        return;
    }
    let mut in_world = Vec::new();
    for (entity, of) in regions.iter().sort::<Entity>() {
        let Some(pose) = poses.pose(entity) else { continue };
        let &TemperatureRegion { region, temperature, exchange_rate } = of;
        let region = region.transformed(&pose);
        let moved = convert::TemperatureRegion { region, temperature, exchange_rate };
        match moved.check() {
            Ok(()) => in_world.push(moved),
            Err(problem) => errors.report(entity, "temperature region", problem),
        }
    }
    for (entity, change, solid, mut state) in changes.iter_mut().sort::<Entity>() {
        // The liquid may be gone, or come yet.
        let Ok(liquid) = objects.get(change.liquid) else { continue };
        let handles = [solid.handle(), liquid.handle()];
        let updated = state.update(physics.world(), handles, change);
        if let Err(problem) = updated.and_then(|()| state.step(physics.world_mut(), &in_world, dt)) {
            errors.report(entity, "phase change", problem);
        }
    }
}
