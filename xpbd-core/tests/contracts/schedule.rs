//! The plan, its orders, and the Jacobi remainder.

mod chosen_solver;
mod star;

use glam::{Vec3, Vec4Swizzles};
use parry3d::shape::SharedShape;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::collide::Collider;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::layout::ProgramLayout;
use xpbd_core::constraint::update::{UpdateVariant, solve_program};
use xpbd_core::constraint::{Constraint, Points};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::program::interpret::evaluate;
use xpbd_core::scalar::Real;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Object, ObjectHandle, Settings, World};

use super::snapshot::Huddle;
use super::support::{Distance, FRAME, Lcg, bits, chain, cpu, links, step, weightless};

fn scheduled(max_colours: u32, base: Settings) -> Settings {
    Settings { schedule: ScheduleSettings { max_colours, ..ScheduleSettings::default() }, ..base }
}

/// Returns the row of the plan that begins with `name`, as words.
fn row(world: &World, name: &str) -> Vec<String> {
    let table = format!("{}", world.plan());
    let line = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in\n{table}"));
    line.split_whitespace().map(str::to_string).collect()
}

#[test]
fn the_plan_prints_its_passes_and_colours() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add(chain("chain", Vec3::ZERO, 10, 0.1)).unwrap();
    world.add(chain("chain", Vec3::Y, 4, 0.1)).unwrap();
    world.add(Object::new("huddle", vec![Vec3::Z; 3], 1.0).with(Huddle::new(3, 0.1))).unwrap();
    step(&mut world, 1);
    assert_eq!(row(&world, "pass"), ["pass", "constraints", "colours", "largest", "remainder"]);
    // 9 links of one chain and 3 of the other: two colours of 5 + 2 and 4 + 1.
    assert_eq!(row(&world, "test-distance"), ["test-distance", "12", "2", "7", "0"]);
    assert_eq!(row(&world, "batch")[..2], ["batch", "2"]);

    world.set_settings(scheduled(1, Settings::default())).unwrap();
    let report = world.step(&mut cpu(), FRAME).unwrap();
    assert_eq!(row(&world, "test-distance"), ["test-distance", "12", "1", "7", "5"]);
    assert_eq!((report.constraints, report.colours), (12, 2));
}

#[test]
fn pins_set_constraints_free_to_share_a_colour() {
    // A star around a pinned particle has no shared movable node.
    let mut world = World::new(Settings::default()).unwrap();
    let object = world.add(star::star(60, 1.0, 0.0).pin([0])).unwrap();
    step(&mut world, 1);
    assert_eq!(row(&world, "test-distance"), ["test-distance", "60", "1", "60", "0"]);
    world.set_pinned(object, 0, false).unwrap();
    step(&mut world, 1);
    assert_eq!(row(&world, "test-distance"), ["test-distance", "60", "48", "1", "12"]);
}

#[test]
fn jacobi_alone_hangs_a_chain_as_gauss_seidel_does() {
    // Both converge to rest lengths; 60 iterations leave less than the g h² n²/2 = 0.3 mm that one
    // would leave at rest, so both agree with y = −0.05 k to 0.2 mm.
    let hang = |max_colours| {
        let settings = scheduled(max_colours, Settings { iterations: 60, ..Settings::default() });
        let mut world = World::new(settings).unwrap();
        let points: Vec<_> = (0..10).map(|k| Vec3::NEG_Y * (0.05 * k as f32)).collect();
        let edges: Vec<_> = (1..10).map(|k| [k - 1, k]).collect();
        let mut object = Object::new("chain", points.clone(), 1.0).pin([0]).with(links(&points, &edges, 0.0));
        object.linear_damping = 5.0;
        let object = world.add(object).unwrap();
        world.add_impulse(object, 9, Vec3::X * 0.1).unwrap();
        step(&mut world, 600);
        (world.positions(object).unwrap().collect::<Vec<_>>(), world.plan().traced().next().unwrap().colours.len())
    };
    let ((gauss_seidel, two), (jacobi, none)) = (hang(48), hang(0));
    assert_eq!((two, none), (2, 0));
    for k in 0..10 {
        let exact = Vec3::NEG_Y * (0.05 * k as f32);
        assert!(gauss_seidel[k].distance(exact) < 2e-4, "{} is not {exact}", gauss_seidel[k]);
        assert!(jacobi[k].distance(exact) < 2e-4, "{} is not {exact}", jacobi[k]);
    }
}

/// Returns the constraints between random particles, not two of them alike.
fn tangle() -> (Object, Batch) {
    let mut random = Lcg::new(63);
    let points: Vec<_> = (0..40).map(|_| random.vector(1.0)).collect();
    let mut edges = Vec::new();
    for _ in 0..150 {
        let (a, b) = (random.below(40) as u32, random.below(39) as u32);
        edges.push([a, if b == a { 39 } else { b }]);
    }
    edges.retain(|[a, b]| a != b);
    let params: Vec<_> = edges.iter().map(|_| [random.range(0.5, 1.5)]).collect();
    let batch = Batch::new(Distance, &edges, &params).unwrap().compliance(1e-4);
    let mut object = Object::new("tangle", points, 1.0).pin([3, 17]);
    object.masses = (0..40).map(|_| random.range(0.1, 2.0)).collect();
    (object, batch)
}

#[test]
fn sequential_order_gives_the_bits_of_one_by_one() {
    let (object, batch) = tangle();
    let anchor = object.positions.clone();
    let pinned = |k: u32| k == 3 || k == 17;
    let w: Vec<_> = (0..40).map(|k| if pinned(k) { 0.0 } else { 1.0 / object.masses[k as usize] }).collect();
    let schedule = ScheduleSettings { order: ScheduleOrder::Sequential, ..ScheduleSettings::default() };
    let mut world = World::new(Settings { substeps: 1, schedule, ..weightless() }).unwrap();
    let handle = world.add(object.with(batch.clone())).unwrap();
    world.step(&mut cpu(), FRAME).unwrap();

    let layout = ProgramLayout::new(batch.kind(), &Connectors::particles(2));
    let program = solve_program(batch.kind(), batch.connectors(), UpdateVariant::default());
    let mut offset = vec![Vec3::ZERO; 40];
    for k in 0..batch.len() {
        let nodes = [0, 1].map(|slot| batch.node_indices(k)[slot] as usize);
        let mut gathered = vec![0.0; layout.gathered];
        for (inputs, &node) in layout.nodes.iter().zip(&nodes) {
            let now = anchor[node] - anchor[nodes[0]] + offset[node];
            gathered[inputs.position as usize..][..3].copy_from_slice(&now.to_array());
            gathered[inputs.inverse_mass as usize] = w[node];
        }
        let mut columns = vec![1.0; layout.columns];
        columns[layout.parameters as usize] = batch.parameters(k)[0];
        columns[layout.compliance as usize] = 1e-4;
        let out = evaluate(&program, &gathered, &columns, &[FRAME, 1.0 / (FRAME * FRAME)]);
        for (&node, shift) in nodes.iter().zip(out[1..].chunks_exact(3)) {
            if w[node] > 0.0 {
                offset[node] += Vec3::from_slice(shift);
            }
        }
    }
    for k in 0..40 {
        let x = world.packed_positions(handle).unwrap()[k].xyz();
        assert_eq!(x, anchor[k] + offset[k], "particle {k}");
    }
}

#[test]
fn the_order_of_constraints_without_common_nodes_changes_no_bit() {
    let run = |reversed: bool, order: ScheduleOrder| -> (ObjectHandle, World) {
        let mut world = World::new(Settings::default()).unwrap();
        let points: Vec<_> = (0..200).map(|k| Vec3::new((k % 2) as f32, k as f32, 0.0)).collect();
        let mut edges: Vec<_> = (0..100).map(|k| [2 * k, 2 * k + 1]).collect();
        if reversed {
            edges.reverse();
        }
        let schedule = ScheduleSettings { order, ..ScheduleSettings::default() };
        world.set_settings(Settings { schedule, ..Settings::default() }).unwrap();
        let params = vec![[0.8]; 100];
        let batch = Batch::new(Distance, &edges, &params).unwrap();
        let object = world.add(Object::new("pairs", points, 1.0).with(batch)).unwrap();
        step(&mut world, 5);
        (object, world)
    };
    let (object, world) = run(false, ScheduleOrder::Coloured);
    for (reversed, order) in
        [(true, ScheduleOrder::Coloured), (false, ScheduleOrder::Sequential), (true, ScheduleOrder::Sequential)]
    {
        let (other, twin) = run(reversed, order);
        assert!(bits(&world, object) == bits(&twin, other));
    }
}

/// Returns a sheet of 70 by 70 particles, held by a corner, with links along and across its rows.
fn sheet() -> Object {
    const SIDE: u32 = 70;
    let points: Vec<_> =
        (0..SIDE * SIDE).map(|k| Vec3::new((k % SIDE) as f32, 0.0, (k / SIDE) as f32) * 0.05).collect();
    let along = (0..SIDE * SIDE - 1).filter(|k| (k + 1) % SIDE != 0).map(|k| [k, k + 1]);
    let edges: Vec<_> = along.chain((0..SIDE * (SIDE - 1)).map(|k| [k, k + SIDE])).collect();
    Object::new("sheet", points.clone(), 1.0).pin([0]).with(links(&points, &edges, 1e-6))
}

#[test]
fn stages_cover_their_colours_and_any_threads_give_the_same_bits() {
    let mut hashes = Vec::new();
    for threads in [1, 2, 5] {
        let schedule = ScheduleSettings { order: ScheduleOrder::Patched, ..ScheduleSettings::default() };
        let mut world = World::new(Settings { schedule, ..Settings::default() }).unwrap();
        world.add(sheet()).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        (0..5).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        hashes.push(world.state_hash());
        let pass = world.plan().traced().next().unwrap();
        assert_eq!(pass.stages.len(), 2);
        assert!(pass.colours_after_stages().is_empty() && pass.remainder.is_empty());
        for stage in &pass.stages {
            let slots: Vec<_> = stage.slots(0..stage.patches).collect();
            assert_eq!(slots, pass.colours[stage.colours.clone()]);
        }
    }
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:x?}");
}

/// Keeps a particle at a height.
struct Height<const AFTER_CONTACTS: bool>;

impl<const AFTER_CONTACTS: bool> Constraint<1, 1> for Height<AFTER_CONTACTS> {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = if AFTER_CONTACTS { "test-height-after" } else { "test-height-before" };
    const AFTER_CONTACTS: bool = AFTER_CONTACTS;

    fn value<S: Real>(x: &Points<S, 1>, [height]: [S; 1]) -> [S; 1] {
        [x.now[0].world().y - height]
    }
}

/// Both particles are to be below the floor. Contacts take back the one whose constraint comes before them.
#[test]
fn what_is_solved_after_contacts_has_the_last_word() {
    for iterations in [1, 3] {
        let mut world = World::new(Settings { iterations, ..Settings::default() }).unwrap();
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
        let object = Object::new("two", vec![Vec3::Y, Vec3::ONE], 1.0);
        let after = Batch::new(Height::<true>, &[[0]], &[[-0.1]]).unwrap();
        let before = Batch::new(Height::<false>, &[[1]], &[[-0.1]]).unwrap();
        let object = world.add(object.with(after).with(before)).unwrap();
        step(&mut world, 10);
        let heights: Vec<f32> = world.positions(object).unwrap().map(|x| x.y).collect();
        assert_eq!(heights[0], -0.1);
        assert!((heights[1] - world.settings().particle_radius).abs() < 1e-6, "{heights:?}");
        let names: Vec<_> = world.plan().traced().map(|pass| pass.kind.name().to_string()).collect();
        assert_eq!(names, [Height::<false>::NAME, Height::<true>::NAME]);
        assert_eq!(world.plan().before_contacts(), 1);
    }
}
