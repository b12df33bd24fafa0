//! Restoring a snapshot and stepping on gives the bits of never having stopped.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use smallvec::SmallVec;
use xpbd_core::batch::Registry;
use xpbd_core::batch::{Batch, BatchError, BatchNode, ConstraintBatch, NodeCounts, Nodes};
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::{Collider, open_mesh};
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::ConstraintType;
use xpbd_core::world::{BodyHandle, ColliderHandle, Integrator, Object, ObjectHandle, ParticleSpawn, Settings, World};

use super::support::{Coincide, Distance, FRAME, Volume, chain, cpu, sheet};
use super::yard::{block, ground};

/// A batch written by hand: draws all its particles together, and counts its calls.
#[derive(Debug)]
pub struct Huddle {
    count: u32,
    strength: f32,
    calls: u32,
}

impl Huddle {
    pub const NAME: &'static str = "test-huddle";

    pub fn new(count: u32, strength: f32) -> Self {
        Self { count, strength, calls: 0 }
    }

    pub fn register(registry: &mut Registry) {
        registry.register_batch::<Self>(Self::NAME, |bytes| Ok(Box::new(Self::load(bytes)?))).unwrap();
    }

    fn load(bytes: &[u8]) -> Result<Self, BatchError> {
        let bytes: [u8; 12] =
            bytes.try_into().map_err(|_| BatchError::Saved(Self::NAME.into(), format!("{} bytes", bytes.len())))?;
        let four = |k: usize| [bytes[k], bytes[k + 1], bytes[k + 2], bytes[k + 3]];
        Ok(Self {
            count: u32::from_le_bytes(four(0)),
            strength: f32::from_le_bytes(four(4)),
            calls: u32::from_le_bytes(four(8)),
        })
    }
}

impl ConstraintBatch for Huddle {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn len(&self) -> usize {
        1
    }

    fn nodes(&self, _: usize) -> SmallVec<[BatchNode; 8]> {
        (0..self.count).map(BatchNode::Particle).collect()
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        let strength = self.strength;
        if counts.particles != self.count as usize || !(0.0..=1.0).contains(&strength) {
            let (name, must) = (Self::NAME.into(), "in [0, 1], for all particles");
            return Err(BatchError::Number { name, constraint: 0, what: "the strength", value: strength, must });
        }
        Ok(())
    }

    fn project(&mut self, nodes: &mut Nodes<'_>, _: f32) {
        self.calls = self.calls.wrapping_add(1);
        let strength = self.strength * (1 + self.calls % 3) as f32 / 3.0;
        for k in 1..nodes.len() {
            let way = nodes.between(k, 0) * strength;
            if nodes.inverse_mass(k) > 0.0 {
                nodes.shift(k, way);
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        [self.count.to_le_bytes(), self.strength.to_le_bytes(), self.calls.to_le_bytes()].concat()
    }
}

/// Makes every type of these tests known.
pub fn register(world: &mut World) {
    world.register(Distance).unwrap();
    world.register(Coincide).unwrap();
    world.register(Volume).unwrap();
    Huddle::register(world.registry_mut());
}

/// A world with something of everything.
pub struct Everything {
    pub world: World,
    pub cloth: ObjectHandle,
    pub rope: ObjectHandle,
    pub spray: ObjectHandle,
    pub body: BodyHandle,
    pub mesh: ColliderHandle,
}

impl Everything {
    pub fn new(integrator: Integrator) -> Self {
        let settings = Settings { substeps: 6, iterations: 2, integrator, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        register(&mut world);
        let mut cloth = sheet("cloth", Vec3::new(-0.1, 0.22, -0.1), 6, 0.04);
        cloth.collision_layers.self_collision = true;
        cloth.linear_damping = 0.1;
        let cloth = world.add(cloth.pin([0])).unwrap();
        let soft = Batch::new(Distance, &[[0, 2], [2, 4]], &[[0.09], [0.1]]).unwrap().compliance(0.01).damping(2.0);
        let rope = world.add(chain("rope", Vec3::new(0.3, 0.2, 0.0), 5, 0.05).with(soft)).unwrap();
        let grains: Vec<_> = (0..8).map(|k| Vec3::new(0.01 * (k % 2) as f32, 0.3 + 0.021 * k as f32, 0.0)).collect();
        let mut grains = Object::new("grains", grains, 0.002).with(Huddle::new(8, 0.01));
        grains.collision_layers.self_collision = true;
        world.add(grains).unwrap();
        let body = world.add_body(Body::kinematic(Pose::IDENTITY)).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(0.15, 0.15, 0.15)).attached_to(body)).unwrap();
        world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)).at(Vec3::Y * -0.16)).unwrap();
        let corners = [Vec3::ZERO, Vec3::Z, Vec3::X];
        let mesh =
            world.add_collider(Collider::new(open_mesh(&corners, &[[0, 1, 2]]).unwrap()).at(Vec3::Y * 0.1)).unwrap();
        let hook = Connectors::new(&[Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }]).unwrap();
        let kind = ConstraintType::of(Coincide).unwrap();
        let hook = Batch::from_parts(kind, hook, vec![0, 0], vec![Vec3::new(0.3, 0.2, 0.0)], Vec::new()).unwrap();
        world.add_batch(&[rope], &[body], hook).unwrap();
        let spray = Object::new("spray", vec![Vec3::Y], 0.001).capacity(4, 0.001);
        let spray = world.add(spray).unwrap();
        // An object removed, so that handles and places are not the same.
        let gone = world.add(chain("gone", Vec3::ZERO, 3, 0.1)).unwrap();
        world.remove(gone).unwrap();
        Self { world, cloth, rope, spray, body, mesh }
    }

    /// What a game would do in a frame.
    pub fn edit(&mut self, frame: u32) {
        let k = frame as f32;
        let corner = Vec3::new(-0.1, 0.22 + 0.001 * k, -0.1);
        self.world.move_pinned(self.cloth, 0, corner).unwrap();
        self.world.add_force(self.rope, 4, Vec3::new(0.01, 0.0, 0.002 * k)).unwrap();
        let drop = ParticleSpawn { position: Vec3::new(0.01 * k, 0.3, 0.02), velocity: Vec3::X };
        let oldest = self.world.spawn(self.spray, &[drop]).unwrap().rejected as u32 * (frame % 5);
        if self.world.is_active(self.spray, oldest as usize).unwrap() {
            self.world.deactivate(self.spray, &[oldest]).unwrap();
        }
        let turn = Quat::from_xyzw(0.0, 0.02 * k, 0.0, 1.0).normalize();
        self.world.move_body(self.body, Pose::from_parts(Vec3::X * (0.002 * k), turn)).unwrap();
    }

    pub fn run(&mut self, frames: std::ops::Range<u32>) {
        let mut cpu = cpu();
        for frame in frames {
            self.edit(frame);
            self.world.step(&mut cpu, FRAME).unwrap();
        }
    }
}

fn restored_goes_on(integrator: Integrator) {
    let mut straight = Everything::new(integrator);
    straight.run(0..20);
    // Targets, forces and a body's target are waiting when the snapshot is made.
    straight.edit(20);
    let saved = straight.world.snapshot().unwrap();
    let hash = straight.world.state_hash();
    assert!(straight.world.contacts().len() > 1, "{:?}", straight.world.contacts());
    let contacts = straight.world.contacts().to_vec();
    let finish = |scene: &mut Everything| {
        scene.world.step(&mut cpu(), FRAME).unwrap();
        scene.run(21..45);
        (scene.world.state_hash(), scene.world.contacts().to_vec(), scene.world.snapshot().unwrap())
    };
    let expected = finish(&mut straight);
    assert_ne!(expected.0, hash);

    let mut fresh = World::new(Settings::default()).unwrap();
    register(&mut fresh);
    for mut world in [fresh, straight.world] {
        world.restore(&saved).unwrap();
        assert_eq!(world.state_hash(), hash);
        assert_eq!(world.contacts(), contacts);
        assert!(world.snapshot().unwrap() == saved);
        let mut scene = Everything { world, ..straight };
        assert!(finish(&mut scene) == expected, "{integrator:?} goes on differently");
    }
}

#[test]
fn restored_midway_it_goes_on_with_the_same_bits() {
    restored_goes_on(Integrator::FirstOrder);
}

#[test]
fn restored_midway_it_goes_on_with_the_same_bits_in_second_order() {
    restored_goes_on(Integrator::SecondOrder);
}

#[test]
fn handles_made_after_restoring_are_those_made_without() {
    let mut scene = Everything::new(Integrator::FirstOrder);
    scene.run(0..5);
    let saved = scene.world.snapshot().unwrap();
    let add = |world: &mut World| {
        let object = world.add(chain("late", Vec3::Y, 3, 0.1)).unwrap();
        (object, world.batches_of(object))
    };
    let expected = add(&mut scene.world);
    scene.world.restore(&saved).unwrap();
    assert!(scene.world.velocity(expected.0, 0).is_err(), "it came after the snapshot");
    assert_eq!(add(&mut scene.world), expected);
}

/// A cylinder that tumbles over a block touches it with its ends and with its side, whose contacts are of two kinds, between
/// the same colliders. Each frame is made from a snapshot too.
#[test]
fn what_goes_over_from_a_face_to_a_round_side_goes_on_with_the_same_bits() {
    let mut world = ground(12, Quat::IDENTITY, 0.5);
    block(&mut world, Pose::from_translation(Vec3::Y * 0.1), Vec3::new(0.5, 0.1, 0.5), 5.0, 0.5);
    let shape = SharedShape::cylinder(0.06, 0.1);
    let pose = Pose::from_parts(Vec3::new(0.0, 0.4, 0.0), Quat::from_rotation_x(1.2));
    let spin = Vec3::new(3.0, 12.0, 6.0);
    let body = Body::dynamic(pose, Mass::from_shape(&*shape, 1000.0).unwrap()).angular_velocity(spin);
    let body = world.add_body(body).unwrap();
    world.add_collider(Collider::new(shape).attached_to(body)).unwrap();
    let mut restored = World::new(Settings::default()).unwrap();
    for frame in 0..150 {
        restored.restore(&world.snapshot().unwrap()).unwrap();
        for world in [&mut world, &mut restored] {
            world.step(&mut cpu(), FRAME).unwrap();
        }
        assert_eq!(world.state_hash(), restored.state_hash(), "frame {frame}");
    }
}
