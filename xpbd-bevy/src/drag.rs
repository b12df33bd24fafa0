//! Dragging things with the mouse, or with any other ray.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use xpbd_bevy::drag::DragPlugin;
//! use xpbd_bevy::prelude::*;
//!
//! App::new().add_plugins((DefaultPlugins, XpbdPlugins::default(), DragPlugin::default())).run();
//! ```

#[cfg(feature = "picking")]
mod covering;
mod grabbed;
mod mouse;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::input::InputSystems;
use bevy::prelude::*;

use crate::physics::Physics;
use crate::query::{Hit, QueryFilter};
use crate::schedule::XpbdSystems;
use crate::time::StepLength;
use grabbed::Grabbed;

/// The control of dragging.
///
/// A particle is pinned and moved with the ray, in the plane through where it was grabbed that faces the camera; when
/// it is released it is as free as it was before. A body is pulled by where it was grabbed, by a critically damped
/// spring that bears its weight, and its rotation is damped.
///
/// The mouse grabs on its own, in any window, by the cameras of scenes: not by a [`Camera2d`], and not by
/// what a camera does not see ([`RenderLayers`](bevy::camera::visibility::RenderLayers)). With the feature `picking` it does not
/// grab through what Bevy's picking finds on top of the camera, such as a node of a user interface, unless that has a
/// `Pickable` that lets pointers through. An app with another user interface says when that is under the cursor
/// ([`DragControl::blocked`]). Anything else grabs by [`DragControl::grab`].
#[derive(Resource, Debug, Clone)]
pub struct DragControl {
    /// The button that drags; none to leave the mouse alone.
    pub button: Option<MouseButton>,
    /// True while the mouse is over something else that takes it, and that Bevy's picking does not know, such as a user
    /// interface of another crate: it then grabs nothing.
    pub blocked: bool,
    /// Selects what may be grabbed; other objects in front of it block the ray.
    pub filter: QueryFilter,
    /// Largest distance from the origin of the ray \[m\].
    pub max_distance: f32,
    /// The fastest that a particle is moved \[m/s\].
    pub max_speed: f32,
    /// The frequency of the spring that pulls a body \[rad/s\].
    pub frequency: f32,
    /// The largest force on a body for its mass \[m/s²\].
    pub max_acceleration: f32,
    /// The last ray.
    ray: Option<Ray3d>,
    /// To be grabbed with the next step: along which ray, in a plane of which normal.
    pending_grab: Option<(Ray3d, Dir3)>,
    pending_release: bool,
    held: Option<Grabbed>,
}

impl Default for DragControl {
    fn default() -> Self {
        Self {
            button: Some(MouseButton::Left),
            blocked: false,
            filter: QueryFilter::default(),
            max_distance: 1000.0,
            max_speed: 30.0,
            frequency: 15.0,
            max_acceleration: 200.0,
            ray: None,
            pending_grab: None,
            pending_release: false,
            held: None,
        }
    }
}

impl DragControl {
    /// Grabs what the ray hits first, before the next step; it moves in the plane across the ray.
    pub fn grab(&mut self, ray: Ray3d) {
        self.grab_facing(ray, ray.direction);
    }

    /// Grabs what the ray hits first, before the next step; it moves in the plane across `normal`, the direction in
    /// which the camera looks.
    pub fn grab_facing(&mut self, ray: Ray3d, normal: Dir3) {
        self.pending_release = true;
        (self.ray, self.pending_grab) = (Some(ray), Some((ray, normal)));
    }

    /// Moves what is grabbed to where the ray meets its plane. It stays where it is if they do not meet.
    pub fn move_to(&mut self, ray: Ray3d) {
        self.ray = Some(ray);
    }

    /// Lets go, before the next step.
    pub fn release(&mut self) {
        (self.pending_release, self.pending_grab) = (true, None);
    }

    /// Returns what is grabbed, where it was.
    pub fn held(&self) -> Option<&Hit> {
        self.held.as_ref().map(Grabbed::hit)
    }
}

/// Dragging things with the mouse; to be added after [`XpbdPlugins`](crate::plugin::XpbdPlugins).
#[derive(Debug, Clone)]
pub struct DragPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl Default for DragPlugin {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl DragPlugin {
    /// Creates the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Plugin for DragPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<DragControl>();
        let aim = mouse::aim.after(InputSystems);
        #[cfg(feature = "picking")]
        let aim = aim.after(bevy::picking::PickingSystems::Backend);
        app.add_systems(PreUpdate, aim);
        // After what pins follow: what is dragged goes where it is dragged.
        app.add_systems(self.schedule, drag.after(XpbdSystems::ApplyInputs).before(XpbdSystems::StepSimulation));
    }
}

fn drag(mut drag: ResMut<DragControl>, mut physics: ResMut<Physics>, length: Res<StepLength>) {
    let drag = drag.bypass_change_detection();
    if std::mem::take(&mut drag.pending_release)
        && let Some(held) = drag.held.take()
    {
        held.release(&mut physics);
    }
    if let Some((ray, normal)) = drag.pending_grab.take() {
        drag.held = physics
            .cast_ray(ray, drag.max_distance, &drag.filter)
            .and_then(|hit| Grabbed::new(&mut physics, hit, normal));
        debug!("grabs {:?}", drag.held());
    }
    let Some(mut held) = drag.held.take() else { return };
    if let Some(ray) = drag.ray {
        held.aim(ray);
    }
    let Some(dt) = length.get() else {
        drag.held = Some(held);
        return;
    };
    // A removed body or particle is released.
    drag.held = held.pull(&mut physics, drag, dt).is_some().then_some(held);
}
