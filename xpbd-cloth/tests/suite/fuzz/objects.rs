//! What is in the world.

use std::fmt::Display;

use glam::{Affine3A, Quat, Vec2, Vec3};
use xpbd_cloth::{
    Air, AirSides, Bending, Cloth, Elasticity, FrameDamping, Mesh, Plate, Rod, RodEnd, RodHandle, Rope, SkinnedVertex,
    Skinning, SoftBody, Stretch, TearSettings, TetraMesh, Winch,
};
use xpbd_core::plasticity::Plasticity;
use xpbd_core::world::{ObjectHandle, World};

use super::random::Random;

const CORNERS: [Vec3; 6] = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
const FACES: [[u32; 3]; 8] = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]];

#[derive(Clone)]
pub struct Thing {
    object: ObjectHandle,
    pub kind: Kind,
}

#[derive(Clone)]
pub enum Kind {
    Cloth { skinning: Option<Skinning>, damping: Option<FrameDamping> },
    Rope { winch: Option<Winch> },
    Rod(RodHandle),
    Solid,
}

/// Returns the words of an error.
fn words(error: impl Display) -> String {
    error.to_string()
}

impl Thing {
    pub fn object(&self) -> ObjectHandle {
        self.object
    }

    /// Something, of numbers that are good in most cases.
    pub fn random(random: &mut Random, world: &mut World) -> Result<Self, String> {
        random.spoil_at_times(&[0, 0, 6, 40]);
        let thing = match random.below(8) {
            0..=3 => cloth(random, world),
            4 => rope(random, world),
            5 => rod(random, world),
            _ => solid(random, world),
        };
        random.spoil_at_times(&[0]);
        thing
    }

    pub fn remove(&self, world: &mut World) {
        match &self.kind {
            Kind::Cloth { skinning: Some(skinning), .. } => {
                // The skin may have been taken away.
                let _ = skinning.clone().remove(world);
                world.remove(self.object).unwrap();
            }
            Kind::Rod(rod) => rod.remove(world).unwrap(),
            _ => world.remove(self.object).unwrap(),
        }
    }
}

fn place(random: &mut Random) -> Affine3A {
    let [x, y, z, w] = [(); 4].map(|()| random.range(-1.0, 1.0));
    let turn = Quat::from_xyzw(x, y, z, w + 2.0).normalize();
    Affine3A::from_rotation_translation(turn, random.any_vector(1.0))
}

fn plasticity(random: &mut Random) -> Plasticity {
    Plasticity {
        yield_strain: random.number(1e-3, 0.5),
        creep: random.number(0.1, 1e3),
        limit: random.number(0.1, 3.0),
    }
}

fn stretch(random: &mut Random) -> Stretch {
    match random.below(4) {
        0 => Stretch::default(),
        1 => Stretch::Edges { stiffness: random.number(1.0, 1e6) },
        2 => Stretch::Strain { youngs_modulus: random.number(1e3, 1e9), poisson_ratio: random.number(0.01, 0.5) },
        _ => Stretch::Woven {
            warp_modulus: random.number(1e4, 1e8),
            weft_modulus: random.number(1e4, 1e8),
            shear_modulus: random.number(1e2, 1e6),
            poisson_ratio: random.number(1e-3, 0.1),
        },
    }
}

fn bending(random: &mut Random) -> Bending {
    let stiffness = random.number(1e-7, 1.0);
    match random.below(4) {
        0 => Bending::None,
        1 => Bending::Distance { stiffness },
        2 => Bending::Dihedral { stiffness },
        _ => Bending::Isometric { stiffness },
    }
}

/// Returns a sheet or something closed, with a random choice of everything that cloth can have.
fn cloth(random: &mut Random, world: &mut World) -> Result<Thing, String> {
    let closed = random.below(3) == 0;
    let [columns, rows] = [(); 2].map(|()| 2 + random.below(5) as u32);
    let mut cloth = if closed {
        Cloth::from_mesh(&CORNERS.map(|x| x * 0.2), FACES.as_flattened())
    } else {
        Cloth::grid(columns, rows, random.number(0.2, 1.0), random.number(0.2, 1.0))
    };
    cloth = cloth.transform(place(random)).density(random.number(0.01, 10.0)).stretch(stretch(random));
    let tears = random.below(4) == 0;
    if tears {
        let [strain, force] = [random.number(0.03, 0.5), random.number(0.1, 100.0)];
        cloth = cloth.tearable(TearSettings { max_strain: strain, max_force: force, capacity: random.below(40) });
    }
    for _ in 0..random.below(7) {
        cloth = match random.below(16) {
            0 => cloth.bending(bending(random)),
            1 => cloth.thickness(random.number(1e-4, 1e-2)),
            2 => cloth.damping_time(random.number(1e-4, 0.1)),
            3 => cloth.linear_damping(random.number(0.01, 10.0)),
            4 => cloth.pin([random.below(5) as u32, random.below(5) as u32]),
            5 => cloth.tethers(random.flag()),
            6 => cloth.tethers_to_nearest(random.below(3)),
            7 => cloth.self_collision(true),
            8 => cloth.bending_plasticity(plasticity(random)),
            9 => cloth.stretch_plasticity(plasticity(random)),
            10 => {
                let air = Air {
                    density: random.number(0.1, 1e3),
                    drag_coefficient: random.number(0.1, 2.0),
                    lift_slope: random.number(0.1, 6.0),
                    edge_drag_coefficient: random.number(1e-3, 0.1),
                    sides: [AirSides::Both, AirSides::Front][random.below(2)],
                    wind: random.any_vector(20.0),
                };
                cloth.air(air)
            }
            11 if closed => cloth.inflated(random.number(0.3, 3.0), random.number(1e-9, 1e-3)),
            12 if closed => cloth.filled(random.number(1e-3, 1e-1), 0.0),
            13 => {
                let factors: Vec<f32> = (0..36).map(|_| random.number(0.1, 10.0)).collect();
                cloth.stiffness_map(|vertex, _| factors[vertex as usize])
            }
            14 => cloth.warp_along(random.any_vector(1.0)),
            15 if random.flag() => {
                let texture: Vec<Vec2> = (0..columns * rows).map(|_| random.vector(1.0).truncate()).collect();
                cloth.warp_from_texture(&texture)
            }
            _ => cloth.plate(Plate {
                youngs_modulus: random.number(1e4, 1e10),
                poisson_ratio: random.number(0.01, 0.5),
                thickness: random.number(1e-4, 1e-2),
            }),
        };
    }
    let object = world.add(cloth.build().map_err(words)?).map_err(words)?;
    let count = world.active_count(object).map_err(words)?;
    let skinning = if random.below(4) == 0 { skin(random, world, object, count).ok() } else { None };
    let rate = random.number(0.1, 100.0);
    let damping = if random.below(4) == 0 { FrameDamping::new(world, object, rate).ok() } else { None };
    Ok(Thing { object, kind: Kind::Cloth { skinning, damping } })
}

fn skin(random: &mut Random, world: &mut World, object: ObjectHandle, count: usize) -> Result<Skinning, String> {
    let vertices: Vec<_> = (0..count as u32)
        .map(|vertex| SkinnedVertex {
            vertex,
            max_distance: random.number(1e-3, 1.0),
            stiffness: random.number(0.1, 1e4),
            backstop: random.flag().then(|| [random.number(1e-3, 0.1), random.number(1e-2, 10.0)]),
        })
        .collect();
    let places: Vec<Vec3> = world.positions(object).map_err(words)?.take(count).collect();
    let normals: Vec<Vec3> = (0..count).map(|_| random.vector(1.0).normalize_or(Vec3::Y)).collect();
    Skinning::new(world, object, &vertices, &places, &normals).map_err(words)
}

fn rope(random: &mut Random, world: &mut World) -> Result<Thing, String> {
    let a = random.any_vector(1.0);
    let span = random.vector(0.6);
    let winched = random.flag();
    let mut rope = Rope::between(a, a + span, 1 + random.below(12) as u32, span.length() * random.number(1.0, 1.5));
    rope = rope.density(random.number(1e-3, 1.0)).stretch(random.number(10.0, 1e7)).bending(random.number(1e-6, 1e-2));
    rope = rope
        .damping_time(random.number(1e-4, 0.1))
        .linear_damping(random.number(1e-3, 1.0))
        .self_collision(random.flag());
    rope = if winched { rope.tethers(false).spool(random.below(20) as u32) } else { rope.pin_ends() };
    let object = world.add(rope.build().map_err(words)?).map_err(words)?;
    let winch = if winched { Winch::new(world, object).ok() } else { None };
    Ok(Thing { object, kind: Kind::Rope { winch } })
}

fn rod(random: &mut Random, world: &mut World) -> Result<Thing, String> {
    let segments = 1 + random.below(10) as u32;
    let mut rod = match random.below(3) {
        0 => Rod::helix(random.number(0.05, 0.3), random.number(0.01, 0.2), random.number(0.5, 3.0), segments + 3),
        1 => Rod::between(random.vector(0.3), random.any_vector(1.0), segments),
        _ => Rod::from_points(&(0..=segments).map(|_| random.vector(0.5)).collect::<Vec<_>>()),
    };
    rod = rod.at(random.vector(1.0)).radius(random.number(1e-3, 0.05)).density(random.number(10.0, 1e4));
    rod = rod
        .youngs_modulus(random.number(1e4, 1e10))
        .damping_time(random.number(1e-4, 0.1))
        .linear_damping(random.number(1e-2, 10.0));
    if random.flag() {
        rod = rod.shear_modulus(random.number(1e3, 1e9)).true_inertia(random.flag()).self_collision(true);
    }
    if random.flag() {
        rod = rod.clamp([RodEnd::First, RodEnd::Last][random.below(2)]);
    }
    if random.below(3) == 0 {
        rod = rod.pin([random.below(6) as u32]).straight_at_rest();
    }
    let handle = rod.add_to(world).map_err(words)?;
    Ok(Thing { object: handle.object(), kind: Kind::Rod(handle) })
}

fn solid(random: &mut Random, world: &mut World) -> Result<Thing, String> {
    let mesh = if random.below(4) == 0 {
        let size = random.number(0.1, 0.5);
        let surface = Mesh::new(&CORNERS.map(|x| x * size), FACES.as_flattened()).map_err(words)?;
        TetraMesh::lattice(&surface, size * random.number(0.5, 1.5)).map_err(words)?.0
    } else {
        let cells = [(); 3].map(|()| 1 + random.below(2) as u32);
        let size = [(); 3].map(|()| random.number(0.1, 0.5));
        TetraMesh::block(cells, Vec3::from_array(size)).map_err(words)?
    };
    let (youngs_modulus, poisson_ratio) = (random.number(1e3, 1e9), random.number(0.01, 0.5));
    let elasticity = match random.below(4) {
        0 | 1 => Elasticity::NeoHookean { youngs_modulus, poisson_ratio },
        2 => Elasticity::StVenantKirchhoff { youngs_modulus, poisson_ratio },
        _ => {
            let [stretch, shear] = [(); 2].map(|()| [(); 3].map(|()| random.number(1e3, 1e8)));
            Elasticity::Orthotropic { youngs_moduli: stretch, shear_moduli: shear }
        }
    };
    let mut body =
        SoftBody::new(&mesh).elasticity(elasticity).transform(place(random)).density(random.number(1.0, 1e4));
    for _ in 0..random.below(5) {
        body = match random.below(7) {
            0 => body.volume_bulk_modulus(random.number(1e3, 1e9)),
            1 => body.plasticity(plasticity(random)),
            2 => body.damping_time(random.number(1e-4, 0.1)),
            3 => body.linear_damping(random.number(1e-2, 10.0)),
            4 => body.pin([random.below(8) as u32]),
            5 => body.least_volume(random.number(1e-2, 0.9)),
            _ => body.self_collision(true),
        };
    }
    let mut object = body.build().map_err(words)?;
    match random.below(8) {
        0 => object.positions.iter_mut().for_each(|x| x.y = 0.3),
        1 => object.positions.iter_mut().for_each(|x| *x = random.vector(0.5)),
        2 => object.positions.iter_mut().for_each(|x| x.x *= 10.0),
        _ => {}
    }
    Ok(Thing { object: world.add(object).map_err(words)?, kind: Kind::Solid })
}
