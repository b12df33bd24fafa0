//! Prediction and velocities of bodies; the rotation is [`motion`](crate::bodies::motion)'s.
#![expect(unsafe_code, reason = "threads write disjoint bodies")]

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use super::disjoint::Disjoint;
use super::team::Crew;
use crate::bodies::Bodies;
use crate::bodies::motion::Turning;
use crate::scalar::{self, Single};

/// Bodies of one task.
const CHUNK: usize = 64;

/// Moves every dynamic body by a substep of `h` \[s\] as if there were no constraints.
pub(super) fn predict(bodies: &mut Bodies, h: f32, crew: &Crew<'_>) {
    let count = bodies.len();
    let Bodies { anchor, offset, start, velocity, acceleration, rotation, start_rotation, .. } = bodies;
    let Bodies { spin, turn, torque, inverse_inertia, .. } = bodies;
    let [anchor, offset, start, velocity, spin, turn] =
        [anchor, offset, start, velocity, spin, turn].map(|vectors| Disjoint::new(vectors));
    let [rotation, start_rotation] = [rotation, start_rotation].map(|rotations| Disjoint::new(rotations));
    crew.run(count.div_ceil(CHUNK), |_, chunks| {
        for k in chunks.start * CHUNK..count.min(chunks.end * CHUNK) {
            // SAFETY: every body belongs to one thread.
            unsafe {
                let was = anchor.get(k);
                if was.w == 0.0 {
                    continue;
                }
                let (along, about) = free_axes(inverse_inertia[k].w);
                let free = (velocity.get(k).xyz() + acceleration[k].xyz() * h) * along;
                velocity.set(k, free.extend(0.0));
                let way = (free * h).extend(0.0);
                let moved = (was + (offset.get(k) + way)).xyz().extend(was.w);
                let from = (was - moved) + offset.get(k);
                anchor.set(k, moved);
                start.set(k, from);
                offset.set(k, from + way);
                let turning = Turning { rotation: rotation.get(k).to_array().map(Single), spin: symbols(spin.get(k)) };
                let inertia = symbols(inverse_inertia[k]);
                let turning = turning.advance(Single(h), symbols(torque[k]), inertia, symbols(about.extend(0.0)));
                start_rotation.set(k, rotation.get(k));
                rotation.set(k, Quat::from_array(turning.rotation.map(|component| component.0)));
                spin.set(k, Vec4::new(turning.spin.x.0, turning.spin.y.0, turning.spin.z.0, 0.0));
                turn.set(k, Vec4::ZERO);
            }
        }
    });
}

/// Takes velocities from what the constraints have moved and turned.
pub(super) fn velocities(bodies: &mut Bodies, h: f32) {
    for k in (0..bodies.len()).filter(|&k| bodies.anchor[k].w > 0.0) {
        let free = bodies.velocity[k];
        let predicted = bodies.start[k] + free * h;
        let velocity = free + (bodies.offset[k] - predicted) * (1.0 / h);
        bodies.velocity[k] = velocity / (1.0 + h * bodies.acceleration[k].w);
        let (_, about) = free_axes(bodies.inverse_inertia[k].w);
        let turning = Turning { rotation: bodies.rotation[k].to_array().map(Single), spin: symbols(bodies.spin[k]) };
        let inertia = symbols(bodies.inverse_inertia[k]);
        let spin = turning.settle(Single(h), symbols(bodies.turn[k]), inertia, symbols(about.extend(0.0)));
        bodies.spin[k] = Vec4::new(spin.x.0, spin.y.0, spin.z.0, 0.0) / (1.0 + h * bodies.torque[k].w);
    }
}

/// 0 for the axes of the world along and about which a body does not move, 1 for the others.
pub(super) fn free_axes(mask: f32) -> (Vec3, Vec3) {
    let bits = mask as u32;
    let free = |bit: u32| if bits >> bit & 1 == 1 { 0.0 } else { 1.0 };
    (Vec3::new(free(0), free(1), free(2)), Vec3::new(free(3), free(4), free(5)))
}

fn symbols(v: Vec4) -> scalar::Vec3<Single> {
    scalar::Vec3::new(Single(v.x), Single(v.y), Single(v.z))
}
