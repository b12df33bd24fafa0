//! What all demos share: light and floor, a camera, keys, and a picture without a window.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use bevy::app::SubApps;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::{Extent3d, PollType, TextureDimension, TextureFormat, TextureUsages};
use bevy::render::renderer::RenderDevice;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use xpbd_bevy::debug::{DebugPlugin, XpbdGizmos};
use xpbd_bevy::diagnostic::{DiagnosticsOverlay, DiagnosticsOverlayPlugin};
use xpbd_bevy::drag::DragPlugin;
use xpbd_bevy::prelude::*;

/// Keys of every demo.
const KEYS: &str = "mouse: drag   P: pause   N: next step   M: slow motion   G: gizmos   F: times";

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
    /// What it shows.
    pub build: fn(&mut App),
}

impl Demo {
    /// Opens its window, or writes its picture: `--picture FILE.png`, stepped on the GPU with `--gpu`.
    pub fn main(&self) {
        self.run(std::env::args().skip(1), [960, 600]);
    }

    /// Does the same by these arguments, with pictures of this size.
    pub fn run(&self, mut arguments: impl Iterator<Item = String>, [width, height]: [u32; 2]) {
        let mut picture = None;
        let mut backend = BackendKind::Cpu;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--picture" => picture = arguments.next().map(PathBuf::from),
                "--gpu" => backend = BackendKind::Gpu,
                _ => return eprintln!("usage: {} [--picture FILE.png] [--gpu]", self.name),
            }
        }
        let Some(path) = picture else {
            let mut app = App::new();
            app.add_plugins(DefaultPlugins).insert_resource(Time::<Fixed>::from_hz(60.0));
            self.stage(&mut app, backend, None);
            app.run();
            return;
        };
        let saved = self.picture(backend, width, height).try_into_dynamic().map(|image| image.to_rgb8().save(&path));
        match saved {
            Ok(Ok(())) => println!("{}", path.display()),
            Ok(Err(problem)) => eprintln!("{}: {problem}", path.display()),
            Err(problem) => eprintln!("{}: {problem}", path.display()),
        }
    }

    /// Returns its picture, taken without a window.
    pub fn picture(&self, backend: BackendKind, width: u32, height: u32) -> Image {
        let mut app = App::new();
        let render = RenderPlugin { synchronous_pipeline_compilation: true, ..default() };
        let window =
            WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..WindowPlugin::default() };
        app.add_plugins(DefaultPlugins.set(window).set(render).disable::<WinitPlugin>().disable::<LogPlugin>());
        app.insert_resource(Time::<Fixed>::from_hz(60.0)).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
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
        app.finish();
        app.cleanup();
        let mut apps = std::mem::take(app.sub_apps_mut());
        // Nobody looks until the end.
        for frame in 0..self.frames {
            let mut cameras = apps.main.world_mut().query::<&mut Camera>();
            cameras.iter_mut(apps.main.world_mut()).for_each(|mut camera| camera.is_active = frame + 3 > self.frames);
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

    /// Everything but the window.
    fn stage(&self, app: &mut App, backend: BackendKind, target: Option<RenderTarget>) {
        app.add_plugins((XpbdPlugins::new((self.settings)()).backend(backend), DebugPlugin, DragPlugin::default()));
        app.add_plugins(DiagnosticsOverlayPlugin);
        app.insert_resource(DiagnosticsOverlay { enabled: false, ..default() });
        app.insert_resource(ClearColor(Color::srgb(0.80, 0.86, 0.92)));
        let keys = format!("{}\n{}\n{KEYS}", self.name, self.keys);
        let ([eye, look], has_keys) = (self.camera, !self.keys.is_empty());
        app.add_systems(Startup, move |mut commands: Commands| {
            let camera =
                (Camera3d::default(), IsDefaultUiCamera, Transform::from_translation(eye).looking_at(look, Vec3::Y));
            let camera = commands.spawn(camera).id();
            if let Some(target) = &target {
                commands.entity(camera).insert(target.clone());
            }
            // A picture of a demo without keys of its own shows nothing but the scene.
            if target.is_none() || has_keys {
                commands.spawn((Text::new(keys.trim()), TextFont::from_font_size(14.0), TextColor(Color::BLACK)));
            }
        });
        app.add_systems(Startup, (light, hide_gizmos)).add_systems(Update, press);
        (self.build)(app);
    }
}

fn update(apps: &mut SubApps) {
    apps.update();
    if let Some(device) = apps.main.world().get_resource::<RenderDevice>() {
        device.wgpu_device().poll(PollType::Wait { submission_index: None, timeout: None }).ok();
    }
}

fn light(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>, mut materials: ResMut<Assets<StandardMaterial>>) {
    commands.insert_resource(GlobalAmbientLight { brightness: 500.0, ..default() });
    let sun = DirectionalLight { shadow_maps_enabled: true, illuminance: 8_000.0, ..default() };
    commands.spawn((sun, Transform::from_xyz(3.0, 6.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y)));
    let floor = Mesh3d(meshes.add(Plane3d::default().mesh().size(30.0, 30.0)));
    let paint = MeshMaterial3d(materials.add(Color::srgb(0.55, 0.57, 0.60)));
    commands.spawn((Name::new("floor"), Collider::half_space(Vec3::Y), floor, paint));
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
