//! Ragdolls of capsules whose joints have no limits.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G, Probe};

/// The ends \[m\] and the radius \[m\] of each capsule of a ragdoll that stands upright with its arms out.
const PARTS: [([f32; 3], [f32; 3], f32); 11] = [
    ([0.0, 0.95, 0.0], [0.0, 1.10, 0.0], 0.12),
    ([0.0, 1.20, 0.0], [0.0, 1.40, 0.0], 0.14),
    ([0.0, 1.62, 0.0], [0.0, 1.70, 0.0], 0.11),
    ([0.22, 1.40, 0.0], [0.45, 1.40, 0.0], 0.05),
    ([-0.22, 1.40, 0.0], [-0.45, 1.40, 0.0], 0.05),
    ([0.50, 1.40, 0.0], [0.75, 1.40, 0.0], 0.04),
    ([-0.50, 1.40, 0.0], [-0.75, 1.40, 0.0], 0.04),
    ([0.12, 0.84, 0.0], [0.12, 0.54, 0.0], 0.07),
    ([-0.12, 0.84, 0.0], [-0.12, 0.54, 0.0], 0.07),
    ([0.12, 0.46, 0.0], [0.12, 0.08, 0.0], 0.05),
    ([-0.12, 0.46, 0.0], [-0.12, 0.08, 0.0], 0.05),
];

/// The two parts and the anchor \[m\] of each joint: waist, neck, shoulders, elbows, hips, knees.
const JOINTS: [([usize; 2], [f32; 3]); 10] = [
    ([0, 1], [0.0, 1.15, 0.0]),
    ([1, 2], [0.0, 1.52, 0.0]),
    ([1, 3], [0.18, 1.40, 0.0]),
    ([1, 4], [-0.18, 1.40, 0.0]),
    ([3, 5], [0.475, 1.40, 0.0]),
    ([4, 6], [-0.475, 1.40, 0.0]),
    ([0, 7], [0.12, 0.90, 0.0]),
    ([0, 8], [-0.12, 0.90, 0.0]),
    ([7, 9], [0.12, 0.50, 0.0]),
    ([8, 10], [-0.12, 0.50, 0.0]),
];

/// Height of the middle of a ragdoll that stands on the floor \[m\].
const MIDDLE: f32 = 0.9;

/// A ragdoll without limits.
struct Ragdoll {
    parts: Vec<BodyHandle>,
    joints: Vec<Probe>,
}

impl Ragdoll {
    fn add(world: &mut World, pose: Pose, solver: ConstraintSolver) -> Self {
        let part = |world: &mut World, ([start, end], radius): ([Vec3; 2], f32)| {
            let axis = end - start;
            let shape = SharedShape::capsule_y(0.5 * axis.length(), radius);
            let local = Pose::from_parts(0.5 * (start + end), Quat::from_rotation_arc(Vec3::Y, axis.normalize()));
            let body = Body::dynamic(pose * local, Mass::from_shape(&*shape, 1000.0).unwrap());
            let body = world.add_body(body).unwrap();
            world.add_collider(Collider::new(shape).attached_to(body).friction(Friction::new(0.6))).unwrap();
            body
        };
        let parts = PARTS.map(|(start, end, radius)| part(world, ([start, end].map(Vec3::from_array), radius)));
        let anchors = JOINTS.map(|(_, anchor)| pose * Vec3::from_array(anchor));
        let joint = |([a, b], anchor): ([usize; 2], Vec3)| (BallJoint::new(anchor).solver(solver), parts[a], parts[b]);
        let joints = JOINTS.iter().zip(anchors).map(|(&(bodies, _), anchor)| joint((bodies, anchor)));
        let handles = BallJoint::add_all(world, joints.collect::<Vec<_>>()).unwrap();
        let probe = |(joint, anchor)| Probe::new(world, joint, anchor, Vec3::X, Vec3::Y);
        Self { parts: parts.to_vec(), joints: handles.iter().zip(anchors).map(probe).collect() }
    }

    /// Returns the largest distance \[m\] of the two ends of a joint.
    fn gap(&self, world: &World) -> f64 {
        let gap = |joint: &Probe| {
            let [[x0, ..], [x1, ..]] = joint.ends(world);
            x0.distance(x1)
        };
        self.joints.iter().map(gap).fold(0.0, f64::max)
    }

    /// Returns kinetic and potential energy \[J\].
    fn energy(&self, world: &World) -> f64 {
        let of = |&part: &BodyHandle| {
            let body = world.body(part).unwrap();
            let spin = (body.pose.rotation * body.mass.principal_axes).inverse() * body.angular_velocity;
            let kinetic =
                body.mass.mass * body.velocity.length_squared() + (spin * spin).dot(body.mass.principal_inertia);
            f64::from(0.5 * kinetic + body.mass.mass * G * body.pose.translation.y)
        };
        self.parts.iter().map(of).sum()
    }
}

/// Returns a world in which a ragdoll falls 2 m onto the floor, which is a half-space or a box, from a rotation that is
/// one of a sequence without end.
fn fall(number: u32, solver: ConstraintSolver) -> (World, Ragdoll) {
    let settings = Settings { sleep_speed: 0.0, substeps: 4, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let floor = match number % 2 {
        0 => Collider::new(SharedShape::halfspace(Vec3::Y)),
        _ => Collider::new(SharedShape::cuboid(50.0, 0.5, 50.0)).at(Vec3::NEG_Y * 0.5),
    };
    world.add_collider(floor.friction(Friction::new(0.6))).unwrap();
    let random = |k: u32| ((4 * number + k + 1) as f32 * 0.618_034).fract() * 2.0 - 1.0;
    let rotation = Quat::from_xyzw(random(0), random(1), random(2), random(3)).normalize();
    let middle = Vec3::Y * (2.0 + MIDDLE);
    let pose = Pose::from_parts(middle - rotation * (Vec3::Y * MIDDLE), rotation);
    let ragdoll = Ragdoll::add(&mut world, pose, solver);
    (world, ragdoll)
}

/// Lets ragdolls fall, and requires that no joint gapes farther than `gap` \[m\], that none ever has more energy than at
/// first, and that no frame gives back more than a `part` of that: what a substep takes too much of at an impact, the next
/// ones return.
fn assert_holds_together(solver: ConstraintSolver, gap: f64, part: f64) {
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for number in 0..80 {
        let (mut world, ragdoll) = fall(number, solver);
        let start = ragdoll.energy(&world);
        let mut before = start;
        for frame in 0..90 {
            world.step(&mut cpu, FRAME).unwrap();
            let (found, energy) = (ragdoll.gap(&world), ragdoll.energy(&world));
            assert!(found < gap, "start {number}, frame {frame}: a gap of {found} m");
            assert!(energy < 1.001 * start, "start {number}, frame {frame}: {energy} J of {start} J");
            assert!(energy - before < part * start, "start {number}, frame {frame}: {energy} J after {before} J");
            before = energy;
        }
    }
}

#[test]
fn ragdolls_that_fall_hold_together_under_a_direct_solve() {
    assert_holds_together(ConstraintSolver::Direct, 1e-3, 0.01);
}

#[test]
fn ragdolls_that_fall_hold_together_under_sweeps() {
    assert_holds_together(ConstraintSolver::Sweep, 0.1, 0.1);
}
