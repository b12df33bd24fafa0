//! Small islands: parts of a world that share no constraint, each solved for a whole frame by one
//! workgroup, all in one dispatch.
//!
//! An island is a run of objects that no constraint ties to others. It wins where dispatches would
//! cost more than the work in them: ropes, chains, a few flags.

use std::fmt::Write;
use std::ops::Range;

use xpbd_core::schedule::TracedPass;
use xpbd_core::world::State;

use crate::layout::WORKGROUP_SIZE;
use crate::pass_kernel::{GATHER, PassKernel};
use crate::wgsl::{self, KernelOptions};

/// Largest number of particles of an island; a workgroup loops over them.
const MAX_ISLAND_PARTICLES: usize = 1024;
/// Largest number of loop iterations in a frame: some devices leave a loop, and all loops around it, after 65,535.
pub const MAX_LOOP_ITERATIONS: usize = 60_000;
/// Largest number of passes, for which the uniform has room.
const MAX_ISLAND_PASSES: usize = 16;

/// Returns the islands of a world, if all of it is in small ones.
pub fn islands(state: &State) -> Option<Vec<Range<usize>>> {
    let passes: Vec<_> = state.plan.traced().collect();
    let plain_pass = |pass: &&TracedPass| {
        pass.connectors.only_particles() && !pass.kind.has_target_rates() && pass.linearization.is_none()
    };
    let plain = state.bodies.is_empty() && state.colliders.is_empty() && passes.len() == state.plan.passes.len();
    if !plain || passes.len() > MAX_ISLAND_PASSES || !passes.iter().all(plain_pass) {
        return None;
    }
    // How many constraints lie across the boundary before each particle.
    let mut steps = vec![0_i64; state.particles.len() + 1];
    for pass in &passes {
        for slot in 0..pass.len() {
            let nodes = pass.nodes.iter().map(|column| column[slot] as usize);
            let (low, high) = nodes.fold((usize::MAX, 0), |(low, high), node| (low.min(node), high.max(node)));
            steps[low + 1] += 1;
            steps[high + 1] -= 1;
        }
    }
    let mut across = 0;
    let ties: Vec<bool> = steps
        .iter()
        .map(|step| {
            across += step;
            across > 0
        })
        .collect();
    let mut islands: Vec<Range<usize>> = Vec::new();
    for (_, object) in state.objects.iter().filter(|(_, object)| !object.range.is_empty()) {
        match islands.last_mut() {
            Some(island) if ties[object.range.start] => island.end = object.range.end,
            _ => islands.push(object.range.clone()),
        }
    }
    let small = !islands.is_empty() && islands.iter().all(|island| island.len() <= MAX_ISLAND_PARTICLES);
    small.then_some(islands)
}

/// Returns first and count of the colours of a pass, its remainder and its gathers, for each island.
pub fn table(pass: &TracedPass, islands: &[Range<usize>]) -> Vec<u32> {
    let lowest = |slot: usize| pass.nodes.iter().map(|column| column[slot]).min().unwrap_or(0) as usize;
    let mut words = Vec::new();
    for island in islands {
        // Slots of a colour, of the remainder, and gathers are sorted by node.
        let part = |range: &Range<usize>, node: &dyn Fn(usize) -> usize| {
            let place = |bound: usize| {
                let (mut low, mut high) = (range.start, range.end);
                while low < high {
                    let middle = low.midpoint(high);
                    if node(middle) < bound { low = middle + 1 } else { high = middle }
                }
                low
            };
            let (first, end) = (place(island.start), place(island.end));
            [first as u32, (end - first) as u32]
        };
        words.extend(pass.colours.iter().flat_map(|colour| part(colour, &lowest)));
        words.extend(part(&pass.remainder, &lowest));
        words.extend(part(&(0..pass.remainder_nodes.len()), &|k| pass.remainder_nodes[k].node as usize));
    }
    words
}

/// Returns the largest number of loop iterations that a substep of any island takes, given the tables of all passes.
pub fn loop_iterations(islands: &[Range<usize>], tables: &[Vec<u32>], iterations: u32) -> usize {
    let rounds = |count: usize| 1 + count.div_ceil(WORKGROUP_SIZE as usize);
    let of_island = |island: usize| {
        let lists = tables.iter().map(|table| {
            let width = table.len() / islands.len();
            let counts = table[island * width..][..width].iter().skip(1).step_by(2);
            1 + counts.map(|&count| 1 + rounds(count as usize)).sum::<usize>()
        });
        2 * rounds(islands[island].len()) + iterations as usize * (1 + lists.sum::<usize>())
    };
    (0..islands.len()).map(of_island).max().unwrap_or(0)
}

/// Prints the kernel for these passes, each given as cold and warm kernel and whether it has a remainder.
pub fn module(passes: &[([PassKernel; 2], bool)], iterations: u32, options: KernelOptions) -> String {
    let count = passes.len().max(1);
    let mut functions = String::new();
    let mut body = String::new();
    for (number, (kernels, remainder)) in passes.iter().enumerate() {
        let mut names = Vec::new();
        for (warm, kernel) in kernels.iter().enumerate().take(if iterations > 1 { 2 } else { 1 }) {
            let name = format!("{number}_{warm}");
            functions += &kernel.functions_named(&name);
            names.push(name);
        }
        body += &pass_text(number, &names, *remainder);
    }
    let frame = include_str!("wgsl/islands.wgsl").replace("$passes", &count.to_string());
    let frame = frame.replace("$iterations", &iterations.to_string()).replace("//$body", &body);
    let moves = passes.first().map_or_else(PassKernel::particle_moves, |([kernel, _], _)| kernel.moves());
    let options = options.text();
    wgsl::kernel(&[&options, wgsl::INTEGRATE, wgsl::RANGE, wgsl::PASS_DATA, &moves, GATHER, &functions, &frame])
}

/// Prints one pass of an island: its colours one after the other, then its remainder.
fn pass_text(number: usize, names: &[String], remainder: bool) -> String {
    let call = |function: &str| match names {
        [cold, warm] => {
            format!("if iteration == 0u {{ {function}_{cold}(slot); }} else {{ {function}_{warm}(slot); }}")
        }
        _ => format!("{function}_{}(slot);", names[0]),
    };
    let mut text = format!(
        "
            range = passes[{number}];
            table = passes[{number}].colours + island * (2u * passes[{number}].count + 4u);
            for (var colour = 0u; colour < passes[{number}].count; colour++) {{
                let first = data[table + 2u * colour];
                let end = first + data[table + 2u * colour + 1u];
                for (var slot = first + lane; slot < end; slot += $groupu) {{
                    {}
                }}
                storageBarrier();
            }}
",
        call("solve")
    );
    if remainder {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "
            table += 2u * passes[{number}].count;
            for (var slot = data[table] + lane; slot < data[table] + data[table + 1u]; slot += $groupu) {{
                {}
            }}
            storageBarrier();
            for (var k = data[table + 2u] + lane; k < data[table + 2u] + data[table + 3u]; k += $groupu) {{
                gather_node(k);
            }}
            storageBarrier();
",
            call("correct")
        );
    }
    text
}

/// Returns the bounds of islands as words.
pub fn bounds(islands: &[Range<usize>]) -> Vec<u32> {
    islands.iter().flat_map(|island| [island.start as u32, island.end as u32]).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use xpbd_cloth::constraint::{Distance, DistanceParameters};
    use xpbd_core::batch::Batch;
    use xpbd_core::world::{Object, Settings, World};

    use super::*;

    #[test]
    fn objects_tied_to_each_other_are_one_island() {
        let mut world = World::new(Settings::default()).unwrap();
        let object = || Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0);
        let all: Vec<_> = (0..5).map(|_| world.add(object()).unwrap()).collect();
        let tie = Batch::new(Distance, &[[0, 3]], &[DistanceParameters { rest_length: 1.0 }]).unwrap();
        world.add_batch(&[all[1], all[3]], &[], tie).unwrap();
        world.step(&mut xpbd_core::cpu::CpuBackend::default(), 1e-3).unwrap();
        assert_eq!(islands(world.state()), Some(vec![0..2, 2..8, 8..10]));
    }
}
