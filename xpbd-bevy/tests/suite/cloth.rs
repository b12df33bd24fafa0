//! Cloth in an app without a window.

use bevy::prelude::*;
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::*;

use crate::support::{app, steps};

fn sheet() -> Mesh {
    Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build()
}

fn spawn(app: &mut App, more: impl Bundle) -> Entity {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet());
    app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), more)).id()
}

fn height(app: &App, entity: Entity, particle: usize) -> f32 {
    let object = app.world().get::<ObjectId>(entity).expect("it has been made").handle();
    app.world().resource::<Physics>().world().position(object, particle).expect("it is there").y
}

#[test]
fn a_cloth_falls_and_goes() {
    let mut app = app();
    let cloth = spawn(&mut app, Transform::from_xyz(0.0, 2.0, 0.0));
    steps(&mut app, 30);
    let fallen = 2.0 - height(&app, cloth, 60);
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 0.1, "{fallen}");
    app.world_mut().despawn(cloth);
    app.update();
    assert!(app.world().resource::<Physics>().world().objects().is_empty());
}

#[test]
fn pins_follow_their_entity() {
    let mut app = app();
    let cloth = spawn(&mut app, Pinned::vertices([0, 10]));
    for frame in 0..35 {
        app.world_mut().get_mut::<Transform>(cloth).unwrap().translation.y = frame as f32 * 0.01;
        app.update();
    }
    assert!((height(&app, cloth, 0) - 0.34).abs() < 1e-3, "{}", height(&app, cloth, 0));
    let low = (0..121).map(|k| height(&app, cloth, k)).fold(1.0, f32::min);
    assert!(low < -0.1, "{low}");
    app.world_mut().entity_mut(cloth).remove::<Pinned>();
    steps(&mut app, 30);
    assert!(height(&app, cloth, 0) < 0.0);
}
