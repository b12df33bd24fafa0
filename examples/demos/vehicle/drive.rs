//! A vehicle whose wheels are rays: suspension, engine, brakes and grip are forces on its chassis.

use bevy::prelude::*;
use xpbd_bevy::body::BodyId;
use xpbd_bevy::prelude::*;

/// A vehicle with four wheels, on the entity of its chassis. It looks along −z.
///
/// Each wheel is a ray from where its spring begins. A spring that is shorter by x than at rest pushes by k x − c v, with the
/// speed v by which it becomes longer. Engine, brakes, rolling resistance and the grip to the side act where the ray meets the ground,
/// together by no more than friction allows.
#[derive(Component, Debug, Clone)]
pub struct Vehicle {
    /// The part of the engine's force that acts, from −1 to 1, backward if negative.
    pub throttle: f32,
    /// The part of the brakes' force that acts, from 0 to 1.
    pub brake: f32,
    /// Angle of the front wheels \[rad\], positive to the left.
    pub steering: f32,
    /// Stiffness k of the spring of a wheel \[N/m\].
    pub stiffness: f32,
    /// Damping coefficient c of the spring of a wheel \[N s/m\].
    pub damping: f32,
    /// Length of a spring without load \[m\].
    pub spring_length: f32,
    /// Radius of the wheels \[m\].
    pub wheel_radius: f32,
    /// Greatest force of the engine, on all wheels together \[N\].
    pub engine_force: f32,
    /// Greatest force of the brakes, on all wheels together \[N\].
    pub brake_force: f32,
    /// Rolling resistance of all wheels together \[N s/m\].
    pub rolling_resistance: f32,
    /// Coefficient of friction of tyres \[1\].
    pub friction: f32,
    /// The wheels: front left and right, rear left and right.
    pub wheels: [Wheel; 4],
}

/// A wheel of a vehicle.
#[derive(Debug, Clone, Copy)]
pub struct Wheel {
    /// The upper end of its spring in the frame of the chassis \[m\].
    pub anchor: Vec3,
    /// Shortening of its spring \[m\]; 0 in the air.
    pub compression: f32,
    /// The angle by which it has rolled \[rad\].
    pub roll: f32,
}

impl Vehicle {
    /// Half of the extents of the chassis \[m\].
    pub const HALF: Vec3 = Vec3::new(0.8, 0.3, 2.0);
    /// Mass of the chassis \[kg\].
    pub const MASS: f32 = 1200.0;
    /// Height of the chassis above the ground at which its springs have no load \[m\].
    pub const HEIGHT: f32 = 0.95;

    /// Returns the angle of a wheel \[rad\], positive to the left.
    pub fn angle(&self, wheel: usize) -> f32 {
        if wheel < 2 { self.steering } else { 0.0 }
    }
}

impl Default for Vehicle {
    fn default() -> Self {
        let wheel = |x, z| Wheel { anchor: Vec3::new(x, -0.2, z), compression: 0.0, roll: 0.0 };
        Self {
            throttle: 0.0,
            brake: 0.0,
            steering: 0.0,
            stiffness: 30_000.0,
            damping: 3_000.0,
            spring_length: 0.4,
            wheel_radius: 0.35,
            engine_force: 6_000.0,
            brake_force: 6_000.0,
            rolling_resistance: 200.0,
            friction: 1.0,
            wheels: [wheel(-0.75, -1.3), wheel(0.75, -1.3), wheel(-0.75, 1.3), wheel(0.75, 1.3)],
        }
    }
}

/// Returns a vehicle on its springs, which have no load yet, on a floor through this place \[m\].
pub fn vehicle(on: Vec3) -> impl Bundle {
    let half = Vehicle::HALF;
    let body = (RigidBody::Dynamic, Collider::cuboid(half.x, half.y, half.z), Mass::new(Vehicle::MASS));
    (Name::new("vehicle"), Vehicle::default(), body, Transform::from_translation(on + Vec3::Y * Vehicle::HEIGHT))
}

/// Adds what drives vehicles.
pub fn build(app: &mut App) {
    app.add_systems(FixedUpdate, drive);
}

/// Pushes vehicles in the next step.
fn drive(
    mut commands: Commands,
    physics: Res<Physics>,
    (clock, time): (Res<Time>, Res<PhysicsTime>),
    mut vehicles: Query<(Entity, &mut Vehicle, &BodyId)>,
) {
    let dt = clock.delta_secs() * time.scale;
    // Forces wait for the next step, which a pause does not make.
    if dt <= 0.0 || (time.paused && time.single_steps == 0) {
        return;
    }
    for (entity, mut vehicle, id) in &mut vehicles {
        let Ok(body) = physics.world().body(id.handle()) else { continue };
        let filter = QueryFilter::default().excluding(entity);
        let pose = body.pose;
        let centre = pose.transform_point(body.mass.center_of_mass);
        let up = pose.rotation * Vec3::Y;
        let share = body.mass.mass / vehicle.wheels.len() as f32;
        for k in 0..vehicle.wheels.len() {
            let origin = pose.transform_point(vehicle.wheels[k].anchor);
            let reach = vehicle.spring_length + vehicle.wheel_radius;
            let ray = Ray3d { origin, direction: Dir3::new(-up).unwrap_or(Dir3::NEG_Y) };
            let Some(hit) = physics.cast_ray(ray, reach, &filter) else {
                vehicle.wheels[k].compression = 0.0;
                continue;
            };
            let compression = reach - hit.distance;
            let velocity = body.velocity + body.angular_velocity.cross(hit.point - centre);
            let load = (vehicle.stiffness * compression - vehicle.damping * velocity.dot(up)).max(0.0);
            let heading = pose.rotation * Quat::from_rotation_y(vehicle.angle(k)) * Vec3::NEG_Z;
            let forward = heading.reject_from(hit.normal).normalize_or_zero();
            let side = forward.cross(hit.normal);
            let [along, across] = [forward, side].map(|axis| velocity.dot(axis));
            let part = 0.25 * Vec2::new(vehicle.throttle, vehicle.brake);
            let engine = part.x * vehicle.engine_force - 0.25 * vehicle.rolling_resistance * along;
            // Brakes and grip stop a wheel, and do not turn it back.
            let braking = (part.y * vehicle.brake_force).min(share * along.abs() / dt) * along.signum();
            let grip = -0.5 * share * across / dt;
            let traction = Vec2::new(engine - braking, grip).clamp_length_max(vehicle.friction * load);
            let force = hit.normal * load + forward * traction.x + side * traction.y;
            commands.trigger(ApplyForce::at_point(entity, force, hit.point));
            let rolled = along / vehicle.wheel_radius * dt;
            let wheel = &mut vehicle.wheels[k];
            (wheel.compression, wheel.roll) = (compression, wheel.roll + rolled);
        }
    }
}
