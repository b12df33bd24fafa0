//! The solver that a plan chooses for constraints that leave it to the plan.

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::settings::ConstraintSolver;
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

use crate::support::{FRAME, links};

/// Returns the points of a net \[m\] of cells of 0.1 m, row by row, and its edges.
fn net([columns, rows]: [u32; 2]) -> (Vec<Vec3>, Vec<[u32; 2]>) {
    let place = |k: u32| Vec3::new((k % columns) as f32, 0.0, (k / columns) as f32) * 0.1;
    let across = (0..columns * rows).filter(|k| k % columns + 1 < columns).map(|k| [k, k + 1]);
    let along = (0..columns * (rows - 1)).map(|k| [k, k + columns]);
    ((0..columns * rows).map(place).collect(), across.chain(along).collect())
}

/// Adds a net with this solver, whose first and last particles are pinned.
fn add(world: &mut World, size: [u32; 2], solver: ConstraintSolver) -> ObjectHandle {
    let (points, edges) = net(size);
    let links: Batch = links(&points, &edges, 0.0).solver(solver);
    let object = world.add(Object::new("net", points.clone(), 0.01).with(links)).unwrap();
    world.set_pinned(object, 0, true).unwrap();
    world.set_pinned(object, points.len() - 1, true).unwrap();
    object
}

/// Returns how many constraints are solved directly and how many are swept.
fn counts(world: &mut World) -> [usize; 2] {
    world.step(&mut CpuBackend::new(Threads::Exactly(1)), FRAME).unwrap();
    let (direct, swept): (Vec<_>, Vec<_>) = world.plan().traced().partition(|pass| pass.linearization.is_some());
    [direct, swept].map(|passes| passes.iter().map(|pass| pass.len()).sum())
}

#[test]
fn chains_and_narrow_nets_are_solved_directly_and_wide_nets_and_single_links_are_swept() {
    for (size, expected) in [
        ([1, 40], [39, 0]),
        ([2, 20], [58, 0]),
        ([6, 12], [126, 0]),
        ([12, 12], [0, 264]),
        ([1, 2], [0, 1]),
        ([1, 3], [2, 0]),
    ] {
        let mut world = World::default();
        add(&mut world, size, ConstraintSolver::Automatic);
        assert_eq!(counts(&mut world), expected, "{size:?}");
    }
}

#[test]
fn batches_that_name_their_solver_have_it() {
    let mut world = World::default();
    add(&mut world, [1, 40], ConstraintSolver::Sweep);
    add(&mut world, [12, 12], ConstraintSolver::Direct);
    assert_eq!(counts(&mut world), [264, 39]);
}

/// One batch with a chain and a wide net: its constraints are in two passes, and are edited and asked as in one.
#[test]
fn parts_of_one_batch_are_solved_differently() {
    let (chain, net) = (net([1, 20]), net([12, 12]));
    let mut points = chain.0.clone();
    points.extend(net.0.iter().map(|&point| point + Vec3::X));
    let edges: Vec<[u32; 2]> = chain.1.iter().copied().chain(net.1.iter().map(|edge| edge.map(|k| k + 20))).collect();
    let mut world = World::default();
    let links = links(&points, &edges, 0.0).solver(ConstraintSolver::Automatic);
    let object = world.add(Object::new("both", points.clone(), 0.01).with(links)).unwrap();
    for pin in [0, 20, 31] {
        world.set_pinned(object, pin, true).unwrap();
    }
    assert_eq!(counts(&mut world), [19, 264]);
    let batch = world.batches_of(object)[0];
    let plans = world.plan_generation();
    for constraint in [0, 18, 19, 282] {
        assert!(world.reaction(batch, constraint).unwrap()[0].force.is_finite());
        world.edit_parameters(batch, |parameters| parameters.parameters_mut(constraint)[0] = 0.05).unwrap();
    }
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..300).for_each(|_| _ = world.step(&mut cpu, FRAME).unwrap());
    assert_eq!(world.plan_generation(), plans);
    let length = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|k| world.position(object, k as usize).unwrap());
        a.distance(b)
    };
    assert!((length(edges[0]) - 0.05).abs() < 1e-4 && (length(edges[1]) - 0.1).abs() < 1e-4);
    assert!((length(edges[19]) - 0.05).abs() < 0.02, "{}", length(edges[19]));
}

/// A pin takes a particle out of its chain: what is left falls apart differently.
#[test]
fn a_pin_changes_the_choice() {
    let mut world = World::default();
    let chain = add(&mut world, [1, 5], ConstraintSolver::Automatic);
    assert_eq!(counts(&mut world), [4, 0]);
    world.set_pinned(chain, 2, true).unwrap();
    assert_eq!(counts(&mut world), [4, 0]);
    world.set_pinned(chain, 1, true).unwrap();
    world.set_pinned(chain, 4, false).unwrap();
    world.set_pinned(chain, 3, true).unwrap();
    // Links between pins move nothing, and the last one is alone.
    assert_eq!(counts(&mut world), [0, 4]);
}

#[test]
fn chosen_solvers_give_the_same_bits_for_any_number_of_threads_and_from_a_snapshot() {
    let run = |threads: usize, interrupt: bool| {
        let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
        let handles = [[1, 20], [2, 10], [12, 12], [1, 2], [1, 20], [1, 20]]
            .map(|size| add(&mut world, size, ConstraintSolver::Automatic));
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        for frame in 0..60 {
            if frame == 20 {
                world.set_pinned(handles[1], 19, false).unwrap();
                world.set_pinned(handles[0], 10, true).unwrap();
            }
            world.step(&mut cpu, if frame < 40 { FRAME } else { 0.5 * FRAME }).unwrap();
            if interrupt && frame == 30 {
                let snapshot = world.snapshot().unwrap();
                world.restore(&snapshot).unwrap();
            }
        }
        world.state_hash()
    };
    let expected = run(1, false);
    assert_eq!([run(2, false), run(7, false), run(2, true)], [expected; 3]);
}
