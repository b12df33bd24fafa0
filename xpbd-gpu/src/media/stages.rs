//! The stages of a medium as kernels.

use std::fmt::Write;

use xpbd_core::medium::kernel::{MediumHook, MediumKernel, MediumStage};
use xpbd_core::medium::{Material, Medium};

use crate::device::Device;
use crate::pair_search::sort::ALONG;
use crate::pipelines::{Family, Pipelines, STATE, sized};
use crate::world_kernels::VECTOR;

/// Sections of the members besides the fields: place, about and change, then behind the fields velocities.
const SECTIONS: usize = 3;

/// The name of the entry point of every stage.
const ENTRY: &str = "stage";

/// The stages of a medium, compiled.
#[derive(Debug)]
pub struct Stages {
    project: Vec<Stage>,
    velocities: Vec<Stage>,
    /// Takes over what stages that project have moved.
    pub follow: wgpu::ComputePipeline,
    /// Takes velocities as they are now.
    pub take_velocity: wgpu::ComputePipeline,
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
    /// The medium has none, or one that the device refuses.
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
        let [follow, take_velocity] = own_texts(&kernel);
        Ok(Self {
            sections: SECTIONS + kernel.fields + usize::from(!velocities.is_empty()),
            project,
            velocities,
            follow: compile(&follow)?,
            take_velocity: compile(&take_velocity)?,
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

    /// Returns whether velocities are changed.
    pub fn change_velocities(&self) -> bool {
        !self.velocities.is_empty()
    }
}

/// Returns the text of a stage.
pub fn stage_text(kernel: &MediumKernel, stage: &MediumStage) -> String {
    let own = match stage.hook {
        MediumHook::Project => include_str!("project.wgsl"),
        MediumHook::Velocities => include_str!("velocities.wgsl"),
    };
    let around: &[&str] = if stage.sums { &[ALONG, include_str!("around.wgsl")] } else { &[] };
    let source = [&[own], around, &[&*kernel.common, &*stage.source]].concat();
    text(kernel, &source, stage.function)
}

/// Returns the texts of what every medium does besides: taking over what has moved, and velocities as they are.
pub fn own_texts(kernel: &MediumKernel) -> [String; 2] {
    ["follow", "take_velocity"].map(|function| text(kernel, &[include_str!("follow.wgsl")], function))
}

/// Returns a text that calls a function for every member.
fn text(kernel: &MediumKernel, source: &[&str], function: &str) -> String {
    let mut text = [STATE, VECTOR].concat();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "const VELOCITY_COPY = {}u;", SECTIONS + kernel.fields);
    let shared = [include_str!("sections.wgsl"), include_str!("wall_record.wgsl"), include_str!("members.wgsl")];
    text.extend(shared.into_iter().chain(source.iter().copied()));
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
    sized(&text.replace("$numbers", &(MediumKernel::MAX_PARAMETERS / 4).to_string()))
}
