//! The coarse vertices of a sheet, their pairs, and the weights by which they move the others.

use glam::{DMat3, DVec3};
use xpbd_core::batch::BatchError;
use xpbd_core::schedule::Colouring;

use super::NAME;
use crate::mesh::Mesh;
use crate::mesh::geodesic::{self, GeodesicPath};

/// Distances of neighbours \[edges\], from the finest level to the coarsest.
const SPACINGS: [f32; 2] = [4.0, 16.0];

/// Vertices that a level needs: with fewer there is little that it could move.
const LEAST_VERTICES: usize = 6;

/// Neighbours that each vertex of a level forms pairs with.
const NEIGHBOURS: usize = 8;

/// The most parents of a vertex.
pub(super) const PARENTS: usize = 4;

/// The lowest weight of a parent \[1\]: beyond the edge of a level, weights of both signs continue it.
const LOWEST_WEIGHT: f64 = -0.3;

/// Part of a pair's distance by which it may grow. Without it pairs and edges that are both taut excite each other.
const SLACK: f32 = 0.002;

/// Relative size of what makes the moments of flat and straight neighbourhoods regular.
const REGULAR: f64 = 1e-3;

/// Coarse vertices of a sheet, level by level, the coarsest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Hierarchy {
    /// The levels.
    pub levels: Vec<Level>,
    /// The vertex of the mesh that each coarse vertex is.
    pub nodes: Vec<u32>,
    /// Parents of each coarse vertex in the level above; none in the coarsest.
    pub parents: Vec<Parents>,
    /// Parents of each vertex of the mesh in the finest level.
    pub mesh_parents: Vec<Parents>,
    /// Pairs by level and colour.
    pub pairs: Vec<Pair>,
    /// First entry of each coarse vertex in `children`, and behind the last.
    pub child_begins: Vec<u32>,
    /// Children of the coarse vertices: coarse vertices of the next level, or vertices of the mesh.
    pub children: Vec<Child>,
}

/// A level of coarse vertices.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    /// The first of its vertices among all coarse vertices, and behind the last.
    pub vertices: [u32; 2],
    /// First pair of each colour, and behind the last.
    pub colours: Vec<u32>,
}

/// The coarse vertices that move a vertex, nearest first, with their weights \[1\]; weights of missing ones are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parents {
    pub vertices: [u32; PARENTS],
    pub weights: [f32; PARENTS],
}

/// A vertex that a coarse vertex moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Child {
    pub vertex: u32,
    /// Weight of the parent \[1\].
    pub weight: f32,
    /// True if the parent is the nearest one.
    pub is_nearest: bool,
}

/// Two coarse vertices of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    pub ends: [u32; 2],
    /// d \[m\].
    pub max_distance: f32,
}

impl Level {
    /// Returns the numbers of its vertices.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.vertices[0] as usize..self.vertices[1] as usize
    }

    /// Returns the places of its pairs.
    pub fn pair_range(&self) -> std::ops::Range<usize> {
        let [first, end] = [self.colours.first(), self.colours.last()].map(|place| place.map_or(0, |&k| k as usize));
        first..end
    }
}

impl Hierarchy {
    /// Builds the levels of a sheet; none if it is too small. Pins come first where coarse vertices are chosen, and a strain
    /// \[1\] is what the sheet gives under its weight.
    pub fn new(mesh: &Mesh, pins: &[u32], strain: f32) -> Option<Self> {
        let samples = samples(mesh, pins);
        let mut hierarchy = Self::default();
        for (number, sample) in samples.iter().enumerate() {
            let first = hierarchy.nodes.len() as u32;
            let paths = geodesic::nearest_sources(mesh, sample, NEIGHBOURS + 1);
            if number == 0 {
                hierarchy.parents = vec![Parents::default(); sample.len()];
            }
            hierarchy.add_level(sample, &paths, (1.0 + strain) * (1.0 + SLACK));
            let parents = |vertex: u32| parents(mesh, vertex, sample, first, &paths[vertex as usize]);
            match samples.get(number + 1) {
                Some(below) => hierarchy.parents.extend(below.iter().map(|&vertex| parents(vertex))),
                None => hierarchy.mesh_parents = (0..mesh.positions().len() as u32).map(parents).collect(),
            }
        }
        (!samples.is_empty()).then(|| hierarchy.with_children())
    }

    /// Adds a level of these vertices of the mesh, ascending, with a pair for each and its nearest neighbours.
    fn add_level(&mut self, sample: &[u32], paths: &[Vec<GeodesicPath>], stretch: f32) {
        let first = self.nodes.len() as u32;
        let mut pairs = Vec::new();
        for (&vertex, a) in sample.iter().zip(first..) {
            for path in paths[vertex as usize].iter().filter(|path| path.source != vertex).take(NEIGHBOURS) {
                if let Ok(place) = sample.binary_search(&path.source) {
                    let b = first + place as u32;
                    pairs.push(Pair { ends: [a.min(b), a.max(b)], max_distance: path.length * stretch });
                }
            }
        }
        pairs.sort_by(|a, b| a.ends.cmp(&b.ends).then(a.max_distance.total_cmp(&b.max_distance)));
        pairs.dedup_by_key(|pair| pair.ends);
        let ends: Vec<[u32; 2]> = pairs.iter().map(|pair| pair.ends.map(|end| end - first)).collect();
        let crowded = vec![false; sample.len()];
        let Colouring { colour, .. } = Colouring::first_fit(&crowded, ends.iter().map(|ends| &ends[..]), u32::MAX);
        let mut order: Vec<usize> = (0..pairs.len()).filter(|&k| colour[k] != Colouring::REMAINDER).collect();
        order.sort_by_key(|&k| colour[k]);
        let mut colours = Vec::new();
        for group in order.chunk_by(|&a, &b| colour[a] == colour[b]) {
            colours.push(self.pairs.len() as u32);
            self.pairs.extend(group.iter().map(|&k| pairs[k]));
        }
        colours.push(self.pairs.len() as u32);
        self.nodes.extend(sample);
        self.levels.push(Level { vertices: [first, self.nodes.len() as u32], colours });
    }

    /// Lists what each coarse vertex moves.
    pub fn with_children(mut self) -> Self {
        let mut lists = vec![Vec::new(); self.nodes.len()];
        for (parents, vertex) in self.parents.iter().zip(0..).chain(self.mesh_parents.iter().zip(0..)) {
            for (k, (&parent, &weight)) in parents.vertices.iter().zip(&parents.weights).enumerate() {
                if weight != 0.0 {
                    lists[parent as usize].push(Child { vertex, weight, is_nearest: k == 0 });
                }
            }
        }
        (self.child_begins, self.children) = (vec![0], Vec::new());
        for list in lists {
            self.children.extend(list);
            self.child_begins.push(self.children.len() as u32);
        }
        self
    }

    /// Returns the children of a coarse vertex.
    pub fn children_of(&self, coarse: usize) -> &[Child] {
        &self.children[self.child_begins[coarse] as usize..self.child_begins[coarse + 1] as usize]
    }

    /// Refuses vertices that do not exist.
    pub fn validate(&self, count: usize) -> Result<(), BatchError> {
        if let Some(constraint) = self.nodes.iter().position(|&node| node as usize >= count) {
            let index = self.nodes[constraint];
            return Err(BatchError::Index { name: NAME.into(), constraint, what: "particle", index, count });
        }
        if self.mesh_parents.len() > count {
            let (what, found) = ("vertices", self.mesh_parents.len());
            return Err(BatchError::Length { name: NAME.into(), what, found, count, each: 1 });
        }
        Ok(())
    }
}

/// Returns the vertices of each level in ascending order, the coarsest level first.
fn samples(mesh: &Mesh, pins: &[u32]) -> Vec<Vec<u32>> {
    let mut lengths: Vec<f32> =
        mesh.edges().iter().map(|edge| mesh.at(edge.vertices)).map(|[a, b]| a.distance(b)).collect();
    lengths.sort_unstable_by(f32::total_cmp);
    // The median: on a grid, the length of its rows and columns.
    let edge = lengths.get(lengths.len() / 2).copied().unwrap_or(0.0);
    let mut all: Vec<u32> = pins.iter().copied().chain(0..mesh.positions().len() as u32).collect();
    let mut samples = Vec::new();
    for spacing in SPACINGS {
        // A grid has vertices at this very distance, which rounding may shorten.
        let sample = geodesic::thin_out(mesh, &all, 0.999 * spacing * edge);
        if sample.len() < LEAST_VERTICES {
            break;
        }
        let is_pin = |vertex: &u32| pins.contains(vertex);
        all = sample.iter().copied().filter(is_pin).chain(sample.iter().copied()).collect();
        samples.insert(0, sample);
    }
    samples
}

/// Returns the parents of a vertex with these paths to the nearest of the vertices of a level, the first of which has the
/// number `first`.
fn parents(mesh: &Mesh, vertex: u32, level: &[u32], first: u32, paths: &[GeodesicPath]) -> Parents {
    let reach = f64::from(paths.get(PARENTS).or(paths.last()).map_or(0.0, |path| path.length));
    let paths = &paths[..paths.len().min(PARENTS)];
    let at = |vertex: u32| mesh.positions()[vertex as usize].as_dvec3();
    let around: Vec<(DVec3, f64)> = paths
        .iter()
        .map(|path| (at(path.source) - at(vertex), (1.0 - f64::from(path.length) / reach).max(0.0).powi(2)))
        .collect();
    let mut parents = Parents::default();
    for (k, path) in paths.iter().enumerate() {
        parents.vertices[k] = level.binary_search(&path.source).map_or(0, |place| first + place as u32);
    }
    let weights = match paths.first() {
        Some(nearest) if nearest.length > 0.0 => linear_weights(&around),
        _ => vec![],
    };
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        parents.weights.iter_mut().zip(&weights).for_each(|(to, weight)| *to = (weight / sum) as f32);
    } else if !paths.is_empty() {
        parents.weights[0] = 1.0;
    }
    parents
}

/// Returns weights of neighbours at these offsets \[m\], from the weights of their distances: by moving least squares, so
/// that a field that is linear along the sheet is handed down exactly where the neighbours surround the vertex.
fn linear_weights(around: &[(DVec3, f64)]) -> Vec<f64> {
    let (mut moments, mut mean) = (DMat3::ZERO, DVec3::ZERO);
    for &(offset, weight) in around {
        moments += DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z) * weight;
        mean += offset * weight;
    }
    let size = moments.x_axis.x + moments.y_axis.y + moments.z_axis.z;
    let slope = (moments + DMat3::from_diagonal(DVec3::splat(REGULAR * size))).inverse() * -mean;
    let weights: Vec<f64> = around.iter().map(|&(offset, weight)| weight * (1.0 + slope.dot(offset))).collect();
    let sum: f64 = weights.iter().sum();
    if weights.iter().any(|&weight| weight < LOWEST_WEIGHT * sum) {
        return weights.iter().map(|weight| weight.max(0.0)).collect();
    }
    weights
}
