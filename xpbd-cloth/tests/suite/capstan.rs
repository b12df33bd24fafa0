//! Ropes over a beam, with loads at both ends: friction holds a ratio of e^{μ π} between them.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Rope, attach};
use xpbd_core::prelude::*;

const FRAME: f32 = 1.0 / 60.0;
/// Radius of the beam \[m\], around the middle of the rope.
const RADIUS: f32 = 0.2;
/// Length of a link that hangs \[m\].
const LINK: f32 = 0.05;

/// A rope over a beam, and its loads.
struct Capstan {
    world: World,
    loads: [BodyHandle; 2],
}

impl Capstan {
    /// Returns a rope of 0.13 kg that hangs down by a metre on both sides of a beam.
    fn new(friction: f32, loads: [f32; 2], substeps: u32) -> Self {
        let settings = Settings { substeps, particle_radius: 0.01, contact_margin: 0.01, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let friction = Friction::new(friction);
        let beam = Collider::new(SharedShape::cylinder(0.3, RADIUS - 0.01)).friction(friction);
        world.add_collider(beam.rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2))).unwrap();
        let left = (1..=20).rev().map(|k| Vec3::new(-RADIUS, -LINK * k as f32, 0.0));
        let angle = |k: u8| std::f32::consts::PI * (1.0 - f32::from(k) / 16.0);
        let arc = (0..=16).map(|k| Quat::from_rotation_z(angle(k)) * Vec3::X * RADIUS);
        let right = (1..=20).map(|k| Vec3::new(RADIUS, -LINK * k as f32, 0.0));
        let points: Vec<Vec3> = left.chain(arc).chain(right).collect();
        let rope = Rope::from_points(&points).density(0.05).friction(friction).build().unwrap();
        let rope = world.add(rope).unwrap();
        let ends = [(0, points[0]), (points.len() as u32 - 1, points[points.len() - 1])];
        let loads = std::array::from_fn(|k| {
            let (particle, place) = ends[k];
            let load = Body::dynamic(Pose::from_translation(place - Vec3::Y * LINK), Mass::ball(loads[k], LINK));
            let load = world.add_body(load).unwrap();
            world.add_batch(&[rope], &[load], attach(&[(particle, Vec3::Y * LINK)]).unwrap()).unwrap();
            load
        });
        Self { world, loads }
    }

    /// Returns how far the first load sinks in some frames \[m\].
    fn sinks(&mut self, frames: u32) -> f32 {
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        let height = |world: &World| world.body_pose(self.loads[0]).unwrap().translation.y;
        let before = height(&self.world);
        (0..frames).for_each(|_| drop(self.world.step(&mut cpu, FRAME).unwrap()));
        before - height(&self.world)
    }
}

#[test]
fn friction_holds_a_rope_over_a_beam_up_to_the_ratio_of_the_closed_form() {
    for (friction, limit) in [(0.1, 1.3691), (0.3, 2.5663), (0.5, 4.8105)] {
        for (lighter, substeps) in [(1.0, 10), (1.0, 20), (10.0, 20)] {
            let name = format!("μ {friction}, {lighter} kg, {substeps} substeps");
            for (part, most) in [(0.85, 0.01), (0.6, 1e-3)] {
                let mut held = Capstan::new(friction, [part * limit * lighter, lighter], substeps);
                held.sinks(30);
                let sunk = held.sinks(60);
                assert!(sunk.abs() < most, "{name}: at {part} of the limit the load sinks by {sunk} m in a second");
            }
            let sunk = Capstan::new(friction, [1.2 * limit * lighter, lighter], substeps).sinks(90);
            assert!(sunk > 0.05, "{name}: the load sinks by {sunk} m only");
        }
    }
}

/// Loads of m₁ and m₂ are slowed as if the rope had e^{μ π} m₂ g on its other side. A rope of links loses a part of its
/// energy where it comes to the beam, and moves more slowly than the closed form, but not faster.
#[test]
fn a_rope_slides_over_a_beam_as_the_closed_form_says() {
    for (friction, factor, ratio) in [(0.0, 1.0, 2.0), (0.1, 1.3691, 2.0), (0.2, 1.8745, 3.0), (0.3, 2.5663, 4.5)] {
        let acceleration = 9.81 * (ratio - factor) / (ratio + factor);
        let sunk = Capstan::new(friction, [ratio, 1.0], 20).sinks(30);
        let expected = 0.5 * acceleration * 0.25;
        assert!((0.78..1.02).contains(&(sunk / expected)), "μ {friction}: {sunk} m, expected {expected} m");
    }
}
