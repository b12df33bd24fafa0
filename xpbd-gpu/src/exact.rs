//! Kernels whose arithmetic is that of the CPU, to the bit.
//!
//! A compiler of shaders may contract a product and a sum into one rounding, factor a·b + a·c, reorder constants, take
//! very small numbers for zero, and miss quotients and square roots by some units in the last place. Every driver does it
//! in its own way, and results then differ from the CPU and from device to device. WGSL cannot forbid it, SPIR-V can. So
//! where the device takes SPIR-V as it is (the feature `PASSTHROUGH_SHADERS` on Vulkan), the text is translated here, by
//! naga as ever and with its checks of bounds. Every operation is marked `NoContraction`, the entry asks for the
//! [float controls](FloatControls) that the device has, and quotients and square roots are [refined](refinement) where the
//! device does not round them to the nearest float. A [probe](Probe) shows whether the bits are then those of the CPU. Barriers
//! reach no farther than WGSL says.
//!
//! Elsewhere the device translates the text itself, and results agree within rounding.
#![expect(unsafe_code, reason = "a device takes SPIR-V on trust; naga has validated what it is made from")]

mod float_controls;
mod probe;
mod refinement;
mod spirv;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use float_controls::FloatControls;
pub use probe::{Probe, hard_pairs};
use spirv::{HEADER, code, instructions, length, op};

/// The arithmetic of kernels on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// As the device translates their text.
    Translated,
    /// As their SPIR-V says.
    AsWritten {
        /// The controls that kernels ask for.
        controls: FloatControls,
        /// The rounding of quotients and square roots.
        rounding: Rounding,
        /// True if the probe gave the bits of the CPU.
        is_exact: bool,
    },
}

/// The rounding of quotients and square roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// By the device, in its own way.
    OfTheDevice,
    /// Square roots to the nearest float, by instructions that refine what the device gives.
    RefinedRoots,
    /// Both to the nearest float.
    Refined,
}

impl Arithmetic {
    /// Finds out what gives the bits of the CPU on a device, with as little as is needed; waits for the device.
    pub fn of(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let takes_spirv = device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS)
            && device.adapter_info().backend == wgpu::Backend::Vulkan;
        if !takes_spirv {
            return Self::Translated;
        }
        let controls = FloatControls::of(device);
        let pairs = hard_pairs();
        let all = [Rounding::OfTheDevice, Rounding::RefinedRoots, Rounding::Refined];
        let with = |rounding| Self::AsWritten { controls, rounding, is_exact: true };
        let exact = all.map(with).into_iter().find(|&arithmetic| {
            let probe = Probe::new(device, queue, arithmetic);
            probe.is_ok_and(|probe| probe.first_difference(&pairs).is_none())
        });
        exact.unwrap_or(Self::AsWritten { controls, rounding: Rounding::OfTheDevice, is_exact: false })
    }

    /// Returns whether results have the bits of the CPU.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::AsWritten { is_exact: true, .. })
    }

    /// Returns whether a device has all that is known to be needed for the bits of the CPU.
    pub fn should_be_exact(self) -> bool {
        matches!(self, Self::AsWritten { controls, is_exact, .. } if is_exact || controls.is_complete())
    }

    /// Makes a shader module of which `entry` is used.
    ///
    /// # Errors
    /// The text is not valid WGSL.
    pub fn module(self, device: &wgpu::Device, text: &str, entry: &str) -> Result<wgpu::ShaderModule, String> {
        let Self::AsWritten { controls, rounding, .. } = self else {
            let source = wgpu::ShaderSource::Wgsl(text.into());
            return Ok(device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry), source }));
        };
        let words = controls.asked_for(&translate(text, entry, rounding)?);
        let description = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(entry),
            spirv: Some(words.into()),
            ..wgpu::ShaderModuleDescriptorPassthrough::default()
        };
        // SAFETY: naga has validated the module, and has written checks of all bounds into it; what is changed after that
        // changes no more than rounding, and the reach of barriers to what WGSL defines.
        Ok(unsafe { device.create_shader_module_passthrough(description) })
    }
}

/// Translates a text to SPIR-V in which every arithmetic operation is marked.
fn translate(text: &str, entry: &str, rounding: Rounding) -> Result<Vec<u32>, String> {
    let (text, flags) = match rounding {
        Rounding::OfTheDevice => (text.to_string(), spv::WriterFlags::empty()),
        // The functions that refine are found by their names.
        _ => ([text, refinement::TEXT].concat(), spv::WriterFlags::DEBUG),
    };
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = checked.map_err(|error| error.emit_to_string(&text))?;
    let options = spv::Options {
        flags,
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Restrict,
            buffer: BoundsCheckPolicy::Restrict,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        fake_missing_bindings: false,
        binding_map: bindings(&module),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let stage = spv::PipelineOptions { shader_stage: naga::ShaderStage::Compute, entry_point: entry.into() };
    let words = spv::write_vec(&module, &info, &options, Some(&stage)).map_err(|error| error.to_string())?;
    let words = with_local_barriers(words);
    Ok(match rounding {
        Rounding::OfTheDevice => marked(&words),
        Rounding::RefinedRoots => marked(&refinement::refined(&words, false)),
        Rounding::Refined => marked(&refinement::refined(&words, true)),
    })
}

/// Maps every binding to its own number.
fn bindings(module: &naga::Module) -> spv::BindingMap {
    let bound = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    bound
        .map(|place| {
            let target =
                spv::BindingInfo { descriptor_set: place.group, binding: place.binding, binding_array_size: None };
            (place, target)
        })
        .collect()
}

/// Lets barriers order memory within the workgroup alone, as WGSL defines them. naga lets those of storage order it for the
/// whole device, which then empties caches at each.
fn with_local_barriers(mut words: Vec<u32>) -> Vec<u32> {
    let mut rest = words.get_mut(HEADER..).unwrap_or_default();
    while let [head, ..] = *rest
        && let Some((instruction, after)) = rest.split_at_mut_checked(length(head))
    {
        if let [head, executing, memory, _] = instruction
            && code(*head) == op::CONTROL_BARRIER
        {
            *memory = *executing;
        }
        rest = after;
    }
    words
}

/// Adds a `NoContraction` for every arithmetic operation on floats, before the first decoration.
fn marked(words: &[u32]) -> Vec<u32> {
    // FNegate, FAdd, FSub, FMul, FDiv, FRem, FMod, products of vectors and matrices.
    let is_arithmetic = |code| matches!(code, 127 | 129 | 131 | 133 | 136 | 140..=148);
    // Decorations stand before all types.
    let is_after_names = |code| matches!(code, 71..=74 | 19..=39);
    let marks = instructions(words)
        .filter(|&(code, _)| is_arithmetic(code))
        .flat_map(|(_, words)| [3 << 16 | op::DECORATE, words[2], op::NO_CONTRACTION]);
    let before = instructions(words).take_while(|&(code, _)| !is_after_names(code)).map(|(_, words)| words.len());
    let (before, after) = words.split_at(HEADER + before.sum::<usize>());
    before.iter().copied().chain(marks).chain(after.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        @group(0) @binding(3) var<storage, read_write> x: array<f32>;
        @group(0) @binding(4) var<storage, read_write> v: array<vec3f>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            x[id.x + 1u] = x[id.x] * x[2] + -(x[3] / x[4]) - sqrt(x[5]);
            v[0] = v[1] / x[6];
        }";

    fn count(words: &[u32], code: u32) -> usize {
        instructions(words).filter(|&(found, _)| found == code).count()
    }

    /// Checks that instructions fill the module, and that no id is defined twice or beyond the bound.
    fn check_structure(words: &[u32]) {
        assert_eq!(words[0], 0x0723_0203);
        assert_eq!(HEADER + instructions(words).map(|(_, words)| words.len()).sum::<usize>(), words.len());
        // Arithmetic, calls of functions and composites, whose results come third.
        let results = instructions(words).filter(|&(code, _)| matches!(code, 12 | 79..=82 | 124..=148 | 165..=205));
        let mut results: Vec<u32> = results.map(|(_, words)| words[2]).collect();
        let all = results.len();
        results.sort_unstable();
        results.dedup();
        assert_eq!(results.len(), all, "an id is defined twice");
        assert!(results.iter().all(|&id| id < words[3]), "an id is beyond the bound");
    }

    #[test]
    fn every_float_operation_is_marked_and_nothing_else_changes() {
        let words = translate(TEXT, "main", Rounding::OfTheDevice).unwrap();
        let marks = words.windows(3).filter(|w| w[0] == 3 << 16 | op::DECORATE && w[2] == op::NO_CONTRACTION).count();
        assert_eq!(marks, 6, "a product, two quotients, a negation, a sum, a difference");
        check_structure(&words);
    }

    #[test]
    fn barriers_order_memory_for_the_workgroup_alone() {
        let text = "
            @group(0) @binding(0) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
                x[lane] = 1.0;
                storageBarrier();
                x[lane] = x[63u - lane];
                workgroupBarrier();
            }";
        let words = translate(text, "main", Rounding::OfTheDevice).unwrap();
        check_structure(&words);
        let barriers = instructions(&words).filter(|&(code, _)| code == op::CONTROL_BARRIER);
        let scopes: Vec<_> = barriers.map(|(_, words)| [words[1], words[2]]).collect();
        assert_eq!(scopes.len(), 2);
        assert!(scopes.iter().flatten().all(|&scope| scope == scopes[1][0]), "{scopes:?}");
    }

    #[test]
    fn refinement_stands_in_place_of_every_quotient_and_root() {
        let words = translate(TEXT, "main", Rounding::Refined).unwrap();
        check_structure(&words);
        // Those of the functions that refine, and as many for one quotient, three of a vector, and one root.
        let [of_quotient, of_root] = [2, 1];
        assert_eq!(count(&words, op::F_DIV), (1 + 4) * of_quotient + (1 + 1) * of_root);
        let roots = instructions(&words).filter(|(code, words)| *code == op::EXT_INST && words[4] == op::SQRT).count();
        assert_eq!(roots, 1 + 1);
        let words = translate(TEXT, "main", Rounding::RefinedRoots).unwrap();
        check_structure(&words);
        assert_eq!(count(&words, op::F_DIV), 2 + of_quotient + (1 + 1) * of_root);
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        let error = translate("fn f() { let x = lenght(1.0); }", "f", Rounding::Refined).unwrap_err();
        assert!(error.contains("lenght"), "{error}");
    }
}
