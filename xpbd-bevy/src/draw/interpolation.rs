//! When what is drawn: order of the systems of a frame, and how far it is between two steps.

use bevy::app::{FixedFirst, FixedLast, FixedMain, FixedPreUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use web_time::Instant;

use crate::time::PluginTime;

/// The parts of drawing in `PostUpdate`, which run in this order.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DrawSystems {
    /// Gives entities meshes of their own.
    AttachMeshes,
    /// Computes the time of the frame between the last two steps.
    Interpolate,
    /// Places vertices and spheres.
    UpdateVertices,
}

/// The time of the frame between the last two steps, as a fraction from 0 to 1.
#[derive(Resource, Debug, Clone, Copy)]
pub struct FrameInterpolation {
    pub fraction: f32,
    /// True if steps are those of the fixed schedule: other steps are drawn as they are.
    is_fixed: bool,
    began: Option<Instant>,
}

pub fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    let fixed: [Interned<dyn ScheduleLabel>; 6] = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
        FixedMain.intern(),
    ];
    app.insert_resource(FrameInterpolation { fraction: 1.0, is_fixed: fixed.contains(&schedule), began: None });
    app.configure_sets(
        PostUpdate,
        (DrawSystems::AttachMeshes, DrawSystems::Interpolate, DrawSystems::UpdateVertices).chain(),
    );
    app.configure_sets(
        PostUpdate,
        DrawSystems::Interpolate.after(TransformSystems::Propagate).before(VisibilitySystems::CheckVisibility),
    );
    app.configure_sets(PostUpdate, DrawSystems::UpdateVertices.before(VisibilitySystems::CheckVisibility));
    app.add_systems(PostUpdate, (begin.in_set(DrawSystems::Interpolate), end.after(DrawSystems::UpdateVertices)));
}

fn begin(mut pace: ResMut<FrameInterpolation>, fixed: Res<Time<Fixed>>) {
    pace.fraction = if pace.is_fixed { fixed.overstep_fraction().clamp(0.0, 1.0) } else { 1.0 };
    pace.began = Some(Instant::now());
}

fn end(mut pace: ResMut<FrameInterpolation>, time: Option<ResMut<PluginTime>>) {
    if let (Some(began), Some(mut time)) = (pace.began.take(), time) {
        time.draw = began.elapsed().as_secs_f64();
    }
}
