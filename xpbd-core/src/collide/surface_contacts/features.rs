//! Vertices, edges and triangles of all surfaces, and a tree of boxes over the triangles.
//!
//! The tree is made of the rest shape and only grows and shrinks with the motion: what is near in a sheet
//! stays near. It is a function of the world as it is, not of how it came to be so, and with it the order
//! in which pairs are found.

use std::ops::Range;

use glam::Vec3;
use parry3d::bounding_volume::Aabb;

use super::closed_sheets::ClosedSheets;
use super::sheets::sheets;
use super::swept_box::SweptBox;
use crate::object::ObjectState;
use crate::particles::Particles;

/// Largest number of triangles of a leaf.
const LEAF: usize = 4;

/// The features of all surfaces of a world.
#[derive(Debug, Default)]
pub struct SurfaceFeatures {
    /// Triangles in the order of the leaves.
    pub triangles: Vec<SurfaceTriangle>,
    /// World indices of all vertices, sorted.
    pub vertices: Vec<u32>,
    /// A tree for each surface after the other, each in depth-first order.
    pub nodes: Vec<TreeNode>,
    /// Indices of the leaves among the nodes.
    pub leaves: Vec<u32>,
    /// The tree of each surface with triangles.
    pub trees: Vec<SurfaceTree>,
    /// Objects whose particles meet triangles as balls: the index in the order of objects, and its particles.
    pub balls: Vec<(u32, Range<usize>)>,
    /// The corners of each triangle and its sheet, sorted.
    sheet_of: Vec<([u32; 3], i32)>,
    /// The number of the sheet of each vertex, sorted like these.
    sheet_of_vertex: Vec<u32>,
    /// The sheets that are closed.
    pub closed_sheets: ClosedSheets,
    /// Number of sheets.
    sheets: u32,
}

/// The tree of one surface.
#[derive(Debug, Clone)]
pub struct SurfaceTree {
    /// Index of its object in the order of objects.
    pub owner: u32,
    /// Its nodes, the root first.
    pub nodes: Range<usize>,
    /// True if one of its sheets is closed.
    pub is_closed: bool,
}

/// A triangle of a surface.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceTriangle {
    /// World indices of the corners, as given.
    pub corners: [u32; 3],
    /// Index of its object in the order of objects.
    pub owner: u32,
    /// True for each corner that no earlier triangle has.
    pub vertices: [bool; 3],
    /// True for each edge, from one corner to the next, that no earlier triangle has.
    pub edges: [bool; 3],
    /// Its [sheet](sheets), by number; negative where it is wound against it.
    pub sheet: i32,
}

impl SurfaceTriangle {
    /// Returns an edge, the lower vertex first.
    pub fn edge(&self, number: usize) -> [u32; 2] {
        let (a, b) = (self.corners[number], self.corners[(number + 1) % 3]);
        [a.min(b), a.max(b)]
    }
}

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeNode {
    /// Index of the next node that is not below this one.
    pub skip: u32,
    /// First triangle of a leaf.
    pub first: u32,
    /// Number of triangles of a leaf, 0 for another node.
    pub count: u32,
}

impl TreeNode {
    /// Returns the triangles of a leaf, none for another node.
    pub fn triangles(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl SurfaceFeatures {
    /// Calls `visit` with the index and the triangles of each of the nodes for which `is_near` holds and has held for those above.
    pub fn visit_nodes(
        &self,
        nodes: Range<usize>,
        is_near: impl Fn(usize) -> bool,
        mut visit: impl FnMut(usize, Range<usize>),
    ) {
        let mut place = nodes.start;
        while place < nodes.end {
            let node = &self.nodes[place];
            if is_near(place) {
                visit(place, node.triangles());
                place += 1;
            } else {
                place = node.skip as usize;
            }
        }
    }

    /// Collects the features of all objects in order, except frozen ones.
    pub fn of(objects: &[&ObjectState], particles: &Particles) -> Self {
        let mut this = Self::default();
        for (owner, object) in objects.iter().enumerate().filter(|(_, object)| !object.frozen) {
            let Some(surface) = &object.surface else {
                this.balls.push((owner as u32, object.range.clone()));
                continue;
            };
            let world = |corner: u32| object.range.start as u32 + corner;
            let corners: Vec<[u32; 3]> = surface.triangles.iter().map(|corners| corners.map(world)).collect();
            this.add(owner as u32, &corners, particles);
        }
        this.vertices = this.triangles.iter().flat_map(|triangle| triangle.corners).collect();
        this.vertices.sort_unstable();
        this.vertices.dedup();
        this.sheet_of = this.triangles.iter().map(|triangle| (triangle.corners, triangle.sheet)).collect();
        this.sheet_of.sort_unstable();
        this.sheet_of_vertex = vec![0; this.vertices.len()];
        for (corners, sheet) in &this.sheet_of {
            for place in corners.iter().filter_map(|corner| this.vertices.binary_search(corner).ok()) {
                this.sheet_of_vertex[place] = sheet.unsigned_abs();
            }
        }
        this
    }

    /// Returns the [sheet](SurfaceTriangle::sheet) of the triangle with these corners.
    pub fn sheet_of(&self, corners: [u32; 3]) -> Option<i32> {
        let place = self.sheet_of.binary_search_by_key(&corners, |(corners, _)| *corners).ok()?;
        Some(self.sheet_of[place].1)
    }

    /// Returns the number of the sheet of a vertex; of several, that of its last triangle.
    pub fn sheet_of_vertex(&self, vertex: u32) -> u32 {
        self.vertices.binary_search(&vertex).map_or(0, |place| self.sheet_of_vertex[place])
    }

    /// Returns the number of each sheet with its first vertex.
    pub fn first_vertices(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut seen = vec![false; self.sheets as usize + 1];
        let all = self.sheet_of_vertex.iter().zip(&self.vertices).map(|(&sheet, &vertex)| (sheet, vertex));
        all.filter(move |(sheet, _)| !std::mem::replace(&mut seen[*sheet as usize], true))
    }

    fn add(&mut self, owner: u32, corners: &[[u32; 3]], particles: &Particles) {
        let first = self.triangles.len();
        let (vertices, edges) = ([false; 3], [false; 3]);
        let sheets = sheets(corners, 1 + self.sheets as i32);
        self.sheets = sheets.iter().map(|sheet| sheet.unsigned_abs()).max().unwrap_or(self.sheets);
        let is_closed = self.closed_sheets.add(corners, &sheets, particles);
        let all = corners.iter().zip(sheets);
        self.triangles.extend(all.map(|(&corners, sheet)| SurfaceTriangle { corners, owner, vertices, edges, sheet }));
        let triangles = &mut self.triangles[first..];
        share_out(triangles, |triangle, k| [triangle.corners[k]; 2], |triangle, k| triangle.vertices[k] = true);
        share_out(triangles, SurfaceTriangle::edge, |triangle, k| triangle.edges[k] = true);
        if !corners.is_empty() {
            let root = self.nodes.len();
            self.split(first, self.triangles.len(), particles);
            self.trees.push(SurfaceTree { owner, nodes: root..self.nodes.len(), is_closed });
        }
    }

    /// Adds the nodes over some triangles, which it sorts.
    fn split(&mut self, first: usize, end: usize, particles: &Particles) {
        let place = self.nodes.len();
        let count = end - first;
        let is_leaf = count <= LEAF;
        self.nodes.push(TreeNode { skip: 0, first: first as u32, count: if is_leaf { count as u32 } else { 0 } });
        if is_leaf {
            self.leaves.push(place as u32);
        } else {
            let triangles = &mut self.triangles[first..end];
            let center = |triangle: &SurfaceTriangle| {
                triangle.corners.iter().map(|&k| particles.rest_positions[k as usize]).sum::<Vec3>()
            };
            let bounds = Aabb::from_points(triangles.iter().map(center));
            let axis = bounds.extents().max_position();
            // Corners of equal centres differ, or the triangles are the same.
            triangles.select_nth_unstable_by(count / 2, |a, b| {
                center(a)[axis].total_cmp(&center(b)[axis]).then_with(|| a.corners.cmp(&b.corners))
            });
            self.split(first, first + count / 2, particles);
            self.split(first + count / 2, end, particles);
        }
        self.nodes[place].skip = self.nodes.len() as u32;
    }

    /// Computes the boxes of those nodes that `changes`, given those of the triangles.
    pub fn refit(&self, triangles: &[SweptBox], boxes: &mut [SweptBox], changes: impl Fn(usize) -> bool) {
        for (place, node) in self.nodes.iter().enumerate().rev().filter(|(place, _)| changes(*place)) {
            boxes[place] = if node.count > 0 {
                let all = &triangles[node.triangles()];
                all.iter().fold(SweptBox::EMPTY, |sum, one| sum.merged(one))
            } else {
                let second = self.nodes[place + 1].skip as usize;
                boxes[place + 1].merged(&boxes[second])
            };
        }
    }
}

/// Gives each feature, of which a triangle has three, to the first triangle that has it.
fn share_out<K: Ord>(
    triangles: &mut [SurfaceTriangle],
    of: impl Fn(&SurfaceTriangle, usize) -> K,
    mut give: impl FnMut(&mut SurfaceTriangle, usize),
) {
    let mut all: Vec<(K, usize, usize)> = Vec::with_capacity(3 * triangles.len());
    for (number, triangle) in triangles.iter().enumerate() {
        all.extend([0, 1, 2].map(|k| (of(triangle, k), number, k)));
    }
    all.sort_unstable();
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        give(&mut triangles[group[0].1], group[0].2);
    }
}
