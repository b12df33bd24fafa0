//! Who takes part in a medium, as the device is told.

use bytemuck::{Pod, Zeroable};
use xpbd_core::medium::kernel::MediumKernel;
use xpbd_core::medium::{MediumState, SOLID};
use xpbd_core::world::{CollisionLayers, State};

/// Word of a particle that takes no part.
const NONE: u32 = u32::MAX;
/// Word of a solid.
const DEVICE_SOLID: u32 = u32::MAX - 1;

/// The members of a medium.
#[derive(Debug, Default)]
pub struct Members {
    key: Option<Key>,
    /// For each particle of the world its material, or what else it is.
    pub words: Vec<u32>,
    /// How many members there are.
    pub count: usize,
    /// True if any is a solid.
    pub has_solids: bool,
}

/// What members depend on.
#[derive(Debug, PartialEq)]
struct Key {
    plans: u64,
    particle_edits: u64,
    /// Of each object whether it is frozen, and its filter.
    objects: Vec<(bool, CollisionLayers)>,
}

impl Members {
    /// Follows the edits of a world; says whether anybody may have come or gone.
    pub fn update(&mut self, resident: &MediumState, state: &State) -> bool {
        let objects = state.objects.iter().map(|(_, object)| (object.frozen, object.collision_layers)).collect();
        let key = Key { plans: state.plan_generation, particle_edits: state.particle_revision, objects };
        if self.key.as_ref() == Some(&key) {
            return false;
        }
        self.key = Some(key);
        let objects: Vec<_> = state.objects.iter().map(|(_, object)| object).collect();
        let members = resident.members(&objects, &state.particles);
        self.words.clear();
        self.words.resize(state.particles.len(), NONE);
        self.count = members.len();
        self.has_solids = members.iter().any(|&(_, material)| material == SOLID);
        // Equal materials are one.
        let materials = &resident.materials;
        let first = |of| materials.iter().position(|material| material == of).unwrap_or(0) as u32;
        let words: Vec<u32> = materials.iter().map(first).collect();
        for (particle, material) in members {
            self.words[particle as usize] = if material == SOLID { DEVICE_SOLID } else { words[material as usize] };
        }
        true
    }
}

/// The uniform of a medium; see `members.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct Uniform {
    /// Members of a section.
    pub stride: u32,
    /// Buckets of the table.
    pub buckets: u32,
    /// Its first word.
    pub table: u32,
    /// Whether there are walls.
    pub walls: u32,
    /// Whether there are solids.
    pub solids: u32,
    /// Vectors of a material.
    pub width: u32,
    /// How far members see \[m\].
    pub reach: f32,
    pub padding: u32,
    /// Numbers of the materials.
    pub materials: [f32; MediumKernel::MAX_PARAMETERS],
}

/// Returns the numbers of materials one after the other, each filled up to vectors, and how many vectors each has.
///
/// # Errors
/// More of them than there is room for.
pub fn numbers(resident: &MediumState) -> Result<([f32; MediumKernel::MAX_PARAMETERS], u32), String> {
    let longest = resident.materials.iter().map(|material| material.parameters.len()).max().unwrap_or(0);
    let width = longest.div_ceil(4).max(1);
    let mut all = [0.0; MediumKernel::MAX_PARAMETERS];
    let (found, most) = (4 * width * resident.materials.len(), all.len());
    if found > most {
        let name = resident.medium.name();
        return Err(format!("the materials of `{name}` have {found} numbers; there is room for {most}"));
    }
    for (slot, material) in all.chunks_exact_mut(4 * width).zip(&resident.materials) {
        slot[..material.parameters.len()].copy_from_slice(&material.parameters);
    }
    Ok((all, width as u32))
}
