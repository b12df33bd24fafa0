//! Heavy bodies on light sheets that are pinned, at 10 substeps.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::query::intersection_test;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::{Cloth, Rope, rope};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::handle::BodyHandle;
use xpbd_core::object::support::TAUT;
use xpbd_core::object::{Object, Support};
use xpbd_core::scalar::trig;
use xpbd_core::world::{Friction, ObjectHandle, Settings, World};

const FRAME: f32 = 1.0 / 60.0;
/// Length of a sheet relative to the distance of its pins \[1\].
const SLACK: f32 = 1.03;

/// The way in which a sheet collides.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Contact {
    Particles,
    Surface,
}

/// A body on a sheet of 0.2 kg.
struct Load {
    world: World,
    cloth: ObjectHandle,
    body: BodyHandle,
    shape: SharedShape,
    /// Edges of the sheet, with their lengths at rest \[m\].
    edges: Vec<([usize; 2], f32)>,
}

/// Settings and a sheet of `side` particles a side between pins 1 m apart, before it sags.
fn sheet(side: u32, contact: Contact, pinned: impl Fn(Vec3) -> bool) -> (Settings, Object) {
    let edge = 1.0 / (side - 1) as f32;
    let radius = if contact == Contact::Surface { 0.15 * edge } else { 0.5 * edge };
    let mut cloth = Cloth::grid(side, side, SLACK, SLACK).density(0.2 / (SLACK * SLACK));
    if contact == Contact::Surface {
        cloth = cloth.surface_collision(0.3 * edge);
    }
    let mut object = cloth.pin_where(|_, x| pinned(x / SLACK)).build().unwrap();
    object.positions.iter_mut().for_each(|x| *x /= SLACK);
    let settings = Settings { substeps: 10, particle_radius: radius, contact_margin: radius, ..Settings::default() };
    (settings, object)
}

fn on_rim(x: Vec3) -> bool {
    x.x.abs().max(x.z.abs()) > 0.499
}

impl Load {
    /// Lays a body of `mass` \[kg\] on a sheet.
    fn new((settings, object): (Settings, Object), (shape, rotation): (SharedShape, Quat), mass: f32) -> Self {
        let radius = settings.particle_radius;
        let mut world = World::new(settings).unwrap();
        let mut edges: Vec<[usize; 2]> = Vec::new();
        for [a, b, c] in object.triangles.iter().map(|triangle| triangle.map(|k| k as usize)) {
            edges.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        edges.sort_unstable();
        edges.dedup();
        let rest = &object.rest_positions;
        let edges = edges.into_iter().map(|[a, b]| ([a, b], rest[a].distance(rest[b]))).collect();
        let cloth = world.add(object).unwrap();
        let bottom = shape.compute_aabb(&Pose::from_parts(Vec3::ZERO, rotation)).mins.y;
        let pose = Pose::from_parts(Vec3::new(0.013, radius + 0.02 - bottom, 0.017), rotation);
        let unit = Mass::from_shape(&*shape, 1.0).unwrap().mass;
        let body = Body::dynamic(pose, Mass::from_shape(&*shape, mass / unit).unwrap()).can_sleep(false);
        let body = world.add_body(body).unwrap();
        world.add_collider(Collider::new(shape.clone()).attached_to(body)).unwrap();
        Self { world, cloth, body, shape, edges }
    }

    /// Steps so many frames and checks in each that the body cuts no triangle.
    fn step(&mut self, frames: usize, threads: usize) {
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        for frame in 0..frames {
            self.world.step(&mut cpu, FRAME).unwrap();
            let cut = self.pierced();
            assert_eq!(cut, 0, "{:?} cuts triangles in frame {frame}", self.shape.shape_type());
        }
    }

    fn body(&self) -> Body {
        self.world.body(self.body).unwrap()
    }

    fn positions(&self) -> Vec<Vec3> {
        self.world.positions(self.cloth).unwrap().collect()
    }

    /// Returns the number of triangles that the body cuts or contains.
    fn pierced(&self) -> usize {
        let (x, pose) = (self.positions(), self.body().pose);
        let triangles = self.world.state().objects.get(self.cloth).unwrap().triangles();
        let cuts = |triangle: &&[u32; 3]| {
            let [a, b, c] = triangle.map(|k| x[k as usize]);
            intersection_test(&pose, &*self.shape, &Pose::IDENTITY, &Triangle::new(a, b, c)).unwrap()
        };
        triangles.iter().filter(cuts).count()
    }

    /// Returns the largest strain of an edge.
    fn strain(&self) -> f32 {
        let x = self.positions();
        let strains = self.edges.iter().map(|&([a, b], length)| x[a].distance(x[b]) / length - 1.0);
        strains.fold(0.0, f32::max)
    }

    fn release(&mut self) {
        for k in 0..self.positions().len() {
            self.world.set_pinned(self.cloth, k, false).unwrap();
        }
    }
}

fn down(axis: Vec3) -> Quat {
    Quat::from_rotation_arc(axis.normalize(), Vec3::NEG_Y)
}

/// Returns a ball and a box on its corner of 20 kg, and a cone of 10 kg that stands on its tip with an angle of 30°.
fn loads() -> [(SharedShape, Quat, f32); 3] {
    [
        (SharedShape::ball(0.15), Quat::IDENTITY, 20.0),
        (SharedShape::cuboid(0.1, 0.1, 0.1), down(Vec3::ONE), 20.0),
        (SharedShape::cone(0.15, 0.3 * 0.2679), down(Vec3::Y), 10.0),
    ]
}

/// A particle of the sheets weighs 0.2 g and 0.08 g. A sheet without a load is stretched by 4 % and 6 % at 10 substeps. The ball
/// comes to rest on either; corner and tip, which few particles carry, sway for longer.
#[test]
fn a_light_sheet_holds_loads_of_a_hundred_times_its_mass_uncut() {
    for (side, strain) in [(30, 0.05), (50, 0.07)] {
        for (shape, rotation, mass) in loads() {
            let mut load = Load::new(sheet(side, Contact::Surface, on_rim), (shape, rotation), mass);
            load.step(120, 2);
            let mut largest = 0_f32;
            for _ in 0..12 {
                load.step(5, 2);
                largest = largest.max(load.strain());
            }
            let (kind, height) = (load.shape.shape_type(), load.body().pose.translation.y);
            assert!(height > -0.15, "{kind:?} is at {height} on {side}");
            assert!(largest < 0.25, "{kind:?} stretches {side} by {largest}");
            if kind == SharedShape::ball(1.0).shape_type() {
                load.step(180, 2);
                assert!(load.strain() < strain, "the ball stretches {side} by {}", load.strain());
                assert!(load.body().velocity.length() < 0.02, "the ball on {side} has {}", load.body().velocity);
            }
            load.release();
            let before = load.body().pose.translation.y;
            let mut cpu = CpuBackend::new(Threads::Exactly(2));
            (0..60).for_each(|_| drop(load.world.step(&mut cpu, FRAME).unwrap()));
            let fallen = before - load.body().pose.translation.y;
            assert!((fallen - 0.5 * 9.81).abs() < 0.25, "{kind:?} falls by {fallen} in a second");
        }
    }
}

/// A particle weighs 0.02 g here. The sheet is stretched by 28 % while the spike falls over, and by 16 % at rest, as without it.
#[test]
fn a_fine_sheet_holds_a_spike_uncut() {
    let [.., (shape, rotation, mass)] = loads();
    let mut load = Load::new(sheet(100, Contact::Surface, on_rim), (shape, rotation), mass);
    load.step(90, 2);
    assert!(load.body().pose.translation.y > -0.12 && load.strain() < 0.3, "{:?} {}", load.body().pose, load.strain());
}

/// The sheet collides with its particles here, and with as many kilograms as it has grams.
#[test]
fn a_sheet_of_particles_holds_a_ball_of_a_thousand_times_its_mass() {
    let mut load = Load::new(sheet(30, Contact::Particles, on_rim), (SharedShape::ball(0.15), Quat::IDENTITY), 200.0);
    load.step(300, 2);
    assert!(load.body().pose.translation.y > 0.0 && load.strain() < 0.1, "{:?} {}", load.body().pose, load.strain());
}

/// A roller of radius R across a band of length L between pins a distance D apart and at one height: from each pin a
/// straight piece of length s, then an arc of angle φ to the bottom, L/2 = s + R φ. The roller is held where supports count as
/// taut, 0.3 % short of their length, which is 7 mm of height here.
#[test]
fn a_roller_hangs_in_a_band_where_its_length_says() {
    let pinned = |x: Vec3| x.x.abs() > 0.499;
    for side in [20, 40] {
        let (settings, object) = sheet(side, Contact::Particles, pinned);
        let radius = 0.1 + settings.particle_radius;
        let roller = (SharedShape::capsule_z(0.7, 0.1), Quat::IDENTITY);
        let mut load = Load::new((settings, object), roller, 20.0);
        let mut cpu = CpuBackend::new(Threads::Exactly(2));
        (0..300).for_each(|_| drop(load.world.step(&mut cpu, FRAME).unwrap()));
        let (height, expected) = (load.body().pose.translation.y, height_of_axis(radius, SLACK));
        assert!((height - expected - 0.003).abs() < 0.006, "{side}: {height}, not {expected}");
    }
}

/// Returns the height of the axis of a roller over pins 1 m apart, by bisection: higher axes need less length.
fn height_of_axis(radius: f32, length: f32) -> f32 {
    let half = |height: f32| {
        let apart = (0.25 + height * height).sqrt();
        let straight = (apart * apart - radius * radius).sqrt();
        let arc = trig::atan2(0.5, height) - trig::atan2(straight, radius);
        straight + radius * arc
    };
    let (mut low, mut high) = (-0.3_f32, radius - 1e-3);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if half(middle) > 0.5 * length { low = middle } else { high = middle }
    }
    low
}

/// Two ropes of 40 links and 0.1 kg between pins 1 m apart, with a roller of a mass \[kg\] at a height over them.
fn ropes(length: f32, mass: f32, height: f32) -> (World, [ObjectHandle; 2], BodyHandle) {
    let settings = Settings { substeps: 10, particle_radius: 0.0125, contact_margin: 0.0125, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    let rope = |z: f32| {
        let [a, b] = [-0.5, 0.5].map(|x| Vec3::new(x, 0.0, z));
        Rope::between(a, b, 40, length).pin_ends().build().unwrap()
    };
    let ropes = [-0.15, 0.15].map(|z| world.add(rope(z)).unwrap());
    let low = world.positions(ropes[0]).unwrap().map(|x| x.y).fold(0.0, f32::min);
    let shape = SharedShape::capsule_z(0.3, 0.1);
    let body = Body::dynamic(Pose::translation(0.0, low + 0.1125 + height, 0.0), Mass::ball(mass, 0.1));
    let body = world.add_body(body.can_sleep(false)).unwrap();
    world.add_collider(Collider::new(shape).attached_to(body)).unwrap();
    (world, ropes, body)
}

/// The ropes weigh 0.1 kg, and each of their particles 2.5 g. The heights are those of the closed form, but for the 0.3 % of
/// their length by which a support that counts as taut may be short, which is 7 mm here.
#[test]
fn ropes_hold_a_roller_where_their_length_says() {
    for length in [1.0, 1.03] {
        for (mass, height) in [(1.0, 0.0), (20.0, 0.0), (5.0, 0.2)] {
            let (mut world, _, roller) = ropes(length, mass, height);
            let mut cpu = CpuBackend::new(Threads::Exactly(2));
            (0..300).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
            let (found, expected) = (world.body_pose(roller).unwrap().translation.y, height_of_axis(0.1125, length));
            assert!((found - expected).abs() < 0.012, "{mass} kg on {length} m: {found}, not {expected}");
        }
    }
}

#[test]
fn ropes_that_are_cut_or_break_let_a_roller_fall() {
    for broken in [false, true] {
        let (mut world, ropes, roller) = ropes(1.03, 20.0, 0.0);
        let mut cpu = CpuBackend::new(Threads::Exactly(2));
        (0..60).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        let before = world.body_pose(roller).unwrap().translation.y;
        assert!(before > -0.02, "the roller is at {before}");
        for rope in ropes {
            if broken {
                let links = world.batches_of(rope)[0];
                let weak = vec![[10.0, f32::INFINITY]; 40];
                world.edit_batch(links, |batch| *batch = batch.clone().break_forces(1, weak).unwrap()).unwrap();
            } else {
                rope::cut(&mut world, rope, 20).unwrap();
            }
        }
        // Loads are those of the last substep, and the contact bears most of what a link would: ropes break only when the
        // roller trembles.
        (0..240).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        let fallen = before - world.body_pose(roller).unwrap().translation.y;
        assert!(fallen > 3.0, "after {broken}: {fallen}");
    }
}

/// The grain has a hundred times the mass of the rope. A slit keeps both in one plane. It lies on one or two particles of the
/// rope, which hold it where their supports are taut at the latest.
#[test]
fn a_light_rope_holds_a_heavy_grain() {
    let (half, length, links, radius) = (0.2_f32, 0.405_f32, 20, 0.01);
    let settings = Settings { substeps: 10, particle_radius: radius, ..Settings::default() };
    let mut world = World::new(settings).unwrap();
    for side in [Vec3::Z, Vec3::NEG_Z] {
        let wall = Collider::new(SharedShape::cuboid(1.0, 1.0, 0.1)).friction(Friction::new(0.0));
        world.add_collider(wall.at(side * (0.1 + radius))).unwrap();
    }
    let rope = Rope::between(Vec3::X * -half, Vec3::X * half, links, length).density(0.05).pin_ends().build().unwrap();
    let mass: f32 = rope.masses.iter().sum();
    world.add(rope).unwrap();
    let grain = world.add(Object::new("grain", vec![Vec3::new(0.0, radius, 0.0)], 100.0 * mass)).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    (0..300).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
    let sag = |part: f32| (0.25 * part * part * length * length - half * half).sqrt();
    let height = world.position(grain, 0).unwrap().y;
    let (least, most) = (3.0_f32.sqrt() * radius - sag(1.0), 2.0 * radius - sag(TAUT));
    assert!(least < height && height < most, "{height}, not in {least} to {most}");
    let speed = world.velocities(grain).unwrap().map(Vec3::length).fold(0.0, f32::max);
    assert!(speed < 0.01, "{speed}");
}

/// What is not pinned holds nothing: the ball falls as if alone, but for the momentum of a sheet of a hundredth of its mass.
#[test]
fn a_free_sheet_does_not_hold_a_ball() {
    for contact in [Contact::Particles, Contact::Surface] {
        let (shape, rotation, mass) = loads()[0].clone();
        let mut load = Load::new(sheet(30, contact, |_| false), (shape, rotation), mass);
        let start = load.body().pose.translation.y;
        load.step(60, 2);
        let fallen = start - load.body().pose.translation.y;
        assert!((fallen - 0.5 * 9.81).abs() < 0.1, "{fallen}");
    }
}

#[test]
fn bits_of_loads_depend_neither_on_threads_nor_on_a_snapshot() {
    let run = |contact: Contact, threads: usize, stops: bool| {
        let (shape, rotation, mass) = loads()[1].clone();
        let mut load = Load::new(sheet(20, contact, on_rim), (shape, rotation), mass);
        let mut cpu = CpuBackend::new(Threads::Exactly(threads));
        for frame in 0..30 {
            load.world.step(&mut cpu, FRAME).unwrap();
            if stops && frame == 14 {
                let snapshot = load.world.snapshot().unwrap();
                load.world = World::default();
                xpbd_cloth::register(load.world.registry_mut()).unwrap();
                load.world.restore(&snapshot).unwrap();
            }
        }
        load.world.state_hash()
    };
    for contact in [Contact::Particles, Contact::Surface] {
        let hashes = [run(contact, 1, false), run(contact, 2, false), run(contact, 7, false), run(contact, 2, true)];
        assert_eq!(hashes, [hashes[0]; 4], "{contact:?}");
    }
}

#[test]
fn a_support_that_makes_no_sense_is_refused_by_its_number() {
    let refused = |support: Support, count: usize| {
        let object = Object { supports: vec![support; count], ..Object::new("net", vec![Vec3::ZERO; 3], 1.0) };
        World::default().add(object).unwrap_err().to_string()
    };
    let good = Support { particle: 1, pin: 2, length: 0.5 };
    for (support, count, words) in [
        (Support { particle: 3, ..good }, 1, "3"),
        (Support { pin: 7, ..good }, 1, "7"),
        (Support { length: f32::NAN, ..good }, 1, "NaN"),
        (Support { length: -1.0, ..good }, 1, "-1"),
        (good, 21, "at most 20"),
    ] {
        let message = refused(support, count);
        assert!(message.contains(words) && message.contains("net"), "{message}");
    }
}
