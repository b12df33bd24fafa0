//! The motion of spray, foam and bubbles.

use glam::Vec3;

use super::{FoamKind, FoamOptions, FoamParticle, LiquidState};

/// The liquid around a point.
struct Around {
    /// Number of particles.
    count: usize,
    /// Their mean velocity `[m/s]`, those nearby counting most.
    velocity: Vec3,
}

/// Ages and moves one by `dt` `[s]`, as what it is where it begins.
pub(super) fn advance(
    particle: &mut FoamParticle,
    liquid: &LiquidState,
    options: &FoamOptions,
    gravity: Vec3,
    dt: f32,
) {
    let around = around(liquid, particle.position);
    particle.kind = options.kind(around.count);
    particle.velocity = match particle.kind {
        FoamKind::Spray => particle.velocity + dt * gravity,
        FoamKind::Foam => around.velocity,
        FoamKind::Bubble => {
            let pulled = options.drag_rate * dt / (1.0 + options.drag_rate * dt);
            let rising = particle.velocity - (options.buoyancy * dt) * gravity;
            rising + pulled * (around.velocity - rising)
        }
    };
    particle.position += dt * particle.velocity;
    particle.remaining_lifetime -= dt;
}

/// Returns what one at this place is.
pub(super) fn kind(liquid: &LiquidState, options: &FoamOptions, position: Vec3) -> FoamKind {
    options.kind(around(liquid, position).count)
}

impl FoamOptions {
    /// Returns what one with so many particles of the liquid around it is.
    fn kind(&self, count: usize) -> FoamKind {
        if count < self.spray_below {
            FoamKind::Spray
        } else if count > self.bubble_above {
            FoamKind::Bubble
        } else {
            FoamKind::Foam
        }
    }
}

/// Returns the liquid around a finite point, weighted by (1 − |x|² / h²)³.
fn around(liquid: &LiquidState, point: Vec3) -> Around {
    let points = liquid.cells.points();
    let squared_reach = liquid.reach * liquid.reach;
    let (mut count, mut sum, mut total) = (0, Vec3::ZERO, 0.0);
    for j in liquid.cells.around(point).into_iter().flatten() {
        let squared = points[j].distance_squared(point);
        if squared < squared_reach {
            let close = 1.0 - squared / squared_reach;
            let weight = close * close * close;
            count += 1;
            sum += weight * liquid.velocity(j);
            total += weight;
        }
    }
    Around { count, velocity: if total > 0.0 { sum / total } else { Vec3::ZERO } }
}
