//! The sheets that are inside of closed ones, as they were when they did not cross.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
use crate::particles::Particles;

/// Tells of a sheet and a closed sheet, by their numbers, whether the first one belongs inside of the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enclosures {
    /// Pairs of which the first one is inside, sorted.
    inside: Vec<[u32; 2]>,
    /// Pairs that crossed, so that nothing is known of them, sorted.
    unknown: Vec<[u32; 2]>,
}

impl Enclosures {
    /// Finds where all sheets are but those that cross, which are given in pairs.
    pub fn of(crossing: impl Iterator<Item = [u32; 2]>, features: &SurfaceFeatures, particles: &Particles) -> Self {
        let points = FeaturePoints::new(particles, &[]);
        let unknown: BTreeSet<[u32; 2]> = crossing.flat_map(|[a, b]| [[a, b], [b, a]]).collect();
        let mut inside = Vec::new();
        for (closed, sheet) in features.closed_sheets.iter() {
            let bounds = sheet.bounds(particles);
            for (other, first) in features.first_vertices().filter(|(other, _)| *other != closed) {
                let is_known = !unknown.contains(&[other, closed]);
                let may_be_inside = is_known && bounds.contains_local_point(particles.position(first as usize));
                if may_be_inside && sheet.encloses(first, |nodes| points.corners(nodes)) {
                    inside.push([other, closed]);
                }
            }
        }
        inside.sort_unstable();
        Self { inside, unknown: unknown.into_iter().collect() }
    }

    /// Returns whether a sheet belongs inside of a closed one, if that is known.
    pub fn is_inside(&self, sheet: u32, closed: u32) -> Option<bool> {
        let pair = [sheet, closed];
        let is_known = sheet != closed && self.unknown.binary_search(&pair).is_err();
        is_known.then(|| self.inside.binary_search(&pair).is_ok())
    }
}
