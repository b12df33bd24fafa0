//! Spray, foam and bubbles of liquids that move as told.

use glam::Vec3;
use xpbd_fluid::render::{Foam, FoamKind, FoamOptions, FoamParticle, FoamPotential};

use crate::lattice;

const SPACING: f32 = 0.05;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.8, 0.0);
const DT: f32 = 1.0 / 60.0;

fn foam(options: FoamOptions) -> Foam {
    Foam::new(options).expect("valid")
}

/// Returns two blocks that run into each other at `speed`, and their velocities.
fn clash(speed: f32) -> (Vec<Vec3>, Vec<Vec3>) {
    let positions = lattice(SPACING, 6, |_| true);
    let velocities = positions.iter().map(|p| if p.x > 0.0 { -speed } else { speed } * Vec3::X).collect();
    (positions, velocities)
}

#[test]
fn a_liquid_at_rest_makes_none() {
    let positions = lattice(SPACING, 6, |_| true);
    let mut foam = foam(FoamOptions::default());
    for speed in [0.0, 0.3] {
        let velocities = vec![Vec3::Z * speed; positions.len()];
        (0..60).for_each(|_| foam.step(&positions, &velocities, SPACING, GRAVITY, DT));
        assert_eq!(foam.particles(), []);
    }
}

/// What moves as one traps no air, and a flat surface that moves outward has no crest.
#[test]
fn a_fast_block_makes_foam_at_its_edges_alone() {
    let positions = lattice(SPACING, 8, |_| true);
    let velocities = vec![Vec3::Y * 5.0; positions.len()];
    let crest = FoamPotential { from: 0.3, to: 1.0, rate: 120.0 };
    let mut foam = foam(FoamOptions { crest, ..FoamOptions::default() });
    (0..200).for_each(|_| foam.step(&positions, &velocities, SPACING, Vec3::ZERO, 1e-4));
    assert!(!foam.particles().is_empty());
    for FoamParticle { position, .. } in foam.particles() {
        assert!(position.x.abs().max(position.z.abs()) > 6.0 * SPACING, "{position}");
    }
}

#[test]
fn a_clash_makes_foam_within_its_budget() {
    let (positions, velocities) = clash(4.0);
    let mut foam = foam(FoamOptions { max_particles: 500, ..FoamOptions::default() });
    let mut most = 0;
    for _ in 0..30 {
        foam.step(&positions, &velocities, SPACING, GRAVITY, DT);
        most = most.max(foam.particles().len());
        assert!(foam.particles().len() <= 500);
    }
    assert!(most > 450, "{most}");
    let mut none = self::foam(FoamOptions { max_particles: 0, ..FoamOptions::default() });
    none.step(&positions, &velocities, SPACING, GRAVITY, DT);
    assert_eq!(none.particles(), []);
}

#[test]
fn lifetimes_end() {
    let (positions, velocities) = clash(4.0);
    let mut foam = foam(FoamOptions { lifetime: [0.1, 0.2], ..FoamOptions::default() });
    foam.step(&positions, &velocities, SPACING, GRAVITY, DT);
    let made = foam.particles().len();
    assert!(made > 0);
    let still = vec![Vec3::ZERO; positions.len()];
    (0..5).for_each(|_| foam.step(&positions, &still, SPACING, GRAVITY, DT));
    assert_eq!(foam.particles().len(), made, "shortest lifetime is 0.1 s");
    (0..8).for_each(|_| foam.step(&positions, &still, SPACING, GRAVITY, DT));
    assert_eq!(foam.particles().len(), 0, "longest lifetime is 0.2 s");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_others() {
    let run = |seed| {
        let mut foam = foam(FoamOptions { seed, ..FoamOptions::default() });
        let (positions, velocities) = clash(4.0);
        (0..10).for_each(|_| foam.step(&positions, &velocities, SPACING, GRAVITY, DT));
        foam.particles().to_vec()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// What has made something is taken away: what is left flies by x + n h v + n (n + 1) / 2 h² g.
#[test]
fn spray_falls_freely() {
    let (positions, velocities) = clash(4.0);
    let mut foam = foam(FoamOptions::default());
    foam.step(&positions, &velocities, SPACING, GRAVITY, DT);
    let before = foam.particles().to_vec();
    let count = 20;
    (0..count).for_each(|_| foam.step(&[], &[], SPACING, GRAVITY, DT));
    assert_eq!(foam.particles().len(), before.len());
    let n = count as f32;
    for (before, after) in before.iter().zip(foam.particles()) {
        assert_eq!(after.kind, FoamKind::Spray);
        let expected = before.position + n * DT * before.velocity + 0.5 * n * (n + 1.0) * DT * DT * GRAVITY;
        assert!(after.position.distance(expected) < 1e-4, "{} {expected}", after.position);
    }
}

/// In a liquid at rest, v' = v + k h g (−1) and v'' = v' / (1 + r h) has the limit −k g / r.
#[test]
fn bubbles_rise_and_foam_rests() {
    let (positions, velocities) = clash(4.0);
    let options = FoamOptions { lifetime: [9.0, 9.0], ..FoamOptions::default() };
    let mut foam = foam(options);
    foam.step(&positions, &velocities, SPACING, GRAVITY, DT);
    let deep = lattice(SPACING, 12, |_| true);
    let still = vec![Vec3::ZERO; deep.len()];
    (0..100).for_each(|_| foam.step(&deep, &still, SPACING, GRAVITY, 0.1 * DT));
    let expected = -options.buoyancy * GRAVITY / options.drag_rate;
    assert!(!foam.particles().is_empty());
    for bubble in foam.particles() {
        assert_eq!(bubble.kind, FoamKind::Bubble);
        assert!((bubble.velocity - expected).length() < 0.02 * expected.length(), "{}", bubble.velocity);
    }
    (0..400).for_each(|_| foam.step(&deep, &still, SPACING, GRAVITY, DT));
    assert!(!foam.particles().is_empty());
    for floating in foam.particles() {
        let height = floating.position.y / SPACING;
        assert!((10.0..14.5).contains(&height), "{height} {:?}", floating.kind);
    }
}

#[test]
fn what_is_not_finite_has_no_part() {
    let (mut positions, mut velocities) = clash(4.0);
    let mut foam = foam(FoamOptions::default());
    positions[3] = Vec3::NAN;
    positions[4] = Vec3::INFINITY;
    velocities[5] = Vec3::NAN;
    velocities.pop();
    (0..10).for_each(|_| foam.step(&positions, &velocities, SPACING, GRAVITY, DT));
    let made = foam.particles().to_vec();
    assert!(!made.is_empty() && made.iter().all(|p| p.position.is_finite() && p.velocity.is_finite()));
    foam.step(&positions, &velocities, f32::NAN, GRAVITY, DT);
    foam.step(&positions, &velocities, 0.0, GRAVITY, DT);
    foam.step(&positions, &velocities, SPACING, Vec3::NAN, DT);
    foam.step(&positions, &velocities, SPACING, GRAVITY, f32::NAN);
    foam.step(&positions, &velocities, SPACING, GRAVITY, 0.0);
    assert_eq!(foam.particles(), made);
    velocities.fill(Vec3::splat(f32::MAX));
    foam.step(&positions, &velocities, SPACING, GRAVITY, DT);
    assert!(foam.particles().iter().all(|p| p.position.is_finite()));
}

#[test]
fn options_without_sense_are_named() {
    let refused = |change: fn(&mut FoamOptions)| {
        let mut options = FoamOptions::default();
        change(&mut options);
        Foam::new(options).expect_err("refused").name
    };
    assert_eq!(refused(|options| options.energy = [2.0, 1.0]), "energy");
    assert_eq!(refused(|options| options.crest.rate = f32::NAN), "crest");
    assert_eq!(refused(|options| options.lifetime = [3.0, 1.0]), "lifetime[1]");
    assert_eq!(refused(|options| options.drag_rate = -1.0), "drag_rate");
}
