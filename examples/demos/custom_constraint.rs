//! A constraint of one's own: a jelly ball that keeps its volume, by one function.

#[path = "common.rs"]
mod stage;

use bevy::prelude::*;
use xpbd_bevy::object::{BuiltObject, ObjectId, ObjectPlugin, ObjectSource, SpawnContext, WeldedMesh};
use xpbd_bevy::prelude::*;
use xpbd_cloth::constraint::{Distance, DistanceParameters};
use xpbd_core::prelude::{Batch, Constraint, ConstraintBatch, Object, Points, Real};

/// The demo.
pub const DEMO: stage::Demo = stage::Demo {
    name: "custom constraint",
    keys: "SPACE: another ball   UP, DOWN: pump",
    camera: [Vec3::new(0.0, 1.5, 4.0), Vec3::new(0.0, 0.6, 0.0)],
    frames: 90,
    settings: || Settings { particle_radius: 0.02, ..Settings::default() },
    build,
};

/// Runs the demo.
pub fn main() {
    DEMO.main();
}

xpbd_core::parameters! {
    struct VolumeParameters<S> {
        /// Six times the volume at rest \[m³\].
        rest: S,
        /// Volume to reach, as a multiple of the volume at rest \[1\].
        pressure: S,
    }
}

/// Keeps the volume of a tetrahedron.
#[derive(Debug, Clone, Copy)]
struct Volume;

impl Constraint<4, 1> for Volume {
    type Parameters<S: Copy> = VolumeParameters<S>;

    const NAME: &'static str = "demo volume";

    fn value<S: Real>(x: &Points<S, 4>, VolumeParameters { rest, pressure }: VolumeParameters<S>) -> [S; 1] {
        let [a, b, c, d] = x.now;
        [(b - a).cross(c - a).dot(d - a) - rest * pressure]
    }
}

/// A ball of tetrahedra around its middle.
#[derive(Component, Clone)]
#[require(Transform, Visibility)]
struct Jelly {
    pressure: f32,
}

impl ObjectSource for Jelly {
    const NAME: &'static str = "jelly";

    fn build_object(&self, site: &SpawnContext<'_>) -> Result<Option<BuiltObject>, BevyError> {
        let Some(mesh) = site.mesh else { return Ok(None) };
        let skin = WeldedMesh::from_mesh(mesh)?;
        let middle = skin.points.len() as u32;
        let points: Vec<Vec3> = skin.points.iter().copied().chain([Vec3::ZERO]).collect();
        let tetrahedra: Vec<[u32; 4]> = skin.indices.chunks_exact(3).map(|t| [middle, t[0], t[1], t[2]]).collect();
        let volumes = tetrahedra.iter().map(|t| {
            let [a, b, c, d] = t.map(|i| points[i as usize]);
            VolumeParameters { rest: (b - a).cross(c - a).dot(d - a), pressure: self.pressure }
        });
        let edges = skin.edges();
        let length = |&[i, j]: &[u32; 2]| points[i as usize].distance(points[j as usize]);
        let lengths = edges.iter().map(|edge| DistanceParameters { rest_length: length(edge) });
        let (volumes, lengths): (Vec<_>, Vec<_>) = (volumes.collect(), lengths.collect());
        let places = points.iter().map(|&x| site.transform.transform_point(x)).collect();
        let mut object = Object::new(site.name.clone(), places, 0.01)
            .with(Batch::new(Volume, &tetrahedra, &volumes)?.compliance(1e-9))
            .with(Batch::new(Distance, &edges, &lengths)?.compliance(2e-3));
        // Rays, and so the mouse, find the skin and not only the particles.
        object.triangles = skin.indices.as_chunks().0.to_vec();
        Ok(Some(BuiltObject::from_vertex_map(object, skin.vertices)))
    }
}

fn build(app: &mut App) {
    app.add_plugins(ObjectPlugin::<Jelly>::default());
    app.add_systems(stage::SetUp, (drop_one, drop_one, drop_one).chain()).add_systems(Update, press);
}

/// Drops a ball above those that are there.
fn drop_one(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut paints: ResMut<Assets<StandardMaterial>>,
    balls: Query<&Jelly>,
) {
    let number = balls.iter().count() as f32;
    let Ok(mesh) = Sphere::new(0.35).mesh().ico(8) else { return };
    let paint = StandardMaterial { base_color: Color::hsl(137.0 * number, 0.6, 0.55), ..default() };
    let at = Transform::from_xyz(0.75 * (number - 1.0), 0.6 + 0.5 * number, 0.1 * number);
    commands.spawn((
        Name::new("jelly"),
        Jelly { pressure: 1.0 },
        Mesh3d(meshes.add(mesh)),
        MeshMaterial3d(paints.add(paint)),
        at,
    ));
}

/// Pumps all balls up, or lets air out.
fn press(
    keys: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    balls: Query<&ObjectId, With<Jelly>>,
    mut physics: ResMut<Physics>,
) {
    if keys.just_pressed(KeyCode::Space) {
        commands.run_system_cached(drop_one);
    }
    let factor = match () {
        () if keys.just_pressed(KeyCode::ArrowUp) => 1.25,
        () if keys.just_pressed(KeyCode::ArrowDown) => 0.8,
        () => return,
    };
    for ball in &balls {
        let world = physics.world_mut();
        let Some(&volumes) = world.batches_of(ball.handle()).first() else { continue };
        let pump = |batch: &mut Batch| (0..batch.len()).for_each(|k| batch.parameters_mut(k)[1] *= factor);
        world.edit_batch(volumes, pump).ok();
    }
}
