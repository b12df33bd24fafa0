//! Spatial queries against closed forms, against every triangle in double precision, and against an index built anew.

use glam::{DVec3, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, Capsule, Cuboid, HalfSpace, SharedShape, Triangle};
use parry3d::utils::Array2;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, solid_mesh};
use xpbd_core::query::{QueryError, QueryFilter, QueryHit, QueryTarget, Ray, ShapeCast, SpatialIndex, SpatialQuery};
use xpbd_core::world::{BodyHandle, CollisionLayers, Object, ObjectHandle, ParticleSpawn, Settings, World};

use crate::support::{Lcg, step, weightless};

const RADIUS: f32 = 0.1;

fn everything() -> QueryFilter<'static> {
    QueryFilter::default()
}

fn world() -> World {
    World::new(Settings { particle_radius: RADIUS, ..weightless() }).unwrap()
}

/// Returns a sheet of `n` by `n` vertices, displaced by a part of their spacing, with its triangles.
fn crumpled(n: u32, part: f32, random: &mut Lcg) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let vertex = |k: u32| Vec3::new((k % n) as f32, 0.0, (k / n) as f32) / n as f32;
    let vertices = (0..n * n).map(|k| vertex(k) + random.vector(part / n as f32)).collect();
    let cells = (0..n * (n - 1)).filter(|k| k % n + 1 < n);
    let triangles = cells.flat_map(|k| [[k, k + 1, k + n], [k + 1, k + n + 1, k + n]]).collect();
    (vertices, triangles)
}

fn add_surface(world: &mut World, vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> ObjectHandle {
    world.add(Object { triangles, ..Object::new("sheet", vertices, 0.001) }).unwrap()
}

/// Returns the first triangle on the way in double precision: |determinants| of Cramer's rule, without any tree.
fn first_triangle(vertices: &[Vec3], triangles: &[[u32; 3]], ray: &Ray) -> Option<(usize, f64)> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3().normalize());
    let hit = |&[a, b, c]: &[u32; 3]| -> Option<f64> {
        let [a, b, c]: [DVec3; 3] = [a, b, c].map(|k| vertices[k as usize].as_dvec3());
        let (ab, ac, from) = (b - a, c - a, origin - a);
        let across = direction.cross(ac);
        let volume = ab.dot(across);
        let (u, v) = (from.dot(across) / volume, direction.dot(from.cross(ab)) / volume);
        let along = ac.dot(from.cross(ab)) / volume;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along >= 0.0).then_some(along)
    };
    let hits = triangles.iter().enumerate().filter_map(|(k, triangle)| Some((k, hit(triangle)?)));
    hits.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn triangle_of(hit: &QueryHit) -> usize {
    let QueryTarget::Triangle { triangle, .. } = hit.target else { panic!("{hit:?} is no triangle") };
    triangle as usize
}

#[test]
fn random_rays_hit_the_triangle_that_is_first_of_all() {
    let mut random = Lcg::new(7);
    let (vertices, triangles) = crumpled(40, 0.6, &mut random);
    let (mut world, mut index) = (world(), SpatialIndex::default());
    let sheet = add_surface(&mut world, vertices.clone(), triangles.clone());
    let space = index.update(&world);
    let mut hits = 0;
    for k in 0..10_000 {
        let origin = Vec3::new(0.5, 0.0, 0.5) + random.unit() * random.range(0.02, 3.0);
        // Every other ray aims at the middle of a triangle.
        let [a, b, c] = triangles[random.below(triangles.len())].map(|corner| vertices[corner as usize]);
        let to = if k % 2 == 0 { (a + b + c) / 3.0 - origin } else { random.unit() };
        let ray = Ray::new(origin, to * random.range(0.1, 10.0), f32::INFINITY);
        let expected = first_triangle(&vertices, &triangles, &ray);
        let hit = space.cast_ray(&ray, &everything());
        assert_eq!(hit.is_some(), expected.is_some(), "ray {k}: {hit:?}, but {expected:?}");
        let (Some(hit), Some((triangle, along))) = (hit, expected) else { continue };
        hits += 1;
        // Roundings of the ray, as far as they move the point where it meets the plane.
        let slant = hit.normal.dot(ray.direction.normalize()).abs();
        let error = (f64::from(hit.distance) - along).abs() as f32;
        assert!(error * slant < 1e-6, "ray {k}: {hit:?}, but {along}");
        // Two triangles that meet in the edge that is hit are both right.
        let corners = triangles[triangle_of(&hit)];
        assert!(
            triangle_of(&hit) == triangle || triangles[triangle].iter().filter(|c| corners.contains(c)).count() == 2,
            "ray {k}"
        );
        let QueryTarget::Triangle { object, particles, .. } = hit.target else { unreachable!() };
        assert_eq!((object, particles), (sheet, corners));
        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
        let weighted = a * hit.barycentrics.x + b * hit.barycentrics.y + c * hit.barycentrics.z;
        assert!(weighted.distance(hit.point) * slant < 1e-6, "ray {k}: {hit:?}, but {weighted}");
        assert!((hit.normal.length() - 1.0).abs() < 1e-5 && hit.normal.dot(ray.direction) <= 0.0);
    }
    assert!(hits > 5_000, "{hits}");
}

#[test]
fn no_ray_passes_through_an_edge_or_a_vertex_of_a_sheet() {
    let (vertices, triangles) = crumpled(20, 0.2, &mut Lcg::new(3));
    // 100 m from the origin too, where a vertex is rounded to 4 µm.
    for shift in [Vec3::ZERO, Vec3::new(100.0, -50.0, 30.0)] {
        let vertices: Vec<_> = vertices.iter().map(|&x| x + shift).collect();
        let (mut world, mut index, mut random) = (world(), SpatialIndex::default(), Lcg::new(4));
        add_surface(&mut world, vertices.clone(), triangles.clone());
        let space = index.update(&world);
        for k in 0..10_000 {
            // Inner vertices, and points on edges between two of them.
            let (column, row) = (1 + random.below(17), 1 + random.below(17));
            let vertex = vertices[row * 20 + column];
            let next = vertices[row * 20 + column + 1];
            let aim = if k % 2 == 0 { vertex } else { vertex.lerp(next, random.range(0.0, 1.0)) };
            let origin =
                aim + Vec3::new(random.range(-0.1, 0.1), 1.0, random.range(-0.1, 0.1)) * random.range(0.5, 50.0);
            let ray = Ray::new(origin, aim - origin, f32::INFINITY);
            assert!(space.cast_ray(&ray, &everything()).is_some(), "ray {k} towards {aim}");
        }
    }
}

/// A scene with some of everything, which falls: a sheet, grains, a plane, boxes and balls on bodies.
fn yard() -> (World, ObjectHandle, ObjectHandle, Vec<BodyHandle>) {
    let mut random = Lcg::new(11);
    let mut world = World::new(Settings { particle_radius: 0.02, ..Settings::default() }).unwrap();
    let (vertices, triangles) = crumpled(12, 0.6, &mut random);
    let sheet = add_surface(&mut world, vertices, triangles);
    let grains = (0..50).map(|_| Vec3::Y + random.vector(0.5)).collect();
    let grains = world.add(Object::new("grains", grains, 0.01).capacity(20, 0.01)).unwrap();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::NEG_Y)).unwrap();
    let add = |k: i32| {
        let pose = Pose::from_parts(Vec3::Y * 2.0 + random.vector(1.5), Quat::from_rotation_x(random.range(0.0, 3.0)));
        let shape = if k % 2 == 0 { SharedShape::ball(0.1) } else { SharedShape::cuboid(0.1, 0.15, 0.05) };
        let mass = Mass::from_shape(&*shape, 500.0).unwrap();
        let body = world.add_body(Body { velocity: random.vector(2.0), ..Body::dynamic(pose, mass) }).unwrap();
        world.add_collider(Collider::new(shape).attached_to(body)).unwrap();
        body
    };
    let bodies = (0..60).map(add).collect();
    (world, sheet, grains, bodies)
}

/// Returns what many queries find, to be compared.
fn answers(space: SpatialQuery<'_>) -> Vec<(Vec<QueryHit>, Vec<QueryTarget>)> {
    let mut random = Lcg::new(5);
    let mut answer = || {
        let (point, direction) = (Vec3::Y + random.vector(2.0), random.unit());
        let ray = Ray::new(point, direction, 4.0);
        let cast = ShapeCast {
            shape: &Ball::new(0.1),
            pose: Pose::from_translation(point),
            direction,
            max_distance: 4.0,
            target_distance: 0.0,
        };
        let first = space.cast_ray(&ray, &everything());
        let moved = space.cast_shape(&cast, &everything()).unwrap();
        let nearest = space.closest_point(point, 4.0, &everything());
        let hits = first.into_iter().chain(moved).chain(nearest).chain(space.ray_hits(&ray, &everything()));
        assert_eq!(space.shape_hits(&cast, &everything()).unwrap().first(), moved.as_ref());
        let overlaps = space
            .shape_intersections(&Cuboid::new(Vec3::splat(0.3)), &Pose::from_translation(point), &everything())
            .unwrap();
        (hits.collect(), overlaps)
    };
    (0..120).map(|_| answer()).collect()
}

#[test]
fn answers_are_those_of_the_world_as_it_is_after_any_change() {
    let (mut world, sheet, grains, bodies) = yard();
    let mut index = SpatialIndex::default();
    let early = world.snapshot().unwrap();
    let mut other = yard().0;
    step(&mut other, 30);
    let shape = world.state().colliders.keys()[3];
    type Change<'a> = Box<dyn FnOnce(&mut World) + 'a>;
    let changes: Vec<(&str, Change<'_>)> = vec![
        ("fewer grains", Box::new(|world| world.deactivate(grains, &(0..20).collect::<Vec<_>>()).unwrap())),
        (
            "new grains",
            Box::new(|world| {
                let at = |k| Vec3::new(0.05 * k as f32 - 0.5, 1.2, 0.03 * k as f32);
                let spawn = |k| ParticleSpawn { position: at(k), velocity: Vec3::ZERO };
                world.spawn(grains, &(0..20).map(spawn).collect::<Vec<_>>()).unwrap();
            }),
        ),
        ("a step", Box::new(|world| step(world, 1))),
        ("many steps", Box::new(|world| step(world, 60))),
        ("a particle", Box::new(|world| world.set_position(grains, 3, Vec3::Y, Vec3::ZERO).unwrap())),
        ("a vertex", Box::new(|world| world.set_position(sheet, 40, Vec3::ONE, Vec3::ZERO).unwrap())),
        ("a body", Box::new(|world| world.set_body_pose(bodies[0], Pose::translation(0.0, 1.0, 0.3)).unwrap())),
        ("a collider", Box::new(|world| world.edit_collider(shape, |it| it.shape = SharedShape::ball(0.7)).unwrap())),
        ("a far one", Box::new(|world| world.edit_collider(shape, |it| it.pose.translation.x = 1e7).unwrap())),
        (
            "a wall",
            Box::new(|world| {
                world.add_collider(Collider::new(SharedShape::halfspace(Vec3::X))).unwrap();
            }),
        ),
        (
            "a radius",
            Box::new(|world| {
                let settings = Settings { particle_radius: 0.1, ..world.settings().clone() };
                world.set_settings(settings).unwrap();
            }),
        ),
        ("no triangles", Box::new(|world| world.set_triangles(sheet, Vec::new()).unwrap())),
        ("an older state", Box::new(|world| world.restore(&early).unwrap())),
        ("no body", Box::new(|world| world.remove_body(bodies[1]).unwrap())),
        ("no sheet", Box::new(|world| world.remove(sheet).unwrap())),
        ("another world", Box::new(|world| std::mem::swap(world, &mut other))),
    ];
    let mut before = answers(index.update(&world));
    for (what, change) in changes {
        assert!(index.current(&world).is_some(), "{what}");
        change(&mut world);
        assert!(index.current(&world).is_none(), "{what} has left the index as it was");
        let now = answers(index.update(&world));
        assert!(now == answers(SpatialIndex::default().update(&world)), "{what}");
        assert!(now != before, "{what} has changed nothing");
        before = now;
    }
}

#[test]
fn reading_leaves_the_index_current() {
    let (mut world, _, grains, _) = yard();
    let mut index = SpatialIndex::default();
    index.update(&world);
    world.position(grains, 0).unwrap();
    let _ = (world.settings(), world.contacts(), world.state_hash(), world.objects());
    assert!(index.current(&world).is_some());
    assert!(index.current(&World::default()).is_none());
    world.snapshot().unwrap();
    index.update(&world);
    assert_eq!(world.revision(), world.revision());
}

#[test]
fn rays_together_are_the_rays_one_by_one() {
    let (world, ..) = yard();
    let mut index = SpatialIndex::default();
    let (space, mut random) = (index.update(&world), Lcg::new(9));
    let rays: Vec<_> = (0..2000).map(|_| Ray::new(Vec3::Y + random.vector(2.0), random.unit(), 5.0)).collect();
    let single: Vec<_> = rays.iter().map(|ray| space.cast_ray(ray, &everything())).collect();
    assert_eq!(space.cast_rays(&rays, &everything()), single);
    // The first of all hits is the first hit.
    for (ray, first) in rays.iter().zip(&single) {
        let all = space.ray_hits(ray, &everything());
        assert_eq!(all.first(), first.as_ref());
        assert!(all.is_sorted_by(|a, b| a.distance <= b.distance));
    }
    assert!(single.iter().flatten().count() > 500);
}

#[test]
fn moving_shapes_stop_where_they_touch() {
    let (mut world, mut index) = (world(), SpatialIndex::default());
    let floor = world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let (vertices, triangles) =
        (vec![Vec3::new(9.0, 1.0, -1.0), Vec3::new(11.0, 1.0, -1.0), Vec3::new(10.0, 1.0, 2.0)], vec![[0, 1, 2]]);
    let sheet = add_surface(&mut world, vertices, triangles);
    let grain = world.add(Object::new("grain", vec![Vec3::new(-10.0, 2.0, 0.0)], 1.0)).unwrap();
    let space = index.update(&world);
    let fall = |shape: &dyn parry3d::shape::Shape, from: Vec3| {
        let cast = ShapeCast {
            shape,
            pose: Pose::from_translation(from),
            direction: Vec3::NEG_Y * 3.0,
            max_distance: 20.0,
            target_distance: 0.0,
        };
        space.cast_shape(&cast, &everything()).unwrap().expect("something is below")
    };
    let of_floor = QueryTarget::Collider { collider: floor, body: None };
    let ball = fall(&Ball::new(0.5), Vec3::Y * 4.0);
    assert_eq!(ball.target, of_floor);
    assert!((ball.distance - 3.5).abs() < 1e-4 && ball.point.length() < 1e-4 && ball.normal.distance(Vec3::Y) < 1e-5);
    let capsule = fall(&Capsule::new_y(0.5, 0.25), Vec3::Y * 4.0);
    assert!((capsule.distance - 3.25).abs() < 1e-4, "{capsule:?}");
    // A ball onto the middle of a triangle 1 m up.
    let on_sheet = fall(&Ball::new(0.5), Vec3::new(10.0, 4.0, 0.0));
    assert_eq!(on_sheet.target, QueryTarget::Triangle { object: sheet, triangle: 0, particles: [0, 1, 2] });
    assert!((on_sheet.distance - 2.5).abs() < 1e-4 && on_sheet.normal.distance(Vec3::Y) < 1e-4, "{on_sheet:?}");
    assert!(on_sheet.barycentrics.distance(Vec3::splat(1.0 / 3.0)) < 1e-3, "{on_sheet:?}");
    // A box onto a grain of 0.1 m.
    let on_grain = fall(&Cuboid::new(Vec3::splat(0.5)), Vec3::new(-10.0, 4.0, 0.2));
    assert_eq!(on_grain.target, QueryTarget::Particle { object: grain, particle: 0 });
    assert!((on_grain.distance - 1.4).abs() < 1e-4, "{on_grain:?}");
    // What overlaps at the start is hit at once, and its normal leads out.
    let within = fall(&Ball::new(0.5), Vec3::Y * 0.4);
    assert_eq!((within.distance, within.target), (0.0, of_floor));
    assert!(within.normal.distance(Vec3::Y) < 1e-4, "{within:?}");
}

#[test]
fn a_moving_ball_stops_where_it_meets_the_first_of_all_colliders() {
    let (world, ..) = yard();
    let mut index = SpatialIndex::default();
    let (space, mut random) = (index.update(&world), Lcg::new(21));
    let (mut hits, mut misses) = (0, 0);
    for k in 0..500 {
        let (from, direction) = (Vec3::Y + random.vector(2.5), random.unit());
        let cast = ShapeCast {
            shape: &Ball::new(0.15),
            pose: Pose::from_translation(from),
            direction,
            max_distance: 3.0,
            target_distance: 0.0,
        };
        let hit = space.cast_shape(&cast, &QueryFilter::colliders()).unwrap();
        // The clearance around a ball is exact. Advancing by it never passes the first contact.
        let clearance = |way: f32| {
            let of = |collider: &Collider| {
                let at = collider.body.map_or(collider.pose, |body| world.body_pose(body).unwrap() * collider.pose);
                collider.shape.distance_to_point(&at, from + direction * way, true) - 0.15
            };
            world.state().colliders.iter().map(|(_, collider)| of(collider)).fold(f32::MAX, f32::min)
        };
        let mut way = 0.0;
        while way <= 3.0 && clearance(way) > 1e-5 {
            way += clearance(way);
        }
        match hit {
            Some(hit) => assert!((hit.distance - way).abs() < 2e-3, "{k}: {hit:?}, but {way}"),
            None => assert!(way > 3.0, "{k}: nothing, but {way}"),
        }
        *(if hit.is_some() { &mut hits } else { &mut misses }) += 1;
    }
    assert!(hits > 100 && misses > 100, "{hits}, {misses}");
}

#[test]
fn overlaps_are_those_of_all_shapes_one_by_one() {
    let (world, sheet, grains, _) = yard();
    let mut index = SpatialIndex::default();
    let (space, mut random) = (index.update(&world), Lcg::new(8));
    let mut found = 0;
    for _ in 0..200 {
        let pose = Pose::from_parts(Vec3::Y * 0.5 + random.vector(1.2), Quat::from_rotation_z(random.range(0.0, 3.0)));
        let shape = Cuboid::new(Vec3::new(0.2, 0.1, 0.3));
        let touches = |at: Pose, other: &dyn parry3d::shape::Shape| {
            parry3d::query::intersection_test(&pose, &shape, &at, other).unwrap()
        };
        let mut expected = Vec::new();
        let x: Vec<_> = world.positions(sheet).unwrap().collect();
        for (&particles, triangle) in world.state().objects.get(sheet).unwrap().triangles().iter().zip(0..) {
            let [a, b, c] = particles.map(|k| x[k as usize]);
            if touches(Pose::IDENTITY, &Triangle::new(a, b, c)) {
                expected.push(QueryTarget::Triangle { object: sheet, triangle, particles });
            }
        }
        for (particle, x) in (0..50).zip(world.positions(grains).unwrap()) {
            if touches(Pose::from_translation(x), &Ball::new(0.02)) {
                expected.push(QueryTarget::Particle { object: grains, particle });
            }
        }
        for (collider, of) in world.state().colliders.iter() {
            let at = of.body.map_or(of.pose, |body| world.body_pose(body).unwrap() * of.pose);
            if touches(at, &*of.shape) {
                expected.push(QueryTarget::Collider { collider, body: of.body });
            }
        }
        assert_eq!(space.shape_intersections(&shape, &pose, &everything()).unwrap(), expected);
        found += expected.len();
    }
    assert!(found > 300, "{found}");
}

#[test]
fn rays_hit_balls_boxes_and_particles() {
    let mut world = world();
    let ball = world.add_collider(Collider::new(SharedShape::ball(0.5)).at(Vec3::X * 2.0)).unwrap();
    let turned = Quat::from_axis_angle(Vec3::Y, std::f32::consts::FRAC_PI_4);
    let body = world.add_body(Body::dynamic(Pose::from_parts(Vec3::Z * 3.0, turned), Mass::ball(1.0, 1.0))).unwrap();
    let cube = world.add_collider(Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body)).unwrap();
    let grains = Object::new("grains", vec![Vec3::Y * 4.0, Vec3::Y * 2.0], 1.0).capacity(5, 1.0);
    let grains = world.add(grains).unwrap();
    let mut index = SpatialIndex::default();
    let mut cast = |world: &World, origin: Vec3, direction: Vec3| {
        index.update(world).cast_ray(&Ray::new(origin, direction, 100.0), &everything())
    };
    let near = |a: Vec3, b: Vec3| a.distance(b) < 1e-5;

    let hit = cast(&world, Vec3::new(0.0, 0.3, 0.0), Vec3::X).unwrap();
    assert_eq!(hit.target, QueryTarget::Collider { collider: ball, body: None });
    assert!((hit.distance - 1.6).abs() < 1e-5 && near(hit.point, Vec3::new(1.6, 0.3, 0.0)));
    assert!(near(hit.normal, Vec3::new(-0.8, 0.6, 0.0)), "{hit:?}");
    // The box shows an edge; beside it a face at 45°.
    let hit = cast(&world, Vec3::X * 0.2, Vec3::Z).unwrap();
    assert_eq!(hit.target, QueryTarget::Collider { collider: cube, body: Some(body) });
    assert!((hit.distance - (3.0 - 0.5_f32.sqrt() + 0.2)).abs() < 1e-5, "{hit:?}");
    assert!(near(hit.normal, Vec3::new(1.0, 0.0, -1.0).normalize()), "{hit:?}");
    // The nearer particle, though it is the second; absent ones lie where the first is and are none.
    let hit = cast(&world, Vec3::X * 0.06, Vec3::Y).unwrap();
    assert_eq!(hit.target, QueryTarget::Particle { object: grains, particle: 1 });
    assert!((hit.distance - 1.92).abs() < 1e-5 && near(hit.normal, Vec3::new(0.6, -0.8, 0.0)), "{hit:?}");
    world.deactivate(grains, &[1]).unwrap();
    let hit = cast(&world, Vec3::ZERO, Vec3::Y).unwrap();
    assert_eq!(hit.target, QueryTarget::Particle { object: grains, particle: 0 });
    assert!((hit.distance - 3.9).abs() < 1e-5);
    world.deactivate(grains, &[0]).unwrap();
    assert!(cast(&world, Vec3::ZERO, Vec3::Y).is_none());
    assert!(cast(&world, Vec3::ZERO, Vec3::NEG_X).is_none());
}

#[test]
fn filters_select_and_ties_go_to_what_was_added_first() {
    let mut world = world();
    let layers = CollisionLayers { memberships: 2, ..Default::default() };
    let one = Object { collision_layers: layers, ..Object::new("a", vec![Vec3::X; 3], 1.0) };
    let first = world.add(one).unwrap();
    let second = world.add(Object::new("b", vec![Vec3::X], 1.0)).unwrap();
    let body = world.add_body(Body::fixed(Pose::IDENTITY)).unwrap();
    let ball = Collider::new(SharedShape::ball(0.1)).at(Vec3::X);
    let colliders = [&ball, &ball.clone().attached_to(body)].map(|it| world.add_collider(it.clone()).unwrap());
    let mut index = SpatialIndex::default();
    let space = index.update(&world);
    let ray = |max| Ray::new(Vec3::ZERO, Vec3::X, max);
    let found = |filter: QueryFilter<'_>| space.cast_ray(&ray(10.0), &filter).map(|hit| hit.target);
    let particle = |object| Some(QueryTarget::Particle { object, particle: 0 });
    let fixed = Some(QueryTarget::Collider { collider: colliders[0], body: None });
    let on_body = Some(QueryTarget::Collider { collider: colliders[1], body: Some(body) });
    assert_eq!(found(everything()), particle(first));
    assert_eq!(found(everything().exclude_objects(&[first])), particle(second));
    assert_eq!(found(QueryFilter::colliders()), fixed);
    assert_eq!(found(everything().exclude_objects(&[first, second])), fixed);
    assert_eq!(found(QueryFilter::colliders().exclude_colliders(&colliders[..1])), on_body);
    assert_eq!(found(QueryFilter::colliders().exclude_colliders(&colliders[..1]).exclude_bodies(&[body])), None);
    assert_eq!(found(QueryFilter::objects().exclude_objects(&[first, second])), None);
    assert_eq!(
        found(everything().layers(CollisionLayers { memberships: 1, filters: 1, self_collision: false })),
        particle(second)
    );
    let is_third = |target: &QueryTarget| matches!(target, QueryTarget::Particle { particle: 2, .. });
    let third = Some(QueryTarget::Particle { object: first, particle: 2 });
    assert_eq!(found(everything().predicate(&is_third)), third);
    // At the limit, not beyond it.
    assert!(space.cast_ray(&ray(0.9), &everything()).is_some());
    assert!(space.cast_ray(&ray(0.89), &everything()).is_none());
    let within = Ray { origin: Vec3::X, ..ray(1.0) };
    let hit = space.cast_ray(&within, &QueryFilter::colliders()).unwrap();
    assert_eq!((hit.distance, hit.normal), (0.0, Vec3::ZERO));
}

#[test]
fn the_closest_point_and_what_holds_a_point_are_found() {
    let mut world = world();
    let grains = world.add(Object::new("grains", vec![Vec3::ZERO, Vec3::X], 1.0)).unwrap();
    let corners = vec![Vec3::new(4.0, 3.0, 0.0), Vec3::new(5.0, 3.0, 0.0), Vec3::new(4.0, 3.0, 1.0)];
    let sheet = add_surface(&mut world, corners, vec![[0, 1, 2]]);
    let floor = world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::NEG_Y)).unwrap();
    let mut index = SpatialIndex::default();
    let space = index.update(&world);
    let find = |point, max| space.closest_point(point, max, &everything());
    let hit = find(Vec3::new(1.0, 0.5, 0.0), 10.0).unwrap();
    assert_eq!(hit.target, QueryTarget::Particle { object: grains, particle: 1 });
    assert!((hit.distance - 0.4).abs() < 1e-6 && hit.point.distance(Vec3::new(1.0, 0.1, 0.0)) < 1e-6);
    assert!(hit.normal.distance(Vec3::Y) < 1e-6);
    let hit = find(Vec3::new(5.0, -0.7, 2.0), 10.0).unwrap();
    assert_eq!(hit.target, QueryTarget::Collider { collider: floor, body: None });
    assert!((hit.distance - 0.3).abs() < 1e-6 && hit.point.distance(Vec3::new(5.0, -1.0, 2.0)) < 1e-6);
    assert!(find(Vec3::new(5.0, -0.7, 2.0), 0.2).is_none());
    let inside = find(Vec3::X * 0.05, 0.0).unwrap();
    assert_eq!((inside.distance, inside.point, inside.normal), (0.0, Vec3::X * 0.05, Vec3::ZERO));
    // Beside the long edge of the triangle: its middle is nearest.
    let hit = find(Vec3::new(5.0, 4.0, 1.0), 10.0).unwrap();
    assert_eq!(hit.target, QueryTarget::Triangle { object: sheet, triangle: 0, particles: [0, 1, 2] });
    assert!(hit.point.distance(Vec3::new(4.5, 3.0, 0.5)) < 1e-6 && (hit.distance - 1.5_f32.sqrt()).abs() < 1e-6);
    assert!(hit.barycentrics.distance(Vec3::new(0.0, 0.5, 0.5)) < 1e-6, "{hit:?}");

    let holding = |point| space.point_intersections(point, &everything());
    assert_eq!(holding(Vec3::X * 1.05), [QueryTarget::Particle { object: grains, particle: 1 }]);
    assert_eq!(holding(Vec3::Y * -1.5), [QueryTarget::Collider { collider: floor, body: None }]);
    assert_eq!(holding(Vec3::new(4.2, 3.0, 0.2)), []);
    assert_eq!(holding(Vec3::NAN), []);
}

#[test]
fn a_shape_inside_of_a_closed_mesh_overlaps_it() {
    let mut world = world();
    let (vertices, triangles) = Cuboid::new(Vec3::ONE).to_trimesh();
    let mesh = world.add_collider(Collider::new(solid_mesh(&vertices, &triangles).unwrap())).unwrap();
    let mut index = SpatialIndex::default();
    let space = index.update(&world);
    let overlaps =
        |x: f32| space.shape_intersections(&Ball::new(0.1), &Pose::translation(x, 0.1, 0.2), &everything()).unwrap();
    let found = [QueryTarget::Collider { collider: mesh, body: None }];
    assert_eq!((overlaps(0.0), overlaps(1.05), overlaps(1.2)), (found.to_vec(), found.to_vec(), Vec::new()));
    assert_eq!(space.point_intersections(Vec3::splat(0.9), &everything()), found);
}

#[test]
fn what_cannot_be_asked_is_refused_or_finds_nothing() {
    let (mut world, mut index) = (world(), SpatialIndex::default());
    let sheet = world.add(Object::new("sheet", vec![Vec3::ZERO; 3], 1.0)).unwrap();
    assert!(
        world
            .set_triangles(sheet, vec![[0, 1, 3]])
            .unwrap_err()
            .to_string()
            .contains("of particles that the object has")
    );
    world.add_collider(Collider::new(SharedShape::ball(1.0))).unwrap();
    let space = index.update(&world);
    let cast = |shape: &dyn parry3d::shape::Shape, pose: Pose, direction| {
        space
            .cast_shape(&ShapeCast { shape, pose, direction, max_distance: 1.0, target_distance: 0.0 }, &everything())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        cast(&HalfSpace::new(Vec3::Y), Pose::IDENTITY, Vec3::X),
        "a query cannot take a HalfSpace; take a shape with a volume, a triangle mesh, or a compound of shapes"
    );
    assert_eq!(
        cast(&Ball::new(1.0), Pose::IDENTITY, Vec3::ZERO),
        "the direction of the query must be finite and not zero"
    );
    assert_eq!(
        space.shape_intersections(&Ball::new(1.0), &Pose::translation(f32::NAN, 0.0, 0.0), &everything()),
        Err(QueryError::InvalidNumber("pose"))
    );
    for bad in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        assert!(space.cast_ray(&Ray::new(Vec3::ZERO, bad, 1.0), &everything()).is_none());
    }
    assert!(space.cast_ray(&Ray::new(Vec3::NAN, Vec3::X, 1.0), &everything()).is_none());
    assert!(space.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X, f32::NAN), &everything()).is_none());
    assert!(space.cast_ray(&Ray::new(Vec3::ZERO, Vec3::X, -1.0), &everything()).is_none());
}

#[test]
fn odd_numbers_and_shapes_do_not_panic() {
    let mut world = world();
    world.add(Object::new("grain", vec![Vec3::ZERO], 1.0)).unwrap();
    let flat = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    add_surface(&mut world, flat, vec![[0, 1, 2]]);
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    for shape in [
        SharedShape::ball(0.0),
        SharedShape::cuboid(0.0, 0.0, 0.0),
        SharedShape::capsule_y(0.0, 0.0),
        SharedShape::cylinder(0.5, 0.1),
        SharedShape::cone(0.5, 0.1),
        SharedShape::halfspace(Vec3::Y),
        SharedShape::trimesh(vertices.clone(), triangles).unwrap(),
        SharedShape::convex_hull(&vertices).unwrap(),
        SharedShape::compound(vec![(Pose::IDENTITY, SharedShape::ball(0.5))]),
        SharedShape::heightfield(Array2::repeat(3, 4, 0.5), Vec3::ONE),
        SharedShape::round_cuboid(1e30, 0.0, 1e30, 0.0),
        SharedShape::round_triangle(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0),
    ] {
        world.add_collider(Collider::new(shape)).unwrap();
    }
    let mut index = SpatialIndex::default();
    let space = index.update(&world);
    let numbers = [0.0, -0.0, 1e-38, 1.0, -2.5, 1e18, -3e38, f32::INFINITY, f32::NAN];
    for (&x, &y) in numbers.iter().flat_map(|x| numbers.iter().map(move |y| (x, y))) {
        for &max in &numbers {
            let point = Vec3::new(x, y, 0.1);
            for direction in [Vec3::X, Vec3::NEG_Y, Vec3::new(0.6, 0.0, 0.8)] {
                let ray = Ray::new(point, direction, max);
                let hit = space.cast_ray(&ray, &everything());
                assert!(hit.is_none_or(|hit| hit.distance <= max && hit.point.is_finite()));
                assert_eq!(space.ray_hits(&ray, &everything()).first(), hit.as_ref(), "{ray:?}");
                let cast = ShapeCast {
                    shape: &Ball::new(0.1),
                    pose: Pose::from_translation(point),
                    direction,
                    max_distance: max,
                    target_distance: 0.0,
                };
                let hit = space.cast_shape(&cast, &everything()).ok().flatten();
                assert_eq!(space.shape_hits(&cast, &everything()).unwrap_or_default().first(), hit.as_ref());
                assert!(hit.is_none_or(|hit| hit.distance <= max && hit.point.is_finite()));
            }
            let hit = space.closest_point(point, max, &everything());
            assert!(hit.is_none_or(|hit| hit.distance <= max && hit.point.is_finite()));
            space.point_intersections(point, &everything());
        }
    }
}

#[test]
fn rays_meet_turned_balls_and_boxes_where_closed_forms_say() {
    let mut random = Lcg::new(17);
    let (mut world, mut index) = (world(), SpatialIndex::default());
    let half = Vec3::new(0.3, 0.1, 0.6);
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7);
    let [cube, ball] = [Pose::from_parts(Vec3::ZERO, turn), Pose::translation(5.0, 0.0, 0.0)];
    let boxed = Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).rotation(turn);
    world.add_collider(boxed).unwrap();
    world.add_collider(Collider::new(SharedShape::ball(0.4)).at(ball.translation)).unwrap();
    let space = index.update(&world);
    let mut hits = 0;
    for k in 0..4000 {
        let of_cube = k % 2 == 0;
        let pose = if of_cube { cube } else { ball };
        let origin = pose.translation + random.unit() * random.range(0.0, 2.0);
        let direction = (pose.translation + random.vector(0.5) - origin).normalize();
        let hit = space.cast_ray(&Ray::new(origin, direction, 3.0), &everything());
        let (o, d) = ((origin - pose.translation).as_dvec3(), direction.as_dvec3());
        let expected = if of_cube {
            let turn = turn.as_dquat().inverse();
            let (o, d, half) = (turn * o, turn * d, half.as_dvec3());
            let (low, high) = ((-half - o) / d, (half - o) / d);
            let (enter, leave) = (low.min(high).max_element(), low.max(high).min_element());
            (leave >= enter.max(0.0)).then_some(enter.max(0.0))
        } else {
            let (b, c) = (o.dot(d), o.length_squared() - 0.16);
            let root = (b * b - c).sqrt();
            if c <= 0.0 { Some(0.0) } else { (root >= 0.0 && b < 0.0).then_some(-b - root) }
        };
        // A ray that grazes may go either way by rounding.
        let Some((hit, at)) = hit.zip(expected) else {
            assert!(hit.is_none() == expected.is_none(), "ray {k}: {hit:?}, but {expected:?}");
            continue;
        };
        hits += 1;
        assert!((f64::from(hit.distance) - at).abs() < 1e-4, "ray {k}: {hit:?}, but {at}");
        if at > 0.0 {
            let local = (pose.translation - hit.point) * -1.0;
            let outward = if of_cube {
                let local = turn.inverse() * local;
                let axis = (local / half).abs().max_position();
                turn * (Vec3::AXES[axis] * local[axis].signum())
            } else {
                local / 0.4
            };
            assert!(hit.normal.distance(outward) < 1e-3, "ray {k}: {hit:?}, but {outward}");
        } else {
            assert_eq!(hit.normal, Vec3::ZERO);
        }
    }
    assert!(hits > 2000, "{hits}");
}

/// Balls on a plane, a box, a ball and a triangle: signed distances, nearest points and normals in closed form.
#[test]
fn the_contacts_of_a_shape_are_nearest_points_with_signed_distances() {
    let (mut world, mut index) = (world(), SpatialIndex::default());
    let shapes = [
        (SharedShape::halfspace(Vec3::Y), Vec3::Y * -1.0),
        (SharedShape::cuboid(0.5, 0.5, 0.5), Vec3::X * 2.0),
        (SharedShape::ball(0.4), Vec3::Z * 2.0),
    ];
    let [plane, cube, ball] = shapes.map(|(shape, at)| world.add_collider(Collider::new(shape).at(at)).unwrap());
    let corners = vec![Vec3::new(-2.0, 1.0, -1.0), Vec3::new(-2.0, -0.5, 0.0), Vec3::new(-2.0, 1.0, 1.0)];
    let sheet = add_surface(&mut world, corners, vec![[0, 1, 2]]);
    let space = index.update(&world);
    let found = |at: Vec3, radius: f32, reach: f32| {
        space.shape_contacts(&Ball::new(radius), &Pose::from_translation(at), reach, &everything()).unwrap()
    };
    let of = |hits: &[QueryHit], collider| {
        *hits.iter().find(|hit| hit.target == QueryTarget::Collider { collider, body: None }).unwrap()
    };
    for (height, reach) in [(0.05_f32, 0.5), (-0.1, 0.5), (0.3, 0.31)] {
        let hits = found(Vec3::Y * (0.2 + height - 1.0), 0.2, reach);
        let hit = of(&hits, plane);
        assert!((hit.distance - height).abs() < 1e-5 && hit.normal.distance(Vec3::Y) < 1e-5, "{hit:?}");
        assert!(hit.point.distance(Vec3::NEG_Y) < 1e-5, "{hit:?}");
        let hit = of(&found(Vec3::new(1.3 - height, 0.1, -0.2), 0.2, reach), cube);
        assert!((hit.distance - height).abs() < 1e-4 && hit.normal.distance(Vec3::NEG_X) < 1e-3, "{hit:?}");
        let way = Vec3::new(0.6, 0.0, -0.8);
        let hit = of(&found(Vec3::Z * 2.0 + way * (0.6 + height), 0.2, reach), ball);
        assert!((hit.distance - height).abs() < 1e-5 && hit.normal.distance(way) < 1e-4, "{hit:?}");
    }
    assert!(found(Vec3::Y * 3.0, 0.2, 0.5).is_empty());
    let hits = found(Vec3::new(-2.3, 0.6, 0.1), 0.2, 0.15);
    let [hit] = hits[..] else { panic!("{hits:?}") };
    assert_eq!(hit.target, QueryTarget::Triangle { object: sheet, triangle: 0, particles: [0, 1, 2] });
    assert!((hit.distance - 0.1).abs() < 1e-4 && hit.normal.distance(Vec3::NEG_X) < 1e-3, "{hit:?}");
    let weighted = hit.barycentrics.x - 0.5 * hit.barycentrics.y + hit.barycentrics.z;
    assert!((weighted - 0.6).abs() < 1e-4 && (hit.barycentrics.element_sum() - 1.0).abs() < 1e-5, "{hit:?}");
    let bad = space.shape_contacts(&Ball::new(0.1), &Pose::IDENTITY, f32::NAN, &everything());
    assert_eq!(bad, Err(QueryError::InvalidDistance("max_distance")));
}

/// A shape that keeps a distance d stops that much earlier along the normal: s = (h − r − d)/cos α.
#[test]
fn a_shape_cast_with_a_target_distance_stops_before_it_touches() {
    let (mut world, mut index) = (world(), SpatialIndex::default());
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    world.add_collider(Collider::new(SharedShape::cuboid(1.0, 1.0, 1.0)).at(Vec3::new(10.0, 1.0, 0.0))).unwrap();
    let space = index.update(&world);
    let capsule = Capsule::new_y(0.5, 0.3);
    for (x, floor) in [(0.0, 0.0), (10.0, 2.0)] {
        for (target_distance, slope) in [(0.0, 0.0), (0.05, 0.0), (0.2, 0.3)] {
            let pose = Pose::from_translation(Vec3::new(x, floor + 2.0, 0.0));
            let direction = Vec3::new(slope, -1.0, 0.0);
            let cast = ShapeCast { shape: &capsule, pose, direction, max_distance: 5.0, target_distance };
            let hit = space.cast_shape(&cast, &everything()).unwrap().unwrap();
            let expected = (2.0 - 0.8 - target_distance) * direction.length();
            assert!((hit.distance - expected).abs() < 1e-3, "{target_distance}: {hit:?}, but {expected}");
            assert!((hit.point.y - floor).abs() < 1e-3 && hit.normal.distance(Vec3::Y) < 1e-2, "{hit:?}");
        }
    }
    let pose = Pose::from_translation(Vec3::Y * 2.0);
    let cast = ShapeCast { shape: &capsule, pose, direction: Vec3::NEG_Y, max_distance: 5.0, target_distance: -0.1 };
    assert_eq!(space.cast_shape(&cast, &everything()), Err(QueryError::InvalidDistance("target_distance")));
}
