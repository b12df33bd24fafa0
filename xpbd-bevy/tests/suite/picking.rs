//! Bevy's picking finds what physics has under the pointer.

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::RunSystemOnce;
use bevy::picking::backend::{HitData, PointerHits};
use bevy::picking::hover::HoverMap;
use bevy::picking::pointer::PointerId;
use bevy::prelude::*;
use bevy::window::{CursorMoved, WindowEvent};
use xpbd_bevy::picking::{PhysicsPickable, PhysicsPickingPlugin, PhysicsPickingSettings};
use xpbd_bevy::prelude::*;
use xpbd_bevy::query::Hit;

use crate::support::{Interface, app_of, camera, points, steps, window};

/// The place of the camera, which looks along −z.
const EYE: Vec3 = Vec3::new(0.0, 0.0, 4.0);
/// Distance of the near plane from the camera \[m\].
const NEAR: f32 = 0.1;

/// A scene without gravity, one thing behind the other: a cloth, a body, a rope and a wall.
struct Stage {
    app: App,
    window: Entity,
    camera: Entity,
    cloth: Entity,
    ball: Entity,
    rope: Entity,
    wall: Entity,
}

impl Stage {
    fn new() -> Self {
        let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
        let mut app = app_of(XpbdPlugins::new(settings), (Interface, PhysicsPickingPlugin));
        let window = window(&mut app);
        let camera = app.world_mut().spawn((camera(), Transform::from_translation(EYE))).id();
        let mesh = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(9).build();
        let mesh = Mesh3d(app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh));
        // The sheet faces the camera.
        let upright = Transform::from_rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
        let cloth = app.world_mut().spawn((Cloth::default(), mesh, upright)).id();
        let at = Transform::from_xyz;
        let ball = app.world_mut().spawn((RigidBody::Fixed, Collider::ball(0.4), at(0.0, 0.0, -1.0))).id();
        let rope = Rope::between(Vec3::NEG_X * 0.5, Vec3::X * 0.5, 10, 1.0);
        let rope = app.world_mut().spawn((rope, at(0.0, 0.0, -2.0))).id();
        let wall = app.world_mut().spawn((Collider::cuboid(5.0, 5.0, 0.5), at(0.0, 0.0, -3.5))).id();
        steps(&mut app, 2);
        Self { app, window, camera, cloth, ball, rope, wall }
    }

    /// Moves the pointer to where the camera sees a point.
    fn point_at(&mut self, point: Vec3) {
        let camera = self.app.world().get::<Camera>(self.camera).unwrap();
        let view = self.app.world().get::<GlobalTransform>(self.camera).unwrap();
        let position = camera.world_to_viewport(view, point).expect("it is in view");
        let moved = CursorMoved { window: self.window, position, delta: None };
        self.app.world_mut().write_message(WindowEvent::from(moved));
        steps(&mut self.app, 1);
    }

    /// Returns what the pointer hovers, the nearest first.
    fn hovered(&mut self) -> Vec<(Entity, HitData)> {
        let window = self.window;
        let of_mouse = |map: Res<HoverMap>| map.get(&PointerId::Mouse).cloned().unwrap_or_default();
        let map = self.app.world_mut().run_system_once(of_mouse).unwrap();
        let mut hits: Vec<_> = map.into_iter().filter(|&(entity, _)| entity != window).collect();
        hits.sort_by(|a, b| a.1.depth.total_cmp(&b.1.depth));
        hits
    }

    fn hovered_entities(&mut self) -> Vec<Entity> {
        steps(&mut self.app, 1);
        self.hovered().into_iter().map(|(entity, _)| entity).collect()
    }
}

#[test]
fn a_pointer_on_a_triangle_of_a_cloth_hits_the_cloth_there() {
    let mut stage = Stage::new();
    // The grid has 10 cells of 0.1 m, each of two triangles: this is the middle of one of them.
    let corner = points(&stage.app, stage.cloth)[0];
    assert!((corner.abs() - Vec3::new(0.5, 0.5, 0.0)).length() < 1e-5, "{corner}");
    let point = Vec3::new(0.2 + 0.2 / 3.0, 0.1 + 0.1 / 3.0, 0.0);
    stage.point_at(point);
    let hits = stage.hovered();
    let [(entity, hit)] = &hits[..] else { panic!("one thing is hovered: {hits:?}") };
    assert_eq!((*entity, hit.camera), (stage.cloth, stage.camera));
    // The ray begins where it meets the near plane.
    let expected = (point - EYE).length() * (1.0 - NEAR / EYE.z);
    assert!((hit.depth - expected).abs() < 1e-4, "{} {expected}", hit.depth);
    assert!(hit.position.unwrap().distance(point) < 1e-4, "{hit:?}");
    assert!(hit.normal.unwrap().distance(Vec3::Z) < 1e-4, "{hit:?}");
    let more = hit.extra_as::<Hit>().expect("a hit of physics is attached");
    assert!(more.triangle.is_some() && more.barycentrics.min_element() > 0.3, "{more:?}");
}

#[test]
fn the_nearest_that_blocks_hides_the_rest_and_what_lets_through_does_not() {
    let mut stage = Stage::new();
    stage.point_at(Vec3::ZERO);
    let Stage { cloth, ball, rope, wall, .. } = stage;
    assert_eq!(stage.hovered_entities(), [cloth]);
    let through = Pickable { should_block_lower: false, is_hoverable: true };
    stage.app.world_mut().entity_mut(cloth).insert(through);
    assert_eq!(stage.hovered_entities(), [cloth, ball]);
    stage.app.world_mut().entity_mut(ball).insert(through);
    stage.app.world_mut().entity_mut(rope).insert(through);
    assert_eq!(stage.hovered_entities(), [cloth, ball, rope, wall]);
    let depths: Vec<f32> = stage.hovered().into_iter().map(|(_, hit)| hit.depth + NEAR).collect();
    // The surfaces of the ball and of the rope are their radius nearer than their middles.
    let radius = Settings::default().particle_radius;
    for (depth, expected) in depths.into_iter().zip([4.0, 4.6, 6.0 - radius, 7.0]) {
        assert!((depth - expected).abs() < 1e-3, "{depth} {expected}");
    }
    stage.app.world_mut().entity_mut(cloth).insert(Pickable::IGNORE);
    assert_eq!(stage.hovered_entities(), [ball, rope, wall]);
    stage.app.world_mut().resource_mut::<PhysicsPickingSettings>().filter = QueryFilter::objects();
    assert_eq!(stage.hovered_entities(), [rope]);
}

#[test]
fn what_cameras_on_top_see_comes_before_what_is_nearer() {
    let mut stage = Stage::new();
    stage.point_at(Vec3::ZERO);
    let Stage { cloth, ball, .. } = stage;
    let above = || (Camera { order: 1, ..camera() }, Transform::from_translation(EYE));
    // A camera of a user interface on top sees nothing of the scene.
    let interface = stage.app.world_mut().spawn((above(), Camera2d)).id();
    assert_eq!(stage.hovered_entities(), [cloth]);
    stage.app.world_mut().despawn(interface);
    let overlay = stage.app.world_mut().spawn((above(), RenderLayers::layer(1))).id();
    assert_eq!(stage.hovered_entities(), [cloth]);
    stage.app.world_mut().entity_mut(ball).insert(RenderLayers::layer(1));
    assert_eq!(stage.hovered_entities(), [ball]);
    let mut orders = Vec::new();
    for hits in stage.app.world().resource::<Messages<PointerHits>>().iter_current_update_messages() {
        orders.extend(hits.picks.iter().map(|&(entity, ref data)| (entity, data.camera, hits.order)));
    }
    assert!(orders.contains(&(ball, overlay, 1.0)) && orders.contains(&(cloth, stage.camera, 0.0)), "{orders:?}");
}

#[test]
fn only_marked_entities_take_part_if_markers_are_required() {
    let mut stage = Stage::new();
    stage.point_at(Vec3::ZERO);
    let Stage { camera, wall, .. } = stage;
    stage.app.world_mut().resource_mut::<PhysicsPickingSettings>().require_markers = true;
    assert_eq!(stage.hovered_entities(), []);
    stage.app.world_mut().entity_mut(wall).insert(PhysicsPickable);
    assert_eq!(stage.hovered_entities(), []);
    stage.app.world_mut().entity_mut(camera).insert(PhysicsPickable);
    assert_eq!(stage.hovered_entities(), [wall]);
}
