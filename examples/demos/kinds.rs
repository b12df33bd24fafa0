//! Each kind of thing by itself, with the code and for the pictures of the pages in `docs/bevy`: `kinds cloth`.

#[path = "common.rs"]
mod stage;

#[path = "kinds/body.rs"]
mod body;
#[path = "kinds/character.rs"]
mod character;
#[path = "kinds/cloth.rs"]
mod cloth;
#[path = "kinds/cluster.rs"]
mod cluster;
#[path = "kinds/liquid.rs"]
mod liquid;
#[path = "kinds/rod.rs"]
mod rod;
#[path = "kinds/rope.rs"]
mod rope;
#[path = "kinds/soft_body.rs"]
mod soft_body;

use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The size of a picture \[px\].
const SIZE: [u32; 2] = [640, 360];

/// Returns a demo of one kind.
const fn demo(name: &'static str, camera: [Vec3; 2], frames: u32, build: fn(&mut App)) -> stage::Demo {
    let settings = || Settings { particle_radius: 0.02, ..Settings::default() };
    stage::Demo { name, keys: "", camera, frames, settings, build }
}

/// The demo of each kind.
pub const DEMOS: [stage::Demo; 8] = [
    demo("cloth", [Vec3::new(0.9, 1.3, 2.6), Vec3::new(0.1, 0.55, 0.0)], 110, |app| {
        app.add_systems(stage::SetUp, cloth::spawn);
    }),
    demo("rope", [Vec3::new(0.5, 1.2, 2.9), Vec3::new(0.1, 0.95, 0.0)], 46, |app| {
        app.add_systems(stage::SetUp, rope::spawn);
    }),
    demo("rod", [Vec3::new(0.5, 1.3, 2.1), Vec3::new(-0.15, 0.8, 0.0)], 240, |app| {
        app.add_systems(stage::SetUp, rod::spawn);
    }),
    demo("soft_body", [Vec3::new(0.6, 0.9, 2.6), Vec3::new(0.0, 0.3, 0.0)], 28, |app| {
        app.add_systems(stage::SetUp, soft_body::spawn);
    }),
    demo("cluster", [Vec3::new(0.6, 1.0, 2.6), Vec3::new(0.0, 0.3, 0.0)], 60, |app| {
        app.add_systems(stage::SetUp, cluster::spawn);
    }),
    demo("liquid", [Vec3::new(0.9, 1.2, 1.8), Vec3::new(0.0, 0.2, 0.0)], 40, |app| {
        app.add_systems(stage::SetUp, liquid::spawn);
    }),
    demo("body", [Vec3::new(-2.6, 2.0, 2.4), Vec3::new(0.3, 1.0, 0.1)], 92, |app| {
        app.add_systems(stage::SetUp, body::spawn);
    }),
    demo("character", [Vec3::new(0.6, 1.8, 4.6), Vec3::new(0.2, 0.95, 0.0)], 110, |app| {
        app.add_systems(stage::SetUp, character::spawn).add_systems(FixedUpdate, character::steer);
    }),
];

/// Shows the kind that the first argument names.
pub fn main() {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    match DEMOS.iter().find(|demo| demo.name == name) {
        Some(demo) => demo.run(arguments, SIZE),
        None => eprintln!("usage: kinds {} [--picture FILE.png] [--gpu]", DEMOS.map(|demo| demo.name).join("|")),
    }
}
