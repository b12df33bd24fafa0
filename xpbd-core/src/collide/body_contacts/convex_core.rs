//! Convex shapes as a core and a radius around it, and the features with which they face a direction.

use glam::{Vec2, Vec3, Vec3Swizzles};
use parry3d::shape::{ConvexPolyhedron, Shape, TypedShape};
use smallvec::SmallVec;

use crate::scalar::trig;

/// The corners of a polygon in order, of a line both ends, or one point \[m\].
pub type Polygon = SmallVec<[Vec3; 8]>;

/// Number of corners of the rim that stand for a cap where something lies on it.
const RIM_CORNERS: usize = 16;

/// Sine of the tilt of a cap above which the lowest point of its rim is one of its corners \[1\]. Below it, the corners stay where
/// they are: which point is the lowest would be a matter of rounding.
const LEAST_TILT: f32 = 1e-3;

/// The smallest cosine of the angle between the normals of a contact and of a face for the contact to be on the face \[1\].
pub const COS_ON_FACE: f32 = 0.999_999;

/// A convex shape as all points that are nearer to a core than a radius \[m\], in its own frame.
#[derive(Debug, Clone, Copy)]
pub struct ConvexCore<'a> {
    core: Core<'a>,
    /// Radius around the core \[m\].
    pub radius: f32,
}

/// A convex shape without a radius around it; those of revolution have the axis y.
#[derive(Debug, Clone, Copy)]
enum Core<'a> {
    Point,
    Segment([Vec3; 2]),
    Triangle([Vec3; 3]),
    Box(Vec3),
    Polyhedron(&'a ConvexPolyhedron),
    Cylinder { half_height: f32, radius: f32 },
    Cone { half_height: f32, radius: f32 },
}

impl<'a> ConvexCore<'a> {
    /// Returns the core of a shape, none for one without bounds or of parts.
    pub fn of(shape: &'a dyn Shape) -> Option<Self> {
        let of_cylinder = |half_height, radius| Core::Cylinder { half_height, radius };
        let of_cone = |half_height, radius| Core::Cone { half_height, radius };
        let (core, radius) = match shape.as_typed_shape() {
            TypedShape::Ball(ball) => (Core::Point, ball.radius),
            TypedShape::Segment(segment) => (Core::Segment([segment.a, segment.b]), 0.0),
            TypedShape::Capsule(capsule) => (Core::Segment([capsule.segment.a, capsule.segment.b]), capsule.radius),
            TypedShape::Triangle(triangle) => (Core::Triangle(triangle.vertices().to_owned()), 0.0),
            TypedShape::RoundTriangle(round) => {
                (Core::Triangle(round.inner_shape.vertices().to_owned()), round.border_radius)
            }
            TypedShape::Cuboid(cuboid) => (Core::Box(cuboid.half_extents), 0.0),
            TypedShape::RoundCuboid(round) => (Core::Box(round.inner_shape.half_extents), round.border_radius),
            TypedShape::ConvexPolyhedron(polyhedron) => (Core::Polyhedron(polyhedron), 0.0),
            TypedShape::RoundConvexPolyhedron(round) => (Core::Polyhedron(&round.inner_shape), round.border_radius),
            TypedShape::Cylinder(cylinder) => (of_cylinder(cylinder.half_height, cylinder.radius), 0.0),
            TypedShape::RoundCylinder(round) => {
                (of_cylinder(round.inner_shape.half_height, round.inner_shape.radius), round.border_radius)
            }
            TypedShape::Cone(cone) => (of_cone(cone.half_height, cone.radius), 0.0),
            TypedShape::RoundCone(round) => {
                (of_cone(round.inner_shape.half_height, round.inner_shape.radius), round.border_radius)
            }
            _ => return None,
        };
        Some(Self { core, radius })
    }

    /// Returns whether the faces of the shape are round.
    pub fn has_caps(&self) -> bool {
        matches!(self.core, Core::Cylinder { .. } | Core::Cone { .. })
    }

    /// Returns the half height of a cylinder's axis, and the radius of all around it \[m\].
    pub fn cylinder(&self) -> Option<(f32, f32)> {
        match self.core {
            Core::Cylinder { half_height, radius } => Some((half_height, radius + self.radius)),
            _ => None,
        }
    }

    /// Returns the least half extent of the shape \[m\], infinite if it has no thickness.
    pub fn least_extent(&self) -> f32 {
        let of_core = match self.core {
            Core::Point | Core::Segment(_) | Core::Triangle(_) => 0.0,
            Core::Box(half_extents) => half_extents.min_element(),
            Core::Polyhedron(polyhedron) => polyhedron.local_aabb().half_extents().min_element(),
            Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => half_height.min(radius),
        };
        let extent = of_core + self.radius;
        if extent > 0.0 { extent } else { f32::INFINITY }
    }

    /// Returns how far the core reaches along a direction \[m\].
    pub fn reach(&self, direction: Vec3) -> f32 {
        let farthest = |points: &[Vec3]| points.iter().map(|point| point.dot(direction)).fold(f32::MIN, f32::max);
        match self.core {
            Core::Point => 0.0,
            Core::Segment(ends) => farthest(&ends),
            Core::Triangle(corners) => farthest(&corners),
            Core::Box(half_extents) => direction.abs().dot(half_extents),
            Core::Polyhedron(polyhedron) => farthest(polyhedron.points()),
            Core::Cylinder { half_height, radius } => {
                half_height * direction.y.abs() + radius * direction.xz().length()
            }
            Core::Cone { half_height, radius } => {
                let along = half_height * direction.y;
                along.max(radius * direction.xz().length() - along)
            }
        }
    }

    /// Returns at most how many flat faces the core has, and among how many corners a support is looked for.
    pub fn size(&self) -> [usize; 2] {
        match self.core {
            Core::Polyhedron(polyhedron) => [polyhedron.faces().len(), polyhedron.points().len()],
            _ => [6, 1],
        }
    }

    /// Calls `visit` with the outward normal of each flat face of the core; a triangle has two.
    pub fn visit_faces(&self, mut visit: impl FnMut(Vec3)) {
        match self.core {
            Core::Point | Core::Segment(_) => {}
            Core::Triangle([a, b, c]) => {
                if let Some(normal) = (b - a).cross(c - a).try_normalize() {
                    visit(normal);
                    visit(-normal);
                }
            }
            Core::Box(_) => {
                for axis in Vec3::AXES {
                    visit(axis);
                    visit(-axis);
                }
            }
            Core::Polyhedron(polyhedron) => polyhedron.faces().iter().for_each(|face| visit(face.normal)),
            Core::Cylinder { .. } => {
                visit(Vec3::Y);
                visit(Vec3::NEG_Y);
            }
            Core::Cone { .. } => visit(Vec3::NEG_Y),
        }
    }

    /// Returns whether the shape has a flat face with an outward normal.
    pub fn has_face(&self, normal: Vec3) -> bool {
        let mut is_found = false;
        self.visit_faces(|face| is_found |= face.dot(normal) > COS_ON_FACE);
        is_found
    }

    /// Returns the polygon of the flat face with a normal, of a cap one in it.
    pub fn face(&self, normal: Vec3) -> Polygon {
        match self.core {
            Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
                let step = std::f32::consts::TAU / RIM_CORNERS as f32;
                let corner = |k: usize| {
                    let angle = step * k as f32;
                    let (sine, cosine) = (trig::sin(angle), trig::cos(angle));
                    Vec3::new(radius * cosine, half_height * normal.y, radius * sine)
                };
                (0..RIM_CORNERS).map(corner).collect()
            }
            _ => self.feature(normal),
        }
    }

    /// Returns the corners of what faces a direction.
    pub fn feature(&self, direction: Vec3) -> Polygon {
        match self.core {
            Core::Point => SmallVec::from_slice(&[Vec3::ZERO]),
            Core::Segment(ends) => SmallVec::from_slice(&ends),
            Core::Triangle(corners) => SmallVec::from_slice(&corners),
            Core::Box(half_extents) => face_of_box(half_extents, direction),
            Core::Polyhedron(polyhedron) => face_of_polyhedron(polyhedron, direction),
            Core::Cylinder { half_height, radius } => {
                let out = direction.xz();
                if direction.y.abs() > out.length() {
                    return cap(half_height * direction.y.signum(), radius, out);
                }
                let out = out.normalize_or_zero() * radius;
                [half_height, -half_height].map(|y| Vec3::new(out.x, y, out.y)).into_iter().collect()
            }
            Core::Cone { half_height, radius } => {
                let out = direction.xz();
                if -direction.y > out.length() {
                    return cap(-half_height, radius, out);
                }
                let out = out.normalize_or_zero() * radius;
                SmallVec::from_slice(&[Vec3::Y * half_height, Vec3::new(out.x, -half_height, out.y)])
            }
        }
    }
}

/// Returns four points of the rim of a cap at a height, the one that is farthest towards `out` among them unless that is hardly
/// tilted.
fn cap(height: f32, radius: f32, out: Vec2) -> Polygon {
    let tilt = out.length();
    let Vec2 { x, y: z } = if tilt > LEAST_TILT { out * (radius / tilt) } else { Vec2::X * radius };
    [(x, z), (-z, x), (-x, -z), (z, -x)].map(|(x, z)| Vec3::new(x, height, z)).into_iter().collect()
}

/// Returns the corners of the face of a box that faces a direction, in order.
pub fn face_of_box(half_extents: Vec3, direction: Vec3) -> Polygon {
    let axis = direction.abs().max_position();
    let [along, across] = [(axis + 1) % 3, (axis + 2) % 3].map(|axis| Vec3::AXES[axis] * half_extents);
    let middle = Vec3::AXES[axis] * direction[axis].signum() * half_extents;
    SmallVec::from_slice(&[
        middle + along + across,
        middle - along + across,
        middle - along - across,
        middle + along - across,
    ])
}

/// Returns the corners of the face of a polyhedron that faces a direction most, in order.
fn face_of_polyhedron(polyhedron: &ConvexPolyhedron, direction: Vec3) -> Polygon {
    let faces = polyhedron.faces();
    let toward = |k: usize| faces[k].normal.dot(direction);
    let best = (0..faces.len()).fold(0, |best, k| if toward(k) > toward(best) { k } else { best });
    let Some(face) = faces.get(best) else { return Polygon::new() };
    let first = face.first_vertex_or_edge as usize;
    let corners = polyhedron.vertices_adj_to_face().get(first..first + face.num_vertices_or_edges as usize);
    corners.unwrap_or_default().iter().map(|&corner| polyhedron.points()[corner as usize]).collect()
}
