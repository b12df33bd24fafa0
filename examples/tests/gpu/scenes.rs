//! Every scene agrees with the CPU, and gives the same bits from run to run.

use examples::scene::{ALL, Options, Recipe, Scene};
use libtest_mimic::Failed;
use xpbd_core::bodies::BodyKind;
use xpbd_core::world::{Backend, World};
use xpbd_fluid::FluidDensities;

use crate::support::{Gpu, Outcome, Test, cpu, ensure, near, size};

pub fn tests() -> Vec<Test> {
    let of = |recipe: &'static Recipe| Test::new(format!("scenes::{}", recipe.name), move |gpu| agrees(gpu, recipe));
    ALL.into_iter().map(of).collect()
}

/// Returns how large a scene is here: what a software device plays in seconds.
fn size_of(recipe: &'static Recipe) -> Options {
    let options = match recipe.name {
        "tablecloths" | "ring" => Options::default().with("n", 13),
        "loads" => Options::default().with("n", 17),
        "funnel" => Options::default().with("n", 600),
        // With fewer, a particle reaches over so many triangles of the statue that a software device leaves its loop before
        // the end, which the report counts as dropped contacts.
        "drape" => Options::default().with("n", 40),
        "dam-break" => Options::default().with("n", 800),
        "column" => Options::default().with("layers", 12),
        "float" => Options::default().with("n", 4),
        "pour" => Options::default().with("n", 4000),
        "melt" => Options::default().with("n", 800),
        "drop" | "layers" | "couette" | "smoke-cloth" => Options::default().with("n", 400),
        _ if recipe.keys.iter().any(|key| key.name == "n") => Options::default().with("n", 24),
        _ => Options::default(),
    };
    Options { substeps: Some(recipe.substeps.min(20)), ..options }
}

/// Returns a small version of a scene.
fn small(recipe: &'static Recipe) -> Result<Scene, Failed> {
    Ok(recipe.build(&size_of(recipe))?)
}

/// Returns whether anything of it is a medium, which is summed up in another order than on the CPU.
fn has_media(world: &World) -> bool {
    !world.state().media.is_empty()
}

/// Returns a small version of a scene after some frames.
fn played(recipe: &'static Recipe, backend: &mut impl Backend, frames: u32) -> Result<World, Failed> {
    let mut scene = small(recipe)?;
    for _ in 0..frames {
        scene.step(backend)?;
    }
    Ok(scene.world)
}

/// Bits that are those of the CPU after sixty frames were so in the first, and are so in another run. A device that
/// rounds otherwise is asked for all of it.
fn agrees(gpu: &Gpu, recipe: &'static Recipe) -> Outcome {
    let is_exact = gpu.is_exact && !has_media(&small(recipe)?.world);
    if !is_exact {
        first_frame(gpu, recipe)?;
        two_runs(gpu, recipe)?;
    }
    sixty_frames(gpu, recipe)
}

fn first_frame(gpu: &Gpu, recipe: &'static Recipe) -> Outcome {
    let (one, other) = (played(recipe, &mut cpu(), 1)?, played(recipe, &mut gpu.stepper(), 1)?);
    near(recipe.name, &one, &other, 1e-6)
}

fn sixty_frames(gpu: &Gpu, recipe: &'static Recipe) -> Outcome {
    let one = played(recipe, &mut cpu(), 60)?;
    if has_media(&one) {
        return sixty_frames_on_the_whole(gpu, recipe);
    }
    let other = played(recipe, &mut gpu.stepper(), 60)?;
    gpu.same(recipe.name, &one, &other, 1e-3)?;
    let [one, other] = [sums(&one), sums(&other)];
    let momentum = one.momentum.distance(other.momentum) / one.flow.max(f64::MIN_POSITIVE);
    ensure(momentum <= 1e-4, || format!("{}: momentum is {momentum:e} apart", recipe.name))?;
    let center = one.center.distance(other.center) / one.size;
    ensure(center <= 1e-4, || format!("{}: the centre of mass is {center:e} apart", recipe.name))
}

/// A splash is chaos: every particle goes its own way, but all of them together do not. The kinetic energy of a
/// single frame is chaos too: from a start that is a rounding apart the CPU itself comes to one that is 3 % apart. So
/// it is the mean of all frames.
fn sixty_frames_on_the_whole(gpu: &Gpu, recipe: &'static Recipe) -> Outcome {
    let [one, other] = [whole(recipe, &mut cpu())?, whole(recipe, &mut gpu.stepper())?];
    for ((name, a), b) in ["front", "density", "kinetic energy"].into_iter().zip(one).zip(other) {
        let apart = (a - b).abs() / a.abs();
        ensure(apart <= 0.02, || format!("{}: {name} is {a} and {b}", recipe.name))?;
    }
    Ok(())
}

/// After sixty frames: mean of the farthest tenth of all particles along x \[m\], mean density over that at rest
/// \[1\], and kinetic energy \[J\], the mean of all frames.
fn whole(recipe: &'static Recipe, backend: &mut impl Backend) -> Result<[f64; 3], Failed> {
    let mut scene = small(recipe)?;
    let mut kinetic = 0.0;
    for _ in 0..60 {
        scene.step(backend)?;
        kinetic += scene.world.energy().kinetic / 60.0;
    }
    let particles = &scene.world.state().particles;
    let mut far: Vec<f32> = (0..particles.len()).map(|i| particles.position(i).x).collect();
    far.sort_unstable_by(f32::total_cmp);
    let front = mean(far[far.len() * 9 / 10..].iter().copied());
    let density = mean(FluidDensities::measure(&scene.world)?.values.into_iter().map(|(_, density)| density));
    Ok([front, density, kinetic])
}

fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f64 {
    let count = numbers.len();
    numbers.map(f64::from).sum::<f64>() / count as f64
}

/// Sums over a world.
struct Sums {
    /// Σ m v and Σ m |v| \[N s\].
    momentum: glam::DVec3,
    flow: f64,
    /// Centre of mass, and size of the world \[m\].
    center: glam::DVec3,
    size: f64,
}

fn sums(world: &World) -> Sums {
    let (particles, bodies) = (&world.state().particles, &world.state().bodies);
    let grains = (0..particles.len()).map(|i| (particles.mass[i], particles.velocity[i], particles.position(i)));
    let solids = (0..bodies.len()).filter(|&k| bodies.records[k].body.kind == BodyKind::Dynamic);
    let solids =
        solids.map(|k| (bodies.records[k].body.mass.mass, bodies.velocity[k], bodies.central_pose(k).translation));
    let (mut mass, mut flow, mut center) = (0.0, 0.0, glam::DVec3::ZERO);
    for (m, velocity, place) in grains.chain(solids) {
        mass += f64::from(m);
        flow += f64::from(m) * f64::from(velocity.truncate().length());
        center += place.as_dvec3() * f64::from(m);
    }
    Sums { momentum: world.momentum().linear, flow, center: center / mass, size: size(world) }
}

fn two_runs(gpu: &Gpu, recipe: &'static Recipe) -> Outcome {
    let [one, other] = [(); 2].map(|()| played(recipe, &mut gpu.stepper(), 20).map(|world| world.state_hash()));
    let (one, other) = (one?, other?);
    ensure(one == other, || format!("{}: {one:016x} and then {other:016x}", recipe.name))
}
