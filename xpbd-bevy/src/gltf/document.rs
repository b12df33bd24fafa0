//! The parts of a file that nodes refer to.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use gltf::mesh::Mode;
use serde_json::Value;

/// The name of the extension for bodies and joints.
pub(super) const RIGID_BODIES: &str = "KHR_physics_rigid_bodies";
/// The name of the extension for shapes.
const IMPLICIT_SHAPES: &str = "KHR_implicit_shapes";

/// The lists of a file that nodes refer to.
#[derive(Debug, Clone, Default)]
pub(super) struct Document {
    pub shapes: Vec<Value>,
    pub materials: Vec<Value>,
    pub filters: Vec<Value>,
    pub joints: Vec<Value>,
    /// The mesh of each node.
    pub node_meshes: Vec<Option<usize>>,
    /// The primitives of each mesh.
    pub meshes: HashMap<usize, Vec<Primitive>>,
}

impl Document {
    /// Returns the lists of a file, without its meshes.
    pub fn new(gltf: &gltf::Gltf) -> Self {
        let list = |extension, name: &str| {
            let list = gltf.extension_value(extension).and_then(|value| value.get(name)?.as_array());
            list.cloned().unwrap_or_default()
        };
        Self {
            shapes: list(IMPLICIT_SHAPES, "shapes"),
            materials: list(RIGID_BODIES, "physicsMaterials"),
            filters: list(RIGID_BODIES, "collisionFilters"),
            joints: list(RIGID_BODIES, "physicsJoints"),
            node_meshes: gltf.nodes().map(|node| node.mesh().map(|mesh| mesh.index())).collect(),
            meshes: HashMap::default(),
        }
    }
}

/// The vertices of a primitive, which is a mesh in Bevy.
#[derive(Debug, Clone)]
pub(super) struct Primitive {
    pub mode: Mode,
    /// Positions \[m\].
    pub positions: Vec<Vec3>,
    pub indices: Vec<u32>,
    /// True if it has normals. Without them the loader gives each triangle vertices of its own.
    has_normals: bool,
    /// The numbers that attributes of the application give to the vertices, by their names without the underscore.
    pub groups: Vec<(String, Vec<f32>)>,
}

impl Primitive {
    /// Reads a primitive; none if it has no positions.
    pub fn read(primitive: &gltf::Primitive<'_>, buffers: &[Vec<u8>]) -> Option<Self> {
        let buffer = |buffer: gltf::Buffer<'_>| buffers.get(buffer.index()).map(Vec::as_slice);
        let reader = primitive.reader(buffer);
        let positions: Vec<Vec3> = reader.read_positions()?.map(Vec3::from).collect();
        let indices = reader.read_indices();
        let indices = indices.map_or_else(|| (0..positions.len() as u32).collect(), |all| all.into_u32().collect());
        let groups = primitive.attributes().filter_map(|(semantic, accessor)| {
            let gltf::Semantic::Extras(name) = semantic else { return None };
            let is_number = accessor.dimensions() == gltf::accessor::Dimensions::Scalar
                && accessor.data_type() == gltf::accessor::DataType::F32;
            let weights = is_number.then(|| gltf::accessor::Iter::<f32>::new(accessor, buffer)).flatten()?;
            Some((name, weights.collect()))
        });
        let has_normals = primitive.get(&gltf::Semantic::Normals).is_some();
        Some(Self { mode: primitive.mode(), positions, indices, has_normals, groups: groups.collect() })
    }

    /// Returns the vertices of the loaded mesh that vertices of the file have become.
    pub fn loaded_vertices(&self, vertices: Vec<u32>) -> Vec<u32> {
        if self.has_normals || self.mode != Mode::Triangles {
            return vertices;
        }
        (0..).zip(&self.indices).filter(|(_, of)| vertices.contains(of)).map(|(corner, _)| corner).collect()
    }

    /// Returns it as a mesh of nothing but positions.
    pub fn mesh(&self) -> Result<Mesh, String> {
        if self.mode != Mode::Triangles {
            return Err(format!("its mesh is made of {:?}; it must be of Triangles", self.mode));
        }
        let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
        let mesh = mesh.with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.positions.clone());
        Ok(mesh.with_inserted_indices(Indices::U32(self.indices.clone())))
    }

    /// Returns whether it is made of lines.
    pub fn is_lines(&self) -> bool {
        matches!(self.mode, Mode::Lines | Mode::LineStrip | Mode::LineLoop)
    }

    /// Returns its vertices in the order of the one line that they are on.
    pub fn line(&self) -> Result<Vec<u32>, String> {
        match self.mode {
            Mode::LineStrip => return Ok(self.indices.clone()),
            Mode::Lines => {}
            mode => return Err(format!("its mesh is made of {mode:?}; a rope is a line with two ends")),
        }
        let mut neighbours: HashMap<u32, Vec<u32>> = HashMap::default();
        for &[a, b] in self.indices.as_chunks::<2>().0 {
            neighbours.entry(a).or_default().push(b);
            neighbours.entry(b).or_default().push(a);
        }
        let ends = self.indices.iter().copied().find(|vertex| neighbours[vertex].len() == 1);
        let mut line: Vec<u32> = ends.into_iter().collect();
        while let Some(&last) = line.last() {
            let before = line.len().checked_sub(2).map(|k| line[k]);
            match neighbours[&last].iter().filter(|&&next| Some(next) != before).collect::<Vec<_>>()[..] {
                [] => break,
                [&next] if line.len() < neighbours.len() => line.push(next),
                _ => return Err(format!("the lines of its mesh branch or close at vertex {last}")),
            }
        }
        if line.len() < 2 || line.len() != neighbours.len() {
            return Err("the lines of its mesh are not one line with two ends".into());
        }
        Ok(line)
    }
}
