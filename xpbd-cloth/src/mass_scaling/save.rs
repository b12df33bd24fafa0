//! The saved form of mass scaling: the strain, the number of vertices, their factors, where their edges begin, then the edges,
//! each number in four bytes.

use xpbd_core::batch::{BatchError, ConstraintBatch};

use super::{Edge, MAX_FACTOR, MassScaling, NAME};

pub(super) fn save(batch: &MassScaling) -> Vec<u8> {
    let header = [batch.strain[0].to_bits(), batch.factors.len() as u32];
    let factors = batch.factors.iter().map(|factor| factor.to_bits());
    let edges = batch.edges.iter().flat_map(|edge| [edge.to, edge.square.to_bits()]);
    let words = header.into_iter().chain(factors).chain(batch.starts.iter().copied()).chain(edges);
    words.flat_map(u32::to_le_bytes).collect()
}

pub(super) fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let (words, rest) = bytes.as_chunks();
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let batch = if rest.is_empty() { read(&words) } else { None };
    let refused = || BatchError::Saved(NAME.into(), "its edges do not fit together".into());
    batch.map(|batch| Box::new(batch) as Box<_>).ok_or_else(refused)
}

/// Reads a batch from what [`save`] writes; nothing if a list or a number is not one that it would write.
fn read(words: &[u32]) -> Option<MassScaling> {
    let (&[strain, vertices], words) = words.split_first_chunk()?;
    let (factors, words) = words.split_at_checked(vertices as usize)?;
    let (starts, edges) = words.split_at_checked(factors.len() + 1)?;
    let (edges, rest) = edges.as_chunks();
    let edges: Vec<Edge> = edges.iter().map(|&[to, square]| Edge { to, square: f32::from_bits(square) }).collect();
    let factors: Vec<f32> = factors.iter().copied().map(f32::from_bits).collect();
    let ascend = starts[0] == 0 && starts.is_sorted() && starts.last().is_some_and(|&end| end as usize == edges.len());
    let known = edges.iter().all(|edge| edge.to < vertices && edge.square.is_finite() && edge.square > 0.0);
    let scaled = factors.iter().all(|factor| (1.0..=MAX_FACTOR).contains(factor));
    let is_read = rest.is_empty() && ascend && known && scaled;
    is_read.then(|| MassScaling { factors, ..MassScaling::of_edges(f32::from_bits(strain), starts.to_vec(), edges) })
}
