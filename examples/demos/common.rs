//! The stage that all demos share: sky and floor, a camera, panels, keys, and a picture without a window.

#[path = "stage/orbit.rs"]
pub mod orbit;
#[path = "stage/panel.rs"]
mod panel;
#[path = "stage/scenery.rs"]
mod scenery;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::app::SubApps;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::input::common_conditions::input_just_pressed;
use bevy::log::LogPlugin;

use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::{Extent3d, PollType, TextureDimension, TextureFormat, TextureUsages};
use bevy::render::renderer::RenderDevice;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::transform::TransformSystems;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use orbit::Orbit;
use xpbd_bevy::debug::{DebugPlugin, XpbdGizmos};
use xpbd_bevy::diagnostic::{DiagnosticsOverlay, DiagnosticsOverlayPlugin};
use xpbd_bevy::drag::DragPlugin;
use xpbd_bevy::prelude::*;

/// Keys of every demo.
const KEYS: &str = "left button: drag   right button, Q, E: turn
wheel: zoom   R: start anew   P: pause
N: next step   M: slow motion
G: gizmos   F: times";

/// The schedule that spawns what a demo shows, at its start and when it starts anew.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetUp;

/// Marks what stays when a demo starts anew.
#[derive(Component, Default)]
pub struct Kept;

/// A demo.
pub struct Demo {
    /// What it is called.
    pub name: &'static str,
    /// Keys that it has beside those of all.
    pub keys: &'static str,
    /// Where the camera is and what it looks at \[m\].
    pub camera: [Vec3; 2],
    /// Frames after which its picture is taken.
    pub frames: u32,
    /// Settings of the world.
    pub settings: fn() -> Settings,
    /// Adds what it shows, which is spawned by systems of [`SetUp`].
    pub build: fn(&mut App),
}

impl Demo {
    /// Opens its window, or writes its picture: `--picture FILE.png`, after `--frames N`, stepped on the GPU with `--gpu`.
    pub fn main(&self) {
        self.run(std::env::args().skip(1), [960, 600]);
    }

    /// Does the same by these arguments, with pictures of this size.
    pub fn run(&self, mut arguments: impl Iterator<Item = String>, [width, height]: [u32; 2]) {
        let mut picture = None;
        let (mut backend, mut frames) = (BackendKind::Cpu, self.frames);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--picture" => picture = arguments.next().map(PathBuf::from),
                "--gpu" => backend = BackendKind::Gpu,
                "--frames" => frames = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(frames),
                _ => return eprintln!("usage: {} [--picture FILE.png] [--frames N] [--gpu]", self.name),
            }
        }
        let Some(path) = picture else {
            let mut app = App::new();
            app.add_plugins(DefaultPlugins).insert_resource(Time::<Fixed>::from_hz(60.0));
            self.stage(&mut app, backend, None);
            app.run();
            return;
        };
        let saved = Self { frames, ..*self }
            .picture(backend, width, height)
            .try_into_dynamic()
            .map(|image| image.to_rgb8().save(&path));
        match saved {
            Ok(Ok(())) => println!("{}", path.display()),
            Ok(Err(problem)) => eprintln!("{}: {problem}", path.display()),
            Err(problem) => eprintln!("{}: {problem}", path.display()),
        }
    }

    /// Returns its picture, taken without a window.
    pub fn picture(&self, backend: BackendKind, width: u32, height: u32) -> Image {
        let mut app = windowless();
        let size = Extent3d { width, height, depth_or_array_layers: 1 };
        let mut image = Image::new_uninit(
            size,
            TextureDimension::D2,
            TextureFormat::Rgba8UnormSrgb,
            RenderAssetUsages::RENDER_WORLD,
        );
        image.texture_descriptor.usage |= TextureUsages::RENDER_ATTACHMENT;
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        self.stage(&mut app, backend, Some(RenderTarget::from(image.clone())));
        let mut apps = started(app);
        // Nobody looks until the end.
        for frame in 0..self.frames {
            show(&mut apps, frame + 3 > self.frames);
            update(&mut apps);
        }
        let taken = Arc::new(Mutex::new(None));
        let slot = taken.clone();
        apps.main.world_mut().spawn(Screenshot::image(image)).observe(move |shot: On<ScreenshotCaptured>| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(shot.image.clone());
        });
        for _ in 0..10 {
            update(&mut apps);
            if let Some(image) = taken.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return image;
            }
        }
        Image::default()
    }

    /// Returns its app after so many frames that nobody looks at.
    pub fn after(&self, backend: BackendKind, frames: u32) -> SubApps {
        let mut app = windowless();
        self.stage(&mut app, backend, Some(RenderTarget::None { size: UVec2::ONE }));
        let mut apps = started(app);
        for _ in 0..frames {
            show(&mut apps, false);
            update(&mut apps);
        }
        apps
    }

    /// Everything but the window.
    fn stage(&self, app: &mut App, backend: BackendKind, target: Option<RenderTarget>) {
        app.add_plugins((XpbdPlugins::new((self.settings)()).backend(backend), DebugPlugin, DragPlugin::default()));
        app.add_plugins(DiagnosticsOverlayPlugin);
        app.insert_resource(DiagnosticsOverlay { enabled: false, ..default() });
        let orbit = Orbit::new(self.camera);
        app.insert_resource(orbit).add_systems(PostUpdate, orbit::turn.before(TransformSystems::Propagate));
        if target.is_none() {
            panel::build(app, self.name, format!("{}\n{KEYS}", self.keys).trim().into());
        }
        app.add_systems(Startup, move |mut commands: Commands, mut images: ResMut<Assets<Image>>| {
            let place = orbit.transform();
            let camera = (Kept, Camera3d::default(), IsDefaultUiCamera, scenery::view(&mut images), place);
            commands.spawn(camera).insert_if(target.clone().unwrap_or_default(), || target.is_some());
        });
        app.init_schedule(SetUp);
        let set_up = |world: &mut World| world.run_schedule(SetUp);
        app.add_systems(Startup, (scenery::build, hide_gizmos, set_up).chain());
        app.add_systems(Update, (press, start_anew.run_if(input_just_pressed(KeyCode::KeyR))));
        (self.build)(app);
    }
}

/// Returns an app without a window that makes a step in each frame.
fn windowless() -> App {
    let mut app = App::new();
    let render = RenderPlugin { synchronous_pipeline_compilation: true, ..default() };
    let window =
        WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..WindowPlugin::default() };
    app.add_plugins(DefaultPlugins.set(window).set(render).disable::<WinitPlugin>().disable::<LogPlugin>());
    app.insert_resource(Time::<Fixed>::from_hz(60.0)).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app
}

/// Returns the parts of an app that is ready to run.
fn started(mut app: App) -> SubApps {
    app.finish();
    app.cleanup();
    std::mem::take(app.sub_apps_mut())
}

/// Lets cameras draw, or not.
fn show(apps: &mut SubApps, shown: bool) {
    let mut cameras = apps.main.world_mut().query::<&mut Camera>();
    cameras.iter_mut(apps.main.world_mut()).for_each(|mut camera| camera.is_active = shown);
}

fn update(apps: &mut SubApps) {
    apps.update();
    if let Some(device) = apps.main.world().get_resource::<RenderDevice>() {
        device.wgpu_device().poll(PollType::Wait { submission_index: None, timeout: None }).ok();
    }
}

/// Takes away what a demo has spawned, and spawns it anew.
fn start_anew(world: &mut World) {
    let mut things =
        world.query_filtered::<Entity, (Or<(With<Transform>, With<Name>)>, Without<ChildOf>, Without<Kept>)>();
    for entity in things.iter(world).collect::<Vec<_>>() {
        world.despawn(entity);
    }
    world.run_schedule(SetUp);
}

fn hide_gizmos(mut gizmos: ResMut<GizmoConfigStore>) {
    gizmos.config_mut::<XpbdGizmos>().0.enabled = false;
}

fn press(
    keys: Res<ButtonInput<KeyCode>>,
    mut time: ResMut<PhysicsTime>,
    mut gizmos: ResMut<GizmoConfigStore>,
    mut overlay: ResMut<DiagnosticsOverlay>,
) {
    if keys.just_pressed(KeyCode::KeyF) {
        overlay.enabled = !overlay.enabled;
    }
    if keys.just_pressed(KeyCode::KeyP) {
        time.paused = !time.paused;
    }
    if keys.just_pressed(KeyCode::KeyN) {
        time.step_once();
    }
    if keys.just_pressed(KeyCode::KeyM) {
        time.scale = if time.scale < 1.0 { 1.0 } else { 0.2 };
    }
    if keys.just_pressed(KeyCode::KeyG) {
        let config = gizmos.config_mut::<XpbdGizmos>().0;
        config.enabled = !config.enabled;
    }
}
