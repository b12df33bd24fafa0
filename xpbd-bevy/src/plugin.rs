//! The plugins of the group, and when what happens.

use bevy::app::PluginGroupBuilder;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use web_time::Instant;
use xpbd_core::world::Settings;

use crate::backend::BackendKind;
#[cfg(feature = "gpu")]
use crate::backend::GpuReadback;
use crate::body::BodyPlugin;
#[cfg(feature = "rigid")]
use crate::character::CharacterPlugin;
use crate::collider::ColliderPlugin;
use crate::constraint::ConstraintPlugin;
use crate::diagnostic::DiagnosticPlugin;
#[cfg(all(feature = "rigid", feature = "render"))]
use crate::draw::ClusterSkinPlugin;
#[cfg(feature = "render")]
use crate::draw::DrawPlugin;
#[cfg(all(feature = "cloth", feature = "render"))]
use crate::draw::MeshDeformerPlugin;
#[cfg(feature = "fluid")]
use crate::emitter::EmitterPlugin;
use crate::force::ForcePlugin;
#[cfg(feature = "gltf")]
use crate::gltf::GltfPhysicsPlugin;
#[cfg(feature = "rigid")]
use crate::joint::JointPlugin;
use crate::message::MessagePlugin;
#[cfg(all(feature = "rigid", feature = "render"))]
use crate::object::cluster::ClusterMeshSkin;
#[cfg(feature = "rigid")]
use crate::object::cluster::ClusterPlugin;
#[cfg(all(feature = "cloth", feature = "render"))]
use crate::object::soft_body::SoftBodyMeshSkin;
#[cfg(feature = "cloth")]
use crate::object::{
    ObjectPlugin,
    cloth::{Cloth, TearPlugin},
    frame_damping::FrameDampingPlugin,
    rod::RodPlugin,
    rope::RopePlugin,
    skin_attachment::SkinAttachmentPlugin,
    soft_body::SoftBodyPlugin,
};
#[cfg(feature = "fluid")]
use crate::object::{fluid::FluidPlugin, foam::FoamPlugin};
use crate::object::{pin, transform_sync};
#[cfg(feature = "fluid")]
use crate::phase_change::PhaseChangePlugin;
use crate::physics::{KnownSettings, Physics, PhysicsSettings, apply_settings};
use crate::query::CasterPlugin;
use crate::report::{LoggedErrors, PhysicsError};
use crate::schedule::{PrepareSystems, XpbdSystems, is_fixed};
use crate::time::{FrameSteps, PhysicsTime, PluginTime, StepLength, begin_frame, begin_step, start_clock, stop_clock};

/// All plugins that make physics: the [world and its step](PhysicsPlugin), one for each kind of thing, and
/// drawing where there is a renderer. Each can be disabled or replaced.
///
/// ```
/// use bevy::prelude::*;
/// use xpbd_bevy::prelude::*;
///
/// let settings = Settings { substeps: 15, particle_radius: 0.02, ..Settings::default() };
/// App::new().add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::new(settings)));
/// ```
#[derive(Debug, Clone, Default)]
pub struct XpbdPlugins {
    physics: PhysicsPlugin,
}

impl XpbdPlugins {
    /// Sets the settings of the world.
    pub fn new(settings: Settings) -> Self {
        Self { physics: PhysicsPlugin { settings, ..PhysicsPlugin::default() } }
    }

    /// Steps the world on this back end.
    #[must_use]
    pub fn backend(mut self, backend: BackendKind) -> Self {
        self.physics.backend = backend;
        self
    }

    /// Steps the world in this schedule instead of `FixedPostUpdate`.
    #[must_use]
    pub fn in_schedule(mut self, schedule: impl ScheduleLabel) -> Self {
        self.physics.schedule = schedule.intern();
        self
    }
}

impl PluginGroup for XpbdPlugins {
    fn build(self) -> PluginGroupBuilder {
        let schedule = self.physics.schedule;
        let group = PluginGroupBuilder::start::<Self>()
            .add(self.physics)
            .add(BodyPlugin(schedule))
            .add(ColliderPlugin(schedule))
            .add(ForcePlugin(schedule))
            .add(MessagePlugin(schedule))
            .add(DiagnosticPlugin)
            .add(CasterPlugin(schedule));
        #[cfg(feature = "rigid")]
        let group = group.add(JointPlugin(schedule)).add(CharacterPlugin(schedule)).add(ClusterPlugin(schedule));
        #[cfg(feature = "fluid")]
        let group = group.add(EmitterPlugin(schedule)).add(PhaseChangePlugin(schedule));
        // Meshes are drawn after they have been torn.
        #[cfg(feature = "cloth")]
        let group = group.add(TearPlugin(schedule));
        #[cfg(feature = "render")]
        let group = group.add(DrawPlugin(schedule));
        #[cfg(all(feature = "rigid", feature = "render"))]
        let group = group.add(ClusterSkinPlugin::<ClusterMeshSkin>::in_schedule(schedule));
        #[cfg(feature = "cloth")]
        let group = group
            .add(ObjectPlugin::<Cloth>::in_schedule(schedule))
            .add(RopePlugin(schedule))
            .add(RodPlugin(schedule))
            .add(SoftBodyPlugin(schedule))
            .add(SkinAttachmentPlugin(schedule))
            .add(FrameDampingPlugin(schedule));
        #[cfg(all(feature = "cloth", feature = "render"))]
        let group = group.add(MeshDeformerPlugin::<SoftBodyMeshSkin>::in_schedule(schedule));
        #[cfg(feature = "fluid")]
        let group = group.add(FluidPlugin(schedule)).add(FoamPlugin(schedule));
        #[cfg(feature = "gltf")]
        let group = group.add(GltfPhysicsPlugin::in_schedule(schedule));
        group.add(ConstraintPlugin(schedule))
    }
}

/// The physics world and its step.
#[derive(Debug, Clone)]
pub struct PhysicsPlugin {
    /// Settings of the world.
    pub settings: Settings,
    /// The back end of the world.
    pub backend: BackendKind,
    /// The schedule that steps it.
    pub schedule: Interned<dyn ScheduleLabel>,
}

impl Default for PhysicsPlugin {
    fn default() -> Self {
        let schedule = FixedPostUpdate.intern();
        Self { settings: Settings::default(), backend: BackendKind::default(), schedule }
    }
}

impl Plugin for PhysicsPlugin {
    fn build(&self, app: &mut App) {
        let physics = Physics::new(self.settings.clone()).or_else(|problem| {
            error!("physics starts with default settings: {problem}");
            Physics::new(Settings::default())
        });
        let Ok(physics) = physics else { return };
        let settings = physics.world().settings().clone();
        app.insert_resource(PhysicsSettings(settings.clone())).insert_resource(KnownSettings(settings));
        app.insert_resource(physics).init_resource::<PhysicsTime>().init_resource::<LoggedErrors>();
        app.add_message::<PhysicsError>().register_type::<PhysicsSettings>();
        app.init_resource::<PluginTime>().init_resource::<StepLength>().init_resource::<FrameSteps>();
        app.register_type::<PhysicsTime>();
        crate::material::register(app);
        if is_fixed(self.schedule) {
            app.add_systems(First, begin_frame);
        } else {
            app.add_systems(self.schedule, begin_frame.before(begin_step));
        }
        crate::schedule::configure(app, self.schedule);
        crate::snapshot::build(app);
        crate::teleport::build(app);
        app.add_systems(self.schedule, step.in_set(XpbdSystems::StepSimulation));
        app.add_systems(
            self.schedule,
            (start_clock, begin_step, apply_settings).chain().before(XpbdSystems::Prepare(PrepareSystems::Bodies)),
        );
        app.add_systems(self.schedule, stop_clock.after(XpbdSystems::Writeback));
        pin::build(app, self.schedule);
        transform_sync::build(app, self.schedule);
        #[cfg(feature = "gpu")]
        app.init_resource::<GpuReadback>().register_type::<GpuReadback>();
    }

    #[cfg(feature = "gpu")]
    fn finish(&self, app: &mut App) {
        if self.backend == BackendKind::Gpu
            && let Some(stepper) = crate::backend::ActiveBackend::gpu(app.world())
            && let Some(mut physics) = app.world_mut().get_resource_mut::<Physics>()
        {
            physics.stepper = stepper;
        }
    }
}

fn step(
    mut physics: ResMut<Physics>,
    mut plugin_time: ResMut<PluginTime>,
    length: Res<StepLength>,
    mut failed: Local<bool>,
    #[cfg(feature = "gpu")] readback: Res<GpuReadback>,
) {
    let Some(dt) = length.0 else { return };
    #[cfg(feature = "gpu")]
    physics.set_readback(*readback);
    let began = Instant::now();
    let result = physics.step(dt);
    plugin_time.solver = began.elapsed().as_secs_f64();
    if let Err(problem) = &result
        && !*failed
    {
        error!("physics stands still: {problem}");
    }
    *failed = result.is_err();
}
