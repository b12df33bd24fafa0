//! Boxes that lie exactly on each other.
//!
//! Parry clips faces against each other without any tolerance. Corners that come to lie on the edges of
//! the other face are then lost by rounding: a box on an equal one would stand on one corner for a frame,
//! and tilt. So the second box is searched a little larger, and its points are put back on its surface.

use parry3d::query::ContactManifold;
use parry3d::shape::{Cuboid, Shape, TypedShape};

/// Enlargement of the second box \[1\]: far more than rounding, and no more than a contact may be off along the
/// surface.
const ENLARGEMENT: f32 = 1.0 + 1e-4;

/// Returns the second of two boxes, enlarged; none if the shapes are not both boxes.
pub fn enlarged_second_box(shapes: [&dyn Shape; 2]) -> Option<Cuboid> {
    match shapes.map(Shape::as_typed_shape) {
        [TypedShape::Cuboid(_), TypedShape::Cuboid(cuboid)] => Some(Cuboid::new(cuboid.half_extents * ENLARGEMENT)),
        _ => None,
    }
}

/// Projects the points of the enlarged box back on the box, and corrects the distances.
pub fn project_back(manifold: &mut ContactManifold<(), ()>) {
    let normal = manifold.local_n2;
    for point in &mut manifold.points {
        let found = point.local_p2;
        point.local_p2 = found / ENLARGEMENT;
        point.dist += normal.dot(found - point.local_p2);
    }
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
        for k in 0..10_000 {
            let size = [0.0, 1e-8, 1e-7, 1e-6, 1e-5][k % 5];
            let [turn, shift] = [(); 2].map(|()| Vec3::from([(); 3].map(|()| size * random(&mut state))));
            let pose = Pose::from_parts(Vec3::Y * (2.0 * half.y - 1e-4) + shift, Quat::from_scaled_axis(turn));
            let mut found = Vec::new();
            ManifoldSearch::default().manifolds([&cuboid, &cuboid], &pose, (0.01, 0.001), &mut found);
            let [manifold] = &found[..] else { panic!("{} manifolds for {pose:?}", found.len()) };
            let corner = |k: usize| manifold.cores[0][k].abs().distance(half) < 1e-3;
            let apart = |a: usize, b: usize| manifold.cores[0][a].distance(manifold.cores[0][b]) > 0.4;
            assert!(manifold.count == 4 && (0..4).all(corner), "{manifold:?} for {pose:?}");
            assert!((0..4).all(|a| (0..a).all(|b| apart(a, b))), "{manifold:?} for {pose:?}");
            assert!(manifold.overlaps.iter().all(|overlap| (overlap - 1e-4).abs() < 3e-5), "{manifold:?} for {pose:?}");
        }
    }
}
