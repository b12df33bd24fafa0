//! The manifold of two boxes.
//!
//! Parry clips faces without tolerance, edge by edge, and loses corners of one face that come to lie on an edge of the
//! other by rounding: a box would stand on three corners for a frame, and tilt. Here the half-planes of one face cut the
//! other, so that a corner on an edge is either kept or replaced by a point beside it.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::query::sat;
use parry3d::shape::Cuboid;
use smallvec::SmallVec;

use super::convex_core::{COS_ON_FACE, Polygon, face_of_box};
use super::face_manifold::half;
use super::shape_manifold::ShapeManifold;

/// Difference of two separations, as a part of the smallest half extent, below which the first axis is taken \[1\]: a face
/// of the first box before one of the second, and faces before edges.
const TIE: f32 = 1e-3;

/// Difference of the separations of a face of each box, as a part of the smallest half extent, below which neither decides
/// alone \[1\]: on a parallel edge an edge is pushed along the mean of both normals. Along one of them, cards that lean on
/// each other would have most of their friction on one side.
const BLEND: f32 = 0.05;

/// Cosine of the angle of two normals from which they are those of parallel faces \[1\].
const PARALLEL: f32 = 0.99;

/// Returns the manifold of two boxes that are nearer than `reach` \[m\]; `between` is the pose of the second in the frame of
/// the first.
pub fn box_manifold(boxes: [&Cuboid; 2], between: &Pose, reach: f32) -> Option<ShapeManifold> {
    let [a, b] = boxes;
    let of_first = sat::cuboid_cuboid_find_local_separating_normal_oneway(a, b, between);
    let of_second = sat::cuboid_cuboid_find_local_separating_normal_oneway(b, a, &between.inverse());
    let of_edges = sat::cuboid_cuboid_find_local_separating_edge_twoway(a, b, between);
    if of_first.0.max(of_second.0).max(of_edges.0) > reach {
        return None;
    }
    let least = a.half_extents.min_element().min(b.half_extents.min_element());
    let tie = TIE * least;
    let of_second = (of_second.0, between.rotation * -of_second.1);
    let face = if of_second.0 > of_first.0 + tie { of_second } else { of_first };
    let along = |normal: Vec3| manifold_along(boxes, between, reach, normal);
    let edge = if of_edges.0 > face.0 + tie { along(of_edges.1) } else { None };
    edge.or_else(|| along(between_faces(of_first, of_second, BLEND * least)?)).or_else(|| along(face.1))
}

/// Returns the normal of an edge that lies on a parallel one, between those of the best face of each box, given with their
/// separations \[m\]; none where these differ by more than `blend` \[m\], or the faces are parallel or face each other.
fn between_faces(first: (f32, Vec3), second: (f32, Vec3), blend: f32) -> Option<Vec3> {
    let share = (second.0 - first.0) / blend;
    let is_edge = share.abs() < 1.0 && (0.0..PARALLEL).contains(&first.1.dot(second.1));
    is_edge.then(|| (first.1 * (1.0 - share) + second.1 * (1.0 + share)).normalize())
}

/// Returns the manifold with this unit normal from the first box to the second, if their faces lie over each other.
fn manifold_along([a, b]: [&Cuboid; 2], between: &Pose, reach: f32, normal: Vec3) -> Option<ShapeManifold> {
    let back = between.rotation.inverse();
    let corners = face_of_box(a.half_extents, normal);
    let axis = normal.abs().max_position();
    let outward = Vec3::AXES[axis] * normal[axis].signum();
    let mut overlap: Polygon =
        face_of_box(b.half_extents, back * -normal).iter().map(|&corner| between.transform_point(corner)).collect();
    let middle = outward * a.half_extents;
    for (k, &corner) in corners.iter().enumerate() {
        let across = normal.cross(corners[(k + 1) % 4] - corner);
        overlap = half(&overlap, corner, across * (middle - corner).dot(across).signum());
    }
    let on_both = |&point: &Vec3| {
        let distance = (point - middle).dot(outward) / normal.dot(outward);
        let of_second = between.inverse_transform_point(point);
        (distance <= reach).then_some(([point - normal * distance, of_second], -distance))
    };
    let points: SmallVec<_> = overlap.iter().filter_map(on_both).collect();
    let normals = [normal, back * -normal];
    let on_face = normals.map(|normal| normal.abs().max_element() > COS_ON_FACE);
    (!points.is_empty()).then(|| ShapeManifold { points, normals, pieces: [0; 2], on_face })
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use parry3d::math::Pose;
    use parry3d::shape::Cuboid;

    use super::super::manifold::ManifoldSearch;

    /// Numbers in \[−1, 1) that look random.
    fn random(state: &mut u32) -> f32 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 8) as f32 / 8_388_608.0 - 1.0
    }

    #[test]
    fn a_box_on_an_equal_one_touches_it_at_its_four_corners() {
        let (half, mut state) = (Vec3::new(0.5, 0.5, 0.25), 1);
        let cuboid = Cuboid::new(half);
        for k in 0..20_000 {
            let size = [0.0, 1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4][k % 8];
            let [turn, shift] = [(); 2].map(|()| Vec3::from([(); 3].map(|()| size * random(&mut state))));
            let pose = Pose::from_parts(Vec3::Y * (2.0 * half.y - 1e-4) + shift, Quat::from_scaled_axis(turn));
            let mut found = Vec::new();
            ManifoldSearch::default().manifolds([&cuboid, &cuboid], &pose, (0.01, 0.001), &mut found);
            let [manifold] = &found[..] else { panic!("{} manifolds for {pose:?}", found.len()) };
            let corner = |k: usize| manifold.cores[0][k].abs().distance(half) < 2e-3;
            let apart = |a: usize, b: usize| manifold.cores[0][a].distance(manifold.cores[0][b]) > 0.4;
            assert!(manifold.count == 4 && (0..4).all(corner), "{manifold:?} for {pose:?}");
            assert!((0..4).all(|a| (0..a).all(|b| apart(a, b))), "{manifold:?} for {pose:?}");
            let overlap = |&overlap: &f32| (overlap - 1e-4).abs() < 3.0 * size + 1e-6;
            assert!(manifold.overlaps.iter().all(overlap), "{manifold:?} for {pose:?}");
        }
    }

    #[test]
    fn an_edge_on_a_parallel_one_is_pushed_between_the_faces_of_both() {
        let (card, lean) = (Cuboid::new(Vec3::new(0.02, 0.5, 0.35)), 0.35);
        // Two cards that lean on each other by their upper edges, the second one to the right, in the frame of the first.
        let turn = Quat::from_rotation_z(2.0 * lean);
        for overlap in [-1e-4, 0.0, 1e-4] {
            let edges = [Vec3::new(0.02, 0.5, 0.0), Vec3::new(-0.02, 0.5, 0.0)];
            let across = Quat::from_rotation_z(lean) * Vec3::X;
            let pose = Pose::from_parts(edges[0] - turn * edges[1] - across * overlap, turn);
            let mut found = Vec::new();
            ManifoldSearch::default().manifolds([&card, &card], &pose, (0.01, 0.001), &mut found);
            let [manifold] = &found[..] else { panic!("{} manifolds", found.len()) };
            assert!(manifold.normal.distance(-across) < 1e-3, "{manifold:?}");
            assert!((manifold.overlap() - overlap).abs() < 2e-6, "{manifold:?}");
        }
    }

    #[test]
    fn boxes_with_crossed_edges_touch_where_they_cross() {
        let cuboid = Cuboid::new(Vec3::splat(0.5));
        let [about_x, about_z] =
            [Quat::from_rotation_x, Quat::from_rotation_z].map(|of| of(std::f32::consts::FRAC_PI_4));
        let apart = Vec3::Y * (2.0_f32.sqrt() - 1e-3);
        // Of two boxes that stand on an edge, one along z and the other along x, in the frame of the lower one.
        let pose = Pose::from_parts(about_z.inverse() * apart, about_z.inverse() * about_x);
        let mut found = Vec::new();
        ManifoldSearch::default().manifolds([&cuboid, &cuboid], &pose, (1e-4, 1e-5), &mut found);
        let [manifold] = &found[..] else { panic!("{} manifolds", found.len()) };
        assert!((manifold.overlap() - 1e-3).abs() < 1e-6, "{manifold:?}");
        assert!((about_z * manifold.normal).distance(Vec3::NEG_Y) < 1e-6, "{manifold:?}");
        let crossing = about_z.inverse() * Vec3::Y * 0.5_f32.sqrt();
        assert!(manifold.cores[0].iter().any(|core| core.distance(crossing) < 2e-3), "{manifold:?}");
    }
}
