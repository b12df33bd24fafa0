//! The kinds of things.

use serde::Serialize;

/// A kind of thing that collides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Cloth that collides with its triangles.
    Cloth,
    /// A rope, and as a target a row of taut ones.
    Rope,
    /// An elastic rod, and as a target a row of clamped ones.
    Rod,
    /// A soft body of tetrahedra that collides with its surface.
    SoftBody,
    /// A rigid cluster of particles.
    Cluster,
    /// Grains, and as a target a tray full of them.
    Grains,
    /// Water, and as a target a tray full of it.
    Liquid,
    /// A rigid body with the shape of a ball.
    Ball,
    /// A rigid body with the shape of a box.
    Box,
    /// A rigid body with the shape of a capsule.
    Capsule,
    /// A rigid body with the shape of a cylinder.
    Cylinder,
    /// A rigid body with the shape of a cone.
    Cone,
    /// A rigid body with the shape of a convex hull.
    Hull,
    /// A rigid body with two boxes.
    Compound,
    /// A static mesh.
    Mesh,
    /// A static height field.
    HeightField,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 16] = [
        Self::Cloth,
        Self::Rope,
        Self::Rod,
        Self::SoftBody,
        Self::Cluster,
        Self::Grains,
        Self::Liquid,
        Self::Ball,
        Self::Box,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::Hull,
        Self::Compound,
        Self::Mesh,
        Self::HeightField,
    ];

    /// The kinds that move.
    pub const THROWN: &'static [Self] = Self::ALL.split_at(14).0;

    /// Returns the name in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloth => "cloth",
            Self::Rope => "rope",
            Self::Rod => "rod",
            Self::SoftBody => "soft body",
            Self::Cluster => "cluster",
            Self::Grains => "grains",
            Self::Liquid => "liquid",
            Self::Ball => "ball",
            Self::Box => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Hull => "hull",
            Self::Compound => "compound",
            Self::Mesh => "mesh",
            Self::HeightField => "height field",
        }
    }
}
