//! Fluids on their way into a world.

use glam::Vec3;
use xpbd_core::world::{Filter, Friction, Object, ObjectHandle, World};

use crate::{FluidBatch, FluidError, Liquid};

/// The most particles of a block.
const MOST: f32 = 1e8;

/// A body of fluid on its way into a world.
///
/// It is plain water unless told otherwise ([`Liquid::default`]). Its particles are 2 r apart in a world whose particles have radius r, and each weighs what a cube of that
/// edge weighs.
#[derive(Debug, Clone)]
pub struct Fluid {
    name: String,
    shape: Shape,
    liquid: Liquid,
    velocity: Vec3,
    friction: Friction,
    filter: Filter,
    spare: usize,
}

#[derive(Debug, Clone)]
enum Shape {
    Block(Vec3, Vec3),
    Particles(Vec<Vec3>),
}

impl Fluid {
    /// Fluid that fills a box between two corners \[m\].
    pub fn block(low: Vec3, high: Vec3) -> Self {
        Self::new(Shape::Block(low, high))
    }

    /// Fluid with particles at these places \[m\].
    pub fn particles(positions: Vec<Vec3>) -> Self {
        Self::new(Shape::Particles(positions))
    }

    fn new(shape: Shape) -> Self {
        let (velocity, friction) = (Vec3::ZERO, Friction::new(0.0));
        Self {
            name: "fluid".into(),
            shape,
            liquid: Liquid::default(),
            velocity,
            friction,
            filter: Filter::default(),
            spare: 0,
        }
    }

    /// What it is made of.
    #[must_use]
    pub fn liquid(mut self, liquid: Liquid) -> Self {
        self.liquid = liquid;
        self
    }

    /// What it is called in messages.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Its velocity \[m/s\] at first.
    #[must_use]
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Friction of single particles on what they touch, none by default; a fluid sticks to walls by viscosity.
    #[must_use]
    pub fn friction(mut self, friction: Friction) -> Self {
        self.friction = friction;
        self
    }

    /// Who it meets. Its own particles never collide with each other.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = Filter { self_collision: false, ..filter };
        self
    }

    /// With room for this many particles more, which emitters take.
    #[must_use]
    pub fn spare(mut self, count: usize) -> Self {
        self.spare = count;
        self
    }

    /// Adds it to a world, and makes its batch known to the registry.
    ///
    /// # Errors
    /// A number that is not valid, or a block that cannot be filled; nothing is added then.
    pub fn add_to(self, world: &mut World) -> Result<ObjectHandle, FluidError> {
        crate::register(world.registry_mut())?;
        Ok(world.add(self.object(2.0 * world.settings().radius)?)?)
    }

    /// The object that it is, of particles this far apart \[m\].
    ///
    /// # Errors
    /// A number that is not valid, or a block that cannot be filled.
    pub fn object(self, spacing: f32) -> Result<Object, FluidError> {
        self.liquid.check()?;
        let positions = match self.shape {
            Shape::Particles(positions) => positions,
            Shape::Block(low, high) => fill(low, high, spacing)?,
        };
        let count = positions.len() + self.spare;
        let mass = self.liquid.density * spacing * spacing * spacing;
        let object = Object::new(self.name, positions, mass).velocity(self.velocity).spare(self.spare, mass);
        let mut object = object.with(FluidBatch::new(self.liquid, count));
        object.friction = self.friction;
        object.gravity_scale = self.liquid.gravity_scale();
        object.drag = self.liquid.drag;
        object.filter = self.filter;
        Ok(object)
    }
}

/// The middles of the cubes of this edge that fit into a box.
fn fill(low: Vec3, high: Vec3, spacing: f32) -> Result<Vec<Vec3>, FluidError> {
    let refuse = |reason| Err(FluidError::Block { low, high, spacing, reason });
    if !(low.is_finite() && high.is_finite()) {
        return refuse("its corners must be finite");
    }
    let sides = ((high - low) / spacing * (1.0 + 1e-5)).floor();
    if sides.min_element() < 1.0 {
        return refuse("it is too small for one");
    }
    if sides.x * sides.y * sides.z > MOST {
        return refuse("there would be more than a hundred million");
    }
    let sides = sides.as_uvec3();
    let place = |x, y, z| low + (glam::UVec3::new(x, y, z).as_vec3() + 0.5) * spacing;
    let layer = |y| (0..sides.z).flat_map(move |z| (0..sides.x).map(move |x| place(x, y, z)));
    Ok((0..sides.y).flat_map(layer).collect())
}
