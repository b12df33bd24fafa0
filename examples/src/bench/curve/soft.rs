//! Soft bodies.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_cloth::{Elasticity, SoftBody, TetraMesh};
use xpbd_core::collide::Collider;
use xpbd_core::object::ParticleStiffness;
use xpbd_core::world::{ObjectHandle, Settings, World, WorldError};

use super::{Errors, Study, Trial};
use crate::scene::SceneError;

const ITERATIONS: [u32; 2] = [1, 4];

const VOLUME: &str = "change of volume of tetrahedra [%]";

pub(super) const JELLY: Study = Study {
    name: "jelly",
    title: "A soft column that hardly changes its volume",
    text: "A column of 1 m by 0.25 m by 0.25 m with E = 100 kPa and ν = 0.49 hangs from its upper end. At rest its volume \
           changes by (1 − 2ν) ρ g L/E, 0.2 %, at most.",
    error: VOLUME,
    moves: false,
    methods: &["1 iteration", "4 iterations"],
    substeps: &[2, 5, 10, 20, 40],
    build: jelly,
};

pub(super) const CUBES: Study = Study {
    name: "cubes",
    title: "A heavy soft cube on a light one",
    text: "A soft cube with an edge of 0.4 m and E = 100 kPa lies on another one that is 2000 times lighter. At rest the \
           lower one is 8 % lower than it was, and its volume has changed by 3 % or less. Without the stiffness that holds \
           them, particles of the lower one hand on the impulse of their small masses, and the cubes end in each other.",
    error: VOLUME,
    moves: false,
    methods: &["without stiffness", "with stiffness"],
    substeps: &[10, 20, 40, 80, 160],
    build: cubes,
};

fn refused(error: impl std::fmt::Display) -> SceneError {
    SceneError::Object(error.to_string())
}

/// A soft body in a world, and its shape at rest.
struct Soft {
    object: ObjectHandle,
    mesh: TetraMesh,
}

impl Soft {
    fn add(world: &mut World, mesh: TetraMesh, body: SoftBody) -> Result<Self, SceneError> {
        Ok(Self { object: world.add(body.damping_time(2e-3).build().map_err(refused)?)?, mesh })
    }

    /// Returns |V/V₀ − 1| of each tetrahedron \[%\].
    fn changes(&self, world: &World) -> Result<Vec<f64>, WorldError> {
        let now: Vec<_> = world.positions(self.object)?.map(|x| x.as_dvec3()).collect();
        let volume = |[a, b, c, d]: [glam::DVec3; 4]| (b - a).cross(c - a).dot(d - a);
        let change = |tetra: &[u32; 4]| {
            let rest = volume(self.mesh.at(*tetra).map(|x| x.as_dvec3()));
            100.0 * (volume(tetra.map(|k| now[k as usize])) / rest - 1.0).abs()
        };
        Ok(self.mesh.tetrahedra().iter().map(change).collect())
    }
}

fn jelly(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    const HEIGHT: f32 = 1.0;
    let settings = Settings { substeps, iterations: ITERATIONS[method], ..Settings::default() };
    let mut world = World::new(settings)?;
    let mesh = TetraMesh::block([5, 20, 5], Vec3::new(0.25, HEIGHT, 0.25)).map_err(refused)?;
    let top: Vec<u32> =
        (0..).zip(mesh.positions()).filter(|(_, x)| x.y > 0.499 * HEIGHT).map(|(vertex, _)| vertex).collect();
    let jelly = Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio: 0.49 };
    let body = SoftBody::new(&mesh).density(1000.0).elasticity(jelly).linear_damping(2.0).pin(top);
    let column = Soft::add(&mut world, mesh, body)?;
    Ok(Trial::new(world, 240, move |world| Ok(Errors::of(column.changes(world)?.into_iter()))))
}

fn cubes(method: usize, substeps: u32) -> Result<Trial, SceneError> {
    const SIDE: f32 = 0.4;
    const CELLS: u32 = 5;
    let radius = 0.3 * SIDE / CELLS as f32;
    let settings = Settings { substeps, particle_radius: radius, contact_margin: radius, ..Settings::default() };
    let mut world = World::new(settings)?;
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y)))?;
    let soft = Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio: 0.3 };
    let mut cube = |density: f32, height: f32| {
        let mesh = TetraMesh::block([CELLS; 3], Vec3::splat(SIDE)).map_err(refused)?;
        let body = SoftBody::new(&mesh).density(density).elasticity(soft).at(Vec3::Y * height);
        let soft = Soft::add(&mut world, mesh, body)?;
        if method == 0 {
            world.set_stiffness(soft.object, ParticleStiffness::default())?;
        }
        Ok::<_, SceneError>(soft)
    };
    let cubes = [cube(1.0, radius + 0.5 * SIDE)?, cube(2000.0, 3.0 * radius + 1.5 * SIDE)?];
    Ok(Trial::new(world, 180, move |world| {
        let changes: Vec<_> = cubes.iter().map(|cube| cube.changes(world)).collect::<Result<_, _>>()?;
        Ok(Errors::of(changes.into_iter().flatten()))
    }))
}
