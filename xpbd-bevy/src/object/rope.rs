//! Ropes.

mod winch;

pub use winch::{Winch, WinchDrum};

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::VertexMap;
use crate::physics::Physics;
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};

/// A rope: links between the points of a line, at the scale of its entity's transform.
///
/// Beside it [`Pinned`](super::pin::Pinned) holds points, by their number or place, a [`Winch`] pays it out and reels
/// it in, and
/// [`Friction`](crate::material::Friction), [`CollisionLayers`](crate::material::CollisionLayers),
/// [`GravityScale`](crate::material::GravityScale) and [`LinearVelocity`](crate::material::LinearVelocity) apply as on any
/// other object.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands) {
/// let washing_line = Rope::between(Vec3::ZERO, Vec3::X * 4.0, 80, 4.2);
/// commands.spawn((washing_line, Pinned::vertices([0, 80]), Transform::from_xyz(0.0, 2.0, 0.0)));
/// # }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Rope {
    /// The path on which it starts.
    pub path: RopePath,
    /// Mass for each length \[kg/m\]; a string has 0.01, a ship's rope 1.
    pub density: f32,
    /// Stretch stiffness EA \[N\], the force that would double its length; infinite for a rope that does not stretch.
    pub stretch: f32,
    /// Bending stiffness EI \[N m²\]; 0 for none.
    pub bending: f32,
    /// Damping time of stretch and bending \[s\].
    pub damping_time: f32,
    /// Linear damping \[1/s\]: the part of the velocity that is lost in a second in still air. In
    /// [wind](crate::force::Wind) it acts on the velocity relative to the air.
    pub linear_damping: f32,
    /// True if particles cannot be farther from pins than along the rope; never if it has a spool.
    pub tethers: bool,
    /// Room for this many links more at its last point, which a [`Winch`] can pay out.
    pub spool: u32,
    /// True if it collides with itself.
    pub self_collision: bool,
}

/// The line of a rope at first, in the frame of its entity.
#[derive(Debug, Clone, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub enum RopePath {
    /// Through points \[m\], whose distances are the rest lengths of its links.
    Points(Vec<Vec3>),
    /// Equal links between two ends \[m\], in an arc that sags along −y if the length is larger than their
    /// distance.
    Between {
        /// One end \[m\].
        a: Vec3,
        /// The other end \[m\].
        b: Vec3,
        /// Number of links.
        segments: u32,
        /// Length of the rope \[m\].
        length: f32,
    },
}

impl RopePath {
    /// Returns its points \[m\] in the frame of the entity.
    ///
    /// # Errors
    /// The path is invalid.
    pub fn points(&self) -> Result<Vec<Vec3>, BevyError> {
        match *self {
            Self::Points(ref points) => Ok(points.clone()),
            Self::Between { a, b, segments, length } => {
                Ok(xpbd_cloth::Rope::between(a, b, segments, length).build()?.positions)
            }
        }
    }
}

impl Rope {
    /// Creates a rope of this many equal links and this length \[m\] from `a` to `b` \[m\], in the frame of its entity.
    pub fn between(a: Vec3, b: Vec3, segments: u32, length: f32) -> Self {
        Self { path: RopePath::Between { a, b, segments, length }, ..Self::default() }
    }

    /// Creates a rope through points \[m\] of the frame of its entity.
    pub fn through(points: impl IntoIterator<Item = Vec3>) -> Self {
        Self { path: RopePath::Points(points.into_iter().collect()), ..Self::default() }
    }
}

/// A metre of climbing rope (0.1 kg/m) that does not stretch.
impl Default for Rope {
    fn default() -> Self {
        Self {
            path: RopePath::Between { a: Vec3::ZERO, b: Vec3::NEG_Y, segments: 20, length: 1.0 },
            density: 0.1,
            stretch: f32::INFINITY,
            bending: 0.0,
            damping_time: 0.0,
            linear_damping: 0.0,
            tethers: true,
            spool: 0,
            self_collision: false,
        }
    }
}

impl ObjectSource for Rope {
    const NAME: &'static str = "rope";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let rest = self.path.points()?;
        let points: Vec<_> = rest.iter().map(|&x| site.transform.transform_point(x)).collect();
        let vertices = VertexMap { particles: (0..rest.len() as u32).collect(), rest, ..VertexMap::default() };
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let rope = xpbd_cloth::Rope::from_points(&points)
            .name(site.name.clone())
            .density(self.density)
            .stretch(self.stretch)
            .bending(self.bending)
            .damping_time(self.damping_time)
            .linear_damping(self.linear_damping)
            .pin(pins)
            .tethers(self.tethers)
            .spool(self.spool)
            .self_collision(self.self_collision);
        Ok(Some(BuiltObject::from_vertex_map(rope.build()?, vertices)))
    }
}

/// Ropes.
#[derive(Debug, Clone)]
pub struct RopePlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for RopePlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ObjectPlugin::<Rope>::in_schedule(self.0)).register_type::<Rope>();
        app.register_type::<Winch>().add_observer(winch::let_go);
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), winch::make);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, winch::run);
        if let Some(mut physics) = app.world_mut().get_resource_mut::<Physics>()
            && let Err(problem) = xpbd_cloth::register(physics.world_mut().registry_mut())
        {
            error!("snapshots of ropes cannot be restored: {problem}");
        }
    }
}
