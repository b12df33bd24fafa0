//! Colliders from `KHR_implicit_shapes` and from meshes.

use std::f32::consts::{PI, TAU};

use bevy::prelude::*;
use xpbd_core::scalar::trig::{cos, sin};

use super::document::{Document, Primitive};
use super::fields::Fields;
use crate::collider::Collider;

/// The number of corners of a ring of a shape that is thicker at one end, and of rings of each of its round ends.
const RING: (usize, usize) = (24, 8);

/// Takes the geometry of a collider.
pub(super) fn take(fields: &mut Fields<'_>, document: &Document) -> Option<Collider> {
    let is_hull = fields.take("convexHull").unwrap_or(false);
    let mesh = fields.take::<usize>("mesh").map(|mesh| ("mesh", Some(mesh)));
    let node = fields.take::<usize>("node");
    let node = node.map(|node| ("node", document.node_meshes.get(node).copied().flatten()));
    let Some((name, mesh)) = mesh.or(node) else {
        let mut shape = fields.element("shape", ("shapes", &document.shapes))?;
        let collider = implicit(&mut shape);
        shape.finish();
        return collider;
    };
    let Some(primitives) = mesh.and_then(|mesh| document.meshes.get(&mesh)) else {
        fields.warn(name, "names no mesh");
        return None;
    };
    from_primitives(primitives, is_hull)
        .map_err(|problem| fields.warn(name, format!("makes no collider: {problem}")))
        .ok()
}

fn from_primitives(primitives: &[Primitive], is_hull: bool) -> Result<Collider, BevyError> {
    let mut mesh: Option<Mesh> = None;
    for primitive in primitives {
        let part = primitive.mesh()?;
        match &mut mesh {
            Some(whole) => whole.merge(&part)?,
            None => mesh = Some(part),
        }
    }
    let mesh = mesh.ok_or("the mesh is empty")?;
    if is_hull { Collider::hull_of_mesh(&mesh) } else { Collider::from_mesh(&mesh) }
}

/// Returns the collider of a shape of the extension.
fn implicit(shape: &mut Fields<'_>) -> Option<Collider> {
    let kind: String = shape.take("type")?;
    let Some(mut numbers) = shape.child(&kind) else {
        shape.warn(&kind, "is missing");
        return None;
    };
    let collider = match kind.as_str() {
        "sphere" => numbers.take_positive("radius", 0.5).map(Collider::ball),
        "box" => {
            let size = numbers.take::<Vec3>("size").unwrap_or(Vec3::ONE);
            if size.min_element() <= 0.0 {
                numbers.warn("size", format!("is {size}; it must be positive"));
                return None;
            }
            Some(Collider::Cuboid { half_extents: 0.5 * size })
        }
        "plane" => Some(plane(&mut numbers)),
        "cylinder" | "capsule" => pillar(&mut numbers, kind == "capsule"),
        _ => {
            shape.warn("type", format!("is {kind:?}, which is no shape of KHR_implicit_shapes"));
            return None;
        }
    };
    numbers.finish();
    collider
}

/// Returns all below a plane, or a rectangle with two sides.
fn plane(plane: &mut Fields<'_>) -> Collider {
    let [x, z] = ["sizeX", "sizeZ"].map(|name| plane.take::<f32>(name));
    let is_double = plane.take("doubleSided").unwrap_or(false);
    let (Some(x), Some(z)) = (x, z) else {
        if x.is_some() || z.is_some() {
            plane.warn("sizeX", "needs `sizeZ`, and the other way round; the plane is infinite");
        }
        if is_double {
            plane.warn("doubleSided", "has no effect on an infinite plane, which is solid below");
        }
        return Collider::half_space(Vec3::Y);
    };
    let corners = [[-x, -z], [-x, z], [x, z], [x, -z]].map(|[x, z]| Vec3::new(0.5 * x, 0.0, 0.5 * z));
    Collider::triangles(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap_or_else(|problem| {
        plane.warn("sizeX", format!("makes no rectangle: {problem}"));
        Collider::half_space(Vec3::Y)
    })
}

/// Returns a cylinder or a capsule, which is a hull of points if it is thicker at one end.
fn pillar(pillar: &mut Fields<'_>, is_capsule: bool) -> Option<Collider> {
    let half = 0.5 * pillar.take_positive("height", 0.5)?;
    let [bottom, top] = ["radiusBottom", "radiusTop"].map(|name| pillar.take::<f32>(name).unwrap_or(0.25));
    if bottom.min(top) < 0.0 || bottom.max(top) <= 0.0 {
        pillar.warn("radiusTop", format!("is {top} and `radiusBottom` {bottom}; one must be positive, none negative"));
        return None;
    }
    if bottom == top {
        let shape = if is_capsule { Collider::capsule(half, top) } else { Collider::cylinder(half, top) };
        return Some(shape);
    }
    if !is_capsule && top == 0.0 {
        return Some(Collider::cone(half, bottom));
    }
    let (corners, rings) = RING;
    let ring = |y: f32, radius: f32| {
        let angle = move |k: usize| TAU * k as f32 / corners as f32;
        (0..corners).map(move |k| Vec3::new(radius * cos(angle(k)), y, radius * sin(angle(k))))
    };
    let end = |y: f32, radius: f32| {
        let angle = move |k: usize| PI * k as f32 / rings as f32;
        (0..=rings).flat_map(move |k| ring(y + radius * cos(angle(k)), radius * sin(angle(k))))
    };
    let points: Vec<Vec3> = if is_capsule {
        end(-half, bottom).chain(end(half, top)).collect()
    } else {
        ring(-half, bottom).chain(ring(half, top)).collect()
    };
    Collider::convex_hull(&points)
}
