//! The step from a description of a body to particles and clusters.

use xpbd_core::number::NumberError;
use xpbd_core::world::Object;

use super::error::ClusterError;
use super::{Cluster, ClusterBatch, ClusterOverlap, overlap};

pub(super) fn object(cluster: &Cluster) -> Result<Object, ClusterError> {
    if let Some(error) = &cluster.error {
        return Err(error.clone());
    }
    let (settings, sample) = (&cluster.particles, &cluster.sample);
    settings.check()?;
    NumberError::check_positive("density", cluster.settings.density)?;
    NumberError::check_not_negative("compliance", cluster.settings.compliance)?;
    let count = sample.positions.len();
    let pins = settings.sorted_pins(count).map_err(|index| ClusterError::Pin { index, particles: count })?;
    let mass = cluster.settings.density * sample.volume / count as f32;
    NumberError::check_positive("mass of a particle", mass)?;
    let rest = &sample.positions;
    let clusters = match cluster.settings.overlap {
        None => vec![(0..count as u32).collect()],
        Some(ClusterOverlap { spacing, radius }) => {
            NumberError::check_positive("spacing of clusters", spacing)?;
            let must = "finite and no less than their spacing";
            NumberError::check("radius of clusters", radius, must, radius >= spacing && radius.is_finite())?;
            overlap::clusters(rest, spacing, radius)
        }
    };
    let mut batch = ClusterBatch::new(rest, &vec![mass; count], &clusters)?
        .compliance(cluster.settings.compliance)
        .initial_rotation(settings.unit_pose().rotation)
        .distances(sample.distances.clone())?;
    batch.plasticity = cluster.settings.plasticity;
    let mut object = settings.object(rest, vec![mass; count], pins);
    object.rest_positions = rest.clone();
    Ok(object.with(batch))
}
