//! Motion of a character without forces.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::Shape;
use xpbd_core::query::{QueryFilter, QueryHit, SpatialQuery};

use super::controller::{CharacterController, check_vector};
use super::error::CharacterError;
use super::slide::Sweep;

/// The result of moving a shape.
#[derive(Debug, Clone, PartialEq)]
pub struct CharacterMovement {
    /// The displacement that it came to \[m\].
    pub translation: Vec3,
    /// The ground that it stands on afterwards, with the normal of its face.
    pub ground: Option<QueryHit>,
    /// The surfaces that were in the way, in order.
    pub collisions: Vec<QueryHit>,
}

impl CharacterController {
    /// Moves a shape by a displacement \[m\] along everything that is in the way, and returns how far it came. One that stands on the
    /// ground climbs steps, and follows the ground down. Nothing else is changed: no velocity, no body. The filter has to
    /// leave out the shape itself.
    ///
    /// # Errors
    /// The first number that is not valid, or a shape that cannot be moved.
    pub fn move_shape(
        &self,
        space: &SpatialQuery<'_>,
        shape: &dyn Shape,
        pose: &Pose,
        displacement: Vec3,
        is_grounded: bool,
        filter: &QueryFilter<'_>,
    ) -> Result<CharacterMovement, CharacterError> {
        self.check()?;
        check_vector("displacement", displacement)?;
        let collisions = Vec::new();
        let mut sweep = Sweep { controller: self, space: *space, shape, filter: *filter, pose: *pose, collisions };
        let ground = self.walk(&mut sweep, displacement, is_grounded)?;
        let translation = sweep.pose.translation - pose.translation;
        Ok(CharacterMovement { translation, ground, collisions: sweep.collisions })
    }

    /// Moves a sweep by a displacement \[m\] and returns the ground it then stands on.
    pub(super) fn walk(
        &self,
        sweep: &mut Sweep<'_>,
        displacement: Vec3,
        is_grounded: bool,
    ) -> Result<Option<QueryHit>, CharacterError> {
        sweep.separate()?;
        sweep.slide(displacement, is_grounded)?;
        let reach = if is_grounded { self.snap_to_ground.max(self.offset) } else { 0.1 * self.offset };
        let rises = !is_grounded && displacement.dot(self.up()) > 0.0;
        Ok(if rises { None } else { sweep.snap_to_ground(reach)? })
    }
}
