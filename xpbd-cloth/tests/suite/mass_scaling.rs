//! Masses of vertices that bear a load.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Cloth, ClothError, Stretch, TearSettings};
use xpbd_core::batch::NodeCounts;
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Friction, ObjectHandle, Settings, UpdateOutcome, World};

use crate::support::{ensure_same_bits, strains};

const FRAME: f32 = 1.0 / 60.0;
/// The strain that is allowed \[1\].
const STRAIN: f32 = 0.02;

fn world(settings: Settings, cloth: &Cloth) -> (World, ObjectHandle) {
    let mut world = World::new(settings).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    let object = world.add(cloth.build().unwrap()).unwrap();
    (world, object)
}

fn steps(world: &mut World, count: usize) {
    let mut backend = CpuBackend::default();
    (0..count).for_each(|_| drop(world.step(&mut backend, FRAME).unwrap()));
}

/// Returns a sheet of a square metre above a ball that it hangs from by friction.
fn over_a_ball(side: u32, scaled: bool) -> (World, ObjectHandle) {
    let edge = 1.0 / (side - 1) as f32;
    let friction = Friction::new(0.5);
    let cloth = Cloth::grid(side, side, 1.0, 1.0).at(Vec3::Y * (0.3 + edge)).friction(friction).linear_damping(0.5);
    let cloth = if scaled { cloth.mass_scaling(STRAIN) } else { cloth };
    let settings = Settings { substeps: 10, particle_radius: 0.5 * edge, ..Settings::default() };
    let (mut world, object) = world(settings, &cloth);
    world.add_collider(Collider::new(SharedShape::ball(0.3)).friction(friction)).unwrap();
    (world, object)
}

/// No tether can help, and the sweep leaves a quarter where the sheet hangs from the ball.
#[test]
fn a_free_sheet_on_a_ball_stretches_no_more_than_is_allowed() {
    let rest = |scaled: bool| {
        let (mut world, object) = over_a_ball(100, scaled);
        steps(&mut world, 400);
        let squares = world.velocities(object).unwrap().map(|v| v.length_squared()).sum::<f32>();
        (strains(&world, object), (squares / 1e4).sqrt())
    };
    let ([p99, largest], speed) = rest(true);
    assert!(p99 < 0.025 && largest < 0.08, "{p99}, {largest}");
    assert!(speed < 0.05, "{speed} m/s");
    let ([plain, _], _) = rest(false);
    assert!(plain > 0.1, "{plain} without scaled masses");
}

/// Returns the force \[N\] with which the edges of a sheet pull its first two particles down.
fn pull(world: &World, object: ObjectHandle) -> f32 {
    let edges = world.batches_of(object).into_iter().find(|&it| world.batch(it).unwrap().name() == "distance").unwrap();
    let ends = |k: usize| {
        let ends = world.batch(edges).unwrap().traced().unwrap().node_indices(k);
        [ends[0].min(ends[1]), ends[0].max(ends[1])].map(|end| end as usize)
    };
    let held = (0..world.batch(edges).unwrap().len()).filter(|&k| ends(k)[0] < 2 && ends(k)[1] >= 2);
    let down = |k: usize| {
        let [pin, other] = ends(k).map(|end| world.position(object, end).unwrap());
        world.row_forces(edges, k).unwrap()[0] * (other - pin).normalize().y
    };
    held.map(down).sum()
}

/// A strip that hangs from its pins without tethers: each edge bears the weight of what is below, as it does without
/// scaled masses.
#[test]
fn a_hanging_strip_keeps_its_length_and_its_weight() {
    let upright = glam::Affine3A::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let strip = Cloth::grid(2, 81, 0.025, 2.0).transform(upright).tethers(false).pin([0, 1]).linear_damping(2.0);
    let hang = |cloth: &Cloth| {
        let (mut world, object) = world(Settings { substeps: 5, ..Settings::default() }, cloth);
        steps(&mut world, 900);
        (world, object)
    };
    let (hanging, object) = hang(&strip.clone().mass_scaling(STRAIN));
    let particles = &hanging.state().particles;
    let weight = 9.81 * particles.mass[2..].iter().sum::<f32>();
    let pull = pull(&hanging, object);
    let strain = strains(&hanging, object)[1];
    assert!((pull / weight - 1.0).abs() < 0.01, "{pull} N of {weight} N");
    assert!(strain < 1.1 * f64::from(STRAIN), "{strain}");
    let (plain, object) = hang(&strip);
    let plain = strains(&plain, object)[1];
    assert!(plain > 10.0 * strain, "{plain} without scaled masses");
    // Between frames every particle has its own mass.
    assert!(particles.anchor.iter().zip(&particles.mass).skip(2).all(|(x, mass)| x.w == 1.0 / mass));
}

/// A quarter of a second after it is let go, a sheet falls as everything does.
#[test]
fn what_no_longer_bears_a_load_falls_freely() {
    let (mut world, object) = over_a_ball(40, true);
    steps(&mut world, 120);
    let ball = world.state().colliders.keys()[0];
    world.remove_collider(ball).unwrap();
    let speed = |world: &World| world.velocities(object).unwrap().map(|v| v.y).sum::<f32>() / 1600.0;
    steps(&mut world, 15);
    let before = speed(&world);
    steps(&mut world, 15);
    // The drag of 0.5 1/s takes its part.
    let fall = -9.81 + 0.5 * -0.5 * (before + speed(&world));
    let found = (speed(&world) - before) / 0.25;
    assert!((found / fall - 1.0).abs() < 0.02, "{found} m/s², {fall} expected");
}

#[test]
fn it_has_the_same_bits_on_any_number_of_threads_and_from_a_snapshot() {
    ensure_same_bits(|| over_a_ball(40, true).0, 40);
}

#[test]
fn the_strain_changes_while_the_world_runs() {
    let cloth = Cloth::grid(8, 8, 1.0, 1.0);
    let (mut world, object) = world(Settings::default(), &cloth.clone().mass_scaling(STRAIN));
    let objects = [STRAIN, 0.1].map(|strain| cloth.clone().mass_scaling(strain).build().unwrap());
    assert_eq!(world.update_object(object, &objects[0], &objects[1]).unwrap(), UpdateOutcome::Updated);
    let scaling = world.batches_of(object)[0];
    assert_eq!(world.batch(scaling).unwrap().inputs(), [0.1]);
    let refused = world.edit_parameters(scaling, |batch| batch.inputs_mut()[0] = -1.0).unwrap_err().to_string();
    assert!(refused.contains("the strain of constraint 0 is -1; it must be finite and positive"), "{refused}");
}

#[test]
fn what_cannot_be_scaled_is_refused() {
    let cloth = || Cloth::grid(8, 8, 1.0, 1.0).mass_scaling(STRAIN);
    let tearing = TearSettings { max_strain: 0.3, max_force: f32::INFINITY, capacity: 10 };
    for cloth in [cloth().stretch(Stretch::Edges { stiffness: 1e3 }), cloth().tearable(tearing)] {
        let refused = cloth.build();
        assert!(matches!(refused, Err(ClothError::Incompatible(why)) if why.contains("mass_scaling")), "{refused:?}");
    }
    for strain in [0.0, -1.0, f32::NAN] {
        let refused = cloth().mass_scaling(strain).build().unwrap_err().to_string();
        assert!(refused.contains("strain of mass scaling"), "{refused}");
    }
}

#[test]
fn saved_factors_that_are_damaged_are_refused() {
    let (mut world, object) = over_a_ball(12, true);
    steps(&mut world, 60);
    let scaling = world.batches_of(object)[0];
    let restore = world.registry_mut().restore_batch("mass-scaling").unwrap();
    let batch = world.batch(scaling).unwrap();
    let bytes = batch.save();
    let whole = restore(&bytes).unwrap();
    assert_eq!((whole.save(), whole.len()), (bytes.clone(), batch.len()));
    assert!(restore(&bytes[..bytes.len() - 4]).is_err() && restore(&[]).is_err());
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x90;
        if let Ok(batch) = restore(&damaged)
            && batch.validate(NodeCounts { particles: 144, bodies: 0 }).is_ok()
        {
            (0..batch.len()).for_each(|k| assert!(batch.nodes(k).len() > 1));
        }
    }
}
