//! Rules that leave no pair of colliders without contacts.
//!
//! A body of every shape that is accepted rests on every other shape that is accepted. Lines and single triangles are
//! too thin for that, and voxels have contacts with some shapes alone. Half-spaces and height fields have none with each
//! other, so they are refused on dynamic bodies.

use parry3d::shape::{Shape, ShapeType, TypedShape};

/// A shape that a collider may not have.
pub struct UnsupportedShape {
    /// Type of the shape.
    pub shape: ShapeType,
    /// Requirement that it violates.
    pub must: &'static str,
}

/// Refuses a shape that would pass through another one; `on_dynamic_body` tells whether forces move it.
pub fn check_shape(shape: &dyn Shape, on_dynamic_body: bool) -> Result<(), UnsupportedShape> {
    let refuse = |must| Err(UnsupportedShape { shape: shape.shape_type(), must });
    match shape.as_typed_shape() {
        TypedShape::Compound(compound) => {
            let mut parts = compound.shapes().iter().map(|(_, part)| &**part);
            if let Some(field) = parts.clone().find(|part| part.shape_type() == ShapeType::HeightField) {
                return Err(UnsupportedShape {
                    shape: field.shape_type(),
                    must: "a collider of its own, not in a compound",
                });
            }
            parts.try_for_each(|part| check_shape(part, on_dynamic_body))
        }
        TypedShape::Voxels(_) => refuse("a compound of cuboids or a triangle mesh"),
        TypedShape::Segment(_) | TypedShape::Polyline(_) => refuse("a capsule or a compound of capsules"),
        TypedShape::Triangle(_) => refuse("a round triangle or a triangle mesh"),
        TypedShape::Custom(_) => refuse("a shape that parry has"),
        TypedShape::HalfSpace(_) | TypedShape::HeightField(_) | TypedShape::RoundTriangle(_) if on_dynamic_body => {
            refuse("a shape with a volume or a triangle mesh, or its body must not be dynamic")
        }
        _ => Ok(()),
    }
}
