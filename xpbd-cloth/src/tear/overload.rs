//! The triangles and edges beyond their limits.
//!
//! The strain of a triangle is that of its most stretched direction: with the deformation gradient
//! F = (f₁, f₂) of its rest frame ([triangle strain](crate::constraint::triangle_strain)),
//!
//! ```text
//! ε = √μ − 1,   μ = ½ (C₁₁ + C₂₂) + √(¼ (C₁₁ − C₂₂)² + C₁₂²),   Cᵢⱼ = fᵢ·fⱼ
//! ```
//!
//! and the direction is F n with n the eigenvector of C to μ. The force of an edge is C/α, that of its spring
//! at rest. Its multiplier would be the same, but a restored world does not contain it.

use glam::Vec3;
use xpbd_core::batch::ConstraintBatch;
use xpbd_core::constraint::{Constraint, Parameters};

use super::sheet::Sheet;
use crate::constraint::{Distance, DistanceParameters, PlasticDistance};

/// A triangle or an edge beyond its limit.
pub(super) struct Overload {
    /// Its strain or force relative to the limit \[1\], above 1.
    pub ratio: f32,
    /// Vertices of the edge.
    pub vertices: Vec<u32>,
    /// Unit vector of the direction in which it is stretched.
    pub direction: Vec3,
}

/// Returns all overloads, the largest first.
pub(super) fn overloads(sheet: &Sheet<'_>) -> Vec<Overload> {
    let mut overloads: Vec<Overload> = (0..sheet.faces.len()).filter_map(|face| of_face(sheet, face)).collect();
    of_edges(sheet, &mut overloads);
    overloads.retain(|overload| overload.ratio > 1.0 && overload.direction != Vec3::ZERO);
    overloads.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    overloads
}

fn of_face(sheet: &Sheet<'_>, face: usize) -> Option<Overload> {
    let [x0, x1, x2] = super::corners(&sheet.faces, face);
    let limit = sheet.face(face as u32).max_strain;
    let (r1, r2) = (sheet.rest(x1) - sheet.rest(x0), sheet.rest(x2) - sheet.rest(x0));
    let (d1, d2) = (sheet.between(x0, x1), sheet.between(x0, x2));
    let a = r1.length();
    let (b, c) = (r1.dot(r2) / a, r1.cross(r2).length() / a);
    let f1 = d1 / a;
    let f2 = (d2 - f1 * b) / c;
    let (c11, c22, c12) = (f1.dot(f1), f2.dot(f2), f1.dot(f2));
    let half = 0.5 * (c11 - c22);
    let square = 0.5 * (c11 + c22) + (half * half + c12 * c12).sqrt();
    let n = if half > 0.0 { [square - c22, c12] } else { [c12, square - c11] };
    // Where both vanish every direction is one.
    let n = if n == [0.0; 2] { [1.0, 0.0] } else { n };
    let direction = (f1 * n[0] + f2 * n[1]).normalize_or_zero();
    Some(Overload { ratio: (square.sqrt() - 1.0) / limit, vertices: vec![x0, x1, x2], direction })
}

fn of_edges(sheet: &Sheet<'_>, overloads: &mut Vec<Overload>) {
    let springs =
        sheet.batches.iter().filter(|part| [Distance::NAME, PlasticDistance::NAME].contains(&part.batch.name()));
    for part in springs {
        for k in (0..part.batch.len()).filter(|&k| !part.batch.is_broken(k)) {
            let compliance = part.batch.compliance_of(k);
            let &[a, b] = part.batch.node_indices(k) else { continue };
            let (Some(a), Some(b)) = (sheet.particle_of(part, a), sheet.particle_of(part, b)) else { continue };
            let limits = sheet.faces_at[a as usize].iter().filter(|&&face| sheet.has(face, b));
            let limit = limits.map(|&face| sheet.face(face).max_force).fold(f32::INFINITY, f32::min);
            if compliance == 0.0 || limit >= f32::MAX {
                continue;
            }
            let way = sheet.between(a, b);
            let force =
                (way.length() - DistanceParameters::from_numbers(part.batch.parameters(k)).rest_length) / compliance;
            overloads.push(Overload { ratio: force / limit, vertices: vec![a, b], direction: way.normalize_or_zero() });
        }
    }
}
