//! Rotations as unit quaternions (x, y, z, w) over any [`Real`]; for plain numbers the crate uses
//! `glam::Quat`.

use super::{Real, Vec3};

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

/// Returns the quaternion made a unit one.
pub fn normalize<S: Real>(q: [S; 4]) -> [S; 4] {
    let [x, y, z, w] = q;
    let scale = S::one() / (x * x + y * y + z * z + w * w).sqrt();
    q.map(|component| component * scale)
}

/// Returns the rotation by a vector \[rad\]: the exponential map.
pub fn exponential<S: Real>(v: Vec3<S>) -> [S; 4] {
    let angle = v.length();
    let half = angle * 0.5;
    let scale = angle.select_lt(S::literal(1e-6), S::literal(0.5), half.sin() / angle.max(S::literal(1e-6)));
    [v.x * scale, v.y * scale, v.z * scale, half.cos()]
}

/// Returns a rotation turned further by a small vector \[rad\] in the world: q + ½ v q, made a unit one again
/// (\[Rigid20\] §3.1). The angle is 2 atan(|v|/2): exact to |v|³/12, and never past a half turn.
pub fn rotated_by<S: Real>(q: [S; 4], v: Vec3<S>) -> [S; 4] {
    let v = v * S::literal(0.5);
    normalize(multiply([v.x, v.y, v.z, S::one()], q))
}
