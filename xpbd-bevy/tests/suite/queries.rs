//! Spatial queries name entities, see the world as it is now, and work as components.

use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use parry3d::shape::SharedShape;
use xpbd_bevy::physics::PhysicsHandle;
use xpbd_bevy::prelude::*;
use xpbd_bevy::query::Hit;
use xpbd_core::collide;
use xpbd_core::prelude::Object;

use crate::support::{app, floor, points, steps};

fn down(app: &App, from: Vec3, filter: &QueryFilter) -> Option<Hit> {
    let ray = Ray3d { origin: from, direction: Dir3::NEG_Y };
    app.world().resource::<Physics>().cast_ray(ray, 100.0, filter)
}

#[test]
fn answers_name_the_entity_of_what_is_hit() {
    let mut app = app();
    let floor = floor(&mut app);
    let crates = app.world_mut().spawn((RigidBody::Fixed, Transform::from_xyz(0.0, 1.0, 0.0))).id();
    let part = app.world_mut().spawn((Collider::cuboid(0.5, 0.5, 0.5), ChildOf(crates))).id();
    let sheet =
        app.world_mut().resource_mut::<Assets<Mesh>>().add(Plane3d::default().mesh().size(1.0, 1.0).subdivisions(7));
    let cloth = (Cloth::default(), Mesh3d(sheet), Transform::from_xyz(5.0, 2.0, 0.0), GravityScale(0.0));
    let cloth = app.world_mut().spawn(cloth).id();
    let rope = app
        .world_mut()
        .spawn((Rope::between(Vec3::new(8.0, 1.0, 0.0), Vec3::new(9.0, 1.0, 0.0), 10, 1.0), GravityScale(0.0)))
        .id();
    steps(&mut app, 2);
    let everything = QueryFilter::default();

    let hit = down(&app, Vec3::new(0.2, 5.0, 0.1), &everything).unwrap();
    assert_eq!((hit.entity, hit.particle, hit.triangle), (Some(part), None, None));
    assert_eq!(hit.body, app.world().resource::<Physics>().body_of(crates));
    assert!((hit.distance - 3.5).abs() < 1e-5, "{hit:?}");
    // A part is excluded by itself, and with its body.
    for excluded in [part, crates] {
        let hit = down(&app, Vec3::new(0.2, 5.0, 0.1), &everything.clone().excluding(excluded)).unwrap();
        assert_eq!(hit.entity, Some(floor));
    }
    // Between the vertices of a cloth.
    let hit = down(&app, Vec3::new(5.07, 5.0, 0.03), &everything).unwrap();
    assert_eq!(hit.entity, Some(cloth));
    assert!((hit.distance - 3.0).abs() < 1e-3 && hit.triangle.is_some(), "{hit:?}");
    let nearest = points(&app, cloth)[hit.particle.unwrap() as usize];
    assert!(points(&app, cloth).iter().all(|x| x.distance(hit.point) >= nearest.distance(hit.point) - 1e-5));
    assert_eq!(down(&app, Vec3::new(5.07, 5.0, 0.03), &QueryFilter::colliders()).unwrap().entity, Some(floor));
    let hit = down(&app, Vec3::new(8.5, 5.0, 0.0), &QueryFilter::objects()).unwrap();
    assert_eq!((hit.entity, hit.particle, hit.triangle), (Some(rope), Some(5), None));

    let space = |space: SpatialQuery| {
        let everything = QueryFilter::default();
        let (shape, place) = (Collider::ball(0.6), Isometry3d::from_xyz(5.0, 2.3, 0.0));
        let touched = space.cast_shape(&shape, Isometry3d::from_xyz(5.0, 4.0, 0.0), Dir3::NEG_Y, 9.0, &everything);
        let touched = touched.unwrap().map(|hit| (hit.entity, (hit.distance * 1e3).round()));
        let overlaps = space.shape_intersections(&shape, place, &everything).unwrap();
        let holding = space.point_intersections(Vec3::new(0.1, 0.9, 0.1), &everything);
        let nearest = space.closest_point(Vec3::new(0.0, 1.7, 0.0), 1.0, &everything).map(|hit| hit.entity);
        (
            touched,
            overlaps,
            holding,
            nearest,
            space.cast_shape(&Collider::half_space(Vec3::Y), place, Dir3::X, 1.0, &everything).is_err(),
        )
    };
    let answers = app.world_mut().run_system_once(space).unwrap();
    assert_eq!(answers, (Some((Some(cloth), 1400.0)), vec![cloth], vec![part], Some(Some(part)), true));
}

#[test]
fn answers_follow_steps_and_edits() {
    let mut app = app();
    let ball =
        app.world_mut().spawn((RigidBody::Dynamic, Collider::ball(0.5), Transform::from_xyz(0.0, 10.0, 0.0))).id();
    let top = |app: &App| down(app, Vec3::Y * 50.0, &QueryFilter::default()).map(|hit| 50.0 - hit.distance - 0.5);
    for _ in 0..30 {
        steps(&mut app, 1);
        let height = crate::support::body(&app, ball).pose.translation.y;
        assert!((top(&app).unwrap() - height).abs() < 1e-4);
    }
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let wall = collide::Collider::new(SharedShape::ball(1.0)).at(Vec3::Y * 20.0);
    let wall = physics.world_mut().add_collider(wall).unwrap();
    assert!((top(&app).unwrap() - 20.5).abs() < 1e-4);
    app.world_mut().resource_mut::<Physics>().world_mut().remove_collider(wall).unwrap();
    app.world_mut().despawn(ball);
    assert_eq!(top(&app), None);
}

#[test]
fn layers_select_and_what_nobody_owns_has_no_entity() {
    let mut app = app();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    let layers = xpbd_core::world::CollisionLayers { memberships: 2, ..Default::default() };
    let one = Object { collision_layers: layers, ..Object::new("a", vec![Vec3::ZERO], 1.0) };
    let first = physics.world_mut().add(one).unwrap();
    let second = physics.world_mut().add(Object::new("b", vec![Vec3::NEG_Y], 1.0)).unwrap();
    let below = |filter: QueryFilter| down(&app, Vec3::Y, &filter).map(|hit| (hit.handle, hit.entity));
    assert_eq!(below(QueryFilter::default()), Some((PhysicsHandle::Object(first), None)));
    let groups = CollisionLayers { memberships: 1, filters: 1 };
    assert_eq!(below(QueryFilter::default().layers(groups)), Some((PhysicsHandle::Object(second), None)));
}

#[test]
fn casters_report_what_is_there_after_each_step() {
    let mut app = app();
    let floor = floor(&mut app);
    let drone = (RigidBody::Kinematic, Collider::ball(0.2), Transform::from_xyz(0.0, 3.0, 0.0));
    let drone = app.world_mut().spawn((drone, RayCaster::new(Vec3::ZERO, Dir3::NEG_Y))).id();
    let turned = Transform::from_xyz(0.0, 4.0, 0.0).with_rotation(Quat::from_rotation_z(std::f32::consts::FRAC_PI_2));
    let sweep = ShapeCaster { max_hits: 5, ..ShapeCaster::new(Collider::ball(0.5), Vec3::ZERO, Dir3::NEG_X) };
    // Its own frame is turned: −x of it points down.
    let sweep = app.world_mut().spawn((sweep, turned)).id();
    steps(&mut app, 2);
    let ray = |app: &App| app.world().get::<RayHits>(drone).unwrap().0.clone();
    let shape = |app: &App| app.world().get::<ShapeHits>(sweep).unwrap().0.clone();
    let hits = ray(&app);
    assert!(hits.len() == 1 && hits[0].entity == Some(floor) && (hits[0].distance - 3.0).abs() < 1e-4, "{hits:?}");
    let hits = shape(&app);
    let found: Vec<_> = hits.iter().map(|hit| (hit.entity, (hit.distance * 1e3).round())).collect();
    assert_eq!(found, [(Some(drone), 300.0), (Some(floor), 3500.0)]);

    app.world_mut().get_mut::<Transform>(drone).unwrap().translation.y = 1.0;
    steps(&mut app, 2);
    assert!((ray(&app)[0].distance - 1.0).abs() < 1e-4, "{:?}", ray(&app));
    assert!((shape(&app)[0].distance - 2.3).abs() < 1e-3, "{:?}", shape(&app));
    app.world_mut().get_mut::<RayCaster>(drone).unwrap().ignore_self = false;
    app.world_mut().get_mut::<ShapeCaster>(sweep).unwrap().enabled = false;
    steps(&mut app, 1);
    assert_eq!((ray(&app)[0].entity, ray(&app)[0].distance), (Some(drone), 0.0));
    assert!(shape(&app).is_empty());
}
