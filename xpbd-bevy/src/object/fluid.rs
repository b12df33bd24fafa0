//! Liquids and smoke.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
pub use xpbd_fluid::FluidMaterial;

use super::build::ObjectPlugin;
use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::physics::Physics;

/// A body of liquid or of smoke, with room for what [emitters](crate::emitter::Emitter) add.
///
/// Its particles are two of the world's radii apart, and each weighs what a cube of that edge weighs. The components of a
/// [material](crate::material) beside it apply as on any other object, except that a fluid takes no
/// [`SelfCollision`](crate::material::SelfCollision): pressure keeps its particles apart. The transform of its entity says where
/// it was built.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands) {
/// commands.spawn((Fluid::block(Vec3::splat(0.2)).material(FluidMaterial::HONEY), Transform::from_xyz(0.0, 1.0, 0.0)));
/// commands.spawn(Fluid::empty(5000).material(FluidMaterial::SMOKE));
/// # }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Fluid {
    /// The shape that it fills at first.
    pub shape: FluidShape,
    /// Material of the fluid.
    pub material: FluidMaterial,
    /// Room for this many particles more.
    pub capacity: usize,
}

/// The shape that a fluid fills at first, in the frame of its entity.
#[derive(Debug, Clone, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum FluidShape {
    /// A box about the origin, as far as this along each axis \[m\]; as many whole layers as fit.
    Block(Vec3),
    /// Particles at these positions \[m\].
    Points(Vec<Vec3>),
}

impl Fluid {
    /// Creates fluid that fills a box about its entity, as far as this along each axis \[m\].
    pub fn block(half_extents: Vec3) -> Self {
        Self::new(FluidShape::Block(half_extents), 0)
    }

    /// Creates fluid with particles at places of the frame of its entity \[m\].
    pub fn points(points: impl IntoIterator<Item = Vec3>) -> Self {
        Self::new(FluidShape::Points(points.into_iter().collect()), 0)
    }

    /// Reserves nothing yet but room for this many particles.
    pub fn empty(spare: usize) -> Self {
        Self::new(FluidShape::Points(Vec::new()), spare)
    }

    fn new(shape: FluidShape, spare: usize) -> Self {
        Self { shape, material: FluidMaterial::default(), capacity: spare }
    }

    /// Sets the material.
    #[must_use]
    pub fn material(mut self, liquid: FluidMaterial) -> Self {
        self.material = liquid;
        self
    }

    /// Adds capacity for this number of particles.
    #[must_use]
    pub fn capacity(mut self, spare: usize) -> Self {
        self.capacity = spare;
        self
    }
}

/// A cube of water, 0.2 m wide.
impl Default for Fluid {
    fn default() -> Self {
        Self::block(Vec3::splat(0.1))
    }
}

impl ObjectSource for Fluid {
    const NAME: &'static str = "fluid";
    const MOVES_ENTITY: bool = false;

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let spacing = 2.0 * site.settings.particle_radius;
        let into = site.transform.affine();
        let fluid = match &self.shape {
            FluidShape::Block(half) => {
                let (scale, rotation, middle) = site.transform.to_scale_rotation_translation();
                let half = whole_layers(*half * scale.abs(), spacing);
                let mut object = xpbd_fluid::Fluid::block(-half, half).build(spacing)?;
                object.positions.iter_mut().for_each(|x| *x = rotation * *x + middle);
                xpbd_fluid::Fluid::particles(object.positions)
            }
            FluidShape::Points(points) => {
                xpbd_fluid::Fluid::particles(points.iter().map(|&x| into.transform_point3(x)).collect())
            }
        };
        let fluid = fluid.name(site.name.clone()).material(self.material).capacity(self.capacity);
        let mut object = fluid.build(spacing)?;
        // Those at first are what the component beside it says.
        object.velocities = Vec::new();
        let out = into.inverse();
        let rest = object.positions.iter().map(|&x| out.transform_point3(x)).collect();
        Ok(Some(BuiltObject::new(object, rest)))
    }
}

/// Returns the half extents \[m\] of the largest box of whole cubes of an edge \[m\] within a box.
fn whole_layers(half: Vec3, edge: f32) -> Vec3 {
    let layers = (2.0 * half / edge * (1.0 + 1e-5)).floor();
    // A box that is too small for one is refused where it is filled.
    Vec3::select(layers.cmpge(Vec3::ONE), layers * edge / 2.0, half)
}

/// Liquids and smoke.
#[derive(Debug, Clone)]
pub struct FluidPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for FluidPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(ObjectPlugin::<Fluid>::in_schedule(self.0)).register_type::<Fluid>();
        if let Some(mut physics) = app.world_mut().get_resource_mut::<Physics>()
            && let Err(problem) = xpbd_fluid::register(physics.world_mut().registry_mut())
        {
            error!("snapshots of fluids cannot be restored: {problem}");
        }
    }
}
