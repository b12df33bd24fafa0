//! One projection of all clusters: every cluster matches its shape to the same positions, then every
//! particle takes its part of each.
//!
//! Members count with their share m of the mass of their particle, pinned ones with a multiple of the
//! mass of the cluster, absent ones not at all. For each cluster, with p the rest position from the weighted rest centre:
//!
//! ```text
//! c = Σ m x / Σ m      d = x − c      A = (Σ m d pᵀ) Pᵀ      R = polar(A)      a = R P p
//! e = a − d            s = Σ m e / Σ m                       H ω = Σ m a × e
//! e ← e − s − ω × a
//! ```
//!
//! The last two lines take away what rounding has left of Σ m e and Σ m a × e: both vanish for the
//! exact c and R, so that no momentum is made. Then for each member, with u = λ/m (\[XPBD16\] eq. 18;
//! the compliance of a member falls with its mass, or momentum would not be kept):
//!
//! ```text
//! δ = (e − ã u) / (1 + ã)      u ← u + δ      ã = α m̄ / h²
//! ```
//!
//! and a particle in k clusters moves by the mean of its δ: the correction of masses split among
//! them, which keeps momentum too.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | c, R | centre and rotation of the cluster | m, 1 |
//! | P | plastic deformation | 1 |
//! | e | from a member to its goal | m |
//! | λ | multiplier | N s² |
//! | α, m̄ | compliance of a particle of mean mass, and that mass | m/N, kg |

use glam::{Mat3, Quat, Vec3, Vec4};
use xpbd_core::batch::Nodes;
use xpbd_core::plasticity::Plasticity;

use super::members::ClusterMembers;
use super::plasticity;
use super::polar::{self, Hessian, cross};
use super::sums::{self, Sums};

/// Steps of the search for the rotation in a projection, which begins at that of the one before.
pub(super) const STEPS: u32 = 16;

/// Members among which the first that is present is looked for, from which all others are measured: where
/// an absent one was left may be far away, and differences would be inexact.
const MAX_SEARCHED: usize = 1024;

/// A cluster as it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClusterState {
    /// R.
    pub rotation: Quat,
    /// P.
    pub plastic: Mat3,
    /// R P.
    pub shape: Mat3,
    /// Weighted centre, from the first member \[m\].
    pub centre: Vec3,
    /// Weighted centre of the rest positions \[m\]; not zero where members are pinned.
    pub rest_centre: Vec3,
    /// s \[m\].
    pub residual_shift: Vec3,
    /// ω \[1\].
    pub residual_rotation: Vec3,
    /// True if it has not been matched in this substep.
    pub is_unmatched: bool,
}

impl ClusterState {
    /// Creates a cluster at rest, turned by this.
    pub fn new(rotation: Quat) -> Self {
        Self {
            rotation,
            plastic: Mat3::IDENTITY,
            shape: Mat3::IDENTITY,
            centre: Vec3::ZERO,
            rest_centre: Vec3::ZERO,
            residual_shift: Vec3::ZERO,
            residual_rotation: Vec3::ZERO,
            is_unmatched: true,
        }
    }

    /// Matches the cluster to where its members are, and leaves e and the weight of each in `ways`.
    pub fn match_shape(
        &mut self,
        members: &ClusterMembers,
        cluster: usize,
        law: Option<Plasticity>,
        h: f32,
        ways: &mut [Vec4],
        nodes: &Nodes<'_>,
    ) {
        let range = members.of(cluster);
        let node = |k: usize| members.nodes[k] as usize;
        let present = range.clone().take(MAX_SEARCHED).find(|&k| nodes.is_active(node(k)));
        let first = node(present.unwrap_or(range.start));
        let weight = |k: usize| {
            if nodes.inverse_mass(node(k)) != 0.0 {
                return members.rest[k].w;
            }
            if nodes.is_active(node(k)) { members.pinned_mass[cluster] } else { 0.0 }
        };
        let [x, r] = sums::sum(range.clone(), |k| {
            let w = weight(k);
            let x = nodes.between(first, node(k));
            ways[k] = x.extend(w);
            [(x * w).extend(w), (members.rest[k].truncate() * w).extend(0.0)]
        });
        let mass = if x.w > 0.0 { x.w } else { 1.0 };
        self.centre = x.truncate() / mass;
        self.rest_centre = r.truncate() / mass;
        let (centre, rest_centre) = (self.centre, self.rest_centre);
        let moments = sums::sum(range.clone(), |k| {
            let w = ways[k].w;
            let d = ways[k].truncate() - centre;
            let p = members.rest[k].truncate() - rest_centre;
            ways[k] = d.extend(w);
            let (md, mp) = (d * w, p * w);
            let mixed = Vec4::new(mp.x * p.y, mp.x * p.z, mp.y * p.z, 0.0);
            [(md * p.x).extend(mp.x * p.x), (md * p.y).extend(mp.y * p.y), (md * p.z).extend(mp.z * p.z), mixed]
        });
        let hessian = self.update_rotation(moments, law, h);
        let shape = self.shape;
        let [e, l] = sums::sum(range, |k| {
            let arm = transform(shape, members.rest[k].truncate() - rest_centre);
            let w = ways[k].w;
            let e = arm - ways[k].truncate();
            ways[k] = e.extend(w);
            let me = e * w;
            [me.extend(0.0), cross(arm, me).extend(0.0)]
        });
        self.residual_shift = e.truncate() / mass;
        let (turn, lowest) = hessian.solve(0.0, l.truncate());
        self.residual_rotation = if lowest > hessian.min_pivot() { turn } else { Vec3::ZERO };
    }

    /// Finds the rotation, and lets the rest shape flow once a substep.
    fn update_rotation(&mut self, moments: Sums<4>, law: Option<Plasticity>, h: f32) -> Hessian {
        let a0 = [moments[0].truncate(), moments[1].truncate(), moments[2].truncate()];
        let p = self.plastic;
        let column = |x: f32, y: f32, z: f32| (a0[0] * x + a0[1] * y) + a0[2] * z;
        let a = [
            column(p.x_axis.x, p.y_axis.x, p.z_axis.x),
            column(p.x_axis.y, p.y_axis.y, p.z_axis.y),
            column(p.x_axis.z, p.y_axis.z, p.z_axis.z),
        ];
        self.rotation = polar::refine_rotation(Mat3::from_cols(a[0], a[1], a[2]), self.rotation, STEPS);
        let r = polar::columns(self.rotation);
        let turned = |v: Vec3| (r[0] * v.x + r[1] * v.y) + r[2] * v.z;
        self.shape = Mat3::from_cols(turned(p.x_axis), turned(p.y_axis), turned(p.z_axis));
        if let Some(law) = law.filter(|_| self.is_unmatched) {
            let (diagonal, mixed) = (Vec3::new(moments[0].w, moments[1].w, moments[2].w), moments[3]);
            let moment = Mat3::from_cols(
                Vec3::new(diagonal.x, mixed.x, mixed.y),
                Vec3::new(mixed.x, diagonal.y, mixed.z),
                Vec3::new(mixed.y, mixed.z, diagonal.z),
            );
            self.plastic = plasticity::flow(law, p, a0, moment, r, h);
        }
        self.is_unmatched = false;
        Hessian::of(a, r)
    }

    /// δ of a member at rest position `p` \[m\] that is to go by `e` \[m\] and has gone by `u` \[m\].
    pub fn correction(&self, p: Vec3, e: Vec3, u: Vec3, softness: f32) -> Vec3 {
        let arm = transform(self.shape, p - self.rest_centre);
        let way = (e - self.residual_shift) - cross(self.residual_rotation, arm);
        (way - u * softness) / (1.0 + softness)
    }
}

fn transform(m: Mat3, v: Vec3) -> Vec3 {
    (m.x_axis * v.x + m.y_axis * v.y) + m.z_axis * v.z
}
