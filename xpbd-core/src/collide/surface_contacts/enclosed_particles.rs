//! The particles that belong inside of closed sheets, and those that have got out, or in.
//!
//! Pairs of a frame may miss a drop that goes through a crumpled bag faster than they are looked for. It is found when the next
//! frame begins, because it is on another side of the sheet than before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::astray::{Astray, AstrayParticles};
use super::closed_sheets::ClosedSheets;

/// The particles of no surface and the closed sheets that they are inside of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnclosedParticles {
    /// Each particle with the number of a sheet that it is inside of, sorted.
    pub(super) inside: Vec<[u32; 2]>,
    /// Particles of which nothing is known, sorted: those that are absent, that contacts do not move, or that have been put
    /// elsewhere.
    pub(super) unknown: Vec<u32>,
}

impl EnclosedParticles {
    /// Makes it unknown where a particle belongs.
    pub fn forget(&mut self, particle: u32) {
        if let Err(place) = self.unknown.binary_search(&particle) {
            self.unknown.insert(place, particle);
        }
    }

    /// Returns whether a particle is known to belong on the other side of a closed sheet than it is said to, given those that have
    /// `escaped`. One that is not known to be inside tells nothing by itself: its sheet may lack vertices.
    pub fn denies(&self, said: &Astray, escaped: &[Astray], closed: &ClosedSheets) -> bool {
        match said.belongs_inside(closed) {
            Some(true) => escaped.iter().any(|other| other.key() == said.key() && other != said),
            Some(false) => self.inside.binary_search(&said.key().into()).is_ok(),
            None => false,
        }
    }

    /// Returns what is known if particles are `now` here, and which are on another side of a sheet than they belong `before`.
    /// Those of which nothing was known belong where they are, but for those that are astray.
    pub fn updated(
        before: Option<&Self>,
        now: Self,
        astray: &AstrayParticles,
        closed: &ClosedSheets,
    ) -> (Self, Vec<Astray>) {
        let is_new = |pair: &[u32; 2]| before.is_none_or(|before| before.unknown.binary_search(&pair[0]).is_ok());
        let is_known = |pair: &[u32; 2]| now.unknown.binary_search(&pair[0]).is_err();
        let homes: BTreeMap<[u32; 2], bool> = astray.of_closed(closed).filter(|(pair, _)| is_new(pair)).collect();
        let old = before.iter().flat_map(|before| &before.inside).filter(|pair| !is_new(pair));
        let new = now.inside.iter().filter(|pair| is_new(pair) && !homes.contains_key(*pair));
        let known = homes.iter().filter(|(_, belongs_inside)| **belongs_inside).map(|(pair, _)| pair);
        let mut inside: Vec<[u32; 2]> = old.chain(new).chain(known).filter(|pair| is_known(pair)).copied().collect();
        inside.sort_unstable();
        let missing = |from: &[[u32; 2]], pair: &[u32; 2]| from.binary_search(pair).is_err();
        let out = inside.iter().filter(|pair| missing(&now.inside, pair)).map(|pair| (pair, true));
        let within = now.inside.iter().filter(|pair| missing(&inside, pair)).map(|pair| (pair, false));
        let escaped = out.chain(within).filter_map(|(&[particle, sheet], belongs_inside)| {
            Some(Astray::of_closed(particle, sheet, belongs_inside, closed.get(sheet)?))
        });
        let escaped = escaped.collect();
        (Self { inside, unknown: now.unknown }, escaped)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::super::crossed_pair::CrossedPair;
    use super::super::feature_geometry::FeaturePairKind;
    use crate::cpu::CpuBackend;
    use crate::handle::ObjectHandle;
    use crate::object::{Object, Surface};
    use crate::settings::Settings;
    use crate::world::{ParticleSpawn, World};

    const FRAME: f32 = 1.0 / 60.0;
    /// Places on both sides of a face, and farther from it than it keeps them \[m\].
    const INSIDE: Vec3 = Vec3::splat(0.25);
    const OUTSIDE: Vec3 = Vec3::splat(0.4);

    /// Adds an octahedron around the origin, whose corners are 1 m from there and pinned.
    fn add_octahedron(world: &mut World) {
        let corners = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let mut bag = Object::new("bag", corners.to_vec(), 1.0);
        bag.pins = (0..6).collect();
        let eighth = |k: u32| {
            let [x, y, z] = [k & 1, 2 + (k >> 1 & 1), 4 + (k >> 2)];
            if k.count_ones().is_multiple_of(2) { [x, y, z] } else { [x, z, y] }
        };
        bag.surface = Some(Surface { triangles: (0..8).map(eighth).collect(), thickness: 0.02, permeability: 0.0 });
        world.add(bag).expect("an octahedron is valid");
    }

    fn world_with(places: &[Vec3]) -> (World, ObjectHandle) {
        let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).expect("valid settings");
        add_octahedron(&mut world);
        let drops = world.add(Object::new("drops", places.to_vec(), 0.1)).expect("particles are valid");
        (world, drops)
    }

    fn is_inside(world: &World, drops: ObjectHandle, drop: usize) -> bool {
        world.position(drops, drop).expect("a drop").abs().element_sum() < 1.0
    }

    fn advance(world: &mut World, frames: usize) {
        for _ in 0..frames {
            world.step(&mut CpuBackend::default(), FRAME).expect("a step");
        }
    }

    /// Two drops are moved through the sheet as if contacts had failed.
    #[test]
    fn what_gets_through_a_closed_sheet_comes_back() {
        let (mut world, drops) = world_with(&[INSIDE, OUTSIDE]);
        advance(&mut world, 1);
        for (particle, place) in [(6, OUTSIDE), (7, INSIDE)] {
            world.state.particles.set_position(particle, place, Vec3::ZERO);
        }
        advance(&mut world, 30);
        assert!(is_inside(&world, drops, 0) && !is_inside(&world, drops, 1));
    }

    /// Drops are moved through the sheet, so that they touch it, and pairs remember of each that it belongs where it is.
    #[test]
    fn what_gets_through_comes_back_though_pairs_remember_the_opposite() {
        for side in [1.0, -1.0] {
            for (home, elsewhere) in [(INSIDE, Vec3::splat(0.339)), (OUTSIDE, Vec3::splat(0.328))] {
                let (mut world, drops) = world_with(&[home]);
                advance(&mut world, 1);
                world.state.particles.set_position(6, elsewhere, Vec3::ZERO);
                world.state.contacts.surfaces.crossed = vec![CrossedPair {
                    collider: None,
                    kind: FeaturePairKind::ParticleTriangle,
                    nodes: [6, 0, 2, 4],
                    side,
                    has_passed: true,
                }];
                advance(&mut world, 1);
                assert_eq!(is_inside(&world, drops, 0), home == INSIDE, "{side}");
            }
        }
    }

    /// One is put elsewhere by the user, and one spawned inside after it was outside.
    #[test]
    fn what_is_put_through_a_closed_sheet_belongs_there() {
        let (mut world, drops) = world_with(&[INSIDE, -OUTSIDE]);
        advance(&mut world, 1);
        world.set_position(drops, 0, OUTSIDE, Vec3::ZERO).expect("a place");
        world.deactivate(drops, &[1]).expect("a drop that is there");
        advance(&mut world, 1);
        world
            .spawn_at(drops, &[1], &[ParticleSpawn { position: INSIDE, velocity: Vec3::ZERO }])
            .expect("an absent drop");
        advance(&mut world, 3);
        assert_eq!(world.position(drops, 0), Ok(OUTSIDE));
        assert_eq!(world.position(drops, 1), Ok(INSIDE));
        world.state.particles.set_position(7, -OUTSIDE, Vec3::ZERO);
        advance(&mut world, 30);
        assert!(is_inside(&world, drops, 1));
    }
}
