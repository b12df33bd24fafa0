//! Drawing from the buffers of a world that is stepped on the renderer's GPU: nothing comes back.

mod kernels;
mod plan;

use bevy::camera::visibility::NoFrustumCulling;
use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::mesh::allocator::MeshAllocatorSettings;
use bevy::render::render_resource::BufferUsages;
use bevy::render::renderer::{RenderDevice, RenderQueue};
use slotmap::SecondaryMap;
use xpbd_core::world::ObjectHandle;

use super::interpolation::DrawSystems;
use super::particles::ParticleInstances;
use super::surface::DeformedMesh;
use super::tube::TubeSurface;
use crate::backend::GpuReadback;
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::schedule::{XpbdSystems, add_ordered_systems};

/// The particles on the device, as of the last step.
#[derive(Resource, Default)]
struct DevicePositions {
    /// Positions, of the whole world.
    positions: Option<wgpu::Buffer>,
    /// Positions before the last step.
    previous: Option<wgpu::Buffer>,
    /// Whose particles they are, and the first of each.
    objects: Vec<ObjectHandle>,
    first: SecondaryMap<ObjectHandle, u32>,
    /// Whose particles the previous positions are.
    before: Vec<ObjectHandle>,
}

impl DevicePositions {
    /// Returns the first particle of an object.
    fn first(&self, object: ObjectHandle) -> Option<u32> {
        self.positions.as_ref()?;
        self.first.get(object).copied()
    }

    /// Returns where everything was before the last step, if it is known of all that is now.
    fn before(&self) -> Option<&wgpu::Buffer> {
        self.previous.as_ref().filter(|_| self.before == self.objects)
    }
}

pub fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.init_resource::<DevicePositions>();
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, store_previous_positions);
    add_ordered_systems(app, schedule, XpbdSystems::Writeback, update_device_positions);
    app.add_systems(
        PostUpdate,
        select_device_drawing.after(DrawSystems::AttachMeshes).in_set(DrawSystems::Interpolate),
    );
    plan::build(app);
}

/// Lets kernels write where the renderer keeps vertices.
pub fn finish(app: &mut App) {
    let is_gpu = app.world().get_resource::<Physics>().is_some_and(|physics| physics.gpu().is_some());
    let Some(render_app) = app.get_sub_app_mut(RenderApp).filter(|_| is_gpu) else { return };
    if let Some(mut settings) = render_app.world_mut().get_resource_mut::<MeshAllocatorSettings>() {
        settings.extra_buffer_usages |= BufferUsages::STORAGE;
    }
}

/// Keeps where everything is before a step.
fn store_previous_positions(
    physics: Res<Physics>,
    mut resident: ResMut<DevicePositions>,
    device: Option<Res<RenderDevice>>,
    queue: Option<Res<RenderQueue>>,
) {
    let (Some(device), Some(queue)) = (device, queue) else { return };
    let Some(particles) = physics.gpu().and_then(|gpu| gpu.particles(physics.world())) else { return };
    let bytes = 16 * particles.count as u64;
    if bytes == 0 {
        return;
    }
    let resident = &mut *resident;
    if resident.previous.as_ref().is_none_or(|previous| previous.size() != bytes) {
        resident.previous = Some(device.wgpu_device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("positions before the step"),
            size: bytes,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
    }
    let Some(previous) = &resident.previous else { return };
    let mut encoder = device.wgpu_device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(particles.positions, 0, previous, 0, bytes);
    queue.submit([encoder.finish()]);
    resident.before.clone_from(&resident.objects);
}

/// Looks where everything is after a step.
fn update_device_positions(physics: Res<Physics>, mut resident: ResMut<DevicePositions>) {
    let world = physics.world();
    let particles = physics.gpu().and_then(|gpu| gpu.particles(world)).filter(|particles| particles.count > 0);
    resident.positions = particles.map(|particles| particles.positions.clone());
    resident.objects.clear();
    resident.first.clear();
    if resident.positions.is_some() {
        resident.objects.extend_from_slice(world.objects());
        let objects = world.state().objects.iter();
        resident.first.extend(objects.map(|(handle, object)| (handle, object.range.start as u32)));
    }
}

/// Decides what is placed by the device: what follows particles that are there.
fn select_device_drawing(
    mut commands: Commands,
    resident: Res<DevicePositions>,
    readback: Res<GpuReadback>,
    mut surfaces: Query<(Entity, &ObjectId, &mut DeformedMesh, Has<NoFrustumCulling>)>,
    mut swarms: Query<(&ObjectId, &mut ParticleInstances)>,
    mut tubes: Query<(Entity, &ObjectId, &mut TubeSurface, Has<NoFrustumCulling>)>,
    mut told: Local<bool>,
) {
    for (entity, object, mut surface, is_unculled) in &mut surfaces {
        let is_there = resident.first(object.handle()).is_some();
        let on_device = is_there && surface.follows_particles();
        if is_there && !on_device && *readback == GpuReadback::OnRequest && !std::mem::replace(&mut *told, true) {
            warn!("{entity} is drawn from the CPU, and stands still unless the GPU is read back");
        }
        let DeformedMesh { on_device: was, unculled, .. } = &mut *surface;
        switch(&mut commands, entity, [was, unculled], on_device, is_unculled);
    }
    for (entity, object, mut tube, is_unculled) in &mut tubes {
        let on_device = resident.first(object.handle()).is_some();
        let TubeSurface { on_device: was, unculled, .. } = &mut *tube;
        switch(&mut commands, entity, [was, unculled], on_device, is_unculled);
    }
    for (object, mut swarm) in &mut swarms {
        swarm.on_device = resident.first(object.handle()).is_some();
    }
}

/// Notes that a mesh is placed by the device or no longer, and never culls it while it is: its bounds are not known.
fn switch(
    commands: &mut Commands,
    entity: Entity,
    [was_on_device, unculled]: [&mut bool; 2],
    on_device: bool,
    is_unculled: bool,
) {
    if std::mem::replace(was_on_device, on_device) == on_device {
        return;
    }
    if on_device && !is_unculled {
        *unculled = true;
        commands.entity(entity).try_insert(NoFrustumCulling);
    } else if !on_device && std::mem::take(unculled) {
        commands.entity(entity).try_remove::<NoFrustumCulling>();
    }
}
