//! Particles that have passed a triangle, and what its neighbours make of it.
//!
//! A particle on the wrong side of a triangle is on the wrong side of the sheet around it: it may slide under the triangle
//! beside, on whose side it seems to have been all the time, or it went around the plane of that one through the first. So the
//! side on which it belongs is handed from triangle to triangle over their common edges, among those near the particle.
//! Vertices of surfaces are not handed over: their edges have sides, too, which would contradict.

use super::feature_pair::{ActivePair, FeaturePair};
use super::feature_points::FeaturePoints;

/// Distance in thicknesses within which a particle between the reaches of triangles stays with the one that it has slid off \[1\].
const NEAR: f32 = 6.0;

/// A pair of a particle that has passed, or one of its pairs with triangles around.
struct Neighbour {
    /// Index of the pair.
    pair: usize,
    /// Side of the triangle on which the particle belongs, if that is known: 1 or −1.
    side: Option<f32>,
    /// The contact of the two; none if they do not touch.
    active: Option<ActivePair>,
}

/// Hands the sides of particles that have passed triangles to the triangles beside. `marks` is a buffer of one false for each point.
pub(super) fn hand_over(
    (pairs, wakes): (&mut [FeaturePair], &mut [f32]),
    active: &mut Vec<ActivePair>,
    marks: &mut [bool],
    points: FeaturePoints<'_>,
) {
    let passed = |active: &ActivePair| {
        let pair = &pairs[active.pair as usize];
        (pair.is_of_particle() && pair.has_passed).then_some(pair.nodes[0] as usize)
    };
    let of_passed: Vec<usize> = active.iter().filter_map(passed).collect();
    if of_passed.is_empty() {
        return;
    }
    of_passed.iter().for_each(|&point| marks[point] = true);
    let around = (0..pairs.len()).filter(|&k| marks[pairs[k].nodes[0] as usize] && pairs[k].is_of_particle());
    let mut around: Vec<Neighbour> = around.map(|pair| Neighbour { pair, side: None, active: None }).collect();
    let is_around = |active: &ActivePair| {
        let pair = &pairs[active.pair as usize];
        marks[pair.nodes[0] as usize] && pair.is_of_particle()
    };
    let (theirs, others): (Vec<_>, Vec<_>) = active.iter().copied().partition(is_around);
    let mut theirs = theirs.into_iter().peekable();
    for neighbour in &mut around {
        neighbour.active = theirs.next_if(|active| active.pair as usize == neighbour.pair);
    }
    let mut rest = &mut around[..];
    while let Some(first) = rest.first() {
        let point = pairs[first.pair].nodes[0];
        let count = rest.iter().take_while(|neighbour| pairs[neighbour.pair].nodes[0] == point).count();
        let (group, others) = rest.split_at_mut(count);
        rest = others;
        spread_sides(group, pairs);
        settle(group, pairs, wakes, points);
    }
    of_passed.iter().for_each(|&point| marks[point] = false);
    *active = others;
    active.extend(around.iter().filter_map(|neighbour| neighbour.active));
    active.sort_unstable_by_key(|active| active.pair);
}

/// Tells the side on which a particle belongs from triangles that it has passed to those around.
fn spread_sides(group: &mut [Neighbour], pairs: &[FeaturePair]) {
    for neighbour in &mut *group {
        let pair = &pairs[neighbour.pair];
        neighbour.side = pair.has_passed.then_some(pair.kept_side);
    }
    let mut known: Vec<usize> = (0..group.len()).filter(|&k| group[k].side.is_some()).collect();
    let mut next = 0;
    while let Some(&one) = known.get(next) {
        next += 1;
        for other in 0..group.len() {
            if group[other].side.is_none() {
                let alike = winding(&pairs[group[one].pair], &pairs[group[other].pair]);
                group[other].side = group[one].side.zip(alike).map(|(side, alike)| side * alike);
                if group[other].side.is_some() {
                    known.push(other);
                }
            }
        }
    }
}

/// Returns 1 if two triangles have an edge in common over which they are wound alike, −1 if they are wound against each other.
fn winding(one: &FeaturePair, other: &FeaturePair) -> Option<f32> {
    let edges = |pair: &FeaturePair| [[1, 2], [2, 3], [3, 1]].map(|edge| edge.map(|k: usize| pair.nodes[k]));
    let others = edges(other);
    edges(one).into_iter().find_map(|[a, b]| {
        let against = others.contains(&[a, b]);
        (against || others.contains(&[b, a])).then_some(if against { -1.0 } else { 1.0 })
    })
}

/// Decides for the pairs of one particle which of them hold it.
fn settle(group: &mut [Neighbour], pairs: &mut [FeaturePair], wakes: &mut [f32], points: FeaturePoints<'_>) {
    for k in 0..group.len() {
        let Neighbour { pair: index, side: Some(side), active: Some(seed) } = group[k] else { continue };
        if !(pairs[index].has_passed && seed.rim) {
            continue;
        }
        // It has slid off this triangle.
        let (mut taker, mut is_back, mut is_beside) = (None::<(usize, ActivePair)>, false, false);
        for (other, neighbour) in group.iter().enumerate().filter(|&(other, _)| other != k) {
            let (pair, Some(its_side)) = (&pairs[neighbour.pair], neighbour.side) else { continue };
            is_beside |= has_rim(pair, &pairs[index], seed.weights);
            let corners = points.corners(pair.nodes);
            let nearest = pair.kind.nearest(corners);
            if !nearest.inside {
                continue;
            }
            let apart = nearest.apart.length();
            if pair.kind.side(corners) == its_side {
                is_back |= apart < taker.map_or(f32::MAX, |(_, taker)| taker.apart);
            } else if let Some(normal) = (pair.kind.normal(corners) * its_side).try_normalize() {
                let contact =
                    ActivePair { pair: neighbour.pair as u32, apart, ..ActivePair::crossed(normal, nearest.weights) };
                if taker.is_none_or(|(_, taker)| apart < taker.apart) {
                    taker = Some((other, contact));
                }
            }
        }
        let FeaturePair { kind, nodes, distance, .. } = pairs[index];
        let was_near = kind.nearest(points.corners_before(nodes)).apart.length() < NEAR * distance;
        let is_beyond = was_near && kind.side(points.corners(nodes)) != side;
        if taker.is_none() && !is_back && is_beside && is_beyond {
            group[k].active = Some(ActivePair { rim: false, apart: 0.0, ..seed });
            continue;
        }
        (pairs[index].kept_side, pairs[index].has_passed, group[k].active) = (0.0, false, None);
        if let Some((other, contact)) = taker {
            let pair = &mut pairs[group[other].pair];
            (pair.kept_side, pair.has_passed) = (group[other].side.unwrap_or(side), true);
            wakes[group[other].pair] = 0.0;
            group[other].active = Some(ActivePair { apart: 0.0, ..contact });
        }
    }
    if !group.iter().any(|neighbour| pairs[neighbour.pair].has_passed) {
        return;
    }
    // What seems to have gone around a triangle has gone through its neighbour.
    for neighbour in group {
        let pair = &mut pairs[neighbour.pair];
        let is_wrong = |side: f32| neighbour.side.is_some_and(|known| known == -side);
        let seems = if pair.kept_side == 0.0 { pair.kind.side(points.corners(pair.nodes)) } else { pair.kept_side };
        if !pair.has_passed && is_wrong(seems) {
            (pair.kept_side, neighbour.active) = (0.0, None);
        }
    }
}

/// Returns whether a triangle has the edge or corner of another at which these weights are.
fn has_rim(pair: &FeaturePair, of: &FeaturePair, weights: [f32; 3]) -> bool {
    of.nodes[1..].iter().zip(weights).all(|(node, weight)| weight == 0.0 || pair.nodes[1..].contains(node))
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
        let nearest = pairs[0].kind.nearest(FeaturePoints::new(&particles, &[]).corners(pairs[0].nodes));
        let slid = ActivePair { rim: !nearest.inside, ..ActivePair::crossed(Vec3::Y, nearest.weights) };
        (particles, pairs, vec![slid])
    }

    fn handed(
        (particles, mut pairs, mut active): (Particles, Vec<FeaturePair>, Vec<ActivePair>),
    ) -> (Vec<FeaturePair>, Vec<ActivePair>) {
        let mut marks = vec![false; particles.len()];
        let mut wakes = vec![1.0; pairs.len()];
        hand_over((&mut pairs, &mut wakes), &mut active, &mut marks, FeaturePoints::new(&particles, &[]));
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
