//! Corners and edges of shapes that may touch surfaces.

use glam::{Vec3, Vec4Swizzles};

use super::expectation::{MAX_DISPLACEMENT, STRAY_RATIO};
use super::{LeafSearch, MAX_PAIRS, PairList, PairSearch, PairSink};
use crate::collide::detection::DetectionContext;
use crate::collide::surface_contacts::feature_geometry::FeaturePairKind;
use crate::collide::surface_contacts::feature_pair::{CLOSE, FeaturePair, LOOK, NO_POINT};
use crate::collide::surface_contacts::features::SurfaceFeatures;
use crate::collide::surface_contacts::placed_shapes::{PlacedShapes, SurfaceBounds};
use crate::collide::surface_contacts::swept_box::SweptBox;
use crate::object::ObjectState;

impl PairSearch {
    /// Places the features of shapes near surfaces that move by `mean` \[m\] on the average, and computes boxes around the
    /// motion of their points.
    pub(super) fn place_shapes(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
        (mean, margin): (Vec3, f32),
        (horizon, within_substep): (f32, bool),
    ) {
        let thickest = objects.iter().filter_map(|object| Some(object.surface.as_ref()?.thickness)).fold(0.0, f32::max);
        let surfaces = SurfaceBounds {
            objects,
            features,
            roots: &self.roots,
            mean,
            horizon,
            within_substep,
            margin,
            reach: 0.5 * (LOOK - CLOSE) * thickest,
            stray_ratio: STRAY_RATIO,
        };
        let (reach, motions) = (surfaces.reach, self.shapes.place(context, &surfaces));
        self.ways.truncate(context.particles.len());
        self.corners.truncate(context.particles.len());
        let PlacedShapes { points, places, .. } = &self.shapes;
        for ((mut motion, point), place) in motions.into_iter().zip(points).zip(places) {
            motion.displacement = motion.displacement.clamp_length_max(MAX_DISPLACEMENT * (point.radius + margin));
            let room = margin + STRAY_RATIO * motion.displacement.length();
            motion.tolerance += room;
            let from = (place.anchor + place.offset).xyz();
            let reach = if point.inner.is_some() { reach } else { 0.0 };
            let around = Vec3::splat(point.radius + reach + room + motion.behind) + from.abs() * (4.0 * f32::EPSILON);
            self.corners.push(SweptBox::new(from, motion.displacement, around));
            self.ways.push(motion);
        }
    }
}

impl LeafSearch<'_> {
    /// Adds the pairs of a corner of a shape with the triangles that it may meet, or of an edge with their edges.
    pub(super) fn shape_feature(&self, number: usize, list: &mut PairList) {
        let shapes = &self.search.shapes;
        let [a, b] = shapes.features[number];
        let (shape, radius) = (shapes.collider_of(a as usize), shapes.points[a as usize].radius);
        let count = self.context.particles.len() as u32;
        let ends = [count + a, count + b];
        let swept = self.hull(ends);
        let most = list.pairs.len() + MAX_PAIRS;
        for tree in &self.features.trees {
            let object = self.objects[tree.owner as usize];
            let Some(surface) = &object.surface else { continue };
            let both_rest = object.sleep.asleep && !shape.is_pushable;
            if both_rest || !shape.collision_layers.interacts_with(object.collision_layers) {
                continue;
            }
            let kind = match (a == b, radius > 0.0) {
                (false, _) => FeaturePairKind::EdgeEdge,
                (true, true) => FeaturePairKind::ParticleTriangle,
                (true, false) => FeaturePairKind::VertexTriangle,
            };
            let distance = 0.5 * surface.thickness + radius;
            let like = FeaturePair {
                radius,
                inner: shapes.points[a as usize].inner.map_or(NO_POINT, |inner| count + inner),
                ..FeaturePair::new(kind, [0; 4], distance, shape.friction.combine(object.friction))
            };
            let is_renewed = self.is_renewed(&ends);
            self.triangles_near(tree, &swept, is_renewed, |triangle| {
                if a == b {
                    let [u, v, w] = triangle.corners;
                    self.consider(FeaturePair { nodes: [ends[0], u, v, w], ..like }, false, list);
                    return;
                }
                for k in (0..3).filter(|&k| triangle.edges[k]) {
                    let others = triangle.edge(k);
                    if swept.meets(&self.hull(others)) {
                        let nodes = [ends[0], ends[1], others[0], others[1]];
                        self.consider(
                            FeaturePair { nodes, opposite: triangle.corners[(k + 2) % 3], ..like },
                            false,
                            list,
                        );
                    }
                }
            });
        }
        list.truncate(most);
    }

    /// Returns whether contacts may move a point.
    pub(super) fn may_move(&self, point: usize) -> bool {
        match self.context.particles.anchor.get(point) {
            Some(anchor) => anchor.w > 0.0,
            None => self.search.shapes.collider_of(point - self.context.particles.len()).is_pushable,
        }
    }
}
