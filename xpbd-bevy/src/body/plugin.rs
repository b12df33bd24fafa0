//! The plugin of rigid bodies.

use bevy::app::{RunFixedMainLoop, RunFixedMainLoopSystems};
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_transform_interpolation::interpolation::TransformInterpolationPlugin;
use bevy_transform_interpolation::{TransformEasingPlugin, reset_easing_states_on_transform_change};

use super::components::{ExternalForce, LockedAxes, Mass, RigidBody, Sleeping, SleepingDisabled};
use super::state::{BodiesToReweigh, BodySync, InterpolateBodies, RejectedBody, SleepChanges};
use super::{follow, prepare, publish};
use crate::handle::BodyId;
use crate::physics::Physics;
use crate::report::EntityErrors;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems, is_fixed};
use crate::snapshot::{after_restore, save_component};
use crate::time::StepLength;

/// The systems that build and move bodies.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BodySystems;

/// Builds and moves rigid bodies.
#[derive(Debug, Clone)]
pub struct BodyPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for BodyPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<RigidBody>().register_type::<Mass>().register_type::<LockedAxes>();
        app.register_type::<ExternalForce>().register_type::<SleepingDisabled>().register_type::<Sleeping>();
        app.init_resource::<BodiesToReweigh>().init_resource::<SleepChanges>();
        app.insert_resource(InterpolateBodies(is_fixed(self.0)));
        let bodies = (prepare::prepare, follow::follow).chain().in_set(BodySystems);
        app.configure_sets(self.0, BodySystems.in_set(XpbdSystems::Prepare(PrepareSystems::Bodies)));
        app.add_systems(self.0, bodies);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, publish::sleep_where_marked);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, apply_forces.run_if(is_step_due));
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, publish::publish);
        save_component::<BodySync>(app);
        save_component::<Sleeping>(app);
        after_restore(app, publish::publish_restored);
        app.add_observer(remove_body);
        app.add_observer(publish::wake_when_removed);
    }

    fn finish(&self, app: &mut App) {
        if !is_fixed(self.0) {
            return;
        }
        if !app.is_plugin_added::<TransformInterpolationPlugin>() {
            app.add_plugins(TransformInterpolationPlugin::default());
        }
        if !app.is_plugin_added::<TransformEasingPlugin>() {
            app.add_plugins(TransformEasingPlugin);
        }
        // A transform that was written between frames is noticed before a step could ease it away.
        let after_reset = (|| {}).after(reset_easing_states_on_transform_change);
        app.add_systems(RunFixedMainLoop, after_reset.in_set(RunFixedMainLoopSystems::BeforeFixedMainLoop));
    }
}

/// Returns whether a step follows: forces that are applied without one would add up.
fn is_step_due(length: Res<StepLength>) -> bool {
    length.get().is_some()
}

/// Removes the body together with the component that described it.
fn remove_body(removed: On<Remove, RigidBody>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(BodyId, BodySync, RejectedBody, Sleeping)>();
}

fn apply_forces(
    mut physics: ResMut<Physics>,
    forces: Query<(Entity, &BodyId, &ExternalForce)>,
    mut errors: EntityErrors,
) {
    for (entity, id, &ExternalForce { force, torque }) in &forces {
        let world = physics.world_mut();
        let pushed = if force == Vec3::ZERO { Ok(()) } else { world.add_body_force(id.0, force) };
        let turned = if torque == Vec3::ZERO { Ok(()) } else { world.add_body_torque(id.0, torque) };
        for error in [pushed, turned].into_iter().filter_map(Result::err) {
            errors.report(entity, "external force", error);
        }
    }
}
