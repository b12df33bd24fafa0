//! Checks of plates: strips of a solid material that are bent, pulled and rotated, on several kinds of meshes.

use glam::{Quat, Vec3};
use xpbd_cloth::{Cloth, Plate};
use xpbd_core::world::ObjectHandle;

use super::lab::{Lab, built, weightless};
use super::{Check, Outcome, Row};
use crate::device::Device;
use crate::random::Random;
use crate::scene::{Options, Recipe, SceneError};

pub(super) const ROWS: &[Row] = rows![
    cantilever,
    irregular_cantilever,
    stretch,
    contraction,
    irregular_stretch,
    irregular_contraction,
    rotated_rest
];

/// Young's modulus \[Pa\], Poisson ratio, thickness \[m\] and mass for each area \[kg/m²\].
const YOUNG: f32 = 2e7;
const POISSON: f32 = 0.3;
const THICKNESS: f32 = 0.02;
const DENSITY: f32 = 20.0;
const PLATE: Plate = Plate { youngs_modulus: YOUNG, poisson_ratio: POISSON, thickness: THICKNESS };

/// The softer one that is pulled, in which waves are slow.
const PULLED: Plate = Plate { youngs_modulus: 1e6, poisson_ratio: POISSON, thickness: 1e-3 };

/// Squares across a strip and along it, and their side \[m\].
const ACROSS: u32 = 6;
const ALONG: u32 = 24;
const SQUARE: f32 = 1.0 / 24.0;
const WIDTH: f32 = SQUARE * ACROSS as f32;

/// The division of the squares of a strip into triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Division {
    /// Diagonals alternate, as in [`Cloth::grid`].
    Crossed,
    /// Diagonals have random directions, and their vertices are moved by up to a fifth of their side but for
    /// those at both ends.
    Irregular,
}

/// Returns a strip along x from 0.
fn strip(division: Division) -> Cloth {
    if division == Division::Crossed {
        let size = SQUARE * ALONG as f32;
        return Cloth::grid(ALONG + 1, ACROSS + 1, size, WIDTH).at(Vec3::X * (0.5 * size));
    }
    let mut random = Random::new(11);
    let mut positions = Vec::new();
    for (row, column) in (0..=ACROSS).flat_map(|row| (0..=ALONG).map(move |column| (row, column))) {
        let (inner_row, inner_column) = ((1..ACROSS).contains(&row), (2..ALONG - 1).contains(&column));
        let [x, z] =
            [inner_column, inner_row && inner_column].map(|moves| if moves { 0.2 * random.signed() } else { 0.0 });
        let place = Vec3::new(column as f32 + x, 0.0, row as f32 + z - 0.5 * ACROSS as f32);
        positions.push(place * SQUARE);
    }
    let mut indices = Vec::new();
    for (row, column) in (0..ACROSS).flat_map(|row| (0..ALONG).map(move |column| (row, column))) {
        let a = row * (ALONG + 1) + column;
        let (b, c, d) = (a + 1, a + ALONG + 1, a + ALONG + 2);
        indices.extend(if random.signed() < 0.0 { [a, c, d, a, d, b] } else { [a, c, b, b, c, d] });
    }
    Cloth::from_mesh(&positions, &indices)
}

/// A loaded strip: forces act on its end, x = 1 m.
struct Loaded {
    lab: Lab,
    object: ObjectHandle,
    /// Positions at rest, from 0 along x.
    rest: Vec<Vec3>,
}

impl Loaded {
    /// What is left of `held` \[m\] is pinned.
    fn new(device: &Device, cloth: Cloth, [substeps, iterations]: [u32; 2], held: f32) -> Result<Self, SceneError> {
        let object = built(cloth.density(DENSITY).pin_where(|_, x| x.x < held).tethers(false).build())?;
        let rest = object.positions.clone();
        let mut lab = Lab::new(device, weightless(substeps, iterations))?;
        let object = lab.world.add(object)?;
        Ok(Self { lab, object, rest })
    }

    fn load(&mut self, force: Vec3, frames: u32) -> Result<(), SceneError> {
        let end: Vec<_> = (0..self.rest.len()).filter(|&k| self.rest[k].x > 0.999).collect();
        for _ in 0..frames {
            for &k in &end {
                let corner = (self.rest[k].z.abs() - 0.5 * WIDTH).abs() < 1e-4;
                let share = if corner { 0.5 } else { 1.0 } / ACROSS as f32;
                self.lab.world.add_force(self.object, k, force * share)?;
            }
            self.lab.step()?;
        }
        Ok(())
    }

    /// Returns the slope of a coordinate of the displacement over one at rest by least squares, of vertices for which a
    /// predicate holds \[1\].
    fn slope(&self, axis: usize, holds: impl Fn(Vec3) -> bool) -> Result<f64, SceneError> {
        let now: Vec<_> = self.lab.world.positions(self.object)?.collect();
        let of = |k: usize| (f64::from(self.rest[k][axis]), f64::from(now[k][axis] - self.rest[k][axis]));
        let points: Vec<_> = (0..now.len()).filter(|&k| holds(self.rest[k])).map(of).collect();
        let count = points.len() as f64;
        let [mean, way] = points.iter().fold([0.0; 2], |[a, b], (x, d)| [a + x / count, b + d / count]);
        let [top, bottom] =
            points.iter().fold([0.0; 2], |[a, b], (x, d)| [a + (x - mean) * (d - way), b + (x - mean) * (x - mean)]);
        Ok(top / bottom)
    }
}

/// Compares with P L³/(3 E I) with I = b t³/12, on crossed squares.
pub fn cantilever(device: &Device) -> Outcome {
    let mut scene = Recipe::find("cantilever")?.build(&Options::default().with("kind", "plate"))?;
    scene.run(&mut device.stepper())?;
    Check::at_most("plate: deflection of a cantilever, off / P L³/(3 E I) [1]", 0.1, scene.metric("tip_error_ratio")?)
}

/// Compares with the same on an irregular mesh, from between the first two columns to the end.
pub fn irregular_cantilever(device: &Device) -> Outcome {
    let (length, sag) = (1.0 - 0.5 * SQUARE, 0.03);
    let inertia = WIDTH * THICKNESS * THICKNESS * THICKNESS / 12.0;
    let force = 3.0 * YOUNG * inertia * sag / (length * length * length);
    let mut plate =
        Loaded::new(device, strip(Division::Irregular).plate(PLATE).linear_damping(4.5), [60, 1], 1.1 * SQUARE)?;
    plate.load(Vec3::NEG_Y * force, 150)?;
    let tips: Vec<_> =
        plate.lab.world.positions(plate.object)?.zip(&plate.rest).filter(|(_, rest)| rest.x > 0.999).collect();
    let tip = tips.iter().map(|(x, _)| -f64::from(x.y)).sum::<f64>() / tips.len() as f64;
    Check::relative("plate of irregular triangles: deflection of a cantilever [m]", f64::from(sag), tip, 0.1)
}

/// Pull over E A \[1\].
const STRAIN: f32 = 2e-3;

/// Returns the strain along and across the middle half of a strip that is pulled: there the stress is uniform.
fn pulled(device: &Device, division: Division) -> Result<[f64; 2], SceneError> {
    let mut plate = Loaded::new(device, strip(division).plate(PULLED).linear_damping(18.0), [10, 10], 0.1 * SQUARE)?;
    plate.load(Vec3::X * (STRAIN * PULLED.youngs_modulus * PULLED.thickness * WIDTH), 45)?;
    let middle = |x: Vec3| (0.25..0.75).contains(&x.x);
    Ok([plate.slope(0, middle)?, -plate.slope(2, middle)?])
}

/// Compares with F/(E A).
pub fn stretch(device: &Device) -> Outcome {
    Check::relative("plate: strain of a strip [1]", f64::from(STRAIN), pulled(device, Division::Crossed)?[0], 0.02)
}

/// Compares with ν ΔL/L.
pub fn contraction(device: &Device) -> Outcome {
    let [along, across] = pulled(device, Division::Crossed)?;
    Check::relative("plate: contraction of a strip [1]", f64::from(POISSON) * along, across, 0.1)
}

/// Compares with F/(E A) on an irregular mesh.
pub fn irregular_stretch(device: &Device) -> Outcome {
    let [along, _] = pulled(device, Division::Irregular)?;
    Check::relative("plate of irregular triangles: strain of a strip [1]", f64::from(STRAIN), along, 0.02)
}

/// Compares with ν ΔL/L on an irregular mesh.
pub fn irregular_contraction(device: &Device) -> Outcome {
    let [along, across] = pulled(device, Division::Irregular)?;
    Check::relative("plate of irregular triangles: contraction [1]", f64::from(POISSON) * along, across, 0.1)
}

/// Measures the largest motion of a vertex in a frame of a rotated plate and a rotated shell at rest, relative to their
/// size of 1 m.
pub fn rotated_rest(device: &Device) -> Outcome {
    let shape = crate::mesh::ball(0.5, 2);
    let shell = Cloth::from_mesh(&shape.positions, shape.triangles.as_flattened());
    let mut farthest = 0.0_f32;
    for cloth in [strip(Division::Crossed), strip(Division::Irregular), shell] {
        let mut object = built(cloth.plate(PLATE).density(DENSITY).build())?;
        let turn = Quat::from_xyzw(0.3, -0.5, 0.2, 0.7).normalize();
        object.positions.iter_mut().for_each(|x| *x = turn * *x);
        let start = object.positions.clone();
        let mut lab = Lab::new(device, weightless(20, 1))?;
        let handle = lab.world.add(object)?;
        lab.step()?;
        let ways = lab.world.positions(handle)?.zip(start).map(|(now, start)| now.distance(start));
        farthest = ways.fold(farthest, f32::max);
    }
    Check::at_most("plates and shells at rest, turned: motion in a frame / size [1]", 1e-6, f64::from(farthest))
}
