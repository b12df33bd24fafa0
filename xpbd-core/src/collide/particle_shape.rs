//! Contact planes `[m]` between a moving particle and a shape, once a frame.
//!
//! A particle is a ball of radius r whose centre is expected to move from `from` to `to` in the
//! frame of the shape. The planes found are used by all substeps of the frame, so each of them has
//! to stop the particle where it would enter the shape, and none may stop it anywhere else.
//!
//! # Theory
//! A shape is a set of **pieces**, each of them convex: a primitive or a hull is one piece, a mesh
//! or a height field is a set of triangles, a compound is its parts. Let φ(x) be the signed
//! distance of one piece, with its nearest point c and its unit gradient n, so that
//! `φ(x) = n·(x − c)`. Along the path x(s), which is straight and of unit speed, φ is a convex
//! function of s with the slope `n·u`. Two facts follow.
//!
//! 1. *Time of impact.* Newton's iteration for `φ(x(s)) = r` started at s = 0 never passes the
//!    root, since a tangent lies below a convex function: no wall is too thin, no speed too high.
//! 2. *Separating plane.* Where φ is least along the path, the plane (c, n) has the whole path on
//!    one side and the whole piece on the other. Such a plane never acts on a particle that keeps
//!    to its path, and still holds one that leaves it.
//!
//! The planes are found in rounds, on a path that shrinks to what is still open:
//!
//! * The first impact of the path with any piece gives its plane. When the ball overlaps a piece at
//!   the start (resting contact, penetration) that is the nearest feature at the start. It is the
//!   nearest feature of the whole shape at that moment, so edges between neighbouring triangles
//!   give no contacts of their own.
//! * The rest of the path starts at the impact and slides: both its ends are moved onto the planes
//!   found so far. Pieces that lie wholly behind one of them are done with. The next round finds
//!   the other wall of a groove or of a corner.
//! * Once nothing is hit, pieces whose separating plane is nearer than r + margin give that plane,
//!   unless their nearest point also belongs to a piece that is nearer still.
//!
//! A plane is refused when it would hold the particle at a place of its path where the piece itself
//! is out of reach. A path that passes a corner thus gets the separating plane of the corner or
//! none. A particle that slides over the edge of a box keeps the plane of the face it started on
//! until the end of the frame, as the plane is normal to its motion.
//!
//! A centre inside a solid (φ < 0; for closed meshes by the angle-weighted pseudo-normal of the
//! nearest feature, for height fields below the surface) gets one plane: the way out through the
//! nearest face. Open meshes have two sides.
//!
//! | symbol | meaning |
//! |---|---|
//! | x(s) | centre of the particle after the path length s `[m]` |
//! | u | unit direction of the path `[1]` |
//! | φ | signed distance to a piece `[m]`, negative inside |
//! | c, n | nearest point of a piece `[m]` and unit normal there `[1]` |
//! | r | radius of the particle `[m]` |

mod compound;
mod general;
mod height;
mod hull;
mod mesh;
mod near;
mod parity;
mod path;
mod pieces;
mod primitive;
mod sweep;
mod triangle;
mod tube;

use glam::Vec3;
use near::NearestPoint;
use parry3d::shape::{Shape, TypedShape};
use pieces::{PathQuery, SinglePiece};
use smallvec::SmallVec;

/// One contact plane between a particle and a shape, in the local frame of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlane {
    /// Point on the surface `[m]`.
    pub point: Vec3,
    /// Unit normal `[1]` to the side of the particle; outward for solid shapes.
    pub normal: Vec3,
}

impl ContactPlane {
    /// Returns the height `[m]` of `x` above the plane.
    pub fn height(&self, x: Vec3) -> f32 {
        self.normal.dot(x - self.point)
    }
}

/// The contact planes of one particle and one shape; more than two are rare.
pub type ContactPlanes = SmallVec<[ContactPlane; 2]>;

#[doc(hidden)]
pub use {
    compound::exit_reach,
    mesh::PRUNING,
    path::{ACCURACY, STEPS},
    pieces::{DEPTH, SLACK},
};

/// Largest number of planes that one particle gets from one shape.
pub const MAX_CONTACT_PLANES: usize = 4;

/// Largest coordinate `[m]` that is treated as finite: squares of larger ones overflow `f32`.
pub const MAX_COORDINATE: f32 = 1e12;

/// Finds the planes that a particle of `radius` `[m]` may touch on its way from `from` to `to` `[m]`, looking
/// `margin` `[m]` beyond its radius.
///
/// The points are in the local frame of the shape: `from` by its pose at the start of the frame,
/// `to` by its pose at the end. `out` is cleared first and holds at most [`MAX_CONTACT_PLANES`] planes,
/// all finite. An argument that is not finite gives none.
pub fn contact_planes(shape: &dyn Shape, from: Vec3, to: Vec3, radius: f32, margin: f32, out: &mut ContactPlanes) {
    out.clear();
    let Some(query) = PathQuery::new(from, to, radius, margin) else {
        return;
    };
    let q = &query;
    match shape.as_typed_shape() {
        TypedShape::TriMesh(mesh) => mesh::contact_planes(mesh, q, out),
        TypedShape::HeightField(field) => height::contact_planes(field, q, out),
        TypedShape::Compound(parts) => compound::contact_planes(parts, q, out),
        TypedShape::Ball(s) => single(s, q, out),
        TypedShape::Cuboid(s) => single(s, q, out),
        TypedShape::Capsule(s) => single(s, q, out),
        TypedShape::Cylinder(s) => single(s, q, out),
        TypedShape::Cone(s) => single(s, q, out),
        TypedShape::HalfSpace(s) => single(s, q, out),
        TypedShape::Triangle(s) => single(s, q, out),
        TypedShape::ConvexPolyhedron(s) => single(s, q, out),
        _ => single(shape, q, out),
    }
}

fn single<S: NearestPoint + ?Sized>(shape: &S, query: &PathQuery, out: &mut ContactPlanes) {
    if let Some(mut pieces) = SinglePiece::new(shape, query) {
        sweep::sweep(&mut pieces, query, out);
    }
}

#[cfg(test)]
mod tests;
