//! Cloth that follows a skin or a frame.

use glam::{Quat, Vec3};
use xpbd_cloth::{Bending, Cloth, FrameDamping, ReferenceFrame, SkinnedVertex, Skinning, SkinningError};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{ObjectHandle, Settings, World, WorldError};

const FRAME: f32 = 1.0 / 60.0;
const SIDE: u32 = 6;

fn sheet(world: &mut World) -> ObjectHandle {
    world.add(Cloth::grid(SIDE, SIDE, 0.5, 0.5).bending(Bending::None).build().unwrap()).unwrap()
}

/// Returns a frame in which the skin walks and turns: places and normals after `k` frames.
fn pose(rest: &[Vec3], k: u32) -> (Vec<Vec3>, Vec<Vec3>) {
    let time = k as f32 * FRAME;
    let turn = Quat::from_rotation_y(2.0 * time);
    let places = rest.iter().map(|x| turn * *x + Vec3::new(1.5 * time, 0.3 * time, 0.0)).collect();
    (places, vec![Vec3::Y; rest.len()])
}

#[test]
fn it_stays_within_reach_and_before_the_skin() {
    let mut world = World::new(Settings::default()).unwrap();
    let cloth = sheet(&mut world);
    let rest: Vec<Vec3> = world.positions(cloth).unwrap().collect();
    let vertex =
        |vertex| SkinnedVertex { max_distance: 0.05, backstop: Some([0.01, 20.0]), ..SkinnedVertex::new(vertex) };
    let vertices: Vec<_> = (0..SIDE * SIDE).map(vertex).collect();
    let (places, normals) = pose(&rest, 0);
    let skin = Skinning::new(&mut world, cloth, &vertices, &places, &normals).unwrap();
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    let mut lowest = f32::MAX;
    for k in 1..=90 {
        let (places, normals) = pose(&rest, k);
        skin.set_targets(&mut world, &places, &normals).unwrap();
        world.step(&mut backend, FRAME).unwrap();
        for (x, place) in world.positions(cloth).unwrap().zip(&places) {
            assert!(x.distance(*place) < 0.051, "frame {k}: {x} is far from {place}");
            assert!(x.y - place.y > -0.011, "frame {k}: {x} is behind {place}");
            lowest = lowest.min(x.y - place.y);
        }
    }
    // Gravity presses it against the backstop.
    assert!(lowest < -0.009, "{lowest}");
    skin.remove(&mut world).unwrap();
    assert_eq!(world.objects(), [cloth]);
}

/// m g = k d for each particle by itself.
#[test]
fn a_soft_pin_sags_by_its_weight() {
    let mut world = World::new(Settings::default()).unwrap();
    let object = Cloth::grid(SIDE, SIDE, 0.5, 0.5).bending(Bending::None).linear_damping(8.0).build().unwrap();
    let masses = object.masses.clone();
    let cloth = world.add(object).unwrap();
    let rest: Vec<Vec3> = world.positions(cloth).unwrap().collect();
    let vertices: Vec<_> = (0..SIDE * SIDE)
        .map(|vertex| SkinnedVertex { stiffness: 50.0 * masses[vertex as usize], ..SkinnedVertex::new(vertex) })
        .collect();
    Skinning::new(&mut world, cloth, &vertices, &rest, &vec![Vec3::Y; rest.len()]).unwrap();
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    (0..240).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
    for (x, rest) in world.positions(cloth).unwrap().zip(rest) {
        assert!((rest.y - x.y - 9.81 / 50.0).abs() < 1e-3, "{x}");
    }
}

#[test]
fn skins_that_cannot_be_are_refused() {
    let mut world = World::new(Settings::default()).unwrap();
    let cloth = sheet(&mut world);
    let plain = SkinnedVertex::new(3);
    let (place, up) = ([Vec3::ZERO], [Vec3::Y]);
    for bad in [
        SkinnedVertex { max_distance: -1.0, ..plain },
        SkinnedVertex { stiffness: f32::NAN, ..plain },
        SkinnedVertex { backstop: Some([0.0, 0.0]), ..plain },
        SkinnedVertex { backstop: Some([f32::INFINITY, 1.0]), ..plain },
    ] {
        let refused = Skinning::new(&mut world, cloth, &[bad], &place, &up);
        assert!(matches!(refused, Err(SkinningError::Number { vertex: 3, .. })), "{bad:?}");
    }
    let outside = SkinnedVertex { max_distance: 1.0, ..SkinnedVertex::new(SIDE * SIDE) };
    assert!(matches!(Skinning::new(&mut world, cloth, &[outside], &place, &up), Err(SkinningError::World(_))));
    let lists = Skinning::new(&mut world, cloth, &[plain], &place, &[]);
    assert!(matches!(lists, Err(SkinningError::Length { what: "normals", found: 0, count: 1 })));
    let slanted = Skinning::new(&mut world, cloth, &[plain], &place, &[Vec3::splat(1.0)]);
    assert!(matches!(slanted, Err(SkinningError::Target { number: 0, .. })));
    assert_eq!(world.objects(), [cloth], "nothing is left behind");
    let skin = Skinning::new(&mut world, cloth, &[plain], &place, &up).unwrap();
    assert!(skin.set_targets(&mut world, &[Vec3::NAN], &up).is_err());
    world.remove(cloth).unwrap();
    assert!(skin.set_targets(&mut world, &place, &up).is_ok());
    let missing = world.move_pinned_range(skin.object(), 0, &[Vec3::ZERO; 2]);
    assert!(matches!(missing, Err(WorldError::NoParticle { index: 1, .. })));
}

/// v → V with the rate k: after t the part e^(−kt) of the difference is left, discretely (1 + kh)^(−t/h).
#[test]
fn damping_takes_a_sheet_along_with_its_frame() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, substeps: 10, ..Settings::default() }).unwrap();
    let cloth = sheet(&mut world);
    let damping = FrameDamping::new(&mut world, cloth, 3.0).unwrap();
    let (velocity, spin, centre) = (Vec3::new(2.0, 0.0, 1.0), Vec3::Y * 0.5, Vec3::new(4.0, 0.0, 0.0));
    let frame = ReferenceFrame { centre, velocity, linear_factor: 0.5, ..ReferenceFrame::default() };
    damping.set_frame(&mut world, frame).unwrap();
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    (0..30).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
    let left = (0..300).fold(1.0_f32, |left, _| left / (1.0 + 3.0 * FRAME / 10.0));
    let expected = velocity * 0.5 * (1.0 - left);
    for v in world.velocities(cloth).unwrap() {
        assert!(v.distance(expected) < 2e-4 * expected.length(), "{v} for {expected}");
    }
    // A spin alone, at first a motion in a circle, that drag cannot hold in it: z″ = k (iω z − z′) has the
    // solution z = e^(st) with s² + k s = i k ω, for k = 3 and ω = 0.5 with s = 0.0739 + 0.4766 i.
    damping
        .set_frame(&mut world, ReferenceFrame { centre, angular_velocity: spin, ..ReferenceFrame::default() })
        .unwrap();
    (0..300).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
    let count = (SIDE * SIDE) as f32;
    let arm = world.positions(cloth).unwrap().sum::<Vec3>() / count - centre;
    let speed = world.velocities(cloth).unwrap().sum::<Vec3>() / count;
    let expected = arm * 0.0739 + Vec3::Y.cross(arm) * 0.4766;
    assert!(speed.distance(expected) < 0.02 * expected.length(), "{speed} for {expected} at {arm}");
    assert!(FrameDamping::new(&mut world, cloth, 0.0).is_err());
    assert!(
        damping
            .set_frame(&mut world, ReferenceFrame { angular_velocity: Vec3::NAN, ..ReferenceFrame::default() })
            .is_err()
    );
}
