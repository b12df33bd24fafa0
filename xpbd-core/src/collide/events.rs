//! What touched what in the last frame.

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::handle::{ColliderHandle, ObjectHandle};

/// The partner of an object in a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ContactPartner {
    /// A collider.
    Collider(ColliderHandle),
    /// An object; the same one for self-collision.
    Object(ObjectHandle),
}

/// The phase of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactPhase {
    /// The pair touches in this frame and did not in the one before.
    Begin,
    /// The pair touches in both frames.
    Stay,
    /// The pair touched in the frame before and does not in this one; point, normal and impulses are zero.
    End,
}

/// The contacts of an object with one partner in a frame, merged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The object whose contact began or ended.
    pub object: ObjectHandle,
    /// Partner of the contact.
    pub other: ContactPartner,
    /// Phase of the contact.
    pub phase: ContactPhase,
    /// Mean position of the touching particles \[m\], weighted by impulse.
    pub point: Vec3,
    /// Mean direction in which the object was pushed \[1\].
    pub normal: Vec3,
    /// Sum of the normal impulses on the object \[N s\].
    pub impulse: f32,
    /// The same, summed as vectors \[N s\]: what the partner feels, with the opposite sign.
    pub net_impulse: Vec3,
    /// Number of particle contacts that had an impulse.
    pub count: u32,
}

/// The contacts of two colliders in a frame, merged; at least one of the two is on a dynamic body.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Collision {
    /// The two colliders.
    pub colliders: [ColliderHandle; 2],
    /// Phase of the collision. Bodies that sleep stay in contact.
    pub phase: ContactPhase,
    /// Mean position of the points that pushed \[m\], weighted by impulse.
    pub point: Vec3,
    /// Mean direction in which the first collider was pushed \[1\].
    pub normal: Vec3,
    /// Sum of the normal impulses on the first collider \[N s\].
    pub impulse: f32,
    /// Number of manifolds that had an impulse.
    pub count: u32,
}

/// The impulse of a contact on a particle in a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// World index of the particle.
    pub particle: u32,
    /// Origin of the impulse.
    pub source: ImpulseSource,
    /// Sum of the normal impulses \[N s\].
    pub impulse: f32,
}

/// The origin of an impulse on a particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ImpulseSource {
    /// A collider.
    Collider {
        /// Index in the order of colliders.
        collider_index: u32,
        /// Unit vector in which it pushes \[1\].
        normal: Vec3,
    },
    /// A particle, by its world index.
    Particle(u32),
    /// A surface.
    Surface {
        /// World index of a particle of the surface.
        particle: u32,
        /// Unit vector in which it pushes \[1\].
        normal: Vec3,
    },
}

/// A contact with an impulse.
pub(super) struct Hit {
    pub point: Vec3,
    pub normal: Vec3,
    pub impulse: f32,
}

/// The hits of one pair, merged.
pub(super) struct MergedContact<K> {
    pub key: K,
    pub phase: ContactPhase,
    pub point: Vec3,
    pub normal: Vec3,
    pub impulse: f32,
    pub net_impulse: Vec3,
    pub count: u32,
}

/// Sums over the hits of one pair.
#[derive(Default)]
struct HitSum {
    point: DVec3,
    normal: DVec3,
    impulse: f64,
    count: u32,
}

/// Merges hits into one entry for each pair, sorted by pair, and ends the pairs of `before` that have no hit.
pub(super) fn merge<K: Ord + Copy>(
    hits: impl Iterator<Item = (K, Hit)>,
    before: impl Iterator<Item = K>,
) -> Vec<MergedContact<K>> {
    let mut hits: Vec<(K, Hit)> = hits.collect();
    hits.sort_by_key(|&(key, _)| key);
    let mut before: Vec<K> = before.collect();
    before.sort_unstable();
    let mut merged = Vec::with_capacity(hits.len());
    let mut before = before.into_iter().peekable();
    for group in hits.chunk_by(|a, b| a.0 == b.0) {
        let key = group[0].0;
        while let Some(key) = before.next_if(|&old| old < key) {
            merged.push(MergedContact::ended(key));
        }
        let phase = if before.next_if_eq(&key).is_some() { ContactPhase::Stay } else { ContactPhase::Begin };
        let mut sum = HitSum::default();
        group.iter().for_each(|(_, hit)| sum.add(hit));
        merged.push(sum.merged(key, phase));
    }
    merged.extend(before.map(MergedContact::ended));
    merged
}

impl HitSum {
    fn add(&mut self, hit: &Hit) {
        let impulse = f64::from(hit.impulse);
        self.point += hit.point.as_dvec3() * impulse;
        self.normal += hit.normal.as_dvec3() * impulse;
        self.impulse += impulse;
        self.count += 1;
    }

    fn merged<K>(self, key: K, phase: ContactPhase) -> MergedContact<K> {
        MergedContact {
            key,
            phase,
            point: (self.point / self.impulse).as_vec3(),
            normal: self.normal.normalize_or_zero().as_vec3(),
            impulse: self.impulse.min(f64::from(f32::MAX)) as f32,
            net_impulse: self
                .normal
                .clamp(DVec3::splat(-f64::from(f32::MAX)), DVec3::splat(f64::from(f32::MAX)))
                .as_vec3(),
            count: self.count,
        }
    }
}

impl<K> MergedContact<K> {
    /// Returns the contact of a pair that has parted.
    fn ended(key: K) -> Self {
        let (point, normal, net_impulse) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        Self { key, phase: ContactPhase::End, point, normal, impulse: 0.0, net_impulse, count: 0 }
    }
}
