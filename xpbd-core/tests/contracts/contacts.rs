//! Contacts at rest: how deep, how hard, who with, and what is told about them.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_core::collide::{Collider, Contact, ContactPartner, ContactPhase};
use xpbd_core::object::{ObjectState, ParticleStiffness};
use xpbd_core::sleep::SleepState;
use xpbd_core::world::{
    Backend, CollisionLayers, Friction, Integrator, Object, ObjectHandle, Settings, State, StepReport, World,
};

use super::support::{FRAME, Lcg, cpu, one_particle, step, weightless};

const RADIUS: f32 = 0.01;

fn floor() -> Collider {
    Collider::new(SharedShape::halfspace(Vec3::Y))
}

#[test]
fn at_rest_a_particle_stays_a_radius_above_the_floor() {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        for (substeps, iterations) in [(1, 1), (1, 5), (20, 1)] {
            let settings = Settings { substeps, iterations, integrator, ..Settings::default() };
            let (mut world, object) = one_particle(settings, Vec3::Y * RADIUS);
            world.add_collider(floor()).unwrap();
            let mut cpu = cpu();
            for frame in 0..120 {
                world.step(&mut cpu, FRAME).unwrap();
                // One plane, projected exactly: only rounding is left.
                let y = world.position(object, 0).unwrap().y;
                assert!((y - RADIUS).abs() < 1e-7, "{integrator:?} {substeps}: {y} in frame {frame}");
                let v = world.velocity(object, 0).unwrap().length();
                assert!(v < 1e-4, "{integrator:?} {substeps}: {v} m/s in frame {frame}");
            }
        }
    }
}

#[test]
fn a_drop_comes_to_rest_without_a_bounce() {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let (mut world, object) = one_particle(Settings { integrator, ..Settings::default() }, Vec3::Y);
        world.add_collider(floor()).unwrap();
        let (mut cpu, mut touched) = (cpu(), false);
        for _ in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
            let y = world.position(object, 0).unwrap().y;
            touched |= y < RADIUS + 1e-4;
            assert!(y > RADIUS - 1e-5 && (!touched || y < RADIUS + 1e-4), "{integrator:?}: {y}");
        }
        assert!(touched);
    }
}

#[test]
fn an_overlap_is_resolved_no_faster_than_allowed() {
    // [SmallSteps19] eq. 10: v ≤ v_max, here for half a particle in the floor, half in another.
    for (substeps, v_max) in [(1, 0.05), (20, 0.05), (20, 1.0), (3, 0.3)] {
        let settings = Settings { substeps, max_depenetration_speed: v_max, ..weightless() };
        let (mut world, sunk) = one_particle(settings, Vec3::ZERO);
        world.add_collider(floor()).unwrap();
        let mut pair = Object::new("pair", vec![Vec3::Y, Vec3::Y + Vec3::X * RADIUS], 1.0);
        pair.masses[1] = 3.0;
        pair.rest_positions = vec![Vec3::ZERO, Vec3::X];
        pair.collision_layers.self_collision = true;
        let pair = world.add(pair).unwrap();
        let (mut cpu, mut fastest) = (cpu(), [0.0_f32; 2]);
        for _ in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
            let [a, b] = [0, 1].map(|k| world.velocity(pair, k).unwrap());
            for (fastest, v) in fastest.iter_mut().zip([world.velocity(sunk, 0).unwrap().length(), (a - b).length()]) {
                *fastest = fastest.max(v);
                assert!(v < v_max * 1.001, "{substeps} substeps: {v} m/s against {v_max}");
            }
        }
        assert!(fastest.iter().all(|&v| v > 0.1 * v_max.min(RADIUS / FRAME)), "it does push: {fastest:?}");
        assert!(world.position(sunk, 0).unwrap().y > RADIUS * 0.999);
        let apart = world.position(pair, 0).unwrap().distance(world.position(pair, 1).unwrap());
        assert!(apart > 2.0 * RADIUS * 0.999, "{apart}");
    }
}

#[test]
fn groups_and_masks_of_objects_and_colliders() {
    let filter = |groups, mask| CollisionLayers { memberships: groups, filters: mask, self_collision: false };
    for (a, b, meet) in [
        (filter(1, 1), filter(1, 1), true),
        (filter(1, 2), filter(2, 1), true),
        (filter(1, 1), filter(2, 1), false),
        (filter(1, 2), filter(2, 2), false),
        (filter(0, u32::MAX), filter(1, u32::MAX), false),
    ] {
        let mut collider = floor();
        collider.collision_layers = b;
        let mut world = World::new(Settings::default()).unwrap();
        let collider = world.add_collider(collider).unwrap();
        let object = world.add(Object::new("one", vec![Vec3::Y * 0.02], 1.0)).unwrap();
        world.set_collision_layers(object, a).unwrap();
        step(&mut world, 30);
        assert_eq!(world.position(object, 0).unwrap().y > 0.0, meet, "{a:?} {b:?}");
        world.remove_collider(collider).unwrap();

        // Object on pinned object.
        let mut world = World::new(Settings::default()).unwrap();
        let below = world.add(Object::new("below", vec![Vec3::ZERO], 1.0).pin([0])).unwrap();
        let above = world.add(Object::new("above", vec![Vec3::Y * 0.03], 1.0)).unwrap();
        world.set_collision_layers(below, b).unwrap();
        world.set_collision_layers(above, a).unwrap();
        step(&mut world, 30);
        assert_eq!(world.position(above, 0).unwrap().y > 0.0, meet, "{a:?} {b:?}");
    }
}

#[test]
fn an_object_collides_with_itself_only_if_told_and_not_with_its_neighbours() {
    for (self_collision, rest_distance, meet) in [(false, 1.0, false), (true, 1.0, true), (true, 1.9 * RADIUS, false)] {
        let mut object = Object::new("pair", vec![Vec3::ZERO, Vec3::Y * 0.03], 1.0).pin([0]);
        object.collision_layers.self_collision = self_collision;
        object.rest_positions = vec![Vec3::ZERO, Vec3::Y * rest_distance];
        let mut world = World::new(Settings::default()).unwrap();
        let object = world.add(object).unwrap();
        step(&mut world, 30);
        let stays = world.position(object, 1).unwrap().y > 0.0;
        assert_eq!(stays, meet, "{self_collision} {rest_distance}");
    }
}

/// Just within reach of each other 1 km away, where a position cannot hold the distance: there the sum
/// of anchor and offset is rounded to six hundredths of a millimetre, in which the pair is out of reach.
#[test]
fn partners_are_found_by_exact_distances_far_from_the_origin() {
    let settings = Settings { particle_radius: RADIUS, contact_margin: 0.005, substeps: 1, ..Settings::default() };
    for center in [0.0, 1000.0] {
        for (apart, found) in [(0.024_999, 1), (0.025_001, 0)] {
            let mut state = State { settings: settings.clone(), ..State::default() };
            for at in [0.0, apart] {
                let anchor = Vec3::X * (center + at);
                state.particles.push(anchor, Vec3::ZERO, 1.0, Vec3::X * 10.0 * at);
            }
            state.particles.offset[1].x = apart - (state.particles.anchor[1].x - center);
            state.objects.push(ObjectState {
                name: "pair".into(),
                range: 0..2,
                friction: Friction::default(),
                restitution: 0.0,
                collision_layers: CollisionLayers { self_collision: true, ..CollisionLayers::default() },
                gravity_scale: 0.0,
                linear_damping: 0.0,
                frozen: false,
                can_sleep: false,
                sleep: SleepState::default(),
                surface: None,
                triangles: Vec::new(),
                supports: Vec::new(),
                stiffness: ParticleStiffness::default(),
                pin_targets: Vec::new(),
            });
            cpu().advance(&mut state, FRAME, &mut StepReport::default()).unwrap();
            assert_eq!(state.contacts.particles.pairs().len(), found, "{apart} m apart at {center} m");
        }
    }
}

/// Returns the contact of an object with a thing, of which there is at most one.
fn contact(world: &World, object: ObjectHandle, other: ContactPartner) -> Option<Contact> {
    let mut found = world.contacts().iter().filter(|contact| contact.object == object && contact.other == other);
    let first = found.next().copied();
    assert!(found.next().is_none(), "{:?}", world.contacts());
    first
}

#[test]
fn a_contact_begins_stays_and_ends_and_tells_its_impulse() {
    life_of_a_contact(Integrator::FirstOrder);
}

#[test]
fn a_contact_tells_its_impulse_in_second_order() {
    life_of_a_contact(Integrator::SecondOrder);
}

fn life_of_a_contact(integrator: Integrator) {
    for iterations in [1, 4] {
        let mut world = World::new(Settings { integrator, iterations, ..Settings::default() }).unwrap();
        let ground = ContactPartner::Collider(world.add_collider(floor()).unwrap());
        let mass = 2.5;
        let object = world.add(Object::new("one", vec![Vec3::new(0.3, 0.05, 0.0)], mass)).unwrap();
        let (mut cpu, mut phases, mut impulse, mut frames) = (cpu(), Vec::new(), 0.0, 0);
        for frame in 0..120 {
            if frame == 100 {
                world.set_position(object, 0, Vec3::Y, Vec3::ZERO).unwrap();
            }
            world.step(&mut cpu, FRAME).unwrap();
            let Some(contact) = contact(&world, object, ground) else { continue };
            phases.push(contact.phase);
            if contact.phase == ContactPhase::End {
                assert_eq!((contact.impulse, contact.count, contact.normal), (0.0, 0, Vec3::ZERO));
                continue;
            }
            assert_eq!(contact.count, 1);
            assert!((contact.normal - Vec3::Y).length() < 1e-6);
            assert!((contact.point - Vec3::new(0.3, RADIUS, 0.0)).length() < 0.02, "{}", contact.point);
            if (20..100).contains(&frame) {
                impulse += contact.impulse;
                frames += 1;
            }
        }
        let stays = phases.len() - 2;
        let expected = [vec![ContactPhase::Begin], vec![ContactPhase::Stay; stays], vec![ContactPhase::End]].concat();
        assert_eq!(phases, expected);
        assert_eq!(frames, 80);
        // Σ J = m g t.
        let weight = mass * 9.81 * FRAME * 80.0;
        assert!((impulse / weight - 1.0).abs() < 0.02, "{integrator:?} {iterations}: {impulse} N s is not {weight}");
    }
}

#[test]
fn contacts_between_objects_are_told_with_both() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add_collider(floor()).unwrap();
    let below = world.add(Object::new("below", vec![Vec3::Y * RADIUS], 1.0)).unwrap();
    let above = world.add(Object::new("above", vec![Vec3::Y * 3.0 * RADIUS], 1.0)).unwrap();
    step(&mut world, 60);
    let between = world.contacts().iter().find(|c| matches!(c.other, ContactPartner::Object(_))).copied().unwrap();
    let (first, second) = (between.object, between.other);
    assert!(
        (first, second) == (below, ContactPartner::Object(above))
            || (first, second) == (above, ContactPartner::Object(below))
    );
    let up = if first == above { 1.0 } else { -1.0 };
    assert!((between.normal - Vec3::Y * up).length() < 1e-3, "{between:?}");
    // The weight of the upper one in a frame.
    assert!((between.impulse / (9.81 * FRAME) - 1.0).abs() < 0.05, "{between:?}");
    let height = world.position(above, 0).unwrap().y;
    assert!((height - 3.0 * RADIUS).abs() < 0.02 * RADIUS, "{height}");
}

#[test]
fn collisions_of_particles_keep_momentum() {
    let mut random = Lcg::new(51);
    let mut cloud = Object::new("cloud", Vec::new(), 1.0);
    for k in 0..60 {
        cloud.positions.push(random.vector(0.06));
        cloud.velocities.push(cloud.positions[k] * -20.0 + random.vector(0.5));
        cloud.masses.push(random.range(0.5, 3.0));
    }
    cloud.rest_positions = (0..60).map(|k| Vec3::X * k as f32).collect();
    cloud.collision_layers.self_collision = true;
    for friction in [0.0, 0.5] {
        let mut world = World::new(weightless()).unwrap();
        let mut object = Object::new("cloud", cloud.positions.clone(), 1.0);
        (object.masses, object.velocities) = (cloud.masses.clone(), cloud.velocities.clone());
        (object.rest_positions, object.collision_layers) = (cloud.rest_positions.clone(), cloud.collision_layers);
        object.friction = Friction::new(friction);
        world.add(object).unwrap();
        let before = world.momentum();
        let scale: f32 = cloud.masses.iter().zip(&cloud.velocities).map(|(m, v)| m * v.length()).sum();
        let (mut cpu, mut met) = (cpu(), 0);
        for _ in 0..60 {
            met += world.step(&mut cpu, FRAME).unwrap().particle_contacts_active;
        }
        let after = world.momentum();
        let lost = (after.linear - before.linear).length() / f64::from(scale);
        assert!(met > 20 && lost < 1e-5, "μ = {friction}: {lost} of the momentum, {met} contacts");
        if friction == 0.0 {
            // Forces along the line of centres turn nothing; the arm is the size of the cloud.
            let turned = (after.angular - before.angular).length() / f64::from(scale * 0.1);
            assert!(turned < 1e-3, "{turned} of the angular momentum");
        }
    }
}

/// Grains that hit a ball from all sides push it nowhere, and those from one side by all of their momentum: Σ J = m v.
#[test]
fn the_net_impulse_of_a_contact_is_the_sum_of_vectors() {
    for (sides, expected) in [(6, Vec3::ZERO), (1, Vec3::X * 3.0 * 0.2)] {
        let mut world = World::new(Settings { particle_radius: 0.05, ..weightless() }).unwrap();
        let ball = world.add_collider(Collider::new(SharedShape::ball(0.5))).unwrap();
        let ways = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let positions = ways[..sides].iter().map(|&way| way * 0.56).collect();
        let velocities = ways[..sides].iter().map(|&way| way * -3.0).collect();
        world.add(Object { velocities, ..Object::new("grains", positions, 0.2) }).unwrap();
        let (mut net, mut sum) = (Vec3::ZERO, 0.0);
        for _ in 0..5 {
            step(&mut world, 1);
            let own = |contact: &&Contact| contact.other == ContactPartner::Collider(ball);
            net += world.contacts().iter().filter(own).map(|contact| contact.net_impulse).sum::<Vec3>();
            sum += world.contacts().iter().filter(own).map(|contact| contact.impulse).sum::<f32>();
        }
        assert!(net.distance(expected) < 1e-3, "{sides}: {net}");
        assert!((sum - 0.6 * sides as f32).abs() < 1e-2, "{sides}: {sum}");
    }
}
