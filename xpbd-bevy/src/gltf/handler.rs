//! The extension handler that Bevy's loader of glTF files calls.

use std::future::ready;
use std::sync::{Arc, Mutex};

use bevy::asset::LoadContext;
use bevy::gltf::GltfLoaderSettings;
use bevy::gltf::extensions::{ErasedGltfExtensionHandler, GltfExtensionHandler};
use bevy::mesh::MeshVertexAttribute;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::tasks::ConditionalSendFuture;
use serde_json::Value;

use super::SpawnedNode;
use super::document::{Document, Primitive, RIGID_BODIES};
use super::extras::ExtrasContext;
use super::fields::Fields;
use super::joint::add_joint;
use super::rigid_body::{add_body, add_collider};

/// Adds components of physics to the nodes of scenes while they are loaded.
#[derive(Clone)]
pub(super) struct PhysicsHandler {
    pub registry: AppTypeRegistry,
    /// The names of collision systems, in the order of their bits.
    pub layers: Arc<Mutex<Vec<String>>>,
    document: Document,
    nodes: Vec<SceneNode>,
}

impl PhysicsHandler {
    pub fn new(registry: AppTypeRegistry, collision_systems: Vec<String>) -> Self {
        let layers = Arc::new(Mutex::new(collision_systems));
        Self { registry, layers, document: Document::default(), nodes: Vec::new() }
    }
}

/// A node of the scene that is being loaded.
#[derive(Debug, Clone)]
struct SceneNode {
    entity: Entity,
    index: usize,
    name: String,
    physics: Option<Value>,
    extras: Option<String>,
}

impl GltfExtensionHandler for PhysicsHandler {
    fn dyn_clone(&self) -> Box<dyn ErasedGltfExtensionHandler> {
        Box::new(self.clone())
    }

    fn on_root(&mut self, _: &mut LoadContext<'_>, gltf: &gltf::Gltf, _: &GltfLoaderSettings) {
        self.document = Document::new(gltf);
    }

    fn on_gltf_primitive(
        &mut self,
        _: &mut LoadContext<'_>,
        _: &gltf::Gltf,
        mesh: &gltf::Mesh<'_>,
        primitive: &gltf::Primitive<'_>,
        buffers: &[Vec<u8>],
        _: &HashMap<Box<str>, MeshVertexAttribute>,
        _: bool,
        _: bool,
        _: &mut Option<Mesh>,
    ) -> impl ConditionalSendFuture<Output = ()> {
        let primitives = self.document.meshes.entry(mesh.index()).or_default();
        primitives.extend(Primitive::read(primitive, buffers));
        ready(())
    }

    fn on_gltf_node(&mut self, _: &mut LoadContext<'_>, node: &gltf::Node<'_>, entity: &mut EntityWorldMut<'_>) {
        self.nodes.push(SceneNode {
            entity: entity.id(),
            index: node.index(),
            name: entity.get::<Name>().map(ToString::to_string).unwrap_or_default(),
            physics: node.extension_value(RIGID_BODIES).cloned(),
            extras: node.extras().as_ref().map(|extras| extras.get().to_string()),
        });
    }

    fn on_scene_completed(&mut self, _: &mut LoadContext<'_>, _: &gltf::Scene<'_>, _: Entity, world: &mut World) {
        let mut nodes = std::mem::take(&mut self.nodes);
        nodes.sort_unstable_by_key(|node| node.index);
        let mut spawned: Vec<_> = nodes.iter().map(|node| self.add_physics(node, world)).collect();
        // Joints need all bodies.
        let entities = nodes.iter().map(|node| (node.index, node.entity)).collect();
        for (node, spawned) in nodes.iter().zip(&mut spawned) {
            let Some(joint) = node.physics.as_ref().and_then(|physics| physics.get("joint")) else { continue };
            if let Some(fields) = Fields::new("joint", joint.clone(), &mut spawned.warnings) {
                add_joint(fields, node.entity, (&entities, &self.document.joints), world);
            }
        }
        self.add_extras(&nodes, &mut spawned, world);
        for (node, spawned) in nodes.iter().zip(spawned) {
            if spawned != SpawnedNode::new(&node.name) || world.entity(node.entity).contains::<crate::joint::Joint>() {
                world.entity_mut(node.entity).insert(spawned);
            }
        }
    }
}

impl PhysicsHandler {
    /// Adds the body, the collider and the sensor of a node.
    fn add_physics(&self, node: &SceneNode, world: &mut World) -> SpawnedNode {
        let mut spawned = SpawnedNode::new(&node.name);
        let Some(physics) = &node.physics else { return spawned };
        let Some(mut fields) = Fields::new("", physics.clone(), &mut spawned.warnings) else { return spawned };
        let surroundings = (&self.document, &*self.layers);
        let mut entity = world.entity_mut(node.entity);
        let velocities = fields.child("motion").map(|motion| add_body(motion, &mut entity));
        let has_collider = fields.child("collider").map(|collider| {
            add_collider(collider, false, surroundings, &mut entity);
        });
        if let Some(trigger) = fields.child("trigger") {
            match has_collider {
                None => add_collider(trigger, true, surroundings, &mut entity),
                Some(()) => {
                    let name = Name::new(format!("{} (trigger)", node.name));
                    let child = (ChildOf(node.entity), Transform::IDENTITY, Visibility::default(), name);
                    add_collider(trigger, true, surroundings, &mut world.spawn(child));
                }
            }
        }
        // It is read once all bodies are there.
        fields.take::<Value>("joint");
        fields.finish();
        [spawned.linear_velocity, spawned.angular_velocity] = velocities.unwrap_or_default();
        spawned
    }

    /// Adds the components that extras describe.
    fn add_extras(&self, nodes: &[SceneNode], spawned: &mut [SpawnedNode], world: &mut World) {
        let registry = self.registry.read();
        let named = nodes.iter().map(|node| (node.name.clone(), node.entity)).collect();
        for (node, spawned) in nodes.iter().zip(spawned) {
            let Some(extras) = &node.extras else { continue };
            let mesh = self.document.node_meshes.get(node.index).copied().flatten();
            let context = ExtrasContext {
                node: (node.entity, &node.name),
                primitives: mesh.and_then(|mesh| self.document.meshes.get(&mesh)).map_or(&[], Vec::as_slice),
                named: &named,
                registry: &registry,
            };
            context.add_components(extras, world, &mut spawned.warnings);
        }
    }
}
