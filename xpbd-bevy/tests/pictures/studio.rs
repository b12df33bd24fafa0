//! Apps that draw to a picture, without a window.

use std::time::Duration;

use bevy::app::Plugins;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::pbr::StandardMaterial;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{PollType, TextureFormat, TextureUsages};
use bevy::render::renderer::RenderDevice;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use libtest_mimic::Failed;
use xpbd_bevy::prelude::*;

pub const WIDTH: u32 = 320;
pub const HEIGHT: u32 = 240;

/// Fails with `what` unless it holds.
pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

/// What is drawn.
#[derive(Resource)]
struct Canvas(Handle<Image>);

/// A picture.
#[derive(Resource, Debug, Clone, PartialEq)]
pub struct Picture(pub Vec<[u8; 4]>);

impl Picture {
    /// Returns the pixels of which this holds: how many there are, and the mean of their places.
    pub fn spot(&self, holds: impl Fn([u8; 4]) -> bool) -> (usize, Vec2) {
        let places = (0..WIDTH * HEIGHT).map(|k| Vec2::new((k % WIDTH) as f32 + 0.5, (k / WIDTH) as f32 + 0.5));
        let spot: Vec<Vec2> = self.0.iter().zip(places).filter(|(pixel, _)| holds(**pixel)).map(|(_, at)| at).collect();
        (spot.len(), spot.iter().sum::<Vec2>() / spot.len().max(1) as f32)
    }

    /// Returns the mean difference of a channel, from 0 to 255.
    pub fn difference(&self, other: &Self) -> f32 {
        let channels = |picture: &Self| picture.0.clone().into_iter().flat_map(|[r, g, b, _]| [r, g, b]);
        let sum: u64 = channels(self).zip(channels(other)).map(|(a, b)| u64::from(a.abs_diff(b))).sum();
        sum as f32 / (3 * self.0.len()) as f32
    }
}

/// Returns an app with a light, and a camera at (0, 0, 3) that looks at the origin. It makes a step of 1/60 s an
/// update, and draws it half-way to the next.
pub fn studio<M>(plugins: XpbdPlugins, more: impl Plugins<M>) -> App {
    let mut app = App::new();
    let window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
    let render = RenderPlugin { synchronous_pipeline_compilation: true, ..default() };
    let bevy = DefaultPlugins.set(window).set(render).disable::<WinitPlugin>();
    app.add_plugins(bevy.disable::<PipelinedRenderingPlugin>().disable::<bevy::log::LogPlugin>())
        .add_plugins(plugins)
        .add_plugins(more);
    app.insert_resource(Time::<Fixed>::from_hz(60.0)).insert_resource(ClearColor(Color::BLACK));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60));
    app.finish();
    app.cleanup();
    run_on_one_thread(app.world_mut());
    run_on_one_thread(app.sub_app_mut(RenderApp).world_mut());
    let mut image = Image::new_target_texture(WIDTH, HEIGHT, TextureFormat::Rgba8UnormSrgb, None);
    image.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
    let looks = (Camera3d::default(), Tonemapping::None, Msaa::Off, RenderTarget::from(image.clone()));
    app.world_mut().spawn((looks, Transform::from_xyz(0.0, 0.0, 3.0)));
    let light = DirectionalLight { shadow_maps_enabled: true, illuminance: 3000.0, ..default() };
    app.world_mut().spawn((light, Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y)));
    app.world_mut().insert_resource(Canvas(image));
    // Half a step ahead.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 120));
    while app.world().resource::<Time<Fixed>>().overstep_fraction() < 0.25 {
        app.update();
    }
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60));
    app
}

/// Lets systems run one after the other: to hand one to another thread takes longer than nearly all of them.
fn run_on_one_thread(world: &mut World) {
    for (_, schedule) in world.resource_mut::<Schedules>().iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
}

/// Goes on for so many steps.
pub fn go(app: &mut App, steps: usize) {
    for _ in 0..steps {
        app.update();
    }
}

/// Adds an asset.
pub fn add<A: Asset>(app: &mut App, asset: A) -> Handle<A> {
    app.world_mut().resource_mut::<Assets<A>>().add(asset)
}

/// Returns a material without light.
pub fn flat(color: Color) -> StandardMaterial {
    StandardMaterial { base_color: color, unlit: true, double_sided: true, cull_mode: None, ..default() }
}

/// Returns what is seen now.
pub fn picture(app: &mut App, name: &str) -> Result<Picture, Failed> {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    let image = app.world().resource::<Canvas>().0.clone();
    let mut shot = app.world_mut().spawn(Screenshot::image(image));
    shot.observe(|shot: On<ScreenshotCaptured>, mut commands: Commands| {
        let pixels = shot.image.data.iter().flatten().copied().collect::<Vec<u8>>();
        commands.insert_resource(Picture(pixels.as_chunks::<4>().0.to_vec()));
    });
    if let Some(folder) = std::env::var_os("XPBD_PICTURES") {
        shot.observe(save_to_disk(std::path::Path::new(&folder).join(name).with_extension("png")));
    }
    let mut taken = None;
    for _ in 0..10 {
        app.update();
        app.world().resource::<RenderDevice>().wgpu_device().poll(PollType::wait_indefinitely())?;
        taken = app.world_mut().remove_resource::<Picture>();
        if taken.is_some() {
            break;
        }
    }
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 60));
    taken.filter(|picture| picture.0.len() == (WIDTH * HEIGHT) as usize).ok_or_else(|| "no picture was taken".into())
}
