//! Ropes that are paid out, reeled in and cut.

use glam::Vec3;
use xpbd_cloth::rope::{cut, pieces_of};
use xpbd_cloth::{Rope, Winch, WinchError, attach};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
const LINK: f32 = 0.1;

fn run(world: &mut World, frames: u32, mut before: impl FnMut(&mut World)) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..frames {
        before(world);
        world.step(&mut cpu, FRAME).unwrap();
    }
}

/// Returns the half a metre of rope that hangs from a winch at the origin, with a metre on its drum and a weight at its
/// end.
fn crane() -> (World, ObjectHandle, Winch) {
    let mut world = World::new(Settings { substeps: 40, ..Settings::default() }).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    let rope = Rope::between(Vec3::NEG_Y * 0.5, Vec3::ZERO, 5, 0.5).density(1.0).bending(1e-3).spool(10);
    let rope = world.add(rope.build().unwrap()).unwrap();
    let pose = parry3d::math::Pose::translation(0.0, -0.6, 0.0);
    let body = Body::dynamic(pose, Mass::ball(0.5, 0.1)).damping(1.0, 1.0).can_sleep(false);
    let body = world.add_body(body).unwrap();
    world.add_batch(&[rope], &[body], attach(&[(0, Vec3::Y * 0.1)]).unwrap()).unwrap();
    let winch = Winch::new(&mut world, rope).unwrap();
    (world, rope, winch)
}

/// Returns the distance of the hook from the winch, beyond the length of rope that is out.
fn excess(world: &World, rope: ObjectHandle, winch: &Winch) -> f32 {
    world.position(rope, 0).unwrap().length() - winch.length(world).unwrap()
}

#[test]
fn a_winch_pays_out_and_reels_in() {
    let (mut world, rope, winch) = crane();
    assert_eq!((winch.fairlead(&world).unwrap(), world.active_count(rope).unwrap()), (5, 6));
    let mut worst = 0.0_f32;
    // What starts down at once is in free fall for v²/2g, 2 mm, and then caught.
    for (speed, frames, length) in [(0.2_f32, 300, 1.5), (-0.2, 360, 0.3)] {
        run(&mut world, frames, |world| {
            let paid = winch.pay_out(world, speed * FRAME).unwrap();
            assert!((paid - speed * FRAME).abs() < 1e-6);
            worst = worst.max(excess(world, rope, &winch).abs());
        });
        assert!((winch.length(&world).unwrap() - length).abs() < 1e-4);
        run(&mut world, 60, |_| {});
    }
    assert!(worst < 0.01, "{worst}");
    run(&mut world, 120, |_| {});
    assert!(excess(&world, rope, &winch).abs() < 2e-3);
    assert_eq!(world.active_count(rope).unwrap(), winch.fairlead(&world).unwrap() + 1);
}

#[test]
fn a_rope_has_two_ends() {
    let (mut world, rope, winch) = crane();
    let paid: f32 = (0..80).map(|_| winch.pay_out(&mut world, 0.05).unwrap()).sum();
    assert!((paid - (1.0 + 0.6 * LINK)).abs() < 1e-4, "{paid}");
    assert_eq!(world.active_count(rope).unwrap(), 16);
    let reeled: f32 = (0..80).map(|_| winch.pay_out(&mut world, -0.05).unwrap()).sum();
    assert!((paid + reeled - (0.4 * LINK - 0.5)).abs() < 1e-4, "{reeled}");
    assert_eq!(world.active_count(rope).unwrap(), 2);
    assert!(matches!(winch.pay_out(&mut world, f32::NAN), Err(WinchError::Number(_))));
    world.remove(rope).unwrap();
    assert!(matches!(winch.pay_out(&mut world, 0.1), Err(WinchError::World(_))));
}

#[test]
fn a_snapshot_holds_a_winch() {
    let (mut world, rope, winch) = crane();
    run(&mut world, 20, |world| assert!(winch.pay_out(world, 0.007).unwrap() > 0.0));
    let snapshot = world.snapshot().unwrap();
    let (mut other, _, _) = crane();
    other.restore(&snapshot).unwrap();
    let again = Winch::new(&mut other, rope).unwrap();
    run(&mut world, 40, |world| assert!(winch.pay_out(world, 0.007).unwrap() > 0.0));
    run(&mut other, 40, |world| assert!(again.pay_out(world, 0.007).unwrap() > 0.0));
    assert_eq!((world.state_hash(), &winch), (other.state_hash(), &again));
}

#[test]
fn what_is_no_rope_has_no_winch() {
    let mut world = World::default();
    let tethered = Rope::between(Vec3::ZERO, Vec3::X, 4, 1.0).solver(ConstraintSolver::Sweep).pin_ends();
    let tethered = world.add(tethered.build().unwrap()).unwrap();
    assert_eq!(Winch::new(&mut world, tethered), Err(WinchError::Tethers));
    let cloth = world.add(xpbd_cloth::Cloth::grid(3, 3, 1.0, 1.0).build().unwrap()).unwrap();
    assert_eq!(Winch::new(&mut world, cloth), Err(WinchError::NotARope));
    let uneven = Rope::from_points(&[Vec3::ZERO, Vec3::X, Vec3::X * 1.5, Vec3::X * 2.5]);
    let uneven = world.add(uneven.build().unwrap()).unwrap();
    assert_eq!(Winch::new(&mut world, uneven), Err(WinchError::UnequalLinks { link: 1 }));
}

#[test]
fn a_cut_rope_falls_in_two() {
    let mut world = World::default();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 8, 1.0).bending(1e-3).pin([0]).build().unwrap();
    let rope = world.add(rope).unwrap();
    cut(&mut world, rope, 4).unwrap();
    assert_eq!(pieces_of(&world, rope).unwrap(), [0..5, 5..9]);
    let before = world.momentum();
    run(&mut world, 1, |_| {});
    assert!(world.momentum() != before);
    run(&mut world, 59, |_| {});
    for particle in 5..9 {
        let fallen = -world.position(rope, particle).unwrap().y;
        assert!((fallen - 0.5 * 9.81 * (1.0 + FRAME / 20.0)).abs() < 0.01, "{fallen}");
    }
    assert!(world.position(rope, 4).unwrap().length() < 0.51);
    assert!(cut(&mut world, rope, 8).is_err());
}
