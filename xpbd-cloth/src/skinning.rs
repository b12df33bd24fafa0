//! Cloth that follows an animated skin: it is pulled towards the skin, kept near it, and kept from slipping behind it.
//!
//! Each skinned vertex has a target on the skin, and optionally a ball behind it. Both are pinned
//! particles of an object of their own, which collides with nothing. They move from frame to frame in a
//! straight line, substep by substep on either back end, so that no constraint jumps:
//!
//! ```text
//!        cloth   o          at most `max_distance` from its target
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

/// The constraints by which a vertex follows the skin; none by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkinnedVertex {
    /// Vertex, a particle of the cloth.
    pub vertex: u32,
    /// Largest distance \[m\] from its target; infinite for no limit.
    pub max_distance: f32,
    /// Stiffness of the pull towards its target \[N/m\]: that of a soft pin, 0 for none, infinite for
    /// a rigid one.
    pub stiffness: f32,
    /// Largest depth \[m\] below its target along the normal, and radius \[m\] of the ball that keeps it from
    /// going deeper: large against the folds of the cloth, small against the radius of curvature of the skin.
    pub backstop: Option<[f32; 2]>,
}

/// A skin that cloth follows. Removing its object releases the cloth.
#[derive(Debug, Clone)]
pub struct Skinning {
    object: ObjectHandle,
    /// Depth of the centre of each ball, for vertices that have one.
    depths: Vec<Option<f32>>,
}

impl SkinnedVertex {
    /// Creates a vertex without constraints.
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
    /// Lets vertices of a cloth follow a skin with targets at these positions \[m\] and with these normals, one of each
    /// per vertex.
    ///
    /// # Errors
    /// The first vertex with a number that is not valid, lists of different length, a position or normal that is
    /// not valid, or an error of the world; nothing is added then.
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

    /// Moves the targets to these positions \[m\] and normals in the course of the next frame. A device receives them with
    /// that frame, without a wait.
    ///
    /// # Errors
    /// The lists have another length than before, a position or normal is not valid, or the handle is stale.
    pub fn set_targets(&self, world: &mut World, places: &[Vec3], normals: &[Vec3]) -> Result<(), SkinningError> {
        let targets = targets(&self.depths, places, normals)?;
        Ok(world.move_pinned_range(self.object, 0, &targets)?)
    }

    /// Returns the object of the targets, followed by the centres of the balls.
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Removes the skin, which releases the cloth.
    ///
    /// # Errors
    /// The skin has been removed before.
    pub fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.remove(self.object)
    }
}

/// Returns the targets, then the centres of the balls.
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

/// Returns the batches of pulls, tethers and backstops. Particles of the skin are numbered from `first`.
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
