//! The saved form of the gas: V*, α and λ, then the triangles, each number in four bytes.

use xpbd_core::batch::{BatchError, ConstraintBatch};

use super::{Inflation, NAME};

/// The largest number of vertices per triangle that saved bytes may contain: three of its own.
const MOST_VERTICES: usize = 3;

pub(super) fn save(batch: &Inflation) -> Vec<u8> {
    let [volume, compliance] = batch.gas;
    let numbers = [volume, compliance, batch.lambda].map(f32::to_bits);
    let words = numbers.iter().chain(batch.triangles.as_flattened());
    words.flat_map(|word| word.to_le_bytes()).collect()
}

pub(super) fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let refused = |reason: &str| BatchError::Saved(NAME.into(), reason.into());
    let (words, rest) = bytes.as_chunks();
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let Some((numbers, corners)) = words.split_first_chunk::<3>().filter(|_| rest.is_empty()) else {
        return Err(refused("it is truncated"));
    };
    let (triangles, rest) = corners.as_chunks();
    let most = MOST_VERTICES * triangles.len();
    if !rest.is_empty() || corners.iter().any(|&corner| corner as usize >= most) {
        return Err(refused("its triangles do not fit together"));
    }
    let [volume, compliance, lambda] = numbers.map(f32::from_bits);
    Ok(Box::new(Inflation { lambda, ..Inflation::new(triangles, volume).compliance(compliance) }))
}
