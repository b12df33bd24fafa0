//! A visual mesh on clusters.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_core::world::{Object, World};
use xpbd_rigid::cluster::ClusterQueryError;
use xpbd_rigid::{Cluster, ClusterSkin};

const HALF: Vec3 = Vec3::new(0.4, 0.1, 0.1);

fn corners() -> Vec<Vec3> {
    (0..8).map(|k| HALF * Vec3::new([-1.0, 1.0][k & 1], [-1.0, 1.0][k >> 1 & 1], [-1.0, 1.0][k >> 2])).collect()
}

#[test]
fn a_skin_moves_rigidly_with_what_moves_rigidly() {
    let pose = Pose::from_parts(Vec3::new(5.0, 1.0, 0.0), Quat::from_rotation_y(0.8));
    for soft in [false, true] {
        let mut cluster = Cluster::from_shape(&Cuboid::new(HALF), 0.05).at(pose);
        if soft {
            cluster = cluster.overlapping(0.15, 0.2);
        }
        let mut world = World::default();
        let object = world.add(cluster.build().unwrap()).unwrap();
        let skin = ClusterSkin::bind(&world, object, &corners()).unwrap();
        for (x, corner) in skin.positions(&world, object).unwrap().iter().zip(corners()) {
            assert!(x.distance(pose.transform_point(corner)) < 2e-6, "{x} {corner}");
        }
        let normals: Vec<_> = corners().iter().map(|x| x.normalize()).collect();
        for (n, normal) in skin.normals(&world, object, &normals).unwrap().iter().zip(&normals) {
            assert!(n.distance(pose.rotation * *normal) < 2e-6);
        }
    }
}

/// Under a bend y = k x² a skin follows the particles to second order in the size of a cluster.
#[test]
fn a_skin_bends_with_its_clusters() {
    let mut object = Cluster::from_shape(&Cuboid::new(HALF), 0.025).overlapping(0.1, 0.15).build().unwrap();
    let bend = |x: Vec3| Vec3::new(x.x, x.y + 0.3 * x.x * x.x, x.z);
    object.positions.iter_mut().for_each(|x| *x = bend(*x));
    let vertices: Vec<_> = (0..21).map(|k| Vec3::new(0.04 * k as f32 - 0.4, 0.1, 0.05)).collect();
    let mut world = World::default();
    let object = world.add(object).unwrap();
    let skin = ClusterSkin::bind(&world, object, &vertices).unwrap();
    for (x, vertex) in skin.positions(&world, object).unwrap().iter().zip(&vertices) {
        assert!(x.distance(bend(*vertex)) < 0.012, "{x} {}", bend(*vertex));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut world = World::default();
    let object = world.add(Cluster::from_shape(&Cuboid::new(HALF), 0.05).build().unwrap()).unwrap();
    let grains = world.add(Object::new("grains", vec![Vec3::ZERO], 1.0)).unwrap();
    let soft = Cluster::from_shape(&Cuboid::new(HALF), 0.05).overlapping(0.2, 0.2).build().unwrap();
    let soft = world.add(soft).unwrap();
    assert_eq!(ClusterSkin::bind(&world, grains, &corners()), Err(ClusterQueryError::NoClusters));
    let nowhere = ClusterSkin::bind(&world, object, &[Vec3::ZERO, Vec3::NAN]);
    assert!(matches!(nowhere, Err(ClusterQueryError::Position { vertex: 1, .. })));
    let skin = ClusterSkin::bind(&world, object, &corners()).unwrap();
    assert!(matches!(skin.positions(&world, soft), Err(ClusterQueryError::Length { what: "clusters", .. })));
    assert!(matches!(
        skin.normals(&world, object, &[]),
        Err(ClusterQueryError::Length { what: "normals", found: 0, .. })
    ));
    world.remove(object).unwrap();
    assert!(matches!(skin.positions(&world, object), Err(ClusterQueryError::World(_))));
}
