//! What scenes promise.

use examples::scene::{ALL, Options, Recipe, Scene};
use xpbd_core::cpu::{CpuBackend, Threads};

fn played(name: &str, options: &Options) -> Scene {
    let mut scene = Recipe::find(name).expect("the scene exists").build(options).expect("its options are valid");
    scene.run(&mut CpuBackend::new(Threads::Exactly(2))).expect("the scene runs");
    scene
}

fn metric(scene: &Scene, name: &str) -> f64 {
    scene.metric(name).expect("the world answers")
}

#[test]
fn every_scene_runs_measures_and_draws() {
    for recipe in ALL {
        let small = if recipe.keys.iter().any(|key| key.name == "n") {
            Options::default().with("n", 20)
        } else {
            Options::default()
        };
        let scene = played(recipe.name, &small.frames(5));
        assert!(!scene.metrics().expect("the world answers").is_empty(), "{}", recipe.name);
        assert_eq!(scene.picture(64, 48).expect("the world answers").width(), 64);
    }
}

#[test]
fn a_cloth_drapes_over_the_statue_without_entering_it() {
    let scene = played("drape", &Options::default().with("n", 60));
    assert_eq!(metric(&scene, "inside"), 0.0);
    assert!(metric(&scene, "max_penetration_m") < f64::from(scene.world.settings().radius));
    assert!(metric(&scene, "p99_strain") < 0.05);
    assert!(metric(&scene, "rms_speed_m_s") < 0.05);
}

#[test]
fn a_rigid_sheet_is_hardly_stretched_in_any_order_and_with_any_bending() {
    for (key, value) in
        [("order", "mesh"), ("order", "random"), ("order", "raster"), ("bending", "none"), ("stiffness", "1e7")]
    {
        let scene = played("hang", &Options::default().with("n", 40).with(key, value));
        assert!(metric(&scene, "p99_strain") < 0.01, "{key}={value}: {:?}", scene.metrics());
    }
}
