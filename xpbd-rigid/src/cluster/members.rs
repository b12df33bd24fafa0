//! The members of clusters, and the data of a batch that never changes.

use std::ops::Range;

use glam::{Vec3, Vec4};
use xpbd_core::batch::{BatchError, NodeCounts};

/// The name under which the type of batch is registered.
pub(super) const NAME: &str = "cluster";

/// The members of clusters, those of one cluster behind those of the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClusterMembers {
    /// First member of each cluster, and behind the last.
    pub begins: Vec<u32>,
    /// Node of each member.
    pub nodes: Vec<u32>,
    /// Position in the rest shape from the centre of the cluster \[m\], and share of the mass \[kg\].
    pub rest: Vec<Vec4>,
    /// Centre of mass of each cluster in the rest shape \[m\].
    pub centres: Vec<Vec3>,
    /// Mean mass of the particles of each cluster \[kg\].
    pub mean_mass: Vec<f32>,
    /// Mass that a pinned member of each cluster counts for \[kg\].
    pub pinned_mass: Vec<f32>,
    /// The nodes that are in a cluster, ascending.
    pub gathered: Vec<u32>,
    /// First entry of each of them in `gathers`, and behind the last.
    pub gather_begins: Vec<u32>,
    /// Members by node, in the order of clusters.
    pub gathers: Vec<u32>,
    /// Cluster of each member.
    pub cluster_of: Vec<u32>,
}

/// A pinned member counts for this many times the mass of its cluster: the rest is matched to it.
const PINNED_WEIGHT: f32 = 1e3;

impl ClusterMembers {
    /// Returns clusters of the particles with these rest positions \[m\] and masses \[kg\]. A particle in
    /// several clusters gives each an equal share of its mass.
    ///
    /// # Errors
    /// A list of another length, a member that does not exist, a cluster without members.
    pub fn new(rest: &[Vec3], masses: &[f32], clusters: &[Vec<u32>]) -> Result<Self, BatchError> {
        let count = rest.len();
        if masses.len() != count {
            let (name, what, found) = (NAME.into(), "masses", masses.len());
            return Err(BatchError::Length { name, what, found, count, each: 1 });
        }
        let mut shares = vec![0.0_f32; count];
        for (constraint, cluster) in clusters.iter().enumerate() {
            for &index in cluster {
                let share = shares.get_mut(index as usize).ok_or_else(|| unknown(constraint, index, count))?;
                *share += 1.0;
            }
        }
        let (mut begins, mut all, mut centres) = (vec![0], Vec::new(), Vec::new());
        for cluster in clusters {
            let share = |k: u32| masses[k as usize] / shares[k as usize];
            let centre = centre(cluster.iter().map(|&k| (rest[k as usize], share(k))));
            all.extend(cluster.iter().map(|&k| (rest[k as usize] - centre).extend(share(k))));
            centres.push(centre);
            begins.push(all.len() as u32);
        }
        Self::from_parts(begins, clusters.concat(), all, centres)
    }

    /// Derives what follows from the rest.
    ///
    /// # Errors
    /// Lists that do not fit together, a cluster without members, a number that is not valid.
    pub fn from_parts(
        begins: Vec<u32>,
        nodes: Vec<u32>,
        rest: Vec<Vec4>,
        centres: Vec<Vec3>,
    ) -> Result<Self, BatchError> {
        let count = centres.len();
        let length = |what, found, count| Err(BatchError::Length { name: NAME.into(), what, found, count, each: 1 });
        if begins.len() != count + 1 || begins[0] != 0 || begins[count] as usize != nodes.len() {
            return length("first members", begins.len(), count);
        }
        if rest.len() != nodes.len() {
            return length("rest positions", rest.len(), nodes.len());
        }
        let mut members = Self {
            cluster_of: Vec::with_capacity(nodes.len()),
            begins,
            nodes,
            rest,
            centres,
            mean_mass: Vec::new(),
            pinned_mass: Vec::new(),
            gathered: Vec::new(),
            gather_begins: vec![0],
            gathers: Vec::new(),
        };
        members.check_numbers()?;
        members.gather();
        members.weigh();
        Ok(members)
    }

    fn check_numbers(&mut self) -> Result<(), BatchError> {
        for k in 0..self.len() {
            let refuse =
                |what, value, must| Err(BatchError::Number { name: NAME.into(), constraint: k, what, value, must });
            if self.begins[k] >= self.begins[k + 1] {
                return refuse("the number of members", 0.0, "positive");
            }
            if !self.centres[k].is_finite() {
                return refuse("the centre", self.centres[k].length(), "finite");
            }
            for member in self.of(k) {
                let (rest, share) = (self.rest[member].truncate(), self.rest[member].w);
                if !rest.is_finite() {
                    return refuse("a rest position", rest.length(), "finite");
                }
                if !(share > 0.0 && share.is_finite()) {
                    return refuse("the mass of a member", share, "positive and finite");
                }
            }
            self.cluster_of.extend(self.of(k).map(|_| k as u32));
        }
        Ok(())
    }

    /// Lists the members by node.
    fn gather(&mut self) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|&member| (self.nodes[member as usize], member));
        for group in order.chunk_by(|&a, &b| self.nodes[a as usize] == self.nodes[b as usize]) {
            self.gathered.push(self.nodes[group[0] as usize]);
            self.gathers.extend(group);
            self.gather_begins.push(self.gathers.len() as u32);
        }
    }

    /// Sums up masses.
    fn weigh(&mut self) {
        let mut clusters = vec![0.0_f32; self.nodes.len()];
        for k in 0..self.gathered.len() {
            let of_node = &self.gathers[self.gathers_of(k)];
            of_node.iter().for_each(|&member| clusters[member as usize] = of_node.len() as f32);
        }
        for k in 0..self.len() {
            let sum = |f: &dyn Fn(usize) -> f32| self.of(k).map(|member| f64::from(f(member))).sum::<f64>();
            let mass = sum(&|member| self.rest[member].w * clusters[member]);
            let shares = sum(&|member| self.rest[member].w);
            self.mean_mass.push((mass / self.of(k).len() as f64) as f32);
            self.pinned_mass.push(shares as f32 * PINNED_WEIGHT);
        }
    }

    /// Refuses nodes that do not exist or are in a cluster twice.
    pub fn validate(&self, counts: NodeCounts) -> Result<(), BatchError> {
        for pair in 0..self.gathers.len() {
            let member = self.gathers[pair] as usize;
            let (constraint, index) = (self.cluster_of[member] as usize, self.nodes[member]);
            if index as usize >= counts.particles {
                return Err(unknown(constraint, index, counts.particles));
            }
            let next = self.gathers.get(pair + 1).map(|&next| next as usize);
            if next.is_some_and(|n| self.nodes[n] == index && self.cluster_of[n] as usize == constraint) {
                return Err(BatchError::Repeated { name: NAME.into(), constraint, what: "particle", index });
            }
        }
        Ok(())
    }

    /// Returns how many clusters there are.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Returns the members of a cluster.
    pub fn of(&self, cluster: usize) -> Range<usize> {
        self.begins[cluster] as usize..self.begins[cluster + 1] as usize
    }

    /// Returns the place in `gathers` of the members that the k-th gathered node is.
    pub fn gathers_of(&self, k: usize) -> Range<usize> {
        self.gather_begins[k] as usize..self.gather_begins[k + 1] as usize
    }
}

fn unknown(constraint: usize, index: u32, count: usize) -> BatchError {
    BatchError::Index { name: NAME.into(), constraint, what: "particle", index, count }
}

/// Returns the centre of mass, in double precision.
fn centre(members: impl Iterator<Item = (Vec3, f32)>) -> Vec3 {
    let (mut sum, mut mass) = (glam::DVec3::ZERO, 0.0);
    for (x, m) in members {
        sum += x.as_dvec3() * f64::from(m);
        mass += f64::from(m);
    }
    (sum / mass).as_vec3()
}
