//! Gizmos of what physics sees.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use xpbd_bevy::debug::{ConstraintGizmos, DebugPlugin, XpbdGizmos};
//! use xpbd_bevy::prelude::*;
//!
//! App::new()
//!     .add_plugins((DefaultPlugins, XpbdPlugins::default(), DebugPlugin))
//!     .add_systems(Startup, |mut store: ResMut<GizmoConfigStore>| {
//!         let (config, xpbd) = store.config_mut::<XpbdGizmos>();
//!         config.depth_bias = -1.0;
//!         xpbd.constraints = Some(ConstraintGizmos::Force { full: 50.0 });
//!         xpbd.contacts = None;
//!     })
//!     .run();
//! ```

mod constraints;
mod limited_gizmos;
mod outline;

use bevy::color::palettes::css;
use bevy::gizmos::GizmoPlugin;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use xpbd_core::collide::ContactPhase;

use crate::physics::Physics;
use crate::query::pose_of;
use limited_gizmos::LimitedGizmos;

/// The gizmos of the physics world after the last step; each may be off.
///
/// Nothing is drawn at all while the group is not [`enabled`](GizmoConfig::enabled).
#[derive(GizmoConfigGroup, Debug, Clone, PartialEq, Reflect)]
#[reflect(Debug, Default, PartialEq)]
pub struct XpbdGizmos {
    /// Particles as crosses as wide as they are.
    pub particles: Option<Color>,
    /// Constraints among particles as lines. Those that the plan has no more, or not yet, are not drawn.
    pub constraints: Option<ConstraintGizmos>,
    /// Contacts of objects, and of bodies, as their normals.
    pub contacts: Option<Color>,
    /// Frames of bodies, with axes of this length \[m\].
    pub axes: Option<f32>,
    /// Colliders, fainter on bodies that sleep. Shapes with round edges are drawn without those, half-spaces as a
    /// grid of metres about where they are.
    pub colliders: Option<Color>,
    /// Constraints that hold bodies, as lines from their centres of mass over the points by which they are held.
    pub joints: Option<Color>,
    /// No more lines than this are drawn.
    pub max_lines: usize,
}

/// The colouring of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub enum ConstraintGizmos {
    /// By the group in which they are solved, those that are solved last and at once white.
    Colours,
    /// By how far their particles are apart beside the rest shape: red where longer by `full`, blue where shorter.
    Strain {
        /// \[1\]
        full: f32,
    },
    /// By the force in the last substep, red from `full`.
    Force {
        /// \[N\], for a constraint that is a distance.
        full: f32,
    },
}

/// By strain, red from a tenth.
impl Default for ConstraintGizmos {
    fn default() -> Self {
        Self::Strain { full: 0.1 }
    }
}

impl Default for XpbdGizmos {
    fn default() -> Self {
        Self {
            particles: Some(css::LIGHT_GRAY.into()),
            constraints: Some(ConstraintGizmos::default()),
            contacts: Some(css::YELLOW.into()),
            axes: Some(0.2),
            colliders: Some(css::LIME.into()),
            joints: Some(css::ORANGE.into()),
            max_lines: 100_000,
        }
    }
}

/// Draws what physics sees, in the gizmo group [`XpbdGizmos`]; to be added beside
/// [`XpbdPlugins`](crate::plugin::XpbdPlugins). Without gizmos in the app it does nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct DebugPlugin;

impl Plugin for DebugPlugin {
    fn build(&self, app: &mut App) {
        if app.is_plugin_added::<GizmoPlugin>() {
            app.init_gizmo_group::<XpbdGizmos>();
        }
    }

    fn finish(&self, app: &mut App) {
        if app.is_plugin_added::<GizmoPlugin>() {
            app.init_gizmo_group::<XpbdGizmos>();
            app.add_systems(PostUpdate, draw.after(TransformSystems::Propagate).run_if(is_enabled));
        }
    }
}

fn is_enabled(store: Res<GizmoConfigStore>, physics: Option<Res<Physics>>) -> bool {
    physics.is_some() && store.get_config::<XpbdGizmos>().is_some_and(|(config, _)| config.enabled)
}

fn draw(mut gizmos: Gizmos<XpbdGizmos>, physics: Res<Physics>, mut was_cut: Local<bool>) {
    let config = gizmos.config_ext;
    let mut pen = LimitedGizmos::new(&mut gizmos, config.max_lines);
    if let Some(color) = config.colliders {
        colliders(&mut pen, &physics, color);
    }
    if let Some(length) = config.axes {
        axes(&mut pen, &physics, length);
    }
    constraints::draw(&mut pen, physics.world().state(), config.constraints, config.joints);
    if let Some(color) = config.contacts {
        contacts(&mut pen, &physics, color);
    }
    if let Some(color) = config.particles {
        particles(&mut pen, &physics, color);
    }
    if pen.is_cut() && !std::mem::replace(&mut *was_cut, true) {
        warn!("there is more to draw of physics than {} lines: the rest is left out", config.max_lines);
    }
}

fn colliders(pen: &mut LimitedGizmos<'_, '_, '_>, physics: &Physics, color: Color) {
    let world = physics.world();
    for (_, collider) in world.state().colliders.iter() {
        let sleeps = collider.body.is_some_and(|body| world.is_asleep(body) == Ok(true));
        let color = if sleeps { color.with_alpha(color.alpha() * 0.3) } else { color };
        if let Some(pose) = pose_of(world, collider) {
            outline::draw(pen, pose, collider.shape.as_ref(), color);
        }
    }
}

fn axes(pen: &mut LimitedGizmos<'_, '_, '_>, physics: &Physics, length: f32) {
    let bodies = &physics.world().state().bodies;
    for pose in (0..bodies.len()).map(|k| bodies.pose(k)) {
        for (axis, color) in [(Vec3::X, css::RED), (Vec3::Y, css::GREEN), (Vec3::Z, css::BLUE)] {
            pen.line(pose.translation, pose.transform_point(axis * length), color.into());
        }
    }
}

fn contacts(pen: &mut LimitedGizmos<'_, '_, '_>, physics: &Physics, color: Color) {
    let world = physics.world();
    let length = 4.0 * world.settings().particle_radius;
    let of_objects = world.contacts().iter().map(|contact| (contact.phase, contact.point, contact.normal));
    let of_bodies = world.collisions().iter().map(|contact| (contact.phase, contact.point, contact.normal));
    for (_, point, normal) in of_objects.chain(of_bodies).filter(|(phase, ..)| *phase != ContactPhase::End) {
        pen.line(point, point + normal * length, color);
    }
}

fn particles(pen: &mut LimitedGizmos<'_, '_, '_>, physics: &Physics, color: Color) {
    let state = physics.world().state();
    let arms = Vec3::AXES.map(|axis| axis * state.settings.particle_radius);
    for i in (0..state.particles.len()).filter(|&i| !state.particles.inactive[i]) {
        let place = state.particles.position(i);
        arms.iter().for_each(|&arm| pen.line(place - arm, place + arm, color));
    }
}
