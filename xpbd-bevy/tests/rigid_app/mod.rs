//! An app without a window, and what is asked of it.

use bevy::asset::AssetPlugin;
use bevy::mesh::MeshPlugin;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use xpbd_bevy::body::BodyId;
use xpbd_bevy::prelude::*;
use xpbd_core::bodies::Body;

/// An app that makes a step an update, from the first.
pub fn app() -> App {
    let mut app = App::new();
    let plugins = (MinimalPlugins, AssetPlugin::default(), MeshPlugin, TransformPlugin, XpbdPlugins::default());
    app.add_plugins(plugins).insert_resource(Time::<Fixed>::from_hz(60.0));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    app.update();
    app
}

/// Makes steps.
pub fn steps(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

/// A body as it is now.
pub fn body(app: &App, entity: Entity) -> Body {
    let id = app.world().get::<BodyId>(entity).expect("it has been made").handle();
    app.world().resource::<Physics>().world().body(id).expect("it is there")
}

/// A floor, its surface at the origin.
pub fn floor(app: &mut App) -> Entity {
    app.world_mut().spawn(Collider::half_space(Vec3::Y)).id()
}
