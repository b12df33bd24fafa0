//! Particles as spheres.

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::light::NotShadowCaster;
use bevy::math::{Affine3A, Vec3A};
use bevy::prelude::*;
use bevy::render::storage::ShaderBuffer;
use xpbd_core::world::{ObjectHandle, World as Core};

use super::fluid_surface_component::FluidSurface;
use super::interpolated_positions::InterpolatedPositions;
use super::interpolation::{DrawSystems, FrameInterpolation};
use super::sphere::{SphereInstances, SphereSpawner};
use super::upload::Upload;
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::schedule::{XpbdSystems, add_ordered_systems};

/// Draws each particle of an entity's object that is present as a sphere. Children of the entity do it, in its
/// [`RenderLayers`]; they cast shadows unless the entity is a [`NotShadowCaster`] when they are made.
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[require(Transform, Visibility)]
pub struct DrawParticles {
    /// The material of the spheres.
    pub material: Handle<StandardMaterial>,
    /// Their radius over that of the world's particles \[1\].
    pub scale: f32,
}

impl Default for DrawParticles {
    fn default() -> Self {
        Self { material: Handle::default(), scale: 1.0 }
    }
}

/// The spheres of an entity, of which the shadows alone are seen if it has only a [`FluidSurface`].
#[derive(Component)]
pub struct ParticleInstances {
    /// The children that draw, of which the first carries what is sent.
    children: Vec<Entity>,
    /// Their positions in a buffer of the renderer.
    pub places: Handle<ShaderBuffer>,
    motion: InterpolatedPositions,
    lives: Vec<u32>,
    /// The step in which each came.
    born: Vec<u64>,
    /// Radius of each \[m\]; 0 if absent, negative if it has come in the last step.
    pub radii: Vec<f32>,
    /// True if a GPU places them.
    pub on_device: bool,
    /// The buffers of the kernel that writes them.
    #[cfg(feature = "gpu")]
    pub tables: Option<super::device_buffers::DeviceBuffers>,
}

pub fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.add_systems(PostUpdate, spawn_instances.in_set(DrawSystems::AttachMeshes));
    app.add_systems(PostUpdate, place.in_set(DrawSystems::UpdateVertices));
    add_ordered_systems(app, schedule, XpbdSystems::Writeback, capture);
    app.add_observer(|gone: On<Remove, DrawParticles>, mut commands: Commands| {
        despawn_instances(gone.entity, &mut commands)
    });
    app.add_observer(|gone: On<Remove, FluidSurface>, mut commands: Commands| {
        despawn_instances(gone.entity, &mut commands)
    });
    app.add_observer(|gone: On<Remove, ObjectId>, mut commands: Commands| {
        despawn_instances(gone.entity, &mut commands)
    });
}

/// Takes the spheres of an entity away.
fn despawn_instances(entity: Entity, commands: &mut Commands) {
    commands.queue(move |world: &mut World| {
        let swarm = world.get_entity_mut(entity).ok().and_then(|mut entity| entity.take::<ParticleInstances>());
        for child in swarm.map_or_else(Vec::new, |swarm| swarm.children) {
            // Children may have gone with their parent.
            world.try_despawn(child).ok();
        }
    });
}

/// Returns where the particles of an object are \[m\].
fn places(world: &Core, object: ObjectHandle) -> impl Iterator<Item = Vec3A> + '_ {
    let packed = world.packed_positions(object).unwrap_or_default();
    packed.iter().map(|&packed| Vec3A::from_vec4(packed))
}

/// The components that draw the particles of an entity.
type Drawn<'a> = AnyOf<(&'a DrawParticles, &'a FluidSurface)>;

/// An object whose particles are drawn.
type DrawnObject<'a> = (Entity, &'a ObjectId, Drawn<'a>, Option<&'a RenderLayers>, Has<NotShadowCaster>);

/// Selects new objects, changed components, and what has lost its spheres.
type Anew = Or<(Changed<ObjectId>, Changed<DrawParticles>, Without<ParticleInstances>)>;

/// Makes spheres.
pub fn spawn_instances(mut spawner: SphereSpawner, physics: Res<Physics>, new: Query<DrawnObject, Anew>) {
    for (entity, object, (draw, _), layers, is_shadowless) in &new {
        despawn_instances(entity, spawner.commands());
        let positions: Vec<Vec3A> = places(physics.world(), object.handle()).collect();
        if positions.is_empty() {
            continue;
        }
        let material = draw.map(|draw| &draw.material);
        let SphereInstances { children, places } = spawner.spawn(entity, positions.len(), material, layers);
        if is_shadowless {
            children.iter().for_each(|&child| _ = spawner.commands().entity(child).insert(NotShadowCaster));
        }
        let swarm = ParticleInstances {
            children,
            places,
            lives: vec![0; positions.len()],
            born: vec![0; positions.len()],
            radii: vec![0.0; positions.len()],
            motion: InterpolatedPositions::at(positions, physics.world().state().frames),
            on_device: false,
            #[cfg(feature = "gpu")]
            tables: None,
        };
        spawner.commands().entity(entity).try_insert(swarm);
    }
}

/// Keeps where everything is after a step.
fn capture(physics: Res<Physics>, mut swarms: Query<(&ObjectId, &mut ParticleInstances)>) {
    let frames = physics.world().state().frames;
    for (object, mut swarm) in swarms.iter_mut().filter(|(_, swarm)| !swarm.on_device) {
        let count = swarm.radii.len();
        swarm.motion.step(frames, |list| {
            list.extend(places(physics.world(), object.handle()));
            list.resize(count, Vec3A::ZERO);
        });
    }
}

/// Places the spheres of this frame.
fn place(
    pace: Res<FrameInterpolation>,
    physics: Res<Physics>,
    mut swarms: Query<(&ObjectId, Drawn, &mut ParticleInstances, &InheritedVisibility)>,
    mut uploads: Query<&mut Upload>,
) {
    let world = physics.world();
    for (object, (draw, _), mut swarm, visibility) in &mut swarms {
        let ParticleInstances { children, motion, lives, born, radii, on_device, .. } = &mut *swarm;
        let state = world.state();
        let Some(range) = state.objects.get(object.handle()).map(|object| object.range.clone()) else { continue };
        let radius = draw.map_or(1.0, |draw| draw.scale) * state.settings.particle_radius;
        let present = state.particles.inactive[range.clone()].iter().zip(&state.particles.generations[range]);
        for (place, (&absent, &life)) in present.enumerate().take(radii.len()) {
            if lives[place] != life {
                (lives[place], born[place]) = (life, state.frames);
                motion.appear(place);
            }
            let sign = if born[place] == state.frames { -1.0 } else { 1.0 };
            radii[place] = if absent { 0.0 } else { sign * radius };
        }
        if *on_device || !visibility.get() {
            continue;
        }
        let Some(Ok(mut upload)) = children.first().map(|&child| uploads.get_mut(child)) else { continue };
        upload.bytes.clear();
        for (place, &radius) in motion.places(pace.fraction, Affine3A::IDENTITY).zip(radii.iter()) {
            upload.bytes.extend_from_slice(bytemuck::bytes_of(&place.extend(radius.abs()).to_array()));
        }
    }
}
