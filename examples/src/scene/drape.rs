//! A sheet that falls on a statue and over it to the ground.

use glam::{Affine3A, Quat, Vec3};
use parry3d::math::Vector;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Cloth, TearSettings, tear};
use xpbd_core::collide::{Collider, MeshError, open_mesh, solid_mesh};
use xpbd_core::world::{BatchHandle, Friction, ObjectHandle, Settings, StepReport, World, WorldError};

use super::strain::Strains;
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet};
use crate::mesh::{Mesh, count_crossings, count_mutual_crossings, load, statue};
use crate::picture::{Material, Picture, hex};

/// Side of the sheet \[m\].
const SIDE: f32 = 1.9;
/// Height of the statue \[m\].
const HEIGHT: f32 = 1.0;
/// Radius of a particle as a part of the distance to the next one. Half of the diagonal of a square is 0.707 of it: no tip
/// of the statue comes between three particles that lie flat.
const RADIUS: f32 = 0.72;
/// Distance beyond the radius up to which contacts are searched for, as a part of the distance between particles.
const MARGIN: f32 = 0.45;
/// Friction of cloth, statue and ground \[1\].
const FRICTION: f32 = 0.5;

/// Strain that the load of the cloth may leave where it hangs from the tips of the statue \[1\].
const LOAD_STRAIN: f32 = 0.02;

/// Bending stiffness of the cloth \[N m\]: a soft cotton.
const STIFFNESS: f32 = 2e-5;

/// Drag of the air \[1/s\].
const DRAG: f32 = 0.5;
/// Rotation of the sheet about the vertical: 20 degrees.
const TURN: [f32; 4] = [0.0, 0.173_648_18, 0.0, 0.984_807_8];

pub(super) const RECIPE: Recipe = Recipe {
    name: "drape",
    summary: "a cloth falls over a statue, with friction and self-collision",
    frames: 240,
    substeps: 40,
    keys: &[
        OptionKey { name: "n", default: "150", help: "particles a side of the cloth" },
        OptionKey { name: "tear", default: "0", help: "strain at which the cloth tears; 0 if it does not" },
        sheet::BENDING,
    ],
    takes_mesh: true,
    build,
};

struct Drape {
    cloth: ObjectHandle,
    edges: BatchHandle,
    side: usize,
    statue: Mesh,
    shape: SharedShape,
    self_contacts: usize,
    tears: bool,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 2, 1000)?;
    let statue = setup.mesh().map_or_else(|| Ok(statue()), |path| load(path))?.fit(HEIGHT);
    let strain = setup.not_negative("tear")?;
    let edge = SIDE / (side - 1) as f32;
    let radius = RADIUS * edge;
    let settings = Settings { particle_radius: radius, contact_margin: MARGIN * edge, ..setup.settings() };
    let shape = match solid_mesh(&statue.positions, &statue.triangles) {
        Err(MeshError::Open { .. }) => open_mesh(&statue.positions, &statue.triangles)?,
        solid => solid?,
    };
    let friction = Friction::new(FRICTION);
    let mut world = World::new(settings)?;
    world.add_collider(Collider::new(shape.clone()).friction(friction))?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vector::Y)).friction(friction))?;
    let turn = Affine3A::from_quat(Quat::from_array(TURN));
    let cloth = Cloth::grid(side as u32, side as u32, SIDE, SIDE)
        .transform(turn)
        .at(Vec3::new(0.0, HEIGHT + 3.0 * radius, -0.1))
        .bending(sheet::bending(setup, STIFFNESS)?)
        .self_collision(true)
        .friction(friction)
        .linear_damping(DRAG);
    let tears = strain > 0.0;
    let cloth = if tears { cloth } else { cloth.mass_scaling(LOAD_STRAIN) };
    let tearing = TearSettings { max_strain: strain, max_force: f32::INFINITY, capacity: side * side };
    let cloth = if tears { cloth.tearable(tearing) } else { cloth };
    let cloth = world.add(cloth.build().map_err(|error| SceneError::Object(error.to_string()))?)?;
    let edges = sheet::edges(&world, cloth)?;
    let drape = Drape { cloth, edges, side, statue, shape, self_contacts: 0, tears };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(drape) })
}

impl Drape {
    /// Returns the distance \[m\] from the statue's surface, negative inside, and from the ground if that is less.
    fn distance(&self, x: Vec3) -> f32 {
        let nearest = self.shape.project_local_point(x, false);
        let distance = nearest.point.distance(x);
        x.y.min(if nearest.is_inside { -distance } else { distance })
    }
}

impl Observer for Drape {
    /// Tears what the frame before has overloaded.
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        if self.tears {
            tear(world, self.cloth).map_err(sheet::tear_error)?;
        }
        Ok(())
    }

    fn after_frame(&mut self, _: &World, report: &StepReport) -> Result<(), WorldError> {
        self.self_contacts = report.particle_contacts_active;
        Ok(())
    }

    /// Strains of the edges; `max_penetration_m`: how much nearer than its radius a particle is to
    /// the statue or the ground at most \[m\]; `inside`: particles in the statue or under the ground;
    /// `statue_crossings`: edges of the cloth in triangles of the statue, and the reverse; `self_crossings`: edges of the
    /// cloth in triangles of it; `self_contacts`: pairs of particles that touch; `rms_speed_m_s` \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let radius = world.settings().particle_radius;
        let distances: Vec<f32> = world.positions(self.cloth)?.map(|x| self.distance(x)).collect();
        let deepest = distances.iter().fold(0.0_f32, |deepest, &distance| deepest.max(radius - distance));
        let inside = distances.iter().filter(|&&distance| distance < 0.0).count();
        let squares = world.velocities(self.cloth)?.map(|velocity| f64::from(velocity.length_squared()));
        let cloth = cloths::mesh(world, self.cloth)?;
        let mut metrics = Strains::of(world, self.cloth, self.edges)?.metrics();
        metrics.extend([
            ("max_penetration_m", f64::from(deepest)),
            ("inside", inside as f64),
            ("statue_crossings", count_mutual_crossings(&cloth, &self.statue) as f64),
            ("self_crossings", count_crossings(&cloth.positions, &cloth.triangles) as f64),
            ("self_contacts", self.self_contacts as f64),
            ("rms_speed_m_s", (squares.sum::<f64>() / distances.len() as f64).sqrt()),
        ]);
        Ok(metrics)
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let cloth = cloths::mesh(world, self.cloth)?;
        let colors = sheet::lines(self.side, (self.side / 12).max(2), hex(0xB23A48), hex(0xE9C9A8));
        let material = Material::cloth(hex(0xB23A48)).with_back(hex(0x7A2835));
        let picture = picture.colored_mesh(&cloth, &colors, material);
        Ok(picture.mesh(&self.statue, Material::matte(hex(0xD9D4C7))).ground(0.0).rotated(30.0, 20.0))
    }
}
