//! Corners and edges of a shape, which touch the triangles of surfaces where no vertex of them is.
//!
//! A ball is a corner with a radius, a capsule an edge with one, a box has 8 corners and 12 edges. Of a mesh or a height field
//! the convex edges count, and both sides of a mesh that is open. Curved sides of cylinders and cones have the edges of an
//! inscribed prism. Faces are left to the vertices of surfaces, which meet them as particles.

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::ops::Range;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{ConvexPolyhedron, Shape, TypedShape};

use crate::scalar::trig;

/// Number of corners of the rim of a cylinder or cone: the prism is within 0.9 % of the radius.
const RIM: u32 = 24;
/// Cosine of the angle between two faces below which they have an edge \[1\]: one degree.
const FLAT: f32 = 0.999_85;
/// Largest number of features of a group.
const GROUP: usize = 32;

/// The corners and edges of a shape, in its frame.
#[derive(Debug, Default)]
pub struct ShapeFeatures {
    /// Points of the features.
    pub points: Vec<ShapePoint>,
    /// Corners, twice the same point each, and edges, in the order of the groups.
    pub features: Vec<[u32; 2]>,
    /// Features that are near each other.
    pub groups: Vec<FeatureGroup>,
}

/// A point of a shape.
#[derive(Debug, Clone, Copy)]
pub struct ShapePoint {
    /// Position \[m\].
    pub position: Vec3,
    /// Distance of the surface of the shape from the point \[m\], 0 for a sharp corner.
    pub radius: f32,
    /// Another point, which is inside of the convex part of the shape that this one is a corner of; none for what has no
    /// inside but its radius, and for meshes.
    pub inner: Option<u32>,
}

/// Features that are near each other.
#[derive(Debug)]
pub struct FeatureGroup {
    /// Their range.
    pub features: Range<usize>,
    /// A ball around them.
    pub bounds: BoundingBall,
}

/// A ball around features.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoundingBall {
    /// Its centre \[m\].
    pub center: Vec3,
    /// Its radius \[m\].
    pub radius: f32,
}

/// The sides of a mesh from which surfaces come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MeshSides {
    /// Both.
    Both,
    /// The side from which triangles are wound counterclockwise.
    Outer,
    /// The side above.
    Upper,
}

impl ShapeFeatures {
    /// Lists the features of a shape. One without any, such as a half-space, has none.
    pub fn of(shape: &dyn Shape) -> Self {
        let mut this = Self::default();
        this.add(shape, &Pose::IDENTITY, 0.0);
        this.split(0..this.features.len());
        this
    }

    /// Adds the features of a shape at a pose, whose surface is a distance `border` \[m\] outside of it.
    fn add(&mut self, shape: &dyn Shape, pose: &Pose, border: f32) {
        match shape.as_typed_shape() {
            TypedShape::Ball(ball) => {
                let point = self.point(pose, Vec3::ZERO, ball.radius);
                self.features.push([point; 2]);
            }
            TypedShape::Capsule(capsule) => {
                let segment = capsule.segment;
                self.frame(pose, &[segment.a, segment.b], &[[0, 1]], capsule.radius);
            }
            TypedShape::Cuboid(cuboid) => {
                let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let corner = |k: u32| cuboid.half_extents * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2));
                let ends = |k: u32| (0..3).filter(move |bit| k >> bit & 1 == 0).map(move |bit| [k, k | 1 << bit]);
                let edges: Vec<[u32; 2]> = (0..8).flat_map(ends).collect();
                self.solid(pose, Vec3::ZERO, (&[0, 1, 2, 3, 4, 5, 6, 7].map(corner), &edges), border);
            }
            TypedShape::Cylinder(cylinder) => {
                let at = |height: f32| (0..RIM).map(move |k| on_circle(k, cylinder.radius, height));
                let points: Vec<Vec3> = at(-cylinder.half_height).chain(at(cylinder.half_height)).collect();
                let edges = |k: u32| [rim_edge(0, k), rim_edge(RIM, k), [k, RIM + k]];
                let edges: Vec<[u32; 2]> = (0..RIM).flat_map(edges).collect();
                self.solid(pose, Vec3::ZERO, (&points, &edges), border);
            }
            TypedShape::Cone(cone) => {
                let rim = (0..RIM).map(|k| on_circle(k, cone.radius, -cone.half_height));
                let points: Vec<Vec3> = rim.chain([Vec3::Y * cone.half_height]).collect();
                let edges = |k: u32| [rim_edge(0, k), [k, RIM]];
                let edges: Vec<[u32; 2]> = (0..RIM).flat_map(edges).collect();
                self.solid(pose, Vec3::ZERO, (&points, &edges), border);
            }
            TypedShape::ConvexPolyhedron(hull) => {
                let points = hull.points();
                let middle = points.iter().sum::<Vec3>() / points.len() as f32;
                self.solid(pose, middle, (points, &hull_edges(hull)), border);
            }
            TypedShape::Triangle(triangle) => {
                self.frame(pose, &[triangle.a, triangle.b, triangle.c], &[[0, 1], [1, 2], [0, 2]], border);
            }
            TypedShape::RoundCuboid(round) => self.add(&round.inner_shape, pose, round.border_radius),
            TypedShape::RoundCylinder(round) => self.add(&round.inner_shape, pose, round.border_radius),
            TypedShape::RoundCone(round) => self.add(&round.inner_shape, pose, round.border_radius),
            TypedShape::RoundConvexPolyhedron(round) => self.add(&round.inner_shape, pose, round.border_radius),
            TypedShape::RoundTriangle(round) => self.add(&round.inner_shape, pose, round.border_radius),
            TypedShape::TriMesh(mesh) => {
                let is_solid = mesh.pseudo_normals_if_oriented().is_some();
                let sides = if is_solid { MeshSides::Outer } else { MeshSides::Both };
                self.mesh(pose, mesh.vertices(), mesh.indices(), sides);
            }
            TypedShape::HeightField(field) => {
                let (points, triangles) = field.to_trimesh();
                self.mesh(pose, &points, &triangles, MeshSides::Upper);
            }
            TypedShape::Compound(parts) => {
                parts.shapes().iter().for_each(|(local, part)| self.add(part.as_ref(), &(*pose * *local), 0.0));
            }
            _ => {}
        }
    }

    fn point(&mut self, pose: &Pose, position: Vec3, radius: f32) -> u32 {
        self.points.push(ShapePoint { position: pose.transform_point(position), radius, inner: None });
        self.points.len() as u32 - 1
    }

    /// Adds the corners and edges of a convex solid around a point.
    fn solid(&mut self, pose: &Pose, inner: Vec3, (points, edges): (&[Vec3], &[[u32; 2]]), radius: f32) {
        let inner = self.point(pose, inner, radius);
        let first = self.points.len();
        self.frame(pose, points, edges, radius);
        self.points[first..].iter_mut().for_each(|point| point.inner = Some(inner));
    }

    /// Adds points, each of them a corner, and edges between them.
    fn frame(&mut self, pose: &Pose, points: &[Vec3], edges: &[[u32; 2]], radius: f32) {
        let first = self.points.len() as u32;
        for &position in points {
            let point = self.point(pose, position, radius);
            self.features.push([point; 2]);
        }
        self.features.extend(edges.iter().map(|edge| edge.map(|end| first + end)));
    }

    /// Adds the edges of a mesh between faces that are not level with each other, and their ends.
    fn mesh(&mut self, pose: &Pose, points: &[Vec3], triangles: &[[u32; 3]], sides: MeshSides) {
        let mut known = BTreeMap::new();
        let bits = |x: Vec3| (x + Vec3::ZERO).to_array().map(f32::to_bits);
        let welded: Vec<u32> = points.iter().zip(0..).map(|(&x, k)| *known.entry(bits(x)).or_insert(k)).collect();
        let mut uses: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(3 * triangles.len());
        for (number, triangle) in triangles.iter().enumerate() {
            let corners = triangle.map(|k| welded[k as usize]);
            for k in 0..3 {
                let (a, b, opposite) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                uses.push(([a.min(b), a.max(b)], opposite, number));
            }
        }
        uses.sort_unstable();
        let normal = |number: usize| {
            let [a, b, c] = triangles[number].map(|k| points[k as usize]);
            let normal = (b - a).cross(c - a);
            if sides == MeshSides::Upper && normal.y < 0.0 { -normal } else { normal }
        };
        let is_edge = |group: &[([u32; 2], u32, usize)]| match group {
            [(ends, one, face), (_, other, _)] => {
                let [a, b] = ends.map(|end| points[end as usize]);
                let along = (b - a).normalize_or_zero();
                let away = |k: u32| (points[k as usize] - a).reject_from_normalized(along).normalize_or_zero();
                let (one, other) = (away(*one), away(*other));
                let is_convex = sides == MeshSides::Both || normal(*face).dot(other) <= 0.0;
                one.dot(other) > -FLAT && is_convex
            }
            _ => true,
        };
        let groups = uses.chunk_by(|a, b| a.0 == b.0).filter(|group| group[0].0[0] != group[0].0[1]);
        let edges: Vec<[u32; 2]> = groups.filter(|group| is_edge(group)).map(|group| group[0].0).collect();
        let mut ends: Vec<u32> = edges.as_flattened().to_vec();
        ends.sort_unstable();
        ends.dedup();
        let corners: Vec<Vec3> = ends.iter().map(|&end| points[end as usize]).collect();
        let place = |end: u32| ends.partition_point(|&other| other < end) as u32;
        self.frame(pose, &corners, &edges.iter().map(|edge| edge.map(place)).collect::<Vec<_>>(), 0.0);
    }

    /// Returns a ball around some features.
    fn bounds_of(&self, features: Range<usize>) -> BoundingBall {
        let points = || self.features[features.clone()].as_flattened().iter().map(|&k| self.points[k as usize]);
        let first = points().next().map_or(Vec3::ZERO, |point| point.position);
        let lowest = points().fold(first, |lowest, point| lowest.min(point.position));
        let highest = points().fold(first, |highest, point| highest.max(point.position));
        let center = 0.5 * (lowest + highest);
        let radius = points().map(|point| point.position.distance(center) + point.radius).fold(0.0, f32::max);
        BoundingBall { center, radius }
    }

    /// Sorts features into groups.
    fn split(&mut self, features: Range<usize>) {
        if features.len() > GROUP {
            let Self { points, features: all, .. } = self;
            let middle = |feature: &[u32; 2]| {
                let [a, b] = feature.map(|k| points[k as usize].position);
                a + b
            };
            let part = &mut all[features.clone()];
            let lowest = part.iter().map(middle).fold(Vec3::INFINITY, Vec3::min);
            let highest = part.iter().map(middle).fold(Vec3::NEG_INFINITY, Vec3::max);
            let axis = (highest - lowest).max_position();
            let half = part.len() / 2;
            part.select_nth_unstable_by(half, |a, b| {
                middle(a)[axis].total_cmp(&middle(b)[axis]).then_with(|| a.cmp(b))
            });
            self.split(features.start..features.start + half);
            self.split(features.start + half..features.end);
        } else if !features.is_empty() {
            self.features[features.clone()].sort_unstable();
            let bounds = self.bounds_of(features.clone());
            self.groups.push(FeatureGroup { features, bounds });
        }
    }
}

/// Returns a corner of the rim of a cylinder or cone.
fn on_circle(number: u32, radius: f32, height: f32) -> Vec3 {
    let angle = TAU * number as f32 / RIM as f32;
    Vec3::new(radius * trig::cos(angle), height, radius * trig::sin(angle))
}

/// Returns an edge of a rim whose corners begin with `first`.
fn rim_edge(first: u32, number: u32) -> [u32; 2] {
    [first + number, first + (number + 1) % RIM]
}

/// Returns the edges between the faces of a hull.
fn hull_edges(hull: &ConvexPolyhedron) -> Vec<[u32; 2]> {
    let ranges =
        hull.faces().iter().map(|face| (face.first_vertex_or_edge as usize, face.num_vertices_or_edges as usize));
    let of_face = |(first, count): (usize, usize)| &hull.edges_adj_to_face()[first..first + count];
    let mut edges: Vec<u32> = ranges.flat_map(of_face).copied().collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|edge| hull.edges()[edge as usize].vertices).collect()
}

#[cfg(test)]
mod tests;
