//! Which place each vertex follows, and the triangles between places.

use bevy::math::Vec3A;
use bevy::prelude::*;
use hashbrown::HashSet;

/// The triangles of a mesh between the places that its vertices follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// The place of each vertex.
    pub place_of: Vec<u32>,
    /// Places of the corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Topology {
    /// Returns the topology of a list of triangles; triangles with a corner twice are left out.
    pub fn new(mesh: &Mesh, place_of: Vec<u32>) -> Result<Self, BevyError> {
        let corners = match mesh.try_indices_option()? {
            Some(indices) => indices.iter().collect(),
            None => (0..place_of.len()).collect::<Vec<_>>(),
        };
        let place = |&corner: &usize| place_of.get(corner).copied();
        let mut triangles = Vec::with_capacity(corners.len() / 3);
        for corners in corners.as_chunks::<3>().0 {
            let [Some(a), Some(b), Some(c)] = corners.each_ref().map(place) else {
                return Err(format!("its mesh has no vertex of a number in {corners:?}").into());
            };
            if a != b && b != c && c != a {
                triangles.push([a, b, c]);
            }
        }
        Ok(Self { place_of, triangles })
    }

    /// Returns how many places there are.
    pub fn places(&self) -> usize {
        self.place_of.iter().max().map_or(0, |&place| place as usize + 1)
    }

    /// Returns the places that a mesh has gained in coming apart since its triangles were those of this one, each with
    /// the place that it comes from.
    pub fn gained_since(&self, before: &Self) -> Vec<[u32; 2]> {
        let known = HashSet::<u32>::from_iter(before.triangles.as_flattened().iter().copied());
        let corners = self.triangles.as_flattened().iter().zip(before.triangles.as_flattened());
        corners.filter(|(place, _)| !known.contains(*place)).map(|(&place, &from)| [place, from]).collect()
    }

    /// Computes the unit normals of the places, those of the triangles weighted by area; zero where there are none.
    pub fn normals(&self, places: &[Vec3A], normals: &mut Vec<Vec3A>) {
        normals.clear();
        normals.resize(places.len(), Vec3A::ZERO);
        for &triangle in &self.triangles {
            let [a, b, c] = triangle.map(|place| place as usize);
            let area = (places[b] - places[a]).cross(places[c] - places[a]);
            normals[a] += area;
            normals[b] += area;
            normals[c] += area;
        }
        normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    }

    /// Returns the length of the [lists](Self::lists).
    #[cfg(feature = "gpu")]
    pub fn list_words(&self) -> usize {
        self.place_of.len() + self.places() + 1 + 6 * self.triangles.len()
    }

    /// Returns what a kernel gathers normals with: the place of each vertex; for each place where the list of its
    /// triangles begins, and where the last ends; in the lists, the two places after it in each triangle.
    #[cfg(feature = "gpu")]
    pub fn lists(&self) -> Vec<u32> {
        let places = self.places();
        let mut starts = vec![0; places + 1];
        for &place in self.triangles.iter().flatten() {
            starts[place as usize + 1] += 2;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut next = starts.clone();
        let mut fans = vec![0; 6 * self.triangles.len()];
        for &[a, b, c] in &self.triangles {
            for [place, second, third] in [[a, b, c], [b, c, a], [c, a, b]] {
                let at = next[place as usize] as usize;
                fans[at..at + 2].copy_from_slice(&[second, third]);
                next[place as usize] += 2;
            }
        }
        [self.place_of.as_slice(), &starts, &fans].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::WeldedMesh;

    fn cube() -> Topology {
        let mesh = Cuboid::default().mesh().build();
        let welded = WeldedMesh::from_mesh(&mesh).expect("a mesh");
        Topology::new(&mesh, welded.vertices.particles).expect("a topology")
    }

    #[test]
    fn a_cube_is_smooth_over_its_seams() {
        let mesh = Cuboid::default().mesh().build();
        let welded = WeldedMesh::from_mesh(&mesh).expect("a mesh");
        let places: Vec<Vec3A> = welded.points.iter().map(|&place| place.into()).collect();
        let mut normals = Vec::new();
        cube().normals(&places, &mut normals);
        assert_eq!((places.len(), cube().places()), (8, 8));
        // Diagonals split the sides unevenly, but each normal points out of its corner.
        for (place, normal) in places.iter().zip(&normals) {
            assert!(place.normalize().dot(*normal) > 0.9 && (normal.length() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn what_comes_apart_knows_where_it_comes_from() {
        let whole = Topology { place_of: vec![0, 1, 2, 3], triangles: vec![[0, 1, 2], [2, 1, 3]] };
        let apart = Topology { place_of: vec![0, 1, 2, 3, 5], triangles: vec![[0, 1, 2], [5, 1, 3]] };
        assert_eq!(apart.gained_since(&whole), [[5, 2]]);
        assert!(apart.gained_since(&apart).is_empty());
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn the_lists_of_the_kernel_hold_each_triangle_thrice() {
        let cube = cube();
        let lists = cube.lists();
        let (place_of, rest) = lists.split_at(24);
        let (starts, fans) = rest.split_at(9);
        assert_eq!(lists.len(), cube.list_words());
        assert_eq!((place_of, starts[8] as usize, fans.len()), (&cube.place_of[..], 72, 72));
        let mut found = Vec::new();
        for place in 0..8 {
            let range = starts[place] as usize..starts[place + 1] as usize;
            found.extend(fans[range].chunks_exact(2).map(|pair| [place as u32, pair[0], pair[1]]));
        }
        let mut expected: Vec<_> =
            cube.triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
