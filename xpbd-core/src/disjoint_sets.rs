//! Disjoint sets of what is joined in pairs.

/// Sets of numbers from 0 on, at first each number a set of its own.
#[derive(Debug, Clone, Default)]
pub struct DisjointSets {
    /// A number of the same set that is not greater.
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Creates sets of so many numbers.
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Adds the next number.
    pub fn push(&mut self) {
        self.parents.push(self.parents.len() as u32);
    }

    /// Returns the least number of the set that one is in: the result does not depend on the order in which sets were joined.
    pub fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let above = self.parents[self.parents[number as usize] as usize];
            self.parents[number as usize] = above;
            number = above;
        }
        number
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Returns the root of every number.
    pub fn roots(mut self) -> Vec<u32> {
        (0..self.parents.len() as u32).map(|number| self.root(number)).collect()
    }
}
