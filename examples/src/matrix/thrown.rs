//! Things that move freely.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Cloth, Rod, Rope, SoftBody, TetraMesh};
use xpbd_core::world::{CollisionLayers, Object, World};
use xpbd_fluid::Fluid;
use xpbd_rigid::Cluster;

use super::piece::Piece;
use super::{DENSITY, Error, GRAIN, Kind, RADIUS, THICKNESS};

/// Half the edge of a block \[m\].
const HALF: f32 = 0.06;

/// Adds something with its middle at a position \[m\] and with a velocity \[m/s\].
///
/// # Errors
/// The world refuses it, or it is a mesh or a height field, which do not move.
pub fn add_thrown(world: &mut World, kind: Kind, middle: Vec3, velocity: Vec3) -> Result<Piece, Error> {
    let (front, back) = (middle - Vec3::Z * 0.14, middle + Vec3::Z * 0.14);
    let mut piece = Piece::default();
    match kind {
        Kind::Cloth => {
            let tilted = (middle, Quat::from_rotation_x(0.1));
            let cloth = Cloth::grid(11, 11, 0.2, 0.2).surface_collision(THICKNESS).velocity(velocity, Vec3::ZERO);
            let object = cloth.at(tilted).build()?;
            piece.sheet.clone_from(&object.triangles);
            piece.woven = true;
            piece.objects.push(world.add(object)?);
        }
        Kind::Rope => {
            let rope = Rope::between(front, back, 14, 0.28).velocity(velocity, Vec3::ZERO);
            piece.objects.push(world.add(rope.build()?)?);
        }
        Kind::Rod => {
            let rod = Rod::between(front, back, 14).velocity(velocity, Vec3::ZERO).add_to(world)?;
            piece.objects.push(rod.object());
            piece.rod = Some(rod);
        }
        Kind::SoftBody => {
            let mesh = TetraMesh::block([3; 3], Vec3::splat(2.0 * HALF))?;
            let body = SoftBody::new(&mesh).surface_collision(THICKNESS).velocity(velocity, Vec3::ZERO).at(middle);
            piece.tetrahedra = mesh.tetrahedra().to_vec();
            piece.objects.push(world.add(body.build()?)?);
        }
        Kind::Cluster => {
            let cluster = Cluster::from_shape(&*SharedShape::cuboid(HALF, HALF, HALF), 2.0 * RADIUS);
            let cluster = cluster.density(DENSITY).velocity(velocity, Vec3::ZERO).at(middle);
            piece.objects.push(world.add(cluster.build()?)?);
        }
        Kind::Grains => {
            let place = |k: u32| middle + Vec3::new(k as f32 % 4.0, (k / 16) as f32, (k / 4 % 4) as f32) * 0.021;
            let places = (0..64).map(place).map(|x| x - Vec3::splat(0.03)).collect();
            let mut grains = Object::new("grains", places, GRAIN).velocity(velocity);
            grains.collision_layers = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
            piece.objects.push(world.add(grains)?);
        }
        Kind::Liquid => {
            let half = Vec3::splat(HALF);
            piece.objects.push(Fluid::block(middle - half, middle + half).velocity(velocity).add_to_world(world)?);
            piece.flows = true;
        }
        _ => {
            let tilted = Pose::from_parts(middle, Quat::from_rotation_z(0.3));
            return Piece::body(world, kind, 1.0, tilted, velocity);
        }
    }
    Ok(piece)
}
