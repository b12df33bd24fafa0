//! Worlds of bodies.

use glam::{Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::world::{BatchHandle, BodyHandle, ObjectHandle, Settings, World};

pub const FRAME: f32 = 1.0 / 60.0;

/// A world, and what is in it.
pub struct Stage {
    pub world: World,
    pub bodies: Vec<BodyHandle>,
    pub objects: Vec<ObjectHandle>,
    pub batches: Vec<BatchHandle>,
    /// Constraints that are in a remainder at the end.
    pub remainder: usize,
}

impl Stage {
    pub fn new(settings: Settings) -> Result<Self, Failed> {
        let world = World::new(settings)?;
        Ok(Self { world, bodies: Vec::new(), objects: Vec::new(), batches: Vec::new(), remainder: 0 })
    }

    pub fn add(&mut self, body: Body) -> Result<BodyHandle, Failed> {
        let handle = self.world.add_body(body)?;
        self.bodies.push(handle);
        Ok(handle)
    }
}

pub fn settings() -> Settings {
    Settings { substeps: 5, ..Settings::default() }
}

/// Returns a box of three different sides.
pub fn brick(mass: f32) -> Mass {
    Mass::cuboid(mass, Vec3::new(0.05, 0.1, 0.2))
}

/// Returns a fixed and a kinematic body, then bodies that fall, spin, tumble, are damped, locked, turned so that
/// zeros have signs, far away, and heavy at another place than where they are described.
pub fn free() -> Result<Stage, Failed> {
    let mut stage = Stage::new(settings())?;
    let pose = |k: f32| Pose::from_parts(Vec3::new(k, 0.1 * k, -k), Quat::from_rotation_x(0.3 * k));
    let eccentric = Mass {
        center_of_mass: Vec3::new(0.1, 0.2, -0.1),
        principal_axes: Quat::from_rotation_z(0.7).normalize(),
        ..brick(2.0)
    };
    let far = Pose::from_parts(Vec3::new(1000.0, -3000.0, 17.0), Quat::from_rotation_y(2.0));
    let half_turn = Pose::from_rotation(Quat::from_xyzw(0.0, -1.0, -0.0, 0.0));
    let top = Mass::new(1.0, Vec3::new(0.02, 0.02, 0.03));
    let bodies = [
        Body::fixed(pose(1.0)),
        Body::kinematic(pose(2.0)),
        Body::dynamic(Pose::IDENTITY, Mass::ball(2.0, 0.1)).velocity(Vec3::new(0.0, 3.0, 1.0)),
        Body::dynamic(pose(3.0), top).angular_velocity(Vec3::new(0.5, 0.0, 4.0)).gravity_scale(0.0),
        Body::dynamic(pose(4.0), brick(1.0)).angular_velocity(Vec3::new(0.02, 6.0, 0.04)),
        Body::dynamic(pose(5.0), brick(1.0)).velocity(Vec3::ONE).angular_velocity(Vec3::ONE).damping(0.5, 1.5),
        Body::dynamic(pose(6.0), brick(1.0))
            .velocity(-Vec3::ONE)
            .angular_velocity(-Vec3::ONE)
            .locked_axes(LockedAxes::PLANAR),
        Body::dynamic(Pose::IDENTITY, brick(1.0)).angular_velocity(-Vec3::ONE).locked_axes(LockedAxes::ROTATION_LOCKED),
        Body::dynamic(half_turn, brick(1.0))
            .angular_velocity(Vec3::new(-1.0, 1.0, -2.0))
            .locked_axes(LockedAxes::ROTATION_LOCKED),
        Body::dynamic(half_turn, brick(1.0)).angular_velocity(-Vec3::Y),
        Body::dynamic(far, brick(3.0)).angular_velocity(Vec3::new(30.0, -20.0, 10.0)).velocity(Vec3::X * 50.0),
        Body::dynamic(pose(7.0), eccentric).angular_velocity(Vec3::new(-3.0, 2.0, 9.0)),
    ];
    bodies.into_iter().try_for_each(|body| stage.add(body).map(drop))?;
    Ok(stage)
}
