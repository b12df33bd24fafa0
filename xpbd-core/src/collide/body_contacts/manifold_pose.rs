//! Both surfaces of a manifold at one moment.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::bodies::Bodies;
use crate::collide::body_contact::MANIFOLD_POINTS;

/// One of the two surfaces of a manifold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldSide {
    /// Body of the surface; none for a surface that does not move.
    pub body: Option<u32>,
    /// Position of the collider \[m\], from which a surface that does not move is measured.
    pub center: Vec3,
    /// The points, or where the shape is round those of its core, in the principal frame of the
    /// body, or of the world from the centre \[m\].
    pub cores: [Vec3; MANIFOLD_POINTS],
    /// Distance of the surface from its core \[m\].
    pub round: f32,
}

/// Both surfaces of a manifold with the normal from the second to the first.
pub struct ManifoldPose<'a> {
    anchor: &'a [Vec4],
    offset: &'a [Vec4],
    rotation: &'a [Quat],
    sides: &'a [ManifoldSide; 2],
    normal: Vec3,
}

/// The lever arms of the points of both sides in the world \[m\].
pub type LeverArms = [[Vec3; MANIFOLD_POINTS]; 2];

impl<'a> ManifoldPose<'a> {
    /// Creates the pose at the start of the substep.
    pub fn before(bodies: &'a Bodies, sides: &'a [ManifoldSide; 2], normal: Vec3) -> Self {
        let Bodies { anchor, start, start_rotation, .. } = bodies;
        Self { anchor, offset: start, rotation: start_rotation, sides, normal }
    }

    /// Creates the current pose.
    pub fn now(bodies: &'a Bodies, sides: &'a [ManifoldSide; 2], normal: Vec3) -> Self {
        let Bodies { anchor, offset, rotation, .. } = bodies;
        Self { anchor, offset, rotation, sides, normal }
    }

    /// Creates the pose at which forces act: the start positions of the substep with the current rotations. What
    /// a substep does to the angular momentum is Σ xⁿ × p of its impulses p, since x × (x − xⁿ) is
    /// xⁿ × x; points that are one there keep it.
    pub fn acting(bodies: &'a Bodies, sides: &'a [ManifoldSide; 2], normal: Vec3) -> Self {
        let Bodies { anchor, start, rotation, .. } = bodies;
        Self { anchor, offset: start, rotation, sides, normal }
    }

    /// Returns the orientation of a side.
    pub fn rotation(&self, side: usize) -> Quat {
        self.sides[side].body.map_or(Quat::IDENTITY, |k| self.rotation[k as usize])
    }

    /// Returns the vector from the centre of the second side to that of the first \[m\].
    fn apart(&self) -> Vec3 {
        let [a, b] = of_sides(|side| match self.sides[side].body {
            Some(k) => (self.anchor[k as usize].xyz(), self.offset[k as usize].xyz()),
            None => (self.sides[side].center, Vec3::ZERO),
        });
        (a.0 - b.0) + (a.1 - b.1)
    }

    /// Returns the tangential displacement of the end of the first of two arms from that of the second \[m\].
    pub fn slip(&self, [a, b]: [Vec3; 2]) -> Vec3 {
        let between = self.apart() + a - b;
        between - self.normal * self.normal.dot(between)
    }

    /// Returns the lever arms of points halfway between these [surfaces](Self::surfaces), which are the same for both
    /// sides.
    pub fn arms(&self, [a, b]: &LeverArms) -> LeverArms {
        let apart = self.apart();
        let along = self.sides[1].round > 0.0 && self.sides[0].round == 0.0;
        let halfway = |k: usize| self.normal * (0.5 * self.normal.dot(apart + a[k] - b[k]));
        let first = of_points(|k| if along { b[k] - apart + halfway(k) } else { a[k] - halfway(k) });
        [first, of_points(|k| apart + first[k])]
    }

    /// Returns the distance of these [surfaces](Self::surfaces) at each point less the distance of the ends of the arms
    /// \[m\].
    pub fn gaps(&self, [a, b]: &LeverArms, arms: &LeverArms) -> [f32; MANIFOLD_POINTS] {
        of_points(|k| self.normal.dot((a[k] - b[k]) - (arms[0][k] - arms[1][k])))
    }

    /// Returns the arms of the points of each side by itself, of round shapes where they are lowest. They depend on the
    /// rotations alone.
    pub fn surfaces(&self) -> LeverArms {
        of_sides(|side| {
            let outward = if side == 0 { -self.normal } else { self.normal };
            let (rotation, ManifoldSide { cores, round, .. }) = (self.rotation(side), &self.sides[side]);
            of_points(|k| rotation * cores[k] + outward * *round)
        })
    }

    /// Returns the acceleration of the bodies towards each other by gravity and forces \[m/s²\].
    pub fn acceleration(&self, bodies: &Bodies) -> f32 {
        let [a, b] =
            of_sides(|side| self.sides[side].body.map_or(Vec3::ZERO, |k| bodies.acceleration[k as usize].xyz()));
        -self.normal.dot(a - b)
    }
}

/// Returns the middle of four points.
pub fn middle([a, b, c, d]: [Vec3; MANIFOLD_POINTS]) -> Vec3 {
    (a + b + c + d) * 0.25
}

/// Returns what a function gives for each side: an array's `map` is not inlined.
#[inline(always)]
pub fn of_sides<T>(side: impl Fn(usize) -> T) -> [T; 2] {
    [side(0), side(1)]
}

/// Returns what a function gives for each point, likewise.
#[inline(always)]
pub fn of_points<T>(point: impl Fn(usize) -> T) -> [T; MANIFOLD_POINTS] {
    [point(0), point(1), point(2), point(3)]
}
