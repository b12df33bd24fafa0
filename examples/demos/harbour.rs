//! A harbour: a boat under sail in water, crates that float, flags in the wind, and a walker in a cape on the quay.

#[path = "common.rs"]
mod stage;

#[path = "harbour/boat.rs"]
mod boat;
#[path = "harbour/walker.rs"]
mod walker;

use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "harbour",
    keys: "SPACE: another crate   W: wind   LEFT, RIGHT: walk",
    camera: [Vec3::new(1.35, 1.75, 3.0), Vec3::new(0.0, 0.55, 0.1)],
    frames: 200,
    settings: || Settings { particle_radius: 0.03, contact_margin: 0.015, substeps: 10, ..Settings::default() },
    build,
};

/// Half the width of the basin, where it begins behind and ends in front, and its depth \[m\].
const BASIN: [f32; 4] = [1.5, -0.35, 1.1, 0.55];
/// Depth of the water \[m\].
const WATER: f32 = 0.36;
/// Wind while it blows \[m/s\].
const BREEZE: Vec3 = Vec3::new(3.5, 0.0, -1.0);

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

/// The commands and assets that things are made with.
#[derive(SystemParam)]
struct Workshop<'w, 's> {
    commands: Commands<'w, 's>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<StandardMaterial>>,
}

impl Workshop<'_, '_> {
    /// Returns how a mesh looks in a colour.
    fn look(&mut self, mesh: impl Into<Mesh>, color: Color) -> (Mesh3d, MeshMaterial3d<StandardMaterial>) {
        let paint = StandardMaterial { base_color: color, perceptual_roughness: 0.8, ..default() };
        (Mesh3d(self.meshes.add(mesh)), MeshMaterial3d(self.materials.add(paint)))
    }

    /// Returns how cloth looks in a colour.
    fn fabric(&mut self, mesh: impl Into<Mesh>, color: Color) -> (Mesh3d, MeshMaterial3d<StandardMaterial>) {
        let base = StandardMaterial { base_color: color, perceptual_roughness: 0.9, ..default() };
        let paint = StandardMaterial { double_sided: true, cull_mode: None, ..base };
        (Mesh3d(self.meshes.add(mesh)), MeshMaterial3d(self.materials.add(paint)))
    }
}

fn build(app: &mut App) {
    let mut wind = Wind::new(BREEZE);
    wind.gust_strength = 0.3;
    app.insert_resource(wind);
    app.add_systems(stage::SetUp, (basin, water, flags, boat::spawn, walker::spawn, (drop_crate, drop_crate).chain()));
    app.add_systems(Update, press).add_systems(FixedUpdate, walker::steer);
}

/// The quay, the walls at both sides, and glass in front.
fn basin(mut workshop: Workshop) {
    let [half, back, front, height] = BASIN;
    let stone = Color::srgb(0.62, 0.60, 0.56);
    let walls = [
        ([-half - 0.15, -half], [back, front]),
        ([half, half + 0.15], [back, front]),
        ([-half - 0.15, half + 0.15], [back - 0.8, back]),
    ];
    let place = |[left, right]: [f32; 2], [far, near]: [f32; 2]| {
        let size = Vec3::new(right - left, height, near - far);
        (size, Transform::from_xyz(0.5 * (left + right), 0.5 * height, 0.5 * (far + near)))
    };
    for (x, z) in walls {
        let (size, at) = place(x, z);
        let look = workshop.look(Cuboid::from_size(size), stone);
        let wall = Collider::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z);
        workshop.commands.spawn((Name::new("wall"), wall, Friction::new(0.6), look, at));
    }
    let (size, at) = place([-half - 0.15, half + 0.15], [front, front + 0.04]);
    let glass = StandardMaterial {
        base_color: Color::srgba(0.8, 0.92, 0.9, 0.12),
        alpha_mode: AlphaMode::Blend,
        perceptual_roughness: 0.1,
        ..default()
    };
    let look = (Mesh3d(workshop.meshes.add(Cuboid::from_size(size))), MeshMaterial3d(workshop.materials.add(glass)));
    let pane = Collider::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z);
    workshop.commands.spawn((Name::new("pane"), pane, look, NotShadowCaster, at));
    // Bollards, and crates that wait.
    for x in [-0.9, 0.9] {
        let look = workshop.look(Cylinder::new(0.05, 0.14), Color::srgb(0.15, 0.16, 0.18));
        let at = Transform::from_xyz(x, height + 0.07, back - 0.1);
        workshop.commands.spawn((Name::new("bollard"), Collider::cylinder(0.07, 0.05), look, at));
    }
    for (x, y, z) in [(1.15, 0.1, -0.9), (0.93, 0.1, -0.88), (1.05, 0.3, -0.9)] {
        crate_at(&mut workshop, Vec3::new(x, height + y, z), 400.0);
    }
}

fn water(mut workshop: Workshop) {
    let [half, back, front, _] = BASIN;
    let gap = 0.03;
    let size = 0.5 * Vec3::new(2.0 * half, WATER, front - back) - gap;
    let fluid = Fluid::block(size).material(FluidMaterial::WATER);
    let surface = FluidSurface { material: workshop.materials.add(FluidSurface::water()), ..default() };
    let at = Transform::from_xyz(0.0, 0.5 * WATER, 0.5 * (back + front));
    workshop.commands.spawn((Name::new("water"), fluid, surface, NotShadowCaster, at));
}

/// Adds a crate of this density \[kg/m³\].
fn crate_at(workshop: &mut Workshop, at: Vec3, density: f32) {
    let look = workshop.look(Cuboid::from_length(0.2), Color::srgb(0.70, 0.48, 0.24));
    let body = (RigidBody::Dynamic, Collider::cuboid(0.1, 0.1, 0.1), ColliderDensity(density), Friction::new(0.6));
    let turn = Quat::from_rotation_y(7.0 * at.x);
    workshop.commands.spawn((Name::new("crate"), body, look, Transform::from_translation(at).with_rotation(turn)));
}

/// Drops a crate into the water.
fn drop_crate(mut workshop: Workshop, crates: Query<&Name>) {
    let number = crates.iter().filter(|name| name.as_str() == "crate").count();
    let (x, density) = ([1.05, 0.75, -1.1][number % 3], [350.0, 550.0, 750.0][number % 3]);
    crate_at(&mut workshop, Vec3::new(x, WATER + 0.3, 0.35 + 0.2 * (number % 2) as f32), density);
}

/// Two flags on the quay.
fn flags(mut workshop: Workshop) {
    let [half, back, _, height] = BASIN;
    for (x, color) in [(-half, Color::srgb(0.75, 0.12, 0.14)), (half - 0.65, Color::srgb(0.10, 0.32, 0.60))] {
        let (foot, length) = (Vec3::new(x, height, back - 0.7), 1.15);
        let pole = workshop.look(Cylinder::new(0.015, length), Color::srgb(0.85, 0.85, 0.83));
        workshop.commands.spawn((Name::new("pole"), pole, Transform::from_translation(foot + 0.5 * length * Vec3::Y)));
        let sheet = Plane3d::new(Vec3::Z, Vec2::new(0.25, 0.16)).mesh().subdivisions(9).build();
        let look = workshop.fabric(sheet, color);
        let at = Transform::from_translation(foot + Vec3::new(0.265, length - 0.17, 0.0));
        let hoist = Pinned::when(|_, place| place.x < -0.249);
        let light = Cloth(ClothSettings { density: 0.1, ..default() });
        workshop.commands.spawn((Name::new("flag"), light, LinearDamping(1.0), hoist, look, at));
    }
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands, mut wind: ResMut<Wind>) {
    if keys.just_pressed(KeyCode::Space) {
        commands.run_system_cached(drop_crate);
    }
    if keys.just_pressed(KeyCode::KeyW) {
        wind.velocity = if wind.velocity == Vec3::ZERO { BREEZE } else { Vec3::ZERO };
    }
}
