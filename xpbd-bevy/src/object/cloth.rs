//! Cloth, from the mesh of its entity.

mod tear;

pub(crate) use tear::TearPlugin;
pub use tear::{ClothTorn, CutCloth};

use bevy::prelude::*;
pub use xpbd_cloth::ClothSettings;

use super::source::{BuiltObject, ObjectSource, SpawnContext};
use crate::mesh::WeldedMesh;
use tear::TearableMesh;

/// A cloth whose rest shape is the mesh of its entity ([`Mesh3d`]) at the scale of its transform.
///
/// Vertices in one place are one particle. Beside it [`Pinned`](super::pin::Pinned) holds vertices, and the components of a
/// [material](crate::material) apply as on any other object.
/// [`SkinAttachment`](super::skin_attachment::SkinAttachment) lets it follow the skin that its mesh is bound to, and
/// [`FrameDamping`](super::frame_damping::FrameDamping) damps it relative to what moves.
///
/// - [`Wind`](crate::force::Wind) blows in its [air](ClothSettings::air).
/// - [`xpbd_cloth::set_gas_volume_ratio`] changes the volume of its [gas](ClothSettings::gas) while it runs.
/// - [`ClothTorn`] reports that it [tears](ClothSettings::tearing), and [`CutCloth`] cuts it. All its pieces stay those of its
///   entity, and its mesh comes apart with them. A world on a GPU is waited for before each step.
///
/// ```
/// # use bevy::prelude::*;
/// # use xpbd_bevy::prelude::*;
/// /// A sail of canvas that tears where it is stretched by half.
/// fn sail(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
///     let mesh = meshes.add(Plane3d::new(Vec3::Z, Vec2::new(2.0, 3.0)).mesh().subdivisions(40));
///     let tearing = TearSettings { max_strain: 0.5, max_force: f32::INFINITY, capacity: 500 };
///     let canvas = Cloth(ClothSettings {
///         density: 0.4,
///         stretch: Stretch::Edges { stiffness: 2e4 },
///         air: Some(Air::default()),
///         tearing: Some(tearing),
///         ..default()
///     });
///     let sail = commands.spawn((canvas, Mesh3d(mesh), Pinned::when(|_, place| place.y > 2.99))).id();
///     commands.entity(sail).observe(|torn: On<ClothTorn>| info!("{} pieces", torn.pieces));
/// }
/// ```
#[derive(Component, Debug, Default, Clone, PartialEq, Deref, DerefMut, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(Transform, Visibility)]
pub struct Cloth(pub ClothSettings);

impl ObjectSource for Cloth {
    const NAME: &'static str = "cloth";
    const NEEDS_MESH: bool = true;

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let WeldedMesh { points, indices, vertex_indices: corners, vertices } = WeldedMesh::from_mesh(mesh)?;
        let pins = site.pinned.map_or_else(Vec::new, |pinned| pinned.particles(&vertices));
        let cloth = xpbd_cloth::Cloth { settings: self.0.clone(), ..xpbd_cloth::Cloth::from_mesh(&points, &indices) };
        let cloth = cloth.name(site.name.clone()).transform(site.transform.affine()).pin(pins);
        let sheet = self.tearing.map_or_else(TearableMesh::default, |tearing| {
            let tears = tearing.max_strain.is_finite() || tearing.max_force.is_finite();
            TearableMesh::new(tears, vertices.particles.len(), &corners)
        });
        Ok(Some(BuiltObject::from_vertex_map(cloth.build()?, vertices).with(sheet)))
    }
}
