//! Integrators and methods against their discretised closed forms.

use glam::Vec3;
use xpbd_core::settings::{ScheduleOrder, ScheduleSettings};
use xpbd_core::world::{Integrator, Object, ObjectHandle, Settings, SolverMethod, World};

use super::support::{FRAME, chain, cpu, links, one_particle, step, weightless};

/// Returns a mass of 1 kg at x = 1.5 m on a spring from the origin, 1 m long at rest.
fn spring(settings: Settings, compliance: f32, damping: f32) -> (World, ObjectHandle) {
    let mut world = World::new(settings).unwrap();
    let link = links(&[Vec3::ZERO, Vec3::X], &[[0, 1]], compliance).damping(damping);
    let object = Object::new("spring", vec![Vec3::ZERO, 1.5 * Vec3::X], 1.0).pin([0]).with(link);
    let object = world.add(object).unwrap();
    (world, object)
}

#[test]
fn a_spring_is_the_backward_euler_method_for_any_number_of_iterations() {
    // x_k = 1 + ½ ρᵏ cos(kφ), ρ = (1 + ω²h²)^−½, φ = atan(ωh), ω² = 1/(α m).
    let (substeps, alpha) = (20, 1e-3_f32);
    let h = f64::from(FRAME) / f64::from(substeps);
    let omega = (1.0 / f64::from(alpha)).sqrt();
    let (decay, phase) = ((1.0 + omega * omega * h * h).powf(-0.5), (omega * h).atan());
    let mut ways = Vec::new();
    for iterations in [1, 10] {
        let (mut world, object) = spring(Settings { substeps, iterations, ..weightless() }, alpha, 0.0);
        let mut cpu = cpu();
        let mut way = Vec::new();
        for frame in 1..=60 {
            world.step(&mut cpu, FRAME).unwrap();
            let x = f64::from(world.position(object, 1).unwrap().x);
            let k = f64::from(frame * substeps);
            let expected = 1.0 + 0.5 * decay.powf(k) * (k * phase).cos();
            assert!((x - expected).abs() < 1e-4, "{iterations} iterations, frame {frame}: {x} is not {expected}");
            way.push(x);
        }
        ways.push(way);
    }
    for (a, b) in ways[0].iter().zip(&ways[1]) {
        assert!((a - b).abs() < 1e-5, "1 iteration gives {a}, 10 give {b}");
    }
}

/// One spring along a line is solved exactly. Its damping is told from where the substep began.
#[test]
fn a_damped_spring_that_moves_leaves_nothing_to_correct() {
    let (mut world, object) = spring(Settings { substeps: 4, ..weightless() }, 1e-3, 2.0);
    let batch = world.batches_of(object)[0];
    for frame in 0..30 {
        step(&mut world, 1);
        let residual = world.residual(batch).unwrap();
        assert!(residual < 1e-6, "frame {frame}: {residual} m");
    }
}

#[test]
fn free_fall_near_and_far_from_the_origin() {
    // y_k = y₀ + v₀ k h − g h² k (k + 1)/2.
    for (offset, tolerance) in [(0.0, 1e-5), (1000.0, 1e-3), (30_000.0, 5e-3)] {
        let settings = Settings { gravity: Vec3::NEG_Y * 9.81, substeps: 20, ..Settings::default() };
        let (mut world, object) = one_particle(settings, Vec3::splat(offset));
        world.set_position(object, 0, Vec3::splat(offset), Vec3::new(0.0, 0.5, 0.0)).unwrap();
        step(&mut world, 60);
        let (k, h) = (1200.0, f64::from(FRAME) / 20.0);
        let expected = 0.5 * k * h - 9.81 * h * h * k * (k + 1.0) / 2.0;
        let moved = f64::from(world.position(object, 0).unwrap().y - offset);
        assert!((moved / expected - 1.0).abs() < tolerance, "at {offset} m: {moved} is not {expected}");
    }
}

#[test]
fn stiffness_is_physical_and_independent_of_iterations_and_substeps() {
    // Two masses m on springs below each other: α 2 m g and α m g, λ/h² = −2 m g and −m g.
    // Started there it stays there; the mean is taken over what little it swings.
    let (m, g, alpha) = (1.5, 9.81, 0.01);
    for (substeps, iterations) in [(5, 1), (20, 1), (50, 1), (20, 10)] {
        let mut world = World::new(Settings { substeps, iterations, ..Settings::default() }).unwrap();
        let rest = [Vec3::ZERO, Vec3::NEG_Y, Vec3::NEG_Y * 2.0];
        let low = alpha * m * g;
        let points = vec![rest[0], rest[1] + Vec3::NEG_Y * 2.0 * low, rest[2] + Vec3::NEG_Y * 3.0 * low];
        let object = Object::new("springs", points, m).pin([0]).with(links(&rest, &[[0, 1], [1, 2]], alpha));
        let object = world.add(object).unwrap();
        let batch = world.batches_of(object)[0];
        let (mut cpu, mut stretches, mut forces) = (cpu(), [0.0; 2], [0.0; 2]);
        for _ in 0..240 {
            world.step(&mut cpu, FRAME).unwrap();
            let y = [0, 1, 2].map(|k| world.position(object, k).unwrap().y);
            for link in 0..2 {
                stretches[link] += (y[link] - y[link + 1] - 1.0) / 240.0;
                forces[link] += world.row_forces(batch, link).unwrap()[0] / 240.0;
            }
        }
        for (link, load) in [(0, 2.0 * m * g), (1, m * g)] {
            let case = format!("{substeps} substeps, {iterations} iterations, link {link}");
            let (stretch, force) = (stretches[link], forces[link]);
            assert!((stretch / (alpha * load) - 1.0).abs() < 1e-3, "{case}: {stretch} is not {}", alpha * load);
            assert!((force / -load - 1.0).abs() < 1e-3, "{case}: {force} N is not {}", -load);
        }
    }
}

/// Returns how far the end of a hanging chain of 20 links is too low at rest, one substep a frame.
fn sag(method: SolverMethod, iterations: u32, compliance: f32) -> f32 {
    let schedule = ScheduleSettings { order: ScheduleOrder::Sequential, ..ScheduleSettings::default() };
    let settings = Settings { solver_method: method, iterations, substeps: 1, schedule, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let points: Vec<_> = (0..21).map(|k| Vec3::NEG_Y * (0.05 * k as f32)).collect();
    let edges: Vec<_> = (0..20).map(|k| [k, k + 1]).collect();
    let object = Object::new("chain", points.clone(), 0.1).pin([0]).with(links(&points, &edges, compliance));
    let object = world.add(object).unwrap();
    step(&mut world, 900);
    -1.0 - world.position(object, 20).unwrap().y
}

#[test]
fn position_based_stiffness_depends_on_iterations_and_not_on_compliance() {
    let soft = sag(SolverMethod::Pbd, 1, 0.01);
    assert_eq!(soft, sag(SolverMethod::Pbd, 1, 0.0), "compliance is ignored");
    // At rest one top-down sweep leaves g h² n (n − 1)/2; many sweeps leave next to nothing.
    let expected = 9.81 * FRAME * FRAME * 190.0;
    assert!((soft / expected - 1.0).abs() < 0.01, "{soft} is not {expected}");
    let stiff = sag(SolverMethod::Pbd, 100, 0.01);
    assert!(stiff < 0.1 * soft, "{stiff} {soft}");
    // The physical sag, Σ α m g k = α m g n (n + 1)/2, is what enough iterations give and more do not change.
    let physical = 0.001 * 0.1 * 9.81 * 210.0;
    for iterations in [100, 200] {
        let sag = sag(SolverMethod::Xpbd, iterations, 0.001);
        assert!((sag / physical - 1.0).abs() < 0.01, "{iterations}: {sag} is not {physical}");
    }
}

#[test]
fn damping_never_adds_energy_and_much_of_it_stops_the_swing() {
    for beta in [0.0, 1.0, 60.0, 1e4, 1e8] {
        let (mut world, object) = spring(weightless(), 1e-3, beta);
        let (mut cpu, mut before, mut least) = (cpu(), 0.5 * 0.25 / 1e-3, f32::INFINITY);
        for _ in 0..120 {
            world.step(&mut cpu, FRAME).unwrap();
            let x = world.position(object, 1).unwrap().x;
            let v = world.velocity(object, 1).unwrap().x;
            let energy = 0.5 * v * v + 0.5 * (x - 1.0) * (x - 1.0) / 1e-3;
            assert!(energy <= before * (1.0 + 1e-5) + 1e-9, "β = {beta}: {energy} J after {before} J");
            (before, least) = (energy, least.min(x));
        }
        // Critical damping is 2 √(k m) = 63 N s/m.
        assert_eq!(least < 1.0 - 1e-3, beta < 60.0, "β = {beta}: {least}");
    }
}

#[test]
fn second_order_keeps_energy_far_longer() {
    // ω h = 0.1 with ω = 1/s: a period is 63 steps.
    let lost = |integrator| {
        let (mut world, _) = spring(Settings { integrator, substeps: 1, ..weightless() }, 1.0, 0.0);
        let mut cpu = cpu();
        let mut energy_after = |steps: u32| {
            (0..steps).for_each(|_| drop(world.step(&mut cpu, 0.1).unwrap()));
            world.energy().total()
        };
        // Past the start, which is of first order.
        let before = energy_after(10);
        1.0 - energy_after(63) / before
    };
    let (first, second) = (lost(Integrator::FirstOrder), lost(Integrator::SecondOrder));
    // First order loses 1 − (1 + ω²h²)^−63.
    assert!((first - (1.0 - 1.01_f64.powf(-63.0))).abs() < 0.01, "{first}");
    assert!(second.abs() < first / 50.0, "{second} against {first}");
}

#[test]
fn drag_takes_speed_away_exponentially() {
    let mut world = World::new(weightless()).unwrap();
    let mut object = Object::new("one", vec![Vec3::ZERO], 1.0).velocity(Vec3::X);
    object.linear_damping = 2.0;
    let object = world.add(object).unwrap();
    step(&mut world, 60);
    // (1 + c h)^−k.
    let expected = (1.0 + 2.0 / 1200.0_f64).powf(-1200.0);
    assert!((f64::from(world.velocity(object, 0).unwrap().x) / expected - 1.0).abs() < 1e-4);
}

#[test]
fn drag_leaves_forces_at_rest_alone() {
    // Static stretch α m g, whatever slows the motion.
    for drag in [0.0, 1.0, 10.0] {
        let mut world = World::new(Settings::default()).unwrap();
        let points = vec![Vec3::ZERO, Vec3::NEG_Y];
        let mut object = Object::new("spring", points.clone(), 1.0).pin([0]);
        object.linear_damping = drag;
        let object = world.add(object.with(links(&points, &[[0, 1]], 0.01).damping(10.0))).unwrap();
        step(&mut world, 600);
        let stretch = -1.0 - world.position(object, 1).unwrap().y;
        assert!((stretch / 0.0981 - 1.0).abs() < 1e-3, "drag {drag}/s: {stretch} is not 0.0981");
    }
}

#[test]
fn a_free_chain_keeps_its_momentum() {
    for integrator in [Integrator::FirstOrder, Integrator::SecondOrder] {
        let mut world = World::new(Settings { integrator, ..weightless() }).unwrap();
        let mut object = chain("chain", Vec3::new(-0.5, 0.0, 0.0), 21, 0.05);
        object.velocities = (0..21).map(|k| Vec3::new(0.4, 0.3 * (k as f32 - 10.0), 0.01 * (k * k) as f32)).collect();
        let object = world.add(object).unwrap();
        let before = world.momentum();
        let sizes: f32 = world.velocities(object).unwrap().map(|v| v.length() * 0.001).sum();
        step(&mut world, 60);
        let after = world.momentum();
        let lost = (after.linear - before.linear).length() / f64::from(sizes);
        assert!(lost < 1e-5, "{integrator:?}: {lost} of the momentum in a second");
    }
}

#[test]
fn a_rotor_slows_down_as_the_method_does() {
    // A rigid link of two masses turns by θ_k in a substep: tan θ₁ = ω h, and from x̂ = 2xₖ − xₖ₋₁
    // tan θₖ₊₁ = sin θₖ/(2 − cos θₖ). Its angular momentum is Σ m r² sin θ/h.
    for (omega, substeps) in [(2.0, 20), (10.0, 20), (10.0, 5)] {
        let mut world = World::new(Settings { substeps, ..weightless() }).unwrap();
        let mut object = chain("rotor", Vec3::X * -0.5, 2, 1.0);
        object.velocities = vec![Vec3::Y * (-0.5 * omega), Vec3::Y * (0.5 * omega)];
        world.add(object).unwrap();
        step(&mut world, 60);
        let h = f64::from(FRAME) / f64::from(substeps);
        let mut angle = (f64::from(omega) * h).atan();
        for _ in 1..60 * substeps {
            angle = (angle.sin() / (2.0 - angle.cos())).atan();
        }
        let expected = 2.0 * 0.001 * 0.25 * angle.sin() / h;
        let found = world.momentum().angular.z;
        assert!((found / expected - 1.0).abs() < 1e-4, "ω = {omega}: {found} is not {expected}");
    }
}

#[test]
fn moved_far_away_or_moving_fast_a_chain_swings_the_same() {
    // Relative to the first particle, within 1e-3 of its length of 0.4 m after a second.
    let swing = |place: Vec3, velocity: Vec3| {
        let mut world = World::new(weightless()).unwrap();
        let mut object = chain("chain", place, 5, 0.1);
        object.velocities = (0..5).map(|k| velocity + Vec3::new(0.0, 0.2 * k as f32, 0.05 * (k % 2) as f32)).collect();
        let object = world.add(object).unwrap();
        step(&mut world, 60);
        let first = world.position(object, 0).unwrap();
        (1..5).map(|k| world.position(object, k).unwrap() - first).collect::<Vec<_>>()
    };
    let here = swing(Vec3::ZERO, Vec3::ZERO);
    let cases =
        [(Vec3::splat(1000.0), Vec3::ZERO), (Vec3::ZERO, Vec3::X * 50.0), (Vec3::ZERO, Vec3::new(30.0, -30.0, 26.0))];
    for (place, velocity) in cases {
        for (k, (a, b)) in here.iter().zip(swing(place, velocity)).enumerate() {
            assert!(a.distance(b) < 4e-4, "from {place} at {velocity}: particle {} is at {b}, not {a}", k + 1);
        }
    }
}
