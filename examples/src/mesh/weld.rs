//! Merging vertices that share a position, so that a surface cut by seams closes again.

use glam::Vec3;

use super::Mesh;

/// Merges vertices of exactly equal position, then drops the triangles that lost an edge by it
/// and the vertices that no triangle uses. Vertices keep the order of their first use.
pub(super) fn weld(mesh: &Mesh) -> Mesh {
    let merged = first_at_same_position(&mesh.positions);
    let mut place = vec![None; mesh.positions.len()];
    let mut welded = Mesh::default();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|index| merged[index as usize]);
        if a == b || b == c || c == a {
            continue;
        }
        let corners = [a, b, c].map(|index| {
            *place[index as usize].get_or_insert_with(|| {
                welded.positions.push(mesh.positions[index as usize]);
                welded.positions.len() as u32 - 1
            })
        });
        welded.triangles.push(corners);
    }
    welded
}

/// Returns for each vertex the lowest index among the vertices at its position.
fn first_at_same_position(positions: &[Vec3]) -> Vec<u32> {
    let key = |index: u32| {
        let position = positions[index as usize];
        (position + Vec3::ZERO).to_array().map(f32::to_bits)
    };
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&index| (key(index), index));
    let mut first: Vec<u32> = (0..positions.len() as u32).collect();
    for pair in order.windows(2) {
        if key(pair[0]) == key(pair[1]) {
            first[pair[1] as usize] = first[pair[0] as usize];
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_of_a_quad_share_their_edge() {
        let soup = Mesh {
            positions: vec![
                Vec3::ZERO,
                Vec3::X,
                Vec3::Y,
                Vec3::X,
                Vec3::X + Vec3::Y,
                Vec3::new(-0.0, 1.0, 0.0),
                Vec3::Z,
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5], [1, 3, 4]],
        };
        let quad = weld(&soup);
        assert_eq!(quad.positions.len(), 4);
        assert_eq!(quad.triangles, vec![[0, 1, 2], [1, 3, 2]]);
    }
}
