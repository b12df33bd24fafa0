//! What is done to things while they run.

use glam::{Affine3A, Quat, Vec3};
use xpbd_cloth::{
    Blade, ReferenceFrame, Wind, cut, rope, set_gas_volume, set_gas_volume_ratio, set_wind, set_wind_field, tear,
};
use xpbd_core::world::{ParticleSpawn, World};

use super::Fuzz;
use super::objects::{Kind, Thing};
use super::random::Random;

/// Sizes of what vectors are of \[m, m/s, N\].
const SIZES: [f32; 6] = [1e-3, 0.1, 0.1, 1.0, 10.0, 1e6];

impl Fuzz {
    /// Something is done to something. It may be refused: then with words, and without a trace.
    pub(super) fn edit(&mut self) {
        if self.things.is_empty() {
            return;
        }
        let thing = self.things[self.random.below(self.things.len())].clone();
        self.random.spoil_at_times(&[0, 0, 0, 10]);
        let of_its_kind = self.random.below(3) > 0;
        let (world, random) = (&mut self.world, &mut self.random);
        let done = if of_its_kind { special(random, world, &thing) } else { common(random, world, &thing) };
        random.spoil_at_times(&[0]);
        match done {
            Ok(torn) => {
                self.count.edited += 1;
                self.count.torn += torn;
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
    }

    /// The same edit of this world and of another that is like it.
    pub(super) fn edit_both(&mut self, other: &mut World) {
        if self.things.is_empty() {
            return;
        }
        let thing = self.things[self.random.below(self.things.len())].clone();
        let seed = u64::from(self.random.next());
        let [here, there] = [&mut self.world, other].map(|world| special(&mut Random::new(seed), world, &thing));
        assert_eq!(here, there);
    }
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Returns what can be done to particles of any kind.
fn common(random: &mut Random, world: &mut World, thing: &Thing) -> Result<usize, String> {
    let object = thing.object();
    let particle = random.below(world.positions(object).map_err(words)?.len());
    let x = world.position(object, particle).map_err(words)?;
    let size = SIZES[random.below(SIZES.len())];
    let vector = random.any_vector(size);
    let done = match random.below(10) {
        0 => world.set_pinned(object, particle, true),
        1 => world.set_pinned(object, particle, false),
        2 => world.move_pinned(object, particle, x + vector),
        3 => world.add_force(object, particle, vector),
        4 => world.add_impulse(object, particle, vector * 0.01),
        5 => world.set_position(object, particle, x + vector, Vec3::ZERO),
        6 => world.set_position(object, particle, x, vector * 100.0),
        7 => world.deactivate(object, &[particle as u32]),
        8 => {
            let spawns = vec![ParticleSpawn { position: x + vector, velocity: vector }; random.below(3)];
            world.spawn(object, &spawns).map(drop)
        }
        _ => world.unfreeze(object),
    };
    done.map(|()| 0).map_err(words)
}

/// Returns what can be done to one kind; says how many vertices came apart.
fn special(random: &mut Random, world: &mut World, thing: &Thing) -> Result<usize, String> {
    let object = thing.object();
    let size = SIZES[random.below(SIZES.len())];
    let vector = random.any_vector(size);
    match &thing.kind {
        Kind::Cloth { skinning, damping } => match random.below(9) {
            0 => set_wind(world, object, vector * 10.0).map_err(words)?,
            1 => {
                let wind = Wind {
                    velocity: vector,
                    gust_strength: random.number(0.1, 1.0),
                    gust_size: random.number(0.1, 1.0),
                    seed: 3,
                };
                set_wind_field(world, object, |x| wind.velocity_at(x, 1.0)).map_err(words)?;
            }
            2 => set_gas_volume_ratio(world, object, random.number(0.1, 4.0)).map_err(words)?,
            3 => set_gas_volume(world, object, random.number(1e-4, 0.1)).map_err(words)?,
            4 | 5 => return tear(world, object).map(|tear| tear.split_vertices.len()).map_err(words),
            6 => {
                let (edge, path) = (random.any_vector(1.0), random.any_vector(1.0));
                let blade = Blade { corner: random.vector(0.5) - (edge + path) * 0.5, edge, path };
                return cut(world, object, &blade).map(|tear| tear.split_vertices.len()).map_err(words);
            }
            7 => {
                let Some(skinning) = skinning else { return Ok(0) };
                let spares = world.state().objects.get(skinning.object()).map_or(0, |skin| skin.range.len());
                let count = world.active_count(object).map_err(words)?.min(spares);
                let turn = Affine3A::from_quat(Quat::from_xyzw(vector.x, vector.y, vector.z, 5.0).normalize());
                let places: Vec<Vec3> = (0..count).map(|_| turn.transform_point3(random.vector(0.5))).collect();
                let normals: Vec<Vec3> = places.iter().map(|x| x.normalize_or(Vec3::Y)).collect();
                skinning.set_targets(world, &places, &normals).map_err(words)?;
            }
            _ => {
                let Some(damping) = damping else { return Ok(0) };
                let frame = ReferenceFrame {
                    velocity: vector,
                    angular_velocity: random.any_vector(10.0),
                    ..ReferenceFrame::default()
                };
                damping.set_frame(world, frame).map_err(words)?;
            }
        },
        Kind::Rope { winch } => match (random.below(4), winch) {
            (0, _) => rope::cut(world, object, random.below(12)).map_err(words)?,
            (1, Some(winch)) => winch.move_to(world, vector).map_err(words)?,
            (_, Some(winch)) => {
                let sign = if random.flag() { 1.0 } else { -1.0 };
                winch.pay_out(world, sign * random.number(1e-3, 0.5)).map_err(words)?;
            }
            _ => {}
        },
        Kind::Rod(rod) => match random.below(4) {
            0 => rod.cut(world, random.below(8)).map_err(words)?,
            1 => rod.set_motion(world, vector, random.vector(1.0), random.any_vector(20.0)).map_err(words)?,
            2 => {
                let segment = rod.segments()[random.below(rod.segments().len())];
                world.add_body_torque(segment, vector).map_err(words)?;
            }
            _ => drop(rod.twist(world).map_err(words)?),
        },
        Kind::Solid => {
            let batches = world.batches_of(object);
            let batch = batches[random.below(batches.len())];
            let alpha = random.number(1e-9, 1e-1);
            let softer = |batch: &mut xpbd_core::batch::Batch| *batch = batch.clone().compliance(alpha);
            world.edit_batch(batch, softer).map_err(words)?;
        }
    }
    Ok(0)
}
