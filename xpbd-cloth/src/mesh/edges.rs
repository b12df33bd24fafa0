//! The edges of a mesh and the triangles on either side of them.

use super::MeshError;

/// A triangle beside an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeSide {
    /// Index of the triangle.
    pub triangle: u32,
    /// Vertex of the triangle that is not on the edge.
    pub opposite: u32,
}

/// An edge: two vertices that a triangle joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Ends of the edge, in the direction in which the first triangle runs through it.
    pub vertices: [u32; 2],
    /// The first triangle at the edge.
    pub first: EdgeSide,
    /// Second triangle, which runs through the edge the other way; none at the boundary.
    pub second: Option<EdgeSide>,
}

/// A flap: two triangles that share an edge.
///
/// ```text
///        2
///      / first \
///     0 ------> 1
///      \ second/
///        3
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flap {
    /// Ends of the edge, then the vertices opposite it in the first and the second triangle.
    pub vertices: [u32; 4],
    /// First and second triangle.
    pub triangles: [u32; 2],
}

impl Edge {
    /// Returns the edge with the triangles on both sides, if there are two.
    pub fn flap(&self) -> Option<Flap> {
        let [a, b] = self.vertices;
        self.second.map(|second| Flap {
            vertices: [a, b, self.first.opposite, second.opposite],
            triangles: [self.first.triangle, second.triangle],
        })
    }
}

const NONE: u32 = u32::MAX;

/// Returns all edges in the order in which the triangles first run through them.
///
/// The edges of each lower vertex form a chain in which a new edge is looked up. That takes a few
/// steps, and no order but that of the mesh enters.
pub(super) fn find(vertices: usize, triangles: &[[u32; 3]]) -> Result<Vec<Edge>, MeshError> {
    let mut heads = vec![NONE; vertices];
    let mut next: Vec<u32> = Vec::with_capacity(triangles.len() * 3 / 2);
    let mut edges: Vec<Edge> = Vec::with_capacity(triangles.len() * 3 / 2);
    let mut errors: Vec<MeshError> = Vec::new();
    for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
        for (vertices, opposite) in [([a, b], c), ([b, c], a), ([c, a], b)] {
            let side = EdgeSide { triangle: triangle as u32, opposite };
            let head = &mut heads[vertices[0].min(vertices[1]) as usize];
            let mut place = *head;
            while place != NONE && !joins(&edges[place as usize], vertices) {
                place = next[place as usize];
            }
            if place == NONE {
                next.push(*head);
                *head = edges.len() as u32;
                edges.push(Edge { vertices, first: side, second: None });
            } else {
                errors.extend(add_side(&mut edges[place as usize], vertices, side).err());
            }
        }
    }
    let shared = errors.iter().find(|error| matches!(error, MeshError::SharedEdge { .. }));
    match shared.or(errors.first()) {
        Some(&error) => Err(error),
        None => Ok(edges),
    }
}

fn joins(edge: &Edge, [a, b]: [u32; 2]) -> bool {
    edge.vertices == [a, b] || edge.vertices == [b, a]
}

fn add_side(edge: &mut Edge, vertices: [u32; 2], side: EdgeSide) -> Result<(), MeshError> {
    let first = edge.first.triangle;
    if let Some(second) = edge.second {
        let triangles = [first, second.triangle, side.triangle];
        return Err(MeshError::SharedEdge { edge: edge.vertices, triangles });
    }
    edge.second = Some(side);
    if edge.vertices == vertices {
        return Err(MeshError::Winding { edge: vertices, triangles: [first, side.triangle] });
    }
    Ok(())
}
