//! Numbers that tell how a world is doing.

use xpbd_cloth::constraint::Distance;
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::constraint::Constraint;
use xpbd_core::world::{ObjectHandle, World, WorldError};
use xpbd_fluid::FluidDensities;

/// Measures of a world. What there is nothing to measure of is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meters {
    /// Stretch that 99 of 100 distance constraints between particles do not exceed \[1\].
    pub p99_strain: f64,
    /// The largest \[1\].
    pub max_strain: f64,
    /// Σ ½ m v² of particles, and of bodies with their rotation \[J\].
    pub kinetic_energy: f64,
    /// Mean excess of the densities of liquids over their densities at rest \[1\].
    pub compression: f64,
}

impl Meters {
    /// Measures a world.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn of(world: &World) -> Result<Self, WorldError> {
        let mut stretches = Vec::new();
        for &object in world.objects() {
            let positions: Vec<_> = world.positions(object)?.collect();
            for ([a, b], rest) in distances(world, object)? {
                let length = positions[a as usize].distance(positions[b as usize]);
                stretches.push((f64::from(length) / f64::from(rest) - 1.0).max(0.0));
            }
        }
        stretches.sort_unstable_by(f64::total_cmp);
        let at = |part: usize| stretches.get((stretches.len() * part / 100).min(stretches.len().saturating_sub(1)));
        let densities = FluidDensities::measure(world).ok().filter(|densities| !densities.values.is_empty());
        Ok(Self {
            p99_strain: at(99).copied().unwrap_or(f64::NAN),
            max_strain: at(100).copied().unwrap_or(f64::NAN),
            kinetic_energy: kinetic_energy(world),
            compression: densities.map_or(f64::NAN, |densities| f64::from(densities.mean_error())),
        })
    }
}

/// Returns the ends and the lengths at rest \[m\] of the distance constraints within an object.
pub(super) fn distances(world: &World, object: ObjectHandle) -> Result<Vec<([u32; 2], f32)>, WorldError> {
    let mut distances = Vec::new();
    for handle in world.batches_of(object) {
        let is_within = world.state().batches.get(handle).is_some_and(|state| state.objects.len() == 1);
        let Some(batch) = world.batch(handle)?.traced().filter(|_| is_within) else { continue };
        if batch.kind().name() == Distance::NAME && batch.connectors().only_particles() {
            let nodes = |k: usize| [batch.node_indices(k)[0], batch.node_indices(k)[1]];
            distances.extend((0..batch.len()).map(|k| (nodes(k), batch.parameters(k)[0])));
        }
    }
    Ok(distances)
}

/// Returns the kinetic energy of all that moves \[J\]. `World::energy` also evaluates every constraint, which takes as long
/// as a frame.
fn kinetic_energy(world: &World) -> f64 {
    let state = world.state();
    let particles = &state.particles;
    let movable = (0..particles.len()).filter(|&k| particles.anchor[k].w > 0.0);
    let moving =
        movable.map(|k| f64::from(particles.mass[k]) * f64::from(particles.velocity[k].truncate().length_squared()));
    let bodies = (0..state.bodies.len()).filter(|&k| state.bodies.is_movable(k));
    let tumbling = bodies.map(|k| {
        let body = state.bodies.body(k);
        let axes = body.pose.rotation * body.mass.principal_axes;
        let spin = axes.inverse() * body.angular_velocity;
        let rotation = (spin * spin).dot(body.mass.principal_inertia);
        f64::from(body.mass.mass * body.velocity.length_squared() + rotation)
    });
    0.5 * (moving.sum::<f64>() + tumbling.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use parry3d::math::Pose;
    use xpbd_core::bodies::{Body, Mass};
    use xpbd_core::object::Object;

    #[test]
    fn meters_of_moving_things_are_those_of_the_world() {
        let mut world = World::default();
        world.add(Object::new("grains", vec![Vec3::ZERO, Vec3::X], 2.0).velocity(Vec3::new(1.0, 2.0, 0.0))).unwrap();
        let body = Body::dynamic(Pose::IDENTITY, Mass::cuboid(3.0, Vec3::new(0.1, 0.2, 0.3)));
        world.add_body(body.velocity(Vec3::Y).angular_velocity(Vec3::new(1.0, -2.0, 3.0))).unwrap();
        let meters = Meters::of(&world).unwrap();
        assert!((meters.kinetic_energy / world.energy().kinetic - 1.0).abs() < 1e-6, "{meters:?}");
        assert!(meters.p99_strain.is_nan() && meters.compression.is_nan());
    }
}
