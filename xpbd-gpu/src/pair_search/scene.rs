//! The scene of the search beside the state of the particles: owners, rest shapes, layers.

use std::ops::Range;

use glam::Vec3;

/// Owner of a particle that has no partners whatever happens, and medium of an object of none.
pub const NONE: u32 = u32::MAX;
/// Mark of an object whose own particles collide with each other.
pub const AMONG_ITSELF: u32 = 1;

/// An object of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairSearchObject {
    /// Particles of the object.
    pub range: Range<usize>,
    /// The groups it is in, one bit each.
    pub groups: u32,
    /// The groups it collides with.
    pub mask: u32,
    /// True if its particles collide with each other.
    pub self_collision: bool,
    /// True if it is left out: it is frozen, or collides as a surface.
    pub excluded: bool,
    /// The medium that it is of, if any: two objects of one medium do not collide.
    pub medium: Option<u32>,
}

impl PairSearchObject {
    /// Returns the word for collisions of its own particles.
    fn own(&self) -> u32 {
        if self.self_collision { AMONG_ITSELF } else { 0 }
    }

    /// Returns whether particles of the two may touch.
    fn meets(&self, other: &Self) -> bool {
        let is_one = self.medium.is_some() && self.medium == other.medium;
        !other.excluded && !is_one && self.groups & other.mask != 0 && other.groups & self.mask != 0
    }
}

/// Scene of the search of a frame.
#[derive(Debug, Clone, Copy)]
pub struct PairSearchScene<'a> {
    /// Objects in the order of their particles.
    pub objects: &'a [PairSearchObject],
    /// Positions in the rest shape \[m\], one for each particle.
    pub rest: &'a [Vec3],
    /// For each particle, true if it is inactive and has no partners.
    pub absent: &'a [bool],
    /// Radius of every particle \[m\], positive.
    pub radius: f32,
    /// Distance beyond touching at which pairs are still found \[m\].
    pub margin: f32,
    /// Length of the frame \[s\].
    pub dt: f32,
}

/// The words of the buffer `setup`: an owner for each particle, three coordinates of its place in
/// the rest shape \[m\], and memberships, filters, the mark of collisions of its own particles, and medium for each object.
#[derive(Debug, Default)]
pub struct SearchSetup {
    objects: Vec<PairSearchObject>,
    rest: Vec<Vec3>,
    absent: Vec<bool>,
    /// Words of the buffer.
    pub words: Vec<u32>,
}

impl SearchSetup {
    /// Writes the words of a scene, and returns whether they have changed.
    pub fn update(&mut self, scene: &PairSearchScene<'_>) -> bool {
        let same_rest = bytemuck::cast_slice::<Vec3, u8>(&self.rest) == bytemuck::cast_slice::<Vec3, u8>(scene.rest);
        if same_rest && self.objects == scene.objects && self.absent == scene.absent {
            return false;
        }
        self.objects.clear();
        self.objects.extend_from_slice(scene.objects);
        self.rest.clear();
        self.rest.extend_from_slice(scene.rest);
        self.absent.clear();
        self.absent.extend_from_slice(scene.absent);
        self.write();
        true
    }

    /// Returns whether any particle takes part.
    pub fn is_needed(&self) -> bool {
        self.words[..self.rest.len()].iter().any(|&owner| owner != NONE)
    }

    fn write(&mut self) {
        let Self { objects, rest, absent, words } = self;
        words.clear();
        words.resize(rest.len(), NONE);
        words.extend_from_slice(bytemuck::cast_slice(rest));
        for (owner, object) in objects.iter().enumerate() {
            words.extend([object.groups, object.mask, object.own(), object.medium.unwrap_or(NONE)]);
            let others = || objects.iter().enumerate().any(|(k, other)| k != owner && object.meets(other));
            if !object.excluded && (object.self_collision || others()) {
                let range = object.range.start.min(rest.len())..object.range.end.min(rest.len());
                words[range].fill(owner as u32);
            }
        }
        words.iter_mut().zip(absent.iter()).filter(|(_, absent)| **absent).for_each(|(word, _)| *word = NONE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_written() {
        let object = |range, groups| {
            let (mask, self_collision, excluded, medium) = (1, false, false, None);
            PairSearchObject { range, groups, mask, self_collision, excluded, medium }
        };
        let mut objects = vec![object(0..2, 1), object(2..3, 1), object(3..4, 2)];
        let rest = [Vec3::X; 4];
        let mut setup = SearchSetup::default();
        let mut update = |objects: &[_], absent: [bool; 4]| {
            let scene = PairSearchScene { objects, rest: &rest, absent: &absent, radius: 0.1, margin: 0.0, dt: 0.01 };
            let changed = setup.update(&scene);
            (changed, setup.words[..4].to_vec())
        };
        let none = [false; 4];
        assert_eq!(update(&objects, none), (true, vec![0, 0, 1, NONE]));
        assert_eq!(update(&objects, none), (false, vec![0, 0, 1, NONE]));
        let first = [true, false, false, false];
        assert_eq!(update(&objects, first), (true, vec![NONE, 0, 1, NONE]));
        assert_eq!(update(&objects, first), (false, vec![NONE, 0, 1, NONE]));
        (objects[0].medium, objects[1].medium) = (Some(2), Some(2));
        assert_eq!(update(&objects, none), (true, vec![NONE; 4]));
        objects[1].medium = Some(1);
        assert_eq!(update(&objects, none), (true, vec![0, 0, 1, NONE]));
        objects[0].excluded = true;
        assert_eq!(update(&objects, none), (true, vec![NONE; 4]));
        (objects[0].excluded, objects[0].self_collision) = (false, true);
        objects[1].excluded = true;
        assert_eq!(update(&objects, none), (true, vec![0, 0, NONE, NONE]));
        objects[0].self_collision = false;
        assert_eq!(update(&objects, none), (true, vec![NONE; 4]));
    }
}
