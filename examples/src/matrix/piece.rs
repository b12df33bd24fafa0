//! Parts of a world that are of one kind.

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::{SharedShape, Triangle};
use xpbd_cloth::RodHandle;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::world::{BodyHandle, ObjectHandle, World};

use super::{DENSITY, Error, Kind};

/// A shape in the world, on a body or not.
pub(super) struct Solid {
    /// Body that it is on.
    pub(super) body: Option<BodyHandle>,
    /// Pose on the body, or in the world.
    pub(super) pose: Pose,
    /// The shape.
    pub(super) shape: SharedShape,
}

/// Parts of a world that were added for one kind.
#[derive(Default)]
pub struct Piece {
    /// Objects of particles, which are counted through in this order.
    pub(super) objects: Vec<ObjectHandle>,
    /// The rod, of whose segments it has bodies.
    pub(super) rod: Option<RodHandle>,
    /// True if its particles have no order that is kept: a liquid.
    pub(super) flows: bool,
    /// Shapes that nothing may be in.
    pub(super) solids: Vec<Solid>,
    /// Points that do not move, counted behind the particles.
    pub(super) fixed: Vec<Vec3>,
    /// Triangles without an inside, of particles and fixed points, under which nothing may come.
    pub(super) sheet: Vec<[u32; 3]>,
    /// True if the triangles are there, and not gaps between ropes.
    pub(super) woven: bool,
    /// True if it stands on the floor y = 0.
    pub(super) stands: bool,
    /// Tetrahedra of particles.
    pub(super) tetrahedra: Vec<[u32; 4]>,
}

impl Piece {
    /// Lets its objects fall asleep.
    ///
    /// # Errors
    /// It is no longer in the world.
    pub fn let_sleep(&self, world: &mut World) -> Result<(), Error> {
        Ok(self.objects.iter().try_for_each(|&object| world.set_can_sleep(object, true))?)
    }

    /// Returns the positions of the particles \[m\].
    ///
    /// # Errors
    /// It is no longer in the world.
    pub fn particles(&self, world: &World) -> Result<Vec<Vec3>, Error> {
        let mut all = Vec::new();
        for &object in &self.objects {
            all.extend(world.positions(object)?);
        }
        Ok(all)
    }

    /// Returns the centres of mass of its solids \[m\].
    ///
    /// # Errors
    /// It is no longer in the world.
    pub fn centres(&self, world: &World) -> Result<Vec<Vec3>, Error> {
        let centre = |solid| Ok(Self::pose(world, solid)? * solid.shape.mass_properties(1.0).local_com);
        self.solids.iter().map(centre).collect()
    }

    /// Pushes its particles and bodies by a velocity \[m/s\].
    ///
    /// # Errors
    /// It is no longer in the world.
    pub fn push(&self, world: &mut World, velocity: Vec3) -> Result<(), Error> {
        for &object in &self.objects {
            let range = world.state().objects.get(object).map_or(0..0, |state| state.range.clone());
            for (particle, index) in range.enumerate() {
                let mass = world.state().particles.anchor[index].w.recip();
                if mass.is_finite() {
                    world.add_impulse(object, particle, velocity * mass)?;
                }
            }
        }
        for body in self.bodies() {
            let mass = world.body(body)?.mass.mass;
            world.add_body_impulse(body, velocity * mass)?;
        }
        Ok(())
    }

    /// Removes it from the world.
    ///
    /// # Errors
    /// It is no longer there.
    pub fn remove(self, world: &mut World) -> Result<(), Error> {
        if let Some(rod) = self.rod {
            rod.remove(world)?;
            return Ok(());
        }
        for body in self.bodies() {
            world.remove_body(body)?;
        }
        for object in self.objects {
            world.remove(object)?;
        }
        Ok(())
    }

    /// Returns its bodies.
    fn bodies(&self) -> Vec<BodyHandle> {
        let mut bodies: Vec<_> = self.solids.iter().filter_map(|solid| solid.body).collect();
        bodies.dedup();
        bodies
    }

    /// Returns the corners of the triangles of its sheet \[m\].
    pub(super) fn triangles(&self, world: &World) -> Result<Vec<Triangle>, Error> {
        let mut points = self.particles(world)?;
        points.extend(&self.fixed);
        let corners = |triangle: &[u32; 3]| triangle.map(|k| points[k as usize]);
        Ok(self.sheet.iter().map(corners).map(|[a, b, c]| Triangle::new(a, b, c)).collect())
    }

    /// Returns where a solid is.
    pub(super) fn pose(world: &World, solid: &Solid) -> Result<Pose, Error> {
        Ok(match solid.body {
            Some(body) => world.body_pose(body)? * solid.pose,
            None => solid.pose,
        })
    }

    /// Returns the height of its highest point \[m\].
    pub(super) fn top(&self, world: &World) -> Result<f32, Error> {
        let mut top = f32::MIN;
        for solid in &self.solids {
            top = top.max(solid.shape.compute_aabb(&Self::pose(world, solid)?).maxs.y);
        }
        Ok(self.particles(world)?.iter().chain(&self.fixed).fold(top, |top, x| top.max(x.y)))
    }

    /// Adds a rigid body in a pose, which moves at a velocity \[m/s\]. Its shape is that of the kind times `scale`.
    pub(super) fn body(world: &mut World, kind: Kind, scale: f32, pose: Pose, velocity: Vec3) -> Result<Self, Error> {
        let shapes = shapes(kind, scale)?;
        let mass = Mass::from_shapes(shapes.iter().map(|(pose, shape)| (*pose, &**shape)), DENSITY)?;
        let body = world.add_body(Body::dynamic(pose, mass).velocity(velocity))?;
        let mut piece = Self::default();
        for (pose, shape) in shapes {
            let collider = Collider::new(shape.clone()).at(pose.translation).rotation(pose.rotation);
            world.add_collider(collider.attached_to(body))?;
            piece.solids.push(Solid { body: Some(body), pose, shape });
        }
        Ok(piece)
    }
}

/// Returns the shapes of a body of this kind, about 12 cm long times `scale`, in its frame.
fn shapes(kind: Kind, scale: f32) -> Result<Vec<(Pose, SharedShape)>, Error> {
    let [a, b, c] = [0.06, 0.05, 0.03].map(|length| length * scale);
    let one = |shape| vec![(Pose::IDENTITY, shape)];
    Ok(match kind {
        Kind::Ball => one(SharedShape::ball(a)),
        Kind::Box => one(SharedShape::cuboid(a, b, a)),
        Kind::Capsule => one(SharedShape::capsule_x(a, c)),
        Kind::Cylinder => one(SharedShape::cylinder(a, b)),
        Kind::Cone => one(SharedShape::cone(a, b)),
        Kind::Hull => {
            let corner = |k: u32| {
                let sign = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                let narrow = if k & 2 == 0 { 1.0 } else { 0.6 };
                Vec3::new(a * narrow * sign(1), b * sign(2), a * narrow * sign(4))
            };
            let corners: Vec<_> = (0..8).map(corner).collect();
            one(SharedShape::convex_hull(&corners).ok_or("the hull has no inside")?)
        }
        Kind::Compound => vec![
            (Pose::IDENTITY, SharedShape::cuboid(a, c, c)),
            (Pose::translation(0.5 * a, a, 0.0), SharedShape::cuboid(c, c, c)),
        ],
        _ => return Err(format!("there is no rigid body of the kind `{}`", kind.name()).into()),
    })
}
