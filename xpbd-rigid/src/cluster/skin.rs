//! A visual mesh that follows clusters.

use glam::{Affine3A, Mat3, Vec3};
use smallvec::SmallVec;
use xpbd_core::world::{ObjectHandle, World};

use super::error::ClusterQueryError;
use super::pose;

/// The most clusters that a vertex follows.
const MAX_CLUSTERS: usize = 4;

/// Vertices of a mesh bound to the clusters of an object: each follows the nearest by linear blending
/// (\[Unified14\] section 5).
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterSkin {
    vertices: Vec<Vec3>,
    /// Clusters and weights of each vertex; the weights sum to 1.
    bindings: Vec<SmallVec<[(u32, f32); MAX_CLUSTERS]>>,
    clusters: usize,
}

impl ClusterSkin {
    /// Binds vertices \[m\], in the frame of the shape that the object was built from. A vertex follows
    /// up to four clusters, with weights that fall with its distance from their centres and reach 0
    /// at that of the fifth.
    ///
    /// # Errors
    /// A stale handle, an object without clusters, or a vertex that is not finite.
    pub fn bind(world: &World, object: ObjectHandle, vertices: &[Vec3]) -> Result<Self, ClusterQueryError> {
        if let Some(vertex) = vertices.iter().position(|x| !x.is_finite()) {
            return Err(ClusterQueryError::Position { vertex: vertex as u32, position: vertices[vertex] });
        }
        let (batch, _) = pose::batch(world, object)?;
        let centres = &batch.members.centres;
        let bonds = vertices.iter().map(|&vertex| bind_vertex(vertex, centres)).collect();
        Ok(Self { vertices: vertices.to_vec(), bindings: bonds, clusters: centres.len() })
    }

    /// Returns where the vertices are now \[m\].
    ///
    /// # Errors
    /// A stale handle, or another object than the one that the skin is bound to.
    pub fn positions(&self, world: &World, object: ObjectHandle) -> Result<Vec<Vec3>, ClusterQueryError> {
        let frames = self.frames(world, object)?;
        let place =
            |(&vertex, bonds): (&Vec3, &SmallVec<_>)| blend_deformations(bonds, &frames).transform_point3(vertex);
        Ok(self.vertices.iter().zip(&self.bindings).map(place).collect())
    }

    /// Returns the unit normals of the vertices now, from those in the frame of the shape; where the skin is
    /// folded flat, a normal is zero.
    ///
    /// # Errors
    /// A stale handle, another object than the one that the skin is bound to, or not as many normals as
    /// vertices.
    pub fn normals(
        &self,
        world: &World,
        object: ObjectHandle,
        normals: &[Vec3],
    ) -> Result<Vec<Vec3>, ClusterQueryError> {
        if normals.len() != self.vertices.len() {
            let (found, expected) = (normals.len(), self.vertices.len());
            return Err(ClusterQueryError::Length { what: "normals", found, expected });
        }
        let frames = self.frames(world, object)?;
        let turn = |(&normal, bonds): (&Vec3, &SmallVec<_>)| {
            let [x, y, z] =
                Mat3::from(blend_deformations(bonds, &frames).matrix3).to_cols_array_2d().map(Vec3::from_array);
            // The cofactor matrix: areas turn like this whatever the deformation.
            (y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z).normalize_or_zero()
        };
        Ok(normals.iter().zip(&self.bindings).map(turn).collect())
    }

    fn frames(&self, world: &World, object: ObjectHandle) -> Result<Vec<Affine3A>, ClusterQueryError> {
        let frames = pose::deformations(world, object)?;
        if frames.len() == self.clusters {
            return Ok(frames);
        }
        Err(ClusterQueryError::Length { what: "clusters", found: frames.len(), expected: self.clusters })
    }
}

/// Returns the nearest clusters of a vertex and their weights.
fn bind_vertex(vertex: Vec3, centres: &[Vec3]) -> SmallVec<[(u32, f32); MAX_CLUSTERS]> {
    let mut near: Vec<(f32, u32)> = centres.iter().zip(0..).map(|(c, k)| (c.distance(vertex), k)).collect();
    let order = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let kept = near.len().min(MAX_CLUSTERS + 1);
    if near.len() > kept {
        near.select_nth_unstable_by(kept - 1, order);
        near.truncate(kept);
    }
    near.sort_unstable_by(order);
    let reach = near.get(MAX_CLUSTERS).map(|last| last.0);
    near.truncate(MAX_CLUSTERS);
    let closest = near[0].0.max(f32::MIN_POSITIVE);
    let raw = |distance: f32| {
        let fade = reach.map_or(1.0, |reach| 1.0 - distance / reach.max(f32::MIN_POSITIVE));
        fade * (closest / distance.max(closest))
    };
    let sum: f32 = near.iter().map(|&(distance, _)| raw(distance)).sum();
    if sum > 0.0 {
        near.iter().map(|&(distance, k)| (k, raw(distance) / sum)).collect()
    } else {
        SmallVec::from_slice(&[(near[0].1, 1.0)])
    }
}

fn blend_deformations(bonds: &[(u32, f32)], frames: &[Affine3A]) -> Affine3A {
    let mut sum = Affine3A::ZERO;
    for &(cluster, weight) in bonds {
        let frame = frames[cluster as usize];
        sum.matrix3 += frame.matrix3 * weight;
        sum.translation += frame.translation * weight;
    }
    sum
}
