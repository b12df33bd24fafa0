//! A tree of boxes, four to a node, so that a query tests four of them at once.

use glam::{Vec3, Vec4};
use parry3d::bounding_volume::{Aabb, BoundingVolume};

/// Number of bins among which the plane of a split is sought.
const BINS: usize = 12;

/// The depth from which leaves are divided in halves, so that no tree is deeper than twice that.
const MAX_DEPTH: u32 = 16;

/// The largest number of children that wait while a tree is visited: three at each depth, and those of the last node.
const MAX_OPEN: usize = 3 * 2 * MAX_DEPTH as usize + 4;

/// Marks the child of a node that is a leaf.
const LEAF: u32 = 1 << 31;

/// Four boxes: the low and the high faces along each axis \[m\], a lane for each box.
#[derive(Debug, Clone, Copy, Default)]
pub struct FourBoxes {
    pub faces: [[Vec4; 2]; 3],
}

/// A node: up to four boxes, and the node or the leaf that is in each. It covers two lines of the cache.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(128))]
struct Node {
    boxes: FourBoxes,
    children: [u32; 4],
    /// A bit for each child.
    present: u32,
}

/// The least distances of four boxes.
#[derive(Debug, Clone, Copy)]
pub struct BoxDistances {
    /// The distances \[m\], not negative where a box is near.
    pub distances: Vec4,
    /// A bit for each box that is near enough.
    pub near: u32,
}

impl BoxDistances {
    /// Returns distances with the bits of those that are no greater than a limit \[m\].
    pub fn within(distances: Vec4, limit: f32) -> Self {
        Self { distances, near: distances.cmple(Vec4::splat(limit)).bitmask() }
    }
}

/// A tree over boxes, built by the surface area heuristic (\[Wald07\] Wald, *On fast Construction of SAH-based
/// Bounding Volume Hierarchies*). Children come after their parents.
#[derive(Debug, Default)]
pub struct BoxTree {
    nodes: Vec<Node>,
}

/// A leaf of a tree that is built.
#[derive(Debug, Clone, Copy)]
struct Item {
    bounds: Aabb,
    middle: Vec3,
    leaf: u32,
}

impl BoxTree {
    /// Builds a tree over those of these boxes that are its leaves.
    pub fn new(boxes: &[Aabb], leaves: Vec<u32>) -> Self {
        let item = |leaf: u32| {
            let bounds = boxes[leaf as usize];
            Item { bounds, middle: 0.5 * bounds.mins + 0.5 * bounds.maxs, leaf }
        };
        let mut items: Vec<Item> = leaves.into_iter().map(item).collect();
        let mut tree = Self::default();
        if !items.is_empty() {
            tree.add_node(&mut items, 0);
        }
        tree.refit(boxes);
        tree
    }

    fn add_node(&mut self, items: &mut [Item], depth: u32) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(Node::default());
        let mut node = Node::default();
        for part in four_parts(items, depth >= MAX_DEPTH) {
            let lane = node.present.count_ones() as usize;
            node.children[lane] = match part {
                [] => continue,
                [item] => item.leaf | LEAF,
                part => self.add_node(part, depth + 1),
            };
            node.present |= 1 << lane;
        }
        self.nodes[number] = node;
        number as u32
    }

    /// Moves the boxes of all nodes to where those of the leaves are now.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        for k in (0..self.nodes.len()).rev() {
            let Node { children, present, .. } = self.nodes[k];
            for (lane, child) in children.into_iter().enumerate().take(present.count_ones() as usize) {
                let bounds = match child & LEAF {
                    0 => self.nodes[child as usize].bounds(),
                    _ => boxes[(child & !LEAF) as usize],
                };
                self.nodes[k].boxes.set(lane, bounds);
            }
        }
    }

    /// Returns the sum of the extents of all boxes \[m\].
    pub fn size(&self) -> f32 {
        let of_node = |node: &Node| node.all().map(|bounds| bounds.extents().element_sum()).sum::<f32>();
        self.nodes.iter().map(of_node).sum()
    }

    /// Visits the leaves that are not farther than `limit` \[m\], about in the order of their distances. `distance` returns
    /// the least distances of four boxes, not negative, and a bit for each that is not farther than a limit. `visit` returns
    /// the limit from then on.
    pub fn visit(
        &self,
        mut limit: f32,
        distance: impl Fn(&FourBoxes, f32) -> BoxDistances,
        mut visit: impl FnMut(u32) -> f32,
    ) {
        let mut open = [0; MAX_OPEN];
        let mut count = 0;
        let mut next = self.nodes.first().map(|_| 0);
        while let Some(child) = next {
            next = None;
            if child & LEAF != 0 {
                limit = visit(child & !LEAF);
            } else {
                let node = &self.nodes[child as usize];
                let BoxDistances { distances, near } = distance(&node.boxes, limit);
                let near = near & node.present;
                if near != 0 {
                    let distances = distances.to_array();
                    // Without a branch, which would be taken at random.
                    let if_near = |lane: usize| 0_u64.wrapping_sub(u64::from(near >> lane & 1));
                    let key = |lane: usize| order_key(distances[lane], node.children[lane]) & if_near(lane);
                    // Those that are too far come last, and are written over.
                    open[count..count + 4].copy_from_slice(&farthest_first([key(0), key(1), key(2), key(3)]));
                    count += near.count_ones() as usize - 1;
                    next = Some(open[count] as u32);
                }
            }
            while next.is_none() && count > 0 {
                count -= 1;
                next = (f32::from_bits((open[count] >> 32) as u32) <= limit).then_some(open[count] as u32);
            }
        }
    }
}

/// Returns a number that orders children by their distances, which are not negative.
fn order_key(distance: f32, child: u32) -> u64 {
    u64::from(distance.to_bits()) << 32 | u64::from(child)
}

/// Sorts four numbers, the largest first.
fn farthest_first([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let ([a, b], [c, d]) = ([a.max(b), a.min(b)], [c.max(d), c.min(d)]);
    let ([a, c], [b, d]) = ([a.max(c), a.min(c)], [b.max(d), b.min(d)]);
    [a, b.max(c), b.min(c), d]
}

impl Node {
    fn all(&self) -> impl Iterator<Item = Aabb> + '_ {
        (0..self.present.count_ones() as usize).map(|lane| self.boxes.get(lane))
    }

    /// Returns the box around those of the node.
    fn bounds(&self) -> Aabb {
        self.all().fold(Aabb::new_invalid(), |sum, bounds| sum.merged(&bounds))
    }
}

impl FourBoxes {
    fn get(&self, lane: usize) -> Aabb {
        let corner = |side: usize| Vec3::from(self.faces.map(|faces| faces[side][lane]));
        Aabb::new(corner(0), corner(1))
    }

    fn set(&mut self, lane: usize, bounds: Aabb) {
        for (axis, [low, high]) in self.faces.iter_mut().enumerate() {
            (low[lane], high[lane]) = (bounds.mins[axis], bounds.maxs[axis]);
        }
    }
}

/// Divides items in four parts, some of which may be empty.
fn four_parts(items: &mut [Item], in_halves: bool) -> [&mut [Item]; 4] {
    if items.len() <= 4 {
        let mut parts = items.chunks_mut(1);
        return std::array::from_fn(|_| parts.next().unwrap_or_default());
    }
    let (left, right) = split(items, in_halves);
    let ((a, b), (c, d)) = (split(left, in_halves), split(right, in_halves));
    [a, b, c, d]
}

/// Divides items in two where the sum of number times surface is least, or in halves; the second part is empty of a single
/// item.
fn split(items: &mut [Item], in_halves: bool) -> (&mut [Item], &mut [Item]) {
    if items.len() < 2 {
        return items.split_at_mut(items.len());
    }
    let (low, high) =
        items.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), item| (low.min(item.middle), high.max(item.middle)));
    let bin = |item: &Item, axis: usize| {
        (((item.middle - low)[axis] * (BINS as f32 / (high - low)[axis])) as usize).min(BINS - 1)
    };
    let mut bins = [[(Aabb::new_invalid(), 0_usize); BINS]; 3];
    for item in items.iter().filter(|_| !in_halves) {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let (bounds, count) = &mut bins[bin(item, axis)];
            bounds.merge(&item.bounds);
            *count += 1;
        }
    }
    let splits = (0..3).filter_map(|axis| cheapest_split(&bins[axis]).map(|(cost, last)| (cost, axis, last)));
    let mut count = 0;
    if let Some((_, axis, last)) = splits.min_by(|a, b| a.0.total_cmp(&b.0)) {
        for k in 0..items.len() {
            if bin(&items[k], axis) <= last {
                items.swap(k, count);
                count += 1;
            }
        }
    }
    if count == 0 || count == items.len() {
        let axis = (high - low).max_position();
        count = items.len() / 2;
        items.select_nth_unstable_by(count, |a, b| a.middle[axis].total_cmp(&b.middle[axis]).then(a.leaf.cmp(&b.leaf)));
    }
    items.split_at_mut(count)
}

/// Returns the cost of the cheapest split, and the last bin of its left part; none if none costs a number.
fn cheapest_split(bins: &[(Aabb, usize); BINS]) -> Option<(f32, usize)> {
    let mut cost = [0.0; BINS];
    let add = |sum: &mut (Aabb, usize), bin: &(Aabb, usize)| {
        sum.0.merge(&bin.0);
        sum.1 += bin.1;
        if sum.1 == 0 { f32::INFINITY } else { sum.1 as f32 * sum.0.half_area() }
    };
    let mut left = (Aabb::new_invalid(), 0);
    for k in 0..BINS - 1 {
        cost[k] += add(&mut left, &bins[k]);
    }
    let mut right = (Aabb::new_invalid(), 0);
    for k in (0..BINS - 1).rev() {
        cost[k] += add(&mut right, &bins[k + 1]);
    }
    let splits = (0..BINS - 1).filter(|&k| cost[k].is_finite()).map(|k| (cost[k], k));
    splits.min_by(|a, b| a.0.total_cmp(&b.0))
}
