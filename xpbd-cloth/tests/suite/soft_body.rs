//! Soft bodies.

use glam::{Mat3, Quat, Vec3};
use xpbd_cloth::constraint::{FibreStrain, NeoHookean, NeoHookeanParameters, TetraStrain, TetraVolume};
use xpbd_cloth::{Elasticity, SoftBody, SoftBodyError, TetraMesh};
use xpbd_core::batch::Batch;
use xpbd_core::constraint::{Constraint, Parameters, Point, Points};
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::number::NumberError;
use xpbd_core::query::{QueryFilter, QueryTarget, Ray, SpatialIndex};
use xpbd_core::scalar::{self, Double};
use xpbd_core::world::{Object, Settings, World};

use crate::measurement::{batch, energy, largest};

const SIZE: Vec3 = Vec3::new(0.3, 0.2, 0.2);

fn block(elasticity: Elasticity) -> Object {
    let mesh = TetraMesh::block([3, 2, 2], SIZE).unwrap();
    SoftBody::new(&mesh).elasticity(elasticity).volume_bulk_modulus(1e5).build().unwrap()
}

const NEO: Elasticity = Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio: 0.4 };
const VENANT: Elasticity = Elasticity::StVenantKirchhoff { youngs_modulus: 1e5, poisson_ratio: 0.4 };
const FIBRES: Elasticity = Elasticity::Orthotropic { youngs_moduli: [1e5, 2e5, 5e4], shear_moduli: [3e4, 4e4, 5e4] };

#[test]
fn a_turned_rest_shape_is_at_rest() {
    let turn = Quat::from_xyzw(0.3, -0.5, 0.7, 0.4).normalize();
    let at: Vec<_> = block(NEO).rest_positions.iter().map(|&x| turn * x + Vec3::new(0.4, -0.2, 0.3)).collect();
    let (neo, venant, fibres) = (block(NEO), block(VENANT), block(FIBRES));
    assert!(largest(NeoHookean, batch(&neo, "neo-hookean"), &at) < 2e-6);
    assert!(largest(TetraStrain, batch(&venant, "tetra-strain"), &at) < 2e-6);
    assert!(largest(FibreStrain, batch(&fibres, "fibre-strain"), &at) < 2e-6);
    assert!(largest(TetraVolume, batch(&neo, "tetra-volume"), &at) < 2e-6);
}

/// Returns the energy density \[J/m³\] under the deformation gradient F, without the volume constraint.
fn density<K, const M: usize>(constraint: K, object: &Object, name: &str, f: Mat3) -> f64
where
    K: Constraint<4, M> + Copy,
{
    let at: Vec<_> = object.rest_positions.iter().map(|&x| f * x).collect();
    energy(constraint, batch(object, name), &at) / f64::from(SIZE.x * SIZE.y * SIZE.z)
}

/// Close to rest all isotropic materials store μ tr ε² + ½ λ (tr ε)².
#[test]
fn small_strains_store_what_linear_elasticity_says() {
    let (e, nu) = (1e5, 0.4);
    let (mu, lambda) = (e / (2.0 * (1.0 + nu)), e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)));
    let strains = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, -0.4, -0.4, 0.0, 0.0, 0.0], [0.3, 0.2, -0.5, 0.4, -0.3, 0.6]];
    for [x, y, z, yz, xz, xy] in strains {
        let scale = 1e-3;
        let strain = Mat3::from_cols(Vec3::new(x, xy, xz), Vec3::new(xy, y, yz), Vec3::new(xz, yz, z)) * scale;
        let square: f32 = strain.to_cols_array().iter().map(|entry| entry * entry).sum();
        let trace = (x + y + z) * scale;
        let expected = mu * f64::from(square) + 0.5 * lambda * f64::from(trace * trace);
        let f = Mat3::IDENTITY + strain;
        let neo = density(NeoHookean, &block(NEO), "neo-hookean", f);
        let venant = density(TetraStrain, &block(VENANT), "tetra-strain", f);
        assert!((neo / expected - 1.0).abs() < 0.01, "{neo} {expected}");
        assert!((venant / expected - 1.0).abs() < 0.01, "{venant} {expected}");
    }
}

/// The energy of \[Smith18\], whatever the deformation, up to its value at rest.
#[test]
fn neo_hookean_stores_the_energy_of_the_paper() {
    let (e, nu) = (1e5, 0.4);
    let mu = e / (2.0 * (1.0 + nu));
    let hat = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)) + mu;
    let stored = |f: Mat3| {
        let trace: f64 = f.to_cols_array().iter().map(|&entry| f64::from(entry) * f64::from(entry)).sum();
        let j = f64::from(f.determinant());
        0.5 * mu * (trace - 3.0) + 0.5 * hat * (j - 1.0 - mu / hat) * (j - 1.0 - mu / hat)
    };
    let turn = Mat3::from_quat(Quat::from_xyzw(0.3, -0.5, 0.7, 0.4).normalize());
    for stretch in
        [[1.3, 0.8, 1.0], [2.0, 2.0, 0.1], [1.0, 1.0, 0.0], [-0.5, 1.0, 1.2], [0.3, 0.3, 0.3], [-1.0, -1.0, -1.0]]
    {
        let f = turn * Mat3::from_diagonal(Vec3::from_array(stretch)) * turn.transpose();
        let expected = stored(f) - stored(Mat3::IDENTITY);
        let found = density(NeoHookean, &block(NEO), "neo-hookean", f);
        assert!((found - expected).abs() < 1e-4 * expected.abs(), "{stretch:?}: {found} {expected}");
    }
}

/// Fibres along x alone store ½ Eₓ ε², at any angle of the tetrahedra.
#[test]
fn fibres_resist_each_in_its_direction() {
    let object = block(FIBRES);
    for (axis, modulus) in [(Vec3::X, 1e5), (Vec3::Y, 2e5), (Vec3::Z, 5e4)] {
        let f = Mat3::from_diagonal(Vec3::ONE + axis * 0.1);
        let found = density(FibreStrain, &object, "fibre-strain", f);
        assert!((found / (0.5 * modulus * 0.01) - 1.0).abs() < 1e-3, "{axis}: {found}");
    }
}

/// The gradient by hand keeps its digits near the rest shape, where its terms cancel.
#[test]
fn the_neo_hookean_gradient_is_right_near_rest() {
    let (rest, params) = {
        let object = block(NEO);
        let batch: &Batch = batch(&object, "neo-hookean");
        let nodes: [u32; 4] = batch.node_indices(0).try_into().unwrap();
        let params: Vec<_> = batch.parameters(0).iter().map(|&number| Double(f64::from(number))).collect();
        (nodes.map(|node| object.rest_positions[node as usize].as_dvec3()), NeoHookeanParameters::from_numbers(&params))
    };
    for size in [1e-2, 1e-4] {
        let f = |x: glam::DVec3| x + glam::DVec3::new(0.7 * x.x + 0.2 * x.y, -0.4 * x.y + 0.1 * x.z, 0.3 * x.x) * size;
        let value = |moved: usize, by: f64| {
            let mut at = rest.map(f);
            at[moved / 3][moved % 3] += by;
            let point = |x: glam::DVec3| {
                Point::new(scalar::Vec3::new(Double(x.x), Double(x.y), Double(x.z)), scalar::Vec3::zero())
            };
            Points { now: at.map(point), before: at.map(point), dt: Double(1.0) }
        };
        let given = NeoHookean::gradient(&value(0, 0.0), params).unwrap()[0];
        let at = |moved, by| NeoHookean::value(&value(moved, by), params)[0].0;
        for (moved, slope) in given.iter().flat_map(|g| g.to_array()).enumerate() {
            let step = 1e-3 * size * 0.05;
            let expected = (at(moved, step) - at(moved, -step)) / (2.0 * step);
            assert!((slope.0 - expected).abs() < 1e-3 * 20.0, "{size} {moved}: {} {expected}", slope.0);
        }
    }
}

fn world(object: Object, substeps: u32) -> (World, xpbd_core::world::ObjectHandle) {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, substeps, ..Settings::default() }).unwrap();
    let handle = world.add(object).unwrap();
    (world, handle)
}

/// Stiff and soft, coarse and fine in time: what is at rest stays there.
#[test]
fn a_turned_body_does_not_move() {
    let turn = Quat::from_xyzw(0.3, -0.5, 0.7, 0.4).normalize();
    for modulus in [1e4, 1e6, 1e9, f32::INFINITY] {
        let neo = Elasticity::NeoHookean { youngs_modulus: modulus, poisson_ratio: 0.45 };
        let venant = Elasticity::StVenantKirchhoff { youngs_modulus: modulus, poisson_ratio: 0.45 };
        let fibres = Elasticity::Orthotropic { youngs_moduli: [modulus; 3], shear_moduli: [modulus; 3] };
        for elasticity in [neo, venant, fibres] {
            let mut object = block(elasticity);
            object.positions = object.rest_positions.iter().map(|&x| turn * x).collect();
            let start = object.positions.clone();
            let (mut world, handle) = world(object, 20);
            world.step(&mut CpuBackend::new(Threads::Exactly(1)), 1.0 / 60.0).unwrap();
            let ways = world.positions(handle).unwrap().zip(&start).map(|(now, start)| now.distance(*start));
            let farthest = ways.fold(0.0, f32::max) / SIZE.x;
            println!("{elasticity:?}: {farthest:e}");
            assert!(farthest < 1e-6, "{elasticity:?}: {farthest:e}");
        }
    }
}

#[test]
fn bad_numbers_and_pins_are_refused() {
    let mesh = TetraMesh::block([1, 1, 1], Vec3::ONE).unwrap();
    let body = || SoftBody::new(&mesh);
    let number = |body: SoftBody| match body.build().unwrap_err() {
        SoftBodyError::Number(NumberError { what, .. }) => what,
        other => panic!("{other}"),
    };
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(number(body().density(bad)), "density");
    }
    assert_eq!(number(body().damping_time(-1.0)), "damping time");
    assert_eq!(number(body().linear_damping(f32::NAN)), "linear damping");
    assert_eq!(number(body().volume_bulk_modulus(0.0)), "bulk modulus of the volume");
    for bad in [-0.1, 1.0, f32::NAN] {
        assert_eq!(number(body().least_volume(bad)), "least volume");
    }
    for poisson_ratio in [-0.1, 0.51, f32::NAN] {
        let elasticity = Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio };
        assert_eq!(number(body().elasticity(elasticity)), "Poisson ratio");
    }
    let stretch = Elasticity::Orthotropic { youngs_moduli: [1.0, 0.0, 1.0], shear_moduli: [1.0; 3] };
    assert_eq!(number(body().elasticity(stretch)), "stretch modulus");
    let shear = Elasticity::Orthotropic { youngs_moduli: [1.0; 3], shear_moduli: [1.0, 1.0, f32::NAN] };
    assert_eq!(number(body().elasticity(shear)), "shear modulus");
    let vertices = mesh.positions().len();
    assert_eq!(body().pin([99]).build().unwrap_err(), SoftBodyError::Pin { index: 99, vertices });
    assert_eq!(number(body().at(Vec3::NAN)), "translation of the pose");
    let mirror = glam::Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    assert!(matches!(body().transform(mirror).build(), Err(SoftBodyError::Mesh(_))));
    for (density, mass) in [(1e38, f32::INFINITY), (1e-30, 0.0)] {
        let size = if density > 1.0 { 1e3 } else { 1e-6 };
        let scaled = body().density(density).transform(glam::Affine3A::from_scale(Vec3::splat(size)));
        assert_eq!(scaled.build().unwrap_err(), SoftBodyError::Mass { vertex: 0, mass });
    }
    for poisson_ratio in [0.0, 0.5] {
        body().elasticity(Elasticity::NeoHookean { youngs_modulus: 1e5, poisson_ratio }).build().unwrap();
    }
}

#[test]
fn rays_find_the_skin_of_a_soft_body() {
    let mut world = World::default();
    let body = world.add(block(Elasticity::NeoHookean { youngs_modulus: 1e4, poisson_ratio: 0.3 })).unwrap();
    let middle = world.positions(body).unwrap().sum::<Vec3>() / world.positions(body).unwrap().len() as f32;
    let mut index = SpatialIndex::default();
    let space = index.update(&world);
    for (k, axis) in Vec3::AXES.into_iter().enumerate() {
        for side in [axis, -axis] {
            let ray = Ray::new(middle + side, -side, 2.0);
            let hits = space.ray_hits(&ray, &QueryFilter::default());
            // In through one face and out through the other one.
            let triangles = hits.iter().filter(|hit| matches!(hit.target, QueryTarget::Triangle { .. }));
            let distances: Vec<f32> = triangles.map(|hit| hit.distance).collect();
            let [first, last] = [0.5, -0.5].map(|half| 1.0 - half * SIZE[k]);
            assert!(distances.iter().all(|x| (x - first).abs() < 1e-5 || (x - last).abs() < 1e-5), "{distances:?}");
            assert!((hits[0].distance - first).abs() < 1e-5 && hits[0].normal.distance(side) < 1e-5, "{hits:?}");
        }
    }
}

/// A grain falls on the middle of a triangle with edges of 10 cm: it rests a radius and half of the thickness above the
/// triangle of a surface, and falls past vertices that collide as balls of 1 cm.
#[test]
fn a_grain_rests_on_the_surface_of_a_soft_body_between_its_vertices() {
    for surface in [None, Some(0.01)] {
        let mesh = TetraMesh::block([4, 2, 4], Vec3::new(0.4, 0.2, 0.4)).unwrap();
        let mut world = World::new(Settings::default()).unwrap();
        let mut body = SoftBody::new(&mesh).elasticity(NEO).pin_where(|_, x| x.y < -0.099);
        body.settings.surface_collision = surface;
        world.add(body.build().unwrap()).unwrap();
        let grain = world.add(Object::new("grain", vec![Vec3::new(0.033, 0.15, 0.06)], 1e-3)).unwrap();
        let mut cpu = CpuBackend::new(Threads::Exactly(1));
        (0..90).for_each(|_| drop(world.step(&mut cpu, 1.0 / 60.0).unwrap()));
        let height = world.position(grain, 0).unwrap().y;
        match surface {
            // The block sags under its own weight by about ρ g H²/(2 E), 2 mm.
            Some(thickness) => assert!((height - (0.1 + 0.01 + 0.5 * thickness)).abs() < 4e-3, "{height}"),
            None => assert!(height < -0.05, "{height}"),
        }
    }
    let mesh = TetraMesh::block([1; 3], Vec3::ONE).unwrap();
    let refused = SoftBody::new(&mesh).surface_collision(-1.0).build().unwrap_err().to_string();
    assert!(refused.contains("thickness of the surface") && refused.contains("-1"), "{refused}");
}
