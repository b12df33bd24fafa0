//! Checks of shape-matched clusters and of the polar decomposition.

use glam::{Mat3, Quat, Vec3, Vec4};
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_core::world::{Object, ObjectHandle};
use xpbd_rigid::Cluster;
use xpbd_rigid::cluster::polar::{SUFFICIENT_STEPS, rotation};

use super::lab::{Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::{FRAME, SceneError};

pub(super) const ROWS: &[Row] = rows![polar_rotations, polar_singular, rotated_rest, linear_momentum, angular_momentum];

/// Substeps of a frame.
const SUBSTEPS: u32 = 20;

/// Returns a rotation that is uniform over all rotations.
fn turn(random: &mut Random) -> Quat {
    loop {
        let q = random.vector().extend(random.signed());
        if (0.01..=1.0).contains(&q.length_squared()) {
            return Quat::from_vec4(q.normalize());
        }
    }
}

/// Measures the largest angle from the wanted rotation \[rad\] over 1e6 random rotations from one guess (\[Polar16\]).
pub fn polar_rotations(_: &Device) -> Outcome {
    let mut random = Random::new(1);
    let mut worst = 0.0_f64;
    for _ in 0..1_000_000 {
        let wanted = turn(&mut random);
        let found = rotation(Mat3::from_quat(wanted), Quat::IDENTITY, SUFFICIENT_STEPS);
        let [a, b]: [Vec4; 2] = [wanted.into(), found.into()];
        worst = worst.max(2.0 * f64::from((a - b).length().min((a + b).length())));
    }
    Check::at_most("polar decomposition: off in 1e6 rotations [rad]", 2e-6, worst)
}

/// Measures how far tr(Rᵀ A) is below its largest value over rotations, σ₁ + σ₂ ± σ₃ with the sign of the determinant,
/// for inverted matrices and those of rank 2, 1 and 0, from any guess. The result is NaN if R is not a rotation.
pub fn polar_singular(_: &Device) -> Outcome {
    let mut random = Random::new(2);
    let mut worst = 0.0_f64;
    for k in 0..100_000 {
        let [left, right] = [(); 2].map(|()| Mat3::from_quat(turn(&mut random)));
        let (a, b) = (1.5 + 0.5 * random.signed(), 0.5 + 0.3 * random.signed());
        let values = [Vec3::new(a, b, -0.5 * b), Vec3::new(a, b, 0.0), Vec3::new(a, 0.0, 0.0), Vec3::ZERO][k % 4];
        let matrix = left * Mat3::from_diagonal(values) * right.transpose();
        let q = rotation(matrix, turn(&mut random), SUFFICIENT_STEPS);
        let r = Mat3::from_quat(q).as_dmat3();
        let trace: f64 = (0..3).map(|column| r.col(column).dot(matrix.col(column).as_dvec3())).sum();
        let is_rotation = (q.length() - 1.0).abs() < 1e-6;
        let lacks = if is_rotation { (f64::from(values.element_sum()) - trace).abs() } else { f64::INFINITY };
        worst = worst.max(lacks);
    }
    Check::at_most("polar decomposition of singular matrices: lack [1]", 1e-5, worst)
}

/// Returns a world with one object of clusters and no gravity.
fn alone(device: &Device, object: Object) -> Result<(Lab, ObjectHandle), SceneError> {
    let mut lab = Lab::new(device, weightless(SUBSTEPS, 1))?;
    built(xpbd_rigid::register(lab.world.registry_mut()))?;
    let object = lab.world.add(object)?;
    Ok((lab, object))
}

/// Measures the largest motion of a particle in a frame of a rotated rigid and a rotated soft block at rest, relative
/// to their length of 1 m.
pub fn rotated_rest(device: &Device) -> Outcome {
    let mut farthest = 0.0_f32;
    for turn in [Quat::from_xyzw(0.3, -0.5, 0.2, 0.7), Quat::from_xyzw(1.0, 0.0, 0.0, 1.0)] {
        let block = || Cluster::from_shape(&Cuboid::new(Vec3::new(0.5, 0.2, 0.2)), 0.1);
        for block in [block(), block().overlapping(0.2, 0.3).compliance(1e-6)] {
            let object = built(block.at(Pose::from_rotation(turn.normalize())).build())?;
            let start = object.positions.clone();
            let (mut lab, object) = alone(device, object)?;
            lab.step()?;
            let ways = lab.world.positions(object)?.zip(start).map(|(now, start)| now.distance(start));
            farthest = ways.fold(farthest, f32::max);
        }
    }
    Check::at_most("cluster at rest, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}

/// Measures the change of Σ m v per second, relative to Σ m |v|, of a soft body that was deformed, for 10 s.
pub fn linear_momentum(device: &Device) -> Outcome {
    let block = Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.1, 0.1)), 0.05).overlapping(0.1, 0.15);
    let mut object = built(block.compliance(1e-5).build())?;
    let mut random = Random::new(5);
    object.velocities = object.positions.iter().map(|_| random.vector()).collect();
    let momenta = object.masses.iter().zip(&object.velocities).map(|(mass, velocity)| mass * velocity.length());
    let size = f64::from(momenta.sum::<f32>());
    let (mut lab, _) = alone(device, object)?;
    let before = lab.world.momentum().linear;
    lab.steps(600)?;
    let change = (lab.world.momentum().linear - before).length() / size / 10.0;
    Check::at_most("soft body: change of momentum a second [1]", 1e-5, change)
}

/// Measures the deviation of Σ x × m v per second from that of backward Euler, for a rigid block that rotates at 5
/// rad/s about a principal axis, for 10 s.
///
/// A substep turns the block by φₖ. The next prediction is x + (x − x₋), so tan φₖ₊₁ = sin φₖ/(2 − cos φₖ),
/// after tan φ₁ = ω h, and L = I sin φₖ/h.
pub fn angular_momentum(device: &Device) -> Outcome {
    let (frames, spin) = (600, 5.0_f32);
    let block = Cluster::from_shape(&Cuboid::new(Vec3::new(0.2, 0.05, 0.1)), 0.05);
    let (mut lab, _) = alone(device, built(block.velocity(Vec3::ZERO, Vec3::Y * spin).build())?)?;
    let before = lab.world.momentum().angular;
    lab.steps(frames)?;
    let turn = f64::from(spin) * f64::from(FRAME) / f64::from(SUBSTEPS);
    let first = turn / (1.0 + turn * turn).sqrt();
    let next = |sine: f64, _| {
        let along = 2.0 - (1.0 - sine * sine).sqrt();
        sine / (sine * sine + along * along).sqrt()
    };
    let expected = before * ((1..SUBSTEPS * frames).fold(first, next) / turn);
    let change = (lab.world.momentum().angular - expected).length() / before.length() / 10.0;
    Check::at_most("cluster: angular momentum a second from the discrete [1]", 1e-5, change)
}
