//! The parts of sheets that are on another side of a closed sheet than the one on which they belong.

use hashbrown::{HashMap, HashSet};

use super::Crossing;
use super::pieces::Pieces;
use crate::collide::surface_contacts::enclosures::Enclosures;
use crate::collide::surface_contacts::feature_points::FeaturePoints;
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::particles::Particles;

/// Tells on which side of closed sheets the sheets belong that cross them.
pub(super) struct Homes<'a> {
    enclosures: &'a Enclosures,
    features: &'a SurfaceFeatures,
    pieces: &'a Pieces,
    particles: &'a Particles,
    /// True if a part, by its first vertex, is on the wrong side of a closed sheet, by its number.
    astray: HashMap<(u32, u32), bool>,
}

impl<'a> Homes<'a> {
    /// Knows nothing of parts yet.
    pub fn new(
        enclosures: &'a Enclosures,
        features: &'a SurfaceFeatures,
        pieces: &'a Pieces,
        particles: &'a Particles,
    ) -> Self {
        Self { enclosures, features, pieces, particles, astray: HashMap::new() }
    }

    /// Returns those of some crossings of which one end of the edge is on the wrong side, with the number of that end.
    pub fn ends_astray(&mut self, crossings: Vec<Crossing>) -> Vec<(Crossing, usize)> {
        let end_of = |crossing: Crossing| {
            let [one, other] = self.astray_ends(&crossing)?;
            (one != other).then_some((crossing, usize::from(other)))
        };
        crossings.into_iter().filter_map(end_of).collect()
    }

    /// Returns of each end of a crossing edge whether it is on the wrong side of the sheet that the edge crosses, if that is known.
    fn astray_ends(&mut self, crossing: &Crossing) -> Option<[bool; 2]> {
        let [sheet, closed] = crossing.sheets(self.features);
        let belongs_inside = self.belongs_inside(sheet, closed)?;
        let sheet = self.features.closed_sheets.get(closed)?;
        let points = FeaturePoints::new(self.particles, &[]);
        let Self { pieces, astray, .. } = self;
        Some(crossing.edge.map(|end| {
            let part = pieces.parts[end as usize];
            let is_astray = || sheet.encloses(part, |nodes| points.corners(nodes)) != belongs_inside;
            *astray.entry((part, closed)).or_insert_with(is_astray)
        }))
    }

    /// Returns whether it is known on which side of one of the two sheets of a crossing the other belongs. Where the edge is of the
    /// closed one, the edges of the other tell what has to move.
    pub fn knows(&self, crossing: &Crossing) -> bool {
        let [sheet, other] = crossing.sheets(self.features);
        self.belongs_inside(sheet, other).is_some() || self.belongs_inside(other, sheet).is_some()
    }

    fn belongs_inside(&self, sheet: u32, closed: u32) -> Option<bool> {
        self.features.closed_sheets.get(closed)?;
        self.enclosures.is_inside(sheet, closed)
    }

    /// Marks the vertices of parts on the wrong side.
    pub fn mark_astray(&self, near: &mut [bool]) {
        let parts: HashSet<u32> =
            self.astray.iter().filter(|(_, is_astray)| **is_astray).map(|(&(part, _), _)| part).collect();
        for &vertex in &self.features.vertices {
            near[vertex as usize] |= parts.contains(&self.pieces.parts[vertex as usize]);
        }
    }
}
