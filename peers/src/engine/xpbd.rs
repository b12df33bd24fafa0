//! Scenes in xpbd on the CPU.

use std::error::Error;

use xpbd_core::prelude::{
    Body, BodyHandle, Collider, ConstraintSolver, CpuBackend, Friction, Mass, Settings, Threads, World,
};
use xpbd_rigid::joint::{BallJoint, Joint};

use super::{BodyState, Engine, FRAME};
use crate::scene::{BodyDescription, Scene};

/// The settings of a trial of xpbd.
#[derive(Debug, Clone, Copy)]
pub struct XpbdSettings {
    /// Substeps in a frame.
    pub substeps: u32,
    /// Largest number of threads of the back end.
    pub threads: usize,
    /// The solver of the joints.
    pub solver: ConstraintSolver,
}

/// A world of xpbd with its back end.
pub struct XpbdEngine {
    world: World,
    backend: CpuBackend,
    bodies: Vec<BodyHandle>,
    settings: XpbdSettings,
}

impl XpbdEngine {
    /// Builds a scene.
    ///
    /// # Errors
    /// A setting, body or joint that is not valid.
    pub fn new(scene: &Scene, settings: XpbdSettings) -> Result<Self, Box<dyn Error>> {
        let XpbdSettings { substeps, threads, solver } = settings;
        let mut world = World::new(Settings { substeps, ..Settings::default() })?;
        let add = |body| add_body(&mut world, scene, body);
        let bodies = scene.bodies.iter().map(add).collect::<Result<Vec<_>, _>>()?;
        let joints = scene.joints.iter().map(|joint| {
            let [a, b] = joint.bodies.map(|body| bodies[body]);
            (BallJoint::new(joint.anchor).solver(solver), a, b)
        });
        BallJoint::add_all(&mut world, joints.collect::<Vec<_>>())?;
        Ok(Self { world, backend: CpuBackend::new(Threads::UpTo(threads)), bodies, settings })
    }
}

fn add_body(world: &mut World, scene: &Scene, body: &BodyDescription) -> Result<BodyHandle, Box<dyn Error>> {
    let shape = body.shape.to_parry();
    let description = if body.density > 0.0 {
        Body::dynamic(body.pose, Mass::from_shape(&*shape, body.density)?).can_sleep(scene.can_sleep)
    } else {
        Body::fixed(body.pose)
    };
    let handle = world.add_body(description)?;
    world.add_collider(Collider::new(shape).attached_to(handle).friction(Friction::new(scene.friction)))?;
    Ok(handle)
}

impl Engine for XpbdEngine {
    fn name(&self) -> String {
        let XpbdSettings { substeps, threads, solver } = self.settings;
        let threads = if threads == 1 { "1 thread".to_owned() } else { format!("up to {threads} threads") };
        let swept = if solver == ConstraintSolver::Sweep { ", swept" } else { "" };
        format!("xpbd{swept}, {threads}, {substeps} substeps")
    }

    fn step(&mut self) -> Result<(), Box<dyn Error>> {
        self.world.step(&mut self.backend, FRAME)?;
        Ok(())
    }

    fn bodies(&self) -> Vec<BodyState> {
        let state = |&handle: &BodyHandle| {
            let body = self.world.body(handle).expect("the scene removes no body");
            let asleep = self.world.is_asleep(handle).expect("the scene removes no body");
            BodyState { pose: body.pose, velocity: body.velocity, asleep }
        };
        self.bodies.iter().map(state).collect()
    }
}
