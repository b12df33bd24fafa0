//! Drawing of what is deformed, and of particles.
//!
//! A mesh whose entity is an object of the physics world follows it: the entity gets a mesh of its own, whose
//! vertices are written where the renderer keeps them, so that the asset of the mesh is never touched. On the CPU
//! they are placed and sent every frame; if the world is stepped on the renderer's GPU a kernel places them there
//! and nothing comes back. Vertices in one place are shaded as one. Motion vectors are those of the entity.
//!
//! [`DrawParticles`] draws each particle as a sphere, [`FluidSurface`] all of them as the surface of a liquid, `DrawFoam` the
//! particles of a foam, [`Tube`] a line of particles as a tube, and a component that implements [`MeshDeformer`] whatever it
//! computes.
//!
//! Between steps of a fixed schedule everything is interpolated from the step before the last to the last.

#[cfg(feature = "rigid")]
mod cluster_skin;
#[cfg(feature = "gpu")]
mod device;
#[cfg(feature = "gpu")]
mod device_buffers;
mod fluid_surface;
mod fluid_surface_component;
#[cfg(feature = "fluid")]
mod foam;
mod interpolated_positions;
mod interpolation;
mod packed_vertices;
mod particles;
#[cfg(feature = "cloth")]
mod soft_body_skin;
mod sphere;
mod surface;
mod topology;
mod tube;
mod tube_component;
mod upload;
mod vertex_map;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::pbr::PbrPlugin;
use bevy::prelude::*;
use bevy::render::RenderApp;

#[cfg(feature = "rigid")]
pub use cluster_skin::{ClusterSkinPlugin, HasClusterSkin};
pub use fluid_surface_component::FluidSurface;
#[cfg(feature = "fluid")]
pub use foam::DrawFoam;
pub use particles::DrawParticles;
pub use surface::{MeshDeformer, MeshDeformerPlugin};
pub use tube_component::Tube;

use crate::mesh::VertexMap;

/// Drawing of what is deformed, and of particles. Nothing happens without Bevy's renderer, which is added before.
#[derive(Debug, Clone, Copy)]
pub struct DrawPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl DrawPlugin {
    /// Creates the plugin for a world that is stepped in this schedule.
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self(schedule.intern())
    }
}

impl Default for DrawPlugin {
    fn default() -> Self {
        Self::in_schedule(FixedPostUpdate)
    }
}

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        // Scenes that name them load on servers, too.
        app.register_type::<Tube>().register_type::<DrawParticles>().register_type::<FluidSurface>();
        #[cfg(feature = "fluid")]
        app.register_type::<DrawFoam>();
        if app.get_sub_app(RenderApp).is_none() || !app.is_plugin_added::<PbrPlugin>() {
            return;
        }
        interpolation::build(app, self.0);
        upload::build(app);
        surface::build(app);
        app.add_plugins(MeshDeformerPlugin::<VertexMap>::in_schedule(self.0));
        tube::build(app, self.0);
        sphere::build(app);
        particles::build(app, self.0);
        fluid_surface::build(app);
        #[cfg(feature = "fluid")]
        foam::build(app);
        #[cfg(feature = "gpu")]
        device::build(app, self.0);
    }

    fn finish(&self, app: &mut App) {
        if app.is_plugin_added::<MeshDeformerPlugin<VertexMap>>() {
            #[cfg(feature = "gpu")]
            device::finish(app);
        } else if app.get_sub_app(RenderApp).is_some() && app.is_plugin_added::<PbrPlugin>() {
            error!("nothing that physics deforms is drawn: add XpbdPlugins after DefaultPlugins");
        }
    }
}
