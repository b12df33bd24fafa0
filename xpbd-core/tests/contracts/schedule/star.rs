//! A node with very many links: stable, and keeping momentum when its mass is split.

use glam::Vec3;
use xpbd_core::world::{Object, World};

use super::{row, scheduled};
use crate::support::{FRAME, Lcg, cpu, links, weightless};

/// Returns the particles of 1 g on links of 1 m around one of `mass` \[kg\], particle 0, all at rest.
pub(super) fn star(count: u32, mass: f32, compliance: f32) -> Object {
    let mut random = Lcg::new(62);
    let mut points = vec![Vec3::ZERO];
    points.extend((0..count).map(|_| random.unit()));
    let edges: Vec<_> = (1..=count).map(|k| [0, k]).collect();
    let mut object = Object::new("star", points.clone(), 0.001).with(links(&points, &edges, compliance));
    object.masses[0] = mass;
    object.velocities = vec![Vec3::ZERO; points.len()];
    object
}

/// Cases of cap of colours, mass in the middle [kg] and compliance [m/N], with 60 links.
fn keeps_momentum<const N: usize>(cases: [(u32, f32, f32); N]) {
    for (max_colours, mass, compliance) in cases {
        let mut random = Lcg::new(61);
        let mut object = star(60, mass, compliance);
        object.velocities.iter_mut().for_each(|v| *v = random.vector(1.0) + Vec3::X);
        // Lost against Σ m |v|, in a second.
        let scale: f32 = object.velocities.iter().zip(&object.masses).map(|(v, m)| m * v.length()).sum();
        let mut world = World::new(scheduled(max_colours, weightless())).unwrap();
        world.add(object).unwrap();
        let (mut cpu, before) = (cpu(), world.momentum());
        for _ in 0..60 {
            world.step(&mut cpu, FRAME).unwrap();
        }
        assert_eq!(row(&world, "test-distance")[4], (60 - max_colours).to_string());
        let lost = (world.momentum().linear - before.linear).length() / f64::from(scale);
        assert!(lost < 1e-5, "{max_colours} colours, {mass} kg, {compliance} m/N: {lost} of the momentum");
    }
}

#[test]
fn split_masses_keep_momentum() {
    keeps_momentum([(0, 1.0, 0.0), (0, 0.001, 0.0), (0, 1e-5, 1e-3), (4, 1.0, 0.0)]);
}

#[test]
fn colours_keep_momentum() {
    keeps_momentum([(48, 1.0, 0.0), (48, 0.1, 1e-3)]);
}

#[test]
fn a_node_of_very_high_degree_stays_stable() {
    rigid_star_is_stable([(500, 48, 1.0), (500, 0, 1.0), (500, 0, 0.001), (500, 0, 1e-5), (500, 0, 100.0)]);
}

#[test]
fn a_light_node_of_high_degree_stays_stable() {
    rigid_star_is_stable([(500, 48, 0.001)]);
}

#[test]
fn a_node_with_a_dozen_links_stays_stable() {
    rigid_star_is_stable([(8, 48, 0.001), (12, 48, 0.001)]);
}

#[test]
fn a_light_node_with_half_a_dozen_links_stays_stable() {
    rigid_star_is_stable([(6, 48, 1e-4)]);
}

#[test]
fn a_net_with_a_dozen_links_to_each_node_is_swept_and_stays_stable() {
    // A sheet of triangles with a link across each edge.
    let size = 14;
    let grid = || (0..size).flat_map(|y| (0..size).map(move |x| [x, y]));
    let points: Vec<_> = grid().map(|[x, y]| Vec3::new(x as f32, 0.0, y as f32) * 0.1).collect();
    let index = |[x, y]: [i32; 2]| (y * size + x) as u32;
    let links_of = |[x, y]: [i32; 2]| {
        let others = [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [1, 2]].map(|[dx, dy]| [x + dx, y + dy]);
        let inside = others.into_iter().filter(|end| end.iter().all(|k| (0..size).contains(k)));
        inside.map(move |end| [index([x, y]), index(end)])
    };
    let edges: Vec<_> = grid().flat_map(links_of).collect();
    let mut random = Lcg::new(63);
    let mut object = Object::new("net", points.clone(), 0.01).with(links(&points, &edges, 0.0));
    object.velocities = points.iter().map(|_| random.vector(1.0)).collect();
    let mut world = World::new(weightless()).unwrap();
    world.add(object).unwrap();
    let mut cpu = cpu();
    // Much of the energy goes where links are first pulled taut.
    (0..6).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let start = world.energy().kinetic;
    for frame in 6..600 {
        world.step(&mut cpu, FRAME).unwrap();
        let energy = world.energy().kinetic;
        assert!(energy < start * 1.02, "{energy} J in frame {frame}, it had {start} J");
    }
    assert_eq!(row(&world, "test-distance")[4], "0");
}

/// Cases of links, cap of colours and mass in the middle [kg].
fn rigid_star_is_stable<const N: usize>(cases: [(u32, u32, f32); N]) {
    for (count, max_colours, mass) in cases {
        // The middle starts at 3 m/s. Rigid links take energy and give none.
        let mut object = star(count, mass, 0.0);
        object.velocities[0] = Vec3::X * 3.0;
        let mut world = World::new(scheduled(max_colours, weightless())).unwrap();
        let object = world.add(object).unwrap();
        let case = format!("{count} links, {max_colours} colours, {mass} kg");
        let (mut cpu, start) = (cpu(), world.energy().kinetic);
        for frame in 0..240 {
            assert!(world.step(&mut cpu, FRAME).unwrap().frozen.is_empty());
            let energy = world.energy().kinetic;
            assert!(energy < start * 1.02, "{case}: {energy} J in frame {frame}, it had {start} J");
        }
        let centre = world.position(object, 0).unwrap();
        let stretch = |k: usize| world.position(object, k).unwrap().distance(centre) - 1.0;
        let worst = (1..=count as usize).map(|k| stretch(k).abs()).fold(0.0, f32::max);
        assert!(worst < 0.05, "{case}: one is {worst} m off");
    }
}
