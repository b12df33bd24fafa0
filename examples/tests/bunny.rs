//! A real mesh is loaded and a cloth falls on it; ignored if its file is missing.

use std::path::{Path, PathBuf};

use examples::mesh::load;
use examples::scene::{Options, Recipe};
use libtest_mimic::{Arguments, Failed, Trial, run};
use xpbd_core::cpu::CpuBackend;

fn main() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/bunny.obj");
    let absent = !path.exists();
    let other = path.clone();
    let tests = vec![
        Trial::test("the_mesh_is_closed", move || loads(&path)).with_ignored_flag(absent),
        Trial::test("a_cloth_drapes_over_the_mesh", move || drapes(other)).with_ignored_flag(absent),
    ];
    run(&Arguments::from_args(), tests).exit();
}

fn ensure(holds: bool, what: String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what.into()) }
}

fn loads(path: &Path) -> Result<(), Failed> {
    let mesh = load(path)?;
    ensure(mesh.triangles.len() == 3674, format!("{} triangles", mesh.triangles.len()))?;
    ensure(mesh.is_closed() && mesh.signed_volume() > 0.0, "it is not a closed solid".into())
}

fn drapes(path: PathBuf) -> Result<(), Failed> {
    let options = Options { mesh: Some(path), ..Options::default() }.with("n", 80);
    let mut scene = Recipe::find("drape")?.build(&options)?;
    scene.run(&mut CpuBackend::default())?;
    let radius = f64::from(scene.world.settings().particle_radius);
    for (name, limit) in [("inside", 0.5), ("max_penetration_m", radius), ("p99_strain", 0.05), ("rms_speed_m_s", 0.05)]
    {
        let value = scene.metric(name)?;
        ensure(value < limit, format!("{name} is {value}, not below {limit}"))?;
    }
    Ok(())
}
