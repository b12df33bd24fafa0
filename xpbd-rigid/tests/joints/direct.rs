//! Chains of joints that are solved directly.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_rigid::prelude::*;

use super::support::{FRAME, G};

const LENGTH: f32 = 0.1;

/// A chain of links of 1 kg whose last one has another mass, and the fixed body that it hangs from.
struct Chain {
    world: World,
    bodies: Vec<BodyHandle>,
    masses: Vec<f32>,
}

impl Chain {
    /// Returns a straight chain at an angle \[rad\] from hanging down, at rest.
    fn new(links: usize, weight: f32, angle: f32, substeps: u32, solver: ConstraintSolver) -> Self {
        let gravity = Vec3::NEG_Y * G;
        let settings = Settings { gravity, sleep_speed: 0.0, substeps, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let rotation = Quat::from_rotation_z(angle);
        let mut bodies = vec![world.add_body(Body::fixed(Pose::from_rotation(rotation))).unwrap()];
        let mut masses = vec![0.0];
        for k in 1..=links {
            let mass = if k == links { weight } else { 1.0 };
            let center = rotation * (Vec3::NEG_Y * (LENGTH * (k as f32 - 0.5)));
            let link = Mass::cuboid(mass, Vec3::new(0.01, 0.5 * LENGTH, 0.01));
            let body = Body::dynamic(Pose::from_parts(center, rotation), link);
            bodies.push(world.add_body(body.can_sleep(false)).unwrap());
            masses.push(mass);
        }
        let frame = |y: f32| JointFrame::new(Vec3::Y * y, Vec3::X);
        let joint = |k: usize| {
            let above = frame(if k == 1 { 0.0 } else { -0.5 * LENGTH });
            (BallJoint::between(above, frame(0.5 * LENGTH)).solver(solver), bodies[k - 1], bodies[k])
        };
        BallJoint::add_all(&mut world, (1..=links).map(joint).collect::<Vec<_>>()).unwrap();
        Self { world, bodies, masses }
    }

    /// Returns the largest distance \[m\] of the two ends of a joint.
    fn gap(&self) -> f32 {
        let pose = |k: usize| self.world.body_pose(self.bodies[k]).unwrap();
        let below = |k: usize| Vec3::NEG_Y * if k == 0 { 0.0 } else { 0.5 * LENGTH };
        let gap = |k: usize| {
            pose(k - 1).transform_point(below(k - 1)).distance(pose(k).transform_point(Vec3::Y * (0.5 * LENGTH)))
        };
        (1..self.bodies.len()).map(gap).fold(0.0, f32::max)
    }

    /// Returns kinetic and potential energy \[J\].
    fn energy(&self) -> f64 {
        let of = |k: usize| {
            let body = self.world.body(self.bodies[k]).unwrap();
            let (mass, inertia) = (self.masses[k], body.mass.principal_inertia);
            let spin = body.pose.rotation.inverse() * body.angular_velocity;
            let kinetic = 0.5 * (mass * body.velocity.length_squared() + (spin * spin).dot(inertia));
            f64::from(kinetic) + f64::from(mass * G * body.pose.translation.y)
        };
        (1..self.bodies.len()).map(of).sum()
    }
}

#[test]
fn explore() {
    for weight in [1.0, 1000.0, 100_000.0] {
        for substeps in [1, 2, 4, 20] {
            for angle in [0.0, std::f32::consts::FRAC_PI_2] {
                let mut chain = Chain::new(100, weight, angle, substeps, ConstraintSolver::Direct);
                let (start, mut gap, mut most) = (chain.energy(), 0.0f32, 0.0f32);
                let mut cpu = CpuBackend::new(Threads::Exactly(1));
                let mut seconds = 0.0;
                for _ in 0..600 {
                    let now = std::time::Instant::now();
                    chain.world.step(&mut cpu, FRAME).unwrap();
                    seconds += now.elapsed().as_secs_f64();
                    gap = gap.max(chain.gap());
                    most = most.max((chain.energy() - start) as f32);
                }
                let lowest: f64 = (1..=100).map(|k| -f64::from(chain.masses[k] * G * (k as f32 - 0.5) * LENGTH)).sum();
                println!(
                    "{weight:8} substeps {substeps:3} angle {angle:4.2}: gap {:9.5} mm, kept {:.3}, gained {:.4} of {:.0} J, {:.3} ms/frame",
                    1e3 * gap, (chain.energy() - lowest) / (start - lowest), f64::from(most) / (start-lowest).abs(), start - lowest, seconds / 0.6
                );
            }
        }
    }
}
