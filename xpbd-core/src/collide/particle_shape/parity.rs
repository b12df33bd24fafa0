//! Whether a point `[m]` may be inside a closed mesh, by counting crossings along one axis.
//!
//! Cheaper than the nearest feature and only asked far from the surface. Every edge is evaluated
//! with its ends in the same order by both of its triangles, so that the count leaks nowhere.

use glam::{Vec2, Vec3};
use parry3d::shape::{TriMesh, Triangle};

/// A ray along one axis, to the side where the bounds of the mesh are nearest.
struct Ray {
    origin: Vec3,
    axis: usize,
    sign: f32,
}

pub(super) fn inside(mesh: &TriMesh, x: Vec3) -> bool {
    let bounds = mesh.bvh().root_aabb();
    if x.cmplt(bounds.mins).any() || x.cmpgt(bounds.maxs).any() {
        return false;
    }
    let (below, above) = (x - bounds.mins, bounds.maxs - x);
    let ways = (0..6).map(|k| [below, above][k / 3][k % 3]);
    let shortest = ways.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let way = shortest.map_or(0, |(k, _)| k);
    let ray = Ray { origin: x, axis: way % 3, sign: if way < 3 { -1.0 } else { 1.0 } };
    let leaves = mesh.bvh().leaves(|node| ray.passes(node.mins(), node.maxs()));
    let crossings = leaves.filter(|&leaf| ray.crosses(&mesh.triangle(leaf)));
    crossings.count() % 2 == 1
}

impl Ray {
    /// Returns the two coordinates across the ray.
    fn flat(&self, p: Vec3) -> Vec2 {
        Vec2::new(p[(self.axis + 1) % 3], p[(self.axis + 2) % 3])
    }

    fn passes(&self, mins: Vec3, maxs: Vec3) -> bool {
        let far = if self.sign > 0.0 { maxs } else { mins };
        let beyond = self.sign * (far[self.axis] - self.origin[self.axis]) >= 0.0;
        let p = self.flat(self.origin);
        let covered = self.flat(mins).cmple(p).all() && self.flat(maxs).cmpge(p).all();
        beyond && covered
    }

    fn crosses(&self, t: &Triangle) -> bool {
        let p = self.flat(self.origin);
        let [a, b, c] = [t.a, t.b, t.c].map(|v| self.flat(v));
        if !(beside(p, a, b) ^ beside(p, b, c) ^ beside(p, c, a)) {
            return false;
        }
        let normal = (t.b - t.a).cross(t.c - t.a);
        let height = normal.dot(t.a - self.origin);
        height * normal[self.axis] * self.sign > 0.0
    }
}

/// Returns whether the horizontal line from `p` to the right crosses the edge.
fn beside(p: Vec2, a: Vec2, b: Vec2) -> bool {
    if (a.y > p.y) == (b.y > p.y) {
        return false;
    }
    let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
    (high - low).perp_dot(p - low) > 0.0
}
