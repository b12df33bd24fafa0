//! Components from the extras of nodes.

use bevy::camera::primitives::Aabb;
use bevy::ecs::reflect::ReflectComponent;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::reflect::serde::TypedReflectDeserializer;
use bevy::reflect::{PartialReflect, ReflectFromReflect, ReflectMut, ReflectRef, TypeRegistry};
use serde::de::DeserializeSeed;
use serde_json::{Map, Value};

use super::document::Primitive;
use super::fields::Fields;
use crate::object::pin::Pinned;
use crate::object::rope::{Rope, RopePath};

/// The property of extras that holds components.
const PROPERTY: &str = "xpbd";
/// The weight from which a vertex is in a group \[1\].
const IN_GROUP: f32 = 0.5;
/// The components that are built from a mesh.
const FROM_MESH: [&str; 5] = ["Cloth", "SoftBody", "Cluster", "ColliderFromMesh", "SkinAttachment"];

/// The surroundings of a node whose extras are read.
pub(super) struct ExtrasContext<'a> {
    /// The entity of the node, and its name.
    pub node: (Entity, &'a str),
    /// The primitives of its mesh.
    pub primitives: &'a [Primitive],
    /// The entities of all nodes by name.
    pub named: &'a HashMap<String, Entity>,
    pub registry: &'a TypeRegistry,
}

impl ExtrasContext<'_> {
    /// Adds the components that the extras of the node describe.
    pub fn add_components(&self, extras: &str, world: &mut World, warnings: &mut Vec<String>) {
        let Ok(Value::Object(mut extras)) = serde_json::from_str(extras) else { return };
        let Some(described) = extras.remove(PROPERTY) else { return };
        let path = format!("extras.{PROPERTY}");
        // Tools whose custom properties are numbers and texts alone write the object as text.
        let described = match described {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            other => other,
        };
        let Value::Object(mut components) = described else {
            warnings.push(format!("`{path}` must be an object, or a text that is one in JSON"));
            return;
        };
        let lines = self.primitives.first().filter(|lines| components.contains_key("Rope") && lines.is_lines());
        let needing = FROM_MESH.into_iter().find(|&name| components.contains_key(name)).or(lines.map(|_| "Rope"));
        let mut entity = self.node.0;
        if let Some(needing) = needing {
            match self.mesh_entities(world)[..] {
                [mesh] => entity = mesh,
                ref all => {
                    let count = all.len();
                    warnings.push(format!("`{path}.{needing}` needs one mesh of one material; the node has {count}"));
                    return;
                }
            }
            // Errors of what is built from the mesh name the node, too.
            world.entity_mut(entity).insert(Name::new(self.node.1.to_string()));
        }
        let order = match lines.map(Primitive::line).transpose() {
            Ok(order) => order,
            Err(problem) => {
                warnings.push(format!("`{path}.Rope` cannot be built: {problem}"));
                return;
            }
        };
        if let Some(pins) = components.remove("Pinned") {
            let vertices = VertexSource { primitive: needing.and(self.primitives.first()), order: order.as_deref() };
            let pinned = self.pinned(pins, vertices, &format!("{path}.Pinned"), warnings);
            world.entity_mut(entity).insert(pinned);
        }
        self.insert_all(components, &path, &mut world.entity_mut(entity), warnings);
        if let Some((order, lines)) = order.zip(lines) {
            let mut entity = world.entity_mut(entity);
            // A rope is drawn as a tube, not as lines.
            entity.remove::<(Mesh3d, Aabb)>();
            if let Some(mut rope) = entity.get_mut::<Rope>() {
                rope.path = RopePath::Points(order.iter().map(|&vertex| lines.positions[vertex as usize]).collect());
            }
        }
    }

    /// Returns the entities of the primitives of the node's mesh.
    fn mesh_entities(&self, world: &World) -> Vec<Entity> {
        let children = world.get::<Children>(self.node.0).into_iter().flatten().copied();
        children.filter(|&child| world.get::<Mesh3d>(child).is_some()).collect()
    }

    fn insert_all(
        &self,
        components: Map<String, Value>,
        path: &str,
        entity: &mut EntityWorldMut<'_>,
        warnings: &mut Vec<String>,
    ) {
        for (name, value) in components {
            if let Err(problem) = self.insert(&name, value, entity) {
                warnings.push(format!("`{path}.{name}` {problem}"));
            }
        }
    }

    /// Inserts the component of a name with the fields that are given, and defaults for all others.
    fn insert(&self, name: &str, value: Value, entity: &mut EntityWorldMut<'_>) -> Result<(), String> {
        let registration = self.registry.iter().find(|of| {
            let path = of.type_info().type_path_table();
            path.crate_name() == Some("xpbd_bevy") && path.short_path() == name
        });
        let component = registration.and_then(|of| Some((of, of.data::<ReflectComponent>()?)));
        let (registration, component) = component.ok_or("is no component of xpbd that extras can describe")?;
        let mut whole = match registration.data::<ReflectDefault>() {
            Some(default) => default.default(),
            None => {
                let given = TypedReflectDeserializer::new(registration, self.registry).deserialize(value);
                let given = given.map_err(|error| format!("is not valid: {error}"))?;
                let whole = registration.data::<ReflectFromReflect>().and_then(|from| from.from_reflect(&*given));
                let whole = whole.ok_or("has no default; it needs all of its fields")?;
                component.insert(entity, whole.as_partial_reflect(), self.registry);
                return Ok(());
            }
        };
        overlay(whole.as_partial_reflect_mut(), value, self.registry)?;
        component.insert(entity, whole.as_partial_reflect(), self.registry);
        Ok(())
    }

    /// Returns the pins of a node: those of an object, or of each object in a list.
    fn pinned(&self, pins: Value, source: VertexSource<'_>, path: &str, warnings: &mut Vec<String>) -> Pinned {
        let pins = match pins {
            Value::Array(pins) => pins,
            pin => vec![pin],
        };
        let mut pinned = Pinned::default();
        for (k, pin) in pins.into_iter().enumerate() {
            let Some(mut fields) = Fields::new(format!("{path}[{k}]"), pin, warnings) else { continue };
            let Some(mut chosen) = source.pin(&mut fields) else { continue };
            if let Some(holder) = fields.take::<String>("held_by") {
                match self.named.get(&holder) {
                    Some(&holder) => chosen = chosen.held_by(holder),
                    None => fields.warn("held_by", format!("is {holder:?}, which is no node of the scene")),
                }
            }
            fields.finish();
            pinned = pinned.and(chosen);
        }
        pinned
    }
}

/// The vertices that pins choose from.
#[derive(Clone, Copy)]
struct VertexSource<'a> {
    /// The mesh; none of what is not built from one.
    primitive: Option<&'a Primitive>,
    /// The vertices of a line in their order along a rope.
    order: Option<&'a [u32]>,
}

impl VertexSource<'_> {
    /// Returns a pin.
    fn pin(&self, fields: &mut Fields<'_>) -> Option<Pinned> {
        let (vertices, group) = (fields.take::<Vec<u32>>("vertices"), fields.take::<String>("group"));
        let vertices = match (vertices, group, fields.take::<[f32; 3]>("color")) {
            (Some(vertices), None, None) => vertices,
            (None, Some(group), None) => self.group(&group).map_err(|problem| fields.warn("group", problem)).ok()?,
            (None, None, Some([red, green, blue])) => return Some(Pinned::painted(LinearRgba::rgb(red, green, blue))),
            _ => {
                fields.warn("vertices", "or `group` or `color` is needed, one of them");
                return None;
            }
        };
        let Some(primitive) = self.primitive else { return Some(Pinned::vertices(vertices)) };
        let count = primitive.positions.len();
        if let Some(missing) = vertices.iter().find(|&&vertex| vertex as usize >= count) {
            fields.warn("vertices", format!("has vertex {missing}, which does not exist; there are {count}"));
            return None;
        }
        let Some(order) = self.order else { return Some(Pinned::vertices(primitive.loaded_vertices(vertices))) };
        let place = |vertex| order.iter().position(|&other| other == vertex).map(|place| place as u32);
        Some(Pinned::vertices(vertices.into_iter().filter_map(place)))
    }

    /// Returns the vertices of a group.
    fn group(&self, name: &str) -> Result<Vec<u32>, String> {
        let groups = self.primitive.map_or(&[][..], |primitive| &primitive.groups);
        let group = groups.iter().find(|(of, _)| of == name.trim_start_matches('_'));
        let (_, weights) = group.ok_or_else(|| {
            let known: Vec<String> = groups.iter().map(|(name, _)| format!("_{name}")).collect();
            format!("is {name:?}, but the mesh has no such attribute of one float; it has {known:?}")
        })?;
        let is_in = |&(_, weight): &(u32, &f32)| *weight >= IN_GROUP;
        let vertices: Vec<u32> = (0..).zip(weights).filter(is_in).map(|(vertex, _)| vertex).collect();
        if vertices.is_empty() {
            return Err(format!("is {name:?}, in which no vertex has a weight of {IN_GROUP}"));
        }
        Ok(vertices)
    }
}

/// Writes what a JSON value gives to a value; fields that it does not name stay as they are.
fn overlay(target: &mut dyn PartialReflect, value: Value, registry: &TypeRegistry) -> Result<(), String> {
    let is_newtype = matches!(target.reflect_ref(), ReflectRef::TupleStruct(fields) if fields.field_len() == 1);
    match (target.reflect_mut(), value) {
        (ReflectMut::TupleStruct(fields), value) if is_newtype => match fields.field_mut(0) {
            Some(field) => overlay(field, value, registry),
            None => Ok(()),
        },
        (ReflectMut::Struct(fields), Value::Object(values)) => {
            let names: Vec<_> = (0..fields.field_len()).filter_map(|k| fields.name_at(k)).map(str::to_string).collect();
            for (name, value) in values {
                let field = fields.field_mut(&name);
                let field = field.ok_or_else(|| format!("has no field `{name}`; its fields are {names:?}"))?;
                overlay(field, value, registry).map_err(|problem| format!("with field `{name}` {problem}"))?;
            }
            Ok(())
        }
        (_, value) => replace(target, value, registry),
    }
}

/// Writes a JSON value that is given as a whole.
fn replace(target: &mut dyn PartialReflect, value: Value, registry: &TypeRegistry) -> Result<(), String> {
    let registration = target.get_represented_type_info().and_then(|info| registry.get(info.type_id()));
    let registration = registration.ok_or("cannot be described in extras")?;
    let given = TypedReflectDeserializer::new(registration, registry).deserialize(value);
    let given = given.map_err(|error| format!("is not valid: {error}"))?;
    target.try_apply(&*given).map_err(|error| format!("is not valid: {error}"))
}
