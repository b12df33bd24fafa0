//! Every bad input is refused with the element at fault.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, HalfSpace};
use xpbd_core::batch::{BatchError, ConstraintBatch, NodeCounts};
use xpbd_core::collide::MeshError;
use xpbd_core::number::NumberError;
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{World, WorldError};
use xpbd_rigid::{Cluster, ClusterBatch, ClusterError};

fn ball() -> Cluster {
    Cluster::from_shape(&Ball::new(0.1), 0.03)
}

fn refused(cluster: Cluster) -> ClusterError {
    cluster.build().unwrap_err()
}

#[test]
fn numbers() {
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let spacing = refused(Cluster::from_shape(&Ball::new(0.1), bad));
        assert!(matches!(spacing, ClusterError::Number(NumberError { what: "spacing", .. })), "{spacing}");
        assert!(matches!(refused(ball().density(bad)), ClusterError::Number(NumberError { what: "density", .. })));
        let overlap = refused(ball().overlapping(bad, 1.0));
        assert!(matches!(overlap, ClusterError::Number(NumberError { what: "spacing of clusters", .. })), "{overlap}");
    }
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(
            refused(ball().compliance(bad)),
            ClusterError::Number(NumberError { what: "compliance", .. })
        ));
        assert!(matches!(
            refused(ball().linear_damping(bad)),
            ClusterError::Number(NumberError { what: "linear damping", .. })
        ));
    }
    assert!(matches!(
        refused(ball().overlapping(0.1, 0.05)),
        ClusterError::Number(NumberError { what: "radius of clusters", .. })
    ));
    assert!(matches!(
        refused(ball().density(1e-45)),
        ClusterError::Number(NumberError { what: "mass of a particle", .. })
    ));
}

#[test]
fn shapes() {
    assert_eq!(refused(Cluster::from_shape(&HalfSpace::new(Vec3::Y), 0.1)), ClusterError::Unbounded);
    assert!(matches!(refused(Cluster::from_shape(&Ball::new(0.0), 0.1)), ClusterError::Volume(_)));
    assert!(matches!(refused(Cluster::from_shape(&Ball::new(100.0), 1e-3)), ClusterError::TooMany { .. }));
    assert!(matches!(refused(Cluster::from_mesh(&[Vec3::ZERO], &[0, 0], 0.1)), ClusterError::IndexCount(2)));
    let open = Cluster::from_mesh(&[Vec3::ZERO, Vec3::X, Vec3::Y], &[0, 1, 2], 0.1);
    assert!(matches!(refused(open), ClusterError::Mesh(MeshError::Open { .. })));
    assert_eq!(refused(Cluster::from_points(&[], 0.1)), ClusterError::Empty { spacing: 0.1 });
    let nowhere = refused(Cluster::from_points(&[Vec3::ZERO, Vec3::NAN], 0.1));
    assert!(matches!(nowhere, ClusterError::Position { point: 1, .. }));
}

#[test]
fn poses_and_pins() {
    let pose = |x: f32, q: Quat| Pose::from_parts(Vec3::X * x, q);
    let refused_number = |cluster| match refused(cluster) {
        ClusterError::Number(error) => error.what,
        error => panic!("{error}"),
    };
    assert_eq!(refused_number(ball().at(pose(f32::NAN, Quat::IDENTITY))), "translation of the pose");
    assert_eq!(
        refused_number(ball().at(pose(0.0, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)))),
        "length of the pose's rotation"
    );
    let count = ball().build().unwrap().positions.len();
    let pin = refused(ball().pin([3, count as u32]));
    assert_eq!(pin, ClusterError::Pin { index: count as u32, particles: count });
    let long = ball().at(pose(0.0, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0))).build().unwrap();
    assert_eq!(long.positions, ball().build().unwrap().positions);
}

const COUNTS: NodeCounts = NodeCounts { particles: 3, bodies: 0 };
const REST: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

#[test]
fn batches() {
    let make = |clusters: &[Vec<u32>]| ClusterBatch::new(&REST, &[1.0; 3], clusters);
    assert!(matches!(make(&[vec![0, 3]]), Err(BatchError::Index { constraint: 0, index: 3, count: 3, .. })));
    assert!(matches!(make(&[vec![0], vec![]]), Err(BatchError::Number { constraint: 1, .. })));
    let twice = make(&[vec![0, 1], vec![1, 2, 1]]).unwrap().validate(COUNTS);
    assert!(matches!(twice, Err(BatchError::Repeated { constraint: 1, index: 1, .. })), "{twice:?}");
    let few = make(&[vec![0, 1], vec![0, 2]]).unwrap().validate(NodeCounts { particles: 2, bodies: 0 });
    assert!(matches!(few, Err(BatchError::Index { constraint: 1, index: 2, count: 2, .. })), "{few:?}");
    assert!(ClusterBatch::new(&REST, &[1.0; 2], &[vec![0]]).is_err());
    assert!(ClusterBatch::new(&REST, &[1.0, 0.0, 1.0], &[vec![0, 1]]).is_err());
    assert!(ClusterBatch::new(&[Vec3::NAN; 3], &[1.0; 3], &[vec![0, 1]]).is_err());
    assert!(make(&[vec![0, 1]]).unwrap().distances(vec![glam::Vec4::ONE]).is_err());
    assert!(make(&[vec![0]]).unwrap().distances(vec![glam::Vec4::NAN]).is_err());
    assert!(make(&[vec![0]]).unwrap().initial_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)).validate(COUNTS).is_err());
    let empty = make(&[]).unwrap();
    assert!(empty.validate(COUNTS).is_ok() && empty.is_empty() && empty.kernel().is_some());
}

#[test]
fn plasticities() {
    let law = Plasticity { yield_strain: 0.1, creep: 1.0, limit: 0.5 };
    let mut world = World::default();
    for bad in [
        Plasticity { yield_strain: -0.1, ..law },
        Plasticity { yield_strain: f32::NAN, ..law },
        Plasticity { creep: f32::INFINITY, ..law },
        Plasticity { limit: 0.0, ..law },
        Plasticity { limit: 1.0, ..law },
        Plasticity { limit: f32::NAN, ..law },
    ] {
        let refused = world.add(ball().plasticity(bad).build().unwrap()).unwrap_err();
        assert!(matches!(refused, WorldError::Batch(BatchError::Number { .. })), "{refused}");
    }
    assert!(world.objects().is_empty());
}

/// What is not finite is contained: the object freezes, and moves on once it is put right.
#[test]
fn a_cluster_that_was_torn_apart_recovers() {
    let (mut world, object) = crate::support::world(crate::support::floating(), ball().build().unwrap());
    for particle in 0..3 {
        world.set_position(object, particle, Vec3::splat(1e30), Vec3::splat(1e30)).unwrap();
    }
    crate::support::run(&mut world, 3);
    let start = ball().build().unwrap().positions;
    for (particle, &x) in start.iter().enumerate() {
        world.set_position(object, particle, x, Vec3::ZERO).unwrap();
    }
    world.unfreeze(object).unwrap();
    crate::support::run(&mut world, 10);
    assert!(!world.is_frozen(object).unwrap());
    for (x, s) in world.positions(object).unwrap().zip(&start) {
        assert!(x.distance(*s) < 1e-5);
    }
}
