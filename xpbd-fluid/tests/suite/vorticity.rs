//! Vorticity confinement.

use glam::Vec3;
use xpbd_fluid::{Fluid, FluidMaterial};

use crate::probe::{D, H, Probe, weightless};

/// An eddy whose vorticity is strongest in its middle, ω = 2 Ω (1 − r²/b²)… from v = Ω (1 − r²/(2 b²)) ẑ × r: the
/// force drives it on, by h ε d |ω| along ẑ × r.
#[test]
fn eddies_are_driven_on() {
    let strength = 2.0;
    let mut world = weightless(D);
    let liquid = FluidMaterial::new(1.0).vorticity(strength);
    Fluid::block(Vec3::splat(-6.0 * D), Vec3::splat(6.0 * D)).material(liquid).add_to_world(&mut world).expect("valid");
    let count = world.state().particles.len();
    let places: Vec<Vec3> = (0..count).map(|i| world.state().particles.position(i)).collect();
    let (spin, width) = (3.0, 12.0 * D);
    let around = |x: &Vec3| Vec3::Z.cross(*x);
    let velocities: Vec<Vec3> = places
        .iter()
        .map(|x| around(x) * (spin * (1.0 - x.with_z(0.0).length_squared() / (2.0 * width * width))))
        .collect();
    let changes = Probe::new(&world).changes(H, &velocities);
    let mut seen = 0;
    for (x, change) in places.iter().zip(&changes) {
        let radius = x.with_z(0.0).length();
        if x.abs().max_element() > 4.0 * D || radius < 2.0 * D {
            continue;
        }
        // The curl of the flow is (2 Ω − 2 Ω r²/b²) ẑ; N points to the axis and N × ω along ẑ × r.
        let curl = 2.0 * spin * (1.0 - radius * radius / (width * width));
        let expected = around(x) / radius * (H * strength * D * curl);
        assert!(change.distance(expected) < 0.06 * expected.length(), "{x}: {change} for {expected}");
        seen += 1;
    }
    assert!(seen > 300, "{seen}");
}

/// A fluid that turns like a solid swirls alike everywhere: inside nothing is to be confined. One at rest stays so.
#[test]
fn nothing_is_made_of_nothing() {
    let mut world = weightless(D);
    let liquid = FluidMaterial::new(1.0).vorticity(5.0);
    Fluid::block(Vec3::splat(-4.0 * D), Vec3::splat(4.0 * D)).material(liquid).add_to_world(&mut world).expect("valid");
    let count = world.state().particles.len();
    let mut probe = Probe::new(&world);
    assert!(probe.changes(H, &vec![Vec3::X * 7.0; count]).iter().all(|change| *change == Vec3::ZERO));
}
