//! What the builder hands over.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, Cuboid, SharedShape, TriMesh};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::world::{Object, World};
use xpbd_rigid::{Cluster, ClusterBatch, cluster};

fn batch(object: &Object) -> &ClusterBatch {
    let batch: &dyn std::any::Any = object.batches[0].as_ref();
    batch.downcast_ref().unwrap()
}

#[test]
fn a_box_is_filled_to_its_faces() {
    let object = Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.1, 0.05)), 0.05).density(500.0).build().unwrap();
    assert_eq!(object.positions.len(), 8 * 4 * 2);
    let mass: f32 = object.masses.iter().sum();
    assert!((mass / (500.0 * 0.4 * 0.2 * 0.1) - 1.0).abs() < 1e-5, "{mass}");
    assert!(object.positions[0].distance(Vec3::new(-0.175, -0.075, -0.025)) < 1e-6);
    assert!(object.positions[1].distance(Vec3::new(-0.175, -0.075, 0.025)) < 1e-6);
    let distances = batch(&object).signed_distances();
    for (x, d) in object.rest_positions.iter().zip(distances) {
        let depths = Vec3::new(0.2, 0.1, 0.05) - x.abs();
        assert!((d.w + depths.min_element()).abs() < 1e-6, "{x} {d}");
        // Toward all faces that are nearest.
        let faces = depths.map(|depth| if depth < depths.min_element() + 1e-6 { 1.0 } else { 0.0 });
        assert!(d.truncate().distance((faces * x.signum()).normalize()) < 1e-4, "{x} {d}");
    }
}

#[test]
fn a_mesh_is_filled_like_its_shape() {
    let (positions, triangles) = Cuboid::new(Vec3::splat(0.2)).to_trimesh();
    let mesh = Cluster::from_mesh(&positions, triangles.as_flattened(), 0.04).build().unwrap();
    let shape = Cluster::from_shape(&Cuboid::new(Vec3::splat(0.2)), 0.04).build().unwrap();
    assert_eq!(mesh.positions, shape.positions);
    assert!((mesh.masses[0] / shape.masses[0] - 1.0).abs() < 1e-4);
    for (a, b) in batch(&mesh).signed_distances().iter().zip(batch(&shape).signed_distances()) {
        assert!((a.w - b.w).abs() < 1e-6);
    }
    let two = SharedShape::compound(vec![
        (Pose::translation(-1.0, 0.0, 0.0), SharedShape::ball(0.1)),
        (Pose::translation(1.0, 0.0, 0.0), SharedShape::ball(0.1)),
    ]);
    let both = Cluster::from_shape(&*two, 0.05).build().unwrap();
    assert!(both.positions.iter().all(|x| (x.abs() - Vec3::X).length() < 0.1) && both.positions.len() > 20);
    let open = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(Cluster::from_shape(&open, 0.05).build().is_err());
}

#[test]
fn a_pose_and_a_motion() {
    let pose = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_z(1.0) * Quat::from_rotation_x(0.4));
    let spin = Vec3::new(0.0, 2.0, 1.0);
    let object = Cluster::from_shape(&Ball::new(0.2), 0.05).at(pose).velocity(Vec3::X, spin).build().unwrap();
    for ((x, p), v) in object.positions.iter().zip(&object.rest_positions).zip(&object.velocities) {
        assert!(x.distance(pose.transform_point(*p)) < 1e-6);
        assert!(v.distance(Vec3::X + spin.cross(*x - pose.translation)) < 1e-5);
    }
    let mut world = World::default();
    let object = world.add(object).unwrap();
    let found = cluster::poses(&world, object).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].translation.distance(pose.translation) < 1e-6);
    assert!(found[0].rotation.dot(pose.rotation).abs() > 1.0 - 1e-6);
}

#[test]
fn overlapping_clusters_cover_everything() {
    let object =
        Cluster::from_shape(&Cuboid::new(Vec3::new(0.4, 0.1, 0.1)), 0.05).overlapping(0.15, 0.2).build().unwrap();
    let batch = batch(&object);
    let mut clusters_of = vec![0; object.positions.len()];
    for k in 0..batch.len() {
        for node in batch.nodes(k) {
            let xpbd_core::batch::BatchNode::Particle(node) = node else { panic!() };
            clusters_of[node as usize] += 1;
        }
    }
    assert!(clusters_of.iter().all(|&count| count >= 1));
    assert!(clusters_of.iter().filter(|&&count| count >= 2).count() * 2 > clusters_of.len());
}

/// Whatever the shape: particles are inside, their mass is that of the shape, and where the surface is
/// smooth, the way out leads to it.
#[test]
fn any_solid_shape_is_filled() {
    let points: Vec<_> =
        (0..30).map(|k| Quat::from_rotation_y(k as f32) * Vec3::new(0.2, 0.02 * k as f32, 0.0)).collect();
    let shapes = [
        SharedShape::ball(0.3),
        SharedShape::capsule(Vec3::ZERO, Vec3::X * 0.4, 0.2),
        SharedShape::cylinder(0.3, 0.2),
        SharedShape::cone(0.3, 0.3),
        SharedShape::convex_hull(&points).unwrap(),
    ];
    for shape in &shapes {
        let object = Cluster::from_shape(&**shape, 0.05).density(700.0).build().unwrap();
        let (mass, expected) = (object.masses.iter().sum::<f32>(), shape.mass_properties(700.0).mass());
        assert!((mass / expected - 1.0).abs() < 1e-4, "{:?}", shape.shape_type());
        for (&x, d) in object.rest_positions.iter().zip(batch(&object).signed_distances()) {
            let gradient = d.truncate();
            assert!(shape.contains_local_point(x) && d.w <= 0.0, "{:?} {x} {d}", shape.shape_type());
            assert!(gradient == Vec3::ZERO || (gradient.length() - 1.0).abs() < 1e-5);
            let there = x - gradient * (0.8 * d.w);
            assert!(d.w > -1e-4 || shape.contains_local_point(there), "{:?} {x} {d}", shape.shape_type());
        }
    }
}
