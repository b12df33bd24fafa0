//! Clusters against clusters and grains: the surface of a body is where it ends.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Cuboid, HalfSpace, SharedShape};
use xpbd_core::collide::Collider;
use xpbd_core::world::{Friction, Object, Settings, World};
use xpbd_rigid::{Cluster, ClusterBatch, cluster};

use crate::support::{floating, run};

const HALF: Vec3 = Vec3::new(0.2, 0.15, 0.2);
const SPACING: f32 = 0.05;

fn grainy(settings: Settings) -> World {
    World::new(Settings { particle_radius: 0.5 * SPACING, contact_margin: 0.5 * SPACING, ..settings }).unwrap()
}

/// Returns where two boxes that begin inside each other are after a second: the second from the first, and
/// whether they know their surfaces.
fn driven_apart(shift: Vec3, has_surface: bool) -> Vec3 {
    let boxes = [Vec3::ZERO, shift].map(|at| {
        let shape = Cuboid::new(HALF);
        let mut object = Cluster::from_shape(&shape, SPACING)
            .friction(Friction::new(0.0))
            .at(Pose::from_translation(at))
            .build()
            .unwrap();
        if !has_surface {
            let all = (0..object.rest_positions.len() as u32).collect();
            object.batches = vec![Box::new(ClusterBatch::new(&object.rest_positions, &object.masses, &[all]).unwrap())];
        }
        object
    });
    let mut world = grainy(floating());
    let [below, above] = boxes.map(|object| world.add(object).unwrap());
    run(&mut world, 60);
    let [below, above] = [below, above].map(|object| cluster::poses(&world, object).unwrap()[0]);
    above.translation - below.translation
}

/// Two boxes that are half inside each other come apart through the faces that are; without surfaces
/// their particles lock.
#[test]
fn boxes_that_overlap_come_apart_where_they_overlap_least() {
    for aside in [Vec3::ZERO, Vec3::new(0.025, 0.0, 0.025), Vec3::new(0.06, 0.0, -0.04)] {
        let start = Vec3::Y * HALF.y + aside;
        let apart = driven_apart(start, true);
        assert!(apart.y > 2.0 * HALF.y - 0.1 * SPACING, "{aside} {apart}");
        // Their edges point sideways too.
        assert!((apart - aside).with_y(0.0).length() < 0.45 * apart.y, "{aside} {apart}");
        let locked = driven_apart(start, false);
        assert!(locked.distance(start) < SPACING, "{aside} {locked}");
    }
}

/// A grain inside a box leaves it by the nearest face.
#[test]
fn a_grain_inside_leaves_by_the_nearest_face() {
    for out in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Z] {
        let mut world = grainy(floating());
        let block = Cluster::from_shape(&Cuboid::new(Vec3::splat(0.25)), SPACING).density(1e5).build().unwrap();
        world.add(block).unwrap();
        let start = out * 0.13 + Vec3::new(0.003, 0.004, 0.005);
        let grain = world.add(Object::new("grain", vec![start], 0.01)).unwrap();
        run(&mut world, 60);
        let x = world.position(grain, 0).unwrap();
        assert!(x.dot(out) > 0.25 + 0.4 * SPACING, "{out} {x}");
        let aside = x - out * x.dot(out);
        // The outermost layer is round, and deflects it on the last spacing.
        assert!(aside.length() < 0.3 * x.dot(out), "{out} {x}");
    }
}

/// A box dropped on another comes to rest on it, a spacing between their outermost layers.
#[test]
fn a_box_rests_on_a_box() {
    let mut world = grainy(Settings::default());
    world.add_collider(Collider::new(SharedShape::new(HalfSpace::new(Vec3::Y)))).unwrap();
    let half = Vec3::new(0.2, 0.1, 0.15);
    let objects = [0.1, 0.33].map(|y| {
        let at = Pose::from_parts(Vec3::new(0.2 * (y - 0.1), y, 0.0), Quat::IDENTITY);
        world.add(Cluster::from_shape(&Cuboid::new(half), SPACING).at(at).build().unwrap()).unwrap()
    });
    run(&mut world, 180);
    let [below, above] = objects.map(|object| cluster::poses(&world, object).unwrap()[0]);
    assert!((below.translation.y - 0.1).abs() < 2e-3, "{below:?}");
    // Grains of one lattice may settle between those of the other, a little deeper than one on one.
    let gap = above.translation.y - below.translation.y;
    assert!(gap > 0.2 - 0.35 * SPACING && gap < 0.2 + 2e-3, "{gap}");
    assert!(above.rotation.angle_between(Quat::IDENTITY) < 0.02, "{above:?}");
}
