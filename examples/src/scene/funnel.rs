//! Water that runs through a funnel of light cloth.

mod cone;

use glam::Vec3;
use parry3d::query::PointQuery;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::Cloth;
use xpbd_core::collide::Collider;
use xpbd_core::world::{BatchHandle, Friction, ObjectHandle, Settings, StepReport, World, WorldError};
use xpbd_fluid::Fluid;

use super::strain::Strains;
use super::{BuiltScene, FRAME, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet, solid};
use crate::mesh::Mesh;
use crate::picture::{Liquid, Material, Picture, hex};
use cone::Cone;

pub(super) const RECIPE: Recipe = Recipe {
    name: "funnel",
    summary: "water runs through a funnel of cloth that weighs a thirtieth of it and less",
    frames: 90,
    substeps: 10,
    keys: &[
        OptionKey { name: "n", default: "5000", help: "particles of water" },
        OptionKey { name: "density", default: "0.2", help: "of the cloth [kg/m²]" },
        OptionKey { name: "opening", default: "4", help: "edges from the middle to the opening; 0 for a bag" },
        OptionKey { name: "swing", default: "0", help: "way of the rim to and fro, once a second [m]" },
    ],
    takes_mesh: false,
    build,
};

/// Radius of a particle \[m\].
const RADIUS: f32 = 0.0125;
const SPACING: f32 = 2.0 * RADIUS;
/// Thickness of the cloth \[m\].
const THICKNESS: f32 = 0.008;
/// Distance from the cloth up to which the side of a particle is told \[m\].
const NEAR: f32 = 2.0 * SPACING;
/// Height of the rim above the ground \[m\].
const RIM: f32 = 0.9;
/// Half of a side of the trough, height and thickness of its walls \[m\].
const TROUGH: f32 = 0.4;
const WALL: f32 = 0.22;
const THICK: f32 = 0.03;

struct Funnel {
    water: ObjectHandle,
    cloth: ObjectHandle,
    edges: BatchHandle,
    cone: Cone,
    /// Triangles of each vertex.
    triangles_of: Vec<Vec<u32>>,
    swing: f32,
    /// The place of each particle when it was last near the cloth.
    places: Vec<Place>,
    passed: usize,
}

/// The location of a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// Near the rim or the opening, or above.
    Beyond,
    Inside,
    Outside,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let count = setup.count("n", 1, 20_000)?;
    let swing = setup.not_negative("swing")?;
    let cone = Cone::new(setup.count("opening", 0, 10)? as i32);
    let settings = Settings { particle_radius: RADIUS, contact_margin: 0.5 * RADIUS, ..setup.settings() };
    let mut world = World::new(settings)?;
    solid::floor(&mut world, 0.2)?;
    add_trough(&mut world)?;
    let mesh = cone.mesh();
    let cloth = Cloth::from_mesh(&mesh.positions, mesh.triangles.as_flattened())
        .density(setup.positive("density")?)
        .surface_collision(THICKNESS)
        .friction(Friction::new(0.1))
        .at(Vec3::Y * RIM)
        .pin(cone.rim());
    let cloth = world.add(cloth.build().map_err(|error| SceneError::Object(error.to_string()))?)?;
    let drops = cone.fill(SPACING, 0.5 * THICKNESS + RADIUS);
    let drops = drops.take(count).map(|x| x + Vec3::Y * RIM).collect();
    let water = Fluid::particles(drops).name("water").add_to_world(&mut world)?;
    let edges = sheet::edges(&world, cloth)?;
    let places = vec![Place::Beyond; count];
    let mut triangles_of = vec![Vec::new(); mesh.positions.len()];
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        triangle.iter().for_each(|&k| triangles_of[k as usize].push(number as u32));
    }
    let scene = Funnel { water, cloth, edges, cone, triangles_of, swing, places, passed: 0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

/// Adds four walls around what comes out.
fn add_trough(world: &mut World) -> Result<(), WorldError> {
    for (out, along) in [(Vec3::X, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let half = 0.5 * (THICK * out + WALL * Vec3::Y) + (TROUGH + THICK) * along;
        for side in [-1.0, 1.0] {
            let at = out * (side * (TROUGH + 0.5 * THICK)) + Vec3::Y * (0.5 * WALL);
            world.add_collider(Collider::new(SharedShape::cuboid(half.x, half.y, half.z)).at(at))?;
        }
    }
    Ok(())
}

impl Funnel {
    /// Returns how far the rim is from where it was at first, after so many frames \[m\].
    fn moved(&self, frames: u64) -> Vec3 {
        let turns = frames as f32 * FRAME;
        Vec3::X * (self.swing * 0.5 * (1.0 - libm::cosf(core::f32::consts::TAU * turns)))
    }

    /// Returns where a particle is, if it is near the cloth as it is now.
    fn place(&self, cloth: &Mesh, x: Vec3) -> Option<Place> {
        if x.y > RIM {
            return Some(Place::Beyond);
        }
        let square = |k: usize| cloth.positions[k].distance_squared(x);
        let nearest = (0..cloth.positions.len()).min_by(|&a, &b| square(a).total_cmp(&square(b)))?;
        if self.cone.is_border(nearest) {
            return Some(Place::Beyond);
        }
        let around = self.triangles_of[nearest].iter().map(|&number| {
            let [a, b, c] = cloth.triangles[number as usize].map(|k| cloth.positions[k as usize]);
            let apart = x - Triangle::new(a, b, c).project_local_point(x, false).point;
            (apart.length(), (b - a).cross(c - a).dot(apart))
        });
        let (apart, up) = around.min_by(|one, other| one.0.total_cmp(&other.0))?;
        (apart < NEAR).then_some(if up > 0.0 { Place::Inside } else { Place::Outside })
    }
}

impl Observer for Funnel {
    fn before_frame(&mut self, world: &mut World) -> Result<(), WorldError> {
        if self.swing != 0.0 {
            let moved = self.moved(world.state().frames + 1) + Vec3::Y * RIM;
            let positions = self.cone.mesh().positions;
            for k in self.cone.rim() {
                world.move_pinned(self.cloth, k as usize, positions[k as usize] + moved)?;
            }
        }
        Ok(())
    }

    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let cloth = cloths::mesh(world, self.cloth)?;
        for k in 0..self.places.len() {
            let Some(place) = self.place(&cloth, world.position(self.water, k)?) else { continue };
            let before = std::mem::replace(&mut self.places[k], place);
            self.passed += usize::from(before == Place::Inside && place == Place::Outside);
        }
        Ok(())
    }

    /// `passed`: particles that got out of the funnel through its cloth; `poured`: the part that is lower than its opening
    /// \[1\]; `max_strain`, `p99_strain`: of the edges of the cloth \[1\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let low = RIM - self.cone.depth();
        let poured = world.positions(self.water)?.filter(|x| x.y < low).count();
        let strains = Strains::of(world, self.cloth, self.edges)?;
        Ok(vec![
            ("passed", self.passed as f64),
            ("poured", poured as f64 / self.places.len() as f64),
            ("max_strain", strains.max),
            ("p99_strain", strains.p99),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let drops: Vec<Vec3> = world.positions(self.water)?.collect();
        let canvas = Material::cloth(hex(0xD9A441)).with_back(hex(0xB98730));
        let picture = picture.liquid(&drops, SPACING, Liquid::clear(hex(0x6FC3DC), 0.6)).ground(0.0);
        let picture = picture.mesh(&cloths::mesh(world, self.cloth)?, canvas);
        Ok(solid::draw(world, picture, solid::color).rotated(24.0, 20.0).without_strays(0.005))
    }
}
