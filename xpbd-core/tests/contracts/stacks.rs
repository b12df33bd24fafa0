//! Bodies on each other and on a plane, against closed forms.

use std::f32::consts::FRAC_PI_2;

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{ShapeType, SharedShape};
use xpbd_core::collide::open_mesh;
use xpbd_core::prelude::*;
use xpbd_core::scalar::trig;

use crate::yard::{FRAME, G, ball, block, frames, ground, heap, house_of_cards, place, tower};

/// Ten boxes of 1 m and 1 kg: still within 2 s, and where they were after a minute.
#[test]
fn a_tower_comes_to_rest_and_stays() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    let boxes = tower(&mut world, 10, 1.0);
    frames(&mut world, 120);
    assert!(boxes.iter().all(|&body| world.is_asleep(body).unwrap()));
    frames(&mut world, 60 * 58);
    for (k, &body) in boxes.iter().enumerate() {
        let at = place(&world, body);
        assert!(libm::hypotf(at.x, at.z) < 1e-3, "{k}: {at}");
        assert!((at.y - 0.5 - k as f32).abs() < 5e-3, "{k}: {at}");
    }
}

/// The same awake, for ten seconds: it does not wander off.
#[test]
fn a_tower_that_may_not_sleep_stands() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
    let boxes = tower(&mut world, 10, 1.0);
    for _ in 0..10 {
        frames(&mut world, 60);
        let top = world.body(boxes[9]).unwrap();
        assert!(libm::hypotf(top.pose.translation.x, top.pose.translation.z) < 2e-3, "{}", top.pose.translation);
        assert!(top.velocity.length() < 0.02, "{}", top.velocity);
    }
}

/// Forty cards on five storeys, awake for a minute: they settle by millimetres and then stay.
#[test]
fn a_house_of_cards_stands() {
    let mut world = ground(10, Quat::IDENTITY, 0.6);
    world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
    let cards = house_of_cards(&mut world, 5, 0.6);
    let from: Vec<_> = cards.iter().map(|&card| place(&world, card)).collect();
    for _ in 0..12 {
        frames(&mut world, 300);
        for (&card, from) in cards.iter().zip(&from) {
            let Body { pose, velocity, .. } = world.body(card).unwrap();
            assert!(pose.translation.distance(*from) < 0.01, "{} from {from}", pose.translation);
            assert!(velocity.length() < 1e-3, "{velocity}");
        }
    }
}

/// The same with less friction and any number of substeps: it sags by less than its cards are thick, and stays.
#[test]
fn a_house_of_cards_stands_at_any_number_of_substeps() {
    for substeps in [4, 5, 6, 8, 11, 12, 16] {
        let mut world = ground(substeps, Quat::IDENTITY, 0.5);
        world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
        let cards = house_of_cards(&mut world, 5, 0.5);
        let from: Vec<_> = cards.iter().map(|&card| place(&world, card)).collect();
        frames(&mut world, 300);
        for (&card, from) in cards.iter().zip(&from) {
            let Body { pose, velocity, .. } = world.body(card).unwrap();
            assert!(pose.translation.distance(*from) < 0.04, "{substeps}: {} from {from}", pose.translation);
            assert!(velocity.length() < 1e-3, "{substeps}: {velocity}");
        }
    }
}

/// A box of 100 kg on nine of 1 kg sinks by their overlaps, g h² M/m each, and no more.
#[test]
fn a_tower_bears_a_hundred_times_its_weight() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    let boxes = tower(&mut world, 10, 100.0);
    frames(&mut world, 600);
    let h = FRAME / 20.0;
    let sunk = 9.5 - place(&world, boxes[9]).y;
    assert!(sunk > 0.0 && sunk < 1.5 * 9.0 * G * h * h * 100.0, "{sunk}");
    assert!(boxes.iter().all(|&body| world.is_asleep(body).unwrap()));
}

/// It slides iff tan θ > μ, with a = g (sin θ − μ cos θ), and does not creep below.
#[test]
fn a_box_on_a_slope_slides_or_stays() {
    let angle = 0.4;
    let (sine, cosine) = (trig::sin(angle), trig::cos(angle));
    for (ratio, substeps) in [(0.8, 20), (0.95, 20), (0.8, 4), (1.05, 20), (1.2, 20)] {
        let turned = Quat::from_rotation_z(-angle);
        let friction = sine / cosine / ratio;
        let mut world = ground(substeps, turned, friction);
        world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
        let half = Vec3::new(0.5, 0.25, 0.5);
        let pose = Pose::from_parts(turned * Vec3::new(0.0, half.y, 0.0), turned);
        let body = block(&mut world, pose, half, 1.0, friction);
        frames(&mut world, 600);
        let moved = place(&world, body).distance(pose.translation);
        if ratio < 1.0 {
            assert!(moved < 1e-3, "{ratio}: {moved}");
        } else {
            let expected = 0.5 * G * (sine - friction * cosine) * 100.0;
            assert!((moved / expected - 1.0).abs() < 0.03, "{ratio}: {moved} {expected}");
        }
    }
}

/// At 96 % of what friction can hold, a box on a slope of 30° does not creep once it lies still.
#[test]
fn a_box_near_the_limit_of_friction_stays_for_half_a_minute() {
    let angle = std::f32::consts::FRAC_PI_6;
    for substeps in [10, 20, 40] {
        let turned = Quat::from_rotation_z(-angle);
        let friction = trig::sin(angle) / trig::cos(angle) / 0.96;
        let mut world = ground(substeps, turned, friction);
        world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
        let half = Vec3::new(0.5, 0.25, 0.5);
        let body = block(&mut world, Pose::from_parts(turned * Vec3::Y * half.y, turned), half, 1.0, friction);
        frames(&mut world, 5 * 60);
        let start = place(&world, body);
        frames(&mut world, 30 * 60);
        let crept = place(&world, body).distance(start);
        assert!(crept < 1e-6, "{substeps} substeps: {crept} m");
    }
}

/// v₀²/(2 μ g) on the flat.
#[test]
fn a_sliding_box_stops_where_friction_says() {
    let mut world = ground(20, Quat::IDENTITY, 0.3);
    let body = block(&mut world, Pose::translation(0.0, 0.1, 0.0), Vec3::new(0.3, 0.1, 0.2), 2.0, 0.3);
    world.edit_body(body, |body| body.velocity = Vec3::new(3.0, 0.0, 4.0)).unwrap();
    frames(&mut world, 240);
    let (expected, moved) = (25.0 / (2.0 * 0.3 * G), place(&world, body) - Vec3::new(0.0, 0.1, 0.0));
    assert!((moved.length() / expected - 1.0).abs() < 0.01, "{moved} {expected}");
    assert!((moved.x * 4.0 - moved.z * 3.0).abs() < 0.05, "it keeps its direction: {moved}");
}

/// a = 5/7 g sin θ.
#[test]
fn a_ball_rolls_down() {
    let angle = 0.3;
    for substeps in [4, 20] {
        let turned = Quat::from_rotation_z(-angle);
        let mut world = ground(substeps, turned, 0.5);
        let body = ball(&mut world, turned * Vec3::new(0.0, 0.1, 0.0), 0.1, 1.0, 0.0);
        frames(&mut world, 60);
        let (expected, moving) = (5.0 / 7.0 * G * trig::sin(angle), world.body(body).unwrap());
        assert!((moving.velocity.length() / expected - 1.0).abs() < 0.01, "{} {expected}", moving.velocity);
        assert!((moving.angular_velocity.length() * 0.1 / moving.velocity.length() - 1.0).abs() < 0.01, "it rolls");
    }
}

/// A barrel of 30 cm that rolls at 10 m/s turns by half a radian a frame: it keeps its height, its speed v and ω R = v.
#[test]
fn a_fast_barrel_rolls_on_level() {
    let barrels = [
        SharedShape::cylinder(0.2, 0.3),
        SharedShape::round_cylinder(0.2, 0.28, 0.02),
        SharedShape::capsule_y(0.2, 0.3),
        SharedShape::compound(
            [-0.15, 0.15].map(|y| (Pose::from_translation(Vec3::Y * y), SharedShape::cylinder(0.05, 0.3))).into(),
        ),
    ];
    for (shape, substeps) in barrels.into_iter().flat_map(|shape| [3, 10].map(|substeps| (shape.clone(), substeps))) {
        let mut world = ground(substeps, Quat::IDENTITY, 0.8);
        let body = Body::dynamic(
            Pose::from_parts(Vec3::Y * 0.3, Quat::from_rotation_x(FRAC_PI_2)),
            Mass::from_shape(&*shape, 100.0).unwrap(),
        );
        let body = world.add_body(body.velocity(Vec3::X * 10.0).angular_velocity(Vec3::NEG_Z * (10.0 / 0.3))).unwrap();
        world.add_collider(Collider::new(shape.clone()).attached_to(body).friction(Friction::new(0.8))).unwrap();
        let name = format!("{:?} with {substeps} substeps", shape.shape_type());
        for frame in 0..60 {
            frames(&mut world, 1);
            let height = place(&world, body).y;
            assert!((height - 0.3).abs() < 1e-3, "{name}: {height} m in frame {frame}");
        }
        let moving = world.body(body).unwrap();
        let (velocity, turning) = (moving.velocity - Vec3::X * 10.0, moving.angular_velocity.z * 0.3 + 10.0);
        // Two manifolds, one solved after the other, turn a compound a little.
        let allowed = if shape.shape_type() == ShapeType::Compound { 0.03 } else { 0.01 };
        assert!(velocity.length() < allowed && turning.abs() < 0.01, "{name}: {velocity} m/s, {turning} m/s");
    }
}

/// A cone that lies on its side where nothing rubs turns about its axis by a radian a frame: it keeps its height, its spin
/// and its place.
#[test]
fn a_cone_on_its_side_spins() {
    let (half_height, radius, spin) = (0.3_f32, 0.2_f32, 60.0);
    let (slant, border) = ((4.0 * half_height * half_height + radius * radius).sqrt(), 0.02);
    let axis = Vec3::new(2.0 * half_height, radius, 0.0) / slant;
    let cones =
        [(SharedShape::cone(half_height, radius), 0.0), (SharedShape::round_cone(half_height, radius, border), border)];
    // It yaws a little while the substeps are long.
    let accuracies = [(3, 0.01, 0.07), (10, 0.001, 0.005)];
    for ((shape, border), (substeps, drift, deviation)) in
        cones.into_iter().flat_map(|cone| accuracies.map(|accuracy| (cone.clone(), accuracy)))
    {
        let mut world = ground(substeps, Quat::IDENTITY, 0.0);
        let height = half_height * axis.y + border;
        let mass = Mass::from_shape(&*shape, 100.0).unwrap();
        let pose = Pose::from_parts(Vec3::Y * height, Quat::from_rotation_arc(Vec3::NEG_Y, axis));
        let body = world.add_body(Body::dynamic(pose, mass).angular_velocity(axis * spin)).unwrap();
        world.add_collider(Collider::new(shape.clone()).attached_to(body).friction(Friction::new(0.0))).unwrap();
        let name = format!("{:?} with {substeps} substeps", shape.shape_type());
        for frame in 0..120 {
            frames(&mut world, 1);
            let at = place(&world, body);
            assert!((at.y - height).abs() < 5e-4, "{name}: {} in place of {height} m in frame {frame}", at.y);
            assert!(at.with_y(0.0).length() < drift, "{name}: {at} in frame {frame}");
        }
        let turning = world.body(body).unwrap().angular_velocity;
        assert!(
            turning.distance(axis * spin) < deviation * spin,
            "{name}: {turning} in place of {} rad/s",
            axis * spin
        );
    }
}

/// h₁ = e² h₀, and never more than before.
#[test]
fn a_ball_bounces_as_high_as_its_restitution_says() {
    for restitution in [0.5, 0.8, 1.0] {
        let mut world = ground(20, Quat::IDENTITY, 0.5);
        let body = ball(&mut world, Vec3::new(0.0, 1.1, 0.0), 0.1, 1.0, restitution);
        let (mut peaks, mut highest, mut falling) = (Vec::new(), 1.0_f32, true);
        for _ in 0..600 {
            frames(&mut world, 1);
            let moving = world.body(body).unwrap();
            if falling && moving.velocity.y > 0.0 {
                peaks.push(std::mem::take(&mut highest));
            }
            falling = moving.velocity.y < 0.0;
            highest = highest.max(moving.pose.translation.y - 0.1);
        }
        let expected = restitution * restitution;
        assert!((peaks[1] / expected - 1.0).abs() < 0.02, "{restitution}: {}", peaks[1]);
        assert!(peaks.windows(2).all(|pair| pair[1] < pair[0].max(1e-6)), "{restitution}: {peaks:?}");
    }
}

/// Boxes half inside each other part at v_max, less what the springs at their four points yield, and are left at rest.
#[test]
fn a_deep_overlap_does_not_explode() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let half = Vec3::splat(0.5);
    let a = block(&mut world, Pose::IDENTITY, half, 1.0, 0.5);
    let b = block(&mut world, Pose::translation(0.5, 0.0, 0.0), half, 1.0, 0.5);
    let most = world.settings().max_depenetration_speed;
    for frame in 1..60 {
        frames(&mut world, 1);
        let apart = place(&world, b).x - place(&world, a).x;
        let (mean, allowed) = ((apart - 0.5) / (frame as f32 * FRAME), most * (1.0 + 1e-3));
        assert!(mean < allowed && (apart > 0.98 || mean > 0.8 * most), "{frame}: {apart}");
        let speed = world.body(b).unwrap().velocity - world.body(a).unwrap().velocity;
        assert!(speed.length() < 0.2 * most, "{speed}");
    }
}

/// Without friction two boxes keep their angular momentum, but for what the impulses that a substep begins with turn
/// boxes that are parting already, before it takes them back.
#[test]
fn smooth_boxes_keep_angular_momentum() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let half = Vec3::new(0.1, 0.08, 0.12);
    block(&mut world, Pose::IDENTITY, half, 1.0, 0.0);
    let b = block(&mut world, Pose::translation(0.3, 0.11, 0.05), half, 1.0, 0.0);
    world.edit_body(b, |body| body.velocity = Vec3::NEG_X * 2.0).unwrap();
    let before = world.momentum().angular;
    frames(&mut world, 30);
    let drift = (world.momentum().angular - before).length() / before.length();
    assert!(drift < 1e-3, "{drift}");
}

/// What no wall holds keeps its momentum, linear and angular.
#[test]
fn collisions_keep_momentum() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    for body in heap(&mut world, 12) {
        let at = place(&world, body);
        world.edit_body(body, |body| body.velocity = (Vec3::new(0.1, 1.2, 0.0) - at) * 2.0 + Vec3::X).unwrap();
    }
    let before = world.momentum();
    frames(&mut world, 60);
    let after = world.momentum();
    assert!((after.linear - before.linear).length() / before.linear.length() < 1e-5, "{before:?} {after:?}");
    // Axes that tilt out of the surface within a frame turn the whole a little when friction twists.
    assert!((after.angular - before.angular).length() / before.angular.length() < 1e-3, "{before:?} {after:?}");
}

/// Over a flat mesh things slide as over a plane: the edges between its triangles are no obstacles.
#[test]
fn nothing_stumbles_over_the_edges_of_a_flat_mesh() {
    let n = 40_u32;
    let corner = |k: u32| Vec3::new((k / (n + 1)) as f32 * 0.37 - 2.0, 0.0, (k % (n + 1)) as f32 * 0.37 - 7.0);
    let corners: Vec<Vec3> = (0..(n + 1) * (n + 1)).map(corner).collect();
    let cells = (0..n * n).map(|k| (k / n) * (n + 1) + k % n);
    let triangles: Vec<[u32; 3]> = cells.flat_map(|k| [[k, k + 1, k + n + 2], [k, k + n + 2, k + n + 1]]).collect();
    let slippery = Friction::new(0.0);
    for shape in [SharedShape::cuboid(0.2, 0.1, 0.3), SharedShape::ball(0.1)] {
        let mut world = World::new(Settings { sleep_speed: 0.0, ..Settings::default() }).unwrap();
        let mesh = open_mesh(&corners, &triangles).unwrap();
        world.add_collider(Collider::new(mesh).friction(slippery)).unwrap();
        let velocity = Vec3::new(2.0, 0.0, 0.7);
        let pose = Pose::translation(0.0, 0.105, 0.0);
        let body = Body::dynamic(pose, Mass::from_shape(&*shape, 1000.0).unwrap()).velocity(velocity);
        let body = world.add_body(body).unwrap();
        world.add_collider(Collider::new(shape).attached_to(body).friction(slippery)).unwrap();
        frames(&mut world, 300);
        let after = world.body(body).unwrap();
        assert!((after.velocity - velocity).length() < 1e-3, "{}", after.velocity);
        assert!((after.pose.translation - Vec3::new(10.0, 0.1, 3.5)).length() < 1e-3, "{}", after.pose.translation);
    }
}

/// Returns the level ground with bodies that do not fall asleep.
fn awake_ground(substeps: u32) -> World {
    let mut world = ground(substeps, Quat::IDENTITY, 0.5);
    world.set_settings(Settings { sleep_speed: 0.0, ..world.settings().clone() }).unwrap();
    world
}

/// Drops layers of 4 × 4 unit boxes, each up to `jitter` [m] off its column, and returns them with their world after 6 s.
fn pile(jitter: f32) -> (World, Vec<BodyHandle>) {
    let mut world = awake_ground(10);
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    };
    let boxes = (0..16 * 6).map(|k| {
        let (layer, x, z) = (k / 16, k % 4, k / 4 % 4);
        let column = Vec3::new(1.1 * x as f32, 0.5 + 1.2 * layer as f32, 1.1 * z as f32);
        let pose = Pose::from_translation(column + Vec3::new(random(), 0.0, random()) * jitter);
        block(&mut world, pose, Vec3::splat(0.5), 1.0, 0.5)
    });
    let boxes = boxes.collect();
    frames(&mut world, 360);
    (world, boxes)
}

/// A pile whose boxes may not sleep stops.
#[test]
fn a_pile_comes_to_rest() {
    let (world, boxes) = pile(0.08);
    let fastest = fastest(&world, &boxes);
    assert!(fastest < 1e-3, "{fastest} m/s");
}

/// Returns the largest speed of these bodies \[m/s\].
fn fastest(world: &World, bodies: &[BodyHandle]) -> f32 {
    bodies.iter().map(|&body| world.body(body).unwrap().velocity.length()).fold(0.0, f32::max)
}

/// A pyramid of boxes, 20 in the lowest layer, stops trembling.
#[test]
fn a_pyramid_comes_to_rest() {
    for (substeps, allowed) in [(4, 4e-3), (10, 1e-3)] {
        let mut world = awake_ground(substeps);
        let place = |layer: usize, k: usize| (1.05 * (k as f32 - 0.5 * (19 - layer) as f32), 0.5 + layer as f32);
        let places = (0..20).flat_map(|layer| (0..20 - layer).map(move |k| place(layer, k)));
        let pose = |(x, y)| Pose::translation(x, y, 0.0);
        let boxes: Vec<_> = places.map(|at| block(&mut world, pose(at), Vec3::splat(0.5), 1.0, 0.5)).collect();
        frames(&mut world, 360);
        let fastest = fastest(&world, &boxes);
        assert!(fastest < allowed, "{substeps} substeps: {fastest} m/s");
    }
}

/// Boxes that begin inside their neighbours part without throwing each other over.
#[test]
fn boxes_that_begin_inside_each_other_stay_upright() {
    let (world, boxes) = pile(0.3);
    let upright = |&&body: &&BodyHandle| (world.body(body).unwrap().pose.rotation * Vec3::Y).y > 0.9;
    let tilted = boxes.len() - boxes.iter().filter(upright).count();
    assert!(tilted <= 1, "{tilted} boxes have tilted");
}

/// A thousand times the weight of the boxes under it presses them by the springs of their contacts and no more.
#[test]
fn a_tower_bears_a_thousand_times_its_weight_for_a_minute() {
    let mut world = awake_ground(20);
    let boxes = tower(&mut world, 10, 1000.0);
    frames(&mut world, 3600);
    let at = place(&world, boxes[9]);
    // Σ F (1/m₁ + 1/m₂)/ω² with ω = π/2h.
    let frequency = 600.0 * std::f32::consts::PI;
    let yields = G * (1009.0 + 2.0 * 8036.0 + 1001.0) / (frequency * frequency);
    assert!(libm::hypotf(at.x, at.z) < 1e-2 && ((9.5 - at.y) / yields - 1.0).abs() < 0.02, "{at}, {yields}");
}

/// Forty boxes on each other stand, awake.
#[test]
fn a_column_of_forty_boxes_stands() {
    let mut world = awake_ground(10);
    let boxes = tower(&mut world, 40, 1.0);
    frames(&mut world, 1200);
    let at = place(&world, boxes[39]);
    assert!(libm::hypotf(at.x, at.z) < 1e-2 && (at.y - 39.5).abs() < 0.02, "{at}");
}

/// The manifolds of an earlier frame do not serve another shape.
#[test]
fn a_box_at_rest_whose_collider_gets_another_shape_rests_on_that_one() {
    let mut world = ground(20, Quat::IDENTITY, 0.5);
    let body = world.add_body(Body::dynamic(Pose::translation(0.0, 0.5, 0.0), Mass::cuboid(1.0, Vec3::splat(0.5))));
    let body = body.unwrap();
    let collider = world.add_collider(Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body)).unwrap();
    frames(&mut world, 30);
    world.edit_collider(collider, |collider| collider.shape = SharedShape::cuboid(0.5, 0.3, 0.5)).unwrap();
    frames(&mut world, 60);
    let height = place(&world, body).y;
    assert!((height - 0.3).abs() < 1e-3, "{height}");
}
