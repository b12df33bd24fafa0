//! The description of a fluid.

use glam::Vec3;
use xpbd_core::world::{CollisionLayers, Friction, Object, ObjectHandle, World};

use crate::batch::{FluidBatch, register};
use crate::error::FluidError;
use crate::material::FluidMaterial;

/// The largest number of particles of a block.
const MAX_PARTICLES: f32 = 1e8;

/// The description of a body of fluid; [`Fluid::add_to_world`] adds it.
///
/// It is water without viscosity and surface tension by default ([`FluidMaterial::default`]). In a world whose particles
/// have the radius r, its particles are 2 r apart, and each has the mass of a cube of that edge.
#[derive(Debug, Clone)]
pub struct Fluid {
    name: String,
    shape: FluidShape,
    material: FluidMaterial,
    velocity: Vec3,
    friction: Friction,
    collision_layers: CollisionLayers,
    capacity: usize,
}

#[derive(Debug, Clone)]
enum FluidShape {
    Block(Vec3, Vec3),
    Particles(Vec<Vec3>),
}

impl Fluid {
    /// Returns a fluid that fills a box between two corners \[m\].
    pub fn block(low: Vec3, high: Vec3) -> Self {
        Self::new(FluidShape::Block(low, high))
    }

    /// Returns a fluid with particles at these positions \[m\].
    pub fn particles(positions: Vec<Vec3>) -> Self {
        Self::new(FluidShape::Particles(positions))
    }

    fn new(shape: FluidShape) -> Self {
        let (velocity, friction) = (Vec3::ZERO, Friction::new(0.0));
        Self {
            name: "fluid".into(),
            shape,
            material: FluidMaterial::default(),
            velocity,
            friction,
            collision_layers: CollisionLayers::default(),
            capacity: 0,
        }
    }

    /// Sets the material.
    #[must_use]
    pub fn material(mut self, liquid: FluidMaterial) -> Self {
        self.material = liquid;
        self
    }

    /// Sets the name, for messages.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the initial velocity \[m/s\].
    #[must_use]
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the friction of single particles, none by default; a fluid sticks to walls by viscosity.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Sets the collision layers. Particles of a fluid never collide with each other.
    #[must_use]
    pub fn collision_layers(mut self, filter: CollisionLayers) -> Self {
        self.collision_layers = CollisionLayers { self_collision: false, ..filter };
        self
    }

    /// Adds `count` inactive particles, which emitters can activate.
    #[must_use]
    pub fn capacity(mut self, count: usize) -> Self {
        self.capacity = count;
        self
    }

    /// Adds the fluid to a world, and registers its batch there.
    ///
    /// # Errors
    /// A number is not valid, or a block cannot be filled; nothing is added then.
    pub fn add_to_world(self, world: &mut World) -> Result<ObjectHandle, FluidError> {
        register(world.registry_mut())?;
        Ok(world.add(self.build(2.0 * world.settings().particle_radius)?)?)
    }

    /// Returns the object that it becomes, of particles `spacing` \[m\] apart.
    ///
    /// # Errors
    /// A number is not valid, or a block cannot be filled.
    pub fn build(self, spacing: f32) -> Result<Object, FluidError> {
        self.material.check()?;
        let positions = match self.shape {
            FluidShape::Particles(positions) => positions,
            FluidShape::Block(low, high) => fill(low, high, spacing)?,
        };
        let count = positions.len() + self.capacity;
        let mass = self.material.density * spacing * spacing * spacing;
        let object = Object::new(self.name, positions, mass).velocity(self.velocity).capacity(self.capacity, mass);
        let mut object = object.with(FluidBatch::new(self.material, count));
        object.friction = self.friction;
        object.gravity_scale = self.material.gravity_scale();
        object.linear_damping = self.material.linear_damping;
        object.collision_layers = self.collision_layers;
        Ok(object)
    }
}

/// Returns the centres of the cubes of edge `spacing` \[m\] that fit into a box.
fn fill(low: Vec3, high: Vec3, spacing: f32) -> Result<Vec<Vec3>, FluidError> {
    let refuse = |reason| Err(FluidError::Block { low, high, spacing, reason });
    if !(low.is_finite() && high.is_finite()) {
        return refuse("its corners must be finite");
    }
    let sides = ((high - low) / spacing * (1.0 + 1e-5)).floor();
    if sides.min_element() < 1.0 {
        return refuse("it is too small for one");
    }
    if sides.x * sides.y * sides.z > MAX_PARTICLES {
        return refuse("there would be more than a hundred million");
    }
    let sides = sides.as_uvec3();
    let centre = |x, y, z| low + (glam::UVec3::new(x, y, z).as_vec3() + 0.5) * spacing;
    let layer = |y| (0..sides.z).flat_map(move |z| (0..sides.x).map(move |x| centre(x, y, z)));
    Ok((0..sides.y).flat_map(layer).collect())
}
