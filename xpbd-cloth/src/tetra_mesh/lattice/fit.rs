//! The fit of a lattice to its surface.
//!
//! Nodes on the border of the lattice move to the nearest point of the surface, and others to the middle of their
//! neighbours, each only as far as the tetrahedra around it keep their shape and size. This is the guarded smoothing of
//! \[Freitag97\] On Combining Laplacian and Optimization-Based Mesh Smoothing Techniques. A border node whose tetrahedra
//! are worse than they should be slides along the surface.

use glam::DVec3;
use parry3d::query::PointQuery;
use parry3d::shape::TriMesh;
use smallvec::SmallVec;

use super::super::TetraMesh;

/// The number of times that all nodes are moved; more change nothing that can be seen.
const ROUNDS: usize = 10;
/// Parts of a move that are tried \[1\].
const PARTS: [f64; 5] = [1.0, 0.75, 0.5, 0.25, 0.1];
/// The least quality that the fit may leave \[1\].
const WORST: f64 = 0.6;
/// The quality \[1\] above which a node inside may lose some for evenness, and one on the border does not slide.
const GOOD: f64 = 0.7;
/// The gain of quality for which a node on the border leaves its place \[1\].
const GAIN: f64 = 1e-3;
/// The distance below which a node stays, in half cells.
const STAY: f64 = 1e-3;

/// Returns the positions of the nodes of a lattice in its own coordinates, where all of its tetrahedra have the same
/// volume, moved so that its border is on the surface.
pub(super) fn positions(lattice: &TetraMesh, surface: &TriMesh) -> Vec<DVec3> {
    let mut nodes = Nodes::new(lattice);
    for _ in 0..ROUNDS {
        for node in 0..nodes.positions.len() {
            if nodes.on_border[node] {
                nodes.move_to(node, nearest(surface, nodes.positions[node]), WORST);
            }
        }
        for node in 0..nodes.positions.len() {
            let middle = nodes.middle_of_neighbours(node);
            if !nodes.on_border[node] {
                nodes.move_to(node, middle, nodes.quality_around(node).min(GOOD));
            } else if nodes.quality_around(node) < GOOD {
                nodes.move_to(node, nearest(surface, middle), nodes.quality_around(node) + GAIN);
            }
        }
    }
    nodes.positions
}

/// Returns the point of the surface that is nearest to this one.
fn nearest(surface: &TriMesh, point: DVec3) -> DVec3 {
    surface.project_local_point(point.as_vec3(), false).point.as_dvec3()
}

/// The nodes of a lattice and what is around each.
struct Nodes<'a> {
    tetrahedra: &'a [[u32; 4]],
    /// Volume of each tetrahedron at first.
    volume: f64,
    positions: Vec<DVec3>,
    on_border: Vec<bool>,
    /// The tetrahedra of each node.
    around: Vec<SmallVec<[u32; 24]>>,
    /// The nodes at the other ends of its edges; of those on the border, of the edges there.
    neighbours: Vec<SmallVec<[u32; 14]>>,
}

impl<'a> Nodes<'a> {
    fn new(lattice: &'a TetraMesh) -> Self {
        let count = lattice.positions().len();
        let mut on_border = vec![false; count];
        lattice.surface().as_flattened().iter().for_each(|&node| on_border[node as usize] = true);
        let mut around = vec![SmallVec::new(); count];
        for (tetrahedron, number) in lattice.tetrahedra().iter().zip(0..) {
            tetrahedron.iter().for_each(|&node| around[node as usize].push(number));
        }
        let mut neighbours = vec![SmallVec::new(); count];
        let edges = lattice.edges().into_iter().flat_map(|[a, b]| [[a, b], [b, a]]);
        let inside = edges.filter(|[node, _]| !on_border[*node as usize]);
        // Each edge of the border belongs to two triangles, which run through it in opposite directions.
        let border = lattice.surface().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        inside.chain(border).for_each(|[node, other]| neighbours[node as usize].push(other));
        Self {
            tetrahedra: lattice.tetrahedra(),
            volume: lattice.volumes().next().map_or(1.0, f64::from),
            positions: lattice.positions().iter().map(|x| x.as_dvec3()).collect(),
            on_border,
            around,
            neighbours,
        }
    }

    /// Moves a node toward a place as far as the quality around it stays at least this, or not at all.
    fn move_to(&mut self, node: usize, place: DVec3, least: f64) {
        let from = self.positions[node];
        if from.distance_squared(place) < STAY * STAY {
            return;
        }
        for part in PARTS {
            self.positions[node] = from + part * (place - from);
            if self.quality_around(node) >= least {
                return;
            }
        }
        self.positions[node] = from;
    }

    fn middle_of_neighbours(&self, node: usize) -> DVec3 {
        let all = &self.neighbours[node];
        all.iter().map(|&other| self.positions[other as usize]).sum::<DVec3>() / all.len() as f64
    }

    /// Returns the quality \[1\] of the worst tetrahedron around a node.
    fn quality_around(&self, node: usize) -> f64 {
        let qualities = self.around[node].iter().map(|&tetrahedron| self.quality(tetrahedron));
        qualities.fold(f64::INFINITY, f64::min)
    }

    /// Returns the quality of a tetrahedron \[1\]: its mean ratio 12 (3 V)^⅔ / Σ l², which is 1 where all edges are equal
    /// (Liu and Joe, *Relationship between tetrahedron shape measures*, 1994), but at most twice its volume as a part of
    /// that in the lattice. Negative or zero if it is inverted.
    fn quality(&self, tetrahedron: u32) -> f64 {
        let corners = self.tetrahedra[tetrahedron as usize].map(|node| self.positions[node as usize]);
        let [a, b, c, d] = corners;
        let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
        let squares = [b - a, c - a, d - a, c - b, d - b, d - c].map(DVec3::length_squared);
        let root = libm::cbrt(3.0 * volume.max(0.0));
        let ratio = 12.0 * root * root / squares.iter().sum::<f64>();
        ratio.min(2.0 * volume / self.volume)
    }
}
