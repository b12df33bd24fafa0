//! Volumes of shapes under a plane.
//!
//! A closed surface of triangles has the volume Σ a·(b × c)/6, with the corners a, b and c from any point. From a point of the
//! plane the face that the water level cuts adds nothing. The volume below is therefore the sum over the parts of the
//! triangles that are below, without that face.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{DVec3, Vec3};
use parry3d::math::Pose;
use parry3d::shape::{Ball, Shape, TypedShape};

use crate::scalar::trig;

/// The number of sides of a shape of revolution, and of segments in a quarter of a circle.
const SIDES: u32 = 32;
const QUARTER: u32 = 8;

/// The surface of a liquid.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaterLevel {
    /// A point of the surface \[m\].
    pub point: Vec3,
    /// The normal, of unit length.
    pub up: Vec3,
}

impl WaterLevel {
    /// Returns how far a point is below \[m\].
    pub fn depth(&self, x: Vec3) -> f32 {
        (self.point - x).dot(self.up)
    }
}

/// The part of a body that is below a water level.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Submerged {
    /// Volume below \[m³\].
    pub volume: f64,
    /// Volume of all \[m³\].
    pub whole: f64,
    /// Sum of volumes below times their centres \[m⁴\].
    moment: DVec3,
}

impl Submerged {
    /// Returns the centre of what is below \[m\]. That must have a volume.
    pub fn centre(&self) -> Vec3 {
        (self.moment / self.volume).as_vec3()
    }

    /// Adds a shape at a pose in the world; one without a volume adds nothing.
    pub fn add(&mut self, shape: &dyn Shape, pose: &Pose, level: WaterLevel) {
        let (vertices, triangles) = match shape.as_typed_shape() {
            TypedShape::Ball(ball) => return self.add_ball(*ball, pose, level),
            TypedShape::Compound(parts) => {
                parts.shapes().iter().for_each(|(at, part)| self.add(&**part, &(pose * at), level));
                return;
            }
            TypedShape::Cuboid(cuboid) => cuboid.to_trimesh(),
            TypedShape::ConvexPolyhedron(hull) => hull.to_trimesh(),
            TypedShape::RoundCuboid(round) => round.inner_shape.to_trimesh(),
            TypedShape::RoundConvexPolyhedron(round) => round.inner_shape.to_trimesh(),
            TypedShape::TriMesh(mesh) => (mesh.vertices().to_vec(), mesh.indices().to_vec()),
            TypedShape::Cylinder(it) => revolve(&prism(it.half_height, it.radius, it.radius)),
            TypedShape::RoundCylinder(it) => {
                let it = it.inner_shape;
                revolve(&prism(it.half_height, it.radius, it.radius))
            }
            TypedShape::Cone(it) => revolve(&prism(it.half_height, it.radius, 0.0)),
            TypedShape::RoundCone(it) => revolve(&prism(it.inner_shape.half_height, it.inner_shape.radius, 0.0)),
            TypedShape::Capsule(it) => {
                let (vertices, triangles) = revolve(&rounded(it.half_height(), it.radius));
                let turned = it.canonical_transform();
                (vertices.into_iter().map(|x| turned.transform_point(x)).collect(), triangles)
            }
            _ => return,
        };
        let below = Self::of_mesh(&vertices, &triangles, pose, level);
        // Facets in place of curved faces, and no rounded edges, leave out a part of the volume.
        let whole = f64::from(shape.mass_properties(1.0).mass());
        let scale = if below.whole > 0.0 { whole / below.whole } else { 0.0 };
        if scale.is_finite() {
            self.volume += below.volume * scale;
            self.whole += whole;
            self.moment += below.moment * scale;
        }
    }

    fn of_mesh(vertices: &[Vec3], triangles: &[[u32; 3]], pose: &Pose, level: WaterLevel) -> Self {
        let mut sum = Self::default();
        let origin = level.point.as_dvec3();
        let from_level: Vec<DVec3> = vertices.iter().map(|&x| pose.transform_point(x).as_dvec3() - origin).collect();
        let up = level.up.as_dvec3();
        for triangle in triangles {
            let corners = triangle.map(|corner| from_level[corner as usize]);
            sum.whole += signed_volume(corners);
            let below = clip(corners, up);
            for k in 2..below.len() {
                let part = [below[0], below[k - 1], below[k]];
                let volume = signed_volume(part);
                sum.volume += volume;
                sum.moment += volume * (0.25 * part.into_iter().sum::<DVec3>() + origin);
            }
        }
        sum
    }

    /// Adds the cap of a ball that is below: of the height t, V = π t² (3 r − t)/3, its centre 3 (2 r − t)²/(4 (3 r − t)) below
    /// that of the ball.
    fn add_ball(&mut self, ball: Ball, pose: &Pose, level: WaterLevel) {
        let pi = std::f64::consts::PI;
        let r = f64::from(ball.radius);
        let t = (r + f64::from(level.depth(pose.translation))).clamp(0.0, 2.0 * r);
        let volume = pi * t * t * (3.0 * r - t) / 3.0;
        let rest = 2.0 * r - t;
        let below = 3.0 * rest * rest / (4.0 * (3.0 * r - t));
        self.volume += volume;
        self.whole += pi * r * r * r * (4.0 / 3.0);
        self.moment += volume * (pose.translation.as_dvec3() - below * level.up.as_dvec3());
    }
}

fn signed_volume([a, b, c]: [DVec3; 3]) -> f64 {
    a.dot(b.cross(c)) / 6.0
}

/// Returns the corners of the part of a triangle that is below the plane through the origin across `up`.
fn clip(corners: [DVec3; 3], up: DVec3) -> Vec<DVec3> {
    let mut below = Vec::with_capacity(4);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let (height, next) = (a.dot(up), b.dot(up));
        if height <= 0.0 {
            below.push(a);
        }
        if (height < 0.0 && next > 0.0) || (height > 0.0 && next < 0.0) {
            below.push(a + (b - a) * (height / (height - next)));
        }
    }
    below
}

/// Returns the profile of a cylinder or a cone: heights and radii \[m\] from the bottom to the top.
fn prism(half_height: f32, bottom: f32, top: f32) -> [[f32; 2]; 4] {
    [[-half_height, 0.0], [-half_height, bottom], [half_height, top], [half_height, 0.0]]
}

/// Returns the profile of a capsule along y.
fn rounded(half_height: f32, radius: f32) -> Vec<[f32; 2]> {
    let quarter = |end: f32, k: u32| {
        let angle = FRAC_PI_2 * k as f32 / QUARTER as f32;
        [end * (half_height + radius * trig::sin(angle)), radius * trig::cos(angle)]
    };
    (0..=QUARTER).rev().map(|k| quarter(-1.0, k)).chain((0..=QUARTER).map(|k| quarter(1.0, k))).collect()
}

/// Returns the closed mesh of a profile that is rotated about y.
fn revolve(profile: &[[f32; 2]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let ring = |&[height, radius]: &[f32; 2]| {
        (0..SIDES).map(move |k| {
            let angle = TAU * k as f32 / SIDES as f32;
            Vec3::new(radius * trig::sin(angle), height, radius * trig::cos(angle))
        })
    };
    let vertices = profile.iter().flat_map(ring).collect();
    let mut triangles = Vec::new();
    for row in 1..profile.len() as u32 {
        for k in 0..SIDES {
            let (low, high, next) = ((row - 1) * SIDES, row * SIDES, (k + 1) % SIDES);
            triangles.push([low + k, low + next, high + next]);
            triangles.push([low + k, high + next, high + k]);
        }
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use parry3d::shape::SharedShape;

    use super::*;

    const PI: f64 = std::f64::consts::PI;

    fn submerged(shape: &SharedShape, pose: Pose, height: f32) -> Submerged {
        let mut sum = Submerged::default();
        sum.add(&**shape, &pose, WaterLevel { point: Vec3::new(3.0, height, -2.0), up: Vec3::Y });
        sum
    }

    #[test]
    fn a_box_that_stands_on_an_edge_has_the_volume_of_a_prism_below() {
        let turned = glam::Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
        let pose = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), turned);
        let shape = SharedShape::cuboid(0.5, 0.5, 2.0);
        // The edge is √½ below the centre; to a height t above it the cut is a triangle of the area t².
        let t = 0.4;
        let found = submerged(&shape, pose, 2.0 - 0.5f32.sqrt() + t);
        assert!((found.volume - 4.0 * 0.16).abs() < 1e-5, "{found:?}");
        assert!((found.whole - 4.0).abs() < 1e-5);
        let centre = Vec3::new(1.0, 2.0 - 0.5f32.sqrt() + t * 2.0 / 3.0, 3.0);
        assert!(found.centre().distance(centre) < 1e-5, "{} {centre}", found.centre());
        assert_eq!(submerged(&shape, pose, 1.2).volume, 0.0);
        assert!((submerged(&shape, pose, 9.0).volume - 4.0).abs() < 1e-5);
    }

    #[test]
    fn shapes_of_revolution_have_their_volumes_below() {
        let up = Pose::from_translation(Vec3::new(0.0, 1.0, 0.0));
        // A quarter of a cylinder, a cone filled to half of its height, and a capsule to the start of its upper cap.
        let (r, h) = (0.3, 0.5);
        let expected = [
            (SharedShape::cylinder(h, r), 0.75, PI * 0.09 * 0.25, 0.625),
            (SharedShape::cone(h, r), 1.0, PI * 0.09 / 3.0 * (1.0 - 0.125), 0.0),
            (SharedShape::capsule_y(h, r), 1.0 + h, PI * 0.09 + PI * 0.027 * (2.0 / 3.0), 0.0),
            (SharedShape::ball(r), 1.0, PI * 0.027 * (2.0 / 3.0), 1.0 - 0.3 * 3.0 / 8.0),
        ];
        for (shape, height, volume, centre) in expected {
            let found = submerged(&shape, up, height);
            // The facets of the caps are scaled as a whole, which shares out their error.
            assert!((found.volume / volume - 1.0).abs() < 2e-3, "{:?}: {found:?} {volume}", shape.shape_type());
            if centre != 0.0 {
                assert!((f64::from(found.centre().y) - f64::from(centre as f32)).abs() < 1e-4, "{}", found.centre());
            }
        }
    }

    #[test]
    fn a_compound_is_the_sum_of_its_parts_and_a_plane_has_no_volume() {
        let part = SharedShape::cuboid(0.5, 0.5, 0.5);
        let at = |x: f32| (Pose::from_translation(Vec3::new(x, 0.0, 0.0)), part.clone());
        let found = submerged(&SharedShape::compound(vec![at(0.0), at(2.0)]), Pose::IDENTITY, 0.25);
        assert!((found.volume - 1.5).abs() < 1e-6 && found.centre().distance(Vec3::new(1.0, -0.125, 0.0)) < 1e-6);
        assert_eq!(submerged(&SharedShape::halfspace(Vec3::Y), Pose::IDENTITY, 0.25).whole, 0.0);
    }
}
