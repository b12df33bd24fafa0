//! The parts into which crossings cut surfaces.

use super::Crossing;
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::disjoint_sets::DisjointSets;

/// The pieces of surfaces, and the parts of them that are left without the edges that run through triangles.
pub(super) struct Pieces {
    /// First vertex of the piece of each vertex.
    pieces: Vec<u32>,
    /// First vertex of the part of each vertex.
    pub parts: Vec<u32>,
    /// The largest part of the piece that begins with each vertex, the first of several.
    largest: Vec<u32>,
}

impl Pieces {
    pub fn of(crossings: &[Crossing], features: &SurfaceFeatures, count: usize) -> Self {
        let mut cut: Vec<[u32; 2]> = crossings.iter().map(|crossing| crossing.edge).collect();
        cut.sort_unstable();
        let (mut pieces, mut parts) = (DisjointSets::new(count), DisjointSets::new(count));
        for [a, b] in features.triangles.iter().flat_map(|triangle| [0, 1, 2].map(|k| triangle.edge(k))) {
            pieces.join(a, b);
            if cut.binary_search(&[a, b]).is_err() {
                parts.join(a, b);
            }
        }
        let (pieces, parts) = (pieces.roots(), parts.roots());
        let mut sizes = vec![0u32; count];
        features.vertices.iter().for_each(|&vertex| sizes[parts[vertex as usize] as usize] += 1);
        let mut largest: Vec<u32> = (0..count as u32).collect();
        for &vertex in &features.vertices {
            let (part, piece) = (parts[vertex as usize], pieces[vertex as usize] as usize);
            if sizes[part as usize] > sizes[largest[piece] as usize] {
                largest[piece] = part;
            }
        }
        Self { pieces, parts, largest }
    }

    /// Returns whether a vertex is cut off from the largest part of its piece.
    pub fn is_cut_off(&self, vertex: u32) -> bool {
        self.parts[vertex as usize] != self.largest[self.pieces[vertex as usize] as usize]
    }

    /// Returns whether one end of an edge is cut off, and not the other.
    pub fn tells_side(&self, crossing: &Crossing) -> bool {
        self.is_cut_off(crossing.edge[0]) != self.is_cut_off(crossing.edge[1])
    }

    /// Returns the first vertices of the pieces that cross, the lower one first.
    pub fn between(&self, crossing: &Crossing) -> [u32; 2] {
        let [a, b] = [crossing.edge[0], crossing.triangle[0]].map(|vertex| self.pieces[vertex as usize]);
        [a.min(b), a.max(b)]
    }
}
