//! Sky, sun, and a floor that ends in haze.

use bevy::asset::RenderAssetUsages;
use bevy::camera::{Exposure, Hdr};
use bevy::core_pipeline::prepass::DepthPrepass;
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::light::CascadeShadowConfigBuilder;
use bevy::math::Affine2;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use xpbd_bevy::prelude::*;

use super::Kept;

/// Colours of the sky above, at the horizon, and of the light from below.
const SKY: [Color; 3] = [Color::srgb(0.62, 0.76, 0.93), Color::srgb(0.93, 0.95, 0.97), Color::srgb(0.55, 0.54, 0.52)];
/// Colour of the haze, brighter than white.
const HAZE_COLOR: Color = Color::linear_rgb(1.05, 1.35, 1.75);
/// Distances at which the floor begins to fade, and at which it has faded \[m\].
const HAZE: [f32; 2] = [8.0, 28.0];
/// Side of the floor \[m\].
const FLOOR: f32 = 80.0;
/// Side of a square of its grid \[pixels\]; half a metre.
const SQUARE: u32 = 128;

/// Returns what a camera sees of the sky.
pub fn view(images: &mut Assets<Image>) -> impl Bundle + use<> {
    let sky = EnvironmentMapLight::hemispherical_gradient(images, SKY[0], SKY[1], SKY[2]);
    let falloff = FogFalloff::Linear { start: HAZE[0], end: HAZE[1] };
    (
        DepthPrepass,
        Hdr,
        Exposure { ev100: 9.7 },
        EnvironmentMapLight { intensity: 450.0, ..sky },
        DistanceFog { color: HAZE_COLOR, falloff, ..default() },
    )
}

/// Adds the sun and the floor.
pub fn build(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    commands.insert_resource(ClearColor(HAZE_COLOR));
    commands.insert_resource(GlobalAmbientLight::NONE);
    let sun = DirectionalLight { shadow_maps_enabled: true, illuminance: 6_500.0, ..default() };
    let near = CascadeShadowConfigBuilder { maximum_distance: 20.0, first_cascade_far_bound: 4.0, ..default() };
    commands.spawn((Kept, sun, near.build(), Transform::from_xyz(3.0, 6.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y)));
    let floor = StandardMaterial {
        base_color_texture: Some(images.add(grid())),
        uv_transform: Affine2::from_scale(Vec2::splat(2.0 * FLOOR)),
        perceptual_roughness: 0.9,
        reflectance: 0.2,
        ..default()
    };
    let floor =
        (Mesh3d(meshes.add(Plane3d::default().mesh().size(FLOOR, FLOOR))), MeshMaterial3d(materials.add(floor)));
    commands.spawn((Kept, Name::new("floor"), Collider::half_space(Vec3::Y), floor));
}

/// Returns a square with a line at two of its sides, which is repeated, in sizes down to that of a pixel.
fn grid() -> Image {
    let (mut data, mut size, mut line) = (Vec::new(), SQUARE, 2.0);
    let (paper, ink) = (0.80_f32, 0.66);
    while size > 0 {
        // Lines that are thinner than a pixel are paler.
        let part = f32::min(line, 1.0);
        let is_line = |k: u32| (k as f32) < line.max(1.0);
        for (y, x) in (0..size).flat_map(|y| (0..size).map(move |x| (y, x))) {
            let shade = if is_line(x) || is_line(y) { paper + (ink - paper) * part } else { paper };
            let byte = (255.0 * shade) as u8;
            data.extend([byte, byte, byte, 255]);
        }
        (size, line) = (size / 2, line / 2.0);
    }
    let extent = Extent3d { width: SQUARE, height: SQUARE, depth_or_array_layers: 1 };
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new_uninit(extent, TextureDimension::D2, format, RenderAssetUsages::RENDER_WORLD);
    image.texture_descriptor.mip_level_count = SQUARE.ilog2() + 1;
    image.data = Some(data);
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        mipmap_filter: ImageFilterMode::Linear,
        anisotropy_clamp: 8,
        ..ImageSamplerDescriptor::linear()
    });
    image
}
