//! A cloth sewn to a soft body above and to a hanging crate below.

use glam::{Affine3A, Quat, Vec3};
use parry3d::math::Pose;
use parry3d::shape::Cuboid;
use xpbd_cloth::constraint::Attachment;
use xpbd_cloth::{Cloth, attach};
use xpbd_core::batch::Batch;
use xpbd_core::world::{BodyHandle, CollisionLayers, Object, ObjectHandle, Settings, StepReport, World, WorldError};
use xpbd_rigid::Cluster;

use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, solid};
use crate::picture::{Material, Picture, hex};

/// Half extents of the soft body \[m\], the distance of its particles \[m\] and where its middle is \[m\].
const SOFT: Vec3 = Vec3::new(0.4, 0.1, 0.1);
const SPACING: f32 = 0.05;
const HEIGHT: f32 = 2.0;
/// Density \[kg/m³\] and compliance \[m/N\] of the gas.
const DENSITY: f32 = 300.0;
const COMPLIANCE: f32 = 2e-3;
/// Length of the cloth \[m\].
const LENGTH: f32 = 0.8;
/// Half height and depth of the crate \[m\], and its mass \[kg\].
const CRATE: (f32, f32) = (0.1, 2.0);

pub(super) const RECIPE: Recipe = Recipe {
    name: "sew",
    summary: "a cloth is sewn to a soft body and to a crate that hangs from it",
    frames: 240,
    substeps: 20,
    keys: &[OptionKey { name: "push", default: "1.5", help: "with which the crate swings off [m/s]" }],
    takes_mesh: false,
    build,
};

struct Sew {
    soft: ObjectHandle,
    cloth: ObjectHandle,
    hung: BodyHandle,
    /// Pairs of particles of cloth and soft body, and particles of the cloth with points of the crate.
    upper: Vec<[usize; 2]>,
    lower: Vec<(u32, Vec3)>,
    widest: f64,
}

/// Returns the soft body, its top particles pinned, and its lowest row in the middle: places in the order of x.
fn soft_body() -> Result<(Object, Vec<(u32, Vec3)>), SceneError> {
    let cluster =
        Cluster::from_shape(&Cuboid::new(SOFT), SPACING).density(DENSITY).overlapping(2.0 * SPACING, 2.0 * SPACING);
    let mut object = cluster.compliance(COMPLIANCE).at(Pose::from_translation(Vec3::Y * HEIGHT)).build()?;
    let places: Vec<(u32, Vec3)> = (0..).zip(object.positions.iter().copied()).collect();
    let highest = places.iter().map(|(_, x)| x.y).fold(f32::MIN, f32::max);
    let lowest = places.iter().map(|(_, x)| x.y).fold(f32::MAX, f32::min);
    object.pins = places.iter().filter(|(_, x)| x.y > highest - 0.1 * SPACING).map(|&(k, _)| k).collect();
    let row = places.iter().filter(|(_, x)| x.y < lowest + 0.1 * SPACING);
    let middle = row.clone().map(|(_, x)| x.z).fold(f32::MAX, |best, z| if z.abs() < best.abs() { z } else { best });
    let mut row: Vec<_> = row.filter(|(_, x)| (x.z - middle).abs() < 0.1 * SPACING).copied().collect();
    row.sort_by(|(_, a), (_, b)| a.x.total_cmp(&b.x));
    Ok((object, row))
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let push = setup.number("push", "finite", f32::is_finite)?;
    let radius = 0.5 * SPACING;
    let mut world = World::new(Settings { particle_radius: radius, contact_margin: radius, ..setup.settings() })?;
    xpbd_rigid::register(world.registry_mut())?;
    let (object, row) = soft_body()?;
    let soft = world.add(object)?;
    let columns = row.len() as u32;
    let (first, last) = (row[0].1, row[row.len() - 1].1);
    let rows = (LENGTH / SPACING) as u32 + 1;
    let upright = Affine3A::from_quat(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    let cloth = Cloth::grid(columns, rows, last.x - first.x, LENGTH).transform(upright);
    let cloth = cloth.at(0.5 * (first + last) - Vec3::Y * (0.5 * LENGTH)).density(0.3).linear_damping(0.5).build();
    let mut cloth = cloth.map_err(|error| SceneError::Object(error.to_string()))?;
    // What is sewn together does not keep its distance.
    cloth.collision_layers = CollisionLayers { memberships: 0, filters: 0, self_collision: false };
    let places = cloth.positions.clone();
    let cloth = world.add(cloth)?;

    let (half, mass) = CRATE;
    let middle = 0.5 * (first + last) - Vec3::Y * (LENGTH + half);
    let extents = Vec3::new(0.5 * (last.x - first.x), half, half);
    let hung = solid::block(&mut world, Pose::from_translation(middle), extents, mass, 0.5)?;
    world.edit_body(hung, |body| body.velocity = Vec3::Z * push)?;

    let upper: Vec<[u32; 2]> = row.iter().zip(0..).map(|(&(particle, _), column)| [column, particle]).collect();
    let apart: Vec<[u32; 2]> = upper.iter().map(|&[a, b]| [a, places.len() as u32 + b]).collect();
    world.add_batch(&[cloth, soft], &[], Batch::new(Attachment, &apart, &vec![[]; apart.len()])?)?;
    let lower: Vec<(u32, Vec3)> =
        ((rows - 1) * columns..rows * columns).map(|k| (k, places[k as usize] - middle)).collect();
    world.add_batch(&[cloth], &[hung], attach(&lower)?)?;
    let upper = upper.iter().map(|pair| pair.map(|k| k as usize)).collect();
    let observer = Sew { soft, cloth, hung, upper, lower, widest: 0.0 };
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(observer) })
}

impl Sew {
    /// Returns the widest gap of the seams \[m\].
    fn gap(&self, world: &World) -> Result<f64, WorldError> {
        let mut gap = 0.0_f32;
        for &[a, b] in &self.upper {
            gap = gap.max(world.position(self.cloth, a)?.distance(world.position(self.soft, b)?));
        }
        let pose = world.body_pose(self.hung)?;
        for &(particle, point) in &self.lower {
            gap = gap.max(world.position(self.cloth, particle as usize)?.distance(pose * point));
        }
        Ok(f64::from(gap))
    }
}

impl Observer for Sew {
    fn after_frame(&mut self, world: &World, _: &StepReport) -> Result<(), WorldError> {
        self.widest = self.widest.max(self.gap(world)?);
        Ok(())
    }

    /// `seam_m`: the widest gap of the seams in any frame \[m\]; `crate_m`: height of the middle of the crate \[m\];
    /// `sag_m`: how far the soft body has been pulled down where it is sewn \[m\]; `speed_m_s`: of the crate \[m/s\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let body = world.body(self.hung)?;
        let mut sag = 0.0;
        for &[_, b] in &self.upper {
            sag += f64::from(HEIGHT - SOFT.y + 0.5 * SPACING - world.position(self.soft, b)?.y);
        }
        Ok(vec![
            ("seam_m", self.widest),
            ("crate_m", f64::from(body.pose.translation.y)),
            ("sag_m", sag / self.upper.len() as f64),
            ("speed_m_s", f64::from(body.velocity.length())),
        ])
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = cloths::mesh(world, self.cloth)?;
        let soft: Vec<Vec3> = world.positions(self.soft)?.collect();
        let picture = picture.mesh(&mesh, Material::cloth(hex(0x2F6B8A)).with_back(hex(0x234F66)));
        let picture = picture.spheres(&soft, 0.5 * SPACING, Material::matte(hex(0x5B8E7D)));
        Ok(solid::draw(world, picture, |_| hex(0xC98F4E)).rotated(30.0, 12.0))
    }
}
