//! Sheets that come apart.

use glam::Vec3;
use xpbd_cloth::{
    Bending, Blade, Cloth, Stretch, TearError, TearReport, TearSettings, cut, piece_count, sheet_triangles, tear,
};
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::query::{QueryFilter, QueryTarget, Ray, SpatialIndex};
use xpbd_core::world::{ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
const TEARING: TearSettings = TearSettings { max_strain: 0.3, max_force: f32::INFINITY, capacity: 120 };
const COLUMNS: u32 = 13;
const ROWS: u32 = 5;

/// Returns a strip of 1.2 × 0.4 m without weight.
fn strip(change: impl FnOnce(Cloth) -> Cloth) -> (World, ObjectHandle) {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    xpbd_cloth::register(world.registry_mut()).unwrap();
    let cloth = Cloth::grid(COLUMNS, ROWS, 1.2, 0.4).stretch(Stretch::Edges { stiffness: 200.0 }).tearable(TEARING);
    let object = world.add(change(cloth).build().unwrap()).unwrap();
    (world, object)
}

fn is_end(k: u32) -> bool {
    matches!(k % COLUMNS, 0) || k % COLUMNS == COLUMNS - 1
}

/// Draws the ends of a strip apart by 2 m/s for a frame; what tears by then is told.
fn pull(world: &mut World, object: ObjectHandle, cpu: &mut CpuBackend) -> TearReport {
    for k in (0..COLUMNS * ROWS).filter(|&k| is_end(k)) {
        let place = world.position(object, k as usize).unwrap();
        world.move_pinned(object, k as usize, place + Vec3::X * (place.x.signum() * FRAME)).unwrap();
    }
    world.step(cpu, FRAME).unwrap();
    let mass = sum_of_mass(world, object);
    let before = world.momentum();
    let tear = tear(world, object).unwrap();
    let after = world.momentum();
    let flow = mass * 2.0;
    assert!((sum_of_mass(world, object) - mass).abs() <= 1e-6 * mass);
    assert!(after.linear.distance(before.linear) <= 1e-7 * flow);
    assert!(after.angular.distance(before.angular) <= 1e-7 * flow);
    tear
}

fn sum_of_mass(world: &World, object: ObjectHandle) -> f64 {
    let particles = &world.state().particles;
    world.active_particles(object).unwrap().map(|k| f64::from(particles.mass[k as usize])).sum()
}

/// That constraints tie nothing across piece_count, name no absent particle, and each edge of a triangle once.
fn check(world: &World, object: ObjectHandle) {
    let triangles = sheet_triangles(world, object).unwrap();
    let count = world.positions(object).unwrap().len();
    assert!(triangles.as_flattened().iter().all(|&k| world.is_active(object, k as usize).unwrap()));
    let mut edges = std::collections::BTreeSet::new();
    for &[a, b, c] in &triangles {
        edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
    }
    let mut used = vec![false; count];
    triangles.as_flattened().iter().for_each(|&k| used[k as usize] = true);
    assert_eq!(used.iter().filter(|&&used| used).count(), world.active_count(object).unwrap());
    for handle in world.batches_of(object) {
        let batch = world.batch(handle).unwrap().traced().unwrap();
        let whole = (0..batch.len()).filter(|&k| !batch.is_broken(k)).map(|k| batch.node_indices(k));
        if batch.name() == "distance" {
            let mut springs: Vec<_> = whole.map(|n| [n[0].min(n[1]), n[0].max(n[1])]).collect();
            springs.sort_unstable();
            assert!(springs.iter().eq(edges.iter()), "every edge has one spring");
        } else {
            for nodes in whole {
                assert!(edges.contains(&[nodes[0].min(nodes[1]), nodes[0].max(nodes[1])]), "{}", batch.name());
            }
        }
    }
}

#[test]
fn a_strip_that_is_drawn_apart_tears_in_two() {
    for bending in [Bending::Isometric { stiffness: 1e-5 }, Bending::Dihedral { stiffness: 1e-5 }, Bending::None] {
        let (mut world, object) = strip(|cloth| cloth.bending(bending).pin_where(|k, _| is_end(k)));
        let mut cpu = CpuBackend::default();
        let torn: usize = (0..60).map(|_| pull(&mut world, object, &mut cpu).split_vertices.len()).sum();
        check(&world, object);
        assert!(torn >= ROWS as usize, "{torn} vertices");
        assert!(piece_count(&world, object).unwrap() >= 2, "{torn} vertices");
        assert_eq!(sheet_triangles(&world, object).unwrap().len(), 2 * (COLUMNS as usize - 1) * (ROWS as usize - 1));
    }
}

#[test]
fn a_membrane_tears_and_so_does_an_edge_by_its_force() {
    let membrane = Stretch::Strain { youngs_modulus: 2e5, poisson_ratio: 0.3 };
    let (mut world, object) = strip(|cloth| cloth.stretch(membrane).pin_where(|k, _| is_end(k)));
    let mut cpu = CpuBackend::default();
    (0..60).for_each(|_| drop(pull(&mut world, object, &mut cpu)));
    assert!(piece_count(&world, object).unwrap() >= 2);
    // An edge of 0.1 m and 200 N/m is stretched to 1.25 of its length by 5 N.
    let by_force = TearSettings { max_strain: f32::INFINITY, max_force: 5.0, ..TEARING };
    let (mut world, object) = strip(|cloth| cloth.tearable(by_force).pin_where(|k, _| is_end(k)));
    let first = (0..60).find(|_| !pull(&mut world, object, &mut cpu).split_vertices.is_empty());
    // Both ends move by 1/60 m a frame: a quarter of 1.2 m, spread evenly, after 9 frames.
    assert!(first.is_some_and(|frame| (2..=12).contains(&frame)), "{first:?}");
    let (mut world, object) = strip(|cloth| {
        cloth.tearable(TearSettings { max_strain: f32::INFINITY, ..by_force }).stretch(Stretch::default()).pin([0])
    });
    assert_eq!(pull_free(&mut world, object), TearReport::default());
}

fn pull_free(world: &mut World, object: ObjectHandle) -> TearReport {
    world.step(&mut CpuBackend::default(), FRAME).unwrap();
    tear(world, object).unwrap()
}

#[test]
fn a_tear_has_the_same_bits_on_any_number_of_threads_and_from_a_snapshot() {
    let end = |threads: usize, saved_at: Option<usize>| {
        let (mut world, object) = strip(|cloth| cloth.pin_where(|k, _| is_end(k)));
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        let mut torn = Vec::new();
        for frame in 0..40 {
            if saved_at == Some(frame) {
                assert!(!torn.is_empty(), "nothing has torn by then");
                let saved = world.snapshot().unwrap();
                world = World::default();
                xpbd_cloth::register(world.registry_mut()).unwrap();
                world.restore(&saved).unwrap();
            }
            torn.extend(pull(&mut world, object, &mut cpu).split_vertices);
        }
        (world.state_hash(), torn, sheet_triangles(&world, object).unwrap())
    };
    let plain = end(1, None);
    assert!(plain == end(3, None));
    assert!(plain == end(2, Some(20)));
}

/// Returns a blade across a strip, `long` times its width.
fn across(long: f32) -> Blade {
    Blade { corner: Vec3::new(0.03, -1.0, -0.25), edge: Vec3::Y * 2.0, path: Vec3::Z * (0.5 * long) }
}

#[test]
fn a_blade_cuts_as_far_as_it_goes() {
    let (mut world, object) = strip(|cloth| cloth);
    for k in 0..COLUMNS * ROWS {
        world.add_impulse(object, k as usize, Vec3::new(0.001 * k as f32, 0.02, -0.01)).unwrap();
    }
    let before = (sum_of_mass(&world, object), world.momentum());
    let half = cut(&mut world, object, &across(0.5)).unwrap();
    check(&world, object);
    assert!(half.split_vertices.len() >= 2 && half.missing_particles == 0, "{half:?}");
    assert_eq!(piece_count(&world, object).unwrap(), 1);
    assert!(cut(&mut world, object, &across(0.5)).unwrap().split_vertices.is_empty(), "it is cut already");
    cut(&mut world, object, &across(1.0)).unwrap();
    check(&world, object);
    assert_eq!(piece_count(&world, object).unwrap(), 2);
    let after = (sum_of_mass(&world, object), world.momentum());
    assert!((after.0 - before.0).abs() <= 1e-6 * before.0);
    assert!(after.1.linear.distance(before.1.linear) <= 1e-6 * before.1.linear.length());
    assert!(after.1.angular.distance(before.1.angular) <= 1e-6 * before.1.linear.length());
    // The piece_count go their ways: one is thrown, the other stays.
    let mut cpu = CpuBackend::default();
    (0..30).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    check(&world, object);
}

#[test]
fn rays_find_the_triangles_of_a_sheet_and_pass_through_a_cut() {
    let (mut world, object) = strip(|cloth| cloth);
    let mut index = SpatialIndex::default();
    let mut cast = |world: &World, x: f32| {
        let hit =
            index.update(world).cast_ray(&Ray::new(Vec3::new(x, 1.0, 0.02), Vec3::NEG_Y, 2.0), &QueryFilter::default());
        hit.map(|hit| hit.target)
    };
    let is_whole = |target| matches!(target, Some(QueryTarget::Triangle { object: of, .. }) if of == object);
    assert!((-11..12).all(|k| is_whole(cast(&world, 0.05 * k as f32))));
    cut(&mut world, object, &across(1.0)).unwrap();
    let right = right_piece(&world, object);
    let duplicates = (0..right.len()).filter(|&k| right[k]).collect::<Vec<_>>();
    for k in duplicates {
        let place = world.position(object, k).unwrap();
        world.set_position(object, k, place + Vec3::X * 0.5, Vec3::ZERO).unwrap();
    }
    assert!(is_whole(cast(&world, -0.2)) && is_whole(cast(&world, 0.8)));
    assert_eq!((cast(&world, 0.3), cast(&world, 0.4)), (None, None));
    let Some(QueryTarget::Triangle { triangle, particles, .. }) = cast(&world, 0.8) else { panic!("it is there") };
    assert_eq!(particles, sheet_triangles(&world, object).unwrap()[triangle as usize]);
    assert!(particles.iter().all(|&k| right[k as usize]));
}

/// One half of a cut sheet is folded over and pressed on the other.
#[test]
fn pieces_collide() {
    let fine = TearSettings { capacity: 60, ..TEARING };
    let cloth = Cloth::grid(COLUMNS, ROWS, 1.2, 0.4).tearable(fine).self_collision(true);
    let settings = Settings { gravity: Vec3::ZERO, particle_radius: 0.03, contact_margin: 0.03, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let object = world.add(cloth.build().unwrap()).unwrap();
    cut(&mut world, object, &across(1.0)).unwrap();
    let right: Vec<u32> = world.active_particles(object).unwrap().collect();
    // The right half turned over onto the left one, 0.2 m above it, on its way down.
    let root = right_piece(&world, object);
    for k in right {
        let place = world.position(object, k as usize).unwrap();
        if root[k as usize] {
            let over = Vec3::new(0.05 - place.x, 0.2, place.z);
            world.set_position(object, k as usize, over, Vec3::NEG_Y).unwrap();
        }
    }
    let mut cpu = CpuBackend::default();
    (0..20).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let mean = |of: bool| {
        let ks: Vec<_> = world.active_particles(object).unwrap().filter(|&k| root[k as usize] == of).collect();
        ks.iter().map(|&k| world.position(object, k as usize).unwrap().y).sum::<f32>() / ks.len() as f32
    };
    // Without contact the right one would be 0.13 m below the plane, and the left one in it.
    assert!(mean(true) > mean(false) + 0.02, "{} on {}", mean(true), mean(false));
    assert!(mean(false) < -0.02, "{}", mean(false));
}

/// Returns which particles are of the piece that reaches farthest along x.
fn right_piece(world: &World, object: ObjectHandle) -> Vec<bool> {
    let triangles = sheet_triangles(world, object).unwrap();
    let mut marks = vec![false; world.positions(object).unwrap().len()];
    marks[COLUMNS as usize - 1] = true;
    for _ in 0..triangles.len() {
        for triangle in &triangles {
            if triangle.iter().any(|&k| marks[k as usize]) {
                triangle.iter().for_each(|&k| marks[k as usize] = true);
            }
        }
    }
    marks
}

#[test]
fn a_sheet_without_particles_to_spare_stops_tearing() {
    let (mut world, object) =
        strip(|cloth| cloth.tearable(TearSettings { capacity: 3, ..TEARING }).pin_where(|k, _| is_end(k)));
    let mut cpu = CpuBackend::default();
    let mut sums = TearReport::default();
    for _ in 0..50 {
        let tear = pull(&mut world, object, &mut cpu);
        sums.split_vertices.extend(tear.split_vertices);
        sums.missing_particles += tear.missing_particles;
    }
    assert_eq!(sums.split_vertices.len(), 3);
    assert!(sums.missing_particles > 0);
    check(&world, object);
    assert_eq!(cut(&mut world, object, &across(1.0)).unwrap().split_vertices, []);
}

#[test]
fn what_cannot_tear_is_refused() {
    for bad in [0.0, -1.0, f32::NAN] {
        for tearing in [TearSettings { max_strain: bad, ..TEARING }, TearSettings { max_force: bad, ..TEARING }] {
            assert!(Cloth::grid(3, 3, 1.0, 1.0).tearable(tearing).build().is_err());
        }
    }
    let across_edges = Bending::Distance { stiffness: 1.0 };
    assert!(Cloth::grid(3, 3, 1.0, 1.0).tearable(TEARING).bending(across_edges).build().is_err());
    let (mut world, object) = strip(|cloth| cloth);
    let plain = world.add(Cloth::grid(3, 3, 1.0, 1.0).name("plain").build().unwrap()).unwrap();
    assert_eq!(tear(&mut world, plain), Err(TearError::NotTearable("plain".into())));
    let blades = [
        Blade { path: Vec3::Y, ..across(1.0) },
        Blade { edge: Vec3::ZERO, ..across(1.0) },
        Blade { corner: Vec3::splat(f32::NAN), ..across(1.0) },
        Blade { path: Vec3::splat(f32::INFINITY), ..across(1.0) },
    ];
    for blade in blades {
        let before = world.state_hash();
        assert!(matches!(cut(&mut world, object, &blade), Err(TearError::Blade { .. })), "{blade:?}");
        assert_eq!(world.state_hash(), before);
    }
    world.remove(object).unwrap();
    assert!(matches!(tear(&mut world, object), Err(TearError::World(_))));
    assert!(sheet_triangles(&world, object).is_err() && piece_count(&world, object).is_err());
}
