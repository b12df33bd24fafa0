//! Cloth that follows an animated skin: pulled towards it, kept near it, and kept from slipping behind it.
//!
//! Each vertex that follows has a place on the skin, and maybe a ball behind it. Both are pinned
//! particles of an object of their own, which collides with nothing; they go from frame to frame in a
//! straight line, substep by substep on either back end, so that no constraint ever jumps:
//!
//! ```text
//!        cloth   o          reach: at most so far from its place
//!              /
//!   ----- p --------------- skin, with the normal n
//!     depth |  _.-----._
//!           .'           '.   ball: centre p − (depth + radius) n
//! ```

pub mod error;

pub use error::SkinningError;

use glam::Vec3;
use xpbd_core::batch::{Batch, ConstraintBatch};
use xpbd_core::world::{CollisionLayers, Object, ObjectHandle, World, WorldError};

use crate::constraint::{Attachment, Backstop, BackstopParameters, Tether, TetherParameters};

/// How a vertex follows the skin. What is not said is not done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinnedVertex {
    /// The vertex, a particle of the cloth.
    pub vertex: u32,
    /// How far it may be from its place \[m\]; infinite for any way.
    pub max_distance: f32,
    /// Stiffness of the pull towards its place \[N/m\]: the weight of a soft pin, 0 for none, infinite for
    /// one that holds it there.
    pub stiffness: f32,
    /// How far below its place it may be, along the normal, and the radius of the ball that keeps it from
    /// going deeper \[m\]: large against the folds of the cloth, small against the curvature of the skin.
    pub backstop: Option<[f32; 2]>,
}

/// A skin that cloth follows. Removing its object lets the cloth go.
#[derive(Debug, Clone)]
pub struct Skinning {
    object: ObjectHandle,
    /// Depth of the centre of each ball, for vertices that have one.
    depths: Vec<Option<f32>>,
}

impl SkinnedVertex {
    /// Creates a vertex that nothing is asked of yet.
    pub fn new(vertex: u32) -> Self {
        Self { vertex, max_distance: f32::INFINITY, stiffness: 0.0, backstop: None }
    }

    fn check(&self) -> Result<(), SkinningError> {
        let refuse = |what, value, must| Err(SkinningError::Number { vertex: self.vertex, what, value, must });
        if self.max_distance.is_nan() || self.max_distance < 0.0 {
            return refuse("reach", self.max_distance, "at least 0, or infinite");
        }
        if self.stiffness.is_nan() || self.stiffness < 0.0 {
            return refuse("pull", self.stiffness, "at least 0, or infinite");
        }
        let [depth, radius] = self.backstop.unwrap_or([0.0, 1.0]);
        if !depth.is_finite() {
            return refuse("depth of the backstop", depth, "finite");
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return refuse("radius of the backstop", radius, "positive and finite");
        }
        Ok(())
    }
}

impl Skinning {
    /// Lets vertices of a cloth follow a skin that is at these places \[m\] with these normals, one of each for
    /// every vertex that follows.
    ///
    /// # Errors
    /// The first vertex with a number that is not valid, lists of different length, a place or normal that is
    /// not valid, or what the world refuses; nothing is added then.
    pub fn new(
        world: &mut World,
        cloth: ObjectHandle,
        vertices: &[SkinnedVertex],
        places: &[Vec3],
        normals: &[Vec3],
    ) -> Result<Self, SkinningError> {
        vertices.iter().try_for_each(SkinnedVertex::check)?;
        for vertex in vertices {
            world.position(cloth, vertex.vertex as usize)?;
        }
        let depth = |vertex: &SkinnedVertex| vertex.backstop.map(|[depth, radius]| depth + radius);
        let depths: Vec<_> = vertices.iter().map(depth).collect();
        let positions = targets(&depths, places, normals)?;
        let mut object = Object::new("skin", positions, 1.0);
        object.pins = (0..object.positions.len() as u32).collect();
        object.collision_layers = CollisionLayers { memberships: 0, filters: 0, self_collision: false };
        object.gravity_scale = 0.0;
        let first = world.positions(cloth)?.len() as u32;
        let batches = batches(vertices, first)?;
        let object = world.add(object)?;
        for batch in batches.into_iter().filter(|batch| !batch.is_empty()) {
            if let Err(error) = world.add_batch(&[cloth, object], &[], batch) {
                world.remove(object)?;
                return Err(error.into());
            }
        }
        Ok(Self { object, depths })
    }

    /// Moves the skin to these places \[m\] and normals in the course of the next frame. On a device it goes with
    /// that frame; nothing waits.
    ///
    /// # Errors
    /// Lists that are not as long as they were, a place or normal that is not valid, or a stale handle.
    pub fn set_targets(&self, world: &mut World, places: &[Vec3], normals: &[Vec3]) -> Result<(), SkinningError> {
        let targets = targets(&self.depths, places, normals)?;
        Ok(world.move_pinned_range(self.object, 0, &targets)?)
    }

    /// Returns the object of its places, and behind them of the centres of its balls.
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Takes the skin away; the cloth is free then.
    ///
    /// # Errors
    /// It has gone already.
    pub fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.remove(self.object)
    }
}

/// Returns the places, then the centres of the balls.
fn targets(depths: &[Option<f32>], places: &[Vec3], normals: &[Vec3]) -> Result<Vec<Vec3>, SkinningError> {
    for (what, found) in [("places", places.len()), ("normals", normals.len())] {
        if found != depths.len() {
            return Err(SkinningError::Length { what, found, count: depths.len() });
        }
    }
    let mut targets = places.to_vec();
    for (k, depth) in depths.iter().enumerate() {
        let length = normals[k].length();
        let valid = places[k].is_finite() && (length - 1.0).abs() < 1e-3;
        if !valid {
            return Err(SkinningError::Target { number: k, position: places[k], normal: normals[k] });
        }
        targets.extend(depth.map(|depth| places[k] - normals[k] * depth));
    }
    Ok(targets)
}

/// Returns the pulls, the reaches and the balls. Particles of the skin are numbered from `first`.
fn batches(vertices: &[SkinnedVertex], first: u32) -> Result<[Batch; 3], SkinningError> {
    let (mut pulled, mut softness) = (Vec::new(), Vec::new());
    let (mut reaching, mut reach) = (Vec::new(), Vec::new());
    let (mut stopped, mut radius) = (Vec::new(), Vec::new());
    let mut centre = first + vertices.len() as u32;
    for (vertex, place) in vertices.iter().zip(first..) {
        if vertex.stiffness > 0.0 {
            pulled.push([vertex.vertex, place]);
            softness.push(1.0 / vertex.stiffness);
        }
        if vertex.max_distance.is_finite() {
            reaching.push([vertex.vertex, place]);
            reach.push(TetherParameters { max_distance: vertex.max_distance });
        }
        if let Some([_, size]) = vertex.backstop {
            stopped.push([vertex.vertex, centre]);
            radius.push(BackstopParameters { radius: size });
            centre += 1;
        }
    }
    let pulls = Batch::new(Attachment, &pulled, &vec![[]; pulled.len()])?.compliances(softness)?;
    Ok([pulls, Batch::new(Tether, &reaching, &reach)?, Batch::new(Backstop, &stopped, &radius)?])
}
