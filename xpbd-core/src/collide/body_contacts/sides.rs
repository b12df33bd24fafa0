//! Both surfaces of a manifold at one moment.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::bodies::Bodies;
use crate::collide::body_contact::POINTS;

/// A surface of a manifold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// The body, none for a surface that does not move.
    pub body: Option<u32>,
    /// Where a surface that does not move is measured from: the place of its collider \[m\].
    pub center: Vec3,
    /// The points, or where the shape is round those of its core, in the principal frame of the
    /// body, or of the world from the centre \[m\].
    pub cores: [Vec3; POINTS],
    /// How far beyond the core the surface is \[m\].
    pub round: f32,
}

/// Both surfaces of a manifold with the normal from the second to the first.
pub struct Sides<'a> {
    anchor: &'a [Vec4],
    offset: &'a [Vec4],
    rotation: &'a [Quat],
    turned: &'a [Quat],
    sides: &'a [Side; 2],
    normal: Vec3,
}

/// Arms of the points of both sides in the world \[m\].
pub type Arms = [[Vec3; POINTS]; 2];

impl<'a> Sides<'a> {
    /// As they were at the start of the substep; round ones touch where they are lowest as predicted.
    pub fn before(bodies: &'a Bodies, sides: &'a [Side; 2], normal: Vec3) -> Self {
        let Bodies { anchor, start, start_rotation, rotation, .. } = bodies;
        Self { anchor, offset: start, rotation: start_rotation, turned: rotation, sides, normal }
    }

    /// As they are now.
    pub fn now(bodies: &'a Bodies, sides: &'a [Side; 2], normal: Vec3) -> Self {
        let Bodies { anchor, offset, rotation, .. } = bodies;
        Self { anchor, offset, rotation, turned: rotation, sides, normal }
    }

    /// Orientation of a side.
    pub fn rotation(&self, side: usize) -> Quat {
        self.sides[side].body.map_or(Quat::IDENTITY, |k| self.rotation[k as usize])
    }

    /// From the centre of the second side to that of the first \[m\].
    fn apart(&self) -> Vec3 {
        let [a, b] = [0, 1].map(|side| match self.sides[side].body {
            Some(k) => (self.anchor[k as usize].xyz(), self.offset[k as usize].xyz()),
            None => (self.sides[side].center, Vec3::ZERO),
        });
        (a.0 - b.0) + (a.1 - b.1)
    }

    /// How far the middle of the first arms is from that of the second along the surface \[m\].
    pub fn slip(&self, arms: &Arms) -> Vec3 {
        let [a, b] = arms.map(middle);
        let between = self.apart() + a - b;
        between - self.normal * self.normal.dot(between)
    }

    /// The arms of points that are opposite each other but for this slip \[m\].
    pub fn arms(&self, slip: Vec3) -> Arms {
        let apart = self.apart();
        let [a, b] = self.surfaces();
        let across = |k: usize| self.normal * self.normal.dot(apart + a[k] - b[k]) + slip;
        let [first, second] = [0, 1].map(|side| self.sides[side].round > 0.0);
        let points = [0, 1, 2, 3];
        if second && !first {
            [points.map(|k| b[k] - apart + across(k)), b]
        } else {
            [a, points.map(|k| apart + a[k] - across(k))]
        }
    }

    /// The arms of the points of each side by itself.
    fn surfaces(&self) -> Arms {
        [0, 1].map(|side| {
            let Side { body, cores, round, .. } = self.sides[side];
            let rotation = self.rotation(side);
            let outward = if side == 0 { -self.normal } else { self.normal };
            let lowest = match body {
                Some(k) if round > 0.0 => rotation * (self.turned[k as usize].inverse() * (outward * round)),
                _ => Vec3::ZERO,
            };
            cores.map(|core| rotation * core + lowest)
        })
    }

    /// How fast the surfaces approach each other at the middle of the arms before gravity and forces
    /// have acted in this substep of `h` \[s\] \[m/s\].
    pub fn approach(&self, bodies: &Bodies, arms: &Arms, h: f32) -> f32 {
        let speed = |side: usize| match self.sides[side].body {
            None => Vec3::ZERO,
            Some(k) => {
                let k = k as usize;
                let before = bodies.velocity[k].xyz() - bodies.acceleration[k].xyz() * h;
                before + bodies.spin[k].xyz().cross(middle(arms[side]))
            }
        };
        -self.normal.dot(speed(0) - speed(1))
    }
}

/// The middle of four points.
pub fn middle([a, b, c, d]: [Vec3; POINTS]) -> Vec3 {
    (a + b + c + d) * 0.25
}
