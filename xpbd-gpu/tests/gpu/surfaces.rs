//! Surfaces that collide: the host looks at them, the device solves them, with the bits of the CPU.

use glam::{Affine3A, Quat, Vec3};
use libtest_mimic::Failed;
use parry3d::math::{Pose, Vector};
use parry3d::shape::{Cuboid, SharedShape};
use xpbd_cloth::Cloth;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::scalar::trig;
use xpbd_core::world::{Friction, Integrator, Object, Settings, World};
use xpbd_gpu::GpuBackend;

use crate::{Test, backend, ensure, ensure_equal};

pub const TESTS: &[Test] = &[
    ("surfaces::sheets_lie_on_each_other_as_on_the_cpu", sheets),
    ("surfaces::second_order_and_iterations_act_as_on_the_cpu", methods),
    ("surfaces::grains_and_boxes_fall_on_sheets_as_on_the_cpu", together),
    ("surfaces::grains_that_go_through_a_sheet_for_a_while_do_so_as_on_the_cpu", shots),
    ("surfaces::corners_and_edges_of_shapes_touch_sheets_as_on_the_cpu", shapes),
    ("surfaces::a_pinned_sheet_holds_what_is_heavy_as_on_the_cpu", heavy),
    ("surfaces::sheets_through_each_other_come_apart_as_on_the_cpu", tangled),
    ("surfaces::sheets_come_and_go_as_on_the_cpu", edits),
    ("surfaces::a_world_that_changes_back_ends_keeps_its_bits", switching),
    ("surfaces::worlds_without_surfaces_submit_once_a_frame", submissions),
    ("surfaces::sheets_fall_asleep_and_wake_as_on_the_cpu", sleepers),
];

const FRAME: f32 = 1.0 / 60.0;
const SIDE: u32 = 9;
const SIZE: f32 = 0.24;
const EDGE: f32 = SIZE / (SIDE - 1) as f32;
const THICKNESS: f32 = 0.3 * EDGE;

/// Returns a sheet, turned and above the ground by this many edges.
fn sheet(height: f32, turn: f32) -> Result<Object, Failed> {
    let turn = Affine3A::from_quat(Quat::from_xyzw(0.0, trig::sin(turn), 0.0, trig::cos(turn)));
    let cloth = Cloth::grid(SIDE, SIDE, SIZE, SIZE).surface_collision(THICKNESS).tethers(false).linear_damping(0.5);
    Ok(cloth.transform(turn).at(Vec3::Y * height * EDGE).friction(Friction::new(0.3)).build()?)
}

/// Returns two sheets over a ball on the ground.
fn world(settings: Settings) -> Result<World, Failed> {
    let mut world = World::new(Settings { particle_radius: 0.45 * EDGE, contact_margin: THICKNESS, ..settings })?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).friction(Friction::new(0.3)))?;
    world.add_collider(Collider::new(SharedShape::ball(0.06)).friction(Friction::new(0.3)))?;
    for (height, turn) in [(2.6, 0.0), (3.2, 0.2)] {
        world.add(sheet(height, turn)?)?;
    }
    Ok(world)
}

fn settings(substeps: u32) -> Settings {
    Settings { substeps, ..Settings::default() }
}

/// Steps two worlds, with the same edits before each frame, and compares them and what touched at every frame.
fn ensure_parity(
    make: impl Fn() -> Result<World, Failed>,
    frames: usize,
    edit: impl Fn(&mut World, usize) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let (mut a, mut b) = (make()?, make()?);
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let exact = gpu.device().is_exact();
    let mut touched = 0;
    for frame in 0..frames {
        edit(&mut a, frame)?;
        edit(&mut b, frame)?;
        let (one, other) = (a.step(&mut cpu, FRAME)?, b.step(&mut gpu, FRAME)?);
        let told = |error: Failed| format!("frame {frame}: {}", error.message().unwrap_or_default());
        ensure_equal(&gpu, &a, &b, 1e-3).map_err(told)?;
        ensure(!exact || a.contacts() == b.contacts(), || format!("contacts of frame {frame} differ"))?;
        let counts = |report: &xpbd_core::world::StepReport| {
            let surfaces = [report.surface_contacts, report.surface_contacts_active, report.surface_crossings];
            (surfaces, report.dropped_contacts)
        };
        ensure(!exact || counts(&one) == counts(&other), || format!("the reports of frame {frame} differ"))?;
        touched += one.surface_contacts_active;
    }
    ensure(touched > 0, || "nothing touches".into())
}

fn sheets() -> Result<(), Failed> {
    ensure_parity(|| world(settings(8)), 25, |_, _| Ok(()))
}

/// A sheet that is tilted by a third of a right angle, through a level one that is wider.
fn tangled() -> Result<(), Failed> {
    let make = || {
        let settings = Settings { gravity: Vec3::ZERO, ..settings(8) };
        let mut world = World::new(Settings { particle_radius: 0.45 * EDGE, contact_margin: THICKNESS, ..settings })?;
        world.add(sheet(0.0, 0.0)?)?;
        let tilt = Affine3A::from_quat(Quat::from_xyzw(0.0, 0.0, trig::sin(0.26), trig::cos(0.26)));
        let tilted = Cloth::grid(SIDE, SIDE, 0.8 * SIZE, 0.8 * SIZE).surface_collision(THICKNESS).tethers(false);
        world.add(tilted.transform(tilt).at(Vec3::new(0.2, 0.1, 0.3) * EDGE).build()?)?;
        Ok(world)
    };
    let (mut first, mut cpu) = (make()?, CpuBackend::default());
    let crossings = first.step(&mut cpu, FRAME)?.surface_crossings;
    ensure(crossings > 10, || format!("{crossings} edges cross at first"))?;
    ensure_parity(make, 25, |_, _| Ok(()))
}

fn methods() -> Result<(), Failed> {
    let second = Settings { integrator: Integrator::SecondOrder, ..settings(6) };
    ensure_parity(|| world(second.clone()), 20, |_, _| Ok(()))?;
    let twice = Settings { iterations: 2, ..settings(5) };
    ensure_parity(|| world(twice.clone()), 20, |_, _| Ok(()))
}

/// Grains, which collide as balls, and a box that can be pushed.
fn together() -> Result<(), Failed> {
    let make = || {
        let mut world = world(settings(6))?;
        let grid = |k: u32| Vec3::new(0.02 * (k % 3) as f32, 5.0 * EDGE + 0.03 * (k / 3) as f32, 0.001 * k as f32);
        let mut grains = Object::new("grains", (0..9).map(grid).collect(), 0.002);
        grains.collision_layers.self_collision = true;
        world.add(grains)?;
        let shape = Cuboid::new(Vector::splat(0.02));
        let body =
            Body::dynamic(Pose::from_translation(Vec3::new(-0.05, 6.0 * EDGE, 0.0)), Mass::from_shape(&shape, 200.0)?);
        let body = world.add_body(body)?;
        world.add_collider(Collider { body: Some(body), ..Collider::new(SharedShape::new(shape)) })?;
        Ok(world)
    };
    ensure_parity(make, 25, |_, _| Ok(()))
}

/// Heavy grains that are shot at a sheet between pins, some of which are on its other side when a frame ends.
fn shots() -> Result<(), Failed> {
    let make = || {
        let mut world =
            World::new(Settings { particle_radius: 0.45 * EDGE, contact_margin: THICKNESS, ..settings(4) })?;
        let sheet = Cloth::grid(SIDE, SIDE, SIZE, SIZE).surface_collision(THICKNESS);
        world.add(sheet.pin([0, SIDE - 1, SIDE * SIDE - SIDE, SIDE * SIDE - 1]).build()?)?;
        let place = |k: u32| Vec3::new((k % 5) as f32 - 2.1, 3.0 + (k / 25) as f32, (k / 5 % 5) as f32 - 1.9) * EDGE;
        let mut grains = Object::new("grains", (0..75).map(place).collect(), 0.02).velocity(Vec3::new(3.0, -60.0, 1.0));
        grains.collision_layers.self_collision = true;
        world.add(grains)?;
        Ok(world)
    };
    let (mut world, mut cpu, mut passed) = (make()?, CpuBackend::default(), 0);
    for _ in 0..20 {
        world.step(&mut cpu, FRAME)?;
        passed += world.state().contacts.surfaces.crossed.iter().filter(|pair| pair.has_passed).count();
    }
    ensure(passed > 0, || "no grain is on the other side".into())?;
    ensure_parity(make, 20, |_, _| Ok(()))
}

/// Two sheets fall on a spike and on a bar that turns, and boxes fall on them with a corner down.
fn shapes() -> Result<(), Failed> {
    let bar = |frame: usize| {
        let angle = 0.04 * frame as f32;
        let turn = Quat::from_xyzw(0.0, trig::sin(angle), 0.0, trig::cos(angle));
        Pose::from_parts(Vec3::new(0.05, 0.02 + 0.001 * frame as f32, 0.06), turn)
    };
    let make = || {
        let mut world =
            World::new(Settings { particle_radius: 0.45 * EDGE, contact_margin: THICKNESS, ..settings(6) })?;
        world.add_collider(Collider::new(SharedShape::cone(0.03, 0.01)).at(Vec3::new(-0.05, 0.03, -0.04)))?;
        for (height, turn) in [(2.6, 0.0), (3.2, 0.2)] {
            world.add(sheet(height, turn)?)?;
        }
        let down = Quat::from_xyzw(0.4, 0.2, -0.3, 0.8).normalize();
        for k in 0..3 {
            let shape = Cuboid::new(Vector::splat(0.015));
            let place = Vec3::new(0.05 * k as f32 - 0.05, 5.0 * EDGE, 0.03 * k as f32 - 0.02);
            let body = Body::dynamic(Pose::from_parts(place, down), Mass::from_shape(&shape, 300.0)?);
            let body = world.add_body(body.velocity(Vec3::NEG_Y))?;
            world.add_collider(Collider { body: Some(body), ..Collider::new(SharedShape::new(shape)) })?;
        }
        let moved = world.add_body(Body::kinematic(bar(0)))?;
        world.add_collider(Collider { body: Some(moved), ..Collider::new(SharedShape::capsule_x(0.05, 0.008)) })?;
        let mut grains = Object::new("grains", vec![Vec3::new(0.0, 4.0 * EDGE, 0.0); 2], 0.002);
        grains.positions[1].x = 0.03;
        grains.collision_layers.self_collision = true;
        world.add(grains)?;
        Ok(world)
    };
    let turn = |world: &mut World, frame: usize| {
        let handle = world.state().body_handles.keys()[3];
        Ok(world.move_body(handle, bar(frame + 1))?)
    };
    ensure_parity(make, 25, turn)
}

/// A box and a grain of a thousand times the mass of a particle of the sheet.
fn heavy() -> Result<(), Failed> {
    let make = || {
        let radius = 0.45 * EDGE;
        let mut world = World::new(Settings { particle_radius: radius, contact_margin: THICKNESS, ..settings(6) })?;
        let on_rim = |_: u32, x: Vec3| x.x.abs().max(x.z.abs()) > 0.499 * SIZE;
        let cloth = Cloth::grid(SIDE, SIDE, SIZE, SIZE).surface_collision(THICKNESS).density(0.1);
        world.add(cloth.pin_where(on_rim).build()?)?;
        let shape = Cuboid::new(Vector::splat(0.03));
        let pose = Pose::from_parts(Vec3::new(0.02, 0.06, 0.01), Quat::from_xyzw(0.4, 0.2, -0.3, 0.8).normalize());
        let body = world.add_body(Body::dynamic(pose, Mass::from_shape(&shape, 2e4)?))?;
        world.add_collider(Collider { body: Some(body), ..Collider::new(SharedShape::new(shape)) })?;
        world.add(Object::new("grain", vec![Vec3::new(-0.06, 0.03, 0.05)], 0.1))?;
        Ok(world)
    };
    ensure_parity(make, 25, |_, _| Ok(()))
}

/// A third sheet falls on the others; the lowest goes while it is touched; particles of another go.
fn edits() -> Result<(), Failed> {
    let edit = |world: &mut World, frame: usize| {
        let objects = world.state().objects.keys().to_vec();
        match frame {
            4 => drop(world.add(sheet(5.0, 0.1)?)?),
            14 => world.remove(objects[0])?,
            18 => world.deactivate(objects[0], &[0, 1, 30, 40])?,
            _ => {}
        }
        Ok(())
    };
    ensure_parity(|| world(settings(6)), 24, edit)
}

/// The device, the CPU, and a restored snapshot go on with each other's frames.
fn switching() -> Result<(), Failed> {
    let (mut cpu, mut gpu) = (CpuBackend::default(), backend()?);
    let (mut a, mut b) = (world(settings(6))?, world(settings(6))?);
    for frame in 0..24 {
        a.step(&mut cpu, FRAME)?;
        if frame / 6 % 2 == 0 {
            b.step(&mut gpu, FRAME)?;
        } else {
            b.step(&mut cpu, FRAME)?;
        }
        if frame == 14 {
            let snapshot = b.snapshot()?;
            b = World::default();
            xpbd_cloth::register(b.registry_mut())?;
            b.restore(&snapshot)?;
        }
    }
    ensure_equal(&gpu, &a, &b, 1e-3)
}

/// A sheet and a box on the ground sleep until grains fall on them, and once more after that.
fn sleepers() -> Result<(), Failed> {
    let make = || {
        let settings = Settings { sleep_speed: 0.1, sleep_time: 0.1, ..settings(6) };
        let mut world = World::new(Settings { particle_radius: 0.45 * EDGE, contact_margin: THICKNESS, ..settings })?;
        world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).friction(Friction::new(0.3)))?;
        let mut sheet = sheet(0.5, 0.0)?;
        sheet.can_sleep = true;
        world.add(sheet)?;
        let shape = Cuboid::new(Vector::splat(0.02));
        let body = Body::dynamic(Pose::translation(-0.05, 1.6 * EDGE, 0.0), Mass::from_shape(&shape, 200.0)?);
        let body = world.add_body(body)?;
        world.add_collider(Collider { body: Some(body), ..Collider::new(SharedShape::new(shape)) })?;
        let above = [-0.05, 0.05].map(|x| Vec3::new(x, 0.5, 0.0));
        let mut grains = Object::new("grains", above.to_vec(), 0.002);
        grains.can_sleep = true;
        world.add(grains)?;
        Ok(world)
    };
    let (mut world, mut cpu) = (make()?, CpuBackend::default());
    let mut slept = Vec::new();
    for _ in 0..80 {
        world.step(&mut cpu, FRAME)?;
        slept.push(world.state().objects.iter().filter(|(_, object)| object.sleep.asleep).count());
    }
    slept.dedup();
    ensure(slept == [0, 1, 0, 2], || format!("so many sleep one after the other: {slept:?}"))?;
    ensure_parity(make, 80, |_, _| Ok(()))
}

fn submissions() -> Result<(), Failed> {
    let mut gpu = GpuBackend::new()?;
    let mut world = World::new(Settings { particle_radius: 0.45 * EDGE, ..settings(6) })?;
    let object = sheet(1.0, 0.0)?;
    let object = world.add(object)?;
    world.step(&mut gpu, FRAME)?;
    ensure(gpu.submissions() == 7, || format!("{} submissions", gpu.submissions()))?;
    world.set_surface(object, None)?;
    world.step(&mut gpu, FRAME)?;
    ensure(gpu.submissions() == 8, || format!("{} submissions", gpu.submissions()))
}
