//! Normals of meshes that have sharp edges.

use glam::Vec3;

use crate::mesh::Mesh;

/// Cosine of the angle between facets above which the edge between them is seen: 35°.
const CREASE_COSINE: f32 = 0.82;

/// Returns the unit normals at the three corners of each triangle: the area-weighted mean over those triangles around
/// the corner's vertex whose facets are turned by less than the sharp angle from its own.
pub(super) fn corner_normals(mesh: &Mesh) -> Vec<[Vec3; 3]> {
    let twice_area = |&triangle: &[u32; 3]| {
        let [a, b, c] = mesh.corners(triangle);
        (b - a).cross(c - a)
    };
    let areas: Vec<Vec3> = mesh.triangles.iter().map(twice_area).collect();
    let facets: Vec<Vec3> = areas.iter().map(|area| area.normalize_or_zero()).collect();
    let mut around: Vec<Vec<usize>> = vec![Vec::new(); mesh.positions.len()];
    for (k, triangle) in mesh.triangles.iter().enumerate() {
        triangle.iter().for_each(|&corner| around[corner as usize].push(k));
    }
    let normal = |k: usize, corner: u32| {
        let smooth = around[corner as usize].iter().filter(|&&other| facets[k].dot(facets[other]) > CREASE_COSINE);
        smooth.map(|&other| areas[other]).sum::<Vec3>().normalize_or(facets[k])
    };
    mesh.triangles.iter().enumerate().map(|(k, triangle)| triangle.map(|corner| normal(k, corner))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_has_the_normals_of_its_faces() {
        let (positions, triangles) = parry3d::shape::Cuboid::new(Vec3::ONE).to_trimesh();
        for normal in corner_normals(&Mesh { positions, triangles }).into_iter().flatten() {
            assert!((normal.abs().max_element() - 1.0).abs() < 1e-6, "{normal}");
        }
    }

    #[test]
    fn a_round_side_is_smooth_and_its_rim_sharp() {
        let (positions, triangles) = parry3d::shape::Cylinder::new(1.0, 0.5).to_trimesh(48);
        let mesh = Mesh { positions, triangles };
        let mut sides = 0;
        for (triangle, normals) in mesh.triangles.iter().zip(corner_normals(&mesh)) {
            for (position, normal) in mesh.corners(*triangle).into_iter().zip(normals) {
                if normal.y.abs() < 0.5 {
                    sides += 1;
                    assert!(normal.dot(position.with_y(0.0).normalize()) > 0.999, "{position} {normal}");
                } else {
                    assert!(normal.y.abs() > 0.9999, "{normal}");
                }
            }
        }
        assert_eq!(sides, 6 * 48);
    }
}
