//! A sheet held by two corners that swings down from a level position and comes to rest.

use xpbd_cloth::{Cloth, Stretch};
use xpbd_core::batch::{Batch, BatchError, ConstraintBatch};
use xpbd_core::settings::ScheduleOrder;
use xpbd_core::world::{BatchHandle, Object, ObjectHandle, World, WorldError};

use super::strain::Strains;
use super::{BuiltScene, Metrics, Observer, OptionKey, Recipe, SceneError, Setup, cloths, sheet};
use crate::picture::{Material, Picture, hex};
use crate::random::Random;

/// Drag of the air \[1/s\].
const DRAG: f32 = 1.0;

/// Bending stiffness \[N m\]: a light cotton.
const STIFFNESS: f32 = 1e-5;

pub(super) const RECIPE: Recipe = Recipe {
    name: "hang",
    summary: "a sheet of one metre hangs by two corners: strain under its own weight",
    frames: 300,
    substeps: 20,
    keys: &[
        OptionKey { name: "n", default: "64", help: "particles a side" },
        OptionKey { name: "stiffness", default: "inf", help: "of every edge [N/m]; inf for compliance 0" },
        sheet::BENDING,
        OptionKey { name: "tethers", default: "on", help: "on or off" },
        sheet::LEVELS,
        OptionKey { name: "order", default: "mesh", help: "of the constraints: mesh, patches, random or raster" },
    ],
    takes_mesh: false,
    build,
};

/// The order in which the constraints of the sheet are given and solved.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Given {
    /// The order of the cloth, coloured.
    Mesh,
    /// As the mesh gives them, solved in patches.
    Patches,
    /// Shuffled, coloured.
    Random,
    /// Sorted by their first particle and solved one after the other.
    Raster,
}

struct Hang {
    sheet: ObjectHandle,
    edges: BatchHandle,
    side: usize,
}

fn build(setup: &Setup<'_>) -> Result<BuiltScene, SceneError> {
    let side = setup.count("n", 2, 1000)?;
    let stiffness = setup.number("stiffness", "above 0, or inf", |value| value > 0.0)?;
    let bending = sheet::bending(setup, STIFFNESS)?;
    let tethers = setup.choice("tethers", &[("on", true), ("off", false)])?;
    let levels = sheet::levels(setup)?;
    let given = setup.choice(
        "order",
        &[("mesh", Given::Mesh), ("patches", Given::Patches), ("random", Given::Random), ("raster", Given::Raster)],
    )?;
    let last = side as u32 - 1;
    let cloth = Cloth::grid(side as u32, side as u32, 1.0, 1.0).density(0.2).stretch(Stretch::Edges { stiffness });
    let cloth =
        cloth.bending(bending).tethers(tethers).coarse_levels(levels).pin([0, last]).linear_damping(DRAG).build();
    let mut object = cloth.map_err(|error| SceneError::Object(error.to_string()))?;
    let mut settings = setup.settings();
    settings.schedule.order = match given {
        Given::Mesh | Given::Random => settings.schedule.order,
        Given::Patches => ScheduleOrder::Patched,
        Given::Raster => ScheduleOrder::Sequential,
    };
    reorder(&mut object, given)?;
    let mut world = World::new(settings)?;
    let sheet = world.add(object)?;
    let edges = sheet::edges(&world, sheet)?;
    Ok(BuiltScene { world, frames: setup.frames(), observer: Box::new(Hang { sheet, edges, side }) })
}

/// Puts the constraints of each batch into another order.
fn reorder(object: &mut Object, given: Given) -> Result<(), BatchError> {
    for boxed in object.batches.iter_mut().filter(|_| matches!(given, Given::Random | Given::Raster)) {
        let Some(batch) = boxed.traced() else { continue };
        let mut order = Random::new(1).permutation(batch.len());
        if given == Given::Raster {
            order.sort_unstable_by_key(|&k| batch.node_indices(k));
        }
        let nodes = order.iter().flat_map(|&k| batch.node_indices(k)).copied().collect();
        let params = order.iter().flat_map(|&k| batch.parameters(k)).copied().collect();
        let (kind, connectors) = (batch.kind().clone(), batch.connectors().clone());
        let compliances = order.iter().map(|&k| batch.compliance_of(k)).collect();
        let other = Batch::from_parts(kind, connectors, nodes, Vec::new(), params)?.compliances(compliances)?;
        *boxed = Box::new(other.damping(batch.damping_of(0)));
    }
    Ok(())
}

impl Observer for Hang {
    /// Strains of the edges, and `energy_j`: kinetic, elastic, and potential from the height of the
    /// pins \[J\].
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError> {
        let mut metrics = Strains::of(world, self.sheet, self.edges)?.metrics();
        metrics.push(("energy_j", world.energy().total()));
        Ok(metrics)
    }

    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError> {
        let mesh = cloths::mesh(world, self.sheet)?;
        let colors = sheet::lines(self.side, (self.side / 10).max(2), hex(0x2F6B8A), hex(0x9CC3CF));
        let pins = [0, self.side - 1].map(|corner| mesh.positions[corner]);
        let picture = picture.colored_mesh(&mesh, &colors, Material::cloth(hex(0x2F6B8A)));
        let picture = picture.spheres(&pins, 0.015, Material::polished(hex(0xC8553D)));
        Ok(picture.ground(pins[0].y - 1.4).rotated(150.0, 12.0).frame(mesh.bounds().expanded(0.1)))
    }
}
