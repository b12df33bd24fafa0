//! The gaps of joints, computed from the poses of their bodies alone.

use glam::{DVec3, Vec3};
use xpbd_core::world::{BodyHandle, World, WorldError};

/// Two points of two bodies that a joint or a rope holds together.
pub(super) struct Gap {
    bodies: [BodyHandle; 2],
    /// Points in the frames of the bodies \[m\].
    points: [DVec3; 2],
    /// Largest allowed distance of the points \[m\].
    longest: f64,
}

impl Gap {
    /// Creates the gap of a joint at this point \[m\] of the world, with the bodies as they are now.
    pub(super) fn at(world: &World, bodies: [BodyHandle; 2], point: Vec3) -> Result<Self, WorldError> {
        let on = |body| Ok::<_, WorldError>(world.body_pose(body)?.inverse_transform_point(point));
        Ok(Self::between(bodies, [on(bodies[0])?, on(bodies[1])?], 0.0))
    }

    /// Creates the gap of a rope of this length \[m\] between points \[m\] in the frames of the bodies.
    pub(super) fn between(bodies: [BodyHandle; 2], points: [Vec3; 2], longest: f32) -> Self {
        Self { bodies, points: points.map(|point| point.as_dvec3()), longest: f64::from(longest) }
    }

    /// Returns how much farther apart the points are than they may be \[m\].
    fn error(&self, world: &World) -> Result<f64, WorldError> {
        let place = |side: usize| {
            let pose = world.body_pose(self.bodies[side])?;
            let turn = pose.rotation.as_dquat().normalize();
            Ok::<_, WorldError>(pose.translation.as_dvec3() + turn * self.points[side])
        };
        Ok((place(0)?.distance(place(1)?) - self.longest).max(0.0))
    }
}

/// Returns the largest error of some joints \[m\].
pub(super) fn largest(world: &World, gaps: &[Gap]) -> Result<f64, WorldError> {
    gaps.iter().try_fold(0.0, |largest, gap| Ok(gap.error(world)?.max(largest)))
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use parry3d::math::Pose;
    use xpbd_core::bodies::{Body, Mass};
    use xpbd_core::world::Settings;

    use super::*;

    #[test]
    fn a_gap_is_the_distance_by_which_a_body_was_moved() {
        let mut world = World::new(Settings::default()).expect("the settings are valid");
        let turned = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_xyzw(0.5, 0.5, -0.5, 0.5));
        let mut add = |pose| world.add_body(Body::dynamic(pose, Mass::ball(1.0, 0.1))).expect("a body");
        let bodies = [add(turned), add(Pose::IDENTITY)];
        let joint = Gap::at(&world, bodies, Vec3::new(0.5, 1.0, 0.2)).expect("they exist");
        let rope = Gap::between(bodies, [Vec3::ZERO; 2], 3.5);
        assert!(joint.error(&world).expect("they exist") < 1e-6);
        assert!((rope.error(&world).expect("they exist") - (14.0_f64.sqrt() - 3.5)).abs() < 1e-6);
        world.set_body_pose(bodies[1], Pose::translation(0.0, 0.3, 0.4)).expect("it exists");
        assert!((largest(&world, &[joint]).expect("they exist") - 0.5).abs() < 1e-6);
    }
}
