//! Every demo draws what its name says: parts of its picture have the colours of its things.

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
    cloth: "../../../examples/demos/cloth.rs",
    bridge: "../../../examples/demos/bridge.rs",
    pour: "../../../examples/demos/pour.rs",
    harbour: "../../../examples/demos/harbour.rs",
    playground: "../../../examples/demos/playground.rs",
    vehicle: "../../../examples/demos/vehicle.rs",
    custom_constraint: "../../../examples/demos/custom_constraint.rs",
    kinds: "../../../examples/demos/kinds.rs",
);

use bevy::prelude::*;
use libtest_mimic::Failed;
use xpbd_bevy::BackendKind::{self, Cpu, Gpu};
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::{Fluid, Physics, RigidBody};

use crate::Test;
use crate::studio::ensure;

/// Stepped on the CPU; what is drawn from a device is compared in `gpu`.
pub const TESTS: &[Test] = &[
    ("demo_of_cloth", || cloth(Cpu)),
    ("demo_of_a_bridge", || bridge(Cpu)),
    ("demo_of_pouring", || pour(Cpu)),
    ("demo_of_a_harbour", || harbour(Cpu)),
    ("demo_of_a_playground", || playground(Cpu)),
    ("demo_of_a_vehicle", || vehicle(Cpu)),
    ("demo_of_an_own_constraint", || custom_constraint(Cpu)),
    ("demo_of_each_kind", || each_kind(Cpu)),
    ("a_crate_in_the_demo_of_pouring_floats_as_deep_as_its_density_says", floats),
];

/// Stepped on a device: a software device takes minutes for each.
pub const LONG: &[Test] = &[
    ("demo_of_cloth_on_the_gpu", || cloth(Gpu)),
    ("demo_of_a_bridge_on_the_gpu", || bridge(Gpu)),
    ("demo_of_pouring_on_the_gpu", || pour(Gpu)),
    ("demo_of_a_harbour_on_the_gpu", || harbour(Gpu)),
    ("demo_of_a_playground_on_the_gpu", || playground(Gpu)),
    ("demo_of_a_vehicle_on_the_gpu", || vehicle(Gpu)),
    ("demo_of_an_own_constraint_on_the_gpu", || custom_constraint(Gpu)),
];

/// A colour of a picture: its name, its hues \[degrees\] from here to there around the circle, and how much of the
/// picture has it, at least and at most \[1\].
type Part = (&'static str, [f32; 2], [f64; 2]);

/// The least saturation of a part \[1\], and that of clear water.
const SATURATION: [f32; 2] = [0.35, 0.18];

const WIDTH: u32 = 320;
const HEIGHT: u32 = 200;

fn cloth(on: BackendKind) -> Result<(), Failed> {
    let parts = [("cloth", [340.0, 20.0], [0.04, 0.3]), ("flag", [200.0, 230.0], [0.02, 0.2])];
    check("cloth", on, &cloth::DEMO.picture(on, WIDTH, HEIGHT), &parts)
}

fn bridge(on: BackendKind) -> Result<(), Failed> {
    check("bridge", on, &bridge::DEMO.picture(on, WIDTH, HEIGHT), &[("planks", [20.0, 40.0], [0.03, 0.3])])
}

fn pour(on: BackendKind) -> Result<(), Failed> {
    check("pour", on, &pour::DEMO.picture(on, WIDTH, HEIGHT), &[("water", [185.0, 215.0], [0.03, 0.3])])
}

/// A crate of 400 kg/m³ has two fifths of itself under water, whichever way it lies.
fn floats() -> Result<(), Failed> {
    let mut apps = pour::DEMO.after(Cpu, 480);
    let world = apps.main.world_mut();
    let mut crates = world.query_filtered::<&GlobalTransform, With<RigidBody>>();
    let at = crates.single(world)?.affine();
    let mut liquids = world.query_filtered::<&ObjectId, With<Fluid>>();
    let liquid = liquids.single(world)?.handle();
    let physics = world.resource::<Physics>().world();
    let [half, side, density] = [pour::BOWL[0], 0.2, 0.4];
    let count = physics.active_particles(liquid)?.count() as f32;
    ensure(count > 2500.0, || format!("{count} particles have come"))?;
    // Each particle has a cube of its width.
    let cube = |side: f32| side * side * side;
    let volume = count * cube(2.0 * physics.settings().particle_radius) + density * cube(side);
    let level = volume / (4.0 * half * half);
    let steps = (0..20).map(|k| side * ((k as f32 + 0.5) / 20.0 - 0.5));
    let places = steps.clone().flat_map(|x| steps.clone().map(move |y| (x, y)));
    let places = places.flat_map(|(x, y)| steps.clone().map(move |z| Vec3::new(x, y, z)));
    let under = places.filter(|&place| at.transform_point3(place).y < level).count() as f32 / 8000.0;
    ensure((under - density).abs() < 0.06, || {
        format!("{under} of the crate is under water at {level} m, not {density}")
    })
}

fn harbour(on: BackendKind) -> Result<(), Failed> {
    let parts = [
        ("water", [190.0, 215.0], [0.1, 0.4]),
        ("hull and flag", [355.0, 10.0], [0.01, 0.1]),
        ("crates", [25.0, 35.0], [0.01, 0.1]),
        ("cape", [315.0, 335.0], [0.005, 0.03]),
        ("flag", [212.0, 225.0], [0.001, 0.03]),
    ];
    check("harbour", on, &harbour::DEMO.picture(on, WIDTH, HEIGHT), &parts)
}

fn playground(on: BackendKind) -> Result<(), Failed> {
    let parts = [
        ("water", [185.0, 215.0], [0.01, 0.2]),
        ("jelly", [335.0, 355.0], [0.01, 0.2]),
        ("cloth", [28.0, 45.0], [0.01, 0.3]),
    ];
    check("playground", on, &playground::DEMO.picture(on, WIDTH, HEIGHT), &parts)
}

fn vehicle(on: BackendKind) -> Result<(), Failed> {
    let parts = [("chassis", [350.0, 10.0], [0.02, 0.3])];
    check("vehicle", on, &vehicle::DEMO.picture(on, WIDTH, HEIGHT), &parts)
}

fn custom_constraint(on: BackendKind) -> Result<(), Failed> {
    let parts = [
        ("first ball", [350.0, 10.0], [0.01, 0.2]),
        ("second ball", [127.0, 147.0], [0.01, 0.2]),
        ("third ball", [264.0, 284.0], [0.01, 0.2]),
    ];
    check("custom_constraint", on, &custom_constraint::DEMO.picture(on, WIDTH, HEIGHT), &parts)
}

/// The pictures of the pages show things of these hues \[degrees\].
fn each_kind(on: BackendKind) -> Result<(), Failed> {
    for demo in &kinds::DEMOS {
        let hues: &[f32] = match demo.name {
            "body" => &[10.0],
            "character" => &[208.0, 30.0],
            "cloth" => &[0.0, 215.0],
            "cluster" => &[200.0, 270.0, 345.0],
            "liquid" => &[200.0],
            "rod" => &[0.0, 120.0, 160.0],
            "rope" => &[30.0],
            "soft_body" => &[335.0, 255.0, 190.0],
            name => return Err(format!("{name} is a kind without colours").into()),
        };
        let around = |hue: f32, by: f32| (hue + by).rem_euclid(360.0);
        let part = if demo.name == "liquid" { "water" } else { "a thing" };
        let parts: Vec<Part> =
            hues.iter().map(|&hue| (part, [around(hue, -15.0), around(hue, 15.0)], [1e-4, 0.4])).collect();
        check(demo.name, on, &demo.picture(on, WIDTH, HEIGHT), &parts)?;
    }
    Ok(())
}

fn check(name: &str, on: BackendKind, image: &Image, parts: &[Part]) -> Result<(), Failed> {
    let pixels = image.data.as_deref().unwrap_or_default();
    let hues: Vec<Hsva> = pixels.chunks_exact(4).map(|p| Srgba::rgb_u8(p[0], p[1], p[2]).into()).collect();
    if hues.len() != (WIDTH * HEIGHT) as usize {
        return Err(format!("{name}: {} pixels", hues.len()).into());
    }
    if let Some(folder) = std::env::var_os("XPBD_PICTURES") {
        let file = std::path::Path::new(&folder).join(format!("{name}-{on:?}.png"));
        image.clone().try_into_dynamic()?.to_rgb8().save(file)?;
    }
    for (part, [from, to], [least, most]) in parts {
        let least_saturation = SATURATION[usize::from(*part == "water")];
        let is_part = |c: &&Hsva| {
            let within = if from <= to { c.hue >= *from && c.hue <= *to } else { c.hue >= *from || c.hue <= *to };
            within && c.saturation > least_saturation && c.value > 0.1
        };
        let share = hues.iter().filter(is_part).count() as f64 / hues.len() as f64;
        if !(*least..=*most).contains(&share) {
            return Err(format!("{name}: {part} covers {share}, not {least} to {most}").into());
        }
    }
    Ok(())
}
