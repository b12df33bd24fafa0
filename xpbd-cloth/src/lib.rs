//! Cloth, ropes, rods and soft bodies for [`xpbd_core`]: constraints, mesh topology and builders.
//!
//! A [`Cloth`] is created from any triangle mesh or as a [grid](Cloth::grid), a [`Rope`] from a line of
//! points, and a [`SoftBody`] from a [`TetraMesh`], which may be a lattice inside any closed surface. Each of them builds an
//! [`Object`](xpbd_core::world::Object) that is added to a world. A [`Rod`], which bends and twists, also adds bodies. A
//! [`Tube`] is the mesh with which ropes and rods are drawn.
//!
//! ```
//! use glam::Vec3;
//! use xpbd_cloth::{Bending, Cloth, Rope, bending_stiffness};
//! use xpbd_core::world::World;
//!
//! let mut world = World::default();
//! xpbd_cloth::register(world.registry_mut())?;
//!
//! let flag = Cloth::grid(31, 21, 1.5, 1.0)
//!     .at(Vec3::new(0.0, 2.0, 0.0))
//!     .density(0.15)
//!     .bending(Bending::Isometric { stiffness: bending_stiffness(1e6, 0.3, 3e-4) })
//!     .pin_where(|_, position| position.x < -0.74);
//! let flag = world.add(flag.build()?)?;
//!
//! let line = Rope::between(Vec3::new(-2.0, 2.0, 1.0), Vec3::new(2.0, 2.0, 1.0), 40, 4.5).pin_ends();
//! world.add(line.build()?)?;
//! assert_eq!(world.positions(flag)?.len(), 31 * 21);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Cloth may be in [air](Air) and [wind](Wind), hold [gas](Cloth::inflated) whose [volume changes](set_gas_volume_ratio), be
//! [woven](Stretch::Woven), follow an animated [skin](Skinning), or be damped relative to a [frame that moves](FrameDamping).
//!
//! Their [constraints](constraint) can also be used alone, in a [`Batch`](xpbd_core::batch::Batch).
//! [`attach`] ties particles to a body. Cloth of many vertices stays together with [coarse levels](ClothSettings::coarse_levels),
//! and what lies on something does not stretch under its load with [mass scaling](ClothSettings::mass_scaling).

pub mod cloth;
pub mod constraint;
pub mod frame_damping;
pub mod inflation;
mod mass_scaling;
pub mod mesh;
mod multilevel;
mod polyline;
mod registration;
pub mod rod;
pub mod rope;
pub mod skinning;
pub mod soft_body;
mod stiffness;
pub mod tear;
pub mod tetra_mesh;
pub mod tube;
pub mod wind;

pub use cloth::{
    Air, AirSides, Bending, Cloth, ClothError, ClothSettings, Gas, GasAmount, Plate, Stretch, TearSettings, Tethers,
    WarpDirection, bending_stiffness,
};
pub use constraint::attachment::attach;
pub use frame_damping::{FrameDamping, ReferenceFrame};
pub use inflation::{Inflation, set_gas_volume, set_gas_volume_ratio};
pub use mesh::{Mesh, MeshError};
pub use registration::register;
pub use rod::{Rod, RodAttachment, RodEnd, RodError, RodHandle, RodParts, RodSettings};
pub use rope::{Rope, RopeError, RopePath, RopeSettings, Winch, WinchError};
pub use skinning::{SkinnedVertex, Skinning, SkinningError};
pub use soft_body::{Elasticity, SoftBody, SoftBodyError, SoftBodySettings};
pub use tear::{Blade, SplitVertex, TearError, TearReport, cut, piece_count, sheet_triangles, tear};
pub use tetra_mesh::{LatticeError, Skin, SkinError, TetgenError, TetraError, TetraMesh};
pub use tube::{Tube, TubeMesh};
pub use wind::{Wind, set_wind, set_wind_field};

/// The items that fill a world with cloth, ropes, rods and soft bodies.
pub mod prelude {
    pub use crate::{Air, Bending, Cloth, Elasticity, Rod, RodEnd, Rope, SoftBody, Stretch, TetraMesh, Winch, Wind};
    pub use xpbd_core::prelude::*;
}

/// The code in the README, compiled and run by doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
