//! Shapes of bodies and colliders against the triangles of surfaces, between their vertices.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::query::intersection_test;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::{Cloth, Elasticity, SoftBody, TetraMesh};
use xpbd_core::bodies::{Body, LockedAxes, Mass};
use xpbd_core::collide::{Collider, ContactPartner};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::handle::BodyHandle;
use xpbd_core::object::Surface;
use xpbd_core::world::{CollisionLayers, Friction, Object, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
/// Particles a side of a sheet of 1 m by 1 m.
const SIDE: u32 = 30;
const EDGE: f32 = 1.0 / (SIDE - 1) as f32;
const THICKNESS: f32 = 0.3 * EDGE;
const UPRIGHT: LockedAxes = LockedAxes { translation: [true, false, true], rotation: [true; 3] };

fn world(gravity: f32) -> World {
    let gravity = Vec3::NEG_Y * gravity;
    let settings = Settings { gravity, particle_radius: THICKNESS, contact_margin: THICKNESS, ..Settings::default() };
    World::new(Settings { substeps: 20, ..settings }).unwrap()
}

fn step(world: &mut World, threads: usize, frames: u32) {
    let mut cpu = CpuBackend::new(Threads::Exactly(threads));
    (0..frames).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
}

/// Returns a sheet of 0.2 kg.
fn sheet() -> Cloth {
    Cloth::grid(SIDE, SIDE, 1.0, 1.0).density(0.2).surface_collision(THICKNESS)
}

fn on_rim(_: u32, x: Vec3) -> bool {
    x.x.abs().max(x.z.abs()) > 0.499
}

/// Adds triangles that do not move, of large vertices far apart.
fn add_triangle(world: &mut World, corners: [Vec3; 3], friction: f32) -> ObjectHandle {
    let object = Object::new("fixed", corners.to_vec(), 0.1).surface(vec![[0, 1, 2]], THICKNESS).pin(0..3);
    world.add(Object { friction: Friction::new(friction), ..object }).unwrap()
}

/// Adds a body of `mass` \[kg\] with one collider.
fn add_body(world: &mut World, shape: &SharedShape, mass: f32, pose: Pose) -> BodyHandle {
    let unit = Mass::from_shape(&**shape, 1.0).unwrap().mass;
    let body = Body::dynamic(pose, Mass::from_shape(&**shape, mass / unit).unwrap()).can_sleep(false);
    let body = world.add_body(body).unwrap();
    world.add_collider(Collider::new(shape.clone()).attached_to(body)).unwrap();
    body
}

/// Returns the number of triangles of a surface that a shape cuts or contains.
fn pierced(world: &World, object: ObjectHandle, shape: &SharedShape, pose: Pose) -> usize {
    let x: Vec<Vec3> = world.positions(object).unwrap().collect();
    let surface = world.state().objects.get(object).unwrap().surface.as_ref().unwrap();
    let cuts = |triangle: &&[u32; 3]| {
        let [a, b, c] = triangle.map(|k| x[k as usize]);
        intersection_test(&pose, &**shape, &Pose::IDENTITY, &Triangle::new(a, b, c)).unwrap()
    };
    surface.triangles.iter().filter(cuts).count()
}

/// Returns a box, its corner, an edge and a cone with an angle of 30°, each with the rotation that turns that down.
fn sharp_shapes() -> [(&'static str, SharedShape, Quat); 3] {
    let down = |axis: Vec3| Quat::from_rotation_arc(axis.normalize(), Vec3::NEG_Y);
    let cube = SharedShape::cuboid(0.1, 0.1, 0.1);
    let spike = SharedShape::cone(0.15, 0.3 * 0.2679);
    [
        ("corner", cube.clone(), down(Vec3::ONE)),
        ("edge", cube, down(Vec3::new(1.0, 1.0, 0.0))),
        ("spike", spike, down(Vec3::Y)),
    ]
}

/// The loads weigh as much as the sheet. They stand upright on it and fall with it once the rim is free.
#[test]
fn a_corner_an_edge_and_a_spike_rest_on_a_sheet_and_cut_no_triangle() {
    for (name, shape, rotation) in sharp_shapes() {
        let mut world = world(9.81);
        let cloth = world.add(sheet().pin_where(on_rim).build().unwrap()).unwrap();
        let bottom = shape.compute_aabb(&Pose::from_parts(Vec3::ZERO, rotation)).mins.y;
        let start = Vec3::new(0.013, 0.01 + THICKNESS - bottom, 0.017);
        let body = add_body(&mut world, &shape, 0.2, Pose::from_parts(start, rotation));
        world.edit_body(body, |body| body.locked_axes = UPRIGHT).unwrap();
        for second in 0..2 {
            for _ in 0..60 {
                step(&mut world, 2, 1);
                let pose = world.body_pose(body).unwrap();
                assert_eq!(
                    pierced(&world, cloth, &shape, pose),
                    0,
                    "{name} in second {second} at {}",
                    pose.translation
                );
            }
        }
        let sunk = start.y - world.body_pose(body).unwrap().translation.y;
        assert!(sunk < 0.25, "{name} has sunk by {sunk}");
        let pins: Vec<u32> =
            (0..SIDE * SIDE).filter(|k| world.state().particles.anchor[*k as usize].w == 0.0).collect();
        pins.into_iter().for_each(|k| world.set_pinned(cloth, k as usize, false).unwrap());
        step(&mut world, 2, 60);
        assert!(world.body_pose(body).unwrap().translation.y < start.y - 3.0, "{name} does not fall");
    }
}

/// Inside of a triangle of 2 m, near the origin and far from it; its corners are too far away to touch.
#[test]
fn a_ball_a_corner_and_a_capsule_rest_inside_a_triangle_and_push_with_their_weight() {
    let corner = SharedShape::cuboid(0.05, 0.05, 0.05);
    let down = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::NEG_Y);
    let shapes = [
        (SharedShape::ball(0.04), Quat::IDENTITY, 0.04),
        (corner, down, 0.05 * 3f32.sqrt()),
        (SharedShape::capsule_x(0.1, 0.02), Quat::IDENTITY, 0.02),
    ];
    for origin in [Vec3::ZERO, Vec3::new(1000.0, 0.0, -1000.0)] {
        for (shape, rotation, height) in &shapes {
            let mut world = world(9.81);
            let corners = [Vec3::NEG_X - Vec3::Z, Vec3::X - Vec3::Z, Vec3::Z].map(|x| x + origin);
            let fixed = add_triangle(&mut world, corners, 0.5);
            let start = Pose::from_parts(origin + Vec3::new(0.1, 0.15, -0.2), *rotation);
            let body = add_body(&mut world, shape, 0.7, start);
            world.edit_body(body, |body| body.locked_axes = UPRIGHT).unwrap();
            step(&mut world, 1, 60);
            let rests = world.body_pose(body).unwrap().translation.y - 0.5 * THICKNESS;
            assert!((rests - height).abs() < 3e-4, "{:?} rests at {rests}, not {height}", shape.shape_type());
            let contacts = world.contacts();
            let is_pair = |partner: ContactPartner| matches!(partner, ContactPartner::Collider(_));
            assert!(contacts.iter().all(|contact| contact.object == fixed && is_pair(contact.other)));
            let push: f32 = contacts.iter().map(|contact| contact.impulse).sum();
            assert!((push / (0.7 * 9.81 * FRAME) - 1.0).abs() < 0.02, "{push}");
        }
    }
}

/// A ball that does not turn on a triangle that is inclined by an angle of tangent 0.75: with g (sin − μ cos), or not at all.
#[test]
fn a_ball_slides_on_an_inclined_triangle_as_its_friction_says() {
    for (friction, acceleration) in [(0.25, 9.81 * (0.6 - 0.25 * 0.8)), (0.9, 0.0)] {
        let mut world = world(9.81);
        let (along, up) = (Vec3::new(0.8, -0.6, 0.0), Vec3::new(0.6, 0.8, 0.0));
        add_triangle(&mut world, [-along - Vec3::Z, Vec3::Z - along, 3.0 * along], friction);
        let shape = SharedShape::ball(0.05);
        let start = up * (0.05 + 0.5 * THICKNESS);
        let body = add_body(&mut world, &shape, 0.3, Pose::from_translation(start));
        let collider = world.state().colliders.keys()[0];
        world.edit_collider(collider, |collider| collider.friction = Friction::new(friction)).unwrap();
        world.edit_body(body, |body| body.locked_axes = LockedAxes::ROTATION_LOCKED).unwrap();
        step(&mut world, 1, 60);
        let way = (world.body_pose(body).unwrap().translation - start).dot(along);
        assert!((way - 0.5 * acceleration).abs() < 0.02 * 0.5 * 9.81, "{way} with {friction}");
    }
}

/// Boxes and balls with up to 50 m/s, and thin cones that move up to their radius in a substep, from both sides and far from
/// all vertices.
#[test]
fn fast_shapes_do_not_pass_a_triangle() {
    let mut random = 1_u32;
    let mut random = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as f32 / (1 << 24) as f32
    };
    for k in 0..60 {
        let mut world = world(0.0);
        add_triangle(&mut world, [Vec3::NEG_X - Vec3::Z, Vec3::X - Vec3::Z, Vec3::Z].map(|x| 3.0 * x), 0.3);
        let shape = match k % 3 {
            0 => SharedShape::cuboid(0.03, 0.05, 0.04),
            1 => SharedShape::ball(0.02),
            _ => SharedShape::cone(0.06, 0.02),
        };
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let axis = Vec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
        let pose = Pose::from_parts(Vec3::Y * side * 0.3, Quat::from_axis_angle(axis, 3.0 * random()));
        let body = add_body(&mut world, &shape, 0.2, pose);
        let aim = Vec3::new(random() - 0.5, -side, random() - 0.5).normalize();
        let velocity = aim * (5.0 + if k % 3 == 2 { 15.0 } else { 45.0 } * random());
        world.edit_body(body, |body| *body = body.velocity(velocity).angular_velocity(axis * 20.0)).unwrap();
        let energy = |world: &World| {
            let Body { mass, pose, velocity, angular_velocity, .. } = world.body(body).unwrap();
            let spin = pose.rotation.inverse() * angular_velocity;
            0.5 * mass.mass * velocity.length_squared() + 0.5 * (spin * spin).dot(mass.principal_inertia)
        };
        let start = energy(&world);
        step(&mut world, 1, 10);
        let height = side * world.body_pose(body).unwrap().translation.y;
        assert!(height > 0.0, "{:?} {k} is at {height}", shape.shape_type());
        assert!(energy(&world) < 1.001 * start, "{:?} {k} has {} J of {start} J", shape.shape_type(), energy(&world));
    }
}

/// The lower edges of two walls are exactly where opposite rims are pinned, so that nothing can part them.
#[test]
fn a_sheet_pinned_along_the_edges_of_walls_stays_in_place() {
    for side in [3, 9, SIDE] {
        let mut world = world(9.81);
        let sheet = Cloth::grid(side, side, 1.0, 1.0).density(0.2).surface_collision(THICKNESS);
        let sheet = world.add(sheet.pin_where(on_rim).build().unwrap()).unwrap();
        for x in [-0.6, 0.6] {
            let wall = Collider::new(SharedShape::cuboid(0.1, 0.5, 0.5)).at(Vec3::new(x, 0.5, 0.0));
            world.add_collider(wall).unwrap();
        }
        for frame in 0..60 {
            step(&mut world, 1, 1);
            let lowest = world.positions(sheet).unwrap().map(|x| x.y).fold(0.0, f32::min);
            let farthest = world.positions(sheet).unwrap().map(Vec3::length).fold(0.0, f32::max);
            assert!(lowest > -0.1 && farthest < 0.72, "{side}: {lowest} and {farthest} in frame {frame}");
        }
    }
}

/// A cloth falls on a static spike and on the edge of a thin wall, and hangs there.
#[test]
fn a_falling_cloth_is_not_cut_by_a_spike_or_by_the_edge_of_a_wall() {
    for (shape, height) in [(SharedShape::cone(0.2, 0.4 * 0.2679), 0.2), (SharedShape::cuboid(0.3, 0.2, 0.004), 0.2)] {
        let mut world = world(9.81);
        world.add_collider(Collider::new(shape.clone())).unwrap();
        let at = Vec3::new(0.011, height + 0.05, 0.013);
        let cloth = world.add(sheet().at(at).friction(Friction::new(0.5)).build().unwrap()).unwrap();
        for frame in 0..90 {
            step(&mut world, 2, 1);
            assert_eq!(pierced(&world, cloth, &shape, Pose::IDENTITY), 0, "{:?} in frame {frame}", shape.shape_type());
        }
        let top = world.positions(cloth).unwrap().fold(f32::MIN, |top, x| top.max(x.y));
        assert!(top > height, "{top}");
    }
}

/// The elastic block has cells twice as wide as the wall.
#[test]
fn a_soft_body_is_not_cut_by_the_edge_of_a_wall() {
    let mut world = world(9.81);
    let wall = SharedShape::cuboid(0.3, 0.2, 0.02);
    world.add_collider(Collider::new(wall.clone())).unwrap();
    let mesh = TetraMesh::block([4, 4, 4], Vec3::splat(0.32)).unwrap();
    let jelly = Elasticity::NeoHookean { youngs_modulus: 2e4, poisson_ratio: 0.4 };
    let block = SoftBody::new(&mesh).elasticity(jelly).at(Vec3::new(0.0, 0.4, 0.037)).friction(Friction::new(0.8));
    let block = world.add(block.build().unwrap()).unwrap();
    world
        .set_surface(
            block,
            Some(Surface { triangles: mesh.surface().to_vec(), thickness: THICKNESS, permeability: 0.0 }),
        )
        .unwrap();
    let mut touched = 0;
    for frame in 0..40 {
        step(&mut world, 2, 1);
        touched += world.contacts().len();
        assert_eq!(pierced(&world, block, &wall, Pose::IDENTITY), 0, "frame {frame}");
    }
    assert!(touched > 10, "{touched}");
}

/// A box that begins with its lower half under a sheet, and another that does with its upper half.
#[test]
fn a_box_that_begins_in_a_sheet_comes_out() {
    for side in [1.0, -1.0] {
        let mut world = world(0.0);
        let cloth = world.add(sheet().pin_where(on_rim).build().unwrap()).unwrap();
        let shape = SharedShape::cuboid(0.08, 0.02, 0.06);
        let pose = Pose::from_translation(Vec3::new(0.011, 0.01 * side, 0.013));
        let body = add_body(&mut world, &shape, 0.2, pose);
        assert!(pierced(&world, cloth, &shape, pose) > 10);
        step(&mut world, 2, 120);
        let pose = world.body_pose(body).unwrap();
        assert_eq!(pierced(&world, cloth, &shape, pose), 0);
        assert!(side * pose.translation.y > 0.02, "{}", pose.translation);
    }
}

/// A box hits a free sheet with a corner. Nothing external acts.
#[test]
fn what_a_box_loses_of_momentum_a_free_sheet_has() {
    let mut world = world(0.0);
    let cloth = world.add(sheet().tethers(false).build().unwrap()).unwrap();
    let (_, shape, rotation) = &sharp_shapes()[0];
    let body = add_body(&mut world, shape, 0.5, Pose::from_parts(Vec3::new(0.04, 0.2, 0.09), *rotation));
    world.edit_body(body, |body| body.velocity = Vec3::new(0.5, -2.0, 0.0)).unwrap();
    let momenta = |world: &World| {
        let now = world.body(body).unwrap();
        let range = world.state().objects.get(cloth).unwrap().range.clone();
        let masses = &world.state().particles.mass[range];
        let of =
            |x: Vec3, v: Vec3, mass: f32| [v.as_dvec3(), x.as_dvec3().cross(v.as_dvec3())].map(|p| p * f64::from(mass));
        let [mut linear, mut angular] = of(now.pose.translation, now.velocity, 0.5);
        let spin = now.pose.rotation.inverse() * now.angular_velocity;
        angular += (now.pose.rotation * (spin * now.mass.principal_inertia)).as_dvec3();
        for ((x, v), &mass) in world.positions(cloth).unwrap().zip(world.velocities(cloth).unwrap()).zip(masses) {
            let [p, l] = of(x, v, mass);
            (linear, angular) = (linear + p, angular + l);
        }
        [linear, angular]
    };
    let start: [DVec3; 2] = momenta(&world);
    step(&mut world, 1, 20);
    let end = momenta(&world);
    assert!((end[0] - start[0]).length() < 1e-4 * start[0].length(), "{start:?} {end:?}");
    assert!((end[1] - start[1]).length() < 1e-2 * start[1].length(), "{start:?} {end:?}");
    assert!(world.body(body).unwrap().velocity.y > -1.8);
}

#[test]
fn layers_let_shapes_through() {
    let mut world = world(9.81);
    let mut cloth = sheet().pin_where(on_rim).build().unwrap();
    cloth.collision_layers = CollisionLayers { memberships: 2, ..CollisionLayers::default() };
    world.add(cloth).unwrap();
    let shape = SharedShape::cuboid(0.1, 0.1, 0.1);
    let body = add_body(&mut world, &shape, 0.2, Pose::from_translation(Vec3::Y * 0.2));
    let collider = world.state().colliders.keys()[0];
    world.edit_collider(collider, |collider| collider.collision_layers.filters = 1).unwrap();
    step(&mut world, 1, 40);
    assert!(world.body_pose(body).unwrap().translation.y < -0.5);
}

/// A box and a spike fall on a sheet that hangs over a wall, while a bar moves through it from below.
#[test]
fn bits_of_shapes_on_a_sheet_depend_neither_on_threads_nor_on_a_snapshot() {
    let run = |threads: usize, stops: bool| {
        let mut world = world(9.81);
        world.add(sheet().pin_where(on_rim).build().unwrap()).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(0.2, 0.2, 0.004)).at(Vec3::new(0.2, -0.22, 0.3))).unwrap();
        for (k, (_, shape, rotation)) in sharp_shapes().into_iter().enumerate() {
            let place = Vec3::new(0.25 * k as f32 - 0.2, 0.22, 0.1 * k as f32 - 0.15);
            add_body(&mut world, &shape, 0.5, Pose::from_parts(place, rotation));
        }
        let bar = world.add_body(Body::kinematic(Pose::from_translation(Vec3::new(-0.2, -0.1, 0.2)))).unwrap();
        world.add_collider(Collider::new(SharedShape::capsule_x(0.1, 0.01)).attached_to(bar)).unwrap();
        for frame in 0..30 {
            let turn = Quat::from_xyzw(0.0, 0.01 * frame as f32, 0.0, 1.0).normalize();
            let place = Vec3::new(-0.2, -0.1 + 0.006 * frame as f32, 0.2);
            world.move_body(bar, Pose::from_parts(place, turn)).unwrap();
            step(&mut world, threads, 1);
            if stops && frame == 14 {
                let snapshot = world.snapshot().unwrap();
                world = World::default();
                xpbd_cloth::register(world.registry_mut()).unwrap();
                world.restore(&snapshot).unwrap();
            }
        }
        world.state_hash()
    };
    let hashes = [run(1, false), run(2, false), run(7, false), run(2, true)];
    assert_eq!(hashes, [hashes[0]; 4]);
}

/// The world that is left when the last surface goes has fewer points than the surface had.
#[test]
fn a_world_steps_on_when_its_last_surface_has_been_removed() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(0.1, 0.1, 0.1)).at(Vec3::NEG_Y * 0.11)).unwrap();
    let sheet = world.add(Cloth::grid(5, 5, 0.2, 0.2).surface_collision(0.01).build().unwrap()).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..3).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    world.remove(sheet).unwrap();
    let grain = world.add(Object::new("grain", vec![Vec3::Y], 1.0)).unwrap();
    (0..3).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    assert!(world.position(grain, 0).unwrap().y < 1.0);
}
