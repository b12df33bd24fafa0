//! Chains between two posts, planks that are tied twice, and nets, with the solver that a world chooses and few substeps.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G};

/// Bodies, their masses \[kg\], 0 for those that are fixed, and the ends of their joints.
struct Net {
    world: World,
    bodies: Vec<BodyHandle>,
    masses: Vec<f32>,
    joints: Vec<([usize; 2], [Vec3; 2])>,
}

impl Net {
    fn new(substeps: u32) -> Self {
        let world = World::new(Settings { sleep_speed: 0.0, substeps, ..Settings::default() }).unwrap();
        Self { world, bodies: Vec::new(), masses: Vec::new(), joints: Vec::new() }
    }

    /// Adds a body, fixed if its mass is 0.
    fn body(&mut self, pose: Pose, mass: f32, half: Vec3) {
        let body = if mass > 0.0 { Body::dynamic(pose, Mass::cuboid(mass, half)) } else { Body::fixed(pose) };
        self.bodies.push(self.world.add_body(body).unwrap());
        self.masses.push(mass);
    }

    /// Ties two bodies at a point of each.
    fn tie(&mut self, bodies: [usize; 2], ends: [Vec3; 2]) {
        let [a, b] = ends.map(|end| JointFrame::new(end, Vec3::Y));
        let [first, second] = bodies.map(|body| self.bodies[body]);
        BallJoint::between(a, b).add(&mut self.world, first, second).unwrap();
        self.joints.push((bodies, ends));
    }

    /// Returns the largest distance \[m\] of the two ends of a joint.
    fn gap(&self) -> f32 {
        let end = |body: usize, local: Vec3| self.world.body_pose(self.bodies[body]).unwrap() * local;
        let gap = |(bodies, ends): &([usize; 2], [Vec3; 2])| end(bodies[0], ends[0]).distance(end(bodies[1], ends[1]));
        self.joints.iter().map(gap).fold(0.0, f32::max)
    }

    /// Returns kinetic and potential energy \[J\].
    fn energy(&self) -> f32 {
        let of = |(&body, &mass): (&BodyHandle, &f32)| {
            let body = self.world.body(body).unwrap();
            let spin = body.pose.rotation.inverse() * body.angular_velocity;
            let kinetic =
                0.5 * (mass * body.velocity.length_squared() + (spin * spin).dot(body.mass.principal_inertia));
            kinetic + mass * G * body.pose.translation.y
        };
        self.bodies.iter().zip(&self.masses).filter(|(_, mass)| **mass > 0.0).map(of).sum()
    }

    /// Returns the largest gap \[m\] in 5 s, and the most energy \[J\] that it gains.
    fn run(&mut self) -> [f32; 2] {
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        let (start, mut worst) = (self.energy(), [0.0, f32::NEG_INFINITY]);
        for _ in 0..300 {
            self.world.step(&mut cpu, FRAME).unwrap();
            worst = [worst[0].max(self.gap()), worst[1].max(self.energy() - start)];
        }
        worst
    }
}

/// Returns planks of 4 kg and 0.2 m, one of another mass in their middle, on an arc between two fixed ones that bends
/// by an angle \[rad\] at each end.
fn planks(ties: usize, sag: f32, heavy: f32, substeps: u32) -> Net {
    let (count, half) = (26, Vec3::new(0.1, 0.02, 0.5));
    let mut net = Net::new(substeps);
    let (mut place, mut angle) = (Vec3::ZERO, -sag);
    for k in 0..count {
        let rotation = Quat::from_rotation_z(angle);
        let mass = if k == 0 || k + 1 == count {
            0.0
        } else if k == count / 2 {
            heavy
        } else {
            4.0
        };
        net.body(Pose::from_parts(place + rotation * Vec3::X * half.x, rotation), mass, half);
        place += rotation * Vec3::X * (2.0 * half.x);
        angle += 2.0 * sag / (count - 1) as f32;
    }
    for k in 1..count {
        for tie in 0..ties {
            let side = if ties == 1 { 0.0 } else { tie as f32 - 0.5 };
            net.tie([k - 1, k], [1.0, -1.0].map(|end| Vec3::new(end * half.x, 0.0, side)));
        }
    }
    net
}

/// Energy is gained while the ends part a little, no more than 1 % of what the load has in its lowest place.
#[test]
fn a_bridge_of_planks_holds_any_load_taut_and_slack() {
    for (ties, sag) in [(1, 0.0), (1, 0.05), (1, 0.5), (2, 0.05), (2, 0.5)] {
        for (heavy, substeps) in [(4.0, 2), (4.0, 4), (1e3, 2), (1e3, 4), (1e3, 10)] {
            let [gap, gained] = planks(ties, sag, heavy, substeps).run();
            let scale = G * (heavy + 92.0);
            assert!(
                gap < 2e-4 && gained < 0.01 * scale,
                "{ties} ties, sag {sag}, {heavy} kg, {substeps} substeps: {gap} m, {gained} J"
            );
        }
    }
}

/// A net of 4 × 20 bodies that hangs by one edge, with a weight in the middle of the other.
#[test]
fn a_narrow_net_swings_with_a_weight_without_gaps_and_without_a_gain() {
    for (heavy, substeps) in [(1.0, 2), (1.0, 4), (100.0, 2), (100.0, 4)] {
        let (columns, rows, cell) = (4, 20, 0.1);
        let mut net = Net::new(substeps);
        for k in 0..columns * rows {
            let (column, row) = (k % columns, k / columns);
            let mass = if row == 0 {
                0.0
            } else if k == columns * rows - 2 {
                heavy
            } else {
                1.0
            };
            let pose = Pose::from_translation(Vec3::new(column as f32, 0.0, row as f32) * cell);
            net.body(pose, mass, Vec3::new(0.04, 0.01, 0.04));
        }
        for k in columns..columns * rows {
            let ends = |way: Vec3| [way, -way].map(|way| way * (0.5 * cell));
            net.tie([k - columns, k], ends(Vec3::Z));
            if k % columns > 0 {
                net.tie([k - 1, k], ends(Vec3::X));
            }
        }
        let [gap, gained] = net.run();
        assert!(gap < 1e-4 && gained < 0.1, "{heavy} kg, {substeps} substeps: {gap} m, {gained} J");
    }
}
