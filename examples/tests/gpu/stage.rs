//! A small world with all kinds of objects, which the tests step.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_cloth::{Bending, Cloth, Rope, Stretch, attach};
use xpbd_core::batch::Batch;
use xpbd_core::bodies::Body;
use xpbd_core::world::{Backend, BodyHandle, Object, ObjectHandle, Settings, World};

use crate::support::Outcome;

/// Length of a frame \[s\].
pub const FRAME: f32 = 1.0 / 60.0;

/// Particles a side of the sheet.
pub const SIDE: u32 = 8;

/// A sheet held by two corners, a rope held by a body, and three masses on a damped spring.
pub struct Stage {
    pub world: World,
    pub sheet: ObjectHandle,
    pub rope: ObjectHandle,
    pub masses: ObjectHandle,
    pub body: BodyHandle,
}

/// Returns the sheet alone.
pub fn sheet(place: Vec3) -> Result<Object, Failed> {
    let cloth =
        Cloth::grid(SIDE, SIDE, 1.0, 1.0).at(place).stretch(Stretch::Edges { stiffness: 1e4 }).linear_damping(0.5);
    Ok(cloth.bending(Bending::Isometric { stiffness: 1e-3 }).pin([0, SIDE - 1]).build()?)
}

impl Stage {
    pub fn new(settings: Settings) -> Result<Self, Failed> {
        let mut world = World::new(settings)?;
        let sheet = world.add(sheet(Vec3::Y)?)?;
        let rope = world.add(Rope::between(Vec3::X * 2.0, Vec3::new(3.0, 0.1, 0.2), 12, 1.2).build()?)?;
        let body = world.add_body(Body::kinematic(Pose::translation(2.0, 0.0, 0.0)))?;
        world.add_batch(&[rope], &[body], attach(&[(0, Vec3::ZERO)])?)?;
        let links = Batch::new(
            Distance,
            &[[0, 1], [1, 2]],
            &[DistanceParameters { rest_length: 0.4 }, DistanceParameters { rest_length: 0.3 }],
        )?
        .compliance(1e-3)
        .damping(5.0);
        let places = vec![Vec3::NEG_X, Vec3::new(-1.2, -0.3, 0.1), Vec3::new(-1.4, -0.5, 0.3)];
        let mut masses = Object::new("masses", places, 0.5).pin([0]).with(links);
        masses.masses[2] = 3.0;
        let masses = world.add(masses)?;
        Ok(Self { world, sheet, rope, masses, body })
    }

    /// Steps some frames and waits for what comes of them.
    pub fn steps(&mut self, backend: &mut impl Backend, frames: u32) -> Outcome {
        for _ in 0..frames {
            self.world.step(backend, FRAME)?;
        }
        Ok(self.world.synchronize()?)
    }
}
