//! The strain of springs.

use xpbd_core::batch::ConstraintBatch;
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::Metrics;

/// Stretch max(0, l/l₀ − 1) of the springs of a batch \[1\]; what is slack counts as 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strains {
    /// The largest.
    pub max: f64,
    /// Strain below which 99 of 100 springs stay.
    pub p99: f64,
    /// The mean.
    pub mean: f64,
}

impl Strains {
    /// Measures the springs of a batch between particles of an object, whose parameter is the rest length.
    ///
    /// # Errors
    /// A stale handle, or a batch of another kind.
    pub fn of(world: &World, object: ObjectHandle, springs: BatchHandle) -> Result<Self, WorldError> {
        let places: Vec<_> = world.positions(object)?.map(|x| x.as_dvec3()).collect();
        let batch = world.batch(springs)?.traced().ok_or(WorldError::StaleHandle("spring batch"))?;
        let stretch = |k: usize| {
            let ends = batch.node_indices(k);
            let length = places[ends[0] as usize].distance(places[ends[1] as usize]);
            (length / f64::from(batch.parameters(k)[0]) - 1.0).max(0.0)
        };
        Ok(Self::from_list((0..batch.len()).map(stretch).collect()))
    }

    fn from_list(mut strains: Vec<f64>) -> Self {
        strains.sort_unstable_by(f64::total_cmp);
        let count = strains.len();
        let at = |part: usize| strains.get((count * part / 100).min(count.saturating_sub(1))).copied().unwrap_or(0.0);
        Self { max: at(100), p99: at(99), mean: strains.iter().sum::<f64>() / count.max(1) as f64 }
    }

    /// Returns the metrics `max_strain`, `p99_strain` and `mean_strain`.
    pub fn metrics(self) -> Metrics {
        vec![("max_strain", self.max), ("p99_strain", self.p99), ("mean_strain", self.mean)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_strains_have_their_order_statistics() {
        let strains = Strains::from_list((0..200).rev().map(f64::from).collect());
        assert_eq!(strains, Strains { max: 199.0, p99: 198.0, mean: 99.5 });
        assert_eq!(Strains::from_list(Vec::new()), Strains { max: 0.0, p99: 0.0, mean: 0.0 });
    }
}
