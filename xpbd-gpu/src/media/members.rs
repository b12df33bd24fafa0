//! The members of a medium, as words for the device.

use bytemuck::{Pod, Zeroable};
use xpbd_core::media::MediumState;
use xpbd_core::medium::SOLID;
use xpbd_core::medium::kernel::MediumKernel;
use xpbd_core::world::{CollisionLayers, State};

use crate::cell_sort;

/// The members of a medium.
#[derive(Debug, Default)]
pub struct Members {
    key: Option<Key>,
    /// Material of each particle of the world, or [`NONE`](cell_sort::NONE) or [`SOLID`](cell_sort::SOLID).
    pub words: Vec<u32>,
    /// Number of members.
    pub count: usize,
    /// True if any member is a solid.
    pub has_solids: bool,
}

/// State on which the members depend.
#[derive(Debug, PartialEq)]
struct Key {
    plans: u64,
    particle_revision: u64,
    /// For each object whether it is frozen, and its layers.
    objects: Vec<(bool, CollisionLayers)>,
}

impl Members {
    /// Lists the members after an edit of the world, and returns whether any may have come or gone.
    pub fn update(&mut self, resident: &MediumState, state: &State) -> bool {
        let objects = state.objects.iter().map(|(_, object)| (object.frozen, object.collision_layers)).collect();
        let key = Key { plans: state.plan_generation, particle_revision: state.particle_revision, objects };
        if self.key.as_ref() == Some(&key) {
            return false;
        }
        self.key = Some(key);
        let objects: Vec<_> = state.objects.iter().map(|(_, object)| object).collect();
        let members = resident.members(&objects, &state.particles);
        self.words.clear();
        self.words.resize(state.particles.len(), cell_sort::NONE);
        self.count = members.len();
        self.has_solids = members.iter().any(|&(_, material)| material == SOLID);
        // Equal materials are one.
        let materials = &resident.materials;
        let first = |of| materials.iter().position(|material| material == of).unwrap_or(0) as u32;
        let words: Vec<u32> = materials.iter().map(first).collect();
        for (particle, material) in members {
            self.words[particle as usize] = if material == SOLID { cell_sort::SOLID } else { words[material as usize] };
        }
        true
    }
}

/// The uniform of a medium; see `members.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
pub struct MediumUniform {
    /// Members of a section.
    pub stride: u32,
    /// Buckets of the table.
    pub buckets: u32,
    /// First word of the table.
    pub table: u32,
    /// 1 if there are walls.
    pub walls: u32,
    /// 1 if there are solids.
    pub solids: u32,
    /// Vectors of a material.
    pub width: u32,
    /// Distance within which members see each other \[m\].
    pub reach: f32,
    /// First word of who is near.
    pub near: u32,
    /// Numbers of the materials.
    pub materials: [f32; MediumKernel::MAX_PARAMETERS],
}

/// Returns the numbers of the materials one after the other, each filled up to vectors, and the number of vectors of each.
///
/// # Errors
/// There are more numbers than the uniform has room for.
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
