//! Cloth that comes apart.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use hashbrown::HashMap;
use xpbd_cloth::{TearReport, piece_count, sheet_triangles};
use xpbd_core::world::{ObjectHandle, World as Core};

use super::Cloth;
use crate::handle::ObjectId;
use crate::mesh::{TornMesh, VertexMap};
use crate::object::pin::PinState;
use crate::physics::Physics;
use crate::report::{EntityErrors, write_and_trigger};
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_component;
use crate::time::StepLength;

/// A cloth came apart, by [what it bore](xpbd_cloth::ClothSettings::tearing) in the step before or by a [`CutCloth`].
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct ClothTorn {
    /// The entity of the cloth.
    pub entity: Entity,
    /// The number of its vertices that were split in two.
    pub splits: u32,
    /// The number of its pieces now.
    pub pieces: u32,
    /// The mean position of the split vertices \[m\].
    pub point: Vec3,
}

/// Asks for a cloth to be cut before the next step, along the edges of its triangles next to the way of a blade. It is
/// one that [can tear](xpbd_cloth::ClothSettings::tearing); with infinite limits it comes apart in no other way.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// The way of a blade of 1 m along y, 2 m along x.
/// fn slash(mut cuts: MessageWriter<CutCloth>, flags: Query<Entity, With<Cloth>>) {
///     for entity in &flags {
///         let blade = Blade { corner: Vec3::new(-1.0, 0.5, 0.0), edge: Vec3::Y, path: Vec3::X * 2.0 };
///         cuts.write(CutCloth { entity, blade });
///     }
/// }
/// ```
#[derive(Message, Debug, Clone, Copy, PartialEq)]
pub struct CutCloth {
    /// The entity of the cloth.
    pub entity: Entity,
    /// The blade that cuts it, in the world.
    pub blade: xpbd_cloth::Blade,
}

/// The triangles of a cloth, if it can come apart.
#[derive(Component, Debug, Default, Clone)]
pub(super) struct TearableMesh {
    /// True if loads tear it; blades do in any case.
    tears: bool,
    /// The number of vertices of its mesh.
    vertices: usize,
    /// The vertices of its mesh at the corners of each triangle.
    corners: Vec<[u32; 3]>,
    /// The particles there when its vertices were brought up to date; none if they never were.
    particles: Vec<[u32; 3]>,
}

impl TearableMesh {
    /// Creates a sheet with these vertices at the corners of its triangles.
    pub fn new(tears: bool, vertices: usize, corners: &[u32]) -> Self {
        Self { tears, vertices, corners: corners.as_chunks().0.to_vec(), particles: Vec::new() }
    }

    /// Returns whether nothing has come apart, nor had before.
    fn is_unsplit(&self, particles: &[[u32; 3]], vertices: &VertexMap) -> bool {
        let follows = |(&vertex, particle): (&u32, &u32)| vertices.particles.get(vertex as usize) == Some(particle);
        vertices.torn.is_none() && self.corners.iter().flatten().zip(particles.as_flattened()).all(follows)
    }

    /// The vertices and triangles of the mesh when these particles are at its corners: corners of one vertex that
    /// follow several particles are vertices of their own.
    fn split_vertices(&mut self, particles: Vec<[u32; 3]>, vertices: &mut VertexMap) {
        let count = self.vertices;
        let mut torn = TornMesh::default();
        vertices.particles.truncate(count);
        let mut copies: HashMap<[u32; 2], u32> = HashMap::new();
        for (corners, particles) in self.corners.iter().zip(&particles) {
            let mut triangle = *corners;
            for (vertex, &particle) in triangle.iter_mut().zip(particles) {
                let of = *vertex;
                if vertices.particles[of as usize] != particle {
                    *vertex = *copies.entry([of, particle]).or_insert_with(|| {
                        torn.copies.push(of);
                        vertices.particles.push(particle);
                        vertices.particles.len() as u32 - 1
                    });
                }
            }
            torn.triangles.push(triangle);
        }
        vertices.rest.truncate(count);
        vertices.rest.extend(torn.copies.iter().map(|&of| vertices.rest[of as usize]).collect::<Vec<_>>());
        if !vertices.colors.is_empty() {
            vertices.colors.truncate(count);
            vertices.colors.extend(torn.copies.iter().map(|&of| vertices.colors[of as usize]).collect::<Vec<_>>());
        }
        vertices.torn = (!torn.copies.is_empty()).then_some(torn);
        self.particles = particles;
    }
}

/// Tears sheets. What loads have torn after a step does so before the next one, on either back end.
#[derive(Debug, Clone)]
pub(crate) struct TearPlugin(pub Interned<dyn ScheduleLabel>);

impl Plugin for TearPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Cloth>().add_message::<ClothTorn>().add_message::<CutCloth>();
        save_component::<TearableMesh>(app);
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Constraints), (tear, cut).chain());
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, follow);
    }
}

/// Tears what the step before has overloaded.
fn tear(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    sheets: Query<(Entity, &ObjectId, &TearableMesh)>,
    mut messages: MessageWriter<ClothTorn>,
    mut problems: EntityErrors,
) {
    if length.get().is_none() {
        return;
    }
    for (entity, id, _) in sheets.iter().sort::<Entity>().filter(|(.., sheet)| sheet.tears) {
        match xpbd_cloth::tear(physics.world_mut(), id.handle()) {
            Ok(tear) => {
                tell(&mut commands, &mut messages, &mut problems, physics.world(), (entity, id.handle()), &tear)
            }
            Err(problem) => problems.report(entity, "tearing", problem),
        }
    }
}

/// Cuts as was asked for, in that order.
fn cut(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut cuts: MessageReader<CutCloth>,
    mut held: Query<&mut PinState>,
    mut messages: MessageWriter<ClothTorn>,
    mut problems: EntityErrors,
) {
    for &CutCloth { entity, blade } in cuts.read() {
        let Some(object) = physics.object_of(entity) else { continue };
        match xpbd_cloth::cut(physics.world_mut(), object, &blade) {
            Ok(tear) => {
                if let Ok(mut held) = held.get_mut(entity) {
                    held.split(&tear.split_vertices);
                }
                tell(&mut commands, &mut messages, &mut problems, physics.world(), (entity, object), &tear);
            }
            Err(problem) => problems.report(entity, "cut", problem),
        }
    }
}

/// Says what came apart, if anything did.
fn tell(
    commands: &mut Commands,
    messages: &mut MessageWriter<ClothTorn>,
    problems: &mut EntityErrors,
    world: &Core,
    (entity, object): (Entity, ObjectHandle),
    tear: &TearReport,
) {
    if tear.missing_particles > 0 {
        problems.report(entity, "tearing", "it has no particles left to spare, and tears no more");
    }
    if tear.split_vertices.is_empty() {
        return;
    }
    let splits = tear.split_vertices.len() as u32;
    let point = tear.split_vertices.iter().map(|torn| torn.position).sum::<Vec3>() / splits as f32;
    let pieces = piece_count(world, object).unwrap_or_default() as u32;
    write_and_trigger(messages, commands, ClothTorn { entity, splits, pieces, point });
}

/// Lets vertices follow the particles that are at their corners now. They come apart however that came about: by a
/// load, a blade, a call of the library, a snapshot.
fn follow(physics: Res<Physics>, mut sheets: Query<(&ObjectId, &mut TearableMesh, &mut VertexMap)>) {
    for (id, mut sheet, mut vertices) in &mut sheets {
        if sheet.corners.is_empty() {
            continue;
        }
        // An object that is not what it was is made anew before long.
        let Ok(particles) = sheet_triangles(physics.world(), id.handle()) else { continue };
        if particles.len() != sheet.corners.len() || particles == sheet.particles {
            continue;
        }
        if sheet.is_unsplit(&particles, &vertices) {
            sheet.particles = particles;
        } else {
            sheet.split_vertices(particles, &mut vertices);
        }
    }
}
