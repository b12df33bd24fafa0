//! A sheet whose threads are a constraint that is read from text: from the argument, or one that lets threads shorten by a
//! tenth and hardly stretch. It has two points, and any numbers as parameters, each of which is the length of a thread at
//! rest.
//!
//! ```sh
//! cargo run --release -p examples --features text --example text_constraint -- "rubber(a, b; rest): distance(a, b) <= 1.5 * rest"
//! ```

use glam::Vec3;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::ConstraintType;
use xpbd_core::prelude::*;

/// Particles along an edge, and their distance \[m\].
const SIDE: u32 = 30;
const REST: f32 = 0.03;

const THREAD: &str = "thread(a, b; rest):
    let length = distance(a, b);
    length <= rest;
    length >= 0.9 * rest";

fn main() {
    let text = std::env::args().nth(1).unwrap_or_else(|| THREAD.into());
    if let Err(error) = hang(&text) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

/// Hangs a sheet of these threads by two corners.
fn hang(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    let thread = ConstraintType::from_text(text)?;
    if thread.point_count() != 2 {
        return Err(format!("a thread has two points, `{}` has {}", thread.name(), thread.point_count()).into());
    }
    let at = |i: u32, j: u32| j * SIDE + i;
    let along = (0..SIDE).flat_map(|j| (1..SIDE).map(move |i| [at(i - 1, j), at(i, j)]));
    let across = (1..SIDE).flat_map(|j| (0..SIDE).map(move |i| [at(i, j - 1), at(i, j)]));
    let threads: Vec<[u32; 2]> = along.chain(across).collect();
    let parameters = vec![REST; threads.len() * thread.parameter_count()];
    let connectors = Connectors::particles(thread.point_count());
    let batch = Batch::from_parts(thread, connectors, threads.as_flattened().to_vec(), Vec::new(), parameters)?;
    let places = (0..SIDE * SIDE).map(|k| REST * Vec3::new((k % SIDE) as f32, 0.0, (k / SIDE) as f32)).collect();
    let mut world = World::default();
    let mut sheet = Object::new("sheet", places, 1e-3).pin([0, SIDE - 1]).with(batch);
    sheet.linear_damping = 2.0;
    let sheet = world.add(sheet)?;
    let mut cpu = CpuBackend::default();
    for frame in 1..=180 {
        let report = world.step(&mut cpu, 1.0 / 60.0)?;
        if report.frozen.contains(&sheet) {
            return Err("the sheet became non-finite and is frozen".into());
        }
        if frame % 30 == 0 {
            let x: Vec<Vec3> = world.positions(sheet)?.collect();
            let lengths = threads.iter().map(|&[a, b]| x[a as usize].distance(x[b as usize]) / REST);
            let (short, long) = lengths.fold((f32::MAX, 0.0_f32), |(short, long), r| (short.min(r), long.max(r)));
            let lowest = x.iter().map(|x| x.y).fold(0.0, f32::min);
            println!("{frame:3}: hangs {lowest:.3} m low; lengths are {short:.3} to {long:.3} of those at rest");
        }
    }
    Ok(())
}
