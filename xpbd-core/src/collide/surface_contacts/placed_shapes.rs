//! Corners and edges of colliders that may come to surfaces in a part of a frame, and where they are in a substep.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec3, Vec4Swizzles};
use parry3d::shape::SharedShape;

use super::feature_points::PointPlace;
use super::features::{SurfaceFeatures, SurfaceTree};
use super::motion::ExpectedMotion;
use super::placed_shape::{PlacedPoint, PlacedShape};
use super::shape_features::{BoundingBall, ShapeFeatures};
use super::swept_box::SweptBox;
use crate::bodies::Bodies;
use crate::collide::collider::Collider;
use crate::collide::detection::DetectionContext;
use crate::layers::CollisionLayers;
use crate::object::ObjectState;

/// The features of colliders near surfaces.
#[derive(Debug, Default)]
pub struct PlacedShapes {
    /// Features of the shape of each collider, in the order of colliders.
    cache: Vec<CachedShape>,
    /// Colliders that have features near surfaces.
    pub colliders: Vec<PlacedShape>,
    /// Points of these features.
    pub points: Vec<PlacedPoint>,
    /// The places of the points.
    pub places: Vec<PointPlace>,
    /// The features: a corner is twice the same point, by its index among the points.
    pub features: Vec<[u32; 2]>,
}

/// A shape and its features, which are listed when it first comes near a surface.
#[derive(Clone)]
struct CachedShape {
    shape: SharedShape,
    bounds: BoundingBall,
    features: Option<Arc<ShapeFeatures>>,
}

/// The motion of surfaces in the part of a frame for which shapes are placed.
pub struct SurfaceBounds<'a> {
    /// Objects in order.
    pub objects: &'a [&'a ObjectState],
    /// Features of the surfaces.
    pub features: &'a SurfaceFeatures,
    /// Boxes of the trees, relative to the mean motion.
    pub roots: &'a [SweptBox],
    /// Mean displacement of all vertices \[m\].
    pub mean: Vec3,
    /// Length of the part \[s\].
    pub horizon: f32,
    /// True if the substep so far belongs to it.
    pub within_substep: bool,
    /// Distance by which all may be off the expected motion, besides a part of their displacement \[m\].
    pub margin: f32,
    /// Distance beyond the thickness up to which surfaces near solid shapes are examined \[m\].
    pub reach: f32,
    /// Deviation that is allowed besides, as a part of the displacement \[1\].
    pub stray_ratio: f32,
}

impl SurfaceBounds<'_> {
    /// Returns the smallest gap between a ball that moves by `way` and the surfaces that layers let it meet; none if there
    /// are none.
    fn gap(&self, layers: CollisionLayers, ball: BoundingBall, way: Vec3) -> Option<f32> {
        let met = |tree: &SurfaceTree| layers.interacts_with(self.objects[tree.owner as usize].collision_layers);
        let swept =
            SweptBox::new(ball.center, way, Vec3::splat(ball.radius) + ball.center.abs() * (4.0 * f32::EPSILON));
        let roots = self.features.trees.iter().zip(self.roots).filter(|(tree, _)| met(tree));
        roots
            .map(|(_, root)| root)
            .map(|root| if root.meets(&swept) { 0.0 } else { root.gap(&swept).max(f32::MIN_POSITIVE) })
            .reduce(f32::min)
    }
}

impl PlacedShapes {
    /// Places the features of all colliders that may come to a surface, and gives each point the motion that is expected
    /// of it. A point that is followed although it is far from surfaces may stray by the gap in between.
    pub fn place(&mut self, context: &DetectionContext<'_>, surfaces: &SurfaceBounds<'_>) -> Vec<ExpectedMotion> {
        self.clear();
        self.renew_cache(context);
        let mut motions = Vec::new();
        for (index, (handle, collider)) in context.colliders.iter().enumerate() {
            let layers = collider.collision_layers;
            let met =
                |tree: &SurfaceTree| layers.interacts_with(surfaces.objects[tree.owner as usize].collision_layers);
            if !surfaces.features.trees.iter().any(met) {
                continue;
            }
            let placed = PlacedShape::new(collider, handle, index as u32, context);
            self.place_collider(placed, context, surfaces, &mut motions);
        }
        self.update(context.bodies);
        if surfaces.within_substep {
            for (motion, place) in motions.iter_mut().zip(&self.places) {
                motion.behind = (place.offset - place.start).xyz().length();
            }
        }
        motions
    }

    /// Removes all that is placed.
    pub fn clear(&mut self) {
        self.colliders.clear();
        self.points.clear();
        self.places.clear();
        self.features.clear();
    }

    /// Lists the shapes of all colliders, with the features that are known of them.
    fn renew_cache(&mut self, context: &DetectionContext<'_>) {
        let is_same =
            |(cached, (_, collider)): (&CachedShape, (_, &Collider))| Arc::ptr_eq(&cached.shape.0, &collider.shape.0);
        if self.cache.len() == context.colliders.len() && self.cache.iter().zip(context.colliders.iter()).all(is_same) {
            return;
        }
        let address = |shape: &SharedShape| Arc::as_ptr(&shape.0).cast::<()>() as usize;
        let known: BTreeMap<usize, CachedShape> =
            self.cache.drain(..).map(|cached| (address(&cached.shape), cached)).collect();
        let cached = |shape: &SharedShape| match known.get(&address(shape)) {
            Some(cached) => cached.clone(),
            None => {
                let sphere = shape.compute_local_bounding_sphere();
                let bounds = BoundingBall { center: sphere.center, radius: sphere.radius };
                CachedShape { shape: shape.clone(), bounds, features: None }
            }
        };
        self.cache.extend(context.colliders.iter().map(|(_, collider)| cached(&collider.shape)));
    }

    /// Places the features of a collider that may come to a surface. Of one that may not as it is expected to move, but is
    /// on a body that may be pushed elsewhere, one point is followed.
    fn place_collider(
        &mut self,
        placed: PlacedShape,
        context: &DetectionContext<'_>,
        surfaces: &SurfaceBounds<'_>,
        motions: &mut Vec<ExpectedMotion>,
    ) {
        let cached = &mut self.cache[placed.index as usize];
        let bodies = context.bodies;
        let reach = |ball: BoundingBall| {
            let (center, way, spin) = placed.motion(bodies, ball.center, surfaces.horizon);
            let way = way - surfaces.mean;
            let radius =
                ball.radius * (1.0 + spin) + surfaces.margin + surfaces.reach + surfaces.stray_ratio * way.length();
            surfaces.gap(placed.collision_layers, BoundingBall { center, radius }, way).unwrap_or(f32::MAX)
        };
        let gap = reach(cached.bounds);
        let collider = self.colliders.len() as u32;
        let first = self.points.len();
        let center = cached.bounds.center;
        if gap == 0.0 {
            let features = cached.features.get_or_insert_with(|| Arc::new(ShapeFeatures::of(cached.shape.as_ref())));
            let features = features.clone();
            let near = features.groups.iter().filter(|group| reach(group.bounds) == 0.0);
            let near: Vec<[u32; 2]> =
                near.flat_map(|group| &features.features[group.features.clone()]).copied().collect();
            self.add_features(&placed, &features, &near);
        }
        if self.points.len() == first && placed.is_pushable {
            self.points.push(placed.point(collider, u32::MAX, center, 0.0));
        }
        if self.points.len() > first {
            self.colliders.push(placed);
        }
        for point in &self.points[first..] {
            let (_, way, _) = placed.motion_of(bodies, point.local, surfaces.horizon);
            let tolerance = if point.vertex == u32::MAX { gap } else { 0.0 };
            motions.push(ExpectedMotion { displacement: way - surfaces.mean, tolerance, behind: 0.0 });
        }
    }

    /// Adds some features of a shape, and their points.
    fn add_features(&mut self, placed: &PlacedShape, features: &ShapeFeatures, near: &[[u32; 2]]) {
        let (collider, first) = (self.colliders.len() as u32, self.points.len());
        let mut vertices: Vec<u32> = near.as_flattened().to_vec();
        let inner: Vec<u32> = vertices.iter().filter_map(|&vertex| features.points[vertex as usize].inner).collect();
        vertices.extend(inner);
        vertices.sort_unstable();
        vertices.dedup();
        let place = |vertex: u32| (first + vertices.partition_point(|&other| other < vertex)) as u32;
        self.features.extend(near.iter().map(|feature| feature.map(place)));
        self.points.extend(vertices.iter().map(|&vertex| {
            let point = features.points[vertex as usize];
            let own = placed.point(collider, vertex, point.position, point.radius);
            PlacedPoint { inner: point.inner.map(place), ..own }
        }));
    }

    /// Computes where the points are in the current substep.
    pub fn update(&mut self, bodies: &Bodies) {
        let colliders = &self.colliders;
        self.places.clear();
        self.places
            .extend(self.points.iter().map(|point| colliders[point.collider as usize].place(bodies, point.local)));
    }

    /// Returns the collider of a point, by the index of the point.
    pub fn collider_of(&self, point: usize) -> &PlacedShape {
        &self.colliders[self.points[point].collider as usize]
    }
}

impl std::fmt::Debug for CachedShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.shape.shape_type(), self.bounds)
    }
}
