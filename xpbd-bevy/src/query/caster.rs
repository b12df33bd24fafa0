//! Components that ask after every step.

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::{Hit, QueryFilter};
use crate::collider::Collider;
use crate::physics::Physics;
use crate::pose::PoseQuery;
use crate::report::EntityErrors;
use crate::schedule::{XpbdSystems, add_ordered_systems};

/// Casts a ray from its entity after every step, and writes what it hits to [`RayHits`].
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// A lamp that measures how far it hangs above the ground.
/// fn lamp(mut commands: Commands) {
///     commands.spawn((RayCaster::new(Vec3::ZERO, Dir3::NEG_Y), Transform::from_xyz(0.0, 3.0, 0.0)));
/// }
///
/// fn measure(lamps: Query<&RayHits>) {
///     lamps.iter().filter_map(|hits| hits.first()).for_each(|hit| info!("{} m", hit.distance));
/// }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, RayHits)]
pub struct RayCaster {
    /// True if it casts.
    pub enabled: bool,
    /// Origin of the ray in the frame of the entity \[m\].
    pub origin: Vec3,
    /// Direction of the ray in the frame of the entity.
    pub direction: Dir3,
    /// The greatest distance at which it hits \[m\].
    pub max_distance: f32,
    /// The largest number of hits, the nearest ones.
    pub max_hits: u32,
    /// True if it does not hit its own entity, nor the colliders of its body.
    pub ignore_self: bool,
    /// Selects what it hits.
    pub filter: QueryFilter,
}

impl RayCaster {
    /// Creates a ray without end from `origin` \[m\], in the frame of its entity, that reports its first hit.
    pub fn new(origin: Vec3, direction: Dir3) -> Self {
        let filter = QueryFilter::default();
        Self { enabled: true, origin, direction, max_distance: f32::MAX, max_hits: 1, ignore_self: true, filter }
    }
}

/// The hits of the [`RayCaster`] of its entity after the last step, the nearest first.
#[derive(Component, Debug, Default, Clone, PartialEq, Deref)]
pub struct RayHits(pub Vec<Hit>);

/// Moves a shape along a line from its entity after every step, and writes what it touches to [`ShapeHits`].
#[derive(Component, Debug, Clone, Reflect)]
#[reflect(Component, Clone, Debug)]
#[require(Transform, ShapeHits)]
pub struct ShapeCaster {
    /// True if it casts.
    pub enabled: bool,
    /// The shape: whatever a dynamic body may have.
    pub shape: Collider,
    /// Position at which it starts, in the frame of the entity \[m\].
    pub origin: Vec3,
    /// Rotation of the shape in the frame of the entity.
    pub rotation: Quat,
    /// Direction of its way in the frame of the entity.
    pub direction: Dir3,
    /// The greatest length of its way \[m\].
    pub max_distance: f32,
    /// The largest number of hits, the nearest ones.
    pub max_hits: u32,
    /// True if it does not hit its own entity, nor the colliders of its body.
    pub ignore_self: bool,
    /// Selects what it hits.
    pub filter: QueryFilter,
}

impl ShapeCaster {
    /// Creates a shape that moves without end from `origin` \[m\], in the frame of its entity, and reports its first hit.
    pub fn new(shape: Collider, origin: Vec3, direction: Dir3) -> Self {
        Self {
            enabled: true,
            shape,
            origin,
            rotation: Quat::IDENTITY,
            direction,
            max_distance: f32::MAX,
            max_hits: 1,
            ignore_self: true,
            filter: QueryFilter::default(),
        }
    }
}

/// The hits of the [`ShapeCaster`] of its entity after the last step, the nearest first.
#[derive(Component, Debug, Default, Clone, PartialEq, Deref)]
pub struct ShapeHits(pub Vec<Hit>);

/// Components that ask after every step.
#[derive(Debug, Clone)]
pub struct CasterPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for CasterPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<RayCaster>().register_type::<ShapeCaster>().register_type::<QueryFilter>();
        add_ordered_systems(app, self.0, XpbdSystems::Writeback, (cast_rays, cast_shapes));
    }
}

fn cast_rays(
    physics: Res<Physics>,
    mut casters: Query<(Entity, &RayCaster, &mut RayHits)>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    for (entity, caster, mut hits) in &mut casters {
        if !caster.origin.is_finite() {
            errors.report(entity, "ray caster", "its origin must be finite");
        }
        if caster.max_distance.is_nan() {
            errors.report(entity, "ray caster", "its max_distance must be a number");
        }
        let found = poses.in_world(entity).filter(|_| caster.enabled).map_or_else(Vec::new, |frame| {
            let direction = frame.rotation * caster.direction;
            let ray = Ray3d { origin: frame.transform_point(caster.origin), direction };
            let filter = own_filter(entity, caster.ignore_self, &caster.filter);
            match caster.max_hits {
                1 => physics.cast_ray(ray, caster.max_distance, &filter).into_iter().collect(),
                _ => physics.ray_hits(ray, caster.max_distance, &filter),
            }
        });
        hits.set_if_neq(RayHits(found.into_iter().take(caster.max_hits as usize).collect()));
    }
}

fn cast_shapes(
    physics: Res<Physics>,
    mut casters: Query<(Entity, &ShapeCaster, &mut ShapeHits)>,
    poses: PoseQuery,
    mut errors: EntityErrors,
) {
    for (entity, caster, mut hits) in &mut casters {
        let Some(frame) = poses.in_world(entity).filter(|_| caster.enabled) else {
            hits.set_if_neq(ShapeHits::default());
            continue;
        };
        let place = Isometry3d::new(frame.transform_point(caster.origin), frame.rotation * caster.rotation);
        let (direction, max) = (frame.rotation * caster.direction, caster.max_distance);
        let filter = own_filter(entity, caster.ignore_self, &caster.filter);
        let found = match caster.max_hits {
            1 => physics.cast_shape(&caster.shape, place, direction, max, &filter).map(|hit| hit.into_iter().collect()),
            _ => physics.shape_hits(&caster.shape, place, direction, max, &filter),
        };
        match found {
            Ok(found) => {
                hits.set_if_neq(ShapeHits(found.into_iter().take(caster.max_hits as usize).collect()));
            }
            Err(error) => errors.report(entity, "shape caster", error),
        }
    }
}

/// Returns a filter that leaves out the entity itself, if it is to be left out.
fn own_filter(entity: Entity, ignore_self: bool, filter: &QueryFilter) -> QueryFilter {
    if ignore_self { filter.clone().excluding(entity) } else { filter.clone() }
}
