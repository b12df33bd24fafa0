//! The kernels that every world needs, besides those of its constraints.

use xpbd_core::constraint::ConstraintError;

use crate::contact_updates::{particle_contact, shape_contact};
use crate::device::Device;
use crate::pipelines::{Family, Pipelines, STATE, sized};
use crate::rotation;
use crate::shape_query;

/// Pipelines of everything but passes.
#[derive(Debug, Clone)]
pub struct Kernels {
    /// Forces into accelerations.
    pub begin: wgpu::ComputePipeline,
    /// Targets into velocities.
    pub aim: wgpu::ComputePipeline,
    /// Bodies, when a world first has one.
    pub bodies: Option<BodyKernels>,
    /// What happens between passes.
    pub substep: SubstepKernels,
    /// Contacts with colliders, found when a world first has a collider.
    pub detect: Option<wgpu::ComputePipeline>,
    /// Marks objects that are not finite.
    pub check: wgpu::ComputePipeline,
    /// Freezes and folds.
    pub fold: wgpu::ComputePipeline,
    /// Lists contacts that pushed.
    pub list_contacts: wgpu::ComputePipeline,
    /// Contacts between particles.
    pub pairs: PairKernels,
}

/// What a world needs of the kernels between passes. Constants of their text, not uniforms: a kernel
/// has nothing in it that its world does not need, and some drivers build a kernel anew at every
/// dispatch to put in the values of uniforms that decide much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelOptions {
    /// Second-order integration.
    pub second_order: bool,
    /// Contacts with colliders.
    pub colliders: bool,
    /// Contacts between particles.
    pub pairs: bool,
}

impl KernelOptions {
    /// Returns the constants.
    pub fn text(self) -> String {
        let Self { second_order, colliders, pairs } = self;
        format!("const SECOND_ORDER = {second_order};\nconst COLLIDERS = {colliders};\nconst PAIRS = {pairs};\n")
    }
}

/// Pipelines between passes.
#[derive(Debug, Clone)]
pub struct SubstepKernels {
    needs: KernelOptions,
    /// Prediction.
    pub predict: wgpu::ComputePipeline,
    /// Contacts of an iteration that is not the last: cold and warm.
    pub resolve: [wgpu::ComputePipeline; 2],
    /// Contacts of the last iteration and velocities: cold and warm.
    pub conclude: [wgpu::ComputePipeline; 2],
    /// The same with the prediction of the next substep.
    pub advance: [wgpu::ComputePipeline; 2],
}

/// Pipelines of bodies.
#[derive(Debug, Clone)]
pub struct BodyKernels {
    /// Those that follow paths to the end of the substep.
    pub follow: wgpu::ComputePipeline,
    /// Prediction.
    pub predict: wgpu::ComputePipeline,
    /// Velocities.
    pub conclude: wgpu::ComputePipeline,
    /// Velocities, and the prediction of the next substep.
    pub advance: wgpu::ComputePipeline,
    /// Freezes and folds.
    pub fold: wgpu::ComputePipeline,
}

/// Pipelines of contacts between particles.
#[derive(Debug, Clone)]
pub struct PairKernels {
    /// Finds the pairs that touch.
    pub touch: wgpu::ComputePipeline,
    /// Solves them: cold and warm.
    pub solve: [wgpu::ComputePipeline; 2],
    /// Lists those that pushed.
    pub list: wgpu::ComputePipeline,
}

/// Vectors and quaternions.
pub const VECTOR: &str = include_str!("wgsl/vector.wgsl");
const LISTS: &str = include_str!("wgsl/lists.wgsl");
const OUTCOME: &str = include_str!("wgsl/outcome.wgsl");
/// Objects and colliders.
pub const SCENE: &str = include_str!("wgsl/scene.wgsl");
/// Contacts with colliders.
pub const CONTACT: &str = include_str!("wgsl/contact.wgsl");
/// Prediction and velocities.
pub const INTEGRATE: &str = include_str!("wgsl/integrate.wgsl");

/// For kernels that only run where there are colliders.
const WITH_COLLIDERS: KernelOptions = KernelOptions { second_order: false, colliders: true, pairs: false };

/// Returns a kernel's text from its parts, after the state.
fn text(parts: &[&str]) -> String {
    sized(&[STATE, &parts.join("\n")].concat())
}

/// Returns the text of the kernels between passes; `warm` where multipliers are kept.
///
/// # Errors
/// A contact that fails its self-check.
pub fn substep_text(needs: KernelOptions, warm: bool) -> Result<String, ConstraintError> {
    let solve = shape_contact(warm)?;
    let own = [include_str!("wgsl/collider_contacts.wgsl"), include_str!("wgsl/substep.wgsl")];
    Ok(text(&[&needs.text(), VECTOR, INTEGRATE, SCENE, CONTACT, &solve, own[0], own[1]]))
}

/// Returns the text of the kernels of contacts between particles; `warm` where multipliers are kept.
///
/// # Errors
/// A contact that fails its self-check.
pub fn pairs_text(warm: bool) -> Result<String, ConstraintError> {
    let solve = particle_contact(warm)?;
    let own = [include_str!("wgsl/signed_distance.wgsl"), include_str!("wgsl/particle_pairs.wgsl")];
    Ok(text(&[VECTOR, SCENE, &solve, LISTS, own[0], own[1]]))
}

/// Returns the text of the search for contacts with colliders.
pub fn detect_text() -> String {
    text(&[&WITH_COLLIDERS.text(), &shape_query::wgsl(), SCENE, CONTACT, include_str!("wgsl/detect.wgsl")])
}

/// Returns the text of the kernels of bodies.
pub fn bodies_text() -> String {
    let turning = rotation::advance_rotation() + &rotation::solve_angular_velocity();
    text(&[include_str!("wgsl/axes.wgsl"), &turning, include_str!("wgsl/bodies.wgsl")])
}

impl Kernels {
    /// Takes the kernels between passes that a world needs, compiled if they are new.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn serve(&mut self, needs: KernelOptions, device: &Device, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.substep.needs != needs {
            self.substep = SubstepKernels::new(needs, device, pipelines)?;
        }
        Ok(())
    }

    /// Compiles the search for contacts with colliders, the longest kernel, if it is not there yet.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn need_detect(&mut self, device: &Device, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.detect.is_none() {
            self.detect = Some(pipelines.get(device, Family::Scene, &detect_text(), "detect")?);
        }
        Ok(())
    }

    /// Compiles the kernels of bodies, if they are not there yet.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn need_bodies(&mut self, device: &Device, pipelines: &mut Pipelines) -> Result<(), String> {
        if self.bodies.is_none() {
            let text = bodies_text();
            let mut get = |entry| pipelines.get(device, Family::Scene, &text, entry);
            self.bodies = Some(BodyKernels {
                follow: get("follow_paths")?,
                predict: get("predict_bodies")?,
                conclude: get("conclude_bodies")?,
                advance: get("advance_bodies")?,
                fold: get("fold_bodies")?,
            });
        }
        Ok(())
    }

    /// Compiles them.
    ///
    /// # Errors
    /// A kernel that the device refuses.
    pub fn new(device: &Device, pipelines: &mut Pipelines) -> Result<Self, String> {
        let mut get = |text: &str, entry| pipelines.get(device, Family::Scene, text, entry);
        let begin = text(&[SCENE, include_str!("wgsl/begin.wgsl")]);
        let refused = |error: ConstraintError| error.to_string();
        let finish = text(&[&WITH_COLLIDERS.text(), VECTOR, SCENE, CONTACT, OUTCOME, include_str!("wgsl/finish.wgsl")]);
        let pairs = [pairs_text(false).map_err(refused)?, pairs_text(true).map_err(refused)?];
        Ok(Self {
            begin: get(&begin, "begin")?,
            aim: get(&begin, "aim")?,
            detect: None,
            bodies: None,
            check: get(&finish, "check")?,
            fold: get(&finish, "fold")?,
            list_contacts: get(&finish, "list_contacts")?,
            pairs: PairKernels {
                touch: get(&pairs[0], "touch_pairs")?,
                solve: [get(&pairs[0], "solve_pairs")?, get(&pairs[1], "solve_pairs")?],
                list: get(&text(&[LISTS, OUTCOME, include_str!("wgsl/pair_events.wgsl")]), "list_pairs")?,
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
        let (resolve, conclude, advance) = (both("resolve_all")?, both("conclude_all")?, both("advance_all")?);
        Ok(Self { needs, predict: get(&texts[0], "predict_all")?, resolve, conclude, advance })
    }
}
