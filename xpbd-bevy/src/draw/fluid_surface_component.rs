//! The component that draws an object as the surface of a liquid.

#[cfg(doc)]
use bevy::camera::visibility::RenderLayers;
#[cfg(doc)]
use bevy::light::NotShadowCaster;
use bevy::prelude::*;

/// Draws the particles of an entity's object as the surface of a liquid. Children of the entity do it, in its
/// [`RenderLayers`]. The liquid casts the shadow of balls, unless the entity is a [`NotShadowCaster`] when its object is made.
///
/// Give cameras a `DepthPrepass`, so that liquid behind what is opaque is left out of the thickness, and nothing in front of
/// the surface is seen in it.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// # fn spawn(mut commands: Commands, mut materials: ResMut<Assets<StandardMaterial>>) {
/// let material = materials.add(FluidSurface::water());
/// commands.spawn((
///     Fluid::block(Vec3::splat(0.5)).material(FluidMaterial::WATER),
///     FluidSurface { material, ..default() },
/// ));
/// # }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[require(Transform, Visibility)]
pub struct FluidSurface {
    /// The material of the surface. Its thickness is replaced by that of the liquid. Textures are not used.
    pub material: Handle<StandardMaterial>,
    /// The size of drops and ellipsoids over that which the particles have \[1\].
    pub scale: f32,
    /// The strength of the smoothing \[1\]: larger numbers flatten waves, 0 shows the ellipsoids.
    pub smoothing: f32,
}

impl Default for FluidSurface {
    fn default() -> Self {
        Self { material: Handle::default(), scale: 1.0, smoothing: 1.0 }
    }
}

impl FluidSurface {
    /// Returns the material of clear water.
    pub fn water() -> StandardMaterial {
        StandardMaterial {
            base_color: Color::WHITE,
            perceptual_roughness: 0.05,
            reflectance: 0.35,
            specular_transmission: 1.0,
            ior: 1.33,
            attenuation_color: Color::srgb(0.30, 0.68, 0.85),
            attenuation_distance: 0.18,
            ..default()
        }
    }
}
