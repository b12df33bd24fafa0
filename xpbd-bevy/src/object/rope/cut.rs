//! Ropes that are cut.

use std::ops::Range;

use bevy::prelude::*;
use xpbd_cloth::rope::{cut, pieces_of};
use xpbd_core::world::{ObjectHandle, World as Core, WorldError};

use super::{CutLinks, Rope};
use crate::handle::ObjectId;
use crate::physics::Physics;
use crate::report::{EntityErrors, write_and_trigger};

/// Asks for a rope to be cut before the next step. Its pieces remain one object and one entity.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// A shot along −z of the camera cuts whatever rope is within 3 cm.
/// fn shoot(mut cuts: MessageWriter<CutRope>, ropes: Query<Entity, With<Rope>>, camera: Single<&GlobalTransform, With<Camera>>) {
///     let ray = Ray3d { origin: camera.translation(), direction: camera.forward() };
///     for entity in &ropes {
///         cuts.write(CutRope { entity, place: RopeCutPlace::Ray { ray, max_distance: 100.0, radius: 0.03 } });
///     }
/// }
/// ```
#[derive(Message, Debug, Clone, Copy, PartialEq)]
pub struct CutRope {
    /// The entity of the rope.
    pub entity: Entity,
    /// The place at which it is cut.
    pub place: RopeCutPlace,
}

/// The place at which a rope is cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RopeCutPlace {
    /// At the link after this point of the rope, counted from 0.
    Link(u32),
    /// At the first link that a ray meets; at none if it meets none.
    Ray {
        /// The ray in the world.
        ray: Ray3d,
        /// Length of the ray \[m\].
        max_distance: f32,
        /// Distance from the ray up to which it meets the middle of the rope \[m\].
        radius: f32,
    },
}

/// A rope was cut by a [`CutRope`].
#[derive(Message, EntityEvent, Debug, Clone, Copy, PartialEq)]
pub struct RopeCut {
    /// The entity of the rope.
    pub entity: Entity,
    /// The link that was cut.
    pub link: u32,
    /// The number of pieces of the rope now.
    pub pieces: u32,
    /// The point of the link that the ray met, or its middle \[m\].
    pub point: Vec3,
}

/// Cuts as was asked for, in that order.
pub(super) fn cut_ropes(
    mut commands: Commands,
    mut physics: ResMut<Physics>,
    mut cuts: MessageReader<CutRope>,
    ropes: Query<&ObjectId, With<Rope>>,
    mut messages: MessageWriter<RopeCut>,
    mut errors: EntityErrors,
) {
    for &CutRope { entity, place } in cuts.read() {
        let Ok(rope) = ropes.get(entity) else {
            errors.report(entity, "cut of a rope", "it has no rope, or that is not built yet");
            continue;
        };
        match cut_at(physics.world_mut(), rope.handle(), place) {
            Ok(Some((link, point, pieces))) => {
                write_and_trigger(&mut messages, &mut commands, RopeCut { entity, link, pieces, point });
            }
            Ok(None) => {}
            Err(error) => errors.report(entity, "cut of a rope", error),
        }
    }
}

/// Cuts a rope, and returns the link, the point of the cut and the number of pieces; none if nothing was cut.
fn cut_at(world: &mut Core, rope: ObjectHandle, place: RopeCutPlace) -> Result<Option<(u32, Vec3, u32)>, BevyError> {
    world.synchronize()?;
    let (link, point) = match place {
        RopeCutPlace::Link(link) => {
            let k = link as usize;
            (link, 0.5 * (world.position(rope, k)? + world.position(rope, k + 1)?))
        }
        RopeCutPlace::Ray { ray, max_distance, radius } => {
            let pieces = pieces_of(world, rope)?;
            let Some(met) = first_link(world, rope, &pieces, (ray, max_distance), radius)? else { return Ok(None) };
            met
        }
    };
    let before = cut_links(world, rope)?.len();
    cut(world, rope, link as usize)?;
    let now = cut_links(world, rope)?.len();
    Ok((now > before).then_some((link, point, now as u32 + 1)))
}

/// Returns the links that have been cut, ascending. Those of a spool that are not paid out yet are not among them.
fn cut_links(world: &Core, rope: ObjectHandle) -> Result<Vec<u32>, WorldError> {
    let mut links = Vec::new();
    for piece in pieces_of(world, rope)?.windows(2) {
        let next = piece[1].start;
        if world.is_active(rope, next - 1)? && world.is_active(rope, next)? {
            links.push(next as u32 - 1);
        }
    }
    Ok(links)
}

/// Returns the link that a ray meets first, and the point of it that is nearest to the ray.
fn first_link(
    world: &Core,
    rope: ObjectHandle,
    pieces: &[Range<usize>],
    (ray, max_distance): (Ray3d, f32),
    radius: f32,
) -> Result<Option<(u32, Vec3)>, WorldError> {
    let mut first: Option<(f32, u32, Vec3)> = None;
    for k in pieces.iter().flat_map(|piece| piece.start..piece.end.saturating_sub(1)) {
        if !(world.is_active(rope, k)? && world.is_active(rope, k + 1)?) {
            continue;
        }
        let ends = [world.position(rope, k)?, world.position(rope, k + 1)?];
        let (along, point) = nearest_to_ray(ray, max_distance, ends);
        let is_met = point.distance(ray.get_point(along)) <= radius;
        if is_met && first.is_none_or(|(least, ..)| along < least) {
            first = Some((along, k as u32, point));
        }
    }
    Ok(first.map(|(_, link, point)| (link, point)))
}

/// Returns how far along a ray \[m\] it is nearest to a segment, and the point of the segment there.
fn nearest_to_ray(ray: Ray3d, max_distance: f32, [a, b]: [Vec3; 2]) -> (f32, Vec3) {
    let (direction, edge, offset) = (*ray.direction, b - a, ray.origin - a);
    let (square, mixed) = (edge.length_squared(), direction.dot(edge));
    // The lines are nearest where the connection is perpendicular to both. Parallel ones are so everywhere.
    let determinant = square - mixed * mixed;
    let part = if determinant > 1e-6 * square {
        (edge.dot(offset) - mixed * direction.dot(offset)) / determinant
    } else {
        0.0
    };
    let point = a + edge * part.clamp(0.0, 1.0);
    let along = direction.dot(point - ray.origin).clamp(0.0, max_distance);
    // The end of the ray may be nearest to another point of the segment.
    let from = ray.get_point(along);
    let part = if square > 0.0 { edge.dot(from - a) / square } else { 0.0 };
    (along, a + edge * part.clamp(0.0, 1.0))
}

/// Takes note of which links are cut, however that came about: by a message, a call of the library, a snapshot.
pub(super) fn follow(
    mut commands: Commands,
    physics: Res<Physics>,
    mut ropes: Query<(Entity, &ObjectId, Option<&mut CutLinks>), With<Rope>>,
) {
    for (entity, rope, known) in &mut ropes {
        let Ok(links) = cut_links(physics.world(), rope.handle()) else { continue };
        match known {
            Some(mut known) => {
                known.set_if_neq(CutLinks(links));
            }
            None if !links.is_empty() => {
                commands.entity(entity).try_insert(CutLinks(links));
            }
            None => {}
        }
    }
}

/// Forgets the cuts of a rope that is taken away.
pub(super) fn forget(removed: On<Remove, Rope>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<CutLinks>();
}
