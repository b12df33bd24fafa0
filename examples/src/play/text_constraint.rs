//! The constraint of a player, read from text and put on an object.

use std::collections::BTreeMap;

use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::{ConstraintType, text::TextError};
use xpbd_core::world::{BatchHandle, ObjectHandle, World, WorldError};

use super::meters::distances;

/// The parameter to which an edge gives its length at rest \[m\].
const REST: &str = "rest";

/// Why a text cannot be put on an object.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The text.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The constraint has more points than there is a place for.
    #[error(
        "`{name}` has {points} points; give it 1 for every particle, 2 for every edge, 3 for every triangle, or 4 for \
         every two triangles with a common edge"
    )]
    Points {
        /// Name of the constraint.
        name: String,
        /// Number of its points.
        points: usize,
    },
    /// The constraint has a parameter without a value.
    #[error("nothing gives a value to the parameter `{parameter}` of `{name}`; {must}")]
    Parameter {
        /// Name of the constraint.
        name: String,
        /// The parameter.
        parameter: String,
        /// The change that makes it valid.
        must: &'static str,
    },
    /// The scene has nothing to put it on.
    #[error("the scene has no object with {0} to put the constraint on")]
    Nothing(&'static str),
    /// The batch does not fit.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The world.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// A constraint of a player on an object.
pub(super) struct Attached {
    batch: BatchHandle,
}

/// The places of an object where a constraint can be.
struct Places {
    nodes: Vec<u32>,
    /// Lengths at rest \[m\], for edges alone.
    rests: Vec<f32>,
}

impl Attached {
    /// Puts a constraint on the largest object that is no liquid, in place of the one before; an empty text leaves none.
    /// After an error everything is as it was.
    pub fn replace(attached: &mut Option<Self>, world: &mut World, text: &str) -> Result<(), AttachError> {
        let new = if text.trim().is_empty() { None } else { Some(batch(world, text)?) };
        let new = match new {
            Some((object, batch)) => Some(Self { batch: world.add_batch(&[object], &[], batch)? }),
            None => None,
        };
        if let Some(old) = std::mem::replace(attached, new) {
            world.remove_batch(old.batch)?;
        }
        Ok(())
    }
}

/// Builds the constraints of a text for the largest object that has places for it.
fn batch(world: &World, text: &str) -> Result<(ObjectHandle, Batch), AttachError> {
    let kind = ConstraintType::from_text(text)?;
    let (name, points) = (kind.name().to_owned(), kind.point_count());
    let what = match points {
        1 => "particles",
        2 => "edges",
        3 => "triangles",
        4 => "folds",
        _ => return Err(AttachError::Points { name, points }),
    };
    let must = if points == 2 { "only `rest` has one" } else { "write numbers in its place" };
    let is_unknown = |parameter: &&String| points != 2 || *parameter != REST;
    if let Some(parameter) = kind.parameter_names().iter().find(is_unknown) {
        return Err(AttachError::Parameter { name, parameter: parameter.clone(), must });
    }
    let (mut object, mut best) = (None, Places { nodes: Vec::new(), rests: Vec::new() });
    for &candidate in world.objects() {
        let places = places(world, candidate, points)?;
        if places.nodes.len() > best.nodes.len() {
            (object, best) = (Some(candidate), places);
        }
    }
    let object = object.ok_or(AttachError::Nothing(what))?;
    let parameters = if kind.parameter_count() == 0 { Vec::new() } else { best.rests };
    let batch = Batch::from_parts(kind, Connectors::particles(points), best.nodes, Vec::new(), parameters)?;
    Ok((object, batch))
}

/// Returns the places of an object for constraints of this many points.
fn places(world: &World, object: ObjectHandle, points: usize) -> Result<Places, WorldError> {
    let batches = world.batches_of(object);
    let is_liquid = |&batch: &BatchHandle| world.batch(batch).is_ok_and(|batch| batch.material().is_some());
    let state = world.state().objects.get(object).ok_or(WorldError::StaleHandle("object"))?;
    let (mut nodes, mut rests) = (Vec::new(), Vec::new());
    if batches.iter().any(is_liquid) || state.frozen {
        return Ok(Places { nodes, rests });
    }
    match points {
        1 => nodes.extend(world.active_particles(object)?),
        2 => {
            for ([a, b], rest) in edges(world, object)? {
                nodes.extend([a, b]);
                rests.push(rest);
            }
        }
        3 => nodes.extend(state.triangles().as_flattened()),
        _ => nodes.extend(folds(state.triangles()).into_iter().flatten()),
    }
    Ok(Places { nodes, rests })
}

/// Returns the edges of an object with their lengths at rest \[m\]: its distance constraints, and where it has none the
/// sides of its triangles as long as they are now.
fn edges(world: &World, object: ObjectHandle) -> Result<BTreeMap<[u32; 2], f32>, WorldError> {
    let sorted = |([a, b], rest): ([u32; 2], f32)| ([a.min(b), a.max(b)], rest);
    let mut edges: BTreeMap<_, _> = distances(world, object)?.into_iter().map(sorted).collect();
    if edges.is_empty() {
        let positions: Vec<_> = world.positions(object)?.collect();
        let triangles = world.state().objects.get(object).map_or(&[][..], |state| state.triangles());
        for &[a, b, c] in triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                let length = positions[a as usize].distance(positions[b as usize]);
                edges.insert([a.min(b), a.max(b)], length);
            }
        }
    }
    Ok(edges)
}

/// Returns the folds between triangles: the ends of a common edge, then the two corners opposite to it.
fn folds(triangles: &[[u32; 3]]) -> Vec<[u32; 4]> {
    let mut open = BTreeMap::new();
    let mut folds = Vec::new();
    for &[a, b, c] in triangles {
        for [from, to, opposite] in [[a, b, c], [b, c, a], [c, a, b]] {
            match open.remove(&[to, from]) {
                Some(other) => folds.push([to, from, other, opposite]),
                None => drop(open.insert([from, to], opposite)),
            }
        }
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use xpbd_core::object::Object;

    /// Two triangles over an edge, which is between particles 1 and 2.
    fn tent() -> (World, ObjectHandle) {
        let mut world = World::default();
        let mut object = Object::new("tent", vec![Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z], 1.0);
        object.triangles = vec![[0, 2, 1], [1, 2, 3]];
        let object = world.add(object).unwrap();
        (world, object)
    }

    #[test]
    fn a_text_is_put_on_every_place_that_its_points_fit() {
        let (mut world, object) = tent();
        for (text, count) in [
            ("level(a): world(a).y >= 0", 4),
            ("leash(a, b; rest): distance(a, b) <= rest", 5),
            ("area(a, b, c): length(cross(b - a, c - a)) = 1", 2),
            ("fold(a, b, c, d): distance(c, d) <= 1.4 * distance(a, b)", 1),
        ] {
            let mut attached = None;
            Attached::replace(&mut attached, &mut world, text).unwrap();
            let batches = world.batches_of(object);
            assert_eq!(batches.len(), 1, "{text}");
            assert_eq!(world.batch(batches[0]).unwrap().len(), count, "{text}");
            Attached::replace(&mut attached, &mut world, " ").unwrap();
            assert!(world.batches_of(object).is_empty());
        }
        assert_eq!(folds(&[[0, 2, 1], [1, 2, 3]]), [[2, 1, 0, 3]]);
    }

    #[test]
    fn a_text_without_a_place_is_refused_and_the_one_before_stays() {
        let (mut world, object) = tent();
        let mut attached = None;
        Attached::replace(&mut attached, &mut world, "level(a): world(a).y >= 0").unwrap();
        for (text, message) in [
            ("five(a, b, c, d, e): distance(a, b) + distance(c, d) = distance(d, e)", "`five` has 5 points"),
            ("leash(a, b; length): distance(a, b) <= length", "parameter `length` of `leash`; only `rest` has one"),
            ("level(a; rest): world(a).y >= rest", "parameter `rest` of `level`; write numbers in its place"),
            ("leash(a, b: 1", "line 1, column"),
        ] {
            let error = Attached::replace(&mut attached, &mut world, text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
            assert_eq!(world.batches_of(object).len(), 1);
        }
    }
}
