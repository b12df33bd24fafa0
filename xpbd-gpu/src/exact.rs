//! Kernels whose arithmetic is left as it is written.
//!
//! A compiler of shaders may contract a product and a sum into one rounding, factor a·b + a·c or
//! reorder constants; every driver does it in its own way, and results then differ from the CPU and
//! from device to device. WGSL cannot forbid it, SPIR-V can, by marking each operation
//! `NoContraction`. So where the device takes SPIR-V as it is (the feature `PASSTHROUGH_SHADERS` on
//! Vulkan), the text is translated here, by naga as ever and with its checks of bounds, and marked.
//! Elsewhere the device translates the text itself, and results agree within rounding.
#![expect(unsafe_code, reason = "a device takes SPIR-V on trust; naga has validated what it is made from")]

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Makes a shader module of which `entry` is used.
///
/// # Errors
/// The text is not valid WGSL.
pub fn module(device: &wgpu::Device, text: &str, entry: &str) -> Result<wgpu::ShaderModule, String> {
    if !is_possible(device) {
        let source = wgpu::ShaderSource::Wgsl(text.into());
        return Ok(device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(entry), source }));
    }
    let words = translate(text, entry)?;
    let description = wgpu::ShaderModuleDescriptorPassthrough {
        label: Some(entry),
        spirv: Some(words.into()),
        ..wgpu::ShaderModuleDescriptorPassthrough::default()
    };
    // SAFETY: naga has validated the module, and has written checks of all bounds into it; a mark that
    // forbids contraction changes no more than rounding.
    Ok(unsafe { device.create_shader_module_passthrough(description) })
}

/// Returns whether a device takes SPIR-V as it is.
pub fn is_possible(device: &wgpu::Device) -> bool {
    device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS)
        && device.adapter_info().backend == wgpu::Backend::Vulkan
}

/// Translates a text to SPIR-V in which every arithmetic operation is marked.
fn translate(text: &str, entry: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = checked.map_err(|error| error.emit_to_string(text))?;
    let options = spv::Options {
        flags: spv::WriterFlags::empty(),
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
    Ok(marked(&words))
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

/// Words before the first instruction.
const HEADER: usize = 5;
const OP_DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;

/// Adds a `NoContraction` for every arithmetic operation on floats, before the first decoration.
fn marked(words: &[u32]) -> Vec<u32> {
    let mut marks = Vec::new();
    let mut place = None;
    let mut at = HEADER;
    while at < words.len() {
        let (code, length) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        // Decorations stand before all types.
        if place.is_none() && (matches!(code, 71..=74) || matches!(code, 19..=39)) {
            place = Some(at);
        }
        // FNegate, FAdd, FSub, FMul, FDiv, FRem, FMod, products of vectors and matrices.
        if matches!(code, 127 | 129 | 131 | 133 | 136 | 140..=148) {
            marks.extend([3 << 16 | OP_DECORATE, words[at + 2], NO_CONTRACTION]);
        }
        at += length.max(1);
    }
    let (before, after) = words.split_at(place.unwrap_or(words.len()));
    [before, &marks, after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_operation_is_marked_and_nothing_else_changes() {
        let text = "
            @group(0) @binding(3) var<storage, read_write> x: array<f32>;
            @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
                x[id.x + 1u] = x[id.x] * x[2] + -(x[3] / x[4]) - sqrt(x[5]);
            }";
        let words = translate(text, "main").unwrap();
        let marks = words.windows(3).filter(|w| w[0] == 3 << 16 | OP_DECORATE && w[2] == NO_CONTRACTION).count();
        assert_eq!(marks, 5, "a product, a quotient, a negation, a sum, a difference");
        assert_eq!(words[0], 0x0723_0203);
        let lengths = |mut at: usize| {
            while at < words.len() {
                at += (words[at] >> 16) as usize;
            }
            at
        };
        assert_eq!(lengths(HEADER), words.len());
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        let error = translate("fn f() { let x = lenght(1.0); }", "f").unwrap_err();
        assert!(error.contains("lenght"), "{error}");
    }
}
