//! The same pairs on both, case by case.

use glam::{Vec3, Vec4};
use libtest_mimic::Failed;
use xpbd_core::world::CollisionLayers;

use super::case::{Case, Lists, Random};
use super::gpu::Gpu;
use crate::ensure;

/// Returns the lists of both, which must be the same.
fn agree(gpu: &Gpu, case: &Case) -> Result<Lists, Failed> {
    let found = gpu.search(&mut gpu.pairs(), case)?;
    same(gpu, case, &found)?;
    Ok(found)
}

/// Exactly the same where the device rounds like the CPU; elsewhere one pair in a thousand may lie
/// on the other side of the limit.
pub fn same(gpu: &Gpu, case: &Case, found: &Lists) -> Result<(), Failed> {
    let wanted = case.on_cpu()?;
    if gpu.exact {
        let differs = |(i, (a, b)): (usize, (&Vec<u32>, &Vec<u32>))| (a != b).then(|| format!("{i}: {a:?}, not {b:?}"));
        let difference = found.lists.iter().zip(&wanted.lists).enumerate().find_map(differs);
        ensure(difference.is_none(), || format!("partners of {}", difference.unwrap_or_default()))?;
        return ensure(*found == wanted, || format!("{} and {} dropped", found.dropped, wanted.dropped));
    }
    let missing = |a: &Vec<u32>, b: &Vec<u32>| a.iter().filter(|&j| b.binary_search(j).is_err()).count();
    let differ: usize = found.lists.iter().zip(&wanted.lists).map(|(a, b)| missing(a, b) + missing(b, a)).sum();
    ensure(1000 * differ <= wanted.needed, || format!("{differ} of {} partners differ", wanted.needed))
}

fn ensure_pairs(found: &Lists, least: usize) -> Result<(), Failed> {
    ensure(found.needed >= 2 * least, || format!("only {} partners", found.needed))
}

pub fn clouds(gpu: &Gpu) -> Result<(), Failed> {
    let (mut random, mut pairs, mut total) = (Random(1), gpu.pairs(), 0);
    for n in [900, 17, 3, 2500] {
        for (size, speed) in [(0.2, 0.1), (0.6, 1.0), (1.0, 3.0), (50.0, 10.0)] {
            let positions: Vec<_> = (0..n).map(|_| size * random.vector()).collect();
            let case = Case::new(0.05, 0.03).grains(positions).moving(&mut random, speed);
            let found = gpu.search(&mut pairs, &case)?;
            same(gpu, &case, &found)?;
            total += found.needed;
        }
    }
    ensure(total > 100_000, || format!("{total} partners"))
}

/// Places on a cubic lattice of `side`³ points \[m\].
pub fn lattice(side: usize, spacing: f32) -> impl Iterator<Item = Vec3> {
    let place = move |i| Vec3::new((i % side) as f32, (i / side % side) as f32, (i / side / side) as f32);
    (0..side * side * side).map(move |i| spacing * place(i))
}

pub fn dense_heap(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(2);
    let places: Vec<_> = lattice(16, 0.02).map(|x| x + 0.002 * random.vector()).collect();
    let mut case = Case::new(0.01, 0.01).grains(places).moving(&mut random, 0.2);
    ensure_pairs(&agree(gpu, &case)?, 20_000)?;
    case.particles.velocity.iter_mut().for_each(|v| *v += Vec4::new(3.0, -40.0, 1.0, 0.0));
    ensure_pairs(&agree(gpu, &case)?, 20_000)
}

pub fn one_point(gpu: &Gpu) -> Result<(), Failed> {
    let case = Case::new(0.1, 0.0).grains([Vec3::new(0.3, 7.0, -2.0); 700]);
    let found = agree(gpu, &case)?;
    ensure(found.dropped > 100_000, || format!("{} dropped", found.dropped))
}

/// More than 48 partners at different distances, beside a thin cloud.
pub fn crowds(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(3);
    let size = [0.05, 0.05, 0.15, 3.0];
    let places: Vec<_> = (0..1200).map(|i| size[i % 4] * random.vector()).collect();
    let case = Case::new(0.06, 0.02).grains(places).moving(&mut random, 1.0);
    let found = agree(gpu, &case)?;
    ensure(found.dropped > 10_000, || format!("{} dropped", found.dropped))
}

pub fn far(gpu: &Gpu) -> Result<(), Failed> {
    let two = Case::new(0.01, 0.005).grains([Vec3::ZERO, Vec3::X * 1000.0]);
    ensure(agree(gpu, &two)?.needed == 0, || "a pair 1 km apart".into())?;
    let mut random = Random(4);
    for speed in [0.0, 0.3] {
        let centres = [Vec3::ZERO, Vec3::new(1000.0, -3.0, -1000.0), Vec3::splat(-77_000.0), Vec3::X * 1e6];
        let places: Vec<_> = (0..1600).map(|i| centres[i % 4] + 0.1 * random.vector()).collect();
        let case = Case::new(0.01, 0.005).grains(places).moving(&mut random, speed);
        ensure_pairs(&agree(gpu, &case)?, 1000)?;
    }
    Ok(())
}

/// Partners as far apart as is just kept, 1 km from the origin, where the positions are rounded to a
/// hundredth of a radius and only anchors and offsets together tell their distance.
pub fn lattice_far_away(gpu: &Gpu) -> Result<(), Failed> {
    let spacing = 0.025 * (1.0 - 1e-5);
    let mut case = Case::new(0.01, 0.005).grains(lattice(9, spacing));
    for i in 0..case.particles.len() {
        let place = case.particles.anchor[i].truncate();
        let anchor = (place + Vec3::new(1000.0, 1000.0, -1000.0)) - Vec3::new(1000.0, 1000.0, -1000.0);
        case.particles.anchor[i] = (anchor + Vec3::new(1000.0, 1000.0, -1000.0)).extend(1.0);
        case.particles.offset[i] = (place - anchor).extend(0.0);
    }
    let found = agree(gpu, &case)?;
    ensure(found.needed == 2 * 3 * 8 * 81, || format!("{} partners", found.needed))
}

pub fn fast(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(5);
    let places: Vec<_> = (0..2000).map(|_| 0.4 * random.vector()).collect();
    let mut case = Case::new(0.02, 0.01).grains(places).moving(&mut random, 200.0);
    ensure_pairs(&agree(gpu, &case)?, 500)?;
    case.particles.velocity.iter_mut().step_by(3).for_each(|v| *v *= 1e30);
    agree(gpu, &case).map(|_| ())
}

pub fn not_finite(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(6);
    let places: Vec<_> = (0..600).map(|_| 0.2 * random.vector()).collect();
    let mut case = Case::new(0.02, 0.01).grains(places).moving(&mut random, 1.0);
    for (k, bad) in [f32::NAN, f32::INFINITY, -f32::INFINITY, 3e38, -1e30].into_iter().enumerate() {
        let particles = &mut case.particles;
        for (numbers, of) in [(&mut particles.anchor, 0), (&mut particles.offset, 1), (&mut particles.velocity, 2)] {
            for axis in 0..3 {
                numbers[40 * k + 10 * of + axis][axis] = bad;
                numbers[40 * k + 10 * of + 5] = Vec4::new(bad, bad, bad, 1.0);
            }
        }
    }
    ensure_pairs(&agree(gpu, &case)?, 500)?;
    case.particles.anchor.iter_mut().for_each(|x| x.z = f32::NAN);
    ensure(agree(gpu, &case)?.needed == 0, || "a pair of nowhere".into())
}

/// Rows of few particles, much longer than the table.
pub fn shared_buckets(gpu: &Gpu) -> Result<(), Failed> {
    let mut pairs = gpu.pairs();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE, Vec3::new(1.0, -1.0, 0.0)] {
        for n in [2, 3, 5, 8, 600] {
            let case = Case::new(0.45, 0.1).grains((-n / 2..n / 2).map(|i| axis * (0.5 * i as f32)));
            let found = gpu.search(&mut pairs, &case)?;
            same(gpu, &case, &found)?;
        }
    }
    Ok(())
}

pub fn filters(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(7);
    let mut case = Case::new(0.05, 0.02);
    for (groups, mask) in [(1, u32::MAX), (2, 1), (4, 6), (8, 0), (1 << 31, 1 << 31), (3, 5), (1, 1)] {
        for self_collision in [false, true] {
            let places: Vec<_> = (0..90).map(|_| 0.4 * random.vector()).collect();
            case = case.with(places, CollisionLayers { memberships: groups, filters: mask, self_collision });
        }
    }
    let mut case = case.moving(&mut random, 1.0);
    case.particles.rest_positions.iter_mut().for_each(|rest| *rest = random.vector());
    ensure_pairs(&agree(gpu, &case)?, 1000)?;
    (0..case.particles.len()).filter(|i| i % 5 < 3).for_each(|i| case.particles.set_pinned(i, true));
    ensure_pairs(&agree(gpu, &case)?, 1000)
}

/// A sheet folded like a fan: neighbours in the rest shape do not touch, layers do.
pub fn rest_shape(gpu: &Gpu) -> Result<(), Failed> {
    let rest = |i: usize| Vec3::new((i % 60) as f32, (i / 60) as f32, 0.0) * 0.012;
    let filter = CollisionLayers { self_collision: true, ..CollisionLayers::default() };
    let mut case = Case::new(0.01, 0.005).with((0..2400).map(rest), filter).moving(&mut Random(8), 0.1);
    for (i, x) in case.particles.anchor.iter_mut().enumerate() {
        let (row, layer) = (i / 60 % 10, i / 600);
        let y = if layer % 2 == 0 { row } else { 9 - row };
        *x = Vec4::new(x.x, y as f32 * 0.012, layer as f32 * 0.018, 1.0);
    }
    let found = agree(gpu, &case)?;
    ensure_pairs(&found, 2000)?;
    ensure(!found.lists[0].contains(&1), || "neighbours in the rest shape are partners".into())
}

pub fn frozen(gpu: &Gpu) -> Result<(), Failed> {
    let (mut random, mut pairs) = (Random(9), gpu.pairs());
    let mut case = Case::new(0.05, 0.02);
    for _ in 0..4 {
        let places: Vec<_> = (0..200).map(|_| 0.4 * random.vector()).collect();
        case = case.with(places, CollisionLayers::default());
    }
    let mut needed = Vec::new();
    for frozen in [0, 2, 3, 1] {
        case.objects[frozen].frozen = true;
        let found = gpu.search(&mut pairs, &case)?;
        same(gpu, &case, &found)?;
        needed.push(found.needed);
    }
    ensure(needed[0] > needed[1] && needed[1] > 0 && needed[2..] == [0, 0], || format!("{needed:?}"))
}

pub fn few(gpu: &Gpu) -> Result<(), Failed> {
    let mut pairs = gpu.pairs();
    for (places, needed) in [(&[][..], 0), (&[0.0], 0), (&[0.0, 0.15], 2), (&[0.0, 0.15, 5.0], 2), (&[0.0], 0)] {
        let case = Case::new(0.1, 0.01).grains(places.iter().map(|&x| Vec3::X * x));
        let found = gpu.search(&mut pairs, &case)?;
        same(gpu, &case, &found)?;
        ensure(found.needed == needed, || format!("{} partners, not {needed}", found.needed))?;
    }
    Ok(())
}
