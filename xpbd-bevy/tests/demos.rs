//! Every demo draws what its name says: parts of its picture have the colours of its things.
//!
//! Without an adapter the tests show as ignored, unless `XPBD_REQUIRE_GPU` is set: then they fail.

#![expect(clippy::duplicate_mod, reason = "each demo is a program with a stage of its own")]

/// The demos as they are, each with a stage of its own.
macro_rules! demos {
    ($($name:ident: $path:literal),+ $(,)?) => {
        $(
            #[path = $path]
            #[expect(dead_code, unreachable_pub, reason = "demos are programs")]
            mod $name;
        )+
    };
}
demos!(
    cloth: "../../examples/demos/cloth.rs",
    bridge: "../../examples/demos/bridge.rs",
    pour: "../../examples/demos/pour.rs",
    playground: "../../examples/demos/playground.rs",
    custom_constraint: "../../examples/demos/custom_constraint.rs",
);

use bevy::prelude::*;
use libtest_mimic::{Arguments, Failed, Trial, run};
use xpbd_bevy::BackendKind;
use xpbd_gpu::GpuBackend;

/// A colour of a picture: its name, its hues \[degrees\] from here to there around the circle, and how much of the
/// picture has it, at least and at most \[1\].
type Part = (&'static str, [f32; 2], [f64; 2]);

/// Takes a picture.
type Take = fn(BackendKind, u32, u32) -> Image;

const SIZE: [u32; 2] = [320, 200];

fn main() {
    let arguments = Arguments::from_args();
    let required = std::env::var_os("XPBD_REQUIRE_GPU").is_some();
    let absent = GpuBackend::new().is_err() && !required;
    let demos: [(&'static str, Take, Vec<Part>); 5] = [
        (
            "cloth",
            |on, w, h| cloth::DEMO.picture(on, w, h),
            vec![("cloth", [340.0, 20.0], [0.04, 0.3]), ("flag", [200.0, 230.0], [0.02, 0.2])],
        ),
        ("bridge", |on, w, h| bridge::DEMO.picture(on, w, h), vec![("planks", [20.0, 40.0], [0.03, 0.3])]),
        ("pour", |on, w, h| pour::DEMO.picture(on, w, h), vec![("water", [200.0, 225.0], [0.015, 0.3])]),
        (
            "playground",
            |on, w, h| playground::DEMO.picture(on, w, h),
            vec![
                ("water", [200.0, 225.0], [0.01, 0.2]),
                ("jelly", [335.0, 355.0], [0.01, 0.2]),
                ("cloth", [28.0, 45.0], [0.01, 0.3]),
            ],
        ),
        (
            "custom_constraint",
            |on, w, h| custom_constraint::DEMO.picture(on, w, h),
            vec![
                ("first ball", [350.0, 10.0], [0.01, 0.2]),
                ("second ball", [127.0, 147.0], [0.01, 0.2]),
                ("third ball", [264.0, 284.0], [0.01, 0.2]),
            ],
        ),
    ];
    let on_cpu = demos.clone().map(|(name, take, parts)| {
        Trial::test(format!("{name}::on_the_cpu"), move || check(name, take, BackendKind::Cpu, &parts))
    });
    // The others take a software device minutes; what is drawn from a device is compared in `gpu_drawing`.
    let on_gpu = demos.into_iter().filter(|demo| demo.0 == "cloth").map(|(name, take, parts)| {
        Trial::test(format!("{name}::on_the_gpu"), move || check(name, take, BackendKind::Gpu, &parts))
    });
    let trials = on_cpu.into_iter().chain(on_gpu);
    run(&arguments, trials.map(|trial| trial.with_ignored_flag(absent)).collect()).exit();
}

fn check(name: &str, take: Take, on: BackendKind, parts: &[Part]) -> Result<(), Failed> {
    let [width, height] = SIZE;
    let image = take(on, width, height);
    let pixels = image.data.as_deref().unwrap_or_default();
    let hues: Vec<Hsva> = pixels.chunks_exact(4).map(|p| Srgba::rgb_u8(p[0], p[1], p[2]).into()).collect();
    if hues.len() != (width * height) as usize {
        return Err(format!("{name}: {} pixels", hues.len()).into());
    }
    if let Some(folder) = std::env::var_os("XPBD_PICTURES") {
        let file = std::path::Path::new(&folder).join(format!("{name}-{on:?}.png"));
        image.clone().try_into_dynamic()?.to_rgb8().save(file)?;
    }
    for (part, [from, to], [least, most]) in parts {
        let is_part = |c: &&Hsva| {
            let within = if from <= to { c.hue >= *from && c.hue <= *to } else { c.hue >= *from || c.hue <= *to };
            within && c.saturation > 0.35 && c.value > 0.1
        };
        let share = hues.iter().filter(is_part).count() as f64 / hues.len() as f64;
        if !(*least..=*most).contains(&share) {
            return Err(format!("{name}: {part} covers {share}, not {least} to {most}").into());
        }
    }
    Ok(())
}
