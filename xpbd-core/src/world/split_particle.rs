//! One particle becomes two.

use super::World;
use super::error::WorldError;
use crate::handle::ObjectHandle;

impl World {
    /// Lets an absent particle of the object, `spare`, come as a part of a present one: it has this part of the
    /// mass, and else all that the particle has: place, velocity and history, place in the rest shape, pin and
    /// target. Their mass together is that of the particle before, to rounding, and so is their momentum.
    ///
    /// # Errors
    /// A stale handle, no such particle, one that is absent, a spare one that is not, or a part that leaves one
    /// of the two without mass.
    pub fn split_particle(
        &mut self,
        object: ObjectHandle,
        particle: u32,
        spare: u32,
        part: f32,
    ) -> Result<(), WorldError> {
        let i = self.state.active_particle_index(object, particle as usize)?;
        let j = self.state.particle_index(object, spare as usize)?;
        let (index, name) = (spare as usize, &self.state.object(object)?.name);
        if !self.state.particles.inactive[j] {
            return Err(WorldError::ParticleActivity { object: name.clone(), index, must: "absent" });
        }
        let whole = self.state.particles.mass[i];
        let taken = whole * part;
        let left = whole - taken;
        let is_mass = |mass: f32| mass.is_normal() && mass > 0.0 && (1.0 / mass).is_finite();
        if !(is_mass(taken) && is_mass(left)) {
            let (what, value, must) = ("the part of the mass", part.to_string(), "between 0 and 1");
            return Err(WorldError::InvalidNumber { object: name.clone(), what, index, value, must });
        }
        self.state.prepare_particle_edit();
        self.state.wake_with_attached(object);
        self.state.particles.split(i, j, left, taken);
        self.state.contacts.surfaces.split_particle(i as u32, j as u32);
        if let Some(object) = self.state.objects.get_mut(object) {
            let target =
                object.pin_targets.iter().find(|target| target.0 == particle).map(|&(_, place)| (spare, place));
            object.pin_targets.extend(target);
        }
        self.state.plan_is_stale = true;
        Ok(())
    }
}
