//! What touched what in the last frame.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};

use crate::world::{ColliderHandle, ObjectHandle};

/// The other side of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Other {
    /// A collider.
    Collider(ColliderHandle),
    /// An object; the same one for self-collision.
    Object(ObjectHandle),
}

/// Where a contact is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactPhase {
    /// It touched in this frame and not in the one before.
    Begin,
    /// It touched in both.
    Stay,
    /// It touched in the frame before and not in this one; point, normal and impulse are zero.
    End,
}

/// All contacts of an object with one other thing in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The object.
    pub object: ObjectHandle,
    /// What it touched.
    pub other: Other,
    /// Begin, stay or end.
    pub phase: ContactPhase,
    /// Mean position of the touching particles \[m\], weighted by impulse.
    pub point: Vec3,
    /// Mean direction in which the object was pushed.
    pub normal: Vec3,
    /// Sum of the normal impulses on the object \[N s\].
    pub impulse: f32,
    /// How many particle contacts pushed.
    pub count: u32,
}

/// One particle contact that pushed.
pub(super) struct Touch {
    pub object: ObjectHandle,
    pub other: Other,
    pub point: Vec3,
    pub normal: Vec3,
    pub impulse: f32,
}

/// Sums over the touches of one pair of things.
#[derive(Default)]
struct Sum {
    point: DVec3,
    normal: DVec3,
    impulse: f64,
    count: u32,
}

/// Merges touches into one contact a pair of things, and ends those that were and are not.
pub(super) fn merge(touches: impl Iterator<Item = Touch>, before: &[Contact]) -> Vec<Contact> {
    let mut sums: BTreeMap<(ObjectHandle, Other), Sum> = BTreeMap::new();
    for touch in touches {
        let sum = sums.entry((touch.object, touch.other)).or_default();
        let impulse = f64::from(touch.impulse);
        sum.point += touch.point.as_dvec3() * impulse;
        sum.normal += touch.normal.as_dvec3() * impulse;
        sum.impulse += impulse;
        sum.count += 1;
    }
    let mut merged: BTreeMap<_, _> = sums
        .into_iter()
        .map(|((object, other), sum)| {
            let contact = Contact {
                object,
                other,
                phase: ContactPhase::Begin,
                point: (sum.point / sum.impulse).as_vec3(),
                normal: sum.normal.normalize_or_zero().as_vec3(),
                impulse: sum.impulse.min(f64::from(f32::MAX)) as f32,
                count: sum.count,
            };
            ((object, other), contact)
        })
        .collect();
    for old in before.iter().filter(|old| old.phase != ContactPhase::End) {
        match merged.get_mut(&(old.object, old.other)) {
            Some(contact) => contact.phase = ContactPhase::Stay,
            None => {
                let ended = Contact {
                    phase: ContactPhase::End,
                    point: Vec3::ZERO,
                    normal: Vec3::ZERO,
                    impulse: 0.0,
                    count: 0,
                    ..*old
                };
                merged.insert((old.object, old.other), ended);
            }
        }
    }
    merged.into_values().collect()
}
