//! What the GPU draws of a world that is stepped there is what the CPU draws of the same world.

use bevy::pbr::StandardMaterial;
use bevy::prelude::*;
use libtest_mimic::Failed;
use xpbd_bevy::backend::GpuReadback;
use xpbd_bevy::draw::DrawParticles;
use xpbd_bevy::object::{ObjectId, ObjectPlugin};
use xpbd_bevy::prelude::*;
use xpbd_core::world::ParticleSpawn;

use crate::Test;
use crate::grains::Grains;
use crate::studio::{Picture, add, ensure, flat, go, picture, studio};

pub const TESTS: &[Test] = &[
    ("cloth_is_drawn_alike_and_unread", cloth),
    ("particles_are_drawn_alike_and_unread", particles),
    ("a_liquid_is_drawn_alike_and_unread", liquid),
    ("readback", readback),
    ("the_skin_of_a_soft_body_is_drawn_alike_and_unread", skin),
    ("tubes_are_drawn_alike_and_unread", tubes),
    ("nothing_is_read_back_of_anything_that_is_drawn", everything),
    ("torn_cloth_is_drawn_alike", torn),
];

fn matte() -> StandardMaterial {
    let color = Color::srgb(0.8, 0.3, 0.2);
    StandardMaterial { base_color: color, double_sided: true, cull_mode: None, ..default() }
}

/// Two cloths that swing, the second mirrored and held by an entity that moves.
fn swing(app: &mut App) {
    let mesh = add(app, Plane3d::default().mesh().size(0.8, 0.8).subdivisions(11).build());
    let material = add(app, matte());
    for side in [-1.0, 1.0] {
        let place = Transform::from_xyz(0.6 * side, 0.7, 0.0)
            .with_rotation(Quat::from_rotation_y(0.4))
            .with_scale(Vec3::new(side, 1.0, 1.1));
        let looks = (Mesh3d(mesh.clone()), MeshMaterial3d(material.clone()), place);
        app.world_mut().spawn((Cloth::default(), Pinned::vertices([0, 12]), looks));
    }
}

/// Returns the bytes read back in steps while the pins move, and what is seen then.
fn run(app: &mut App, steps: usize, name: &str) -> Result<(u64, Picture), Failed> {
    go(app, 2);
    let read = |app: &App| app.world().resource::<Physics>().gpu().map_or(0, |gpu| gpu.bytes_read());
    let before = read(app);
    for _ in 0..steps {
        for mut place in app.world_mut().query_filtered::<&mut Transform, With<Pinned>>().iter_mut(app.world_mut()) {
            place.translation.x += 0.002;
        }
        app.update();
    }
    let seen = picture(app, name)?;
    Ok((read(app) - before, seen))
}

/// Returns an app whose world is stepped on the GPU.
fn on_gpu(settings: Settings, readback: GpuReadback) -> Result<App, Failed> {
    let mut app = studio(XpbdPlugins::new(settings).backend(BackendKind::Gpu), ObjectPlugin::<Grains>::default());
    app.insert_resource(readback);
    ensure(app.world().resource::<Physics>().gpu().is_some(), || "the world is stepped on the CPU".into())?;
    Ok(app)
}

fn cloth() -> Result<(), Failed> {
    let mut gpu = on_gpu(Settings::default(), GpuReadback::OnRequest)?;
    swing(&mut gpu);
    let (read, drawn) = run(&mut gpu, 60, "cloth_gpu")?;
    let mut cpu = studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
    swing(&mut cpu);
    let (_, expected) = run(&mut cpu, 60, "cloth_cpu")?;
    let is_cloth = |[r, _, b, _]: [u8; 4]| r > 20 && b < r;
    let ([count, other], [at, place]) = {
        let (a, b) = (drawn.spot(is_cloth), expected.spot(is_cloth));
        ([a.0, b.0], [a.1, b.1])
    };
    ensure(other > 3000 && count.abs_diff(other) < other / 100, || format!("{count} pixels of {other}"))?;
    ensure(at.distance(place) < 0.5, || format!("seen at {at}, not {place}"))?;
    let difference = drawn.difference(&expected);
    ensure(difference < 0.1, || format!("pixels differ by {difference}"))?;
    ensure(read == 0, || format!("{read} bytes were read back"))
}

/// A ball of jelly that falls on a slab.
fn drop_jelly(app: &mut App) -> Entity {
    let ball = add(app, Sphere::new(0.4).mesh().ico(6).expect("a ball"));
    let material = add(app, matte());
    let place = Transform::from_xyz(0.1, 0.2, 0.0).with_rotation(Quat::from_rotation_z(0.3));
    app.world_mut().spawn((Collider::cuboid(2.0, 0.1, 2.0), Transform::from_xyz(0.0, -0.6, 0.0)));
    app.world_mut().spawn((SoftBody::default(), Mesh3d(ball), MeshMaterial3d(material), place)).id()
}

fn skin() -> Result<(), Failed> {
    let mut gpu = on_gpu(Settings::default(), GpuReadback::OnRequest)?;
    drop_jelly(&mut gpu);
    let (read, drawn) = run(&mut gpu, 25, "skin_gpu")?;
    let mut cpu = studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
    drop_jelly(&mut cpu);
    let (_, expected) = run(&mut cpu, 25, "skin_cpu")?;
    let (count, _) = expected.spot(|[r, _, b, _]| r > 20 && b < r);
    ensure(count > 3000, || format!("the ball covers {count} pixels"))?;
    let difference = drawn.difference(&expected);
    ensure(difference < 0.1, || format!("pixels differ by {difference}"))?;
    // What has hardly moved looks like the mesh itself.
    let early = |is_soft: bool, name: &str| {
        let mut app = studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
        let jelly = drop_jelly(&mut app);
        if !is_soft {
            app.world_mut().entity_mut(jelly).remove::<SoftBody>();
        }
        run(&mut app, 1, name)
    };
    let difference = early(true, "skin_early")?.1.difference(&early(false, "skin_mesh")?.1);
    ensure(difference < 0.3, || format!("the ball differs by {difference} from its mesh"))?;
    ensure(read == 0, || format!("{read} bytes were read back"))
}

/// A rope that swings, in a mirrored frame, and one that is cut.
fn hang_ropes(app: &mut App) -> Entity {
    let material = add(app, matte());
    let look = (Tube { radius: 0.06, sides: 9 }, MeshMaterial3d(material));
    let rope = Rope::between(Vec3::new(-0.9, 0.8, 0.0), Vec3::new(0.5, 0.8, 0.2), 24, 1.6);
    let mirrored = Transform::from_xyz(0.1, 0.0, 0.0).with_scale(Vec3::new(-1.0, 1.0, 1.0));
    app.world_mut().spawn((rope.clone(), Pinned::vertices([0]), look.clone(), mirrored));
    let place = Transform::from_xyz(0.1, -0.5, 0.0);
    app.world_mut().spawn((rope, Pinned::vertices([0, 24]), look, place)).id()
}

fn tubes() -> Result<(), Failed> {
    let mut gpu = on_gpu(Settings::default(), GpuReadback::OnRequest)?;
    hang_ropes(&mut gpu);
    let (read, drawn) = run(&mut gpu, 20, "tubes_gpu")?;
    let mut cpu = studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default());
    hang_ropes(&mut cpu);
    let (_, expected) = run(&mut cpu, 20, "tubes_cpu")?;
    ensure(read == 0, || format!("{read} bytes were read back"))?;
    let (count, _) = expected.spot(|[r, _, b, _]| r > 20 && b < r);
    ensure(count > 2500, || format!("the tubes cover {count} pixels"))?;
    // Their walls face outwards: the light falls on them.
    let (lit, _) = expected.spot(|[r, _, b, _]| r > 100 && b < r);
    ensure(lit > count / 3, || format!("{lit} of {count} pixels are lit"))?;
    let difference = drawn.difference(&expected);
    ensure(difference < 0.1, || format!("pixels differ by {difference}"))?;
    // A cut is closed on both sides.
    let mut seen = Vec::new();
    for mut app in [on_gpu(Settings::default(), GpuReadback::Late)?, studio(XpbdPlugins::default(), ())] {
        let rope = hang_ropes(&mut app);
        go(&mut app, 3);
        app.world_mut().write_message(CutRope { entity: rope, place: RopeCutPlace::Link(9) });
        go(&mut app, 12);
        seen.push(picture(&mut app, "tubes_cut")?);
    }
    let difference = seen[0].difference(&seen[1]);
    ensure(difference < 0.1, || format!("cut, pixels differ by {difference}"))
}

/// Cloth, of which one is cut, the skin of a soft body, tubes, and a liquid with its surface.
fn everything() -> Result<(), Failed> {
    let settings = Settings { particle_radius: 0.03, ..default() };
    let mut app = on_gpu(settings, GpuReadback::OnRequest)?;
    swing(&mut app);
    drop_jelly(&mut app);
    hang_ropes(&mut app);
    let material = add(&mut app, FluidSurface::water());
    let water = Fluid::block(Vec3::new(0.2, 0.15, 0.2)).material(FluidMaterial::WATER);
    app.world_mut().spawn((water, FluidSurface { material, ..default() }, Transform::from_xyz(-0.7, 0.0, 0.3)));
    let mut cloths = app.world_mut().query_filtered::<(Entity, &mut Cloth), ()>();
    let (entity, mut cloth) = cloths.iter_mut(app.world_mut()).next().ok_or("no cloth")?;
    cloth.tearing = Some(TearSettings { max_strain: f32::INFINITY, max_force: f32::INFINITY, capacity: 60 });
    go(&mut app, 4);
    let blade = Blade { corner: Vec3::new(-2.0, -2.0, 0.01), edge: Vec3::Y * 4.0, path: Vec3::X * 4.0 };
    app.world_mut().write_message(CutCloth { entity, blade });
    go(&mut app, 4);
    let pieces = {
        let world = app.world().resource::<Physics>().world();
        let object = app.world().get::<ObjectId>(entity).ok_or("the cloth is gone")?.handle();
        xpbd_cloth::piece_count(world, object)?
    };
    ensure(pieces == 2, || format!("the cloth is in {pieces} pieces"))?;
    let before = picture(&mut app, "everything_before")?;
    let (read, after) = run(&mut app, 60, "everything")?;
    ensure(read == 0, || format!("{read} bytes were read back"))?;
    let difference = after.difference(&before);
    ensure(difference > 2.0, || format!("pixels differ by {difference} after a second"))
}

/// Returns the picture of a cloth just after it has been cut, and of it in its pieces.
fn cut(app: &mut App) -> Result<[Picture; 2], Failed> {
    swing(app);
    let tearing = TearSettings { max_strain: f32::INFINITY, max_force: f32::INFINITY, capacity: 60 };
    for mut cloth in app.world_mut().query::<&mut Cloth>().iter_mut(app.world_mut()) {
        cloth.tearing = Some(tearing);
    }
    go(app, 8);
    let blade = Blade { corner: Vec3::new(-2.0, -2.0, 0.01), edge: Vec3::Y * 4.0, path: Vec3::X * 4.0 };
    for entity in app.world_mut().query_filtered::<Entity, With<Cloth>>().iter(app.world()).collect::<Vec<_>>() {
        app.world_mut().write_message(CutCloth { entity, blade });
    }
    go(app, 1);
    let first = picture(app, "cut")?;
    go(app, 12);
    Ok([first, picture(app, "apart")?])
}

fn torn() -> Result<(), Failed> {
    let drawn = cut(&mut on_gpu(Settings::default(), GpuReadback::Late)?)?;
    let expected = cut(&mut studio(XpbdPlugins::default(), ObjectPlugin::<Grains>::default()))?;
    let (count, _) = expected[1].spot(|[r, _, b, _]| r > 20 && b < r);
    ensure(count > 3000, || format!("cloth covers {count} pixels"))?;
    // Just after the cut a GPU draws it as it is, not between two steps.
    for (most, name, k) in [(1.0, "cut", 0), (0.1, "apart", 1)] {
        let difference = drawn[k].difference(&expected[k]);
        ensure(difference < most, || format!("{name}: pixels differ by {difference}"))?;
    }
    Ok(())
}

/// Grains of which one comes late, drawn as a component of this material says.
fn pour<B: Bundle>(
    app: &mut App,
    draw: impl Fn(Handle<StandardMaterial>) -> B,
) -> Result<(u64, Picture, Picture), Failed> {
    let material = add(app, flat(Color::srgb(0.0, 1.0, 0.0)));
    let places = (0..100).map(|k| Vec3::new((k % 10) as f32, (k / 10) as f32, 0.0) * 0.05 - 0.25).collect();
    let grains = Grains { places, spare: 5, mass: 0.01 };
    let grains = app.world_mut().spawn((grains, draw(material))).id();
    let (read, falling) = run(app, 10, "grains")?;
    let object = app.world().get::<ObjectId>(grains).ok_or("no grains")?.handle();
    let spawn = ParticleSpawn { position: Vec3::new(0.8, 0.3, 0.0), velocity: Vec3::new(0.0, 3.0, 0.0) };
    app.world_mut().resource_mut::<Physics>().world_mut().spawn(object, &[spawn])?;
    go(app, 1);
    let more = picture(app, "grains_more")?;
    Ok((read, falling, more))
}

fn particles() -> Result<(), Failed> {
    alike(|material| DrawParticles { material, scale: 1.0 })
}

fn liquid() -> Result<(), Failed> {
    alike(|material| FluidSurface { material, ..default() })
}

/// Compares grains that are drawn like this on both back ends.
fn alike<B: Bundle>(draw: impl Fn(Handle<StandardMaterial>) -> B) -> Result<(), Failed> {
    let settings = || Settings { particle_radius: 0.04, ..default() };
    let (read, falling, more) = pour(&mut on_gpu(settings(), GpuReadback::OnRequest)?, &draw)?;
    let mut cpu = studio(XpbdPlugins::new(settings()), ObjectPlugin::<Grains>::default());
    let (_, as_falling, as_more) = pour(&mut cpu, &draw)?;
    let (count, _) = as_falling.spot(|[_, g, _, _]| g > 200);
    ensure(count > 1500, || format!("grains cover {count} pixels"))?;
    for (name, drawn, expected) in [("falling", falling, as_falling), ("with one more", more, as_more)] {
        let difference = drawn.difference(&expected);
        ensure(difference < 0.1, || format!("{name}: pixels differ by {difference}"))?;
    }
    ensure(read == 0, || format!("{read} bytes were read back"))
}

fn readback() -> Result<(), Failed> {
    let mut app = on_gpu(Settings::default(), GpuReadback::Late)?;
    swing(&mut app);
    let (read, _) = run(&mut app, 10, "late")?;
    let particles = app.world().resource::<Physics>().world().state().particles.len() as u64;
    // Position, offset and velocity of each, and what is told besides, which is the same for each step.
    let least = 10 * 48 * particles;
    ensure(read >= least && read % 10 == 0, || format!("{read} bytes were read back, of {least}"))
}
