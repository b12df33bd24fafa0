//! The kernels that every world needs, besides those of its constraints.

use xpbd_core::collide::shape_contacts::{SAME_DIRECTION, SAME_HEIGHT};
use xpbd_core::collide::{APART, FLATNESS, HELD_AGAINST_PARTICLE, LAYER};
use xpbd_core::constraint::ConstraintError;
use xpbd_core::medium::coverage;
use xpbd_core::schedule::direct::{HELD_REACH, IMPACT, IS_IMPACT};

use crate::cell_sort;
use crate::contact_updates::{particle_contact, shape_contact};
use crate::device::Device;
use crate::layout::wgsl_constants;
use crate::pipelines::{Family, Pipelines};
use crate::recorded;
use crate::shape_query;
use crate::wgsl::{self, KernelOptions};

/// Pipelines of everything but passes.
#[derive(Debug, Clone)]
pub struct WorldKernels {
    /// Turns forces into accelerations.
    pub begin: wgpu::ComputePipeline,
    /// Turns targets of pins into velocities.
    pub follow_targets: wgpu::ComputePipeline,
    /// Bodies, when a world first has one.
    pub bodies: Option<BodyKernels>,
    /// Kernels between the passes of a substep.
    pub substep: SubstepKernels,
    /// Contacts with colliders, found when a world first has a collider.
    pub detect: Option<wgpu::ComputePipeline>,
    /// Marks objects that are not finite.
    pub mark_non_finite: wgpu::ComputePipeline,
    /// Freezes objects and folds offsets.
    pub fold_offsets: wgpu::ComputePipeline,
    /// Lists contacts that pushed.
    pub list_contacts: wgpu::ComputePipeline,
    /// Kernels of contacts between particles.
    pub pairs: PairKernels,
}

/// Pipelines between passes.
#[derive(Debug, Clone)]
pub struct SubstepKernels {
    needs: KernelOptions,
    /// Predicts positions of particles.
    pub predict: wgpu::ComputePipeline,
    /// Contacts of an iteration that is not the last: cold and warm.
    pub solve_contacts: [wgpu::ComputePipeline; 2],
    /// Notes what holds particles in direct solves.
    pub hold: wgpu::ComputePipeline,
    /// Velocities, where contacts have been solved already.
    pub take_velocities: wgpu::ComputePipeline,
    /// Contacts of the last iteration and velocities: cold and warm.
    pub end: [wgpu::ComputePipeline; 2],
    /// Contacts of the last iteration, velocities, and the prediction of the next substep: cold and warm.
    pub end_and_predict: [wgpu::ComputePipeline; 2],
}

/// Pipelines of bodies.
#[derive(Debug, Clone)]
pub struct BodyKernels {
    /// Moves bodies that follow paths to the end of the substep.
    pub move_kinematic: wgpu::ComputePipeline,
    /// Predicts poses of bodies.
    pub predict: wgpu::ComputePipeline,
    /// Turns the change of poses into velocities.
    pub end: wgpu::ComputePipeline,
    /// Velocities, and the prediction of the next substep.
    pub end_and_predict: wgpu::ComputePipeline,
    /// Freezes objects and folds offsets.
    pub fold_offsets: wgpu::ComputePipeline,
}

/// Pipelines of contacts between particles.
#[derive(Debug, Clone)]
pub struct PairKernels {
    /// Finds the pairs that touch.
    pub mark_touching: wgpu::ComputePipeline,
    /// Solves them: cold and warm.
    pub solve: [wgpu::ComputePipeline; 2],
    /// Lists those that pushed.
    pub list: wgpu::ComputePipeline,
}

/// Returns the functions that find the partners of a particle in the lists of the search.
fn lists() -> String {
    wgsl_constants!(FIRST = cell_sort::FIRST) + include_str!("wgsl/lists.wgsl")
}

/// Prints the kernels between passes; with `warm` multipliers are kept.
///
/// # Errors
/// The contact constraint fails its self-check.
pub fn substep_text(needs: KernelOptions, warm: bool) -> Result<String, ConstraintError> {
    let solve = shape_contact(warm)?;
    let own = [include_str!("wgsl/collider_contacts.wgsl"), include_str!("wgsl/substep.wgsl")];
    let (scene, contact) = (wgsl::scene(), wgsl::contact());
    let constants = needs.text() + &wgsl_constants!(HELD_REACH = HELD_REACH, IMPACT = IMPACT, IS_IMPACT = IS_IMPACT);
    let parts = [&constants, wgsl::VECTOR, wgsl::INTEGRATE, &scene, &contact, &solve, own[0], own[1]];
    Ok(wgsl::kernel(&parts))
}

/// Prints the kernels of contacts between particles; with `warm` multipliers are kept.
///
/// # Errors
/// The contact constraint fails its self-check.
pub fn pairs_text(warm: bool) -> Result<String, ConstraintError> {
    let solve = particle_contact(warm)?;
    let own = [include_str!("wgsl/signed_distance.wgsl"), include_str!("wgsl/particle_pairs.wgsl")];
    let constants = wgsl_constants!(
        FLATNESS = FLATNESS,
        LAYER = LAYER,
        APART = APART,
        HELD_AGAINST_PARTICLE = HELD_AGAINST_PARTICLE,
        IS_WARM = warm
    );
    let (scene, supports, lists, exit) = (wgsl::scene(), wgsl::supports(), lists(), recorded::exit_direction());
    Ok(wgsl::kernel(&[wgsl::VECTOR, &scene, &supports, &solve, &lists, &constants, &exit, own[0], own[1]]))
}

/// Prints the search for contacts with colliders.
pub fn detect_text() -> String {
    let options = KernelOptions::WITH_COLLIDERS.text();
    let constants = wgsl_constants!(
        SAME_DIRECTION = SAME_DIRECTION,
        SAME_HEIGHT = SAME_HEIGHT,
        HIGHEST = coverage::HIGHEST,
        ENDLESS = coverage::ENDLESS
    );
    let (shapes, scene, contact, coverage) = (shape_query::wgsl(), wgsl::scene(), wgsl::contact(), coverage::wgsl());
    wgsl::kernel(&[&options, &constants, &shapes, &scene, &contact, &coverage, include_str!("wgsl/detect.wgsl")])
}

/// Prints the kernels of bodies.
pub fn bodies_text() -> String {
    let rotation = recorded::advance_rotation() + &recorded::solve_angular_velocity();
    wgsl::kernel(&[wgsl::AXES, &rotation, include_str!("wgsl/bodies.wgsl")])
}

impl WorldKernels {
    /// Takes the kernels between passes that a world needs, compiled if they are new.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn select_options(
        &mut self,
        needs: KernelOptions,
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<(), String> {
        if self.substep.needs != needs {
            self.substep = SubstepKernels::new(needs, device, pipelines)?;
        }
        Ok(())
    }

    /// Compiles the search for contacts with colliders, the longest kernel, if it is not there yet.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn ensure_detect(&mut self, device: &Device, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.detect.is_none() {
            self.detect = Some(pipelines.get(device, Family::Scene, &detect_text(), "detect")?);
        }
        Ok(())
    }

    /// Compiles the kernels of bodies, if they are not there yet.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn ensure_bodies(&mut self, device: &Device, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.bodies.is_none() {
            let text = bodies_text();
            let mut get = |entry| pipelines.get(device, Family::Scene, &text, entry);
            self.bodies = Some(BodyKernels {
                move_kinematic: get("move_kinematic_bodies")?,
                predict: get("predict_bodies")?,
                end: get("end_body_substep")?,
                end_and_predict: get("end_and_predict_bodies")?,
                fold_offsets: get("fold_bodies")?,
            });
        }
        Ok(())
    }

    /// Compiles them.
    ///
    /// # Errors
    /// The device refuses a kernel.
    pub fn new(device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let mut get = |text: &str, entry| pipelines.get(device, Family::Scene, text, entry);
        let begin = wgsl::kernel(&[&wgsl::scene(), include_str!("wgsl/begin.wgsl")]);
        let refused = |error: ConstraintError| error.to_string();
        let (scene, contact, outcome) = (wgsl::scene(), wgsl::contact(), wgsl::outcome());
        let options = KernelOptions::WITH_COLLIDERS.text();
        let own = include_str!("wgsl/finish.wgsl");
        let finish = wgsl::kernel(&[&options, wgsl::VECTOR, &scene, &contact, &outcome, own]);
        let events = wgsl::kernel(&[&lists(), &outcome, include_str!("wgsl/pair_events.wgsl")]);
        let pairs = [pairs_text(false).map_err(refused)?, pairs_text(true).map_err(refused)?];
        Ok(Self {
            begin: get(&begin, "begin")?,
            follow_targets: get(&begin, "follow_targets")?,
            detect: None,
            bodies: None,
            mark_non_finite: get(&finish, "mark_non_finite")?,
            fold_offsets: get(&finish, "fold_offsets")?,
            list_contacts: get(&finish, "list_contacts")?,
            pairs: PairKernels {
                mark_touching: get(&pairs[0], "mark_touching_pairs")?,
                solve: [get(&pairs[0], "solve_pairs")?, get(&pairs[1], "solve_pairs")?],
                list: get(&events, "list_pairs")?,
            },
            substep: SubstepKernels::new(KernelOptions::default(), device, pipelines)?,
        })
    }
}

impl SubstepKernels {
    fn new(needs: KernelOptions, device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let refused = |error: ConstraintError| error.to_string();
        let texts = [substep_text(needs, false).map_err(refused)?, substep_text(needs, true).map_err(refused)?];
        let mut get = |text: &str, entry| pipelines.get(device, Family::Scene, text, entry);
        let mut both = |entry| Ok::<_, String>([get(&texts[0], entry)?, get(&texts[1], entry)?]);
        let (solve_contacts, end, end_and_predict) =
            (both("solve_contacts")?, both("end_substep")?, both("end_and_predict")?);
        let mut get = |entry| get(&texts[0], entry);
        let (predict, hold, take_velocities) =
            (get("predict_particles")?, get("hold_particles")?, get("take_velocities")?);
        Ok(Self { needs, predict, solve_contacts, hold, take_velocities, end, end_and_predict })
    }
}
