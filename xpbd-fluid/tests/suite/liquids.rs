//! Numbers of liquids: what is refused, saved, and derived.

use glam::Vec3;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Settings, World};
use xpbd_fluid::{Fluid, FluidError, FluidMaterial};

#[test]
fn bad_numbers_are_named() {
    for (liquid, name) in [
        (FluidMaterial::new(-1.0), "the density"),
        (FluidMaterial::new(f32::NAN), "the density"),
        (FluidMaterial::WATER.viscosity(-1e-3), "the viscosity"),
        (FluidMaterial::WATER.viscosity(f32::INFINITY), "the viscosity"),
        (FluidMaterial::WATER.surface_tension(f32::NAN), "the surface tension"),
        (FluidMaterial::WATER.adhesion(-0.1), "the adhesion"),
        (FluidMaterial::WATER.vorticity(f32::NAN), "the vorticity confinement"),
        (FluidMaterial::WATER.linear_damping(-1.0), "the linear damping"),
        (FluidMaterial::WATER.ambient_density(f32::NAN), "the density of the surroundings"),
        (FluidMaterial::new(1e-30).ambient_density(1e30), "the density"),
    ] {
        match liquid.check() {
            Err(FluidError::Number { what, .. }) => assert_eq!(what, name),
            other => panic!("{liquid:?}: {other:?}"),
        }
        let mut world = World::new(Settings::default()).expect("valid");
        assert!(Fluid::particles(vec![Vec3::ZERO]).material(liquid).add_to_world(&mut world).is_err());
        assert!(world.objects().is_empty());
    }
}

#[test]
fn those_of_nature_are_good() {
    for liquid in [
        FluidMaterial::WATER,
        FluidMaterial::OIL,
        FluidMaterial::HONEY,
        FluidMaterial::MERCURY,
        FluidMaterial::SMOKE,
        FluidMaterial::default(),
    ] {
        assert_eq!(liquid.check(), Ok(()));
    }
    assert_eq!(FluidMaterial::WATER.gravity_scale(), 1.0);
    assert!((FluidMaterial::SMOKE.gravity_scale() + 1.0).abs() < 1e-6);
}

/// Smoke rises as fast as its buoyancy and drag let it: v = g (ρₐ − ρ)/ρ / c.
#[test]
fn smoke_rises() {
    let smoke = FluidMaterial::SMOKE.vorticity(0.0).viscosity(0.0);
    let mut world = World::new(Settings { particle_radius: 0.02, ..Settings::default() }).expect("valid");
    let puff = Fluid::particles(vec![Vec3::ZERO]).material(smoke).add_to_world(&mut world).expect("valid");
    for _ in 0..120 {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    let speed = world.velocity(puff, 0).expect("it exists").y;
    assert!((speed / (9.81 / smoke.linear_damping) - 1.0).abs() < 1e-3, "{speed}");
}

#[test]
fn a_snapshot_holds_all_numbers() {
    let mut world = World::new(Settings { particle_radius: 0.02, ..Settings::default() }).expect("valid");
    xpbd_fluid::register(world.registry_mut()).expect("known");
    Fluid::block(Vec3::ZERO, Vec3::splat(0.16))
        .material(FluidMaterial::OIL.vorticity(1.0))
        .add_to_world(&mut world)
        .expect("valid");
    let snapshot = world.snapshot().expect("it can be saved");
    let mut other = World::new(Settings::default()).expect("valid");
    xpbd_fluid::register(other.registry_mut()).expect("known");
    other.restore(&snapshot).expect("it can be restored");
    for world in [&mut world, &mut other] {
        world.step(&mut CpuBackend::default(), 1.0 / 60.0).expect("it steps");
    }
    assert_eq!(world.state_hash(), other.state_hash());
}
