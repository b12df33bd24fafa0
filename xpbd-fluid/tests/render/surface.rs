//! Surfaces of balls of particles, whose volume is known.

use std::collections::BTreeMap;

use glam::Vec3;
use xpbd_fluid::render::{SurfaceError, SurfaceMesh, SurfaceOptions, surface};

use crate::lattice;

const SPACING: f32 = 0.03;

fn ball(radius: i32) -> Vec<Vec3> {
    lattice(SPACING, radius, |p| p.length() <= radius as f32 * SPACING)
}

fn made(positions: &[Vec3]) -> SurfaceMesh {
    surface(positions, SPACING, &SurfaceOptions::default()).expect("a surface")
}

/// Returns the volume `[m³]` within a closed mesh, by the divergence theorem.
fn volume(mesh: &SurfaceMesh) -> f64 {
    let middle = mesh.positions[0];
    let corner = |index: u32| (mesh.positions[index as usize] - middle).as_dvec3();
    mesh.triangles.iter().map(|t| t.map(corner)).map(|[a, b, c]| a.cross(b).dot(c) / 6.0).sum()
}

/// Every edge belongs to two triangles, which run along it in opposite directions.
fn assert_closed(mesh: &SurfaceMesh) {
    let mut edges = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            assert_ne!(from, to);
            *edges.entry((from, to)).or_insert(0) += 1;
        }
    }
    assert!(edges.iter().all(|(&(from, to), &count)| count == 1 && edges.get(&(to, from)) == Some(&1)));
    assert!(!edges.is_empty());
}

#[test]
fn a_ball_has_a_closed_surface_around_its_volume() {
    let positions = ball(10);
    let mesh = made(&positions);
    assert_closed(&mesh);
    let expected = positions.len() as f64 * f64::from(SPACING * SPACING * SPACING);
    let ratio = volume(&mesh) / expected;
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    for (&position, &normal) in mesh.positions.iter().zip(&mesh.normals) {
        assert!((normal.length() - 1.0).abs() < 1e-5);
        assert!(normal.dot(position.normalize()) > 0.9, "{position} {normal}");
    }
}

/// A flat surface is half a spacing outside of the outermost particles, and it is flat.
#[test]
fn a_slab_ends_where_the_liquid_does() {
    let mesh = made(&lattice(SPACING, 12, |p| p.y.abs() < 3.5 * SPACING));
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        let inward = position.x.abs().max(position.z.abs()) < 8.0 * SPACING;
        if inward {
            let end = position.y.abs() / SPACING;
            assert!((end - 3.5).abs() < 0.02, "{end}");
            assert!(normal.y * position.y.signum() > 0.9999, "{normal}");
        }
    }
}

#[test]
fn it_is_the_same_anywhere_and_of_any_size() {
    let positions = ball(4);
    let mesh = made(&positions);
    let shift = Vec3::new(64.0, -32.0, 16.0);
    let moved: Vec<Vec3> = positions.iter().map(|&p| 4.0 * p + shift).collect();
    let moved = surface(&moved, 4.0 * SPACING, &SurfaceOptions::default()).expect("a surface");
    assert_eq!(moved.triangles.len(), mesh.triangles.len());
    assert!((volume(&moved) / 64.0 / volume(&mesh) - 1.0).abs() < 1e-3);
}

#[test]
fn a_single_drop_stays() {
    let mesh = made(&[Vec3::ONE]);
    assert_closed(&mesh);
    let ratio = volume(&mesh) / f64::from(SPACING * SPACING * SPACING);
    assert!((0.2..1.5).contains(&ratio), "{ratio}");
}

#[test]
fn far_drops_and_many_subdomains_are_one_closed_mesh() {
    let mut positions = lattice(SPACING, 22, |p| p.y.abs() < 3.5 * SPACING);
    positions.push(Vec3::new(0.0, 500.0, 0.0));
    assert_closed(&made(&positions));
}

#[test]
fn the_same_bits_come_again_for_any_number_of_threads() {
    let positions = lattice(SPACING, 22, |p| p.y.abs() < 4.5 * SPACING);
    let first = made(&positions);
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        assert!(pool.install(|| made(&positions)) == first);
    }
}

#[test]
fn nothing_has_an_empty_surface_and_nonsense_an_error() {
    assert_eq!(made(&[]), SurfaceMesh::default());
    let options = SurfaceOptions::default();
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(
            matches!(surface(&[Vec3::ZERO], spacing, &options), Err(SurfaceError::Option(e)) if e.name == "spacing")
        );
    }
    let broken = [Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)];
    assert!(matches!(surface(&broken, SPACING, &options), Err(SurfaceError::Position(1))));
    let spread = [Vec3::ZERO, Vec3::X * 1e6];
    assert!(matches!(surface(&spread, SPACING, &options), Err(SurfaceError::Spread { .. })));
    let fine = SurfaceOptions { cube_size: f32::NAN, ..options };
    assert!(matches!(surface(&spread, SPACING, &fine), Err(SurfaceError::Option(e)) if e.name == "cube_size"));
    assert_closed(&made(&[Vec3::ZERO; 3]));
}
