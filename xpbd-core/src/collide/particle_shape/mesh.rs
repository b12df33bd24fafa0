//! Triangle meshes: the triangles near a path `[m]`, and the way out of a closed mesh.
//!
//! A mesh that parry marks as oriented is closed and solid; any other is open and has two sides.

use super::near::{Kind, Near, Nearest, resolution};
use super::parity;
use super::path::Path;
use super::pieces::{Pieces, Query};
use super::sweep::{push, sweep};
use super::triangle::{self, Feature};
use super::tube::Tube;
use super::{Touch, Touches};
use glam::Vec3;
use parry3d::partitioning::BvhNode;
use parry3d::shape::{TriMesh, TriMeshPseudoNormals, Triangle};
use smallvec::SmallVec;

/// Less than one by more than the rounding of the distance to a triangle `[1]`.
const PRUNING: f32 = 0.99;

/// Something that can list its triangles near a path.
pub(super) trait Source {
    /// Calls `visit` with every triangle within `reach` `[m]` of the path, and perhaps some more.
    fn visit(&self, path: &Path, reach: f32, visit: impl FnMut(u32, Triangle));
}

/// One triangle near the path.
pub(super) struct Item {
    pub id: u32,
    pub triangle: Triangle,
    pub first: Nearest,
    pub feature: Feature,
}

/// The triangles of a source near a path.
pub(super) struct Triangles<'a, S> {
    source: &'a S,
    pub items: SmallVec<[Item; 16]>,
}

impl<'a, S: Source> Triangles<'a, S> {
    pub fn new(source: &'a S, path: &Path, reach: f32) -> Self {
        let mut set = Self { source, items: SmallVec::new() };
        set.gather(path, reach);
        set
    }

    /// The item nearest to the start of the path, if it is within `reach` `[m]`.
    pub fn nearest(&self, reach: f32) -> Option<&Item> {
        self.items
            .iter()
            .filter(|item| item.first.distance <= reach)
            .min_by(|a, b| a.first.distance.total_cmp(&b.first.distance))
    }
}

impl<S: Source> Pieces for Triangles<'_, S> {
    fn gather(&mut self, path: &Path, reach: f32) -> bool {
        let items = &mut self.items;
        items.clear();
        self.source.visit(path, reach, |id, triangle| {
            let far = reach + path.length;
            if triangle::square(&triangle, path.start) <= far * far {
                let (first, feature) = triangle::near(&triangle, path.start);
                items.push(Item { id, triangle, first, feature });
            }
        });
        true
    }

    fn count(&self) -> usize {
        self.items.len()
    }

    fn near(&self, piece: usize, x: Vec3) -> Nearest {
        self.items[piece].triangle.near(x)
    }

    fn first(&self, piece: usize) -> Nearest {
        self.items[piece].first
    }

    fn kind(&self, _piece: usize) -> Kind {
        Kind::Thin
    }

    fn behind(&self, piece: usize, plane: &Touch, slack: f32) -> bool {
        self.items[piece].triangle.behind(plane, slack)
    }
}

impl Source for TriMesh {
    fn visit(&self, path: &Path, reach: f32, mut visit: impl FnMut(u32, Triangle)) {
        let tube = Tube::new(path, reach);
        for leaf in self.bvh().leaves(|node| tube.meets(node)) {
            visit(leaf, self.triangle(leaf));
        }
    }
}

pub(super) fn touches(mesh: &TriMesh, query: &Query, out: &mut Touches) {
    let path = Path::new(query.from, query.to);
    let mut set = Triangles::new(mesh, &path, query.span());
    if let Some(normals) = mesh.pseudo_normals_if_oriented() {
        let exit = match set.nearest(query.span()) {
            Some(i) => exit(mesh, normals, query.from, i.id, &i.first, i.feature),
            None => deep_exit(mesh, normals, query.from),
        };
        if let Some(plane) = exit {
            push(plane, out);
            return;
        }
    }
    if set.count() > 0 {
        sweep(&mut set, query, out);
    }
}

/// The way out for a point farther from the surface than the triangles gathered.
fn deep_exit(mesh: &TriMesh, normals: &TriMeshPseudoNormals, x: Vec3) -> Option<Touch> {
    if !parity::inside(mesh, x) {
        return None;
    }
    let id = nearest_triangle(mesh, x)?;
    let (first, feature) = triangle::near(&mesh.triangle(id), x);
    exit(mesh, normals, x, id, &first, feature)
}

/// The triangle nearest to `x`; of equally near ones the lowest, in whatever order the tree is visited.
fn nearest_triangle(mesh: &TriMesh, x: Vec3) -> Option<u32> {
    let bound = |node: &BvhNode| x.distance_squared(x.clamp(node.mins(), node.maxs()));
    let cost = |leaf| triangle::square(&mesh.triangle(leaf), x);
    let (_, least) = mesh.bvh().find_best(f32::MAX, |node, _| bound(node), |leaf, _| Some(cost(leaf)))?;
    let leaves = mesh.bvh().leaves(|node| bound(node) * PRUNING <= least);
    let near = leaves.map(|leaf| (cost(leaf), leaf)).filter(|&(square, _)| square <= least);
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, id)| id)
}

/// The plane that leads out of a closed mesh, for a point in it or on its surface.
///
/// The sign of `(x − c)·n̄` with the angle-weighted pseudo-normal n̄ of the nearest feature says
/// whether x is outside (Bærentzen, Aanæs: Signed Distance Computation Using the Angle Weighted
/// Pseudonormal, 2005).
fn exit(
    mesh: &TriMesh,
    normals: &TriMeshPseudoNormals,
    x: Vec3,
    id: u32,
    nearest: &Nearest,
    feature: Feature,
) -> Option<Touch> {
    let face = mesh.triangle(id).scaled_normal();
    let outward = match feature {
        Feature::Face => face,
        Feature::Edge(i) => normals.edges_pseudo_normal[id as usize][i],
        Feature::Vertex(i) => {
            let vertex = mesh.indices()[id as usize][i];
            normals.vertices_pseudo_normal[vertex as usize]
        }
    };
    let normal = if nearest.distance <= resolution(x) {
        outward.try_normalize().or_else(|| face.try_normalize())?
    } else if nearest.normal.dot(outward) < 0.0 {
        -nearest.normal
    } else {
        return None;
    };
    Some(Touch { point: nearest.point, normal })
}
