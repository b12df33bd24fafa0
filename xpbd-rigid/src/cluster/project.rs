//! One projection of all clusters: every cluster matches its shape to the same positions, then every
//! particle takes its part of each.
//!
//! Members count with their share m of the mass of their particle, pinned ones with a multiple of the
//! mass of the cluster, inactive ones not at all. For each cluster, with p the rest position from the weighted rest centre:
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
use xpbd_core::scalar::Single;

use super::members::ClusterMembers;
use super::plasticity;
use super::polar::{self, Columns, Hessian, columns_of, combine, from_columns};
use super::sums::{self, Sums};

/// Steps of the search for the rotation in a projection, which begins at that of the one before.
pub(super) const STEPS: u32 = 16;

/// The number of members among which the first active one is searched for, from which all others are measured: an
/// inactive one may be far away, and differences would be inexact.
pub(super) const MAX_SEARCHED: usize = 1024;

/// The motion of a cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClusterState {
    /// Rotation R of the cluster.
    pub rotation: Quat,
    /// Plastic deformation P.
    pub plastic: Mat3,
    /// Product R P, which maps the shape at rest.
    pub shape: Mat3,
    /// Weighted centre, from the first member \[m\].
    pub centre: Vec3,
    /// Weighted centre of the rest positions \[m\]; not zero where members are pinned.
    pub rest_centre: Vec3,
    /// s \[m\].
    pub residual_shift: Vec3,
    /// ω \[1\].
    pub residual_rotation: Vec3,
    /// True until the cluster is matched in this substep.
    pub is_unmatched: bool,
}

impl ClusterState {
    /// Returns a cluster at rest with a rotation.
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

    /// Matches the cluster to the positions of its members, and writes e \[m\] and the weight \[kg\] of each to
    /// `goal_offsets`.
    pub fn match_shape(
        &mut self,
        members: &ClusterMembers,
        cluster: usize,
        plasticity: Option<Plasticity>,
        h: f32,
        goal_offsets: &mut [Vec4],
        nodes: &Nodes<'_>,
    ) {
        let range = members.of(cluster);
        let node = |k: usize| members.nodes[k] as usize;
        let active = range.clone().take(MAX_SEARCHED).find(|&k| nodes.is_active(node(k)));
        let first = node(active.unwrap_or(range.start));
        let weight = |k: usize| {
            if nodes.inverse_mass(node(k)) != 0.0 {
                return members.rest[k].w;
            }
            if nodes.is_active(node(k)) { members.pinned_mass[cluster] } else { 0.0 }
        };
        let [x, r] = sums::sum(range.clone(), |k| {
            let w = weight(k);
            let x = nodes.between(first, node(k));
            goal_offsets[k] = x.extend(w);
            [(x * w).extend(w), (members.rest[k].truncate() * w).extend(0.0)]
        });
        let mass = if x.w > 0.0 { x.w } else { 1.0 };
        self.centre = x.truncate() / mass;
        self.rest_centre = r.truncate() / mass;
        let (centre, rest_centre) = (self.centre, self.rest_centre);
        let moments = sums::sum(range.clone(), |k| {
            let w = goal_offsets[k].w;
            let d = goal_offsets[k].truncate() - centre;
            let p = members.rest[k].truncate() - rest_centre;
            goal_offsets[k] = d.extend(w);
            let (md, mp) = (d * w, p * w);
            let mixed = Vec4::new(mp.x * p.y, mp.x * p.z, mp.y * p.z, 0.0);
            [(md * p.x).extend(mp.x * p.x), (md * p.y).extend(mp.y * p.y), (md * p.z).extend(mp.z * p.z), mixed]
        });
        let hessian = self.update_rotation(moments, plasticity, h);
        let shape = self.shape;
        let [e, l] = sums::sum(range, |k| {
            let arm = transform(shape, members.rest[k].truncate() - rest_centre);
            let w = goal_offsets[k].w;
            let e = arm - goal_offsets[k].truncate();
            goal_offsets[k] = e.extend(w);
            let me = e * w;
            [me.extend(0.0), arm.cross(me).extend(0.0)]
        });
        self.residual_shift = e.truncate() / mass;
        let (rotation, lowest) = polar::solve(hessian, Single(0.0), l.truncate().into());
        self.residual_rotation = if lowest.0 > polar::min_pivot(hessian).0 { rotation.into() } else { Vec3::ZERO };
    }

    /// Updates the rotation, and once a substep the plastic deformation; returns H.
    fn update_rotation(&mut self, moments: Sums<4>, plasticity: Option<Plasticity>, h: f32) -> Hessian<Single> {
        let a0: Columns<Single> = [0, 1, 2].map(|k| moments[k].truncate().into());
        let p = self.plastic;
        let a = columns_of(p.transpose()).map(|row| combine(a0, row));
        self.rotation = polar::refine_rotation(from_columns(a), self.rotation, STEPS);
        let r = polar::columns(polar::single(self.rotation));
        self.shape = from_columns(columns_of(p).map(|column| combine(r, column)));
        if let Some(plasticity) = plasticity.filter(|_| self.is_unmatched) {
            let (diagonal, mixed) = (Vec3::new(moments[0].w, moments[1].w, moments[2].w), moments[3]);
            let moment = Mat3::from_cols(
                Vec3::new(diagonal.x, mixed.x, mixed.y),
                Vec3::new(mixed.x, diagonal.y, mixed.z),
                Vec3::new(mixed.y, mixed.z, diagonal.z),
            );
            self.plastic = plasticity::updated(plasticity, p, a0, columns_of(moment), r, h);
        }
        self.is_unmatched = false;
        polar::hessian(a, r)
    }

    /// Returns δ \[m\] of a member at the rest position `p` \[m\] whose goal is `e` \[m\] away, and which has been
    /// corrected by `u` \[m\].
    pub fn correction(&self, p: Vec3, e: Vec3, u: Vec3, softness: f32) -> Vec3 {
        let arm = transform(self.shape, p - self.rest_centre);
        let remaining = (e - self.residual_shift) - self.residual_rotation.cross(arm);
        (remaining - u * softness) / (1.0 + softness)
    }
}

fn transform(m: Mat3, v: Vec3) -> Vec3 {
    (m.x_axis * v.x + m.y_axis * v.y) + m.z_axis * v.z
}
