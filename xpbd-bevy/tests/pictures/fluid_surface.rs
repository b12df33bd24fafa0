//! The surface of a liquid is where its particles are, and looks as its material says.

use std::time::Instant;

use bevy::camera::RenderTarget;
use bevy::core_pipeline::prepass::DepthPrepass;
use bevy::light::NotShadowCaster;
use bevy::pbr::StandardMaterial;
use bevy::prelude::*;
use bevy::render::render_resource::{PollType, TextureFormat, TextureUsages};
use bevy::render::renderer::RenderDevice;
use libtest_mimic::Failed;
use xpbd_bevy::draw::DrawParticles;
use xpbd_bevy::object::ObjectPlugin;
use xpbd_bevy::physics::PhysicsSettings;
use xpbd_bevy::prelude::*;

use crate::Test;
use crate::grains::Grains;
use crate::studio::{HEIGHT, Picture, WIDTH, add, ensure, flat, go, picture, studio};

pub const TESTS: &[Test] = &[
    ("a_ball_of_liquid_has_its_outline", outline),
    ("the_thickness_of_a_liquid_colours_what_is_behind", thickness),
    ("smoothing_flattens_a_liquid", smoothing),
    ("a_liquid_hides_and_is_hidden", hiding),
    ("a_liquid_casts_a_shadow", shadow),
];

/// Printed, not held to anything.
pub const MEASUREMENTS: &[Test] = &[("time_of_a_liquid", time)];

/// Radius of a particle \[m\].
const RADIUS: f32 = 0.05;
/// Pixels of a metre at a distance of a metre.
const SCALE: f32 = 120.0 / 0.414_213_57;

/// Returns an app without gravity whose camera knows depths.
fn still() -> App {
    let settings = Settings { particle_radius: RADIUS, gravity: Vec3::ZERO, ..default() };
    let mut app = studio(XpbdPlugins::new(settings), ObjectPlugin::<Grains>::default());
    let camera = app.world_mut().query_filtered::<Entity, With<Camera3d>>().single(app.world()).expect("a camera");
    app.world_mut().entity_mut(camera).insert(DepthPrepass);
    app
}

/// A block of so many particles along each axis, around the origin, each a particle's width from the next.
fn block(counts: UVec3) -> Grains {
    let at = |x, y, z| 2.0 * RADIUS * (UVec3::new(x, y, z).as_vec3() - 0.5 * (counts.as_vec3() - 1.0));
    let row = |y, z| (0..counts.x).map(move |x| at(x, y, z));
    let places = (0..counts.z).flat_map(|z| (0..counts.y).flat_map(move |y| row(y, z)));
    Grains { places: places.collect(), spare: 0, mass: 0.01 }
}

/// Adds a liquid of this material.
fn pour(app: &mut App, grains: Grains, material: StandardMaterial, surface: FluidSurface) -> Entity {
    let material = add(app, material);
    app.world_mut().spawn((grains, FluidSurface { material, ..surface })).id()
}

fn is_green([r, g, b, _]: [u8; 4]) -> bool {
    g > 200 && r < 50 && b < 50
}

fn outline() -> Result<(), Failed> {
    let mut app = still();
    let grains = Grains { places: vec![Vec3::new(0.3, 0.2, 0.0)], spare: 3, mass: 0.01 };
    let surface = FluidSurface { scale: 6.0, ..default() };
    let liquid = pour(&mut app, grains, flat(Color::srgb(0.0, 1.0, 0.0)), surface);
    go(&mut app, 4);
    let (count, at) = picture(&mut app, "liquid_ball")?.spot(is_green);
    // An ellipse: the cone around the ball is cut by the picture.
    let [x, y, z, r] = [0.3_f32, 0.2, 3.0, 6.0 * RADIUS];
    let depth = z * z - r * r;
    let expected =
        std::f32::consts::PI * SCALE * SCALE * r * r * (x * x + y * y + depth).sqrt() / (depth * depth.sqrt());
    ensure((count as f32 - expected).abs() < 0.01 * expected, || format!("{count} pixels of {expected}"))?;
    let centre = Vec2::new(160.0, 120.0) + SCALE * z / depth * Vec2::new(x, -y);
    ensure(at.distance(centre) < 0.3, || format!("it is seen at {at}, not at {centre}"))?;
    app.world_mut().entity_mut(liquid).remove::<FluidSurface>();
    go(&mut app, 2);
    let (left, _) = picture(&mut app, "no_liquid")?.spot(is_green);
    ensure(left == 0, || format!("{left} pixels stay"))
}

/// Returns the mean colour of the middle of a picture, from 0 to 255.
fn middle(picture: &Picture) -> [f32; 3] {
    let (left, top, size) = (WIDTH as usize / 2 - 10, HEIGHT as usize / 2 - 10, 20);
    let rows = picture.0.chunks_exact(WIDTH as usize).skip(top).take(size);
    let pixels: Vec<[u8; 4]> = rows.flat_map(|row| row[left..left + size].iter().copied()).collect();
    [0, 1, 2].map(|k| pixels.iter().map(|pixel| f32::from(pixel[k])).sum::<f32>() / pixels.len() as f32)
}

fn thickness() -> Result<(), Failed> {
    let mut app = still();
    let (wall, white) = (add(&mut app, Rectangle::new(8.0, 8.0).into()), add(&mut app, flat(Color::WHITE)));
    app.world_mut().spawn((Mesh3d(wall), MeshMaterial3d(white), Transform::from_xyz(0.0, 0.0, -1.0)));
    let (color, distance) = (LinearRgba::rgb(0.3, 0.6, 1.0), 0.5);
    let clear = StandardMaterial {
        specular_transmission: 1.0,
        reflectance: 0.0,
        perceptual_roughness: 0.0,
        ior: 1.0,
        attenuation_color: color.into(),
        attenuation_distance: distance,
        ..default()
    };
    pour(&mut app, block(UVec3::new(13, 13, 7)), clear, FluidSurface::default());
    go(&mut app, 4);
    let seen = middle(&picture(&mut app, "liquid_thickness")?);
    // Through seven particles, as much as materials of Bevy lose on this way.
    let left = |way: f32| {
        let rate = |color: f32| f64::from(1.0 - color).powf(std::f64::consts::E) / f64::from(distance);
        let part = |color: f32| (-rate(color) * f64::from(way)).exp() as f32;
        let color = LinearRgba::rgb(part(color.red), part(color.green), part(color.blue));
        Srgba::from(color).to_f32_array().map(|part| 255.0 * part)
    };
    let off = |seen: [f32; 3], expected: [f32; 4]| (0..3).map(|k| (seen[k] - expected[k]).abs()).fold(0.0, f32::max);
    let expected = left(14.0 * RADIUS);
    ensure(off(seen, expected) < 3.0, || format!("it is {seen:?}, not {expected:?}"))?;
    // Something opaque in the middle ends the way, which begins where the first particles do.
    let (square, white) = (add(&mut app, Rectangle::new(0.4, 0.4).into()), add(&mut app, flat(Color::WHITE)));
    app.world_mut().spawn((Mesh3d(square), MeshMaterial3d(white)));
    go(&mut app, 2);
    let seen = middle(&picture(&mut app, "liquid_half")?);
    let expected = left(7.0 * RADIUS);
    ensure(off(seen, expected) < 4.0, || format!("half-way it is {seen:?}, not {expected:?}"))
}

fn smoothing() -> Result<(), Failed> {
    let mut app = still();
    let matte = StandardMaterial { perceptual_roughness: 1.0, reflectance: 0.0, ..default() };
    let material = add(&mut app, matte.clone());
    let balls = app.world_mut().spawn((block(UVec3::new(21, 17, 2)), DrawParticles { material, scale: 1.0 })).id();
    let spread = |app: &mut App, name: &str| -> Result<f32, Failed> {
        go(app, 4);
        let picture = picture(app, name)?;
        let inside = (85..155).flat_map(|y| (110..210).map(move |x| y * WIDTH as usize + x));
        let lights: Vec<f32> = inside.map(|k| f32::from(picture.0[k][1])).collect();
        let mean = lights.iter().sum::<f32>() / lights.len() as f32;
        ensure(mean > 60.0, || format!("it is {mean} bright"))?;
        Ok((lights.iter().map(|light| (light - mean) * (light - mean)).sum::<f32>() / lights.len() as f32).sqrt())
    };
    let spheres = spread(&mut app, "liquid_spheres")?;
    app.world_mut().despawn(balls);
    let surface = FluidSurface { smoothing: 0.0, ..default() };
    let liquid = pour(&mut app, block(UVec3::new(21, 17, 2)), matte, surface);
    // Light alone tells: no shadows of balls on it.
    app.world_mut().entity_mut(liquid).insert(NotShadowCaster);
    let rough = spread(&mut app, "liquid_rough")?;
    app.world_mut().get_mut::<FluidSurface>(liquid).expect("a surface").smoothing = 1.0;
    let smooth = spread(&mut app, "liquid_smooth")?;
    // Ellipsoids are flatter than balls, and the filter flattens them again.
    ensure(spheres > 15.0, || format!("balls are {spheres} apart in brightness"))?;
    ensure(rough < 0.3 * spheres, || format!("ellipsoids are {rough} apart in brightness, balls {spheres}"))?;
    ensure(smooth < 0.6 * rough, || format!("the surface is {smooth} apart in brightness, ellipsoids {rough}"))
}

fn hiding() -> Result<(), Failed> {
    let mut app = still();
    pour(&mut app, block(UVec3::new(9, 9, 3)), flat(Color::srgb(0.0, 1.0, 0.0)), FluidSurface::default());
    let square = add(&mut app, Rectangle::new(0.3, 0.3).into());
    let glass = StandardMaterial { alpha_mode: AlphaMode::Blend, ..flat(Color::srgba(1.0, 0.0, 0.0, 0.5)) };
    let (red, glass) = (add(&mut app, flat(Color::srgb(1.0, 0.0, 0.0))), add(&mut app, glass));
    // Seen from 3 m away at the same places.
    for (material, x) in [(&red, -0.2_f32), (&glass, 0.2)] {
        for z in [-1.0, 1.0_f32] {
            let at = Vec3::new(x, 0.2 * z, 0.0) * (3.0 - z) / 3.0 + Vec3::Z * z;
            app.world_mut().spawn((
                Mesh3d(square.clone()),
                MeshMaterial3d(material.clone()),
                Transform::from_translation(at),
            ));
        }
    }
    go(&mut app, 4);
    let seen = picture(&mut app, "liquid_hiding")?;
    let at = |x: f32, y: f32| {
        let pixel = Vec2::new(160.0, 120.0) + SCALE / 3.0 * Vec2::new(x, -y);
        seen.0[pixel.y as usize * WIDTH as usize + pixel.x as usize]
    };
    let (before, behind, glass, glass_behind) = (at(-0.2, 0.2), at(-0.2, -0.2), at(0.2, 0.2), at(0.2, -0.2));
    ensure(before[0] > 200 && before[1] < 50, || format!("what is before it is {before:?}"))?;
    ensure(is_green(behind), || format!("what is behind it is {behind:?}"))?;
    ensure(glass[0] > 100 && glass[1] > 100, || format!("it is {glass:?} through glass"))?;
    ensure(is_green(glass_behind), || format!("glass behind it is {glass_behind:?}"))
}

fn shadow() -> Result<(), Failed> {
    let lit = |shadowless: bool| -> Result<f32, Failed> {
        let mut app = still();
        let (wall, matte) = (add(&mut app, Rectangle::new(8.0, 8.0).into()), StandardMaterial::default());
        let matte = add(&mut app, StandardMaterial { perceptual_roughness: 1.0, reflectance: 0.0, ..matte });
        app.world_mut().spawn((Mesh3d(wall), MeshMaterial3d(matte), Transform::from_xyz(0.0, 0.0, -0.6)));
        let mut liquid = block(UVec3::new(5, 5, 2));
        liquid.places.iter_mut().for_each(|place| place.x += 0.8);
        let liquid = pour(&mut app, liquid, flat(Color::srgb(0.0, 1.0, 0.0)), FluidSurface::default());
        if shadowless {
            app.world_mut().entity_mut(liquid).insert(NotShadowCaster);
        }
        go(&mut app, 5);
        let (dark, _) = picture(&mut app, if shadowless { "no_shadow" } else { "liquid_shadow" })?
            .spot(|[r, g, b, _]| r < 120 && g < 120 && b < 120);
        Ok(dark as f32)
    };
    let (shadow, none) = (lit(false)?, lit(true)?);
    // The light comes at an angle: about the area of the block.
    let side = 0.5 * SCALE / 3.6;
    let expected = side * side;
    ensure(none == 0.0, || format!("{none} pixels are dark without a shadow"))?;
    ensure((0.6..1.6).contains(&(shadow / expected)), || format!("the shadow has {shadow} pixels of {expected}"))
}

/// Prints how long a frame of 640 × 360 takes with nothing in it, with 10,000 balls, and with the surface of as many particles.
fn time() -> Result<(), Failed> {
    let mut app = still();
    let mut image = Image::new_target_texture(640, 360, TextureFormat::Rgba8UnormSrgb, None);
    image.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    let image = add(&mut app, image);
    let camera = app.world_mut().query_filtered::<Entity, With<Camera3d>>().single(app.world())?;
    app.world_mut().entity_mut(camera).insert(RenderTarget::from(image));
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    let measure = |app: &mut App| -> Result<f64, Failed> {
        let mut times = Vec::new();
        for _ in 0..40 {
            let began = Instant::now();
            app.update();
            app.world().resource::<RenderDevice>().wgpu_device().poll(PollType::wait_indefinitely())?;
            times.push(1e3 * began.elapsed().as_secs_f64());
        }
        times.drain(..10);
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    };
    let nothing = measure(&mut app)?;
    let mut grains = block(UVec3::new(40, 25, 10));
    grains.places.iter_mut().for_each(|place| *place *= 0.5);
    app.world_mut().resource_mut::<PhysicsSettings>().particle_radius = 0.5 * RADIUS;
    let material = add(&mut app, FluidSurface::water());
    let draw = DrawParticles { material: material.clone(), scale: 1.0 };
    let balls = app.world_mut().spawn((grains.clone(), draw, NotShadowCaster)).id();
    let spheres = measure(&mut app)?;
    app.world_mut().despawn(balls);
    app.world_mut().spawn((grains, FluidSurface { material, ..default() }, NotShadowCaster));
    let surface = measure(&mut app)?;
    println!("{nothing:.2} ms with nothing, {spheres:.2} ms with balls, {surface:.2} ms with a surface");
    Ok(())
}
