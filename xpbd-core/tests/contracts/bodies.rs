//! Connectors on bodies: points that follow a pose, and effective masses with rotation.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4, Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::batch::Batch;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::connector::{Connector, Connectors, NodeKind};
use xpbd_core::constraint::layout::ProgramLayout;
use xpbd_core::constraint::update::{UpdateVariant, solve_program};
use xpbd_core::constraint::{Constraint, ConstraintType, Points};
use xpbd_core::program::interpret::evaluate;
use xpbd_core::scalar::Real;
use xpbd_core::world::{Object, Settings, World, WorldError};

use super::support::{Coincide, FRAME, Lcg, cpu, refused, weightless};

/// Twice the distance from x₂ to the middle of x₀ and x₁, less 1 m.
struct Middle;

impl Constraint<3, 1> for Middle {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-middle";

    fn value<S: Real>(x: &Points<S, 3>, []: [S; 0]) -> [S; 1] {
        [((x.now[0] - x.now[2]) + (x.now[1] - x.now[2])).length() - 1.0]
    }
}

/// Cosine between two axes.
struct Axes;

impl Constraint<2, 1> for Axes {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-axes";

    fn value<S: Real>(x: &Points<S, 2>, []: [S; 0]) -> [S; 1] {
        [x.now[0].axis().dot(x.now[1].axis())]
    }
}

/// Two points held together, and two axes within a right angle of each other.
struct Stopped;

impl Constraint<4, 4> for Stopped {
    type Parameters<S: Copy> = [S; 0];

    const NAME: &'static str = "test-stopped";

    fn value<S: Real>(x: &Points<S, 4>, []: [S; 0]) -> [S; 4] {
        let d = x.now[0] - x.now[1];
        [d.x, d.y, d.z, x.now[2].axis().dot(x.now[3].axis())]
    }

    fn admissible<S: Real>([x, y, z, stop]: [S; 4], _: [S; 0], _: S) -> [S; 4] {
        [x, y, z, stop.max(S::zero())]
    }
}

/// A node as numbers; for a particle only position and inverse mass count.
#[derive(Clone, Copy)]
struct Node {
    x: Vec3,
    w: f32,
    turn: Quat,
    inverse_inertia: Vec3,
}

impl Node {
    fn random(random: &mut Lcg) -> Self {
        let turn = Quat::from_xyzw(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.3, 0.7).normalize();
        let inverse_inertia = Vec3::new(random.range(1.0, 3.0), random.range(4.0, 8.0), random.range(0.5, 1.0));
        Self { x: random.vector(1.0), w: random.range(0.3, 2.0), turn, inverse_inertia }
    }

    fn rotation(&self) -> DMat3 {
        DMat3::from_quat(DQuat::from_xyzw(
            self.turn.x.into(),
            self.turn.y.into(),
            self.turn.z.into(),
            self.turn.w.into(),
        ))
    }

    /// I⁻¹ in the world.
    fn inverse_inertia(&self) -> DMat3 {
        self.rotation() * DMat3::from_diagonal(self.inverse_inertia.as_dvec3()) * self.rotation().transpose()
    }

    fn arm(&self, local: Vec3) -> DVec3 {
        self.rotation() * local.as_dvec3()
    }
}

/// Returns what the update program gives for these nodes: multipliers, then moves and turns.
fn update<K, const N: usize, const M: usize>(
    constraint: K,
    points: &[Connector],
    nodes: &[Node],
    locals: &[Vec3],
    (alpha, h): (f32, f32),
) -> Vec<DVec3>
where
    K: Constraint<N, M>,
{
    let kind = ConstraintType::of(constraint).unwrap();
    let connectors = Connectors::new(points).unwrap();
    let layout = ProgramLayout::new(&kind, &connectors);
    let mut gathered = vec![0.0; layout.gathered];
    let mut write = |first: u16, numbers: &[f32]| gathered[first as usize..][..numbers.len()].copy_from_slice(numbers);
    write(layout.origin, &nodes[0].x.to_array());
    for ((inputs, node), kind) in layout.nodes.iter().zip(nodes).zip(connectors.nodes()) {
        let local = (node.x - nodes[0].x).to_array();
        write(inputs.position, &local);
        write(inputs.previous_position, &local);
        write(inputs.inverse_mass, &[node.w]);
        if *kind == NodeKind::Body {
            write(inputs.rotation, &node.turn.to_array());
            write(inputs.previous_rotation, &node.turn.to_array());
            write(inputs.inverse_inertia, &node.inverse_inertia.to_array());
        }
    }
    let mut columns = vec![0.0; layout.columns];
    for (k, local) in locals.iter().enumerate() {
        columns[layout.locals as usize + 3 * k..][..3].copy_from_slice(&local.to_array());
    }
    columns[layout.compliance as usize] = alpha;
    columns[layout.mass_shares as usize..].fill(1.0);
    let program = solve_program(&kind, &connectors, UpdateVariant::default());
    let mut outputs = evaluate(&program, &gathered, &columns, &[h, 1.0 / (h * h)]).split_off(M);
    assert_eq!(outputs.len() % 3, 0);
    outputs.iter_mut().for_each(|x| *x += 0.0);
    outputs.chunks_exact(3).map(|x| DVec3::new(x[0].into(), x[1].into(), x[2].into())).collect()
}

#[track_caller]
fn assert_near(found: &[DVec3], expected: &[DVec3]) {
    assert_eq!(found.len(), expected.len());
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(a.distance(*b) < 2e-5 * (1.0 + b.length()), "output {k}: {a} is not {b}");
    }
}

/// Returns the matrix of a × ·.
fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(a.cross(DVec3::X), a.cross(DVec3::Y), a.cross(DVec3::Z))
}

#[test]
fn a_ball_joint_between_two_bodies() {
    // K = Σ w − [r]× I⁻¹ [r]×,  (K + α̃) Δλ = −C,  Δx = ±w Δλ,  Δθ = ±I⁻¹ (r × Δλ).
    let mut random = Lcg::new(3);
    for _ in 0..50 {
        let nodes = [Node::random(&mut random), Node::random(&mut random)];
        let locals = [random.vector(0.5), random.vector(0.5)];
        let (alpha, h) = (0.002_f32, 0.1_f32);
        let points = [Connector::BodyPoint { node: 0 }, Connector::BodyPoint { node: 1 }];
        let found = update(Coincide, &points, &nodes, &locals, (alpha, h));

        let arms = [nodes[0].arm(locals[0]), nodes[1].arm(locals[1])];
        let mass = |k: usize| {
            let r = cross(arms[k]);
            DMat3::from_diagonal(DVec3::splat(nodes[k].w.into())) - r * nodes[k].inverse_inertia() * r
        };
        let soft = DMat3::from_diagonal(DVec3::splat(f64::from(alpha) / f64::from(h * h)));
        let gap = (nodes[0].x.as_dvec3() + arms[0]) - (nodes[1].x.as_dvec3() + arms[1]);
        let step = (mass(0) + mass(1) + soft).inverse() * -gap;
        let moves = |k: usize, sign: f64| {
            let turn = nodes[k].inverse_inertia() * arms[k].cross(step) * sign;
            [step * f64::from(nodes[k].w) * sign, turn]
        };
        assert_near(&found, &[moves(0, 1.0), moves(1, -1.0)].concat());
    }
}

#[test]
fn two_connectors_of_one_body_are_summed_before_the_effective_mass() {
    // C = |p₀ + p₁ − 2 p₂| − 1 with p₀ and p₁ on one body: ∇ₓC = 2 n, τ = (r₀ + r₁) × n.
    let mut random = Lcg::new(4);
    let mut difference = 0.0_f64;
    for _ in 0..50 {
        let nodes = [Node::random(&mut random), Node::random(&mut random)];
        let locals = [random.vector(0.5), random.vector(0.5)];
        let points =
            [Connector::BodyPoint { node: 0 }, Connector::BodyPoint { node: 0 }, Connector::Particle { node: 1 }];
        let found = update(Middle, &points, &nodes, &locals, (0.0, 0.1));

        let (body, w) = (nodes[0], nodes.map(|node| f64::from(node.w)));
        let (r, s) = (body.arm(locals[0]), body.arm(locals[1]));
        let apart = 2.0 * (body.x - nodes[1].x).as_dvec3() + r + s;
        let n = apart.normalize();
        let torque = r.cross(n) + s.cross(n);
        let angular = |torque: DVec3| torque.dot(body.inverse_inertia() * torque);
        let mass = 4.0 * w[0] + angular(torque) + 4.0 * w[1];
        let separate = 2.0 * w[0] + angular(r.cross(n)) + angular(s.cross(n)) + 4.0 * w[1];
        difference = difference.max((mass / separate - 1.0).abs());
        let step = -(apart.length() - 1.0) / mass;
        let turn = body.inverse_inertia() * torque * step;
        assert_near(&found, &[n * (2.0 * w[0] * step), turn, n * (-2.0 * w[1] * step)]);
    }
    assert!(difference > 0.1, "the samples do not tell the two apart");
}

#[test]
fn axes_turn_bodies_and_do_not_move_them() {
    // C = a·b: τ₀ = a × b, τ₁ = b × a.
    let mut random = Lcg::new(5);
    for _ in 0..50 {
        let nodes = [Node::random(&mut random), Node::random(&mut random)];
        let locals = [random.unit(), random.unit()];
        let points = [Connector::BodyAxis { node: 0 }, Connector::BodyAxis { node: 1 }];
        let found = update(Axes, &points, &nodes, &locals, (0.0, 0.1));
        let (a, b) = (nodes[0].arm(locals[0]), nodes[1].arm(locals[1]));
        let turns = nodes.map(|node| node.inverse_inertia() * a.cross(b));
        let step = -a.dot(b) / (a.cross(b).dot(turns[0]) + a.cross(b).dot(turns[1]));
        assert_near(&found, &[DVec3::ZERO, turns[0] * step, DVec3::ZERO, turns[1] * -step]);
    }
}

/// A row of a block that would pull is left out, whether by itself or only together with the others; the
/// others are then those of the block without it.
#[test]
fn a_bounded_row_of_a_block_pushes_or_is_left_out() {
    let mut random = Lcg::new(6);
    let mut seen = [0; 2];
    for _ in 0..200 {
        let nodes = [Node::random(&mut random), Node::random(&mut random)];
        let locals = [random.vector(0.5), random.vector(0.5), random.unit(), random.unit()];
        let points = [
            Connector::BodyPoint { node: 0 },
            Connector::BodyPoint { node: 1 },
            Connector::BodyAxis { node: 0 },
            Connector::BodyAxis { node: 1 },
        ];
        let found = update(Stopped, &points, &nodes, &locals, (0.0, 0.1));

        let arms = [nodes[0].arm(locals[0]), nodes[1].arm(locals[1])];
        let axes = [nodes[0].arm(locals[2]), nodes[1].arm(locals[3])];
        let gap = (nodes[0].x.as_dvec3() + arms[0]) - (nodes[1].x.as_dvec3() + arms[1]);
        let (signs, swing) = ([1.0, -1.0], axes[0].cross(axes[1]));
        let linear = |k: usize, row: usize| if row < 3 { DVec3::AXES[row] * signs[k] } else { DVec3::ZERO };
        let angular = |k: usize, row: usize| signs[k] * if row < 3 { arms[k].cross(DVec3::AXES[row]) } else { swing };
        let entry = |i: usize, j: usize| -> f64 {
            let of = |k: usize| {
                let turned = nodes[k].inverse_inertia() * angular(k, j);
                f64::from(nodes[k].w) * linear(k, i).dot(linear(k, j)) + angular(k, i).dot(turned)
            };
            of(0) + of(1)
        };
        let column = |j: usize| DVec4::from_array(std::array::from_fn(|i| entry(i, j)));
        let all = DMat4::from_cols(column(0), column(1), column(2), column(3));
        let together = all.inverse() * -gap.extend(axes[0].dot(axes[1]));
        let pushes = together.w > 0.0;
        seen[usize::from(pushes)] += 1;
        let step = if pushes { together } else { (DMat3::from_mat4(all).inverse() * -gap).extend(0.0) };
        let expected: Vec<DVec3> = (0..2)
            .flat_map(|k| {
                let sum = |part: &dyn Fn(usize) -> DVec3| (0..4).map(|row| part(row) * step[row]).sum::<DVec3>();
                let turn = nodes[k].inverse_inertia() * sum(&|row| angular(k, row));
                [sum(&|row| linear(k, row)) * f64::from(nodes[k].w), turn]
            })
            .collect();
        assert_near(&found, &expected);
    }
    assert!(seen.iter().all(|&count| count > 10), "{seen:?}");
}

/// Returns a world whose one particle is held at `local` on a body at the origin.
fn held(local: Vec3) -> (World, xpbd_core::world::ObjectHandle, xpbd_core::world::BodyHandle) {
    let mut world = World::new(Settings { substeps: 10, ..weightless() }).unwrap();
    let object = world.add(Object::new("held", vec![local], 2.0)).unwrap();
    let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
    let connectors = Connectors::new(&[Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }]).unwrap();
    let kind = ConstraintType::of(Coincide).unwrap();
    let batch = Batch::from_parts(kind, connectors, vec![0, 0], vec![local], Vec::new()).unwrap();
    world.add_batch(&[object], &[body], batch).unwrap();
    (world, object, body)
}

/// A soft tie to the centre of a body is solved exactly. Its damping is told from where the substep began.
#[test]
fn a_damped_tie_of_a_body_that_moves_leaves_nothing_to_correct() {
    let mut world = World::new(Settings { substeps: 4, ..weightless() }).unwrap();
    let object = world.add(Object::new("pin", vec![Vec3::ZERO], 1.0).pin([0])).unwrap();
    let body = world.add_body(Body::dynamic(Pose::translation(0.5, 0.0, 0.0), Mass::ball(1.0, 0.1))).unwrap();
    let connectors = Connectors::new(&[Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }]).unwrap();
    let kind = ConstraintType::of(Coincide).unwrap();
    let tie = Batch::from_parts(kind, connectors, vec![0, 0], vec![Vec3::ZERO], Vec::new()).unwrap();
    let tie = world.add_batch(&[object], &[body], tie.compliance(1e-3).damping(2.0)).unwrap();
    let mut cpu = cpu();
    for frame in 0..30 {
        world.step(&mut cpu, FRAME).unwrap();
        let residual = world.residual(tie).unwrap();
        assert!(residual < 1e-6, "frame {frame}: {residual} m");
    }
}

#[test]
fn a_particle_held_by_a_body_follows_it() {
    let local = Vec3::new(0.3, -0.1, 0.2);
    let (mut world, object, body) = held(local);
    let mut cpu = cpu();
    let quarter = Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt());
    let mut pose = Pose::IDENTITY;
    for frame in 0..8 {
        pose = Pose::from_parts(pose.translation + Vec3::new(0.1, 0.02, -0.03), quarter * pose.rotation);
        world.move_body(body, pose).unwrap();
        world.step(&mut cpu, FRAME).unwrap();
        let reached = world.body_pose(body).unwrap();
        assert!(reached.translation.distance(pose.translation) < 1e-5, "frame {frame}");
        let x = world.position(object, 0).unwrap();
        assert!(x.distance(pose.transform_point(local)) < 1e-5, "frame {frame}: {x}");
    }
    // Without a target the body stands still at once, and the particle with it.
    world.step(&mut cpu, FRAME).unwrap();
    assert_eq!(world.body_pose(body).unwrap().translation, pose.translation);
    assert!(world.velocity(object, 0).unwrap().length() < 1e-3);
}

#[test]
fn constraints_go_with_their_body() {
    let (mut world, object, body) = held(Vec3::X);
    let batch = world.batches_of(object)[0];
    world.remove_body(body).unwrap();
    assert!(world.batches_of(object).is_empty());
    assert_eq!(refused(&mut world, |world| world.remove_batch(batch)), WorldError::StaleHandle("batch"));
    world.add_impulse(object, 0, Vec3::X).unwrap();
    world.step(&mut cpu(), FRAME).unwrap();
    // Free again: 1 N s on 2 kg.
    assert!((world.velocity(object, 0).unwrap() - 0.5 * Vec3::X).length() < 1e-6);
}
