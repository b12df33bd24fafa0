//! Both surfaces of a manifold at one moment.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::bodies::Bodies;
use crate::collide::body_contact::MANIFOLD_POINTS;
use crate::scalar::{self, Real, Single4};

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
    /// Distance of the surface from each point of its core \[m\].
    pub round: [f32; MANIFOLD_POINTS],
}

impl ManifoldSide {
    /// Returns whether the surface is round about a core.
    pub fn is_round(&self) -> bool {
        self.round.iter().any(|&round| round > 0.0)
    }
}

/// Both surfaces of a manifold with the normal from the second to the first.
pub struct ManifoldPose<'a> {
    anchor: &'a [Vec4],
    offset: &'a [Vec4],
    rotation: &'a [Quat],
    sides: &'a [ManifoldSide; 2],
    normal: Vec3,
}

/// The points of one side, next to each other in lanes.
pub type Points = scalar::Vec3<Single4>;

/// The lever arms of the points of both sides in the world \[m\].
pub type LeverArms = [Points; 2];

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

    /// Returns the normal from the second side to the first.
    pub fn normal(&self) -> Vec3 {
        self.normal
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
        let (apart, normal) = (all(self.apart()), all(self.normal));
        let along = self.sides[1].is_round() && !self.sides[0].is_round();
        let halfway = normal * (normal.dot(apart + *a - *b) * 0.5);
        let first = if along { *b - apart + halfway } else { *a - halfway };
        [first, apart + first]
    }

    /// Returns the distance of these [surfaces](Self::surfaces) at each point less the distance of the ends of the arms
    /// \[m\].
    pub fn gaps(&self, [a, b]: &LeverArms, arms: &LeverArms) -> [f32; MANIFOLD_POINTS] {
        all(self.normal).dot((*a - *b) - (arms[0] - arms[1])).0.to_array()
    }

    /// Returns how high points are over a foot along the normal \[m\].
    pub fn heights(&self, points: Points, foot: Vec3) -> [f32; MANIFOLD_POINTS] {
        all(self.normal).dot(points - all(foot)).0.to_array()
    }

    /// Returns the arms of the points of each side by itself, of round shapes where they are lowest. They depend on the
    /// rotations alone.
    pub fn surfaces(&self) -> LeverArms {
        of_sides(|side| {
            let outward = if side == 0 { -self.normal } else { self.normal };
            let ManifoldSide { cores, round, .. } = &self.sides[side];
            rotated(self.rotation(side), in_lanes(cores)) + all(outward) * Single4(Vec4::from_array(*round))
        })
    }

    /// Returns the acceleration of the bodies towards each other by gravity and forces \[m/s²\].
    pub fn acceleration(&self, bodies: &Bodies) -> f32 {
        let [a, b] =
            of_sides(|side| self.sides[side].body.map_or(Vec3::ZERO, |k| bodies.acceleration[k as usize].xyz()));
        -self.normal.dot(a - b)
    }
}

/// Returns the same vector in all lanes.
fn all(v: Vec3) -> Points {
    Points { x: Single4::literal(v.x), y: Single4::literal(v.y), z: Single4::literal(v.z) }
}

/// Returns four points next to each other.
fn in_lanes(points: &[Vec3; MANIFOLD_POINTS]) -> Points {
    let [a, b, c, d] = points;
    let lanes = |of: fn(&Vec3) -> f32| Single4(Vec4::new(of(a), of(b), of(c), of(d)));
    Points { x: lanes(|p| p.x), y: lanes(|p| p.y), z: lanes(|p| p.z) }
}

/// Returns points turned by a rotation, with the bits that glam gives for each.
#[inline(always)]
pub fn rotated(rotation: Quat, points: Points) -> Points {
    let [x, y, z, w] = rotation.to_array().map(Single4::literal);
    let axis = Points { x, y, z };
    let kept = points * (w * w - axis.dot(axis));
    let along = axis * (points.dot(axis) * 2.0);
    kept + along + axis.cross(points) * (w * 2.0)
}

/// Returns one of the points.
#[inline(always)]
pub fn point(points: &Points, k: usize) -> Vec3 {
    Vec3::new(points.x.0[k], points.y.0[k], points.z.0[k])
}

/// Returns the middle of four points in lanes.
pub fn middle_of(points: Points) -> Vec3 {
    let [x, y, z] = points.to_array().map(|Single4(lanes)| ((lanes.x + lanes.y + lanes.z) + lanes.w) * 0.25);
    Vec3::new(x, y, z)
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
