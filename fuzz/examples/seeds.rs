//! Writes inputs to begin with into the folders `corpus/TARGET`: small snapshots of every kind of thing, and small meshes.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{HeightField, SharedShape};
use parry3d::utils::Array2;
use xpbd_cloth::{Cloth, Rod, Rope, SoftBody, TetraMesh};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::World;
use xpbd_fluid::Fluid;
use xpbd_fuzz::{empty_world, payload};
use xpbd_rigid::Cluster;
use xpbd_rigid::joint::{HingeJoint, Joint};

/// Adds things to a world.
type Fill = Box<dyn Fn(&mut World) -> Result<(), Box<dyn Error>>>;

fn main() -> Result<(), Box<dyn Error>> {
    for (name, fill) in things().into_iter().chain(shapes()?) {
        let mut world = empty_world();
        fill(&mut world)?;
        world.step(&mut CpuBackend::default(), 1.0 / 60.0)?;
        write("snapshot", &name, payload(&world.snapshot()?))?;
    }
    let obj = "o a\nv 0 0 0\nv 1 0 0\nvt 0 0\nvn 0 0 1\nv 1 1 0\nv 0 1 0\nf 1/1/1 2/1/1 3/1/1\nf 1 3 -1\n";
    write("obj", "square", obj.as_bytes())?;
    let node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1 # the last\n";
    write("tetgen", "tetrahedron", format!("{node}\0 1 4 0\n1 1 2 3 4\n").as_bytes())?;
    write("gltf", "triangle", &triangle())
}

fn write(target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder)?;
    Ok(fs::write(folder.join(name), bytes)?)
}

/// Returns small things of every kind.
fn things() -> Vec<(String, Fill)> {
    let object = |add: fn(&mut World) -> Result<(), Box<dyn Error>>| Box::new(add) as Fill;
    let things = [
        ("cloth", object(|world| Ok(world.add(Cloth::grid(3, 3, 0.2, 0.2).pin([0]).build()?).map(|_| ())?))),
        ("rope", object(|world| Ok(world.add(Rope::from_points(&[Vec3::ZERO, Vec3::X]).build()?).map(|_| ())?))),
        ("rod", object(|world| Ok(Rod::between(Vec3::ZERO, Vec3::X, 2).add_to(world).map(|_| ())?))),
        (
            "soft",
            object(|world| Ok(world.add(SoftBody::new(&TetraMesh::block([1; 3], Vec3::ONE)?).build()?).map(|_| ())?)),
        ),
        ("liquid", object(|world| Ok(Fluid::block(Vec3::ZERO, Vec3::splat(0.04)).add_to_world(world).map(|_| ())?))),
        (
            "cluster",
            object(|world| {
                let ball = SharedShape::ball(0.05);
                Ok(world.add(Cluster::from_shape(&*ball, 0.04).build()?).map(|_| ())?)
            }),
        ),
        (
            "door",
            object(|world| {
                let door = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::cuboid(1.0, Vec3::ONE)))?;
                Ok(HingeJoint::new(Vec3::X, Vec3::Y).add_to_world(world, door).map(|_| ())?)
            }),
        ),
    ];
    things.map(|(name, fill)| (name.to_string(), fill)).into()
}

/// Returns, for each kind of shape, a body of a ball that lies on it.
fn shapes() -> Result<Vec<(String, Fill)>, Box<dyn Error>> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let hull = SharedShape::convex_hull(&corners).ok_or("the corners have no hull")?;
    let heights = Array2::new(3, 3, vec![0.0, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0]);
    let shapes = [
        ("plane", SharedShape::halfspace(Vec3::Y)),
        ("cuboid", SharedShape::cuboid(0.5, 0.1, 0.5)),
        ("capsule", SharedShape::capsule_x(0.3, 0.1)),
        ("cylinder", SharedShape::cylinder(0.1, 0.3)),
        ("cone", SharedShape::cone(0.1, 0.3)),
        ("round", SharedShape::round_cuboid(0.3, 0.1, 0.3, 0.05)),
        ("hull", hull.clone()),
        ("compound", SharedShape::compound(vec![(Pose::IDENTITY, hull), (Pose::IDENTITY, SharedShape::ball(0.2))])),
        ("mesh", SharedShape::trimesh(corners.to_vec(), faces.to_vec())?),
        ("field", SharedShape::new(HeightField::new(heights, Vec3::new(2.0, 1.0, 2.0)))),
    ];
    let fill = |shape: SharedShape| {
        Box::new(move |world: &mut World| {
            world.add_collider(Collider::new(shape.clone()))?;
            let pose = Pose::from_translation(Vec3::Y * 0.15);
            let body = world.add_body(Body::dynamic(pose, Mass::cuboid(1.0, Vec3::splat(0.1))))?;
            world.add_collider(Collider::new(shape.clone()).attached_to(body)).ok();
            world.add_collider(Collider::new(SharedShape::ball(0.1)).attached_to(body))?;
            Ok(world.add(Cloth::grid(2, 2, 0.2, 0.2).build()?).map(|_| ())?)
        }) as Fill
    };
    Ok(shapes.map(|(name, shape)| (name.to_string(), fill(shape))).into())
}

/// Returns a binary glTF file of one triangle.
fn triangle() -> Vec<u8> {
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut bytes: Vec<u8> = corners.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0_u16, 1, 2, 0].iter().flat_map(|index| index.to_le_bytes()));
    let mut json =
        r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":44}],"bufferViews":[{"buffer":0,"byteLength":36},
{"buffer":0,"byteOffset":36,"byteLength":6}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},
"indices":1}]}],"nodes":[{"mesh":0,"scale":[2,2,2]}],"scenes":[{"nodes":[0]}],"scene":0}"#
            .to_string();
    json.extend(std::iter::repeat_n(' ', (4 - json.len() % 4) % 4));
    let chunk =
        |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32).to_le_bytes(), kind.as_slice(), content].concat();
    let chunks = [chunk(b"JSON", json.as_bytes()), chunk(b"BIN\0", &bytes)].concat();
    [b"glTF".as_slice(), &2_u32.to_le_bytes(), &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}
