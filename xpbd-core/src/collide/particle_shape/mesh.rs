//! Triangle meshes: the triangles near a path `[m]`, and the way out of a closed mesh.
//!
//! A mesh that parry marks as oriented is closed and solid; any other is open and has two sides.

use super::near::{NearestFeature, NearestPoint, PieceKind, resolution};
use super::parity;
use super::path::ParticlePath;
use super::pieces::{PathQuery, Pieces};
use super::sweep::{push_plane, sweep};
use super::triangle::{self, TriangleFeature};
use super::tube::Tube;
use super::{ContactPlane, ContactPlanes};
use glam::Vec3;
use parry3d::partitioning::BvhNode;
use parry3d::shape::{TriMesh, TriMeshPseudoNormals, Triangle};
use smallvec::SmallVec;

/// Less than one by more than the rounding of the distance to a triangle `[1]`.
pub const PRUNING: f32 = 0.99;

/// Something that can list its triangles near a path.
pub(super) trait TriangleSource {
    /// Calls `visit` with every triangle within `reach` `[m]` of the path, and perhaps some more.
    fn visit(&self, path: &ParticlePath, reach: f32, visit: impl FnMut(u32, Triangle));
}

/// One triangle near the path.
pub(super) struct NearTriangle {
    pub id: u32,
    pub triangle: Triangle,
    pub first: NearestFeature,
    pub feature: TriangleFeature,
}

/// The triangles of a source near a path.
pub(super) struct NearTriangles<'a, S> {
    source: &'a S,
    pub items: SmallVec<[NearTriangle; 16]>,
}

impl<'a, S: TriangleSource> NearTriangles<'a, S> {
    pub fn new(source: &'a S, path: &ParticlePath, reach: f32) -> Self {
        let mut set = Self { source, items: SmallVec::new() };
        set.gather(path, reach);
        set
    }

    /// Returns the item nearest to the start of the path, if it is within `reach` `[m]`.
    pub fn nearest(&self, reach: f32) -> Option<&NearTriangle> {
        self.items
            .iter()
            .filter(|item| item.first.distance <= reach)
            .min_by(|a, b| a.first.distance.total_cmp(&b.first.distance))
    }
}

impl<S: TriangleSource> Pieces for NearTriangles<'_, S> {
    fn gather(&mut self, path: &ParticlePath, reach: f32) -> bool {
        let items = &mut self.items;
        items.clear();
        self.source.visit(path, reach, |id, triangle| {
            let far = reach + path.length;
            if triangle::square(&triangle, path.start) <= far * far {
                let (first, feature) = triangle::near(&triangle, path.start);
                items.push(NearTriangle { id, triangle, first, feature });
            }
        });
        true
    }

    fn count(&self) -> usize {
        self.items.len()
    }

    fn near(&self, piece: usize, x: Vec3) -> NearestFeature {
        self.items[piece].triangle.near(x)
    }

    fn first(&self, piece: usize) -> NearestFeature {
        self.items[piece].first
    }

    fn kind(&self, _piece: usize) -> PieceKind {
        PieceKind::Thin
    }

    fn behind(&self, piece: usize, plane: &ContactPlane, slack: f32) -> bool {
        self.items[piece].triangle.behind(plane, slack)
    }
}

impl TriangleSource for TriMesh {
    fn visit(&self, path: &ParticlePath, reach: f32, mut visit: impl FnMut(u32, Triangle)) {
        let tube = Tube::new(path, reach);
        for leaf in self.bvh().leaves(|node| tube.meets(node)) {
            visit(leaf, self.triangle(leaf));
        }
    }
}

pub(super) fn contact_planes(mesh: &TriMesh, query: &PathQuery, out: &mut ContactPlanes) {
    let path = ParticlePath::new(query.from, query.to);
    let mut set = NearTriangles::new(mesh, &path, query.span());
    if let Some(normals) = mesh.pseudo_normals_if_oriented() {
        let exit = match set.nearest(query.span()) {
            Some(i) => exit(mesh, normals, query.from, i.id, &i.first, i.feature),
            None => deep_exit(mesh, normals, query.from),
        };
        if let Some(plane) = exit {
            push_plane(plane, out);
            return;
        }
    }
    if set.count() > 0 {
        sweep(&mut set, query, out);
    }
}

/// Returns the way out for a point farther from the surface than the triangles gathered.
fn deep_exit(mesh: &TriMesh, normals: &TriMeshPseudoNormals, x: Vec3) -> Option<ContactPlane> {
    if !parity::inside(mesh, x) {
        return None;
    }
    let id = nearest_triangle(mesh, x)?;
    let (first, feature) = triangle::near(&mesh.triangle(id), x);
    exit(mesh, normals, x, id, &first, feature)
}

/// Returns the triangle nearest to `x`; of equally near ones the lowest, in whatever order the tree is visited.
fn nearest_triangle(mesh: &TriMesh, x: Vec3) -> Option<u32> {
    let bound = |node: &BvhNode| x.distance_squared(x.clamp(node.mins(), node.maxs()));
    let cost = |leaf| triangle::square(&mesh.triangle(leaf), x);
    let (_, least) = mesh.bvh().find_best(f32::MAX, |node, _| bound(node), |leaf, _| Some(cost(leaf)))?;
    let leaves = mesh.bvh().leaves(|node| bound(node) * PRUNING <= least);
    let near = leaves.map(|leaf| (cost(leaf), leaf)).filter(|&(square, _)| square <= least);
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, id)| id)
}

/// Returns the plane that leads out of a closed mesh, for a point in it or on its surface.
///
/// The sign of `(x − c)·n̄` with the angle-weighted pseudo-normal n̄ of the nearest feature says
/// whether x is outside (Bærentzen, Aanæs: Signed Distance Computation Using the Angle Weighted
/// Pseudonormal, 2005).
fn exit(
    mesh: &TriMesh,
    normals: &TriMeshPseudoNormals,
    x: Vec3,
    id: u32,
    nearest: &NearestFeature,
    feature: TriangleFeature,
) -> Option<ContactPlane> {
    let face = mesh.triangle(id).scaled_normal();
    let outward = match feature {
        TriangleFeature::Face => face,
        TriangleFeature::Edge(i) => normals.edges_pseudo_normal[id as usize][i],
        TriangleFeature::Vertex(i) => {
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
    Some(ContactPlane { point: nearest.point, normal })
}
