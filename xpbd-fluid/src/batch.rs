//! What makes the particles of an object a fluid.

use smallvec::{SmallVec, smallvec};
use xpbd_core::batch::{BatchError, ConstraintBatch, Node, NodeCounts};
use xpbd_core::medium::Material;

use crate::{FLUIDS, Liquid};

/// The name under which the type is registered.
pub const NAME: &str = "fluid";

/// Keeps every particle of an object at or below rest density; one constraint a particle.
#[derive(Debug, Clone)]
pub struct FluidBatch {
    liquid: Liquid,
    count: usize,
}

impl FluidBatch {
    /// A fluid of this many particles.
    pub fn new(liquid: Liquid, count: usize) -> Self {
        Self { liquid, count }
    }

    /// What the fluid is like.
    pub fn liquid(&self) -> &Liquid {
        &self.liquid
    }
}

impl ConstraintBatch for FluidBatch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn len(&self) -> usize {
        self.count
    }

    fn nodes(&self, constraint: usize) -> SmallVec<[Node; 8]> {
        smallvec![Node::Particle(constraint as u32)]
    }

    fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        if self.count != counts.particles {
            let (found, count) = (counts.particles, self.count);
            return Err(BatchError::Length { name: NAME.into(), what: "particles", found, count, each: 1 });
        }
        self.liquid.check().map_err(|error| BatchError::Saved(NAME.into(), error.to_string()))
    }

    fn material(&self) -> Option<Material> {
        Some(Material { medium: FLUIDS, numbers: self.liquid.numbers() })
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_stdvec(&(self.liquid, self.count as u64)).unwrap_or_default()
    }
}

/// Rebuilds a batch from its saved bytes.
pub fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let (liquid, count): (Liquid, u64) =
        postcard::from_bytes(bytes).map_err(|error| BatchError::Saved(NAME.into(), error.to_string()))?;
    Ok(Box::new(FluidBatch { liquid, count: count as usize }))
}
