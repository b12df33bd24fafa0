//! Particles that have passed a sheet, and what brings them back.
//!
//! A particle that has passed a triangle is on the wrong side of the whole sheet around it: it may slide under the triangle
//! beside without having passed it, or go around the plane of that one. So its side is known for the sheet, until it has come
//! back or is beyond the rim of the sheet.
//!
//! It is held by the triangle that it has passed as long as its nearest point is inside of that, then by the nearest of all. The
//! normals of the triangles that meet in the nearest point, weighted by their angles there, tell on which side it is
//! (Bærentzen, Aanæs, *Signed Distance Computation Using the Angle Weighted Pseudonormal*, 2005); of a sheet without a rim the
//! [winding number](ClosedSheets) does, which no fold deceives. What is back only where it would go in this substep is still held,
//! because its contacts may push it out again.
//! Vertices of surfaces have no such memory: their edges have sides, too, which would contradict.

use glam::Vec3;

use super::closed_sheets::{ClosedSheet, ClosedSheets};
use super::crossed_pair::CrossedPair;
use super::feature_geometry::{ClosestPoints, Corners};
use super::feature_pair::{ActivePair, FeaturePair};
use super::feature_points::FeaturePoints;
use super::features::SurfaceFeatures;
use super::motion::Wake;

/// Distance beyond that of the nearest triangle up to which another one is as near \[1\].
const AS_NEAR: f32 = 1e-4;

/// A particle of no surface that has passed a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Astray {
    particle: u32,
    /// Number of the sheet.
    sheet: u32,
    /// True if the particle belongs on the side to which the sheet's first triangle points.
    is_front: bool,
}

impl Astray {
    /// Returns what a pair tells that has passed a triangle of such a sheet, and belongs on this side of it.
    fn new(particle: u32, sheet: i32, side: f32) -> Self {
        Self { particle, sheet: sheet.unsigned_abs(), is_front: (side > 0.0) == (sheet > 0) }
    }

    /// Returns what is known of a particle that belongs inside of a closed sheet, or outside, and is not there.
    pub fn of_closed(particle: u32, sheet: u32, belongs_inside: bool, closed: &ClosedSheet) -> Self {
        Self { particle, sheet, is_front: belongs_inside == closed.points_inward() }
    }

    /// Returns what is remembered of a pair, which may have gone far from each other, if its particle has passed a sheet.
    pub fn of_crossed(pair: &CrossedPair, features: &SurfaceFeatures) -> Option<Self> {
        let [particle, a, b, c] = pair.nodes;
        let has_passed = pair.has_passed && pair.collider.is_none();
        Some(Self::new(particle, features.sheet_of([a, b, c]).filter(|_| has_passed)?, pair.side))
    }

    /// As [`Astray::new`] of a pair.
    fn of(pair: &FeaturePair) -> Self {
        Self::new(pair.nodes[0], pair.sheet, pair.kept_side)
    }

    /// Returns whether the particle belongs inside of the sheet, if that is closed.
    pub fn belongs_inside(&self, closed: &ClosedSheets) -> Option<bool> {
        Some(self.is_front == closed.get(self.sheet)?.points_inward())
    }

    pub fn key(&self) -> (u32, u32) {
        (self.particle, self.sheet)
    }

    /// Returns the side of a triangle of the sheet on which the particle belongs: 1 or −1.
    fn side(&self, pair: &FeaturePair) -> f32 {
        if self.is_front == (pair.sheet > 0) { 1.0 } else { -1.0 }
    }
}

/// All particles that have passed a sheet, in order.
#[derive(Debug, Default)]
pub(super) struct AstrayParticles(Vec<Astray>);

impl IntoIterator for AstrayParticles {
    type Item = Astray;
    type IntoIter = std::vec::IntoIter<Astray>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl AstrayParticles {
    /// Returns the particles, each as often as it has passed a sheet, in order.
    pub fn particles(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|astray| astray.particle)
    }

    /// Returns the particles that have passed closed sheets, with these, and whether they belong inside.
    pub fn of_closed<'a>(&'a self, closed: &'a ClosedSheets) -> impl Iterator<Item = ([u32; 2], bool)> + 'a {
        self.0.iter().filter_map(|astray| Some(([astray.particle, astray.sheet], astray.belongs_inside(closed)?)))
    }

    /// Returns those that have passed closed sheets.
    pub fn only_of(mut self, closed: &ClosedSheets) -> Self {
        self.0.retain(|astray| closed.get(astray.sheet).is_some());
        self
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds those that pairs have passed.
    pub fn add(&mut self, pairs: &[FeaturePair]) {
        self.extend(pairs.iter().filter(|pair| pair.is_of_particle() && pair.has_passed).map(Astray::of));
    }

    /// Adds those that are remembered from pairs.
    pub fn recall(&mut self, crossed: &[CrossedPair], features: &SurfaceFeatures) {
        self.extend(crossed.iter().filter_map(|pair| Astray::of_crossed(pair, features)));
    }

    /// Adds these.
    pub fn extend(&mut self, astray: impl IntoIterator<Item = Astray>) {
        self.0.extend(astray);
        self.0.sort_by_key(Astray::key);
        self.0.dedup_by_key(|astray| astray.key());
    }

    /// Returns the side of a triangle on which the particle of a pair belongs, if that has passed its sheet.
    pub fn side(&self, pair: &FeaturePair) -> Option<f32> {
        if self.0.is_empty() || !pair.is_of_particle() {
            return None;
        }
        let key = (pair.nodes[0], pair.sheet.unsigned_abs());
        let place = self.0.binary_search_by_key(&key, Astray::key).ok()?;
        Some(self.0[place].side(pair))
    }

    /// Decides which contacts hold the particles that have passed, and which have come back. `marks` is a buffer of one
    /// false for each point.
    pub fn hold(
        &mut self,
        (pairs, wakes): (&mut [FeaturePair], &mut [Wake]),
        active: &mut Vec<ActivePair>,
        marks: &mut [bool],
        (points, closed): (FeaturePoints<'_>, &ClosedSheets),
    ) {
        let passed = |active: &ActivePair| {
            let pair = &pairs[active.pair as usize];
            (pair.is_of_particle() && pair.has_passed).then_some(pair.nodes[0])
        };
        let theirs: Vec<u32> =
            active.iter().filter_map(passed).chain(self.0.iter().map(|astray| astray.particle)).collect();
        if theirs.is_empty() {
            return;
        }
        theirs.iter().for_each(|&point| marks[point as usize] = true);
        let is_around = |pair: &FeaturePair| pair.is_of_particle() && marks[pair.nodes[0] as usize];
        let (contacts, mut kept): (Vec<_>, Vec<_>) =
            active.iter().copied().partition(|active| is_around(&pairs[active.pair as usize]));
        let mut contacts = contacts.into_iter().peekable();
        let around = (0..pairs.len()).filter(|&k| is_around(&pairs[k]));
        let mut around: Vec<Neighbour> = around
            .map(|k| Neighbour {
                pair: k,
                sheet: (pairs[k].nodes[0], pairs[k].sheet.unsigned_abs()),
                active: contacts.next_if(|active| active.pair as usize == k),
            })
            .collect();
        around.sort_by_key(|neighbour| neighbour.sheet);
        let known = std::mem::take(&mut self.0);
        let is_near = |astray: &Astray| around.binary_search_by_key(&astray.key(), |neighbour| neighbour.sheet).is_ok();
        self.0.extend(known.iter().filter(|astray| closed.get(astray.sheet).is_some() && !is_near(astray)));
        for group in around.chunk_by_mut(|a, b| a.sheet == b.sheet) {
            let before = known.binary_search_by_key(&group[0].sheet, Astray::key).ok().map(|place| known[place]);
            let first = group.iter().map(|neighbour| &pairs[neighbour.pair]).find(|pair| pair.has_passed);
            let astray = before.or(first.map(Astray::of));
            self.0.extend(astray.filter(|&astray| settle(group, astray, (&mut *pairs, &mut *wakes), (points, closed))));
        }
        self.0.sort_by_key(Astray::key);
        theirs.iter().for_each(|&point| marks[point as usize] = false);
        kept.extend(around.iter().filter_map(|neighbour| neighbour.active));
        kept.sort_unstable_by_key(|active| active.pair);
        *active = kept;
    }
}

/// A pair of a particle that has passed a sheet and a triangle of this near it.
struct Neighbour {
    /// Index of the pair.
    pair: usize,
    /// The particle and the sheet.
    sheet: (u32, u32),
    /// The contact of the two; none if they do not touch.
    active: Option<ActivePair>,
}

/// Decides for the pairs of one particle and one sheet which of them hold it. Returns whether it is still on the wrong side.
fn settle(
    group: &mut [Neighbour],
    astray: Astray,
    (pairs, wakes): (&mut [FeaturePair], &mut [Wake]),
    (points, closed): (FeaturePoints<'_>, &ClosedSheets),
) -> bool {
    let is_held = |neighbour: &Neighbour, pairs: &[FeaturePair]| {
        let pair = &pairs[neighbour.pair];
        let is_pulled = neighbour.active.is_some_and(|active| active.crossed && !active.rim);
        is_pulled && pair.has_passed && pair.kept_side == astray.side(pair)
    };
    let is_above = |neighbour: &Neighbour, pairs: &[FeaturePair]| {
        let pair = &pairs[neighbour.pair];
        is_held(neighbour, pairs) && pair.kind.nearest(points.corners(pair.nodes)).inside
    };
    let mut holder = None;
    if !group.iter().any(|neighbour| is_above(neighbour, pairs)) {
        let nearest = |corners: &dyn Fn([u32; 4]) -> Corners| Nearest::of(group, astray, pairs, corners);
        let is_home = |corners: &dyn Fn([u32; 4]) -> Corners| match closed.get(astray.sheet) {
            Some(sheet) => sheet.has_in_front(astray.particle, corners) == astray.is_front,
            None => nearest(corners).is_free,
        };
        let has_crossed = group.iter().any(|neighbour| is_held(neighbour, pairs));
        // What has come back in this substep may be pushed out again by its contacts.
        if !has_crossed && is_home(&|nodes| points.corners_before(nodes)) && is_home(&|nodes| points.corners(nodes)) {
            for neighbour in group {
                let pair = &mut pairs[neighbour.pair];
                if pair.has_passed || pair.kept_side != astray.side(pair) {
                    (pair.has_passed, pair.kept_side) = (false, 0.0);
                }
                neighbour.active = neighbour.active.filter(|active| !active.crossed);
            }
            return false;
        }
        holder = Some(nearest(&|nodes| points.corners(nodes)));
    }
    for (k, neighbour) in group.iter_mut().enumerate() {
        let side = astray.side(&pairs[neighbour.pair]);
        if let Some(nearest) = holder.as_ref().filter(|nearest| nearest.place == k) {
            let pair = &mut pairs[neighbour.pair];
            (pair.kept_side, pair.has_passed) = (side, true);
            wakes[neighbour.pair] = Wake::NOW;
            let contact = ActivePair::crossed(nearest.inward, nearest.points.weights);
            neighbour.active = Some(ActivePair { pair: neighbour.pair as u32, ..contact });
        } else if !is_above(neighbour, pairs) {
            let pair = &mut pairs[neighbour.pair];
            let is_wrong = pair.kind.side(points.corners(pair.nodes)) != side;
            if pair.has_passed || is_wrong {
                (pair.kept_side, pair.has_passed, neighbour.active) = (0.0, false, None);
            }
        }
    }
    true
}

/// The place of a sheet that is nearest to a particle.
struct Nearest {
    /// Which of the triangles has it.
    place: usize,
    points: ClosestPoints,
    /// Unit vector that leads to the side on which the particle belongs: the normal within a triangle; at its rim the way to
    /// there, or from there if the particle is on that side.
    inward: Vec3,
    /// True if the particle is on the side on which it belongs, or beyond the rim of the sheet.
    is_free: bool,
}

impl Nearest {
    /// Finds it among the triangles near the particle, given the vectors from that to the corners of a triangle \[m\].
    fn of(
        group: &[Neighbour],
        astray: Astray,
        pairs: &[FeaturePair],
        corners_of: &dyn Fn([u32; 4]) -> Corners,
    ) -> Self {
        let near = |neighbour: &Neighbour| {
            let pair = &pairs[neighbour.pair];
            pair.kind.nearest(corners_of(pair.nodes))
        };
        let all: Vec<ClosestPoints> = group.iter().map(near).collect();
        let square = |k: &usize| all[*k].apart.length_squared();
        let place = (0..all.len()).min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or(0);
        let nearest = all[place];
        let reach = nearest.apart.length() * (1.0 + AS_NEAR);
        let mut normal = Vec3::ZERO;
        // The vertices around that place, each twice where the sheet goes on: at an edge also its own ends.
        let mut around = Vec::new();
        for (neighbour, its) in group.iter().zip(&all).filter(|(_, its)| its.apart.length() <= reach) {
            let pair = &pairs[neighbour.pair];
            let corners = corners_of(pair.nodes);
            let apex: Vec<usize> = (0..3).filter(|&k| its.weights[k] != 0.0).collect();
            let angle = match apex[..] {
                [k] => {
                    let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]].map(|other| other - corners[k]);
                    libm::atan2f(a.cross(b).length(), a.dot(b))
                }
                _ => 1.0,
            };
            let face = pair.kind.normal(corners) * astray.side(pair);
            normal += face.normalize_or_zero() * angle;
            around.extend((0..3).filter(|k| !apex.contains(k)).map(|k| pair.nodes[k + 1]));
            if apex.len() == 2 {
                around.extend(apex.iter().map(|&k| pair.nodes[k + 1]));
            }
        }
        around.sort_unstable();
        let goes_on = match nearest.weights.iter().filter(|weight| **weight != 0.0).count() {
            1 => around.chunk_by(|a, b| a == b).all(|same| same.len() > 1),
            2 => around.chunk_by(|a, b| a == b).any(|same| same.len() > 1),
            _ => true,
        };
        let is_home = normal.dot(nearest.apart) >= 0.0;
        let way = if is_home { nearest.apart } else { -nearest.apart };
        let inward = way.try_normalize().filter(|_| !nearest.inside).unwrap_or_else(|| normal.normalize_or_zero());
        Self { place, points: nearest, inward, is_free: is_home || !goes_on }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::feature_geometry::FeaturePairKind;
    use super::*;
    use crate::friction::Friction;
    use crate::particles::Particles;

    /// Returns a particle with two triangles beside each other in the plane y = 0, both facing up if `alike`, the second one down
    /// if not: the particle has passed the first one from above, and is slid off it.
    fn stage(point: Vec3, alike: bool) -> (Particles, Vec<FeaturePair>, Vec<ActivePair>) {
        let mut particles = Particles::default();
        let corners = [Vec3::NEG_X, Vec3::NEG_Z, Vec3::Z, Vec3::X];
        for place in [point].into_iter().chain(corners) {
            particles.push(place, Vec3::ZERO, 1.0, place);
        }
        let second = if alike { [0, 3, 4, 2] } else { [0, 4, 3, 2] };
        let pair = |nodes| FeaturePair::new(FeaturePairKind::ParticleTriangle, nodes, 0.1, Friction::new(0.0));
        let mut pairs = vec![pair([0, 1, 3, 2]), pair(second)];
        (pairs[0].kept_side, pairs[0].has_passed) = (1.0, true);
        (pairs[0].sheet, pairs[1].sheet) = (1, if alike { 1 } else { -1 });
        let nearest = pairs[0].kind.nearest(FeaturePoints::new(&particles, &[]).corners(pairs[0].nodes));
        let slid = ActivePair { rim: !nearest.inside, ..ActivePair::crossed(Vec3::Y, nearest.weights) };
        (particles, pairs, vec![slid])
    }

    fn handed(
        (particles, mut pairs, mut active): (Particles, Vec<FeaturePair>, Vec<ActivePair>),
    ) -> (Vec<FeaturePair>, Vec<ActivePair>) {
        let mut marks = vec![false; particles.len()];
        let mut wakes = vec![Wake { path: 1.0, time: 0.0 }; pairs.len()];
        let mut astray = AstrayParticles::default();
        let points = (FeaturePoints::new(&particles, &[]), &ClosedSheets::default());
        astray.hold((&mut pairs, &mut wakes), &mut active, &mut marks, points);
        assert_eq!(astray.0.len(), pairs.iter().filter(|pair| pair.has_passed).count());
        assert!(!marks.contains(&true));
        (pairs, active)
    }

    #[test]
    fn what_slides_under_the_next_triangle_is_held_by_it() {
        for (alike, side) in [(true, 1.0), (false, -1.0)] {
            let (pairs, active) = handed(stage(Vec3::new(0.2, -0.05, 0.1), alike));
            assert_eq!((pairs[0].has_passed, pairs[1].has_passed, pairs[1].kept_side), (false, true, side));
            assert_eq!((active.len(), active[0].pair, active[0].normal), (1, 1, Vec3::Y));
        }
    }

    #[test]
    fn what_is_above_the_next_triangle_has_come_back() {
        let (pairs, active) = handed(stage(Vec3::new(0.2, 0.05, 0.1), true));
        assert!(active.is_empty() && pairs.iter().all(|pair| !pair.has_passed && pair.kept_side == 0.0));
    }

    /// Contacts of the substep may push it out again, and it would be forgotten there.
    #[test]
    fn what_comes_back_within_the_substep_is_still_held() {
        let (mut particles, pairs, active) = stage(Vec3::new(0.2, 0.05, 0.1), true);
        particles.start[0] -= Vec3::Y.extend(0.0) * 0.1;
        let (pairs, active) = handed((particles, pairs, active));
        assert_eq!((active.len(), pairs[active[0].pair as usize].has_passed), (1, true));
    }

    #[test]
    fn what_slides_off_the_sheet_is_free() {
        let (pairs, active) = handed(stage(Vec3::new(-0.8, -0.05, 0.8), true));
        assert!(active.is_empty() && pairs.iter().all(|pair| !pair.has_passed));
    }

    /// The particle has gone through the first triangle under the second, which seems to have it on its lower side.
    #[test]
    fn the_triangle_beside_does_not_push_what_has_passed_farther() {
        let (particles, mut pairs, mut active) = stage(Vec3::new(-0.05, -0.05, 0.0), true);
        assert!(!active[0].rim);
        pairs[1].kept_side = -1.0;
        active.push(ActivePair {
            pair: 1,
            rim: true,
            crossed: false,
            ..ActivePair::crossed(Vec3::NEG_Y, [0.0, -1.0, 0.0])
        });
        let (pairs, active) = handed((particles, pairs, active));
        assert_eq!((active.len(), active[0].pair), (1, 0));
        assert_eq!((pairs[0].has_passed, pairs[0].kept_side, pairs[1].kept_side), (true, 1.0, 0.0));
    }
}
