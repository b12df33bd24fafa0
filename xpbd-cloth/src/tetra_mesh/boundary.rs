//! The surface of a tetrahedral mesh: the faces that have a tetrahedron on one side alone.

use super::TetraError;

/// The faces of a tetrahedron, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A face as part of one tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FaceSide {
    /// The vertices in ascending order.
    sorted: [u32; 3],
    /// True if these run clockwise from outside.
    turned: bool,
    tetrahedron: u32,
    face: usize,
}

/// Returns the faces of one tetrahedron alone, in the order of the tetrahedra.
pub(super) fn find(tetrahedra: &[[u32; 4]]) -> Result<Vec<[u32; 3]>, TetraError> {
    let sides = |(corners, tetrahedron): (&[u32; 4], u32)| {
        let corners = *corners;
        (0..4).map(move |face| {
            let [a, b, c] = FACES[face].map(|k| corners[k]);
            let mut sorted = [a, b, c];
            sorted.sort_unstable();
            let turned = [[a, b, c], [b, c, a], [c, a, b]].iter().all(|turn| *turn != sorted);
            FaceSide { sorted, turned, tetrahedron, face }
        })
    };
    let mut all: Vec<FaceSide> = tetrahedra.iter().zip(0..).flat_map(sides).collect();
    all.sort_unstable();
    let mut alone = Vec::new();
    for same in all.chunk_by(|a, b| a.sorted == b.sorted) {
        if let Some([a, b]) = same.array_windows().find(|[a, b]| a.turned == b.turned) {
            let mut pair = [a.tetrahedron, b.tetrahedron];
            pair.sort_unstable();
            return Err(TetraError::SharedFace { face: a.sorted, tetrahedra: pair });
        }
        if let [side] = same {
            alone.push((side.tetrahedron, side.face));
        }
    }
    alone.sort_unstable();
    Ok(alone.into_iter().map(|(tetrahedron, face)| FACES[face].map(|k| tetrahedra[tetrahedron as usize][k])).collect())
}
