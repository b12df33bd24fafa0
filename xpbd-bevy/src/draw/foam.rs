//! Spray, foam and bubbles as spheres.

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

use super::interpolation::{DrawSystems, FrameInterpolation};
use super::sphere::{SPHERES, SphereInstances, SphereSpawner};
use super::upload::Upload;
use crate::object::foam::{Foam, FoamParticles};
use crate::physics::Physics;

/// Draws the spray, foam and bubbles of a [`Foam`] as spheres. Children of the entity do it, in its [`RenderLayers`].
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq)]
#[require(Transform, Visibility)]
pub struct DrawFoam {
    /// The material of the spheres.
    pub material: Handle<StandardMaterial>,
    /// Their radius over that of the world's particles \[1\].
    pub scale: f32,
}

impl Default for DrawFoam {
    fn default() -> Self {
        Self { material: Handle::default(), scale: 0.3 }
    }
}

/// The spheres of a foam.
#[derive(Component)]
struct FoamInstances {
    spheres: SphereInstances,
    /// The number of spheres that there are children for.
    capacity: usize,
}

pub fn build(app: &mut App) {
    app.add_systems(PostUpdate, spawn_instances.in_set(DrawSystems::AttachMeshes));
    app.add_systems(PostUpdate, place.in_set(DrawSystems::UpdateVertices));
    app.add_observer(|gone: On<Remove, DrawFoam>, mut commands: Commands| despawn(gone.entity, &mut commands));
    app.add_observer(|gone: On<Remove, Foam>, mut commands: Commands| despawn(gone.entity, &mut commands));
}

/// Takes the spheres of an entity away.
fn despawn(entity: Entity, commands: &mut Commands) {
    commands.queue(move |world: &mut World| {
        let instances = world.get_entity_mut(entity).ok().and_then(|mut entity| entity.take::<FoamInstances>());
        for child in instances.map_or_else(Vec::new, |instances| instances.spheres.children) {
            // Children may have gone with their parent.
            world.try_despawn(child).ok();
        }
    });
}

/// A foam that is drawn.
type Drawn<'a> = (Entity, &'a Foam, Ref<'a, DrawFoam>, Option<&'a FoamInstances>, Option<&'a RenderLayers>);

/// Selects new and changed components.
type Anew = Or<(Changed<Foam>, Changed<DrawFoam>)>;

/// Makes spheres where there are none, or others than there should be.
fn spawn_instances(mut spawner: SphereSpawner, foams: Query<Drawn, Anew>) {
    for (entity, foam, draw, instances, layers) in &foams {
        let capacity = foam.max_particles;
        if instances.is_some_and(|instances| instances.capacity == capacity) && !draw.is_changed() {
            continue;
        }
        despawn(entity, spawner.commands());
        if capacity > 0 {
            let spheres = spawner.spawn(entity, capacity, Some(&draw.material), layers);
            spawner.commands().entity(entity).try_insert(FoamInstances { spheres, capacity });
        }
    }
}

/// Places the spheres of this frame. Particles have no fixed order, so that each goes back along its velocity to where it
/// was between the last two steps.
fn place(
    pace: Res<FrameInterpolation>,
    physics: Res<Physics>,
    foams: Query<(&FoamParticles, &DrawFoam, &FoamInstances, &InheritedVisibility)>,
    mut children: Query<(&mut Visibility, Option<&mut Upload>)>,
) {
    for (foam, draw, instances, visibility) in &foams {
        if !visibility.get() {
            continue;
        }
        let particles = foam.particles();
        let count = particles.len().min(instances.capacity);
        for (k, &child) in instances.spheres.children.iter().enumerate() {
            let Ok((mut shown, upload)) = children.get_mut(child) else { continue };
            let now = if k * SPHERES < count { Visibility::Inherited } else { Visibility::Hidden };
            shown.set_if_neq(now);
            let Some(mut upload) = upload else { continue };
            upload.bytes.clear();
            let (back, radius) =
                (foam.step_length() * (1.0 - pace.fraction), draw.scale * physics.world().settings().particle_radius);
            for particle in &particles[..count] {
                let place = (particle.position - back * particle.velocity).extend(radius);
                upload.bytes.extend_from_slice(bytemuck::bytes_of(&place.to_array()));
            }
            // What is drawn beyond them is as small as a point.
            upload.bytes.resize(16 * SPHERES * count.div_ceil(SPHERES), 0);
        }
    }
}
