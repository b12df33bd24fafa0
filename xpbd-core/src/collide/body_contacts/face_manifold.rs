//! The manifold of two convex shapes of which one lies on a flat face of the other.
//!
//! Parry finds the direction between two shapes from their nearest points, and where these are a few micrometres apart, as those
//! of what rests or rolls are, rounding decides it: wheels jump, all the more the larger the ground is. Of all faces the one that
//! separates the shapes most is found without nearest points, and if what reaches farthest towards it lies over it, no
//! other direction separates them more. Shapes that are deep in each other are left to parry.
//!
//! \[SutherlandHodgman74\]: I. Sutherland, G. Hodgman, Reentrant polygon clipping, Communications of the ACM 17, 1974.

use glam::Vec3;
use parry3d::math::Pose;
use smallvec::SmallVec;

use super::convex_core::{ConvexCore, Polygon};
use super::shape_manifold::ShapeManifold;

/// Difference of two separations, as a part of the smallest half extent, below which they are the same \[1\].
const TIE: f32 = 1e-3;

/// Depth, as a part of the smallest half extent, from which something else than a face may be the nearest way out \[1\].
const DEEP: f32 = 0.2;

/// Number of products of a face and a corner from which on nearest points take less time.
const MOST_PRODUCTS: usize = 1 << 14;

/// The answer of faces to whether two shapes touch.
#[expect(clippy::large_enum_variant, reason = "it is taken apart where it is returned")]
pub enum FaceContact {
    /// They are farther apart than the reach.
    Apart,
    /// One lies on a face of the other.
    Touching(ShapeManifold),
    /// Something else than a face may be nearest.
    Undecided,
}

/// A face that separates two shapes.
#[derive(Clone, Copy)]
struct Separation {
    /// Distance of the shapes along the normal \[m\].
    apart: f32,
    /// Outward normal in the frame of the face's shape.
    normal: Vec3,
}

/// Returns what the faces of two shapes say of whether they are nearer than `reach` \[m\]; `between` is the pose of the second
/// in the frame of the first.
pub fn face_contact(cores: [&ConvexCore<'_>; 2], between: &Pose, reach: f32) -> FaceContact {
    let [a, b] = cores;
    let [[faces, corners], [other_faces, other_corners]] = [a.size(), b.size()];
    if faces * other_corners + other_faces * corners > MOST_PRODUCTS {
        return FaceContact::Undecided;
    }
    let back = between.inverse();
    let found = [best_face(a, b, between), best_face(b, a, &back)];
    let least = a.least_extent().min(b.least_extent());
    let (tie, deep) = if least.is_finite() { (TIE * least, DEEP * least) } else { (0.0, 0.0) };
    let apart = |side: usize| found[side].map_or(f32::MIN, |face: Separation| face.apart);
    let most = apart(0).max(apart(1));
    if most > reach {
        return FaceContact::Apart;
    }
    if most < -deep {
        return FaceContact::Undecided;
    }
    // Of two faces that say the same, corners tell more than a rim.
    let lead = if a.has_caps() && !b.has_caps() { -tie } else { tie };
    let first = if apart(1) > apart(0) + lead { 1 } else { 0 };
    for side in [first, 1 - first] {
        let Some(face) = found[side].filter(|face| face.apart >= most - tie) else { continue };
        let pose = if side == 0 { between } else { &back };
        if let Some(manifold) = on_face([cores[side], cores[1 - side]], pose, face, (reach, tie)) {
            return FaceContact::Touching(if side == 0 { manifold } else { manifold.swapped() });
        }
    }
    FaceContact::Undecided
}

/// Returns the face of a shape that separates it most from another one, whose pose in its frame is given.
fn best_face(shape: &ConvexCore<'_>, other: &ConvexCore<'_>, pose: &Pose) -> Option<Separation> {
    let back = pose.rotation.inverse();
    let mut best: Option<Separation> = None;
    shape.visit_faces(|normal| {
        let apart = (normal.dot(pose.translation) - other.reach(back * -normal)) - shape.reach(normal);
        let apart = apart - (shape.radius + other.radius);
        if best.is_none_or(|best| apart > best.apart) {
            best = Some(Separation { apart, normal });
        }
    });
    best
}

/// Returns the manifold of a shape with another one on its face, if what reaches farthest towards the face lies over it.
fn on_face(
    [shape, other]: [&ConvexCore<'_>; 2],
    pose: &Pose,
    Separation { apart, normal }: Separation,
    (reach, tie): (f32, f32),
) -> Option<ShapeManifold> {
    let back = pose.rotation.inverse();
    let height = shape.reach(normal);
    let corners = shape.face(normal);
    let middle = corners.iter().sum::<Vec3>() / corners.len() as f32;
    let mut over: Polygon = other.feature(back * -normal).iter().map(|&corner| pose.transform_point(corner)).collect();
    for (k, &corner) in corners.iter().enumerate() {
        let across = normal.cross(corners[(k + 1) % corners.len()] - corner).normalize_or_zero();
        let inward = across * (middle - corner).dot(across).signum();
        // What lies on the edge of two faces lies on both.
        over = half(&over, corner - inward * tie, inward);
    }
    let radius = shape.radius + other.radius;
    let mut least = f32::MAX;
    let mut points = SmallVec::new();
    for point in over {
        let above = point.dot(normal) - height;
        let distance = above - radius;
        least = least.min(distance);
        if distance <= reach {
            let own = point + normal * (shape.radius - above);
            points.push(([own, pose.inverse_transform_point(point - normal * other.radius)], -distance));
        }
    }
    let is_nearest = least <= apart + tie && !points.is_empty();
    let normals = [normal, back * -normal];
    is_nearest.then(|| ShapeManifold { points, normals, pieces: [0; 2], on_face: [true, other.has_face(normals[1])] })
}

/// Returns the part of a polygon, a line or a point on the side of a plane through `point` to which `inward` points
/// (\[SutherlandHodgman74\]).
pub fn half(polygon: &[Vec3], point: Vec3, inward: Vec3) -> Polygon {
    let depth = |corner: Vec3| (corner - point).dot(inward);
    let mut part = Polygon::new();
    for (k, &corner) in polygon.iter().enumerate() {
        let next = polygon[(k + 1) % polygon.len()];
        let (here, there) = (depth(corner), depth(next));
        if here >= 0.0 {
            part.push(corner);
        }
        // A line has one side only.
        let is_side = polygon.len() > 2 || k == 0;
        if is_side && (here >= 0.0) != (there >= 0.0) {
            part.push(corner.lerp(next, here / (here - there)));
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use parry3d::math::Pose;
    use parry3d::query;
    use parry3d::shape::SharedShape;

    use super::super::convex_core::ConvexCore;
    use super::{FaceContact, face_contact};

    /// Distance up to which contacts are asked for \[m\].
    const REACH: f32 = 0.05;

    /// Returns every shape with a core, from 0.2 to 0.6 m in size.
    fn shapes() -> Vec<SharedShape> {
        let corners: Vec<Vec3> = (0..12)
            .map(|k| {
                let turn = Quat::from_rotation_y(1.1 * k as f32) * Vec3::X;
                turn * 0.25 + Vec3::Y * (0.1 * (k % 3) as f32 - 0.1)
            })
            .collect();
        let triangle = [Vec3::new(-0.3, 0.0, -0.2), Vec3::new(0.4, 0.1, -0.1), Vec3::new(0.0, -0.1, 0.5)];
        vec![
            SharedShape::cuboid(0.3, 0.2, 0.25),
            SharedShape::round_cuboid(0.25, 0.15, 0.2, 0.05),
            SharedShape::cylinder(0.2, 0.3),
            SharedShape::round_cylinder(0.15, 0.2, 0.05),
            SharedShape::cone(0.3, 0.2),
            SharedShape::round_cone(0.2, 0.2, 0.05),
            SharedShape::capsule_y(0.2, 0.1),
            SharedShape::segment(triangle[0], triangle[1]),
            SharedShape::triangle(triangle[0], triangle[1], triangle[2]),
            SharedShape::convex_hull(&corners).expect("a hull"),
            SharedShape::round_convex_hull(&corners, 0.03).expect("a hull"),
        ]
    }

    /// The nearest points of parry tell how far shapes are apart and in which direction.
    #[test]
    fn faces_tell_the_distance_of_shapes_that_do_not_overlap() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let mut vector = || Vec3::new(random(), random(), random());
        let shapes = shapes();
        let (mut touching, mut apart, mut undecided) = (0, 0, 0);
        for k in 0..60_000 {
            let [a, b] = [&shapes[k % shapes.len()], &shapes[k / shapes.len() % shapes.len()]];
            let turn = Quat::from_scaled_axis(vector() * 3.0);
            let pose = Pose::from_parts(0.6 * vector(), turn);
            let (Some(first), Some(second)) = (ConvexCore::of(&**a), ConvexCore::of(&**b)) else {
                panic!("a shape without a core")
            };
            let Ok(distance) = query::distance(&Pose::IDENTITY, &**a, &pose, &**b) else { panic!("no distance") };
            if distance < 1e-3 {
                continue;
            }
            let name = || format!("{:?} and {:?} at {pose:?}, {distance} m", a.shape_type(), b.shape_type());
            match face_contact([&first, &second], &pose, REACH) {
                FaceContact::Touching(manifold) => {
                    touching += 1;
                    let overlap = manifold.points.iter().map(|point| point.1).fold(f32::MIN, f32::max);
                    assert!((overlap + distance).abs() < 3e-4, "{overlap} m: {}", name());
                    for ([own, other], overlap) in &manifold.points {
                        let gap = (pose.transform_point(*other) - own).dot(manifold.normals[0]);
                        assert!((gap + overlap).abs() < 1e-5 && gap <= REACH, "{gap} m, {overlap} m: {}", name());
                    }
                }
                FaceContact::Apart => {
                    apart += 1;
                    assert!(distance > REACH - 1e-5, "{}", name());
                }
                FaceContact::Undecided => undecided += 1,
            }
        }
        assert!(touching > 1000 && apart > 10_000, "{touching} touching, {apart} apart, {undecided} undecided");
    }

    /// A wheel that rests on a large floor is on it with the whole of its line, whatever way it has rolled.
    #[test]
    fn a_wheel_on_a_large_floor_touches_it_along_a_line() {
        let (wheel, floor) = (SharedShape::cylinder(0.1, 0.3), SharedShape::cuboid(1000.0, 1.0, 1000.0));
        let (Some(of_wheel), Some(of_floor)) = (ConvexCore::of(&*wheel), ConvexCore::of(&*floor)) else {
            panic!("no cores")
        };
        for k in 0..1000 {
            let angle = 0.37 * k as f32;
            let lying = Quat::from_rotation_y(0.1 * angle) * Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
            let pose = Pose::from_parts(Vec3::new(angle, 1.3, -0.5 * angle), lying * Quat::from_rotation_y(angle));
            let FaceContact::Touching(manifold) = face_contact([&of_floor, &of_wheel], &pose, 0.01) else {
                panic!("nothing found at {pose:?}")
            };
            assert_eq!((manifold.points.len(), manifold.normals[0]), (2, Vec3::Y));
            assert!(manifold.points.iter().all(|(_, overlap)| overlap.abs() < 1e-6), "{:?}", manifold.points);
        }
    }
}
