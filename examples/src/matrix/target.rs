//! Targets of throws: sheets and nets that are held at their rims, and blocks on a floor.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use parry3d::utils::Array2;
use xpbd_cloth::{Cloth, Rod, RodEnd, Rope, SoftBody, TetraMesh};
use xpbd_core::collide::Collider;
use xpbd_core::world::{CollisionLayers, Object, World};
use xpbd_fluid::Fluid;
use xpbd_rigid::Cluster;

use super::piece::{Piece, Solid};
use super::{DENSITY, Error, GRAIN, Kind, RADIUS, THICKNESS};

/// Half the edge of a sheet, a net and a block \[m\], and half the height of a block.
const HALF: f32 = 0.2;
const LOW: f32 = 0.05;
/// Size of a body relative to one that is thrown \[1\].
const SCALE: f32 = 2.5;
/// Number of ropes of a net, their distance \[m\], and the links of each.
const ROPES: u32 = 16;
const APART: f32 = 0.026;
const LINKS: u32 = 20;

/// Adds what things are thrown at, with its middle at the origin, or on the floor y = 0.
pub(super) fn add(world: &mut World, kind: Kind) -> Result<Piece, Error> {
    match kind {
        Kind::Cloth => sheet(world),
        Kind::Rope | Kind::Rod => net(world, kind),
        Kind::HeightField => hills(world),
        _ => {
            world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
            block(world, kind)
        }
    }
}

fn sheet(world: &mut World) -> Result<Piece, Error> {
    let on_rim = |x: Vec3| x.x.abs().max(x.z.abs()) > 0.999 * HALF;
    let cloth = Cloth::grid(21, 21, 2.0 * HALF, 2.0 * HALF).surface_collision(THICKNESS).pin_where(|_, x| on_rim(x));
    let object = cloth.build()?;
    let sheet = object.triangles.clone();
    Ok(Piece { objects: vec![world.add(object)?], sheet, woven: true, ..Piece::default() })
}

/// Adds ropes or rods that are held at both ends, so near that neither a particle nor the hem of a sheet fits between them.
fn net(world: &mut World, kind: Kind) -> Result<Piece, Error> {
    let mut piece = Piece::default();
    for k in 0..ROPES {
        let z = Vec3::Z * (k as f32 - 0.5 * (ROPES - 1) as f32) * APART;
        let (a, b) = (z - Vec3::X * HALF, z + Vec3::X * HALF);
        piece.objects.push(if kind == Kind::Rope {
            world.add(Rope::between(a, b, LINKS, 2.0 * HALF).pin_ends().build()?)?
        } else {
            Rod::between(a, b, LINKS).clamp(RodEnd::First).clamp(RodEnd::Last).add_to(world)?.object()
        });
    }
    let points = LINKS + 1;
    let first = |rope: u32, link: u32| rope * points + link;
    for (rope, link) in (0..ROPES - 1).flat_map(|rope| (0..LINKS).map(move |link| (rope, link))) {
        let [a, b] = [first(rope, link), first(rope + 1, link)];
        piece.sheet.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
    }
    Ok(piece)
}

fn hills(world: &mut World) -> Result<Piece, Error> {
    let mut heights = Array2::zeros(9, 9);
    for (row, column) in (0..9).flat_map(|row| (0..9).map(move |column| (row, column))) {
        heights[(row, column)] = 0.02 * ((row * 5 + column * 3) % 4) as f32;
    }
    let shape = SharedShape::heightfield(heights, Vec3::new(2.0 * HALF, 1.0, 2.0 * HALF));
    let mut piece = Piece::default();
    for triangle in shape.as_heightfield().into_iter().flat_map(|field| field.triangles()) {
        let first = piece.fixed.len() as u32;
        piece.fixed.extend([triangle.a, triangle.b, triangle.c]);
        piece.sheet.push([first, first + 1, first + 2]);
    }
    piece.woven = true;
    world.add_collider(Collider::new(shape))?;
    Ok(piece)
}

fn block(world: &mut World, kind: Kind) -> Result<Piece, Error> {
    let (half, middle) = (Vec3::new(HALF, LOW, HALF), Vec3::Y * (LOW + RADIUS));
    let mut piece = Piece::default();
    match kind {
        Kind::SoftBody => {
            let mesh = TetraMesh::block([10, 3, 10], 2.0 * half)?;
            piece.tetrahedra = mesh.tetrahedra().to_vec();
            let body = SoftBody::new(&mesh).surface_collision(THICKNESS).at(middle);
            piece.objects.push(world.add(body.build()?)?);
        }
        Kind::Cluster => {
            let cluster = Cluster::from_shape(&*SharedShape::cuboid(HALF, LOW, HALF), 2.0 * RADIUS);
            piece.objects.push(world.add(cluster.density(DENSITY).at(middle).build()?)?);
        }
        Kind::Grains => {
            tray(world)?;
            let place = |k: u32| Vec3::new((k % 19) as f32, (k / 361) as f32, (k / 19 % 19) as f32) * 0.0205;
            let corner = Vec3::new(-9.0 * 0.0205, RADIUS, -9.0 * 0.0205);
            let places = (0..4 * 361).map(|k| corner + place(k)).collect();
            let mut grains = Object::new("grains", places, GRAIN);
            grains.collision_layers = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
            piece.objects.push(world.add(grains)?);
        }
        Kind::Liquid => {
            tray(world)?;
            let inner = Vec3::new(HALF, 0.0, HALF);
            piece.objects.push(Fluid::block(-inner, inner + 2.0 * LOW * Vec3::Y).add_to_world(world)?);
            piece.flows = true;
        }
        Kind::Mesh => {
            let shape = SharedShape::cuboid(half.x, half.y, half.z);
            let (points, triangles) = parry3d::shape::Cuboid::new(half).to_trimesh();
            let pose = Pose::from_translation(Vec3::Y * LOW);
            world.add_collider(Collider::new(SharedShape::trimesh(points, triangles)?).at(pose.translation))?;
            piece.solids.push(Solid { body: None, pose, shape });
        }
        _ => {
            let mut piece = Piece::body(world, kind, SCALE, Pose::IDENTITY, Vec3::ZERO)?;
            let mut lowest = f32::MAX;
            for solid in &piece.solids {
                lowest = lowest.min(solid.shape.compute_aabb(&solid.pose).mins.y);
            }
            if let Some(body) = piece.solids.iter().find_map(|solid| solid.body) {
                world.set_body_pose(body, Pose::from_translation(Vec3::NEG_Y * lowest))?;
            }
            piece.stands = true;
            return Ok(piece);
        }
    }
    piece.stands = true;
    Ok(piece)
}

/// Adds the walls of a tray around a block.
fn tray(world: &mut World) -> Result<(), Error> {
    for way in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let across = Vec3::ONE - way.abs();
        let half = across * Vec3::new(HALF + 0.1, 0.2, HALF + 0.1) + way.abs() * 0.05;
        let wall = Collider::new(SharedShape::cuboid(half.x, half.y, half.z));
        world.add_collider(wall.at(way * (HALF + 0.05) + Vec3::Y * half.y))?;
    }
    Ok(())
}
