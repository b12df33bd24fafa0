//! Members at exactly one place, between which the kernel has no gradient.

use glam::{IVec3, Vec4};
use xpbd_core::medium::{Neighbourhood, SOLID};

/// Largest displacement along an axis by which a pair is parted, in radii of a particle \[1\].
pub const PARTING: f32 = 1e-3;

/// Parts members that share their place with another, given in order, by what they add to the corrections of the members
/// from `first` on. Every particle has a way of its own, and is moved by its difference from that of the other, so
/// that momentum is kept.
pub fn part(members: &Neighbourhood, radius: f32, which: &[u32], first: usize, corrections: &mut [Vec4]) {
    for &i in which {
        let x = members.positions[i as usize].truncate();
        let own = way(members.particles[i as usize]);
        let at_its_place =
            members.neighbours(i as usize).iter().map(|&j| j as usize).filter(|&j| {
                j < members.len() && members.materials[j] != SOLID && members.positions[j].truncate() == x
            });
        let sum: IVec3 = at_its_place.map(|j| own - way(members.particles[j])).sum();
        corrections[i as usize - first] += (sum.as_vec3() * (PARTING * radius / 256.0)).extend(0.0);
    }
}

/// Returns the way of a particle, with components from −128 to 127; that of hardly any other is the same.
fn way(particle: u32) -> IVec3 {
    let bits = particle.wrapping_mul(0x9E37_79B1);
    IVec3::new((bits >> 24) as i32, (bits >> 16 & 0xff) as i32, (bits >> 8 & 0xff) as i32) - 128
}
