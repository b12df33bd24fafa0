//! Rotations as unit quaternions (x, y, z, w) over any [`Real`]; for plain numbers the crate uses
//! `glam::Quat`.

use super::{Real, Vec3};

/// The square of a length up to which a quaternion is divided by it by means of a difference \[1\].
const SMALL_CHANGE: f32 = 1.5;

/// Returns a quaternion of length 1 in the same direction. `Quat::normalize` adds up the squares in an order that depends on
/// the processor.
pub fn normalized(q: glam::Quat) -> glam::Quat {
    let length = ((q.x * q.x + q.z * q.z) + (q.y * q.y + q.w * q.w)).sqrt();
    glam::Quat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length)
}

/// Returns the product a b: first b, then a.
pub fn multiply<S: Real>([ax, ay, az, aw]: [S; 4], [bx, by, bz, bw]: [S; 4]) -> [S; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Returns the inverse of a unit quaternion.
pub fn inverse<S: Real>([x, y, z, w]: [S; 4]) -> [S; 4] {
    [-x, -y, -z, w]
}

/// Returns the rotation by a vector \[rad\], the exponential map, less the identity.
fn exponential_less_one<S: Real>(v: Vec3<S>) -> [S; 4] {
    let angle = v.length();
    let half = angle * 0.5;
    let scale = angle.select_lt(S::literal(1e-6), S::literal(0.5), half.sin() / angle.max(S::literal(1e-6)));
    let Vec3 { x, y, z } = v * scale;
    // cos − 1 without the difference of numbers that are nearly the same.
    [x, y, z, -(x * x + y * y + z * z) / (half.cos() + 1.0).max(S::literal(1e-6))]
}

/// Returns the rotation by an angle \[rad\] about a unit vector, less the identity.
pub fn about_axis_less_one<S: Real>(axis: Vec3<S>, angle: S) -> [S; 4] {
    let half = angle * 0.5;
    let (sine, cosine) = (half.sin(), half.cos());
    let Vec3 { x, y, z } = axis * sine;
    [x, y, z, -(sine * sine) / (cosine + 1.0).max(S::literal(1e-6))]
}

/// Returns the product of two rotations less the identity, each given without it: first `b`, then `a`.
pub fn multiply_less_one<S: Real>(a: [S; 4], b: [S; 4]) -> [S; 4] {
    let product = multiply(a, b);
    std::array::from_fn(|k| a[k] + b[k] + product[k])
}

/// Returns a rotation turned further by the exponential map of a vector \[rad\] in the world after another rotation in its own
/// frame, which is given less the identity, made a unit quaternion.
pub fn rotated_within_and_by_exponential<S: Real>(q: [S; 4], within: [S; 4], v: Vec3<S>) -> [S; 4] {
    let within = multiply(q, within);
    let by = multiply(exponential_less_one(v), std::array::from_fn(|k| q[k] + within[k]));
    let change: [S; 4] = std::array::from_fn(|k| within[k] + by[k]);
    let [x, y, z, w] = std::array::from_fn(|k| q[k] + change[k]);
    scaled_sum(q, change, x * x + y * y + z * z + w * w)
}

/// Returns a rotation turned further by a small vector \[rad\] in the world: q + ½ v q, with the length of q
/// (\[Rigid20\] §3.1). The angle is 2 atan(|v|/2): exact to |v|³/12, and never past a half turn. A vector of zero
/// gives q as it is.
#[inline(always)]
pub fn rotated_by<S: Real>(q: [S; 4], v: Vec3<S>) -> [S; 4] {
    let v = v * S::literal(0.5);
    let [x, y, z, w] = q;
    let change = [
        v.x * w + v.y * z - v.z * y,
        v.y * w + v.z * x - v.x * z,
        v.z * w + v.x * y - v.y * x,
        -(v.x * x + v.y * y + v.z * z),
    ];
    scaled_sum(q, change, v.length_squared() + 1.0)
}

/// Returns the sum of two quaternions divided by the root of a number. Where that is about 1, the sum and the division
/// round each component once: a substep turns a body at rest by only a few hundred times the rounding.
#[inline(always)]
fn scaled_sum<S: Real>(q: [S; 4], change: [S; 4], square: S) -> [S; 4] {
    let root = square.sqrt();
    // 1/√s and 1/√s − 1.
    let (scale, less) = (S::one() / root, (S::one() - square) / (square + root));
    std::array::from_fn(|k| {
        let sum = q[k] + change[k];
        square.select_lt(S::literal(SMALL_CHANGE), q[k] + (change[k] + sum * less), sum * scale)
    })
}
