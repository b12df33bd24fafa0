//! The batch that makes the particles of an object a fluid.

use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, BatchNode, ConstraintBatch, NodeCounts, Registry};
use xpbd_core::constraint::ConstraintError;
use xpbd_core::medium::Material;

use crate::material::FluidMaterial;
use crate::solver::FLUID_MEDIUM;

/// The name under which the type is registered.
const NAME: &str = "fluid";

/// A batch that keeps every particle of an object at or below rest density, with one constraint a particle.
#[derive(Debug, Clone)]
pub struct FluidBatch {
    fluid_material: FluidMaterial,
    count: usize,
}

impl FluidBatch {
    /// Returns the batch of a fluid of `count` particles.
    pub fn new(liquid: FluidMaterial, count: usize) -> Self {
        Self { fluid_material: liquid, count }
    }

    /// Returns the material of the fluid.
    pub fn fluid_material(&self) -> &FluidMaterial {
        &self.fluid_material
    }
}

impl ConstraintBatch for FluidBatch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn register(&self, registry: &mut Registry) -> Result<(), ConstraintError> {
        register(registry)
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

/// Registers the batches of this crate, so that snapshots with fluids can be restored.
///
/// # Errors
/// Another type has the same name.
pub fn register(registry: &mut Registry) -> Result<(), ConstraintError> {
    registry.register_batch::<FluidBatch>(NAME, restore)
}

/// Rebuilds a batch from its saved bytes.
fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let (liquid, count): (FluidMaterial, u64) =
        postcard::from_bytes(bytes).map_err(|error| BatchError::Saved(NAME.into(), error.to_string()))?;
    Ok(Box::new(FluidBatch { fluid_material: liquid, count: count as usize }))
}
