//! Signed distance `[m]` and nearest point `[m]` of the analytic solids.

use super::near::{NearestFeature, NearestPoint, PieceKind, across};
use super::{ContactPlane, triangle};
use glam::{Vec2, Vec3};
use parry3d::shape::{Ball, Capsule, Cone, Cuboid, Cylinder, HalfSpace, Segment, SupportMap, Triangle};

fn support_behind(shape: &impl SupportMap, plane: &ContactPlane, slack: f32) -> bool {
    plane.height(shape.local_support_point(plane.normal)) <= slack
}

/// Nearest point of the sphere around `centre` `[m]`.
fn sphere(x: Vec3, centre: Vec3, radius: f32, fallback: Vec3) -> NearestFeature {
    let offset = x - centre;
    let length = offset.length();
    let normal = if length > 0.0 { offset / length } else { fallback };
    NearestFeature { point: centre + normal * radius, normal, distance: length - radius }
}

impl NearestPoint for Ball {
    fn near(&self, x: Vec3) -> NearestFeature {
        sphere(x, Vec3::ZERO, self.radius, Vec3::Y)
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        support_behind(self, plane, slack)
    }
}

impl NearestPoint for Capsule {
    fn near(&self, x: Vec3) -> NearestFeature {
        let Segment { a, b } = self.segment;
        let axis = b - a;
        let square = axis.length_squared();
        let s = if square > 0.0 { ((x - a).dot(axis) / square).clamp(0.0, 1.0) } else { 0.0 };
        sphere(x, a + axis * s, self.radius, across(axis))
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        support_behind(self, plane, slack)
    }
}

impl NearestPoint for HalfSpace {
    fn near(&self, x: Vec3) -> NearestFeature {
        let distance = self.normal.dot(x);
        NearestFeature { point: x - self.normal * distance, normal: self.normal, distance }
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        plane.normal.dot(self.normal) > 1.0 - 1e-6 && plane.height(Vec3::ZERO) <= slack
    }
}

impl NearestPoint for Cuboid {
    fn near(&self, x: Vec3) -> NearestFeature {
        let h = self.half_extents;
        let excess = x.abs() - h;
        let sign = Vec3::ONE.copysign(x);
        let axis = if excess.x >= excess.max_element() {
            Vec3::X
        } else if excess.y >= excess.z {
            Vec3::Y
        } else {
            Vec3::Z
        };
        let face = axis * sign;
        if excess.max_element() <= 0.0 {
            let distance = excess.dot(axis);
            let point = x * (Vec3::ONE - axis) + h * face;
            return NearestFeature { point, normal: face, distance };
        }
        let outside = excess.max(Vec3::ZERO) * sign;
        let distance = outside.length();
        NearestFeature {
            point: x.clamp(-h, h),
            normal: if distance > 0.0 { outside / distance } else { face },
            distance,
        }
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        support_behind(self, plane, slack)
    }
}

/// Returns a solid of revolution around y from its profile: the nearest point in the half-plane (ρ, y).
fn revolve(x: Vec3, profile: impl Fn(Vec2) -> (Vec2, Vec2, f32)) -> NearestFeature {
    let rho = Vec2::new(x.x, x.z).length();
    let radial = if rho > 0.0 { Vec2::new(x.x, x.z) / rho } else { Vec2::X };
    let (point, normal, distance) = profile(Vec2::new(rho, x.y));
    let turned = |v: Vec2| Vec3::new(radial.x * v.x, v.y, radial.y * v.x);
    NearestFeature { point: turned(point), normal: turned(normal), distance }
}

impl NearestPoint for Cylinder {
    fn near(&self, x: Vec3) -> NearestFeature {
        let size = Vec2::new(self.radius, self.half_height);
        revolve(x, |q| {
            let sign = Vec2::new(1.0, 1.0_f32.copysign(q.y));
            let excess = q * sign - size;
            if excess.max_element() > 0.0 {
                let outside = excess.max(Vec2::ZERO);
                let distance = outside.length();
                let point = (q * sign).min(size) * sign;
                (point, outside.normalize_or(Vec2::X) * sign, distance)
            } else if excess.x > excess.y {
                (Vec2::new(size.x, q.y), Vec2::X, excess.x)
            } else {
                let cap = Vec2::Y * sign;
                (Vec2::new(q.x, size.y * sign.y), cap, excess.y)
            }
        })
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        support_behind(self, plane, slack)
    }
}

impl NearestPoint for Cone {
    fn near(&self, x: Vec3) -> NearestFeature {
        let (h, radius) = (self.half_height, self.radius);
        let rim = Vec2::new(radius, -h);
        let length = Vec2::new(-radius, 2.0 * h).length();
        let along = Vec2::new(-radius, 2.0 * h) / length;
        let slant = Vec2::new(along.y, -along.x);
        revolve(x, |q| {
            let (side, base) = (slant.dot(q - rim), -h - q.y);
            let s = along.dot(q - rim);
            if side <= 0.0 && base <= 0.0 {
                return if side > base {
                    (q - slant * side, slant, side)
                } else {
                    (Vec2::new(q.x, -h), Vec2::NEG_Y, base)
                };
            }
            if side > 0.0 && (0.0..=length).contains(&s) {
                return (q - slant * side, slant, side);
            }
            if base > 0.0 && q.x <= radius {
                return (Vec2::new(q.x, -h), Vec2::NEG_Y, base);
            }
            let corner = rim + along * s.clamp(0.0, length);
            let distance = q.distance(corner);
            (corner, (q - corner).normalize_or(slant), distance)
        })
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        support_behind(self, plane, slack)
    }
}

impl NearestPoint for Triangle {
    fn near(&self, x: Vec3) -> NearestFeature {
        triangle::near(self, x).0
    }

    fn kind(&self) -> PieceKind {
        PieceKind::Thin
    }

    fn behind(&self, plane: &ContactPlane, slack: f32) -> bool {
        let height = |p| plane.height(p);
        height(self.a).max(height(self.b)).max(height(self.c)) <= slack
    }
}
