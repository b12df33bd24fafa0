//! Masses of bodies.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use parry3d::mass_properties::MassProperties;
use xpbd_core::bodies::{self, MassError};

use super::components::{Mass, RigidBody};
use super::part::ColliderPart;

/// Computes the masses of bodies.
#[derive(SystemParam)]
pub(super) struct MassQuery<'w, 's> {
    parts: Query<'w, 's, &'static ColliderPart>,
    children: Query<'w, 's, &'static Children>,
    bodies: Query<'w, 's, (), With<RigidBody>>,
}

impl MassQuery<'_, '_> {
    /// Returns the mass of a body, by the component beside it and by its colliders.
    pub fn weigh(&self, body: Entity, described: Option<Mass>) -> Result<bodies::Mass, MassError> {
        let Some(Mass { mass, inertia, center }) = described else { return self.of_colliders(body) };
        let mut whole = match inertia {
            Some(inertia) => {
                // The centre is that of the colliders, if there are any.
                let center = self.of_colliders(body).map_or(Vec3::ZERO, |colliders| colliders.center_of_mass);
                bodies::Mass { center_of_mass: center, ..bodies::Mass::new(mass, inertia) }
            }
            None => self.of_colliders(body)?.with_mass(mass),
        };
        whole.center_of_mass = center.unwrap_or(whole.center_of_mass);
        whole.validate()?;
        Ok(whole)
    }

    fn of_colliders(&self, body: Entity) -> Result<bodies::Mass, MassError> {
        let mut found = Vec::new();
        self.gather(body, &mut found);
        found.sort_unstable_by_key(|&(entity, _)| entity);
        let mut sum = MassProperties::default();
        for (_, part) in found {
            let density = part.density;
            if !(density.is_finite() && density > 0.0) {
                return Err(MassError::Density(density));
            }
            if let Some(shape) = &part.shape {
                sum += shape.mass_properties(density).transform_by(&part.pose);
            }
        }
        bodies::Mass::try_from(sum)
    }

    fn gather<'a>(&'a self, entity: Entity, found: &mut Vec<(Entity, &'a ColliderPart)>) {
        let mut open = vec![entity];
        while let Some(entity) = open.pop() {
            if let Some(part) = self.parts.get(entity).ok().filter(|part| !part.is_sensor) {
                found.push((entity, part));
            }
            let children = self.children.get(entity).into_iter().flatten();
            open.extend(children.filter(|&&child| !self.bodies.contains(child)));
        }
    }
}
