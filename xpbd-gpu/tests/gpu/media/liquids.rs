//! Worlds with fluids that do more than keep their density, over walls that move and among solids.

use glam::Vec3;
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::world::{Object, Settings, World};
use xpbd_fluid::{Fluid, FluidMaterial};

use super::pool::{D, open_basin, settings};

/// Returns two fluids side by side, one of two objects, and another one above, in a basin under a lid that slides, with
/// grains among them some of which hang; one fluid flies by.
fn world(settings: Settings, liquids: [FluidMaterial; 2]) -> Result<World, Failed> {
    let mut world = open_basin(settings, Vec3::ZERO, [8.0, 5.0])?;
    let block = |low: [f32; 3], size: [f32; 3], liquid, velocity| {
        let low = Vec3::from(low) * D;
        Fluid::block(low, low + Vec3::from(size) * D).material(liquid).velocity(velocity)
    };
    let [one, other] = liquids;
    block([0.0, 0.0, 0.0], [4.0, 3.0, 5.0], one, Vec3::X * 0.3).add_to_world(&mut world)?;
    block([4.0, 0.0, 0.0], [4.0, 3.0, 2.0], one, Vec3::new(0.0, 0.2, 0.4)).add_to_world(&mut world)?;
    block([4.0, 0.0, 2.0], [4.0, 3.0, 3.0], other, Vec3::NEG_X * 0.3).add_to_world(&mut world)?;
    block([1.0, 3.2, 1.0], [3.0, 2.0, 3.0], other, Vec3::new(0.5, -0.4, 0.0)).add_to_world(&mut world)?;
    let grains: Vec<Vec3> = (0..10).map(|k| Vec3::new(0.6 + 0.75 * k as f32, 3.1, 4.6) * D).collect();
    world.add(Object::new("grains", grains, 0.2).pin([2, 5]).velocity(Vec3::NEG_Y * 0.5))?;
    let pose = Pose::from_translation(Vec3::new(5.5, 4.6, 1.5) * D);
    let lid = world.add_body(Body::kinematic(pose).velocity(Vec3::new(0.3, -0.4, 0.1)).angular_velocity(Vec3::Y))?;
    world.add_collider(Collider::new(SharedShape::cuboid(1.2 * D, D, D)).attached_to(lid))?;
    Ok(world)
}

fn both(change: impl Fn(FluidMaterial, f32) -> FluidMaterial) -> [FluidMaterial; 2] {
    [change(FluidMaterial::new(1000.0), 1.0), change(FluidMaterial::new(700.0), 0.3)]
}

/// Returns one fluid is viscous, and the other one as much as a step can do.
pub fn viscous() -> Result<World, Failed> {
    world(settings(), [FluidMaterial::new(1000.0).viscosity(2.0), FluidMaterial::new(700.0).viscosity(500.0)])
}

/// Returns where one of the fluids is not.
pub fn half_viscous() -> Result<World, Failed> {
    world(settings(), [FluidMaterial::new(1000.0), FluidMaterial::new(700.0).viscosity(5.0)])
}

pub fn tense() -> Result<World, Failed> {
    world(settings(), both(|liquid, part| liquid.surface_tension(30.0 * part)))
}

/// Forces act in the first iteration alone.
pub fn tense_in_iterations() -> Result<World, Failed> {
    let settings = Settings { iterations: 3, substeps: 3, ..settings() };
    world(settings, [FluidMaterial::new(1000.0).surface_tension(10.0), FluidMaterial::new(700.0)])
}

pub fn adhesive() -> Result<World, Failed> {
    world(settings(), both(|liquid, part| liquid.adhesion(30.0 * part)))
}

pub fn swirling() -> Result<World, Failed> {
    world(settings(), [FluidMaterial::new(1000.0).vorticity(5.0), FluidMaterial::new(700.0)])
}

pub fn everything() -> Result<World, Failed> {
    let liquid = |liquid: FluidMaterial, part| liquid.viscosity(3.0 * part).surface_tension(10.0 * part);
    world(settings(), both(|plain, part| liquid(plain, part).adhesion(15.0 * part).vorticity(3.0 * part)))
}
