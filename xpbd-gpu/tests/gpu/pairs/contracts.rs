//! What holds of the lists whatever is in them, and how long they take.

use glam::Vec3;
use libtest_mimic::Failed;

use super::case::{Case, Random};
use super::cases::{lattice, same};
use super::gpu::Gpu;
use crate::ensure;

/// Returns a heap in which every particle has about 60 partners, and some too many.
fn crowded(random: &mut Random) -> Case {
    let places: Vec<_> = (0..2000).map(|_| 0.3 * random.vector()).collect();
    Case::new(0.05, 0.02).grains(places).moving(random, 1.0)
}

/// The lists are cut, in the same way every time, until room is made.
pub fn overflow(gpu: &Gpu) -> Result<(), Failed> {
    let case = crowded(&mut Random(1));
    let wanted = case.on_cpu()?;
    let mut pairs = gpu.pairs();
    let cut = gpu.search_once(&mut pairs, &case)?;
    let room = pairs.capacity() as usize;
    ensure(wanted.needed > room, || format!("there is room for {room} partners"))?;
    if gpu.exact {
        let mut left = room;
        for (i, list) in wanted.lists.iter().enumerate() {
            let kept = &list[..left.min(list.len())];
            ensure(cut.lists[i] == kept, || format!("partners of {i}: {:?}, not {kept:?}", cut.lists[i]))?;
            left -= kept.len();
        }
        ensure(cut.needed == wanted.needed, || format!("{} needed, not {}", cut.needed, wanted.needed))?;
    }
    ensure(cut == gpu.search_once(&mut pairs, &case)?, || "cut in another way".into())?;
    let generation = pairs.generation();
    let found = gpu.search(&mut pairs, &case)?;
    ensure(pairs.generation() == generation + 1, || "the buffers are the old ones".into())?;
    same(gpu, &case, &found)
}

/// Where there is no memory for the partners that were counted, they are found again.
pub fn little_memory(_: &Gpu) -> Result<(), Failed> {
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 200_000, ..wgpu::Limits::default() };
    let gpu = Gpu::with_limits(limits).ok_or("no such device")?;
    let mut random = Random(4);
    let places: Vec<_> = lattice(12, 0.02).map(|x| x + 0.002 * random.vector()).collect();
    let case = Case::new(0.01, 0.01).grains(places).moving(&mut random, 0.3);
    let mut pairs = gpu.pairs();
    let found = gpu.search(&mut pairs, &case)?;
    same(&gpu, &case, &found)?;
    let crowd = Case::new(0.01, 0.01).grains([Vec3::ZERO; 10_000]);
    let refused = gpu.search(&mut pairs, &crowd).is_err();
    ensure(refused && gpu.search(&mut pairs, &case)? == found, || "too many particles are searched".into())
}

pub fn repeatable(gpu: &Gpu) -> Result<(), Failed> {
    let mut pairs = gpu.pairs();
    let case = crowded(&mut Random(2));
    let found = gpu.search(&mut pairs, &case)?;
    same(gpu, &case, &found)?;
    for run in 0..10 {
        ensure(found == gpu.search_once(&mut pairs, &case)?, || format!("run {run} differs"))?;
        if run % 4 == 1 {
            gpu.search(&mut pairs, &Case::new(0.2, 0.1).grains([Vec3::ZERO; 90]))?;
        }
    }
    Ok(())
}

/// So many particles that the sums of the blocks of a scan need several rounds.
pub fn long_scans(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(5);
    let places: Vec<_> = lattice(82, 0.03).map(|x| x + 0.01 * random.vector()).collect();
    let case = Case::new(0.01, 0.002).grains(places);
    let found = gpu.search(&mut gpu.pairs(), &case)?;
    ensure(found.needed > 100_000, || format!("{} partners", found.needed))?;
    same(gpu, &case, &found)
}

pub fn many(gpu: &Gpu) -> Result<(), Failed> {
    let mut random = Random(3);
    let places: Vec<_> = lattice(47, 0.02).take(100_000).map(|x| x + 0.002 * random.vector()).collect();
    let case = Case::new(0.01, 0.01).grains(places).moving(&mut random, 0.3);
    let mut pairs = gpu.pairs();
    let found = gpu.search(&mut pairs, &case)?;
    let state = gpu.upload(&case);
    let mut times = Vec::new();
    for _ in 0..9 {
        times.push(1e3 * gpu.dispatch(&pairs, &state)?);
    }
    times.sort_by(f64::total_cmp);
    println!("100,000 particles, {} partners, {}: {:.1} ms, the median of 9", found.needed, gpu.name, times[4]);
    same(gpu, &case, &found)
}
