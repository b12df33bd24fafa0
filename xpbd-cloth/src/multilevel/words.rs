//! A hierarchy as words: the buffer of its kernel, and, as far as the lists of children, its saved form.

use xpbd_core::batch::{BatchError, ConstraintBatch};

use super::hierarchy::{Hierarchy, Level, PARENTS, Pair, Parents};
use super::{Multilevel, NAME};

/// Words before the lists: the numbers of levels, coarse vertices and vertices of the mesh, then where each list begins.
const HEADER: usize = 3 + LISTS;
/// The number of lists: levels, first pairs of colours, nodes, parents, parents of the mesh, pairs, first children, children.
const LISTS: usize = 8;
/// The number of lists that are saved.
const SAVED_LISTS: usize = 6;

/// Words of an entry of the lists of levels, parents and pairs.
const LEVEL: usize = 4;
const PARENT: usize = 2 * PARENTS;
const PAIR: usize = 3;

/// Returns a hierarchy as words.
pub(super) fn words(hierarchy: &Hierarchy) -> Vec<u32> {
    let lists = lists(hierarchy);
    let counts = [hierarchy.levels.len(), hierarchy.nodes.len(), hierarchy.mesh_parents.len()];
    let mut words: Vec<u32> = counts.map(|count| count as u32).to_vec();
    let mut begin = HEADER;
    for list in &lists {
        words.push(begin as u32);
        begin += list.len();
    }
    words.extend(lists.concat());
    words
}

fn lists(hierarchy: &Hierarchy) -> [Vec<u32>; LISTS] {
    let (mut levels, mut colours) = (Vec::new(), Vec::new());
    for level in &hierarchy.levels {
        levels.extend([level.vertices[0], level.vertices[1], colours.len() as u32, level.colours.len() as u32]);
        colours.extend(&level.colours);
    }
    let parents = |list: &[Parents]| list.iter().flat_map(parent_words).collect();
    let pair = |pair: &Pair| [pair.ends[0], pair.ends[1], pair.max_distance.to_bits()];
    let children = hierarchy.children.iter();
    [
        levels,
        colours,
        hierarchy.nodes.clone(),
        parents(&hierarchy.parents),
        parents(&hierarchy.mesh_parents),
        hierarchy.pairs.iter().flat_map(pair).collect(),
        hierarchy.child_begins.clone(),
        children.flat_map(|child| [2 * child.vertex + u32::from(child.is_nearest), child.weight.to_bits()]).collect(),
    ]
}

fn parent_words(parents: &Parents) -> impl Iterator<Item = u32> + use<> {
    parents.vertices.into_iter().chain(parents.weights.map(f32::to_bits))
}

pub(super) fn save(hierarchy: &Hierarchy) -> Vec<u8> {
    let words = words(hierarchy);
    let end = words[3 + SAVED_LISTS] as usize;
    words[..end].iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(super) fn restore(bytes: &[u8]) -> Result<Box<dyn ConstraintBatch>, BatchError> {
    let (words, rest) = bytes.as_chunks();
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let hierarchy = if rest.is_empty() { read(&words) } else { None };
    let refused = || BatchError::Saved(NAME.into(), "its lists do not fit together".into());
    hierarchy.map(|hierarchy| Box::new(Multilevel::new(hierarchy)) as Box<_>).ok_or_else(refused)
}

/// Reads a hierarchy from what [`save`] writes; nothing if a list or a number is not one that it would write.
fn read(words: &[u32]) -> Option<Hierarchy> {
    let list = |k: usize| {
        let begin = *words.get(3 + k)? as usize;
        let end = if k + 1 == SAVED_LISTS { words.len() } else { *words.get(4 + k)? as usize };
        words.get(begin..end)
    };
    let (colours, pairs) = (list(1)?, list(5)?);
    let levels = list(0)?.as_chunks::<LEVEL>().0.iter().map(|&[first, end, place, count]| {
        let colours = colours.get(place as usize..(place as usize).checked_add(count as usize)?)?.to_vec();
        Some(Level { vertices: [first, end], colours })
    });
    let hierarchy = Hierarchy {
        levels: levels.collect::<Option<_>>()?,
        nodes: list(2)?.to_vec(),
        parents: read_parents(list(3)?),
        mesh_parents: read_parents(list(4)?),
        pairs: pairs
            .as_chunks::<PAIR>()
            .0
            .iter()
            .map(|&[a, b, d]| Pair { ends: [a, b], max_distance: f32::from_bits(d) })
            .collect(),
        ..Hierarchy::default()
    };
    is_consistent(&hierarchy).then(|| hierarchy.with_children())
}

fn read_parents(words: &[u32]) -> Vec<Parents> {
    let (entries, _) = words.as_chunks::<PARENT>();
    let read = |entry: &[u32; PARENT]| {
        let (vertices, weights) = entry.split_at(PARENTS);
        let mut parents = Parents::default();
        parents.vertices.copy_from_slice(vertices);
        parents.weights.iter_mut().zip(weights).for_each(|(to, &bits)| *to = f32::from_bits(bits));
        parents
    };
    entries.iter().map(read).collect()
}

/// Returns whether levels follow each other, every vertex has its parents in the level above, and pairs are of one level.
fn is_consistent(hierarchy: &Hierarchy) -> bool {
    let Hierarchy { levels, nodes, parents, mesh_parents, pairs, .. } = hierarchy;
    let begins = |k: usize| if k == 0 { 0 } else { levels[k - 1].vertices[1] };
    let ordered = levels.iter().enumerate().all(|(k, level)| {
        let [first, end] = level.vertices;
        let within = |pair: &Pair| pair.ends.iter().all(|end| level.range().contains(&(*end as usize)));
        first == begins(k)
            && first < end
            && level.colours.windows(2).all(|pair| pair[0] <= pair[1])
            && pairs.get(level.pair_range()).is_some_and(|pairs| pairs.iter().all(within))
    });
    let finite = |parents: &Parents| parents.weights.iter().all(|weight| weight.is_finite());
    let known = |parents: &Parents, above: &Level| {
        let names = parents.vertices.iter().zip(&parents.weights);
        finite(parents)
            && names.into_iter().all(|(&k, &w)| w == 0.0 || above.range().contains(&(k as usize)))
            && parents.vertices.iter().all(|&k| (k as usize) < nodes.len())
    };
    let below =
        |k: usize| parents.get(levels[k].range()).is_some_and(|own| own.iter().all(|p| known(p, &levels[k - 1])));
    let is_root = |parents: &Parents| *parents == Parents::default();
    let Some(finest) = levels.last() else { return false };
    ordered
        && finest.vertices[1] as usize == nodes.len()
        && parents.len() == nodes.len()
        && parents[levels[0].range()].iter().all(is_root)
        && (1..levels.len()).all(below)
        && mesh_parents.iter().all(|parents| known(parents, finest))
        && pairs
            .iter()
            .all(|pair| pair.max_distance.is_finite() && pair.max_distance >= 0.0 && pair.ends[0] != pair.ends[1])
}
