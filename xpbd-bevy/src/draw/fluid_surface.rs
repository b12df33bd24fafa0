//! Liquids as one smooth surface, computed on the screen \[vdLaan09\]: W. J. van der Laan, S. Green, M. Sainz, *Screen Space
//! Fluid Rendering with Curvature Flow*, I3D 2009.
//!
//! Particles become ellipsoids that follow the surface \[Yu13\] (J. Yu, G. Turk, *Reconstructing Surfaces of Particle-Based
//! Fluids Using Anisotropic Kernels*, 2013), as in the crate `xpbd-fluid`. For each camera they give the distance of the nearest
//! one in every pixel, and balls at the particles the thickness. The distances are smoothed by a narrow-range filter
//! \[Truong18\] (N. Truong, C. Yuksel, *A Narrow-Range Filter for Screen-Space Fluid Rendering*, PACMCGIT 1 (1), 2018). One
//! triangle over the whole picture then shades what is left as a surface of the user's material, among the transmissive things:
//! Bevy's lights, shadows, reflections, refraction and fog act on it, and it hides what is behind it.
//!
//! All of that happens on the GPU, from the buffer that [`DrawParticles`](super::DrawParticles) reads: nothing is read back of a
//! world that is stepped there.

mod material;
mod passes;

use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use bevy::render::storage::ShaderBuffer;

use super::fluid_surface_component::FluidSurface;
use super::interpolation::DrawSystems;
use super::particles::ParticleInstances;
use super::sphere::{BaseMaterial, sync_materials};
use material::{FluidSurfaceMaterial, ScreenTriangle, SurfaceMaps};

/// The surface of an entity.
#[derive(Component)]
struct SurfaceInstance {
    /// The child that shades.
    child: Entity,
    material: Handle<FluidSurfaceMaterial>,
    maps: SurfaceMaps,
    /// The balls.
    places: Handle<ShaderBuffer>,
    /// The material that the user gave.
    base: AssetId<StandardMaterial>,
}

pub fn build(app: &mut App) {
    material::build(app);
    passes::build(app);
    let follow_particles = (spawn_surfaces, fit_maps).chain().after(super::particles::spawn_instances);
    app.add_systems(PostUpdate, follow_particles.in_set(DrawSystems::AttachMeshes));
    app.add_systems(PostUpdate, sync_materials::<SurfaceMaps>.in_set(DrawSystems::AttachMeshes));
    app.add_systems(PostUpdate, passes::collect.in_set(DrawSystems::UpdateVertices));
    app.add_observer(|gone: On<Remove, FluidSurface>, mut commands: Commands| despawn(gone.entity, &mut commands));
    app.add_observer(|gone: On<Remove, ParticleInstances>, mut commands: Commands| despawn(gone.entity, &mut commands));
}

/// Takes the surface of an entity away.
fn despawn(entity: Entity, commands: &mut Commands) {
    commands.queue(move |world: &mut World| {
        let surface = world.get_entity_mut(entity).ok().and_then(|mut entity| entity.take::<SurfaceInstance>());
        if let Some(SurfaceInstance { child, .. }) = surface {
            // It may have gone with its parent.
            world.try_despawn(child).ok();
        }
    });
}

/// A liquid whose surface is drawn.
type Drawn<'a> =
    (Entity, &'a FluidSurface, &'a ParticleInstances, Option<&'a SurfaceInstance>, Option<&'a RenderLayers>);

/// Selects new and changed liquids.
type Anew = Or<(Changed<FluidSurface>, Added<ParticleInstances>)>;

/// Makes surfaces, where there are none or others than there should be.
fn spawn_surfaces(
    mut commands: Commands,
    triangle: Res<ScreenTriangle>,
    bases: Res<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<FluidSurfaceMaterial>>,
    surfaces: Query<Drawn, Anew>,
) {
    for (entity, surface, balls, instance, layers) in &surfaces {
        let (base_id, places) = (surface.material.id(), balls.places.clone());
        if instance.is_some_and(|instance| instance.base == base_id && instance.places == places) {
            continue;
        }
        despawn(entity, &mut commands);
        let maps = SurfaceMaps::new(UVec2::ONE, &mut images);
        let base = bases.get(&surface.material).cloned().unwrap_or_default();
        let material = materials.add(FluidSurfaceMaterial { base, extension: maps.clone() });
        let looks = (Mesh3d(triangle.0.clone()), MeshMaterial3d(material.clone()), BaseMaterial(base_id));
        let mut child = commands.spawn((looks, NoFrustumCulling, NotShadowCaster, ChildOf(entity)));
        if let Some(layers) = layers {
            child.insert(layers.clone());
        }
        let child = child.id();
        commands.entity(entity).try_insert(SurfaceInstance { child, material, maps, places, base: base_id });
    }
}

/// Gives maps the size of the largest picture.
fn fit_maps(
    cameras: Query<&Camera, With<Camera3d>>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<FluidSurfaceMaterial>>,
    mut surfaces: Query<&mut SurfaceInstance>,
) {
    let sizes = cameras.iter().filter(|camera| camera.is_active).filter_map(Camera::physical_target_size);
    let Some(size) = sizes.reduce(UVec2::max).filter(|size| size.min_element() > 0) else { return };
    for mut surface in surfaces.iter_mut().filter(|surface| surface.maps.size != size) {
        surface.maps = SurfaceMaps::new(size, &mut images);
        if let Some(mut material) = materials.get_mut(&surface.material) {
            material.extension = surface.maps.clone();
        }
    }
}
