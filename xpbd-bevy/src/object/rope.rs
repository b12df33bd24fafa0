//! Ropes.

mod cut;
mod winch;

pub use super::cut_links::CutLinks;
pub use cut::{CutRope, RopeCut, RopeCutPlace};
pub use winch::{Winch, WinchDrum};
pub use xpbd_cloth::{RopePath, RopeSettings};

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::VertexMap;
use crate::physics::Physics;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;

/// A rope: links between the points of a line, at the scale of its entity's transform.
///
/// Beside it [`Pinned`](super::pin::Pinned) holds points, by their number or place, a [`Winch`] pays out its
/// [spool](RopeSettings::spool) and reels it in, a [`CutRope`] cuts it, and the components of a [material](crate::material) apply as on any other
/// object.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands) {
/// let washing_line = Rope::between(Vec3::ZERO, Vec3::X * 4.0, 80, 4.2);
/// commands.spawn((washing_line, Pinned::vertices([0, 80]), Transform::from_xyz(0.0, 2.0, 0.0)));
/// # }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Rope {
    /// The path on which it starts, in the frame of its entity.
    pub path: RopePath,
    /// The settings apart from its path.
    #[deref]
    pub settings: RopeSettings,
}

impl Rope {
    /// Creates a rope of this many equal links and this length \[m\] from `a` to `b` \[m\], in the frame of its entity.
    pub fn between(a: Vec3, b: Vec3, segments: u32, length: f32) -> Self {
        Self { path: RopePath::Between { a, b, segments, length }, settings: RopeSettings::default() }
    }

    /// Creates a rope through points \[m\] of the frame of its entity.
    pub fn through(points: impl IntoIterator<Item = Vec3>) -> Self {
        Self { path: RopePath::Points(points.into_iter().collect()), settings: RopeSettings::default() }
    }
}

/// A metre of rope that hangs from its entity, in 20 links.
impl Default for Rope {
    fn default() -> Self {
        Self::between(Vec3::ZERO, Vec3::NEG_Y, 20, 1.0)
    }
}

impl ObjectSource for Rope {
    const NAME: &'static str = "rope";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let rest = self.path.points()?;
        let points: Vec<_> = rest.iter().map(|&x| site.transform.transform_point(x)).collect();
        let vertices = VertexMap { particles: (0..rest.len() as u32).collect(), rest, ..VertexMap::default() };
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let rope = xpbd_cloth::Rope { settings: self.settings.clone(), ..xpbd_cloth::Rope::from_points(&points) };
        let object = rope.name(site.name.clone()).pin(pins).build()?;
        Ok(Some(BuiltObject::from_vertex_map(object, vertices)))
    }
}

/// Ropes.
#[derive(Debug, Clone)]
pub struct RopePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for RopePlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ObjectPlugin::<Rope>::in_schedule(self.0)).register_type::<Rope>();
        app.register_type::<Winch>().add_observer(winch::let_go);
        app.add_message::<CutRope>().add_message::<RopeCut>().add_observer(cut::forget);
        save_required_component::<WinchDrum>(app);
        add_ordered_systems(
            app,
            self.0,
            XpbdSystems::Prepare(PrepareSystems::Constraints),
            (winch::make, cut::cut_ropes),
        );
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, winch::run);
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, cut::follow);
        if let Some(mut physics) = app.world_mut().get_resource_mut::<Physics>()
            && let Err(problem) = xpbd_cloth::register(physics.world_mut().registry_mut())
        {
            error!("snapshots of ropes cannot be restored: {problem}");
        }
    }
}
