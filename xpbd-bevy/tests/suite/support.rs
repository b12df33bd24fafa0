//! Apps without a window, and what is asked of them.

use bevy::app::Plugins;
use bevy::asset::AssetPlugin;
use bevy::camera::visibility::VisibilityPlugin;
use bevy::camera::{CameraProjection, RenderTargetInfo};
use bevy::ecs::schedule::{LogLevel, ScheduleBuildSettings, SingleThreadedExecutor};
use bevy::image::{ImagePlugin, TextureAtlasPlugin};
use bevy::input::InputPlugin;
use bevy::mesh::MeshPlugin;
use bevy::picking::DefaultPickingPlugins;
use bevy::prelude::*;
use bevy::text::TextPlugin;
use bevy::time::TimeUpdateStrategy;
use bevy::ui::UiPlugin;
use bevy::window::{ExitCondition, PrimaryWindow};
use xpbd_bevy::body::BodyId;
use xpbd_bevy::prelude::*;
use xpbd_core::bodies::Body;

/// Returns an app with the plugin that makes a step an update, from the first.
pub fn app() -> App {
    app_of(XpbdPlugins::default(), ())
}

/// Returns the same with this physics and more plugins. Systems of a step may not be in an order by chance.
pub fn app_of<M>(physics: XpbdPlugins, more: impl Plugins<M>) -> App {
    app_from(App::new(), physics, more)
}

/// Returns the same, begun by what comes before all plugins.
pub fn app_from<M>(mut app: App, physics: XpbdPlugins, more: impl Plugins<M>) -> App {
    app.add_plugins((MinimalPlugins, AssetPlugin::default(), MeshPlugin, TransformPlugin));
    app.add_plugins(physics).add_plugins(more);
    app.edit_schedule(FixedPostUpdate, |schedule| {
        schedule.set_build_settings(ScheduleBuildSettings { ambiguity_detection: LogLevel::Error, ..default() });
    });
    app.insert_resource(Time::<Fixed>::from_hz(60.0)).insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    run_on_one_thread(&mut app);
    app.finish();
    app.cleanup();
    // The first update makes no step.
    app.update();
    app
}

/// Lets an app run its systems one after the other: to hand one to another thread takes longer than nearly all of them.
pub fn run_on_one_thread(app: &mut App) {
    for (_, schedule) in app.world_mut().resource_mut::<Schedules>().iter_mut() {
        schedule.set_executor(SingleThreadedExecutor::new());
    }
}

/// Adds what a user interface and Bevy's picking need, without a window.
pub struct Interface;

impl Plugin for Interface {
    fn build(&self, app: &mut App) {
        let window = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
        app.add_plugins((window, InputPlugin, DefaultPickingPlugins));
        app.add_plugins((ImagePlugin::default(), TextureAtlasPlugin, VisibilityPlugin, TextPlugin, UiPlugin));
    }
}

/// Returns a camera of 800 × 600 pixels.
pub fn camera() -> Camera {
    let projection = PerspectiveProjection { aspect_ratio: 4.0 / 3.0, ..PerspectiveProjection::default() };
    let mut camera = Camera::default();
    camera.computed.target_info = Some(RenderTargetInfo { physical_size: UVec2::new(800, 600), scale_factor: 1.0 });
    camera.computed.clip_from_view = projection.get_clip_from_view();
    camera
}

/// Returns a new window of 800 × 600 pixels.
pub fn window(app: &mut App) -> Entity {
    let mut window = Window::default();
    window.resolution.set(800.0, 600.0);
    app.world_mut().spawn((window, PrimaryWindow)).id()
}

/// Makes steps.
pub fn steps(app: &mut App, count: usize) {
    (0..count).for_each(|_| app.update());
}

/// Returns a body as it is now.
pub fn body(app: &App, entity: Entity) -> Body {
    let id = app.world().get::<BodyId>(entity).expect("it has been made").handle();
    app.world().resource::<Physics>().world().body(id).expect("it is there")
}

/// Returns where the particles of an entity are now \[m\].
pub fn points(app: &App, entity: Entity) -> Vec<Vec3> {
    let physics = app.world().resource::<Physics>();
    let object = physics.object_of(entity).expect("it has been made");
    physics.world().positions(object).expect("it is there").collect()
}

/// Returns a floor, its surface at the origin.
pub fn floor(app: &mut App) -> Entity {
    app.world_mut().spawn(Collider::half_space(Vec3::Y)).id()
}
