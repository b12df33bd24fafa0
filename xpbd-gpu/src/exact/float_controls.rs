//! Float controls (`SPV_KHR_float_controls`): they ask a device to keep very small numbers, infinities and signs of zeros, and
//! to round to the nearest float.

use super::spirv::{HEADER, instructions, op};

/// Capability and execution mode of each control, for floats of 32 bits: `DenormPreserve`, `SignedZeroInfNanPreserve`,
/// `RoundingModeRTE`.
const CONTROLS: [[u32; 2]; 3] = [[4464, 4459], [4466, 4461], [4467, 4462]];

/// The controls that a device has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FloatControls {
    has: [bool; CONTROLS.len()],
}

impl FloatControls {
    /// Returns those of a device of Vulkan.
    #[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
    #[expect(unsafe_code, reason = "properties of the device that wgpu does not tell are asked of Vulkan")]
    pub fn of(device: &wgpu::Device) -> Self {
        // SAFETY: the device is only asked for its properties, and neither it nor its instance is destroyed.
        let Some(device) = (unsafe { device.as_hal::<wgpu::hal::api::Vulkan>() }) else { return Self::default() };
        let instance = device.shared_instance().raw_instance();
        let mut controls = ash::vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = ash::vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
        // SAFETY: the physical device is one of the instance, and the structure of properties is chained by ash. A device
        // that does not know the controls leaves them at false.
        unsafe { instance.get_physical_device_properties2(device.raw_physical_device(), &mut properties) };
        // From this version on the controls need no extension.
        let is_core = properties.properties.api_version >= ash::vk::API_VERSION_1_2;
        let has = [
            controls.shader_denorm_preserve_float32,
            controls.shader_signed_zero_inf_nan_preserve_float32,
            controls.shader_rounding_mode_rte_float32,
        ];
        Self { has: has.map(|has| is_core && has == ash::vk::TRUE) }
    }

    /// Returns none where there is no Vulkan.
    #[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
    pub fn of(_: &wgpu::Device) -> Self {
        Self::default()
    }

    /// Returns whether the device has all of them.
    pub fn is_complete(self) -> bool {
        self.has.iter().all(|&has| has)
    }

    /// Returns a module whose entry asks for the controls.
    pub fn asked_for(self, words: &[u32]) -> Vec<u32> {
        let controls: Vec<_> =
            CONTROLS.into_iter().zip(self.has).filter(|(_, has)| *has).map(|(both, _)| both).collect();
        if controls.is_empty() {
            return words.to_vec();
        }
        let mut result = words[..HEADER].to_vec();
        // Capabilities come first, and the extension after them; modes come after all entry points.
        let mut is_among_capabilities = true;
        let mut entry = None;
        for (code, words) in instructions(words) {
            if code != op::CAPABILITY && std::mem::take(&mut is_among_capabilities) {
                result.extend(controls.iter().flat_map(|&[capability, _]| [2 << 16 | op::CAPABILITY, capability]));
                result.extend(extension("SPV_KHR_float_controls"));
            }
            if code == op::ENTRY_POINT {
                entry = Some(words[2]);
            } else if let Some(entry) = entry.take() {
                let modes = controls.iter().flat_map(|&[_, mode]| [4 << 16 | op::EXECUTION_MODE, entry, mode, 32]);
                result.extend(modes);
            }
            result.extend(words);
        }
        result
    }
}

/// Returns the instruction that names an extension.
fn extension(name: &str) -> Vec<u32> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    let words = bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    [(1 + bytes.len() as u32 / 4) << 16 | op::EXTENSION].into_iter().chain(words).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Rounding, translate};
    use super::*;

    #[test]
    fn capabilities_extension_and_modes_stand_in_the_order_of_spirv() {
        let plain = translate("@compute @workgroup_size(1) fn main() {}", "main", Rounding::OfTheDevice).unwrap();
        let words = FloatControls { has: [true, false, true] }.asked_for(&plain);
        let codes: Vec<u32> = instructions(&words).map(|(code, _)| code).collect();
        let place = |code| codes.iter().position(|&found| found == code).unwrap();
        let last = |code| codes.iter().rposition(|&found| found == code).unwrap();
        assert!(last(op::CAPABILITY) < place(op::EXTENSION) && place(op::ENTRY_POINT) < place(op::EXECUTION_MODE));
        assert_eq!(words.len(), plain.len() + 2 * 2 + 7 + 2 * 4);
        assert_eq!(FloatControls::default().asked_for(&plain), plain);
    }
}
