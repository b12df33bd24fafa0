//! Tests of whole pictures.

use xpbd_fluid::render::FoamKind;

use super::*;

/// Returns a picture of one red ball of radius 1 m at the origin.
fn ball() -> Picture {
    Picture::new(96, 64).spheres(&[Vec3::ZERO], 1.0, Material::matte(hex(0xd02020)))
}

/// Returns the red, green and blue channels at a place given in shares of the picture's sides.
fn at(image: &Image, x: f32, y: f32) -> [i32; 3] {
    let column = (x * image.width() as f32) as u32;
    let row = (y * image.height() as f32) as u32;
    image.pixel(column, row).expect("a pixel").map(i32::from)
}

#[test]
fn a_ball_shows_its_color_before_the_backdrop() {
    let image = ball().render();
    let [red, green, blue] = at(&image, 0.5, 0.5);
    assert!(red > 2 * green && red > 2 * blue && red > 100, "{red} {green} {blue}");
    let [red, green, blue] = at(&image, 0.02, 0.02);
    assert!((red - green).abs() < 40 && blue >= red, "{red} {green} {blue}");
}

#[test]
fn the_ground_receives_a_shadow() {
    let picture = ball().ground(-1.0).light(Vec3::Y).camera(Vec3::new(0.0, 6.0, 8.0), Vec3::ZERO, 40.0);
    let image = picture.render();
    let view = picture.camera.view(&[], image.width(), image.height());
    let brightness = |point: Vec3| {
        let place = view.project(view.local(point)).place;
        let pixel = image.pixel(place.x as u32, place.y as u32).expect("a pixel");
        pixel.map(i32::from).iter().sum::<i32>()
    };
    let shaded = brightness(Vec3::new(0.0, -1.0, 0.75));
    let open = brightness(Vec3::new(2.0, -1.0, 0.75));
    assert!(open > shaded + 60, "{open} {shaded}");
}

#[test]
fn nearer_surfaces_hide_farther_ones() {
    let front = Material::matte(hex(0x2020d0));
    let image = ball()
        .spheres(&[Vec3::new(0.0, 0.0, 3.0)], 0.5, front)
        .camera(Vec3::new(0.0, 0.0, 8.0), Vec3::ZERO, 30.0)
        .render();
    let [red, _, blue] = at(&image, 0.5, 0.5);
    assert!(blue > 2 * red, "{red} {blue}");
}

#[test]
fn backs_are_drawn_only_for_materials_with_a_back() {
    let sheet = Mesh { positions: vec![Vec3::ZERO, 4.0 * Vec3::X, 4.0 * Vec3::Y], triangles: vec![[0, 2, 1]] };
    let from_behind = |material: Material| {
        Picture::new(32, 32)
            .mesh(&sheet, material)
            .camera(Vec3::new(1.0, 1.0, 5.0), Vec3::new(1.0, 1.0, 0.0), 20.0)
            .render()
    };
    let single = Material::matte(hex(0xd02020));
    let [red, green, _] = at(&from_behind(single), 0.5, 0.5);
    assert!((red - green).abs() < 40, "{red} {green}");
    let [red, green, _] = at(&from_behind(single.with_back(hex(0x10c010))), 0.5, 0.5);
    assert!(green > 2 * red, "{red} {green}");
}

#[test]
fn vertex_colors_tint_a_mesh() {
    let mesh = crate::mesh::statue();
    let green = vec![hex(0x10c010); mesh.positions.len()];
    let image = Picture::new(64, 64).colored_mesh(&mesh, &green, Material::matte(hex(0xd02020))).render();
    let [red, green, _] = at(&image, 0.5, 0.6);
    assert!(green > 2 * red, "{red} {green}");
}

#[test]
fn empty_and_broken_content_renders_without_panic() {
    let empty = Picture::new(0, 0).render();
    assert_eq!((empty.width(), empty.height()), (1, 1));
    let broken = Mesh {
        positions: vec![Vec3::NAN, Vec3::X, Vec3::Y, Vec3::splat(1e30)],
        triangles: vec![[0, 1, 2], [1, 2, 3], [1, 1, 1]],
    };
    Picture::new(16, 16)
        .mesh(&broken, Material::cloth(Vec3::ONE))
        .mesh(&Mesh::default(), Material::cloth(Vec3::ONE))
        .spheres(&[], 1.0, Material::matte(Vec3::ONE))
        .spheres(&[Vec3::NAN], 1.0, Material::matte(Vec3::ONE))
        .tube(&[], 0.1, Material::matte(Vec3::ONE))
        .frame(Bounds::EMPTY)
        .ground(0.0)
        .render();
}

#[test]
fn a_camera_inside_the_content_renders() {
    Picture::new(32, 32)
        .mesh(&crate::mesh::statue(), Material::matte(Vec3::ONE))
        .tube(&[Vec3::NEG_ONE, Vec3::ONE], 0.2, Material::matte(Vec3::ONE))
        .camera(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 1.0), 60.0)
        .render();
}

#[test]
fn the_same_picture_has_the_same_pixels() {
    assert_eq!(ball().ground(-1.0).render(), ball().ground(-1.0).render());
}

/// Returns a block of liquid on a floor, seen from above.
fn puddle(looks: [Liquid; 2]) -> Picture {
    let axis = |count: i32| (0..count).map(|k| 0.05 * (k as f32 + 0.5));
    let block: Vec<Vec3> =
        axis(20).flat_map(|x| axis(4).flat_map(move |y| axis(20).map(move |z| Vec3::new(x, y, z)))).collect();
    let (left, right): (Vec<Vec3>, Vec<Vec3>) = block.into_iter().partition(|particle| particle.x < 0.5);
    Picture::new(64, 64)
        .ground(0.0)
        .camera(Vec3::new(0.5, 4.0, 0.51), Vec3::new(0.5, 0.0, 0.5), 20.0)
        .liquid(&left, 0.05, looks[0])
        .liquid(&right, 0.05, looks[1])
}

#[test]
fn a_clear_liquid_tints_the_background() {
    let [blue, red] = [hex(0x3070e0), hex(0xe03040)].map(|color| Liquid::clear(color, 0.2));
    let image = puddle([blue, red]).render();
    let [red, _, blue] = at(&image, 0.35, 0.5);
    assert!(blue > red + 50, "{red} {blue}");
    let [red, _, blue] = at(&image, 0.65, 0.5);
    assert!(red > blue + 50, "{red} {blue}");
    let [red, _, blue] = at(&image, 0.02, 0.02);
    assert!((red - blue).abs() < 30, "{red} {blue}");
    let shallow = puddle([Liquid::clear(hex(0x3070e0), 20.0); 2]).render();
    let [red, _, blue] = at(&shallow, 0.35, 0.5);
    assert!((red - blue).abs() < 40, "{red} {blue}");
}

#[test]
fn a_cloudy_liquid_hides_the_background() {
    let green = Liquid::clear(hex(0x20a040), 0.05).cloudy(1.0);
    let ball = |picture: Picture| picture.spheres(&[Vec3::new(0.3, 0.05, 0.5)], 0.05, Material::matte(hex(0xd02020)));
    let [with, without] =
        [ball(puddle([green; 2])), puddle([green; 2])].map(|picture| at(&picture.render(), 0.37, 0.5));
    assert!(with.iter().zip(without).all(|(a, b)| (a - b).abs() < 12), "{with:?} {without:?}");
    assert!(with[1] > with[0] + 30, "{with:?}");
}

#[test]
fn foam_is_white_on_a_dark_liquid() {
    let dark = Liquid::clear(hex(0x102040), 0.05);
    let floating = FoamParticle {
        position: Vec3::new(0.3, 0.22, 0.5),
        velocity: Vec3::ZERO,
        remaining_lifetime: 1.0,
        kind: FoamKind::Foam,
    };
    let brightest = |picture: Picture| {
        let image = picture.render();
        let all = (0..64 * 64).map(|k| image.pixel(k % 64, k / 64).expect("a pixel").map(i32::from));
        all.enumerate()
            .filter(|(k, _)| (16..32).contains(&(k % 64)) && (24..40).contains(&(k / 64)))
            .map(|(_, p)| p[0])
            .max()
    };
    let without = brightest(puddle([dark; 2]));
    let with = brightest(puddle([dark; 2]).foam(&[floating], 0.3));
    assert!(with > without.map(|red| red + 60), "{with:?} {without:?}");
}

#[test]
fn liquids_render_the_same_pixels_again() {
    let picture = || puddle([Liquid::clear(hex(0x3070e0), 0.2); 2]);
    assert_eq!(picture().render(), picture().render());
}

#[test]
fn broken_liquids_render_without_panic() {
    let water = Liquid::clear(Vec3::NAN, f32::NAN).cloudy(f32::NAN);
    let foam =
        FoamParticle { position: Vec3::NAN, velocity: Vec3::ZERO, remaining_lifetime: 1.0, kind: FoamKind::Spray };
    let broken = [Vec3::NAN, Vec3::ZERO, Vec3::splat(1e30), Vec3::INFINITY];
    Picture::new(16, 16)
        .liquid(&[], 0.1, water)
        .liquid(&broken, 0.1, water)
        .liquid(&broken[..2], 0.1, water)
        .liquid(&broken, -1.0, water)
        .liquid(&broken[..2], f32::NAN, water)
        .foam(&[foam], 0.1)
        .foam(&[foam], f32::NAN)
        .ground(0.0)
        .render();
    let inside = Liquid::clear(hex(0x3070e0), 0.2);
    puddle([inside; 2]).camera(Vec3::new(0.3, 0.1, 0.5), Vec3::new(0.6, 0.1, 0.5), 60.0).render();
}
