//! Scenes from glTF files that are made here.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};
use std::path::Path;

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::camera::primitives::Aabb;
use bevy::gltf::{GltfExtras, GltfMeshName, GltfPlugin};
use bevy::prelude::*;
use bevy::world_serialization::WorldSerializationPlugin;
use serde_json::{Value, json};
use xpbd_bevy::object::ObjectId;
use xpbd_bevy::prelude::*;
use xpbd_core::bodies::Body;
use xpbd_core::scalar::trig::{cos, sin};

use crate::support::{app_from, body, floor, points, steps};

/// The acceleration of gravity \[m/s²\].
const G: f32 = 9.81;
/// The length of a step \[s\].
const DT: f32 = 1.0 / 60.0;

/// A glTF file: nodes, the physics of the root, and meshes with their numbers.
#[derive(Default)]
struct File {
    nodes: Vec<Value>,
    extensions: Value,
    meshes: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    bytes: Vec<u8>,
}

impl File {
    /// Adds numbers, some to each element, and returns the index of their accessor.
    fn numbers(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let column = |k: usize| numbers.iter().skip(k).step_by(width);
        let least: Vec<f32> = (0..width).map(|k| column(k).copied().fold(f32::MAX, f32::min)).collect();
        let most: Vec<f32> = (0..width).map(|k| column(k).copied().fold(f32::MIN, f32::max)).collect();
        self.accessor(
            &bytes,
            json!({ "componentType": 5126, "type": kind, "count": numbers.len() / width, "min": least, "max": most }),
        )
    }

    fn accessor(&mut self, bytes: &[u8], mut accessor: Value) -> usize {
        self.views.push(json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() }));
        self.bytes.extend(bytes);
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds a mesh of one primitive and returns its index.
    fn mesh(&mut self, mode: u32, positions: &[Vec3], indices: &[u32], more: &[(&str, &str, &[f32])]) -> usize {
        let flat: Vec<f32> = positions.iter().flat_map(|x| x.to_array()).collect();
        let mut attributes = json!({ "POSITION": self.numbers("VEC3", 3, &flat) });
        for &(name, kind, numbers) in more {
            attributes[name] = json!(self.numbers(kind, numbers.len() / positions.len(), numbers));
        }
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        let indices = self.accessor(&bytes, json!({ "componentType": 5125, "type": "SCALAR", "count": indices.len() }));
        let primitive = json!({ "attributes": attributes, "indices": indices, "mode": mode });
        self.meshes.push(json!({ "name": format!("mesh{}", self.meshes.len()), "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    /// Adds a level sheet of n² vertices and a metre a side about the origin; returns its mesh.
    fn sheet(&mut self, n: usize, more: &[(&str, &str, &[f32])]) -> usize {
        let at = |k: usize| k as f32 / (n - 1) as f32 - 0.5;
        let positions: Vec<Vec3> = (0..n * n).map(|k| Vec3::new(at(k % n), 0.0, at(k / n))).collect();
        let corner = |k: usize| (k / (n - 1) * n + k % (n - 1)) as u32;
        let n32 = n as u32;
        let square = |v: u32| [v, v + n32, v + 1, v + 1, v + n32, v + n32 + 1];
        let indices: Vec<u32> = (0..(n - 1) * (n - 1)).flat_map(|k| square(corner(k))).collect();
        self.mesh(4, &positions, &indices, more)
    }

    /// Adds a box of this size about the origin; returns its mesh.
    fn cuboid(&mut self, size: Vec3) -> usize {
        let corners: Vec<Vec3> = (0..8)
            .map(|k| size * Vec3::new((k & 1) as f32 - 0.5, (k >> 1 & 1) as f32 - 0.5, (k >> 2) as f32 - 0.5))
            .collect();
        let faces = [
            0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
        ];
        self.mesh(4, &corners, &faces, &[])
    }

    /// Adds a node of the scene and returns its index.
    fn node(&mut self, name: &str, node: Value) -> usize {
        let mut node = node;
        node["name"] = json!(name);
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Returns an app in which the scene is spawned at a transform, before its first step.
    fn spawn(self, at: Transform) -> App {
        let is_child = |k: usize| {
            let mut children = self.nodes.iter().filter_map(|node| node["children"].as_array()).flatten();
            children.any(|child| *child == json!(k))
        };
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&k| !is_child(k)).collect();
        let mut file = json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["KHR_physics_rigid_bodies", "KHR_implicit_shapes"],
            "extensions": self.extensions,
            "scene": 0,
            "scenes": [{ "nodes": roots }],
            "nodes": self.nodes,
        });
        if !self.bytes.is_empty() {
            file["buffers"] = json!([{ "uri": "scene.bin", "byteLength": self.bytes.len() }]);
            file["meshes"] = json!(self.meshes);
            file["accessors"] = json!(self.accessors);
            file["bufferViews"] = json!(self.views);
        }
        let dir = Dir::default();
        dir.insert_asset_text(Path::new("scene.gltf"), &file.to_string());
        dir.insert_asset(Path::new("scene.bin"), self.bytes);
        let mut app = App::new();
        let reader = move || Box::new(MemoryAssetReader { root: dir.clone() }) as _;
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
        // Bevy's own components, which apps with its default features know by themselves.
        app.register_type::<Transform>().register_type::<GlobalTransform>().register_type::<TransformTreeChanged>();
        app.register_type::<Visibility>().register_type::<InheritedVisibility>().register_type::<ViewVisibility>();
        app.register_type::<Name>().register_type::<ChildOf>().register_type::<Children>();
        app.register_type::<Mesh3d>().register_type::<Aabb>();
        app.register_type::<GltfExtras>().register_type::<GltfMeshName>();
        let mut app = app_from(app, XpbdPlugins::default(), (WorldSerializationPlugin, GltfPlugin::default()));
        app.init_resource::<Heard>().add_systems(Update, hear);
        app.world_mut().resource_mut::<PhysicsTime>().paused = true;
        let assets = app.world().resource::<AssetServer>().clone();
        let scene = assets.load(GltfAssetLabel::Scene(0).from_asset("scene.gltf"));
        app.world_mut().spawn((WorldAssetRoot(scene.clone()), at));
        for _ in 0..10_000 {
            app.update();
            let state = assets.load_state(&scene);
            assert!(!state.is_failed(), "{state:?}");
            if state.is_loaded() && app.world_mut().query::<&Name>().iter(app.world()).count() > 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        app.world_mut().resource_mut::<PhysicsTime>().paused = false;
        app
    }
}

/// Returns the entity of a node, or of the mesh of a node that is a cloth or the like.
fn named(app: &mut App, name: &str) -> Entity {
    let mut names = app.world_mut().query::<(Entity, &Name, Has<ObjectId>)>();
    let found = names.iter(app.world()).filter(|(_, of, _)| of.as_str() == name);
    found.max_by_key(|&(_, _, is_object)| is_object).expect("there is such a node").0
}

/// The warnings and errors of an app.
#[derive(Resource, Default)]
struct Heard(Vec<String>);

fn hear(mut errors: MessageReader<PhysicsError>, mut heard: ResMut<Heard>) {
    heard.0.extend(errors.read().map(|error| error.message.clone()));
}

/// Returns all warnings and errors.
fn warnings(app: &App) -> &[String] {
    &app.world().resource::<Heard>().0
}

/// Returns an object with the properties of another one besides.
fn with(object: &Value, more: Value) -> Value {
    let mut all = object.clone();
    more.as_object().unwrap().iter().for_each(|(name, value)| all[name] = value.clone());
    all
}

/// Returns a node with these properties of the extension.
fn physics(node: Value, physics: Value) -> Value {
    with(&node, json!({ "extensions": { "KHR_physics_rigid_bodies": physics } }))
}

/// Returns the physics of a file with a ball of 0.2 m and a box of 1 m, 0.2 m and 0.1 m, and these lists besides.
fn root(more: Value) -> Value {
    let shapes = json!([
        { "type": "sphere", "sphere": { "radius": 0.2 } },
        { "type": "box", "box": { "size": [1.0, 0.2, 0.1] } },
        { "type": "plane", "plane": {} },
        { "type": "capsule", "capsule": { "height": 1.0, "radiusBottom": 0.2, "radiusTop": 0.2 } },
        { "type": "cylinder", "cylinder": { "height": 1.0, "radiusBottom": 0.4, "radiusTop": 0.2 } },
    ]);
    json!({ "KHR_implicit_shapes": { "shapes": shapes }, "KHR_physics_rigid_bodies": more })
}

#[test]
fn a_body_of_a_file_falls_with_its_numbers() {
    let mut file = File { extensions: root(json!({})), ..File::default() };
    let motion = json!({
        "mass": 2.0, "inertiaDiagonal": [0.1, 0.2, 0.3], "inertiaOrientation": [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2],
        "centerOfMass": [0.0, 0.1, 0.0], "linearVelocity": [3.0, 0.0, 0.0], "gravityFactor": 0.5,
    });
    let turned = json!({ "translation": [0.0, 5.0, 0.0], "rotation": [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2] });
    let shape = json!({ "geometry": { "shape": 0 } });
    file.node("ball", physics(turned, json!({ "motion": motion, "collider": shape })));
    let moved = json!({ "motion": { "isKinematic": true, "linearVelocity": [0.0, 2.0, 0.0] }, "collider": shape });
    file.node("lift", physics(json!({ "translation": [4.0, 0.0, 0.0] }), moved));
    file.node("still", physics(json!({ "translation": [8.0, 0.0, 0.0] }), json!({ "collider": shape })));
    let mut app = file.spawn(Transform::from_xyz(0.0, 1.0, 0.0).with_rotation(Quat::from_rotation_y(FRAC_PI_2)));
    steps(&mut app, 60);
    assert_eq!(warnings(&app), [] as [String; 0]);
    let ball = named(&mut app, "ball");
    let mass = body(&app, ball).mass;
    assert_eq!((mass.mass, mass.center_of_mass), (2.0, Vec3::Y * 0.1));
    // The principal axes are turned by a quarter about z: x and y change places.
    assert!(mass.principal_inertia.distance(Vec3::new(0.2, 0.1, 0.3)) < 1e-6, "{}", mass.principal_inertia);
    // Substeps of h: the n-th ends at −g h² n (n + 1)/2. Half a turn in all takes x to −x.
    let n = (60 * Settings::default().substeps) as f32;
    let h = DT / Settings::default().substeps as f32;
    let expected = Vec3::new(-3.0 * 60.0 * DT, 6.0 - 0.5 * G * h * h * n * (n + 1.0) / 2.0, 0.0);
    let at = body(&app, ball).pose.translation;
    assert!(at.distance(expected) < 1e-3, "{at} {expected}");
    let lift = named(&mut app, "lift");
    let at = body(&app, lift).pose.translation;
    // A quarter turn takes x to −z.
    assert!(at.distance(Vec3::new(0.0, 3.0, -4.0)) < 1e-3, "{at}");
    let still = named(&mut app, "still");
    assert!(app.world().get::<RigidBody>(still).is_none());
    assert_eq!(app.world().get::<Collider>(still), Some(&Collider::ball(0.2)));
}

/// The moment of inertia of the bars of the next test about an end \[kg m²\]: m (1 + 0.2²)/12 + m/4 for a mass of 3 kg.
const END_INERTIA: f32 = 3.0 * (1.04 / 12.0 + 0.25);

/// Returns a file with a level bar of 1 m that is joined at its left end, 2 m up, to what has no motion.
fn bar(limits: Value, drives: Value) -> File {
    let joints = json!([{ "limits": limits, "drives": drives }]);
    let mut file = File { extensions: root(json!({ "physicsJoints": joints })), ..File::default() };
    let wall = file.node("wall", json!({ "translation": [0.0, 2.0, 0.0] }));
    let joint = json!({ "joint": { "connectedNode": wall, "joint": 0 } });
    let pin = file.node("pin", physics(json!({ "translation": [-0.5, 0.0, 0.0] }), joint));
    let motion = json!({ "mass": 3.0, "inertiaDiagonal": [0.0125, 0.252_5, 3.0 * 1.04 / 12.0] });
    let bar = json!({ "motion": motion, "collider": { "geometry": { "shape": 1 } } });
    file.node("bar", physics(json!({ "translation": [0.5, 2.0, 0.0], "children": [pin] }), bar));
    file
}

/// Returns a limit of these axes of a joint.
fn limit(kind: &str, axes: &[usize], min: f32, max: f32) -> Value {
    json!({ kind: axes, "min": min, "max": max })
}

/// Returns the limits of a hinge about z, and more.
fn hinge(more: Value) -> Value {
    let mut limits = json!([limit("linearAxes", &[0, 1, 2], 0.0, 0.0), limit("angularAxes", &[0, 1], 0.0, 0.0)]);
    limits.as_array_mut().unwrap().extend(more.as_array().unwrap().iter().cloned());
    limits
}

#[test]
fn a_bar_on_a_hinge_of_a_file_swings_as_a_pendulum() {
    let mut app = bar(hinge(json!([])), json!([])).spawn(Transform::IDENTITY);
    steps(&mut app, 1);
    let bar = named(&mut app, "bar");
    let mut lowest = f32::MAX;
    for _ in 0..120 {
        app.update();
        let body = body(&app, bar);
        let arm = body.pose.translation - Vec3::Y * 2.0;
        assert!((arm.length() - 0.5).abs() < 1e-4 && arm.z.abs() < 1e-5, "{arm}");
        // ω² I/2 = m g |y|.
        let expected = (2.0 * 3.0 * G * -arm.y / END_INERTIA).max(0.0).sqrt();
        let found = body.angular_velocity.z.abs();
        assert!((found - expected).abs() < 0.05 + 0.01 * expected, "{found} {expected}");
        lowest = lowest.min(arm.y);
    }
    assert!(lowest < -0.499, "{lowest}");
    let pin = named(&mut app, "pin");
    assert!(matches!(app.world().get::<Joint>(pin).unwrap().kind, JointKind::HingeJoint(_)));
    assert_eq!(warnings(&app), [] as [String; 0]);
}

/// Returns the bar.
fn bar_of(app: &mut App) -> Body {
    let bar = named(app, "bar");
    body(app, bar)
}

#[test]
fn the_limits_and_drives_of_a_file_hold_and_drive() {
    // The wall turns against the bar: the bar comes down by the upper limit.
    let limits = hinge(json!([limit("angularAxes", &[2], -0.2, 0.5)]));
    let mut app = bar(limits, json!([])).spawn(Transform::from_xyz(0.0, 0.0, 3.0));
    steps(&mut app, 240);
    let arm = bar_of(&mut app).pose.translation - Vec3::new(0.0, 2.0, 3.0);
    let expected = 0.5 * Vec3::new(cos(0.5), -sin(0.5), 0.0);
    assert!(arm.distance(expected) < 1e-3, "{arm} {expected}");
    // A motor against gravity keeps its velocity.
    let drive = json!({ "type": "angular", "mode": "force", "axis": 2 });
    let motor = with(&drive, json!({ "velocityTarget": -2.0, "damping": 10.0, "maxForce": 500.0 }));
    let mut app = bar(hinge(json!([])), json!([motor])).spawn(Transform::IDENTITY);
    steps(&mut app, 90);
    let turning = bar_of(&mut app).angular_velocity;
    assert!(turning.distance(Vec3::Z * 2.0) < 1e-2, "{turning}");
    assert_eq!(warnings(&app), [] as [String; 0]);
    // A spring bears the bar at φ: k (φ₀ − φ) = m g r cos φ. The angle of the wall is −φ.
    let (stiffness, target) = (100.0, 0.4);
    let spring = with(&drive, json!({ "positionTarget": -target, "stiffness": stiffness, "damping": 20.0 }));
    let mut app = bar(hinge(json!([])), json!([spring])).spawn(Transform::IDENTITY);
    steps(&mut app, 600);
    let mut angle = 0.0;
    (0..50).for_each(|_| angle = target - 3.0 * G * 0.5 * cos(angle) / stiffness);
    let arm = bar_of(&mut app).pose.translation - Vec3::Y * 2.0;
    assert!(arm.distance(0.5 * Vec3::new(cos(angle), sin(angle), 0.0)) < 2e-3, "{arm} {angle}");
}

#[test]
fn the_limits_of_a_file_choose_the_kind_of_joint() {
    let held = limit("linearAxes", &[0, 1, 2], 0.0, 0.0);
    let still = limit("angularAxes", &[0, 1, 2], 0.0, 0.0);
    let cases = [
        // Nothing moves the bar along x; a cone about x lets it down by its angle.
        (json!([limit("linearAxes", &[1, 2], 0.0, 0.0), still]), "SliderJoint", Some(0.0)),
        (json!([held, still]), "FixedJoint", Some(0.0)),
        (json!([held, limit("angularAxes", &[1, 2], 0.0, 0.3)]), "BallJoint", Some(-0.3)),
        (json!([held]), "BallJoint", None),
        (json!([limit("linearAxes", &[0, 1, 2], 0.0, 2.0)]), "DistanceJoint", None),
        (json!([held, limit("angularAxes", &[0], 0.0, 0.0)]), "SixAxisJoint", None),
    ];
    for (limits, kind, angle) in cases {
        let mut app = bar(limits, json!([])).spawn(Transform::IDENTITY);
        steps(&mut app, 60);
        let pin = named(&mut app, "pin");
        let joint = format!("{:?}", app.world().get::<Joint>(pin).unwrap().kind);
        assert!(joint.starts_with(kind), "{joint} {kind}");
        let at = bar_of(&mut app).pose.translation - Vec3::Y * 2.0;
        if let Some(angle) = angle {
            let expected = 0.5 * Vec3::new(cos(angle), sin(angle), 0.0);
            assert!(at.distance(expected) < 0.01, "{kind}: {at} {expected}");
        }
        assert_eq!(warnings(&app), [] as [String; 0], "{kind}");
    }
}

#[test]
fn the_shapes_filters_and_triggers_of_a_file_are_components() {
    let materials = json!([{ "staticFriction": 0.8, "dynamicFriction": 0.5, "restitution": 0.3 }]);
    let filters = json!([
        { "collisionSystems": ["character"], "collideWithSystems": ["ground", "door"] },
        { "collisionSystems": ["ground", "door"], "notCollideWithSystems": ["ghost"] },
    ]);
    let mut file = File {
        extensions: root(json!({ "physicsMaterials": materials, "collisionFilters": filters })),
        ..File::default()
    };
    let mesh = file.cuboid(Vec3::new(1.0, 2.0, 3.0));
    let collider = json!({ "geometry": { "shape": 3 }, "physicsMaterial": 0, "collisionFilter": 0 });
    let trigger = json!({ "geometry": { "shape": 1 }, "collisionFilter": 1 });
    file.node("both", physics(json!({}), json!({ "collider": collider, "trigger": trigger })));
    file.node("hull", physics(json!({}), json!({ "collider": { "geometry": { "mesh": mesh, "convexHull": true } } })));
    file.node("mesh", physics(json!({}), json!({ "collider": { "geometry": { "mesh": mesh } } })));
    file.node("frustum", physics(json!({}), json!({ "collider": { "geometry": { "shape": 4 } } })));
    file.node("ground", physics(json!({}), json!({ "collider": { "geometry": { "shape": 2 } } })));
    let mut app = file.spawn(Transform::IDENTITY);
    steps(&mut app, 1);
    assert_eq!(warnings(&app), [] as [String; 0]);
    let [both, hull, mesh, frustum, ground] =
        ["both", "hull", "mesh", "frustum", "ground"].map(|name| named(&mut app, name));
    let world = app.world();
    let collider = |entity| world.get::<Collider>(entity).unwrap();
    assert_eq!(collider(both), &Collider::capsule(0.5, 0.2));
    assert_eq!(world.get::<Friction>(both), Some(&Friction { static_coefficient: 0.8, dynamic_coefficient: 0.5 }));
    assert_eq!(world.get::<Restitution>(both), Some(&Restitution(0.3)));
    assert_eq!(world.get::<CollisionLayers>(both), Some(&CollisionLayers { memberships: 0b10, filters: 0b1100 }));
    let sensor = world.get::<Children>(both).unwrap()[0];
    assert!(world.get::<Sensor>(sensor).is_some() && world.get::<Sensor>(both).is_none());
    assert_eq!(collider(sensor), &Collider::cuboid(0.5, 0.1, 0.05));
    assert_eq!(
        world.get::<CollisionLayers>(sensor),
        Some(&CollisionLayers { memberships: 0b1100, filters: !0b1_0000 })
    );
    assert_eq!(collider(ground), &Collider::half_space(Vec3::Y));
    let volume = |entity| collider(entity).shape().mass_properties(1.0).mass();
    assert!(
        (volume(hull) - 6.0).abs() < 1e-3 && (volume(mesh) - 6.0).abs() < 1e-3,
        "{} {}",
        volume(hull),
        volume(mesh)
    );
    // A frustum has π h (R² + R r + r²)/3, and a ring of 24 corners the part sin(15°)/15° of a circle.
    let expected = PI * (0.16 + 0.08 + 0.04) / 3.0 * sin(PI / 12.0) / (PI / 12.0);
    assert!((volume(frustum) - expected).abs() < 1e-3, "{} {expected}", volume(frustum));
}

#[test]
fn a_cloth_of_a_file_hangs_by_its_pins() {
    let mut file = File { extensions: root(json!({})), ..File::default() };
    let n = 6;
    let is_pinned = |k: usize| k == 0 || k == n - 1;
    let group: Vec<f32> = (0..n * n).map(|k| if is_pinned(k) { 1.0 } else { 0.2 }).collect();
    let colors: Vec<f32> =
        (0..n * n).flat_map(|k| if is_pinned(k) { [1.0, 0.0, 0.0, 1.0] } else { [0.0, 0.0, 1.0, 1.0] }).collect();
    // A mesh without normals is not indexed any more once it is loaded.
    let normals: Vec<f32> = [0.0, 1.0, 0.0].repeat(n * n);
    let by_group = file.sheet(n, &[("_PIN", "SCALAR", &group), ("NORMAL", "VEC3", &normals)]);
    let without_normals = file.sheet(n, &[("_PIN", "SCALAR", &group)]);
    let by_color = file.sheet(n, &[("COLOR_0", "VEC4", &colors)]);
    let cloth = json!({ "density": 0.3, "stretch": { "Edges": { "stiffness": 1e5 } } });
    let xpbd = |pins: Value| json!({ "xpbd": { "Cloth": cloth, "Pinned": pins, "LinearDamping": 2.0 } });
    file.node(
        "by group",
        json!({ "mesh": by_group, "translation": [0.0, 3.0, 0.0], "extras": xpbd(json!({ "group": "_PIN" })) }),
    );
    file.node(
        "flat",
        json!({ "mesh": without_normals, "translation": [6.0, 3.0, 0.0], "extras": xpbd(json!({ "group": "PIN" })) }),
    );
    file.node(
        "by colour",
        json!({ "mesh": by_color, "translation": [2.0, 3.0, 0.0], "extras": xpbd(json!([{ "color": [1, 0, 0] }])) }),
    );
    // As text, on what moves up by a metre a second.
    let lift = json!({ "motion": { "isKinematic": true, "linearVelocity": [0.0, 1.0, 0.0] } });
    file.node("lift", physics(json!({ "translation": [4.0, 3.0, 0.0] }), lift));
    let text = xpbd(json!([{ "vertices": [0, n - 1], "held_by": "lift" }]))["xpbd"].to_string();
    file.node("held", json!({ "mesh": by_color, "translation": [4.0, 3.0, 0.0], "extras": { "xpbd": text } }));
    let mut app = file.spawn(Transform::IDENTITY);
    steps(&mut app, 600);
    assert_eq!(warnings(&app), [] as [String; 0]);
    let sheets = [("by group", 0.0, 3.0), ("by colour", 2.0, 3.0), ("flat", 6.0, 3.0), ("held", 4.0, 3.0 + 599.0 * DT)];
    for (name, x, y) in sheets {
        let sheet = named(&mut app, name);
        assert_eq!(app.world().get::<Cloth>(sheet).unwrap().density, 0.3);
        let points = points(&app, sheet);
        assert_eq!(points.len(), n * n);
        let gap = |at: Vec3| points.iter().map(|point| point.distance(at)).fold(f32::MAX, f32::min);
        for side in [-0.5, 0.5] {
            // A pin follows a body that moves by its velocity a step later.
            let pin = Vec3::new(x + side, y, -0.5);
            assert!(gap(pin) < 1e-4, "{name}: {}", gap(pin));
            // The sheet of a metre hangs down from its pins.
            assert!(gap(pin - Vec3::Y) < 0.02, "{name}: {}", gap(pin - Vec3::Y));
        }
    }
}

#[test]
fn a_rope_and_a_soft_body_of_a_file_are_built_from_meshes() {
    let mut file = File { extensions: root(json!({})), ..File::default() };
    // Eleven vertices along x in a mixed order, 0.1 m apart.
    let order = [3_u32, 7, 0, 5, 9, 1, 8, 2, 10, 6, 4];
    let mut positions = vec![Vec3::ZERO; 11];
    order.iter().enumerate().for_each(|(k, &vertex)| positions[vertex as usize] = Vec3::X * 0.1 * k as f32);
    let links: Vec<u32> = order.windows(2).rev().flat_map(|pair| [pair[0], pair[1]]).collect();
    let line = file.mesh(1, &positions, &links, &[]);
    let cube = file.cuboid(Vec3::splat(0.4));
    let rope = json!({ "Rope": { "settings": { "density": 0.2 } }, "Tube": {} });
    let rope = with(&rope, json!({ "Pinned": { "vertices": [3] }, "LinearDamping": 2.0 }));
    file.node("rope", json!({ "mesh": line, "translation": [0.0, 3.0, 0.0], "extras": { "xpbd": rope } }));
    let jelly = json!({ "SoftBody": { "cell": 0.2 }, "Friction": { "static_coefficient": 0.7 } });
    file.node("jelly", json!({ "mesh": cube, "translation": [3.0, 0.5, 0.0], "extras": { "xpbd": jelly } }));
    let ball = json!({ "RigidBody": "Dynamic", "Collider": { "Ball": { "radius": 0.3 } }, "ColliderDensity": 500.0 });
    file.node("ball", json!({ "translation": [6.0, 0.5, 0.0], "extras": { "xpbd": ball } }));
    let mut app = file.spawn(Transform::IDENTITY);
    floor(&mut app);
    steps(&mut app, 600);
    assert_eq!(warnings(&app), [] as [String; 0]);
    let rope = named(&mut app, "rope");
    // The pinned vertex is one of the ends, from which it hangs straight down.
    for (k, point) in points(&app, rope).into_iter().enumerate() {
        let first = if points(&app, rope)[0].y > 2.99 { k } else { 10 - k };
        let expected = Vec3::new(0.0, 3.0 - 0.1 * first as f32, 0.0);
        assert!(point.distance(expected) < 5e-3, "{k}: {point} {expected}");
    }
    let jelly = named(&mut app, "jelly");
    let friction = app.world().get::<Friction>(jelly).unwrap();
    assert_eq!(
        (friction.static_coefficient, friction.dynamic_coefficient),
        (0.7, Friction::default().dynamic_coefficient)
    );
    let lowest = points(&app, jelly).into_iter().map(|point| point.y).fold(f32::MAX, f32::min);
    assert!(lowest.abs() < 0.05, "{lowest}");
    let ball = named(&mut app, "ball");
    let (mass, at) = (body(&app, ball).mass.mass, body(&app, ball).pose.translation);
    assert!((mass - 500.0 * 4.0 / 3.0 * PI * 0.027).abs() < 0.01 && (at.y - 0.3).abs() < 5e-3, "{mass} {at}");
}

#[test]
fn joints_of_a_scene_that_is_spawned_larger_are_larger() {
    let mut app = bar(hinge(json!([])), json!([])).spawn(Transform::from_scale(Vec3::splat(2.0)));
    steps(&mut app, 1);
    let bar = named(&mut app, "bar");
    for _ in 0..60 {
        app.update();
        let arm = body(&app, bar).pose.translation - Vec3::Y * 4.0;
        assert!((arm.length() - 1.0).abs() < 2e-4, "{arm}");
    }
}

#[test]
fn what_is_wrong_or_unknown_is_one_warning_that_names_the_node() {
    let materials = json!([{ "frictionCombine": "minimum" }]);
    let joints = json!([{ "limits": [{ "angularAxes": [3], "min": 0.0 }] }]);
    let mut file =
        File { extensions: root(json!({ "physicsMaterials": materials, "physicsJoints": joints })), ..File::default() };
    let sheet = file.sheet(3, &[("_PIN", "SCALAR", &[0.0; 9])]);
    let mut expected: Vec<(String, &str)> = Vec::new();
    let mut add = |node: Value, part: &'static str| {
        let name = format!("node {}", expected.len());
        file.node(&name, node);
        expected.push((name, part));
    };
    let extras = |components: Value| json!({ "mesh": sheet, "extras": { "xpbd": components } });
    add(extras(json!({ "Cloht": {} })), "`extras.xpbd.Cloht` is no component");
    add(extras(json!({ "Cloth": { "densty": 1.0 } })), "no field `densty`");
    add(extras(json!({ "Cloth": { "density": "heavy" } })), "field `density` is not valid");
    add(
        extras(json!({ "Cloth": {}, "Pinned": { "group": "_PINS" } })),
        "no such attribute of one float; it has [\"_PIN\"]",
    );
    add(extras(json!({ "Cloth": {}, "Pinned": { "group": "_PIN" } })), "no vertex has a weight of 0.5");
    add(extras(json!({ "Cloth": {}, "Pinned": { "vertices": [9] } })), "vertex 9, which does not exist; there are 9");
    add(extras(json!({ "Cloth": {}, "Pinned": {} })), "or `group` or `color` is needed");
    add(
        extras(json!({ "Cloth": {}, "Pinned": { "vertices": [0], "by": "pole" } })),
        "`extras.xpbd.Pinned[0].by` is unknown",
    );
    add(extras(json!({ "Cloth": {}, "Pinned": { "vertices": [0], "held_by": "pole" } })), "no node of the scene");
    add(json!({ "extras": { "xpbd": { "Cloth": {} } } }), "needs one mesh of one material; the node has 0");
    add(json!({ "extras": { "xpbd": 3 } }), "`extras.xpbd` must be an object");
    add(json!({ "extras": { "xpbd": { "Joint": {} } } }), "`extras.xpbd.Joint`");
    let ball = json!({ "geometry": { "shape": 0 } });
    add(physics(json!({}), json!({ "motion": { "mass": "heavy" }, "collider": ball })), "`motion.mass` is not valid");
    add(physics(json!({}), json!({ "motion": { "speed": 1.0 }, "collider": ball })), "`motion.speed` is unknown");
    add(physics(json!({}), json!({ "motoin": {}, "collider": ball })), "`motoin` is unknown");
    add(
        physics(json!({}), json!({ "collider": { "geometry": { "shape": 0 }, "physicsMaterial": 0 } })),
        "`physicsMaterials[0].frictionCombine` is \"minimum\"",
    );
    add(
        physics(json!({}), json!({ "collider": { "geometry": { "shape": 0 }, "physicsMaterial": 7 } })),
        "`collider.physicsMaterial` is 7; there are 1",
    );
    add(
        physics(json!({}), json!({ "joint": { "connectedNode": 99, "joint": 0 } })),
        "`joint.connectedNode` names no node",
    );
    add(physics(json!({}), json!({ "joint": { "connectedNode": 0, "joint": 4 } })), "`joint.joint` is 4; there are 1");
    let mut app = file.spawn(Transform::IDENTITY);
    steps(&mut app, 5);
    let found = warnings(&app).to_vec();
    for (name, part) in &expected {
        let of_node: Vec<_> =
            found.iter().filter(|message| message.contains(&format!("glTF node \"{name}\""))).collect();
        assert!(of_node.iter().any(|message| message.contains(part)), "{name}: no {part:?} in {of_node:?}");
    }
    let strange =
        found.iter().filter(|message| !expected.iter().any(|(name, _)| message.contains(&format!("\"{name}\""))));
    assert_eq!(strange.collect::<Vec<_>>(), [] as [&String; 0]);
    // The right parts of nodes with wrong ones are there.
    let plain = named(&mut app, "node 7");
    assert_eq!(points(&app, plain).len(), 9);
    let body_of = named(&mut app, "node 13");
    assert_eq!(app.world().get::<RigidBody>(body_of), Some(&RigidBody::Dynamic));
}
