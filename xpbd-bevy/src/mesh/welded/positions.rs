//! Positions that are the same but for rounding.

use bevy::math::{DVec3, Vec3};
use hashbrown::HashMap;

/// Largest distance of two positions that are one, as a part of the largest coordinate of all \[1\]: some roundings of it.
const TOLERANCE: f64 = 4.0 * f32::EPSILON as f64;

/// Merges positions \[m\] that are the same but for rounding. Returns those that are left, the first of each, and for each position
/// its number among them. A position that is not finite is merged with no other.
pub fn merged(positions: &[[f32; 3]]) -> (Vec<Vec3>, Vec<u32>) {
    let coordinates = positions.as_flattened().iter().filter(|x| x.is_finite());
    let largest = coordinates.fold(0.0, |largest: f64, &x| largest.max(f64::from(x).abs()));
    let tolerance = TOLERANCE * largest.max(f64::from(f32::MIN_POSITIVE));
    // Whatever is near a position is in one of the cells around a corner of the box of what is near.
    let cell = |x: DVec3| (x / (2.0 * tolerance)).floor().as_i64vec3();
    let mut cells: HashMap<_, Vec<u32>> = HashMap::new();
    let mut points: Vec<Vec3> = Vec::new();
    let mut number_of = |position: Vec3| {
        let x = position.as_dvec3();
        let corners = (0..8).map(|k| DVec3::from([k & 1, k >> 1 & 1, k >> 2].map(|side| f64::from(2 * side - 1))));
        let near = corners.filter_map(|corner| cells.get(&cell(x + corner * tolerance))).flatten();
        let same = near.filter(|&&k| points[k as usize].as_dvec3().distance(x) <= tolerance).min();
        same.copied().unwrap_or_else(|| {
            let number = points.len() as u32;
            cells.entry(cell(x)).or_default().push(number);
            points.push(position);
            number
        })
    };
    let numbers = positions.iter().map(|&position| number_of(position.into())).collect();
    (points, numbers)
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::super::WeldedMesh;
    use super::merged;

    #[test]
    fn the_meshes_of_closed_shapes_are_closed() {
        let meshes = [
            ("torus", Torus::new(0.3, 0.7).into()),
            ("cylinder", Cylinder::new(0.4, 1.0).into()),
            ("capsule", Capsule3d::new(0.3, 0.8).into()),
            ("cone", Cone::new(0.4, 0.9).into()),
            ("frustum", ConicalFrustum { radius_top: 0.2, radius_bottom: 0.4, height: 0.7 }.into()),
            ("ball of sectors", Sphere::new(0.5).mesh().uv(24, 12)),
            ("ball", Sphere::new(0.5).mesh().ico(3).unwrap()),
            ("box", Cuboid::new(1.0, 2.0, 3.0).into()),
        ];
        for (name, mesh) in meshes {
            let welded = WeldedMesh::from_mesh(&mesh).unwrap();
            let mut sides = std::collections::BTreeMap::new();
            for [a, b, c] in welded.indices.as_chunks::<3>().0 {
                [[a, b], [b, c], [c, a]].into_iter().for_each(|side| *sides.entry(side).or_insert(0) += 1);
            }
            let open = sides.iter().filter(|&(&[a, b], &count)| count != 1 || sides.get(&[b, a]) != Some(&1)).count();
            assert_eq!(open, 0, "{name}: {open} of {} sides have no partner", sides.len());
        }
    }

    #[test]
    fn positions_are_merged_up_to_some_roundings_of_the_largest_coordinate() {
        let places = [
            [2.0, 0.0, 0.0],
            [2.0, -0.0, 9e-7],
            [2.0, 0.0, 1.1e-6],
            [0.0; 3],
            [f32::NAN, 0.0, 0.0],
            [f32::NAN, 0.0, 0.0],
        ];
        let (points, numbers) = merged(&places);
        assert_eq!(numbers, [0, 0, 1, 2, 3, 4]);
        assert_eq!(points[..3], [places[0], places[2], places[3]].map(Vec3::from));
        assert_eq!(merged(&[[0.0; 3], [-0.0; 3]]).1, [0, 0]);
        assert_eq!(merged(&[]), (vec![], vec![]));
    }
}
