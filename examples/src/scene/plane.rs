//! A paper plane that is thrown and glides.
//!
//! A delta wing of stiff cloth in still air: nothing holds it up but the [air](xpbd_cloth::Air) on its
//! triangles. Folds at the nose bring its centre of mass before the middle of its area, which makes it
//! stable; the tail, bent up, keeps the nose from falling; wings that rise to the tips keep it level.

use glam::Vec3;
use xpbd_cloth::{Air, Bending, Cloth};
use xpbd_core::world::{ObjectHandle, StepReport, World, WorldError};

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup};
use crate::mesh::Mesh;
use crate::picture::{Material, Picture, hex};

/// Length and half the span \[m\].
const LENGTH: f32 = 0.28;
const HALF_SPAN: f32 = 0.11;
/// Rows of vertices from nose to tail.
const ROWS: u32 = 7;
/// Slope of the wings outwards, and of the tail backwards \[1\].
const RISE: f32 = 0.15;
/// The part of the length from which the tail is bent up \[1\].
const TAIL: f32 = 0.8;
/// Mass for each area \[kg/m²\]: two layers of paper; and what is folded up at the nose, as a part of all.
const PAPER: f32 = 0.16;
const NOSE: f32 = 0.2;
/// Bending stiffness \[N m\] of folded paper.
const STIFFNESS: f32 = 0.05;
/// Height at which it is released, with its nose at x = 0 \[m\].
const HEIGHT: f32 = 2.0;

pub(super) const RECIPE: Recipe = Recipe {
    name: "plane",
    summary: "a paper plane is thrown and glides",
    frames: 150,
    substeps: 20,
    keys: &[
        OptionKey { name: "speed", default: "5", help: "with which it is thrown [m/s]" },
        OptionKey { name: "tail", default: "0.05", help: "how far the tail is bent up, its slope over two" },
    ],
    takes_mesh: false,
    build,
};

struct Plane {
    plane: ObjectHandle,
    triangles: Vec<[u32; 3]>,
    masses: Vec<f32>,
    start: Vec3,
    /// Last position above the floor.
    last: Vec3,
    /// The vertices in every twelfth frame, to show the way.
    shapes: Vec<Vec<Vec3>>,
}

/// Returns the vertex of a row in a column, from −row to row.
fn vertex(row: u32, column: i32) -> u32 {
    row * row + (column + row as i32) as u32
}

/// Row r has 2 r + 1 vertices; the triangles are alike on both sides and face up.
fn wing(tail: f32) -> Mesh {
    let columns = |row: u32| -(row as i32)..=row as i32;
    let last = (ROWS - 1) as f32;
    let place = |row: u32, column: i32| {
        let (back, out) = (row as f32 / last, HALF_SPAN * column as f32 / last);
        let bent = 2.0 * tail * LENGTH * (back - TAIL).max(0.0);
        Vec3::new(-back * LENGTH, RISE * out.abs() + bent, out)
    };
    let positions = (0..ROWS).flat_map(|row| columns(row).map(move |column| place(row, column))).collect();
    let mut triangles = Vec::new();
    for row in 0..ROWS - 1 {
        for column in columns(row) {
            let at = vertex(row, column);
            let [left, behind, right] = [-1, 0, 1].map(|side| vertex(row + 1, column + side));
            if column <= 0 {
                triangles.push([at, left, behind]);
            }
            if column >= 0 {
                triangles.push([at, behind, right]);
            }
            if column < 0 {
                triangles.push([at, behind, at + 1]);
            }
            if column > 0 {
                triangles.push([at, at - 1, behind]);
            }
        }
    }
    Mesh { positions, triangles }
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let speed = setup.number("speed", "finite and positive", |value| value > 0.0 && value.is_finite())?;
    let tail = setup.number("tail", "from -1 to 1", |value| (-1.0..=1.0).contains(&value))?;
    let Mesh { positions, triangles } = wing(tail);
    let air = Air { lift_slope: 3.0, edge_drag_coefficient: 0.01, ..Air::default() };
    let cloth = Cloth::from_mesh(&positions, triangles.as_flattened()).at(Vec3::Y * HEIGHT).density(PAPER).air(air);
    let object = cloth.bending(Bending::Dihedral { stiffness: STIFFNESS }).build();
    let mut object = object.map_err(|error| SceneError::Object(error.to_string()))?.velocity(Vec3::X * speed);
    object.masses[0] += NOSE * object.masses.iter().sum::<f32>();
    let masses = object.masses.clone();
    let mut world = World::new(setup.settings())?;
    let plane = world.add(object)?;
    let mut scene = Plane { plane, triangles, masses, start: Vec3::ZERO, last: Vec3::ZERO, shapes: Vec::new() };
    scene.start = scene.centre(&world)?;
    scene.last = scene.start;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(scene) })
}

impl Plane {
    /// Returns its centre of mass \[m\].
    fn centre(&self, world: &World) -> Result<Vec3, WorldError> {
        let weighted = world.positions(self.plane)?.zip(&self.masses).map(|(x, &mass)| x * mass);
        Ok(weighted.sum::<Vec3>() / self.masses.iter().sum::<f32>())
    }
}

impl Observer for Plane {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        let centre = self.centre(world)?;
        if centre.y > 0.0 {
            self.last = centre;
        }
        if world.state().frames.is_multiple_of(12) {
            self.shapes.push(world.positions(self.plane)?.collect());
        }
        Ok(())
    }

    /// `distance_m`: how far it has come above the floor \[m\]; `glide_ratio`: that over the height it has lost
    /// \[1\]; `aside_m`: how far from its course \[m\]; `speed_m_s`: how fast it is \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let way = self.last - self.start;
        let momentum = world.velocities(self.plane)?.zip(&self.masses).map(|(v, &mass)| v * mass).sum::<Vec3>();
        let speed = momentum.length() / self.masses.iter().sum::<f32>();
        Ok(vec![
            ("distance_m", f64::from(way.x)),
            ("glide_ratio", f64::from(way.x / (-way.y).max(f32::MIN_POSITIVE))),
            ("aside_m", f64::from(way.z.abs())),
            ("speed_m_s", f64::from(speed)),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let now = world.positions(self.plane)?.collect();
        let mut picture = picture.rotated(35.0, 25.0);
        for (k, positions) in self.shapes.iter().rev().take(6).rev().chain([&now]).enumerate() {
            let color = if k == 6 { hex(0xF2EBDD) } else { hex(0x6F8FB0) };
            let mesh = Mesh { positions: positions.clone(), triangles: self.triangles.clone() };
            picture = picture.mesh(&mesh, Material::matte(color).with_back(color));
        }
        Ok(picture)
    }
}
