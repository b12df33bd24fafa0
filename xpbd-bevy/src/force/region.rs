//! Regions of space that push what is in them.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use parry3d::math::Pose;
pub use xpbd_core::force_region::ForceField;
use xpbd_core::force_region::ForceRegion as CoreRegion;

use crate::collider::Collider;
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};
use crate::time::StepLength;

/// A region of space that pushes the particles and dynamic bodies in it: wind, a vortex, a magnet or a blast, drag, or water.
///
/// Shape and field are in the frame of the entity, whose scale does not count. They may be changed at any time. Bodies in a
/// region do not sleep. How large the forces are is in [`force_region`](xpbd_core::force_region).
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// fn spawn(mut commands: Commands) {
///     let updraught = ForceField::Wind { velocity: Vec3::Y * 8.0, damping: 2.0 };
///     commands.spawn((ForceRegion::new(Collider::cylinder(3.0, 1.0), updraught), Transform::from_xyz(4.0, 3.0, 0.0)));
///     // A pool of 10 × 2 × 10 m that is filled to the rim.
///     let water = ForceField::Buoyancy {
///         density: 1000.0,
///         particle_density: 500.0,
///         damping: 1.0,
///         velocity: Vec3::ZERO,
///         surface: 1.0,
///     };
///     commands.spawn((ForceRegion::new(Collider::cuboid(5.0, 1.0, 5.0), water), Transform::from_xyz(0.0, -1.0, 0.0)));
/// }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform)]
pub struct ForceRegion {
    /// The shape of the region, which nothing collides with.
    pub shape: Collider,
    /// The field in the region.
    pub field: ForceField,
}

impl ForceRegion {
    /// Creates a region of a shape with a field.
    pub fn new(shape: Collider, field: ForceField) -> Self {
        Self { shape, field }
    }

    /// Returns the region of the library at a pose in the world.
    pub(crate) fn to_library(&self, pose: Pose) -> CoreRegion {
        CoreRegion::new(self.shape.shape(), self.field).at(pose)
    }
}

pub(super) fn build(app: &mut App, schedule: Interned<dyn ScheduleLabel>) {
    app.register_type::<ForceRegion>();
    add_ordered_systems(app, schedule, XpbdSystems::ApplyInputs, apply);
}

fn apply(
    mut physics: ResMut<Physics>,
    length: Res<StepLength>,
    regions: Query<(Entity, &ForceRegion)>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    let Some(dt) = length.get() else { return };
    for (entity, region) in regions.iter().sort::<Entity>() {
        let Some(pose) = poses.pose(entity) else { continue };
        if let Err(problem) = region.to_library(pose).apply(physics.world_mut(), dt) {
            errors.report(entity, "force region", problem);
        }
    }
}
