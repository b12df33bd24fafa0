//! Dragging, without a mouse.

use bevy::input::ButtonState;
use bevy::input::mouse::MouseButtonInput;
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_bevy::drag::{DragControl, DragPlugin};
use xpbd_bevy::prelude::*;
use xpbd_core::collide::Collider;
use xpbd_core::prelude::{Body, BodyHandle, Mass};

use crate::support::{Interface, app_of, camera, steps, window};

fn app() -> App {
    app_of(XpbdPlugins::default(), DragPlugin::default())
}

/// Returns a ray from (0, 0, 5) to a point of the plane z = 0.
fn toward(x: f32, y: f32) -> Ray3d {
    let origin = Vec3::Z * 5.0;
    Ray3d { origin, direction: Dir3::new(Vec3::new(x, y, 0.0) - origin).unwrap() }
}

fn drag(app: &mut App) -> Mut<'_, DragControl> {
    app.world_mut().resource_mut::<DragControl>()
}

#[test]
fn a_particle_is_dragged_and_let_go() {
    let mut app = app();
    let rope = Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0);
    let rope = app.world_mut().spawn((rope, Pinned::vertices([0]), GravityScale(0.0))).id();
    steps(&mut app, 1);
    let state = |app: &App, k: usize| {
        let physics = app.world().resource::<Physics>();
        let object = physics.object_of(rope).unwrap();
        let i = physics.world().state().objects.get(object).unwrap().range.start + k;
        (physics.world().position(object, k).unwrap(), physics.world().state().particles.pinned[i])
    };
    drag(&mut app).grab_facing(toward(1.0, 0.0), Dir3::NEG_Z);
    steps(&mut app, 1);
    let held = *drag(&mut app).held().expect("the end is there");
    assert_eq!((held.entity, held.particle), (Some(rope), Some(20)));
    drag(&mut app).move_to(toward(0.5, 0.5));
    steps(&mut app, 60);
    let (place, pinned) = state(&app, 20);
    // The plane goes through where it was hit, a radius nearer: a particle follows the ray to its middle.
    assert!(pinned && (place - Vec3::new(0.5, 0.5, 0.0)).length() < 0.01, "{place}");

    drag(&mut app).release();
    steps(&mut app, 1);
    assert!(drag(&mut app).held().is_none() && !state(&app, 20).1);

    // One that was pinned is pinned again.
    drag(&mut app).grab(toward(0.0, 0.0));
    steps(&mut app, 1);
    assert_eq!(drag(&mut app).held().unwrap().particle, Some(0));
    drag(&mut app).move_to(toward(-0.2, 0.0));
    steps(&mut app, 5);
    drag(&mut app).release();
    steps(&mut app, 5);
    assert!(state(&app, 0).1 && (state(&app, 0).0.x + 0.2).abs() < 0.01, "{:?}", state(&app, 0));

    // What goes is let go.
    drag(&mut app).grab(toward(-0.2, 0.0));
    steps(&mut app, 1);
    assert!(drag(&mut app).held().is_some());
    app.world_mut().despawn(rope);
    steps(&mut app, 2);
    assert!(drag(&mut app).held().is_none());
}

fn add_box(app: &mut App, half: Vec3) -> BodyHandle {
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let world = physics.world_mut();
    let body = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::cuboid(2.0, half))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).attached_to(body)).unwrap();
    body
}

#[test]
fn a_body_is_dragged_and_falls_when_it_is_let_go() {
    let mut app = app();
    let half = Vec3::new(0.3, 0.05, 0.05);
    let body = add_box(&mut app, half);
    let pose = |app: &App| app.world().resource::<Physics>().world().body_pose(body).unwrap();
    // By the face toward the camera, near an end.
    drag(&mut app).grab_facing(toward(0.25, 0.0), Dir3::NEG_Z);
    steps(&mut app, 1);
    let held = *drag(&mut app).held().expect("it is there");
    assert_eq!(held.body, Some(body));
    let local = held.point;
    drag(&mut app).move_to(toward(0.5, 0.6));
    let mut overshoot = 0.0_f32;
    for _ in 0..120 {
        steps(&mut app, 1);
        overshoot = overshoot.max(pose(&app).transform_point(local).y);
    }
    let target = toward(0.5, 0.6).get_point((5.0 - held.point.z) / 5.0 * Vec3::new(0.5, 0.6, -5.0).length());
    let point = pose(&app).transform_point(local);
    assert!((target.z - held.point.z).abs() < 1e-4 && (point - target).length() < 0.02, "{point} {target}");
    assert!(overshoot < target.y + 0.05, "{overshoot}");

    drag(&mut app).release();
    steps(&mut app, 1);
    let before = pose(&app).transform_point(Vec3::ZERO).y;
    steps(&mut app, 30);
    assert!(before - pose(&app).transform_point(Vec3::ZERO).y > 0.9, "{before}");
}

#[test]
fn the_pull_is_bounded_by_mass() {
    let mut app = app();
    let body = add_box(&mut app, Vec3::splat(0.2));
    app.world_mut().resource_mut::<DragControl>().max_acceleration = 5.0;
    drag(&mut app).grab_facing(toward(0.0, 0.0), Dir3::NEG_Z);
    drag(&mut app).move_to(toward(0.0, 100.0));
    steps(&mut app, 30);
    // Gravity pulls harder than that.
    let velocity = app.world().resource::<Physics>().world().body(body).unwrap().velocity;
    assert!((velocity.y + (9.81 - 5.0) * 0.5).abs() < 0.2, "{velocity}");
}

#[test]
fn what_cannot_move_is_not_held() {
    let mut app = app();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    physics.world_mut().add_collider(Collider::new(SharedShape::ball(0.5))).unwrap();
    drag(&mut app).grab(toward(0.0, 0.0));
    steps(&mut app, 2);
    assert!(drag(&mut app).held().is_none());
    drag(&mut app).move_to(toward(1.0, 0.0));
    drag(&mut app).release();
    steps(&mut app, 2);
}

#[test]
fn the_mouse_drags_in_the_plane_that_faces_the_camera() {
    let mut app = app();
    let body = add_box(&mut app, Vec3::splat(0.2));
    app.insert_resource(ButtonInput::<MouseButton>::default());
    let camera = camera();
    let view = Transform::from_xyz(0.0, 0.0, 3.0);
    let scene = app.world_mut().spawn((camera, view)).id();
    let mut window = Window::default();
    window.resolution.set(800.0, 600.0);
    window.set_cursor_position(Some(Vec2::new(400.0, 300.0)));
    let window = app.world_mut().spawn((window, PrimaryWindow)).id();
    // A camera of a user interface on top, one of a scene on top that sees other layers, and one of another window.
    let mut above = app.world().entity(scene).get::<Camera>().unwrap().clone();
    above.order = 1;
    let aside = Transform::from_xyz(0.0, 5.0, 3.0);
    app.world_mut().spawn((above.clone(), Camera2d, aside));
    app.world_mut().spawn((above.clone(), bevy::camera::visibility::RenderLayers::layer(1), aside));
    let other = app.world_mut().spawn(Window::default()).id();
    let target = bevy::camera::RenderTarget::Window(bevy::window::WindowRef::Entity(other));
    app.world_mut().spawn((above, target, aside));
    steps(&mut app, 1);
    let mouse = |app: &mut App, act: &dyn Fn(&mut ButtonInput<MouseButton>)| {
        let mut buttons = app.world_mut().resource_mut::<ButtonInput<MouseButton>>();
        buttons.clear();
        act(&mut buttons);
    };
    drag(&mut app).blocked = true;
    mouse(&mut app, &|buttons| buttons.press(MouseButton::Left));
    steps(&mut app, 1);
    assert!(drag(&mut app).held().is_none());
    drag(&mut app).blocked = false;
    mouse(&mut app, &|buttons| buttons.release(MouseButton::Left));
    steps(&mut app, 1);
    mouse(&mut app, &|buttons| buttons.press(MouseButton::Left));
    steps(&mut app, 1);
    let held = *drag(&mut app).held().expect("it is in the middle");
    assert!(held.body == Some(body) && (held.point - Vec3::Z * 0.2).length() < 0.01, "{held:?}");
    mouse(&mut app, &|_| {});
    let at = Vec2::new(500.0, 200.0);
    app.world_mut().get_mut::<Window>(window).unwrap().set_cursor_position(Some(at));
    steps(&mut app, 120);
    // The plane is 2.8 m before the camera, 600 pixels high at the field of view of 45°.
    let metres = 2.0 * 2.8 * (2.0_f32.sqrt() - 1.0) / 600.0;
    let expected = Vec3::new(100.0 * metres, 100.0 * metres, held.point.z);
    let pose = app.world().resource::<Physics>().world().body_pose(body).unwrap();
    let place = pose.transform_point(held.point);
    assert!((place - expected).length() < 0.02, "{place} {expected}");
    mouse(&mut app, &|buttons| buttons.release(MouseButton::Left));
    steps(&mut app, 1);
    assert!(drag(&mut app).held().is_none());
}

/// Moves the cursor, presses the mouse button, and returns whether something is held then; releases it again.
fn grabs_at(app: &mut App, window: Entity, cursor: Vec2) -> bool {
    app.world_mut().get_mut::<Window>(window).unwrap().set_cursor_position(Some(cursor));
    let moved = CursorMoved { window, position: cursor, delta: None };
    app.world_mut().write_message(WindowEvent::from(moved));
    let press = |app: &mut App, state| {
        app.world_mut().write_message(MouseButtonInput { button: MouseButton::Left, state, window });
        app.update();
    };
    press(app, ButtonState::Pressed);
    let holds = drag(app).held().is_some();
    press(app, ButtonState::Released);
    holds
}

#[test]
fn a_drag_does_not_begin_under_a_user_interface() {
    let mut app = app_of(XpbdPlugins::default(), (Interface, DragPlugin::default()));
    let window = window(&mut app);
    let body = add_box(&mut app, Vec3::splat(0.5));
    app.world_mut().resource_mut::<PhysicsSettings>().gravity = Vec3::ZERO;
    let view = Transform::from_xyz(0.0, 0.0, 3.0);
    let scene = app.world_mut().spawn((camera(), view)).id();
    // The panel covers the left half of the box, which is 360 pixels wide; the root lets pointers through.
    let half = Node { position_type: PositionType::Absolute, width: px(400), height: px(600), ..default() };
    let root = Node { width: percent(100), height: percent(100), ..default() };
    let root = app.world_mut().spawn((root, Pickable::IGNORE)).id();
    let panel = app.world_mut().spawn((half, ChildOf(root))).id();
    steps(&mut app, 3);
    let [left, right] = [Vec2::new(350.0, 300.0), Vec2::new(450.0, 300.0)];
    let grabs = |app: &mut App| [left, right].map(|cursor| grabs_at(app, window, cursor));
    assert_eq!(grabs(&mut app), [false, true]);

    // What lets pointers through, and what is not shown, covers nothing.
    app.world_mut().entity_mut(panel).insert(Pickable::IGNORE);
    assert_eq!(grabs(&mut app), [true, true]);
    app.world_mut().entity_mut(panel).remove::<Pickable>().insert(Visibility::Hidden);
    steps(&mut app, 1);
    assert_eq!(grabs(&mut app), [true, true]);
    app.world_mut().entity_mut(panel).insert(Visibility::Inherited);
    steps(&mut app, 1);
    assert_eq!(grabs(&mut app), [false, true]);

    // The same panel on an overlay camera covers too; the overlay camera itself is passed by.
    let overlay = app.world_mut().spawn((Camera { order: 1, ..camera() }, Camera2d)).id();
    app.world_mut().entity_mut(root).insert(UiTargetCamera(overlay));
    steps(&mut app, 2);
    assert_eq!(grabs(&mut app), [false, true]);
    // A user interface below the scene does not cover it.
    app.world_mut().get_mut::<Camera>(overlay).unwrap().order = -1;
    steps(&mut app, 2);
    assert_eq!(grabs(&mut app), [true, true]);

    // A drag that has begun goes on over the panel.
    app.world_mut().entity_mut(root).insert(UiTargetCamera(scene));
    steps(&mut app, 2);
    app.world_mut().get_mut::<Window>(window).unwrap().set_cursor_position(Some(right));
    app.world_mut().write_message(WindowEvent::from(CursorMoved { window, position: right, delta: None }));
    app.world_mut().write_message(MouseButtonInput { button: MouseButton::Left, state: ButtonState::Pressed, window });
    app.update();
    let begun = drag(&mut app).held().expect("it is not covered").point;
    app.world_mut().get_mut::<Window>(window).unwrap().set_cursor_position(Some(left));
    app.world_mut().write_message(WindowEvent::from(CursorMoved { window, position: left, delta: None }));
    steps(&mut app, 60);
    let physics = app.world().resource::<Physics>();
    assert!(physics.world().body_pose(body).unwrap().translation.x < -0.2, "{begun}");
}
