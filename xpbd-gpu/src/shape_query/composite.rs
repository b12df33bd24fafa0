//! Triangle meshes and compounds: the contents of the leaves of their trees.

use super::{Geometry, ShapeKind, UnsupportedShape};
use parry3d::shape::{Compound, TriMesh};
use xpbd_core::collide::particle_shape::exit_reach;

/// Words of a part of a compound: its shape, rotation and translation.
pub(super) const PART_WORDS: u32 = 8;

impl Geometry {
    pub(super) fn mesh(&mut self, mesh: &TriMesh) -> u32 {
        const HEADER: usize = 13;
        let at = self.place() as usize;
        self.words.extend([0; HEADER]);
        let (count, nodes) = self.tree(mesh.bvh());
        let vertices = self.place();
        mesh.vertices().iter().for_each(|&v| self.vector(v));
        let corners = self.place();
        self.words.extend(mesh.indices().iter().flatten());
        let mut normals = [0; 2];
        if let Some(pseudo) = mesh.pseudo_normals_if_oriented() {
            normals[0] = self.place();
            pseudo.vertices_pseudo_normal.iter().for_each(|&n| self.vector(n));
            normals[1] = self.place();
            pseudo.edges_pseudo_normal.iter().flatten().for_each(|&n| self.vector(n));
        }
        let bounds = mesh.bvh().root_aabb();
        let header = [ShapeKind::Mesh as u32, count, nodes, vertices, corners, normals[0], normals[1]];
        self.words[at..at + header.len()].copy_from_slice(&header);
        let corners = [bounds.mins, bounds.maxs].into_iter().flat_map(|v| v.to_array());
        for (word, x) in self.words[at + header.len()..].iter_mut().zip(corners) {
            *word = x.to_bits();
        }
        at as u32
    }

    pub(super) fn compound(&mut self, compound: &Compound) -> Result<u32, UnsupportedShape> {
        const HEADER: usize = 5;
        let at = self.place() as usize;
        self.words.extend([0; HEADER]);
        let shapes = compound.shapes().iter().map(|(_, shape)| self.piece(&**shape));
        let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
        let (count, nodes) = self.tree(compound.bvh());
        let parts = self.place();
        for ((pose, _), shape) in compound.shapes().iter().zip(shapes) {
            self.words.push(shape);
            self.words.extend(pose.rotation.to_array().map(f32::to_bits));
            self.vector(pose.translation);
        }
        let header = [ShapeKind::Compound as u32, count, nodes, parts, exit_reach(compound).to_bits()];
        self.words[at..at + HEADER].copy_from_slice(&header);
        Ok(at as u32)
    }
}
