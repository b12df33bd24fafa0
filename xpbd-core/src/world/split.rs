//! One particle becomes two.

use super::World;
use super::error::WorldError;
use super::ordered::ObjectHandle;

impl World {
    /// Lets an absent particle of the object, `spare`, come as a part of a present one: it has this part of the
    /// mass, and else all that the particle has: place, velocity and history, place in the rest shape, pin and
    /// target. Their mass together is that of the particle before, to rounding, and so is their momentum.
    ///
    /// # Errors
    /// A stale handle, no such particle, one that is absent, a spare one that is not, or a part that leaves one
    /// of the two without mass.
    pub fn split(&mut self, object: ObjectHandle, particle: u32, spare: u32, part: f32) -> Result<(), WorldError> {
        let i = self.state.present_particle(object, particle as usize)?;
        let j = self.state.particle(object, spare as usize)?;
        let (index, name) = (spare as usize, &self.state.object(object)?.name);
        if !self.state.particles.absent[j] {
            return Err(WorldError::Presence { object: name.clone(), index, must: "absent" });
        }
        let whole = self.state.particles.mass[i];
        let taken = whole * part;
        let left = whole - taken;
        let is_mass = |mass: f32| mass.is_normal() && mass > 0.0 && (1.0 / mass).is_finite();
        if !(is_mass(taken) && is_mass(left)) {
            let (what, value, must) = ("the part of the mass", part.to_string(), "between 0 and 1");
            return Err(WorldError::Number { object: name.clone(), what, index, value, must });
        }
        self.state.edit_particles();
        self.state.wake_tied(object);
        self.state.particles.split(i, j, left, taken);
        self.state.contacts.surfaces.split(i as u32, j as u32);
        if let Some(object) = self.state.objects.get_mut(object) {
            let target = object.targets.iter().find(|target| target.0 == particle).map(|&(_, place)| (spare, place));
            object.targets.extend(target);
        }
        self.state.plan_is_stale = true;
        Ok(())
    }
}
