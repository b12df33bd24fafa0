//! Objects and colliders laid out for kernels; see `scene.wgsl`.

use glam::{Quat, Vec3};
use parry3d::math::Pose;
use xpbd_core::collide::shape_contacts::PlacedCollider;
use xpbd_core::world::{CollisionLayers, State};

use crate::layout::scene::{COLLIDER, FROZEN, INACTIVE, NO_MEDIUM, OBJECT, STATIC};

/// The table of a frame, and where its parts begin \[vectors\].
#[derive(Debug, Default, PartialEq)]
pub struct SceneTable {
    /// Four words a vector.
    pub words: Vec<u32>,
    /// First vector of the objects.
    pub objects: u32,
    /// First vector of the colliders.
    pub colliders: u32,
}

impl SceneTable {
    /// Lays out a world; `shapes` are the indices of the colliders' shapes in the geometry.
    pub fn new(state: &State, shapes: &[u32], dt: f32) -> Self {
        let mut words = state.particle_objects();
        words
            .iter_mut()
            .zip(&state.particles.inactive)
            .for_each(|(word, &absent)| *word |= if absent { INACTIVE } else { 0 });
        words.resize(words.len().div_ceil(4).max(1) * 4, 0);
        let objects = words.len() / 4;
        for (place, (_, object)) in state.objects.iter().enumerate() {
            let gravity = state.settings.gravity * object.gravity_scale;
            let (friction, filter) = (object.friction, object.collision_layers);
            words.extend(vector(gravity, object.linear_damping.to_bits()));
            words.extend([
                friction.static_coefficient.to_bits(),
                friction.dynamic_coefficient.to_bits(),
                filter.memberships,
                filter.filters,
            ]);
            let medium = state.object_media.of(place).unwrap_or(NO_MEDIUM);
            let margin = state.object_media.margin(place, &state.settings);
            words.extend([
                if object.frozen { FROZEN } else { 0 },
                medium,
                margin.to_bits(),
                object.restitution.to_bits(),
            ]);
            let reach = state.object_media.reach(place);
            words.extend([0, object.range.start as u32, 0, reach.to_bits()]);
        }
        debug_assert_eq!(words.len() / 4, objects + OBJECT * state.objects.len());
        let colliders = words.len() / 4;
        for (placed, &shape) in PlacedCollider::all(&state.detection_context(dt)).iter().zip(shapes) {
            let PlacedCollider { collider, from, to, bounds, .. } = placed;
            // Contacts with what can be pushed are found by the host: nothing meets such a collider here.
            let CollisionLayers { memberships: groups, filters: mask, .. } = collider.collision_layers;
            let [groups, mask] = if placed.is_on_dynamic_body(&state.bodies) { [0; 2] } else { [groups, mask] };
            words.extend(quaternion(from.rotation));
            words.extend(vector(from.translation, shape));
            words.extend(quaternion(to.rotation));
            words.extend(vector(to.translation, placed.body.unwrap_or(STATIC)));
            words.extend(vector(bounds.mins, groups));
            words.extend(vector(bounds.maxs, mask));
            words.extend(local(match placed.body {
                Some(body) => state.bodies.to_central_frame(body as usize, collider.pose),
                None => collider.pose,
            }));
            words.extend([
                collider.friction.static_coefficient.to_bits(),
                collider.friction.dynamic_coefficient.to_bits(),
                collider.restitution.to_bits(),
                0,
            ]);
            words.extend(vector(collider.surface_velocity, 0));
        }
        debug_assert_eq!(words.len() / 4, colliders + COLLIDER * shapes.len());
        add_stiffness(&mut words, objects, state);
        add_supports(&mut words, objects, state);
        Self { words, objects: objects as u32, colliders: colliders as u32 }
    }
}

/// Lists the stiffness of particles, two a vector, and notes in each object where its own begins.
fn add_stiffness(words: &mut Vec<u32>, objects: usize, state: &State) {
    let all = state.objects.iter().map(|(_, object)| object).enumerate();
    for (place, object) in all.filter(|(_, object)| !object.frozen && !object.stiffness.stiffness.is_empty()) {
        words[4 * (objects + OBJECT * place + OBJECT - 1)] = (words.len() / 4) as u32;
        words.extend((0..object.range.len()).flat_map(|k| object.stiffness.get(k).map(f32::to_bits)));
        words.resize(words.len().next_multiple_of(4), 0);
    }
}

/// Lists the supports of particles that touch others as balls, two a vector, behind where those of each begin, and notes in each
/// object where its own are.
fn add_supports(words: &mut Vec<u32>, objects: usize, state: &State) {
    let all = state.objects.iter().map(|(_, object)| object).enumerate();
    for (place, object) in all.filter(|(_, object)| !object.frozen && object.surface.is_none()) {
        if object.supports.is_empty() {
            continue;
        }
        words[4 * (objects + OBJECT * place + OBJECT - 1) + 2] = (words.len() / 4) as u32;
        let of = |i: usize| state.supports.get(i as u32);
        let mut begin = 2 * (object.range.len() + 1).div_ceil(4) as u32;
        words.push(begin);
        for i in object.range.clone() {
            begin += of(i).len() as u32;
            words.push(begin);
        }
        words.resize(words.len().next_multiple_of(4), 0);
        words.extend(object.range.clone().flat_map(of).flat_map(|&(pin, length)| [pin, length.to_bits()]));
        words.resize(words.len().next_multiple_of(4), 0);
    }
}

fn vector(v: Vec3, last: u32) -> [u32; 4] {
    [v.x.to_bits(), v.y.to_bits(), v.z.to_bits(), last]
}

fn quaternion(q: Quat) -> [u32; 4] {
    q.to_array().map(f32::to_bits)
}

fn local(pose: Pose) -> [u32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (quaternion(pose.rotation), vector(pose.translation, 0));
    [a, b, c, d, e, f, g, h]
}
