//! What makes the particles of an object a fluid.

use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, BatchNode, ConstraintBatch, NodeCounts};
use xpbd_core::medium::Material;

use crate::{FLUID_MEDIUM, FluidMaterial};

/// The name under which the type is registered.
pub const NAME: &str = "fluid";

/// Keeps every particle of an object at or below rest density; one constraint a particle.
#[derive(Debug, Clone)]
pub struct FluidBatch {
    fluid_material: FluidMaterial,
    count: usize,
}

impl FluidBatch {
    /// Creates a fluid of this many particles.
    pub fn new(liquid: FluidMaterial, count: usize) -> Self {
        Self { fluid_material: liquid, count }
    }

    /// Returns what the fluid is like.
    pub fn fluid_material(&self) -> &FluidMaterial {
        &self.fluid_material
    }
}

impl ConstraintBatch for FluidBatch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn len(&self) -> usize {
        self.count
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[BatchNode; 8]> {
        smallvec![BatchNode::Particle(constraint as u32)]
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        if self.count != counts.particles {
            let (found, count) = (counts.particles, self.count);
            return Err(BatchError::Length { name: NAME.into(), what: "particles", found, count, each: 1 });
        }
        self.fluid_material.check().map_err(|error| BatchError::Saved(NAME.into(), error.to_string()))
    }

    fn material(&self) -> Option<Material> {
        Some(Material { medium: FLUID_MEDIUM, parameters: self.fluid_material.numbers() })
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(self.fluid_material, self.count as u64)).unwrap_or_default()
    }
}

/// Rebuilds a batch from its saved bytes.
pub fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let (liquid, count): (FluidMaterial, u64) =
        postcard::from_bytes(bytes).map_err(|error| BatchError::Saved(NAME.into(), error.to_string()))?;
    Ok(Box::new(FluidBatch { fluid_material: liquid, count: count as usize }))
}
