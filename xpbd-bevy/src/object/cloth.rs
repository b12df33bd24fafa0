//! Cloth, from the mesh of its entity.

mod tear;

pub(crate) use tear::TearPlugin;
pub use tear::{ClothTorn, CutCloth};

use bevy::prelude::*;
use xpbd_cloth::{Air, Bending, Plate, Stretch, TearSettings};
use xpbd_core::plasticity::Plasticity;

use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::WeldedMesh;
use tear::TearableMesh;

/// A cloth whose rest shape is the mesh of its entity ([`Mesh3d`]) at the scale of its transform.
///
/// Vertices in one place are one particle. Beside it [`Pinned`](super::pin::Pinned) holds vertices, and
/// [`Friction`](crate::material::Friction), [`CollisionLayers`](crate::material::CollisionLayers),
/// [`GravityScale`](crate::material::GravityScale) and [`LinearVelocity`](crate::material::LinearVelocity) apply as on any
/// other object. [`SkinAttachment`](super::skin_attachment::SkinAttachment) lets it follow the skin that its mesh is bound to, and
/// [`FrameDamping`](super::frame_damping::FrameDamping) damps it relative to what moves.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// A sail of canvas that tears where it is stretched by half.
/// fn sail(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
///     let mesh = meshes.add(Plane3d::new(Vec3::Z, Vec2::new(2.0, 3.0)).mesh().subdivisions(40));
///     let tearing = TearSettings { max_strain: 0.5, max_force: f32::INFINITY, capacity: 500 };
///     let canvas = Cloth {
///         density: 0.4,
///         stretch: Stretch::Edges { stiffness: 2e4 },
///         air: Some(Air::default()),
///         tearing: Some(tearing),
///         ..default()
///     };
///     let sail = commands.spawn((canvas, Mesh3d(mesh), Pinned::when(|_, place| place.y > 2.99))).id();
///     commands.entity(sail).observe(|torn: On<ClothTorn>| info!("{} pieces", torn.pieces));
/// }
/// ```
#[derive(Component, Debug, Clone, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Cloth {
    /// Density \[kg/m²\].
    pub density: f32,
    /// Thickness \[m\].
    pub thickness: f32,
    /// Resistance to stretching.
    pub stretch: Stretch,
    /// Resistance to bending; by default isometric for a flat sheet and dihedral for another.
    pub bending: Option<Bending>,
    /// A solid material, which replaces thickness, stretch and bending.
    pub plate: Option<Plate>,
    /// Damping time of stretch and bending \[s\].
    pub damping_time: f32,
    /// Linear damping \[1/s\]: the part of the velocity that is lost in a second in still air.
    pub linear_damping: f32,
    /// True if particles cannot be farther from pins than along the sheet.
    pub tethers: bool,
    /// True if its particles collide with each other.
    pub self_collision: bool,
    /// Distance that its triangles keep from each other and from those of other cloth \[m\], if they collide instead of
    /// its particles. On a GPU the world then waits for it in every substep.
    pub surface_collision: Option<f32>,
    /// The air that it moves through; [`Wind`](crate::force::Wind) blows in it.
    pub air: Option<Air>,
    /// Gas that a closed mesh holds, as a part of its volume at rest \[1\]. [`xpbd_cloth::set_gas_volume_ratio`] changes it without
    /// making the cloth anew.
    pub inflated: Option<f32>,
    /// Plasticity of folds.
    pub bending_plasticity: Option<Plasticity>,
    /// Plasticity of edges.
    pub stretch_plasticity: Option<Plasticity>,
    /// Limits at which it tears, which [`ClothTorn`] reports; [`CutCloth`] can cut it then, too. It has no tethers. All its
    /// pieces stay those of its entity, and its mesh comes apart with them. A world on a GPU is waited for before each step.
    pub tearing: Option<TearSettings>,
}

/// A sheet of 0.2 kg/m², as a cotton shirt, that does not stretch.
impl Default for Cloth {
    fn default() -> Self {
        Self {
            density: 0.2,
            thickness: 1e-3,
            stretch: Stretch::default(),
            bending: None,
            plate: None,
            damping_time: 0.0,
            linear_damping: 0.0,
            tethers: true,
            self_collision: false,
            surface_collision: None,
            air: None,
            inflated: None,
            bending_plasticity: None,
            stretch_plasticity: None,
            tearing: None,
        }
    }
}

impl ObjectSource for Cloth {
    const NAME: &'static str = "cloth";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let WeldedMesh { points, indices, vertex_indices: corners, vertices } = WeldedMesh::from_mesh(mesh)?;
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let mut cloth = xpbd_cloth::Cloth::from_mesh(&points, &indices)
            .name(site.name.clone())
            .transform(site.transform.affine())
            .density(self.density)
            .thickness(self.thickness)
            .stretch(self.stretch)
            .damping_time(self.damping_time)
            .linear_damping(self.linear_damping)
            .pin(pins)
            .self_collision(self.self_collision);
        if let Some(bending) = self.bending {
            cloth = cloth.bending(bending);
        }
        if let Some(plate) = self.plate {
            cloth = cloth.plate(plate);
        }
        if !self.tethers {
            cloth = cloth.tethers(false);
        }
        if let Some(thickness) = self.surface_collision {
            cloth = cloth.surface_collision(thickness);
        }
        if let Some(air) = self.air {
            cloth = cloth.air(air);
        }
        if let Some(ratio) = self.inflated {
            cloth = cloth.inflated(ratio, 0.0);
        }
        if let Some(plasticity) = self.bending_plasticity {
            cloth = cloth.bending_plasticity(plasticity);
        }
        if let Some(plasticity) = self.stretch_plasticity {
            cloth = cloth.stretch_plasticity(plasticity);
        }
        let mut sheet = TearableMesh::default();
        if let Some(tearing) = self.tearing {
            cloth = cloth.tearable(tearing);
            let tears = tearing.max_strain.is_finite() || tearing.max_force.is_finite();
            sheet = TearableMesh::new(tears, vertices.particles.len(), &corners);
        }
        Ok(Some(BuiltObject::from_vertex_map(cloth.build()?, vertices).with(sheet)))
    }
}
