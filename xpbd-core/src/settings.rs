//! How a world is stepped.

#[cfg(feature = "bevy_reflect")]
use bevy_reflect::std_traits::ReflectDefault;
use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::number::NumberError;

/// The role of compliance in a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum SolverMethod {
    /// Extended position-based dynamics: stiffness is physical, independent of iterations \[XPBD16\].
    #[default]
    Xpbd,
    /// Position-based dynamics: compliance and damping are ignored, stiffness depends on
    /// iterations and substeps \[PBD07\].
    Pbd,
}

/// The solver of the constraints of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum ConstraintSolver {
    /// [`Direct`](Self::Direct) for trees, chains, ropes and what is tied together like a bridge, [`Sweep`](Self::Sweep) for
    /// wide nets. A connected part is solved directly if its nodes can be taken away one after the other so that each is
    /// tied to no more than four bodies, or eight particles, of those that are left; what is tied to one that is taken away
    /// is tied together from then on. What a single constraint ties, what has more than 10,000 nodes, and what cannot be
    /// solved directly is swept.
    #[default]
    Automatic,
    /// One after the other, once an iteration: the cheapest per constraint, and good for what branches and touches much.
    /// A load passes through one constraint a substep, so that long chains and chains under heavy loads stretch: a chain of
    /// n links leaves about n² h² times the acceleration.
    Sweep,
    /// All at once, together with all others that are solved so and share nodes with them, as one linear system a substep: of
    /// any length and under any load. A frame takes two to two and a half times as long as with sweeps and as many
    /// substeps where there are many trees of the same structure, three times for a single chain, and up to five times for
    /// a strip of a net that is four bodies wide, but needs two to four substeps. Limits and motors take part where they
    /// push. On a GPU one thread eliminates all connected constraints.
    Direct,
}

/// The formula that advances velocities and positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Integrator {
    /// Backward Euler: robust, dissipates in proportion to the substep.
    #[default]
    FirstOrder,
    /// The second-order backward difference formula \[English08\]: keeps energy far longer. Falls
    /// back to first order for particles in contact and after a change of substep length.
    SecondOrder,
}

/// The settings of a simulation. The defaults suit a scene of a few metres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, Default, PartialEq))]
pub struct Settings {
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
    /// Substeps of a frame, at least 1; usually 10 to 40. Errors fall with their square.
    pub substeps: u32,
    /// Iterations of a substep, at least 1; 1 is best for the same work (\[SmallSteps19\]).
    pub iterations: u32,
    /// Role of compliance in a projection.
    pub solver_method: SolverMethod,
    /// Formula that advances velocities and positions.
    pub integrator: Integrator,
    /// Radius of every particle \[m\] in collisions, positive. Objects with structure should be
    /// sampled at about twice this distance or closer.
    pub particle_radius: f32,
    /// Distance up to which contacts are searched for \[m\], at least 0; about a radius. If it is too small,
    /// contacts are missed for a frame; if it is too large, frames take longer.
    pub contact_margin: f32,
    /// The fastest speed \[m/s\] at which an overlap is resolved (\[SmallSteps19\] eq. 10), positive.
    pub max_depenetration_speed: f32,
    /// The speed \[m/s\] below which a body may fall asleep; 0 keeps all awake.
    pub sleep_speed: f32,
    /// Time for which a body has to be slower before it falls asleep \[s\].
    pub sleep_time: f32,
    /// Settings of the schedule.
    pub schedule: ScheduleSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            substeps: 20,
            iterations: 1,
            solver_method: SolverMethod::Xpbd,
            integrator: Integrator::FirstOrder,
            particle_radius: 0.01,
            contact_margin: 0.01,
            max_depenetration_speed: 1.0,
            sleep_speed: 0.05,
            sleep_time: 0.5,
            schedule: ScheduleSettings::default(),
        }
    }
}

impl Settings {
    /// Refuses settings that no step could honour.
    ///
    /// # Errors
    /// The name and value of the first setting at fault.
    pub fn validate(&self) -> Result<(), NumberError> {
        NumberError::check("gravity", self.gravity.length(), "finite", self.gravity.is_finite())?;
        NumberError::check("number of substeps", self.substeps as f32, "at least 1", self.substeps > 0)?;
        NumberError::check("number of iterations", self.iterations as f32, "at least 1", self.iterations > 0)?;
        NumberError::check_positive("particle radius", self.particle_radius)?;
        NumberError::check_positive("largest depenetration speed", self.max_depenetration_speed)?;
        NumberError::check_not_negative("contact margin", self.contact_margin)?;
        NumberError::check_not_negative("sleep speed", self.sleep_speed)?;
        NumberError::check_not_negative("sleep time", self.sleep_time)?;
        let omega = self.schedule.omega;
        NumberError::check("over-relaxation ω of the schedule", omega, "between 0 and 2", omega > 0.0 && omega < 2.0)
    }
}

/// Settings of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct ScheduleSettings {
    /// Colours of a pass before constraints go to the Jacobi remainder, at most 64; 0 makes every
    /// pass pure Jacobi. With fewer colours than a node has constraints, convergence suffers.
    pub max_colours: u32,
    /// Over-relaxation ω of the Jacobi remainder \[1\], usually 1 to 1.5, unstable from 2.
    pub omega: f32,
    /// In which order the constraints of a pass are solved.
    pub order: ScheduleOrder,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self { max_colours: 48, omega: 1.0, order: ScheduleOrder::Coloured }
    }
}

/// In which order the constraints of a pass are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum ScheduleOrder {
    /// By colour: as few parallel groups as first fit finds.
    #[default]
    Coloured,
    /// As if one after the other in the order given: the sweep of the textbooks. Constraints are
    /// grouped only where that changes nothing, which for a chain means not at all. For lines and
    /// for comparisons: over a dense sheet a sweep in one direction is slow, and may keep an
    /// undamped sheet from coming to rest.
    Sequential,
    /// By colour within patches, where a pass is large: the borders between strips of particles with consecutive numbers, and
    /// after them the strips. Threads meet, and a GPU is dispatched to, only a few times a pass, so that frames of large
    /// sheets take 5 to 25 % less time on several threads and on a GPU, and up to 7 % more on one thread. The same substeps
    /// leave larger strains: in a sheet of 100 × 100 that hangs 5 to 13 % larger, with tethers a third.
    Patched,
}
