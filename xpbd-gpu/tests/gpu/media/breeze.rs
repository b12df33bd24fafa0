//! A medium of one's own that moves particles and changes velocities, with stages that hand numbers on.

use glam::{Vec3, Vec4};
use libtest_mimic::Failed;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, BatchNode, ConstraintBatch, NodeCounts};
use xpbd_core::bodies::Body;
use xpbd_core::collide::Collider;
use xpbd_core::medium::kernel::{MediumHook, MediumKernel, MediumStage};
use xpbd_core::medium::{Material, Medium, MediumContext, MediumSolver, SOLID};
use xpbd_core::world::{CollisionLayers, Integrator, Object, Settings, World};

use super::pool::{D, open_basin, settings};

/// Particles keep apart a little, and take over velocities of those around them, of walls too.
#[derive(Debug)]
pub struct Breeze;

/// Part of the way that particles keep apart.
const PUSH: f32 = 0.05;

impl Medium for Breeze {
    fn name(&self) -> &'static str {
        "breeze"
    }

    fn reach(&self) -> f32 {
        3.0
    }

    fn solver(&self) -> Box<dyn MediumSolver> {
        Box::new(Breezes)
    }

    fn kernel(&self, materials: &[Material]) -> Option<MediumKernel> {
        let stage = |hook, function, source: &'static str, sums| MediumStage {
            hook,
            function,
            source: source.into(),
            sums,
            only_with_solids: false,
            only_first: false,
        };
        let mut stages = vec![
            stage(MediumHook::Project, "part", PART, true),
            stage(MediumHook::Velocities, "count", COUNT, true),
            stage(MediumHook::Velocities, "blow", BLOW, true),
        ];
        if materials.iter().any(|material| material.parameters.len() != 5) {
            stages.clear();
        }
        Some(MediumKernel { common: COMMON.into(), fields: 2, stages })
    }
}

const COMMON: &str = "
const COUNTED = 1u;
fn nearness(square: f32) -> f32 {
    let u = max(0.0, 1.0 - sqrt(square) / reach());
    return u * u * u;
}
";

const PART: &str = "
var<private> sum: vec3f;
fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    sum += apart * nearness(square);
}
fn part(k: u32) {
    sum = vec3f();
    around(k);
    shift(k, sum * 0.05);
}
";

const COUNT: &str = "
var<private> sum: f32;
fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    sum += nearness(square);
}
fn count(k: u32) {
    sum = 0.0;
    around(k);
    set_field(COUNTED, k, vec4f(0.0, 0.0, sum, 0.0));
}
";

const BLOW: &str = "
var<private> member: u32;
var<private> sum: vec3f;
fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    sum += (velocity(j) - velocity(member)) * (nearness(square) / field(COUNTED, j).z);
}
fn blow(k: u32) {
    member = k;
    sum = vec3f();
    around(k);
    if is_solid(k) {
        accelerate(k, sum * 0.1);
        return;
    }
    for (var n = 0u; n < wall_count(k); n++) {
        let wall = wall(k, n);
        sum += (wall.velocity - velocity(k)) * max(0.0, 1.0 - wall.height / reach());
    }
    accelerate(k, sum * number(k, 4u));
}
";

#[derive(Debug)]
struct Breezes;

/// Returns the members within reach of one, with the vectors from them and how near they are. That must vanish at the
/// reach: the CPU lists who is within reach at the start of a substep, a GPU looks again.
fn near<'a>(around: &'a MediumContext<'_>, k: usize) -> impl Iterator<Item = (usize, Vec3, f32)> + 'a {
    let members = around.members;
    let others = members.neighbours(k).iter().map(|&j| j as usize).filter(|&j| j < members.len());
    others.map(move |j| {
        let apart = (members.positions[k] - members.positions[j]).truncate();
        let u = (1.0 - apart.length() / members.reach).max(0.0);
        (j, apart, u * u * u)
    })
}

impl MediumSolver for Breezes {
    fn project(&mut self, around: &MediumContext<'_>, corrections: &mut [Vec4]) {
        for (k, correction) in corrections.iter_mut().enumerate() {
            let sum: Vec3 = near(around, k).map(|(_, apart, nearness)| apart * nearness).sum();
            *correction = (sum * PUSH).extend(0.0);
        }
    }

    fn changes_velocities(&self, _materials: &[Material]) -> bool {
        true
    }

    fn velocities(&mut self, around: &MediumContext<'_>, changes: &mut [Vec4]) {
        let members = around.members;
        let counted: Vec<f32> =
            (0..members.len()).map(|k| near(around, k).map(|(_, _, nearness)| nearness).sum()).collect();
        for (k, change) in changes.iter_mut().enumerate() {
            let own = members.velocities[k];
            let others = near(around, k).map(|(j, _, near)| (members.velocities[j] - own) * (near / counted[j]));
            let mut sum: Vec4 = others.sum();
            let mut part = 0.1;
            if members.materials[k] != SOLID {
                for wall in members.walls(k) {
                    let nearness = (1.0 - wall.height / members.reach).max(0.0);
                    sum += (wall.velocity.extend(0.0) - own) * nearness;
                }
                part = around.materials[members.materials[k] as usize].parameters[4];
            }
            *change = sum * part;
        }
    }
}

/// Makes an object a part of a medium.
#[derive(Debug, Clone)]
pub struct Blown {
    pub medium: &'static dyn Medium,
    pub numbers: Vec<f32>,
    pub count: usize,
}

impl ConstraintBatch for Blown {
    fn name(&self) -> &'static str {
        "blown"
    }

    fn len(&self) -> usize {
        self.count
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        smallvec![BatchNode::Particle(constraint as u32)]
    }

    fn validate(&self, _: NodeCounts) -> Result<(), BatchError> {
        Ok(())
    }

    fn material(&self) -> Option<Material> {
        Some(Material { medium: self.medium, parameters: self.numbers.clone() })
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }
}

/// Returns the particles of a medium, a little apart, that fly.
pub fn cloud(medium: &'static dyn Medium, numbers: Vec<f32>, at: Vec3, velocity: Vec3) -> Object {
    let places: Vec<Vec3> =
        (0..60).map(|k| at + Vec3::new((k % 5) as f32, (k / 5 % 4) as f32, (k / 20) as f32) * (0.9 * D)).collect();
    let count = places.len();
    let mut object = Object::new("cloud", places, 0.1).velocity(velocity).with(Blown { medium, numbers, count });
    object.collision_layers = CollisionLayers { self_collision: false, ..object.collision_layers };
    object
}

/// Returns two clouds fly through each other, and through grains, under a lid that comes down and turns.
fn world(settings: Settings) -> Result<World, Failed> {
    let mut world = open_basin(settings, Vec3::ZERO, [9.0, 5.0])?;
    let numbers = |part| vec![0.0, 1.0, 2.0, 3.0, part];
    world.add(cloud(&Breeze, numbers(0.2), Vec3::splat(D), Vec3::X))?;
    world.add(cloud(&Breeze, numbers(0.4), Vec3::new(4.5, 1.3, 1.2) * D, Vec3::NEG_X))?;
    let grains: Vec<Vec3> = (0..10).map(|k| Vec3::new(0.6 + 0.8 * k as f32, 2.5, 3.6) * D).collect();
    world.add(Object::new("grains", grains, 0.2).pin([2]).velocity(Vec3::NEG_Y))?;
    let pose = Pose::from_translation(Vec3::new(4.0, 5.9, 2.0) * D);
    let lid = world.add_body(Body::kinematic(pose))?;
    world.add_collider(Collider::new(SharedShape::cuboid(5.0 * D, D, 5.0 * D)).attached_to(lid))?;
    Ok(world)
}

pub fn hall() -> Result<World, Failed> {
    world(Settings { iterations: 2, ..settings() })
}

pub fn second_order() -> Result<World, Failed> {
    world(Settings { integrator: Integrator::SecondOrder, ..settings() })
}
