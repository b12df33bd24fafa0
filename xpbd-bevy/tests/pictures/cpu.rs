//! What is deformed is drawn as it is: pictures of a software device will do.

use std::time::Duration;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::mesh::{Indices, Mesh, PrimitiveTopology, VertexAttributeValues};
use bevy::pbr::StandardMaterial;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::mesh::RenderMesh;
use bevy::render::render_asset::RenderAssets;
use bevy::render::storage::{GpuShaderBuffer, ShaderBuffer};
use bevy::time::TimeUpdateStrategy;
use libtest_mimic::Failed;
use xpbd_bevy::draw::{ClusterSkinPlugin, DrawFoam, DrawParticles, HasClusterSkin, Tube};
use xpbd_bevy::object::{BuiltObject, ObjectId, ObjectPlugin, ObjectSource, RestMesh, SpawnContext};
use xpbd_bevy::prelude::*;
use xpbd_bevy::time::PluginTime;
use xpbd_core::world::Object;
use xpbd_rigid::cluster::{Cluster, ClusterSkin};

use crate::Test;
use crate::grains::Grains;
use crate::studio::{add, ensure, flat, go, picture, studio};

pub const TESTS: &[Test] = &[
    ("a_cloth_is_shaded_as_its_mesh_would_be", shaded),
    ("the_asset_is_left_alone", left_alone),
    ("between_steps_it_is_between", between),
    ("its_mesh_comes_back", comes_back),
    ("nothing_is_left_behind", nothing_left),
    ("present_particles_are_seen", particles),
    ("foam_is_seen", foam),
    ("a_tube_is_seen", tube),
    ("a_tube_is_not_drawn_across_a_cut", cut_tube),
    ("a_skin_follows_its_clusters", skin),
    ("a_torn_cloth_is_shaded_as_its_mesh_would_be", torn),
    ("a_cloth_on_a_skin_looks_like_the_skin", on_skin),
];

/// Printed, not held to anything.
pub const MEASUREMENTS: &[Test] = &[("time_of_10000_vertices", time)];

fn sheet() -> Mesh {
    Plane3d::default().mesh().size(1.2, 1.2).subdivisions(15).build()
}

fn matte() -> StandardMaterial {
    let color = Color::srgb(0.8, 0.3, 0.2);
    StandardMaterial { base_color: color, double_sided: true, cull_mode: None, ..default() }
}

/// Returns a cloth that swings down from two corners, before a block that takes the first place in the buffer of
/// vertices.
fn swinging(app: &mut App, material: StandardMaterial) -> Entity {
    let block = add(app, Cuboid::from_length(0.3).mesh().build());
    let grey = add(app, flat(Color::srgb(0.0, 0.0, 1.0)));
    app.world_mut().spawn((Mesh3d(block), MeshMaterial3d(grey), Transform::from_xyz(-1.2, 0.8, 0.0)));
    let (mesh, material) = (add(app, sheet()), add(app, material));
    let place =
        Transform::from_xyz(0.0, 0.7, 0.0).with_rotation(Quat::from_rotation_y(0.4)).with_scale(Vec3::splat(0.9));
    let looks = (Mesh3d(mesh), MeshMaterial3d(material), place);
    app.world_mut().spawn((Cloth::default(), Pinned::vertices([0, 16]), looks)).id()
}

/// Returns its particles, in the world.
fn particles_of(app: &App, entity: Entity) -> Vec<Vec3> {
    let object = app.world().get::<ObjectId>(entity).expect("it has been made").handle();
    app.world().resource::<Physics>().world().positions(object).expect("it is there").collect()
}

fn shaded() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default().in_schedule(Update), ());
    let cloth = swinging(&mut app, matte());
    go(&mut app, 25);
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    let seen = picture(&mut app, "cloth_cpu")?;
    // The same as an ordinary mesh.
    let frame = app.world().get::<GlobalTransform>(cloth).expect("a transform").affine().inverse();
    let places: Vec<Vec3> = particles_of(&app, cloth).iter().map(|&x| frame.transform_point3(x)).collect();
    let mut mesh = sheet().with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places);
    mesh.compute_area_weighted_normals();
    let mesh = add(&mut app, mesh);
    app.world_mut().entity_mut(cloth).remove::<(Cloth, ObjectId)>();
    go(&mut app, 1);
    app.world_mut().entity_mut(cloth).insert(Mesh3d(mesh));
    go(&mut app, 2);
    let expected = picture(&mut app, "cloth_mesh")?;
    let (count, _) = expected.spot(|[r, _, b, _]| r > 30 && b < r);
    ensure(count > 3000, || format!("the cloth covers {count} pixels"))?;
    let difference = seen.difference(&expected);
    ensure(difference < 0.02, || format!("pixels differ by {difference}"))
}

fn torn() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default().in_schedule(Update), ());
    let cloth = swinging(&mut app, matte());
    let tearing = TearSettings { max_strain: f32::INFINITY, max_force: f32::INFINITY, capacity: 60 };
    app.world_mut().get_mut::<Cloth>(cloth).expect("a cloth").tearing = Some(tearing);
    go(&mut app, 8);
    let blade = Blade { corner: Vec3::new(-2.0, -2.0, 0.01), edge: Vec3::Y * 4.0, path: Vec3::X * 4.0 };
    app.world_mut().write_message(CutCloth { entity: cloth, blade });
    go(&mut app, 12);
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    let seen = picture(&mut app, "torn_cpu")?;
    // The same as an ordinary mesh.
    let frame = app.world().get::<GlobalTransform>(cloth).expect("a transform").affine().inverse();
    let places: Vec<Vec3> = particles_of(&app, cloth).iter().map(|&x| frame.transform_point3(x)).collect();
    let world = app.world().resource::<Physics>().world();
    let (triangles, pieces) =
        (xpbd_cloth::sheet_triangles(world, world.objects()[0])?, xpbd_cloth::piece_count(world, world.objects()[0])?);
    ensure(pieces == 2, || format!("it is in {pieces} pieces"))?;
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places)
        .with_inserted_indices(Indices::U32(triangles.as_flattened().to_vec()));
    mesh.compute_area_weighted_normals();
    let mesh = add(&mut app, mesh);
    app.world_mut().entity_mut(cloth).remove::<(Cloth, ObjectId)>();
    go(&mut app, 1);
    app.world_mut().entity_mut(cloth).insert(Mesh3d(mesh));
    go(&mut app, 2);
    let expected = picture(&mut app, "torn_mesh")?;
    let (count, _) = expected.spot(|[r, _, b, _]| r > 30 && b < r);
    ensure(count > 3000, || format!("the cloth covers {count} pixels"))?;
    let difference = seen.difference(&expected);
    ensure(difference < 0.02, || format!("pixels differ by {difference}"))
}

/// Returns a sheet that is bent by its second joint.
fn bent(app: &mut App) -> Entity {
    let mesh = sheet().rotated_by(Quat::from_rotation_x(1.2));
    let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|values| values.as_float3()).expect("positions");
    let weight = |place: &[f32; 3]| (0.5 + 2.0 * place[0]).clamp(0.0, 1.0);
    let weights: Vec<[f32; 4]> = positions.iter().map(|place| [1.0 - weight(place), weight(place), 0.0, 0.0]).collect();
    let joints = VertexAttributeValues::Uint16x4(vec![[0, 1, 0, 0]; weights.len()]);
    let mesh = mesh
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights);
    // Without light: normals of what is bent are those of its triangles, not those of its skin.
    let (mesh, material) = (add(app, mesh), add(app, flat(Color::srgb(0.8, 0.3, 0.2))));
    let inverse_bindposes = add(app, SkinnedMeshInverseBindposes::from(vec![Mat4::IDENTITY; 2]));
    let root = app.world_mut().spawn(Transform::from_xyz(0.0, 0.1, 0.0)).id();
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    let arm = app.world_mut().spawn((turned, ChildOf(root))).id();
    let skin = SkinnedMesh { inverse_bindposes, joints: vec![root, arm] };
    app.world_mut().spawn((Mesh3d(mesh), MeshMaterial3d(material), skin, NoFrustumCulling)).id()
}

fn on_skin() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..default() }), ());
    let entity = bent(&mut app);
    go(&mut app, 2);
    let skinned = picture(&mut app, "skinned")?;
    let (count, _) = skinned.spot(|[r, _, b, _]| r > 30 && b < r);
    ensure(count > 3000, || format!("the skin covers {count} pixels"))?;
    let stretch = Stretch::Edges { stiffness: 1.0 };
    let cloth = Cloth(ClothSettings { stretch, bending: Bending::None, ..default() });
    app.world_mut().entity_mut(entity).insert((cloth, SkinAttachment::all().stiffness(f32::INFINITY)));
    go(&mut app, 10);
    ensure(!app.world().entity(entity).contains::<SkinnedMesh>(), || "it is moved by the renderer, too".into())?;
    let difference = picture(&mut app, "on_skin")?.difference(&skinned);
    ensure(difference < 0.05, || format!("pixels differ by {difference}"))?;
    app.world_mut().entity_mut(entity).remove::<(Cloth, SkinAttachment)>();
    go(&mut app, 3);
    ensure(app.world().entity(entity).contains::<SkinnedMesh>(), || "its skin has not come back".into())?;
    let difference = picture(&mut app, "skinned_again")?.difference(&skinned);
    ensure(difference < 0.02, || format!("pixels differ by {difference} from those before"))
}

/// Messages of assets.
#[derive(Resource, Default)]
struct Modified(Vec<AssetId<Mesh>>);

fn listen(mut events: MessageReader<AssetEvent<Mesh>>, mut modified: ResMut<Modified>) {
    for event in events.read() {
        if let AssetEvent::Modified { id } = event {
            modified.0.push(*id);
        }
    }
}

fn left_alone() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default(), ());
    app.init_resource::<Modified>().add_systems(Last, listen);
    let cloth = swinging(&mut app, matte());
    go(&mut app, 3);
    let first = picture(&mut app, "early")?;
    app.world_mut().resource_mut::<Modified>().0.clear();
    go(&mut app, 30);
    let modified = app.world().resource::<Modified>().0.len();
    ensure(modified == 0, || format!("meshes were modified {modified} times"))?;
    ensure(app.world().get::<RestMesh>(cloth).is_some(), || "it has no mesh of its own".into())?;
    let difference = picture(&mut app, "late")?.difference(&first);
    ensure(difference > 1.0, || format!("the picture stays as it is: {difference}"))?;
    let taken = app.world().resource::<PluginTime>().draw;
    ensure(taken > 0.0 && taken < 1.0, || format!("drawing takes {taken} s"))
}

/// Returns the rows of a spot without light: those of a falling sheet.
fn row(app: &mut App, name: &str) -> Result<f32, Failed> {
    let (count, at) = picture(app, name)?.spot(|[r, g, _, _]| r > 200 && g < 50);
    ensure(count > 100, || format!("{count} pixels of it are seen"))?;
    Ok(at.y)
}

fn between() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default(), ());
    let (mesh, red) =
        (add(&mut app, Cuboid::from_length(0.4).mesh().build()), add(&mut app, flat(Color::srgb(1.0, 0.0, 0.0))));
    let velocity = LinearVelocity(Vec3::new(0.0, -6.0, 0.0));
    let looks = (Mesh3d(mesh), MeshMaterial3d(red), Transform::from_xyz(0.0, 0.8, 0.0));
    app.world_mut().spawn((Cloth::default(), velocity, GravityScale(0.0), looks));
    go(&mut app, 4);
    // The way of a step is 0.1 m.
    let mut rows = Vec::new();
    for k in 0..5 {
        rows.push(row(&mut app, &format!("between_{k}"))?);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 240));
        app.update();
    }
    let ways: Vec<f32> = rows.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = ways.iter().sum::<f32>() / 4.0;
    ensure(mean > 1.0, || format!("it does not move: {rows:?}"))?;
    ensure(ways.iter().all(|way| (way - mean).abs() < 0.3 * mean), || format!("it jumps: {rows:?}"))
}

fn comes_back() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default(), ());
    let cloth = swinging(&mut app, matte());
    let given = app.world().get::<Mesh3d>(cloth).expect("a mesh").clone();
    let rest = picture(&mut app, "rest")?;
    go(&mut app, 20);
    ensure(app.world().get::<Mesh3d>(cloth) != Some(&given), || "it has no mesh of its own".into())?;
    app.world_mut().entity_mut(cloth).remove::<Cloth>();
    go(&mut app, 2);
    ensure(app.world().get::<Mesh3d>(cloth) == Some(&given), || "its mesh has not come back".into())?;
    ensure(app.world().get::<RestMesh>(cloth).is_none(), || "it keeps what it was given".into())?;
    let difference = picture(&mut app, "back")?.difference(&rest);
    ensure(difference < 0.02, || format!("pixels differ by {difference}"))?;
    // It can be made again, and change its mesh while it is.
    app.world_mut().entity_mut(cloth).insert(Cloth::default());
    go(&mut app, 3);
    let other = add(&mut app, Sphere::new(0.1).mesh().build());
    app.world_mut().entity_mut(cloth).insert(Mesh3d(other.clone()));
    go(&mut app, 3);
    let rest = app.world().get::<RestMesh>(cloth).map(|mesh| &mesh.rest);
    ensure(rest == Some(&other), || "it is not made of its new mesh".into())?;
    let drawn = app.world().get::<Mesh3d>(cloth);
    ensure(drawn != Some(&Mesh3d(other.clone())), || "its new mesh does not move with it".into())
}

/// Grains at these places, with one that is not there yet.
fn grains_at(places: Vec<Vec3>) -> Grains {
    Grains { places, spare: 1, mass: 0.01 }
}

/// Returns what there is of assets and buffers, and of entities.
fn stock(app: &App) -> [usize; 6] {
    let world = app.world();
    let render = app.sub_app(RenderApp).world();
    [
        world.resource::<Assets<Mesh>>().len(),
        world.resource::<Assets<Image>>().len(),
        world.resource::<Assets<ShaderBuffer>>().len(),
        render.resource::<RenderAssets<RenderMesh>>().iter().count(),
        render.resource::<RenderAssets<GpuShaderBuffer>>().iter().count(),
        world.entities().count_spawned() as usize,
    ]
}

fn nothing_left() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
    let (mesh, material) = (add(&mut app, sheet()), add(&mut app, matte()));
    go(&mut app, 3);
    // Nothing needs to be seen.
    for mut camera in app.world_mut().query::<&mut Camera>().iter_mut(app.world_mut()) {
        camera.is_active = false;
    }
    let mut before = None;
    for round in 0..100 {
        let looks = (Mesh3d(mesh.clone()), MeshMaterial3d(material.clone()), Transform::default());
        let draw = DrawParticles { material: material.clone(), scale: 1.0 };
        let cloth = app.world_mut().spawn((Cloth::default(), looks, draw.clone())).id();
        let grains = app.world_mut().spawn((grains_at(vec![Vec3::ZERO; 3]), draw, Tube::default())).id();
        let surface = FluidSurface { material: material.clone(), ..default() };
        app.world_mut().entity_mut(grains).insert(surface);
        go(&mut app, 2);
        let seen = app.world().get::<RestMesh>(cloth).is_some();
        ensure(seen, || format!("round {round}: nothing is drawn"))?;
        app.world_mut().despawn(cloth);
        if round % 2 == 0 {
            app.world_mut().despawn(grains);
        } else {
            app.world_mut().entity_mut(grains).remove::<(Tube, Grains, FluidSurface)>();
            go(&mut app, 1);
            let left = app.world().get::<Children>(grains).is_some_and(|children| !children.is_empty());
            ensure(!left, || "spheres outlive their grains".into())?;
            app.world_mut().despawn(grains);
        }
        go(&mut app, 3);
        let now = stock(&app);
        let first = *before.get_or_insert(now);
        ensure(now == first, || format!("round {round}: {now:?} after {first:?}"))?;
    }
    ensure(app.world().resource::<Physics>().world().objects().is_empty(), || "objects are left".into())
}

fn particles() -> Result<(), Failed> {
    let mut app = studio(
        XpbdPlugins::new(Settings { particle_radius: 0.05, gravity: Vec3::ZERO, ..default() }),
        ObjectPlugin::<Grains>::default(),
    );
    let material = add(&mut app, flat(Color::srgb(0.0, 1.0, 0.0)));
    // More than one mesh holds, in a square.
    let places = (0..625).map(|k| Vec3::new((k % 25) as f32, (k / 25) as f32, 0.0) * 0.04).collect();
    let draw = DrawParticles { material: material.clone(), scale: 1.0 };
    let place = Transform::from_xyz(-1.0, -0.48, 0.0);
    let grains = app.world_mut().spawn((grains_at(places), draw, place)).id();
    go(&mut app, 2);
    let is_green = |[r, g, _, _]: [u8; 4]| g > 200 && r < 50;
    let (count, at) = picture(&mut app, "grains")?.spot(is_green);
    // 0.96 m and two radii of 0.05 m aside, 3 m before a lens of 45°.
    let scale = 120.0 / (3.0 * 0.414_213_57);
    let side = 1.06 * scale;
    let expected = side * side - (4.0 - std::f32::consts::PI) * (0.05 * scale) * (0.05 * scale);
    ensure((count as f32 - expected).abs() < 0.03 * expected, || format!("{count} pixels of {expected}"))?;
    let centre = Vec2::new(160.0 - 0.52 * scale, 120.0);
    ensure(at.distance(centre) < 1.0, || format!("they are seen at {at}, not at {centre}"))?;
    // Spare particles come, and go; where they come they are at once.
    let object = app.world().get::<ObjectId>(grains).expect("they are made").handle();
    let spawn = xpbd_core::world::ParticleSpawn { position: Vec3::new(0.8, 0.0, 0.0), velocity: Vec3::ZERO };
    app.world_mut().resource_mut::<Physics>().world_mut().spawn(object, &[spawn])?;
    go(&mut app, 1);
    let (more, _) = picture(&mut app, "grains_more")?.spot(is_green);
    let disc = std::f32::consts::PI * (0.05 * scale) * (0.05 * scale);
    ensure(((more - count) as f32 - disc).abs() < 0.2 * disc, || format!("{} pixels more of {disc}", more - count))?;
    // Colour follows the material.
    if let Some(mut material) = app.world_mut().resource_mut::<Assets<StandardMaterial>>().get_mut(&material) {
        material.base_color = Color::srgb(1.0, 0.0, 0.0);
    }
    go(&mut app, 2);
    let (green, _) = picture(&mut app, "grains_red")?.spot(is_green);
    ensure(green == 0, || format!("{green} pixels are green still"))
}

fn foam() -> Result<(), Failed> {
    let radius = 0.025;
    let settings = Settings { particle_radius: radius, gravity: Vec3::ZERO, ..default() };
    let mut app = studio(XpbdPlugins::new(settings), ());
    let material = add(&mut app, flat(Color::srgb(0.0, 1.0, 0.0)));
    // Two halves of one fluid that run into each other; the fluid itself is not drawn.
    let places = (0..512).map(|k| Vec3::new((k % 8) as f32, (k / 8 % 8) as f32, (k / 64) as f32) * 0.05);
    let places = places.map(|x| x + Vec3::new(if x.x < 0.19 { -0.7 } else { 0.3 }, -0.2, -0.2));
    let draw = DrawFoam { material, scale: 0.6 };
    let water = app.world_mut().spawn((Fluid::points(places), Foam::default(), draw)).id();
    go(&mut app, 1);
    let object = app.world().get::<ObjectId>(water).expect("it is built").handle();
    let mut physics = app.world_mut().resource_mut::<Physics>();
    for k in 0..512 {
        let x = physics.world().position(object, k)?;
        physics.world_mut().set_position(object, k, x, Vec3::X * if x.x < 0.0 { 5.0 } else { -5.0 })?;
    }
    go(&mut app, 12);
    let is_green = |[r, g, _, _]: [u8; 4]| g > 200 && r < 50;
    let seen = picture(&mut app, "foam")?;
    // The discs of all particles half a step before, as the camera sees them.
    let scale = 120.0 / 0.414_213_57;
    let foam = app.world().get::<FoamParticles>(water).expect("it has foam").particles();
    let discs: Vec<(Vec2, f32)> = foam
        .iter()
        .map(|particle| {
            let x = particle.position - particle.velocity / 120.0;
            let zoom = scale / (3.0 - x.z);
            (Vec2::new(160.0 + zoom * x.x, 120.0 - zoom * x.y), zoom * 0.6 * radius)
        })
        .collect();
    let covers = |at: Vec2, more: f32| discs.iter().any(|&(middle, radius)| middle.distance(at) <= radius + more);
    let pixels: Vec<Vec2> = (0..320 * 240).map(|k| Vec2::new((k % 320) as f32 + 0.5, (k / 320) as f32 + 0.5)).collect();
    let expected = pixels.iter().filter(|&&at| covers(at, 0.0)).count();
    let (count, _) = seen.spot(is_green);
    ensure(foam.len() > 100 && expected > 500, || format!("{} particles on {expected} pixels", foam.len()))?;
    let difference = count.abs_diff(expected);
    ensure(difference < expected / 10, || format!("{count} pixels instead of {expected}"))?;
    let strays = pixels.iter().zip(&seen.0).filter(|&(&at, &pixel)| is_green(pixel) && !covers(at, 1.0)).count();
    ensure(strays == 0, || format!("{strays} pixels are where no foam is"))?;
    app.world_mut().entity_mut(water).remove::<Foam>();
    go(&mut app, 2);
    let (left, _) = picture(&mut app, "foam_gone")?.spot(is_green);
    ensure(left == 0, || format!("{left} pixels are left"))
}

/// A rope of ten links, of which the middle one is cut and not drawn any more.
fn cut_tube() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..default() }), ());
    let green = add(&mut app, flat(Color::srgb(0.0, 1.0, 0.0)));
    let rope = Rope::between(Vec3::NEG_X, Vec3::X, 10, 2.0);
    let looks = (Tube { radius: 0.1, sides: 16 }, MeshMaterial3d(green));
    let rope = app.world_mut().spawn((rope, looks)).id();
    go(&mut app, 3);
    let is_green = |[r, g, _, _]: [u8; 4]| g > 200 && r < 50;
    let (whole, _) = picture(&mut app, "tube_whole")?.spot(is_green);
    app.world_mut().write_message(CutRope { entity: rope, place: RopeCutPlace::Link(4) });
    go(&mut app, 3);
    let cut = picture(&mut app, "tube_cut")?;
    let (left, at) = cut.spot(is_green);
    let share = left as f32 / whole as f32;
    ensure((share - 0.9).abs() < 0.02, || format!("{share} of the tube is left"))?;
    // The gap of a link is left of the middle, so that the rest is to its right by 1/90 of the length.
    ensure(at.x > 160.0, || format!("the rest is about {at}"))
}

fn tube() -> Result<(), Failed> {
    let mut app =
        studio(XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..default() }), ObjectPlugin::<Line>::default());
    let material = add(&mut app, flat(Color::srgb(0.0, 1.0, 0.0)));
    // A line with a corner.
    let mut line: Vec<Vec3> = (0..11).map(|k| Vec3::X * (0.1 * k as f32 - 0.5)).collect();
    line.extend((1..6).map(|k| Vec3::new(0.5, 0.1 * k as f32, 0.0)));
    let place = Transform::from_xyz(0.0, -0.2, 0.0).with_scale(Vec3::new(1.0, 1.0, 2.0));
    let tube = Tube { radius: 0.05, sides: 12 };
    app.world_mut().spawn((Line(line), tube, MeshMaterial3d(material), place));
    go(&mut app, 3);
    let (count, _) = picture(&mut app, "tube")?.spot(|[r, g, _, _]| g > 200 && r < 50);
    let scale = 120.0 / (3.0 * 0.414_213_57);
    let expected = 1.5 * 0.1 * scale * scale;
    ensure((count as f32 - expected).abs() < 0.05 * expected, || format!("{count} pixels of {expected}"))
}

/// Particles in a line.
#[derive(Component, Clone)]
#[require(Transform)]
struct Line(Vec<Vec3>);

impl ObjectSource for Line {
    const NAME: &'static str = "line";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let places = self.0.iter().map(|&x| site.transform.transform_point(x)).collect();
        Ok(Some(BuiltObject::new(Object::new(site.name.clone(), places, 0.01), Vec::new())))
    }
}

/// A soft ball.
#[derive(Component, Clone)]
#[require(Transform)]
struct Ball;

impl ObjectSource for Ball {
    const NAME: &'static str = "ball";

    fn build_object(&self, _: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let ball = Cluster::from_shape(&parry3d::shape::Ball::new(0.3), 0.1);
        Ok(Some(BuiltObject::new(ball.velocity(Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO).build()?, Vec::new())))
    }
}

#[derive(Component)]
struct Hide(ClusterSkin);

impl HasClusterSkin for Hide {
    fn skin(&self) -> &ClusterSkin {
        &self.0
    }
}

fn skin() -> Result<(), Failed> {
    let mut app = studio(
        XpbdPlugins::new(Settings { gravity: Vec3::ZERO, ..default() }),
        (ObjectPlugin::<Ball>::default(), ClusterSkinPlugin::<Hide>::default()),
    );
    let mesh = Sphere::new(0.3).mesh().uv(24, 16);
    let corners = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|values| values.as_float3());
    let corners: Vec<Vec3> = corners.into_iter().flatten().map(|&corner| corner.into()).collect();
    let (mesh, red) = (add(&mut app, mesh), add(&mut app, flat(Color::srgb(1.0, 0.0, 0.0))));
    let ball = app.world_mut().spawn((Ball, Mesh3d(mesh), MeshMaterial3d(red))).id();
    go(&mut app, 2);
    let object = app.world().get::<ObjectId>(ball).expect("it is made").handle();
    let skin = ClusterSkin::bind(app.world().resource::<Physics>().world(), object, &corners)?;
    app.world_mut().entity_mut(ball).insert(Hide(skin));
    go(&mut app, 20);
    let scale = 120.0 / (3.0 * 0.414_213_57);
    let (count, at) = picture(&mut app, "skin")?.spot(|[r, g, _, _]| r > 200 && g < 50);
    let object = app.world().resource::<Physics>().world().positions(object)?;
    let (number, sum) = object.fold((0.0, Vec3::ZERO), |(number, sum), x| (number + 1.0, sum + x));
    // Half a step behind.
    let mean = sum.truncate() / number - Vec2::X * 0.5 / 60.0;
    let expected = Vec2::new(160.0, 120.0) + scale * mean * Vec2::new(1.0, -1.0);
    ensure(at.x > 180.0 && at.distance(expected) < 2.0, || format!("it is seen at {at}, not at {expected}"))?;
    let disc = std::f32::consts::PI * (0.3 * scale) * (0.3 * scale);
    ensure((count as f32 - disc).abs() < 0.05 * disc, || format!("{count} pixels of {disc}"))
}

/// Prints what the plugin takes a frame for a cloth, besides the solver.
fn time() -> Result<(), Failed> {
    let mut app = studio(XpbdPlugins::new(Settings { substeps: 1, ..default() }), ());
    let mesh = add(&mut app, Plane3d::default().mesh().size(2.0, 2.0).subdivisions(98).build());
    let material = add(&mut app, matte());
    let cloth = Cloth(ClothSettings { tethers: Tethers::None, ..default() });
    app.world_mut().spawn((cloth, Pinned::vertices([0]), Mesh3d(mesh), MeshMaterial3d(material)));
    go(&mut app, 5);
    for mut camera in app.world_mut().query::<&mut Camera>().iter_mut(app.world_mut()) {
        camera.is_active = false;
    }
    let mut least = [f64::INFINITY; 2];
    for _ in 0..100 {
        app.update();
        let time = app.world().resource::<PluginTime>();
        least = [least[0].min(time.step), least[1].min(time.draw)];
    }
    println!("{:.3} ms a step, {:.3} ms a frame", 1e3 * least[0], 1e3 * least[1]);
    Ok(())
}
