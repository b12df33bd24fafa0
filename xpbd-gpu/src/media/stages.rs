//! The stages of a medium as kernels.

use std::fmt::Write;

use xpbd_core::medium::kernel::{MediumHook, MediumKernel, MediumStage};
use xpbd_core::medium::{Material, Medium};

use crate::cell_sort::{self, section};
use crate::device::Device;
use crate::layout::wgsl_constants;
use crate::pipelines::{Family, Pipelines};
use crate::wgsl;

/// The name of the entry point of every stage.
const ENTRY: &str = "stage";

/// The stages of a medium, compiled.
#[derive(Debug)]
pub struct Stages {
    project: Vec<Stage>,
    velocities: Vec<Stage>,
    /// Applies the displacements of stages that project.
    pub apply_displacement: wgpu::ComputePipeline,
    /// Copies the present velocities.
    pub copy_velocity: wgpu::ComputePipeline,
    /// Sections of the members.
    pub sections: usize,
}

#[derive(Debug)]
struct Stage {
    pipeline: wgpu::ComputePipeline,
    only_with_solids: bool,
    only_first: bool,
}

impl Stages {
    /// Compiles the stages that a medium has for these materials.
    ///
    /// # Errors
    /// The medium has no kernel, or the device refuses it.
    pub fn new(
        medium: &dyn Medium,
        materials: &[Material],
        device: &Device,
        pipelines: &mut Pipelines,
    ) -> Result<Self, String> {
        let name = medium.name();
        let kernel = medium.kernel(materials);
        let kernel = kernel.ok_or_else(|| format!("the medium `{name}` has no kernel: it runs on the CPU only"))?;
        let mut compile = |text: &str| {
            let refused = |reason| format!("the medium `{name}`: {reason}");
            pipelines.get(device, Family::Medium, text, ENTRY).map_err(refused)
        };
        let mut of_hook = |hook| {
            let stages = kernel.stages.iter().filter(|stage| stage.hook == hook);
            let compiled = stages.map(|stage| {
                let &MediumStage { only_with_solids, only_first, .. } = stage;
                let pipeline = compile(&stage_text(&kernel, stage))?;
                Ok(Stage { pipeline, only_with_solids, only_first })
            });
            compiled.collect::<Result<Vec<_>, String>>()
        };
        let (project, velocities) = (of_hook(MediumHook::Project)?, of_hook(MediumHook::Velocities)?);
        let [apply_displacement, copy_velocity] = copy_texts(&kernel);
        Ok(Self {
            sections: section::SECTIONS as usize + kernel.fields + usize::from(!velocities.is_empty()),
            project,
            velocities,
            apply_displacement: compile(&apply_displacement)?,
            copy_velocity: compile(&copy_velocity)?,
        })
    }

    /// Returns the pipelines of a hook, with or without solids, in the first iteration or not.
    pub fn of(&self, hook: MediumHook, solids: bool, first: bool) -> impl Iterator<Item = &wgpu::ComputePipeline> {
        let stages = match hook {
            MediumHook::Project => &self.project,
            MediumHook::Velocities => &self.velocities,
        };
        let is_needed = move |stage: &&Stage| (solids || !stage.only_with_solids) && (first || !stage.only_first);
        stages.iter().filter(is_needed).map(|stage| &stage.pipeline)
    }

    /// Returns whether there are stages that change velocities.
    pub fn changes_velocities(&self) -> bool {
        !self.velocities.is_empty()
    }
}

/// Prints a stage.
pub fn stage_text(kernel: &MediumKernel, stage: &MediumStage) -> String {
    let own = match stage.hook {
        MediumHook::Project => include_str!("project.wgsl"),
        MediumHook::Velocities => include_str!("velocities.wgsl"),
    };
    let around: &[&str] = if stage.sums { &[cell_sort::ROWS, include_str!("around.wgsl")] } else { &[] };
    let source = [&[own], around, &[&*kernel.common, &*stage.source]].concat();
    text(kernel, &source, stage.function)
}

/// Returns the texts of the kernels of every medium: the one that applies displacements to the copied positions, and the
/// one that copies velocities.
pub fn copy_texts(kernel: &MediumKernel) -> [String; 2] {
    [
        text(kernel, &[include_str!("project.wgsl")], "apply_displacement"),
        text(kernel, &[include_str!("velocities.wgsl")], "copy_velocity"),
    ]
}

/// Returns a text that calls a function for every member.
fn text(kernel: &MediumKernel, source: &[&str], function: &str) -> String {
    let sections = section::wgsl()
        + &wgsl_constants!(
            MEMBER_FIELDS = section::SECTIONS,
            MEMBER_VELOCITY = section::SECTIONS as usize + kernel.fields,
            SOLID = cell_sort::SOLID,
        );
    let shared = [&sections, cell_sort::bucket_steps(), include_str!("wall_record.wgsl"), include_str!("members.wgsl")];
    let mut text = [&shared[..], source].concat().concat();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "
@compute @workgroup_size($group)
fn {ENTRY}(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {{
    for (var k = id.x; k < member_count(); k += groups.x * $groupu) {{
        {function}(k);
    }}
}}"
    );
    wgsl::kernel(&[wgsl::VECTOR, &text.replace("$numbers", &(MediumKernel::MAX_PARAMETERS / 4).to_string())])
}
