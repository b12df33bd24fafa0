//! A tap fills a bowl; a ball and boxes float.

#[path = "common.rs"]
mod stage;

use bevy::light::NotShadowCaster;
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "pour",
    keys: "T: tap   SPACE: another box",
    camera: [Vec3::new(0.75, 1.35, 1.95), Vec3::new(0.0, 0.42, 0.0)],
    frames: 210,
    settings: || Settings { particle_radius: 0.025, contact_margin: 0.0125, substeps: 6, ..Settings::default() },
    build,
};

/// Half the width of the bowl, its height, and the thickness of its walls \[m\].
pub const BOWL: [f32; 3] = [0.45, 0.5, 0.03];

/// Half the depth of the water at the start \[m\].
const POOL: f32 = 0.05;
/// Number of particles that come.
const ROOM: usize = 2000;

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

fn build(app: &mut App) {
    app.add_systems(stage::SetUp, (bowl, water, drop_box)).add_systems(Update, press);
}

/// Four walls of glass on the floor.
fn bowl(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    let [half, height, thick] = BOWL;
    let glass = paints.add(StandardMaterial {
        base_color: Color::srgba(0.6, 0.8, 0.78, 0.35),
        alpha_mode: AlphaMode::Blend,
        ..default()
    });
    for side in 0..4u8 {
        let turn = Quat::from_rotation_y(f32::from(side) * std::f32::consts::FRAC_PI_2);
        let extents = Vec3::new(half + thick, 0.5 * height, 0.5 * thick);
        let at = turn * Vec3::new(0.0, extents.y, half + extents.z);
        let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * extents)));
        let place = Transform::from_translation(at).with_rotation(turn);
        commands.spawn((
            Name::new("wall"),
            Collider::cuboid(extents.x, extents.y, extents.z),
            mesh,
            MeshMaterial3d(glass.clone()),
            NotShadowCaster,
            place,
        ));
    }
}

fn water(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut paints: ResMut<Assets<StandardMaterial>>) {
    // Shallow water from the start: a crate that lies on the floor has no water under it that could lift it.
    let pool = Vec3::new(BOWL[0] - 0.03, POOL, BOWL[0] - 0.03);
    let fluid = Fluid::block(pool).capacity(ROOM).material(FluidMaterial::WATER);
    let surface = FluidSurface { material: paints.add(FluidSurface::water()), ..default() };
    let foam = Foam(FoamOptions { max_particles: 600, ..default() });
    let spray = (foam, DrawFoam { material: paints.add(Color::WHITE), scale: 0.15 });
    let water = commands
        .spawn((Name::new("water"), fluid, surface, NotShadowCaster, spray, Transform::from_xyz(0.0, POOL + 0.01, 0.0)))
        .id();
    let down = Transform::from_xyz(0.0, 1.25, 0.0).looking_to(Vec3::NEG_Y, Vec3::Z);
    let tap = Emitter::new(water, Nozzle::new(NozzleShape::Disc { radius: 0.12 }, 2.0).max_particles(ROOM as u64));
    let pipe = Mesh3d(meshes.add(Cylinder::new(0.14, 0.3)));
    let metal = MeshMaterial3d(paints.add(Color::srgb(0.5, 0.5, 0.55)));
    let tap = commands.spawn((Name::new("tap"), tap, down, Visibility::default())).id();
    let upright = Transform::from_xyz(0.0, 0.0, 0.15).with_rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    commands.spawn((pipe, metal, upright, ChildOf(tap)));
}

/// Drops a light box into the bowl.
fn drop_box(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut paints: ResMut<Assets<StandardMaterial>>,
    boxes: Query<&RigidBody>,
) {
    let number = boxes.iter().count() as f32;
    let half = Vec3::splat(0.1);
    let mesh = Mesh3d(meshes.add(Cuboid::from_size(2.0 * half)));
    let paint = MeshMaterial3d(paints.add(Color::hsl(40.0 + 67.0 * number, 0.7, 0.5)));
    let at = Transform::from_xyz(0.2 - 0.1 * number, 0.3 + 0.3 * number, 0.15);
    commands.spawn((
        Name::new("box"),
        RigidBody::Dynamic,
        Collider::cuboid(half.x, half.y, half.z),
        ColliderDensity(400.0),
        mesh,
        paint,
        at,
    ));
}

fn press(keys: Res<ButtonInput<KeyCode>>, mut commands: Commands, mut taps: Query<&mut Emitter>) {
    if keys.just_pressed(KeyCode::Space) {
        commands.run_system_cached(drop_box);
    }
    if keys.just_pressed(KeyCode::KeyT) {
        taps.iter_mut().for_each(|mut tap| tap.running = !tap.running);
    }
}
