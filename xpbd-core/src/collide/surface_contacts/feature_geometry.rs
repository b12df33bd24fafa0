//! Geometry of a vertex, or another particle, and a triangle, or of two edges: how far apart they are, and on which side.
//!
//! Four points are held relative to the first. Six times the signed volume of their tetrahedron,
//!
//! ```text
//! V = −N·a, N = (b − a) × (c − a)        V = −N·b, N = a' × (b' − b)
//! ```
//!
//! for p = 0 and a triangle a, b, c, or an edge from a = 0 to a' and one from b to b', is positive where the
//! first feature is on the side of the second to which N points. A pair cannot pass without V changing its
//! sign, at a moment at which the four points are in a plane (\[Bridson02\] §6.1) and the features
//! cross there. That moment is found by halving the interval of a substep, in which V is a cubic: a sign
//! that changes has a root, and what the cubic does besides costs no side.
//!
//! The corner or edge of a solid shape knows its side at any time: with a point m inside of the shape, the way from m to the
//! corner, or the triangle of m and the edge, is inside as well. A surface that crosses it has been pierced, and the feature
//! belongs to the side on which m is.

use glam::Vec3;

/// Number of halvings that find the moment of crossing, to a thousandth of a substep.
const HALVINGS: u32 = 10;
/// Number of parts of a substep in each of which a particle may cross the plane of a triangle once: a triangle that turns may
/// be crossed beside its rim before or after it is hit.
const SPANS: u32 = 8;
/// The same for each of these parts, to a thousandth of a substep too.
const SPAN_HALVINGS: u32 = 7;
/// The same as [`RIM`] for a particle, which may not slip between two triangles.
const BALL_RIM: f32 = 0.01;
/// Sine of the angle below which edges count as parallel \[1\]: the plane between them is not well defined.
pub(super) const PARALLEL: f32 = 0.02;
/// Distance outside of a feature at which it is still hit, as a part of the largest distance between the points \[1\].
const RIM: f32 = 1e-3;

/// The kinds of the two features of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum FeaturePairKind {
    /// A vertex, the first point, and a triangle of the others.
    VertexTriangle,
    /// An edge of the first two points and one of the last two.
    EdgeEdge,
    /// A particle of no surface, the first point, and a triangle of the others. It is a ball, which touches the rim of the
    /// triangle as well.
    ParticleTriangle,
}

/// Three points relative to a first one \[m\].
pub type Corners = [Vec3; 3];

/// The nearest points of two features.
#[derive(Debug, Clone, Copy)]
pub struct ClosestPoints {
    /// Weights of the three points; that of the first is what they lack to zero.
    pub weights: [f32; 3],
    /// True if both points are within their features, not on the rim.
    pub inside: bool,
    /// Vector from the second point to the first \[m\].
    pub apart: Vec3,
}

impl FeaturePairKind {
    /// Returns the normal N of four points, as long as it comes \[m²\].
    #[inline]
    pub fn normal(self, [a, b, c]: Corners) -> Vec3 {
        match self {
            FeaturePairKind::EdgeEdge => a.cross(c - b),
            _ => (b - a).cross(c - a),
        }
    }

    /// Returns the side on which the first feature is: 1 where N points to, −1 behind.
    #[inline]
    pub fn side(self, corners: Corners) -> f32 {
        let base = if self == FeaturePairKind::EdgeEdge { corners[1] } else { corners[0] };
        if self.normal(corners).dot(base) > 0.0 { -1.0 } else { 1.0 }
    }

    /// Returns the nearest points of the features.
    #[inline]
    pub fn nearest(self, corners: Corners) -> ClosestPoints {
        let (weights, inside) = match self {
            FeaturePairKind::EdgeEdge => edge_edge(corners),
            _ => point_triangle(corners),
        };
        let [u, v, w] = weights;
        ClosestPoints { weights, inside, apart: corners[0] * u + corners[1] * v + corners[2] * w }
    }

    /// Returns where the second feature crosses what lies between the first one and a point `inner` of its shape, relative to
    /// the first point, if it does: the side on which the first feature belongs, and the weights there.
    pub fn pierced(self, corners: Corners, inner: Vec3) -> Option<(f32, [f32; 3])> {
        let normal = self.normal(corners);
        let [a, b, c] = corners;
        if self == FeaturePairKind::EdgeEdge {
            let fin = a.cross(inner);
            let (from, to, square) = (fin.dot(b), fin.dot(c), fin.length_squared());
            let part = from / (from - to);
            let hit = b + (c - b) * part;
            let (along, depth) = (hit.cross(inner).dot(fin), a.cross(hit).dot(fin));
            let hits = from * to < 0.0 && along >= 0.0 && depth > 0.0 && depth < square && along + depth <= square;
            let side = if normal.dot(inner) > 0.0 { 1.0 } else { -1.0 };
            return hits.then_some((side, [along / (square - depth), part - 1.0, -part]));
        }
        let (start, end) = (-normal.dot(a), normal.dot(inner - a));
        let [u, v, w] = [b.cross(c), c.cross(a), a.cross(b)].map(|area| inner.dot(area));
        let inside = u.min(v).min(w) >= 0.0 || u.max(v).max(w) <= 0.0;
        let sum = u + v + w;
        let hits = inside && sum != 0.0 && start * end < 0.0;
        hits.then(|| (if end > 0.0 { 1.0 } else { -1.0 }, [u, v, w].map(|part| -part / sum)))
    }

    /// Returns where features cross; none if one goes around the other.
    pub fn crossing(self, before: Corners, after: Corners) -> Option<(Corners, ClosestPoints)> {
        let at = |time: f32| [0, 1, 2].map(|k| before[k] + (after[k] - before[k]) * time);
        let (spans, halvings, rim) = match self {
            FeaturePairKind::ParticleTriangle => (SPANS, SPAN_HALVINGS, BALL_RIM),
            _ => (1, HALVINGS, RIM),
        };
        (0..spans).find_map(|span| {
            let (mut low, mut high) = (span as f32 / spans as f32, (span + 1) as f32 / spans as f32);
            let start = self.side(at(low));
            if self.side(at(high)) == start {
                return None;
            }
            for _ in 0..halvings {
                let middle = 0.5 * (low + high);
                if self.side(at(middle)) == start {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let hit = at(high);
            let nearest = self.nearest(hit);
            let size = hit.iter().fold(0.0, |size: f32, corner| size.max(corner.length_squared()));
            let hits = nearest.inside || nearest.apart.length_squared() <= rim * rim * size;
            hits.then_some((hit, nearest))
        })
    }
}

/// Returns the point of a triangle nearest to the origin (\[Ericson05\] §5.1.5), weighted −β.
#[inline]
fn point_triangle([a, b, c]: Corners) -> ([f32; 3], bool) {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return ([-1.0, 0.0, 0.0], false);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return ([0.0, -1.0, 0.0], false);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return ([v - 1.0, -v, 0.0], false);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return ([0.0, 0.0, -1.0], false);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return ([w - 1.0, 0.0, -w], false);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return ([0.0, w - 1.0, -w], false);
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    ([v + w - 1.0, -v, -w], sum > 0.0)
}

/// Returns the nearest points of the edge from the origin to `end` and of another (\[Ericson05\] §5.1.9).
#[inline]
fn edge_edge([end, b, c]: Corners) -> ([f32; 3], bool) {
    let other = c - b;
    let (aa, ee, f, cc, bb) = (end.dot(end), other.dot(other), -other.dot(b), -end.dot(b), end.dot(other));
    let square = aa * ee - bb * bb;
    let is_parallel = square <= PARALLEL * PARALLEL * aa * ee;
    let free = if is_parallel { 0.5 } else { (bb * f - cc * ee) / square };
    let mut s = free.clamp(0.0, 1.0);
    let wanted = if ee > 0.0 { (bb * s + f) / ee } else { 0.0 };
    let t = wanted.clamp(0.0, 1.0);
    if t != wanted {
        s = if aa > 0.0 { ((bb * t - cc) / aa).clamp(0.0, 1.0) } else { 0.0 };
    }
    ([s, t - 1.0, -t], !is_parallel && s == free && t == wanted)
}
