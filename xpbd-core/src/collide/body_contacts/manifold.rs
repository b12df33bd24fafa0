//! Where two colliders may touch in a frame, by parry's manifolds.

use glam::{Vec2, Vec3, Vec3Swizzles};
use parry3d::math::Pose;
use parry3d::query::{ContactManifold, ContactManifoldsWorkspace};
use parry3d::shape::{Cone, Shape, TypedShape};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::back_faces::remove_back_faces;
use super::box_manifold::box_manifold;
use super::internal_edges::{merge_faces, remove_internal_edges};
use super::shape_manifold::{ContactPoint, ShapeManifold};
use super::shape_pairs::contact_manifolds;
use crate::collide::body_contact::MANIFOLD_POINTS;

/// The points at which two shapes may touch, in the local frames of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Manifold {
    /// Number of points; the entries behind them are in their middle.
    pub count: usize,
    /// For each shape its points, or where it is round those of its core \[m\].
    pub cores: [[Vec3; MANIFOLD_POINTS]; 2],
    /// For each shape the distance of its surface from each point of its core \[m\].
    pub round: [[f32; MANIFOLD_POINTS]; 2],
    /// Outward normal of the second shape, in the frame of the first.
    pub normal: Vec3,
    /// Overlap at each point \[m\]; negative where the surfaces do not touch.
    pub overlaps: [f32; MANIFOLD_POINTS],
    /// For each shape, whether the other one lies on a face of it.
    pub on_face: [bool; 2],
}

/// A search for manifolds, with its working memory.
#[derive(Default)]
pub struct ManifoldSearch {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl ManifoldSearch {
    /// Appends the manifolds of two shapes with points nearer than `reach` \[m\]; `between` is the pose of the
    /// second in the frame of the first.
    pub fn manifolds(
        &mut self,
        shapes: [&dyn Shape; 2],
        between: &Pose,
        (reach, slop): (f32, f32),
        out: &mut impl Extend<Manifold>,
    ) {
        if let [TypedShape::Cuboid(a), TypedShape::Cuboid(b)] = shapes.map(Shape::as_typed_shape) {
            out.extend(box_manifold([a, b], between, reach).map(|found| Manifold::of(&found, shapes)));
            return;
        }
        // What was found before would be kept where shapes have hardly moved: contacts would depend
        // on the past.
        self.manifolds.clear();
        self.workspace = None;
        contact_manifolds(shapes, between, reach, &mut self.manifolds, &mut self.workspace);
        let mut found: Vec<_> = self.manifolds.iter().filter_map(|found| ShapeManifold::new(found, reach)).collect();
        remove_back_faces(shapes, &mut found);
        if found.len() > 1 {
            for side in [0, 1] {
                remove_internal_edges(shapes[side], side, slop, &mut found);
                merge_faces(shapes[side], side, slop, &mut found);
            }
        }
        out.extend(found.iter().map(|candidate| Manifold::of(candidate, shapes)));
    }
}

impl Manifold {
    /// Returns whether all numbers can be those of a search.
    pub fn is_valid(&self) -> bool {
        let finite = self.cores.iter().flatten().chain([&self.normal]).all(|v| v.is_finite());
        let round = self.round.iter().flatten().chain(&self.overlaps).all(|x| x.is_finite());
        finite && round && (1..=MANIFOLD_POINTS).contains(&self.count)
    }

    /// Returns the largest overlap of any point where the shapes were searched \[m\].
    pub fn overlap(&self) -> f32 {
        self.overlaps.into_iter().fold(f32::MIN, f32::max)
    }

    /// Returns how far points that were opposite each other have slid apart \[m\], and the largest overlap of any \[m\], at
    /// this pose of the second shape in the frame of the first.
    pub fn moved(&self, between: &Pose) -> (f32, f32) {
        let (mut slip, mut overlap) = (0.0_f32, f32::NEG_INFINITY);
        for k in 0..self.count {
            let way = self.cores[0][k] - between.transform_point(self.cores[1][k]);
            let along = way.dot(self.normal);
            slip = slip.max((way - self.normal * along).length_squared());
            overlap = overlap.max(self.round[0][k] + self.round[1][k] - along);
        }
        (slip.sqrt(), overlap)
    }

    fn of(ShapeManifold { points, normals, pieces, on_face }: &ShapeManifold, shapes: [&dyn Shape; 2]) -> Self {
        let kept = kept(points, normals[0]);
        let middle = |side: usize| kept.iter().map(|&k| points[k].0[side]).sum::<Vec3>() / kept.len() as f32;
        let points_of =
            [0, 1].map(|side| [0, 1, 2, 3].map(|k| kept.get(k).map_or_else(|| middle(side), |&k| points[k].0[side])));
        let round =
            [0, 1].map(|side| points_of[side].map(|point| roundness(shapes[side], pieces[side], point, normals[side])));
        let cores = [0, 1].map(|side| [0, 1, 2, 3].map(|k| points_of[side][k] - normals[side] * round[side][k]));
        let overlaps = [0, 1, 2, 3].map(|k| points[kept[if k < kept.len() { k } else { 0 }]].1);
        Self { count: kept.len(), cores, round, normal: -normals[0], overlaps, on_face: *on_face }
    }
}

/// Largest difference between a unit normal and those of the side of a cylinder or a cone that touches with this side, along
/// its axis \[1\]: its core is a line then, but for a thousandth of its radius.
const LARGEST_TILT: f32 = 0.05;

/// Returns the radius of a round shape around its core at a point of its surface with this outward normal, of a compound
/// that of this piece \[m\]. Contact points are held on the core: they stay where they are when it rolls.
fn roundness(shape: &dyn Shape, piece: u32, point: Vec3, normal: Vec3) -> f32 {
    // The side of a cone, or of a cylinder as one without a slope, touches spheres with centres on its axis.
    let of_side = |slope: f32, border: f32| {
        let [from_axis, outward] = [point - normal * border, normal].map(|v| v.xz().length());
        let is_side = (normal.y - slope).abs() < LARGEST_TILT && outward > LARGEST_TILT;
        if is_side { border + from_axis / outward } else { 0.0 }
    };
    let slope = |cone: &Cone| cone.radius / Vec2::new(cone.radius, 2.0 * cone.half_height).length();
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => ball.radius,
        TypedShape::Capsule(capsule) => capsule.radius,
        TypedShape::Cylinder(_) => of_side(0.0, 0.0),
        TypedShape::RoundCylinder(cylinder) => of_side(0.0, cylinder.border_radius),
        TypedShape::Cone(cone) => of_side(slope(cone), 0.0),
        TypedShape::RoundCone(cone) => of_side(slope(&cone.inner_shape), cone.border_radius),
        TypedShape::Compound(compound) => compound.shapes().get(piece as usize).map_or(0.0, |(pose, part)| {
            roundness(part.as_ref(), 0, pose.inverse_transform_point(point), pose.rotation.inverse() * normal)
        }),
        _ => 0.0,
    }
}

/// Depth that a point nearer to the middle of a manifold needs, to be kept before one at its rim, as a part of their
/// difference in distance \[1\]: on faces that lie flat on each other rounding decides which point is the deepest.
const RIM: f32 = 0.01;

/// Returns the points to keep: all of a few, else the deepest towards the rim, the one farthest from it, the one farthest
/// from their line, and the one farthest on its other side.
fn kept(points: &[ContactPoint], normal: Vec3) -> SmallVec<[usize; MANIFOLD_POINTS]> {
    if points.len() <= MANIFOLD_POINTS {
        return (0..points.len()).collect();
    }
    let at = |k: usize| points[k].0[0];
    let best = |score: &dyn Fn(usize) -> f32| {
        (0..points.len()).fold(0, |best, k| if score(k) > score(best) { k } else { best })
    };
    let middle = (0..points.len()).map(at).sum::<Vec3>() / points.len() as f32;
    let first = best(&|k| points[k].1 + RIM * at(k).distance(middle));
    let second = best(&|k| at(k).distance_squared(at(first)));
    let side = |k: usize| normal.dot((at(second) - at(first)).cross(at(k) - at(first)));
    let mut kept = SmallVec::from_slice(&[first, second, best(&side), best(&|k| -side(k))]);
    kept.sort_unstable();
    kept.dedup();
    kept
}
