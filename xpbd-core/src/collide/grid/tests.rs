use super::{PairQuery, ParticleGrid};
use crate::parallel::WorkerScope;
use glam::Vec3;

/// A linear congruential generator, in −1..1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    fn cloud(&mut self, n: usize, size: f32) -> Vec<Vec3> {
        (0..n).map(|_| size * Vec3::new(self.next(), self.next(), self.next())).collect()
    }
}

fn brute(positions: &[Vec3], reach: f32) -> Vec<[u32; 2]> {
    let n = positions.len() as u32;
    let x = |i: u32| positions[i as usize];
    (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| [i, j]))
        .filter(|&[i, j]| x(i).distance_squared(x(j)) < reach * reach)
        .collect()
}

/// Returns the pairs of particles that stand still, those with `keep` and at most `cap` for each, and how many were dropped.
fn still_pairs(
    grid: &mut ParticleGrid,
    positions: &[Vec3],
    reach: f32,
    cap: usize,
    keep: impl Fn(u32, u32) -> bool + Sync,
) -> (Vec<[u32; 2]>, usize) {
    let (mut out, displacements) = (Vec::new(), vec![Vec3::ZERO; positions.len()]);
    let query = PairQuery { positions, displacements: &displacements, reach, max_approach: 1.0 };
    let dropped = grid.pairs(query, cap, keep, &WorkerScope::SINGLE, &mut out);
    (out, dropped)
}

fn agree(grid: &mut ParticleGrid, positions: &[Vec3], reach: f32) -> usize {
    let (out, _) = still_pairs(grid, positions, reach, usize::MAX, |_, _| true);
    assert_eq!(out, brute(positions, reach), "{} points, {reach} m", positions.len());
    out.len()
}

#[test]
fn clouds_of_any_density_give_all_pairs() {
    let (mut grid, mut random) = (ParticleGrid::default(), Random(1));
    let mut total = 0;
    for n in [0, 1, 2, 3, 17, 400, 900] {
        for size in [0.01, 0.3, 1.0, 5.0, 100.0, 1e6] {
            let positions = random.cloud(n, size);
            for reach in [0.05, 0.4] {
                total += agree(&mut grid, &positions, reach);
            }
        }
    }
    assert!(total > 100_000);
}

#[test]
fn distant_and_coincident_points_give_all_pairs() {
    let (mut grid, mut random) = (ParticleGrid::default(), Random(2));
    let mut positions = random.cloud(200, 0.1);
    for centre in [1e3, 1e6, -1e9, 1e30] {
        let more: Vec<_> = positions[..60].iter().map(|&x| x + centre).collect();
        positions.extend(more);
    }
    positions.extend([Vec3::splat(7.0); 40]);
    assert!(agree(&mut grid, &positions, 0.07) > 40 * 39 / 2);
}

#[test]
fn lattice_on_cell_borders_gives_all_pairs() {
    let mut grid = ParticleGrid::default();
    let lattice: Vec<_> =
        (0..1000).map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) - 5.0).collect();
    assert_eq!(agree(&mut grid, &lattice, 1.0), 0);
    assert_eq!(agree(&mut grid, &lattice, 1.001), 3 * 900);
}

/// A long row of few points: the table is much shorter than the row, so buckets are shared.
#[test]
fn shared_buckets_give_each_pair_once() {
    let mut grid = ParticleGrid::default();
    let row = |axis: Vec3| -> Vec<Vec3> { (-300..300).map(|i| axis * (0.7 * i as f32)).collect() };
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE] {
        agree(&mut grid, &row(axis), 1.0);
        for n in 2..9 {
            agree(&mut grid, &row(axis)[..n], 1.0);
        }
    }
}

#[test]
fn wide_cells_at_the_limit_of_precision_give_all_pairs() {
    let (mut grid, mut random) = (ParticleGrid::default(), Random(3));
    let positions: Vec<_> = random.cloud(300, 3.0).iter().map(|&x| x + 1.6e7).collect();
    agree(&mut grid, &positions, 1.5);
    agree(&mut grid, &positions, 0.5);
}

/// Pairs of particles that move against all of them tested one by one, where all move alike and where none does.
#[test]
fn particles_that_come_near_on_their_ways_are_partners() {
    let (mut grid, mut random) = (ParticleGrid::default(), Random(5));
    let mut total = 0;
    for (speed, drift) in [(0.0, 0.0), (0.01, 5.0), (0.1, 0.0), (0.3, 1.0), (10.0, 0.0), (f32::MAX, 0.0)] {
        let positions = random.cloud(500, 0.4);
        let displacements: Vec<_> = random.cloud(500, speed).iter().map(|&way| way + drift).collect();
        let (reach, max_approach) = (0.05, 0.2);
        let (mut out, mut wanted) = (Vec::new(), brute(&positions, reach + max_approach));
        let [x, way] = [&positions, &displacements].map(|of| move |i: u32| of[i as usize]);
        wanted.retain(|&[i, j]| x(i).distance(x(j)) < reach + way(i).distance(way(j)).min(max_approach));
        let query = PairQuery { positions: &positions, displacements: &displacements, reach, max_approach };
        grid.pairs(query, usize::MAX, |_, _| true, &WorkerScope::SINGLE, &mut out);
        assert_eq!(out, wanted, "{speed} m, {drift} m");
        total += out.len();
    }
    assert!(total > 10_000, "{total}");
}

#[test]
fn points_that_are_not_finite_have_no_pairs() {
    let mut grid = ParticleGrid::default();
    let bad = [Vec3::NAN, Vec3::INFINITY, Vec3::INFINITY, Vec3::NAN, Vec3::ZERO, Vec3::ZERO];
    assert_eq!(still_pairs(&mut grid, &bad, 1.0, usize::MAX, |_, _| true), (vec![[4, 5]], 0));
    for reach in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(still_pairs(&mut grid, &bad, reach, usize::MAX, |_, _| true), (vec![], 0));
    }
}

#[test]
fn rejected_pairs_are_left_out() {
    let positions = Random(4).cloud(200, 0.3);
    let (out, _) = still_pairs(&mut ParticleGrid::default(), &positions, 0.2, usize::MAX, |i, j| (i + j) % 3 == 0);
    let mut wanted = brute(&positions, 0.2);
    wanted.retain(|[i, j]| (i + j) % 3 == 0);
    assert_eq!(out, wanted);
}

#[test]
fn cap_keeps_the_nearest_partners() {
    let mut grid = ParticleGrid::default();
    let line: Vec<_> = (0..10).map(|i| Vec3::X * ((i * 7 % 10) as f32)).collect();
    let (out, dropped) = still_pairs(&mut grid, &line, 100.0, 2, |_, _| true);
    assert_eq!(dropped + out.len(), 45);
    assert_eq!(out[..2], [[0, 3], [0, 6]]);
    let place = [Vec3::ONE; 5000];
    let (out, dropped) = still_pairs(&mut grid, &place, 0.1, 8, |_, _| true);
    assert_eq!(dropped + out.len(), 5000 * 4999 / 2);
    let first: Vec<_> = (1..9).map(|j| [0, j]).collect();
    assert_eq!(out[..8], first[..]);
    assert!(out.is_sorted());
}
