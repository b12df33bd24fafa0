//! From a description of cloth to particles and constraints.

use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::object::Surface;
use xpbd_core::world::{CollisionLayers, Object};

use super::inflation::Gas;
use super::{Air, Bending, Cloth, ClothError, Stretch, TearSettings, Tethers, grid};
use crate::constraint::{
    Dihedral, Distance, IsometricBending, PlasticDihedral, PlasticDistance, Tether, TriangleStrain, WovenStrain,
};
use crate::mesh::{Flap, Mesh, MeshError, geodesic};
use crate::parameter::{self, GRAVITY};

/// Up to this many pins each have a tether to every particle.
const FEW_PINS: usize = 4;

/// The largest angle \[rad\] between triangles that counts as flat.
const FLAT: f32 = 0.01;

pub(super) fn object(cloth: Cloth) -> Result<Object, ClothError> {
    check_numbers(&cloth)?;
    let mesh = Mesh::new(&cloth.rest, &cloth.indices)?;
    let vertices = mesh.positions().len();
    let positions: Vec<_> = mesh.positions().iter().map(|&x| x + cloth.offset).collect();
    if let Some(vertex) = positions.iter().position(|x| !x.is_finite()) {
        return Err(MeshError::Position { vertex: vertex as u32, position: positions[vertex] }.into());
    }
    let pins = parameter::pins(&cloth.pins, vertices).map_err(|index| ClothError::Pin { index, vertices })?;
    let air = cloth.air.map(|air| air.batch(&mesh)).transpose()?;
    let faces = cloth.tearing.map(|tearing| tearing.faces(&mesh)).transpose()?;
    let batches = [air, tethers(&cloth, &mesh, &pins)?, Some(stretch(&cloth, &mesh)?), bending(&cloth, &mesh)?, faces];
    let gas = cloth.gas.map(|gas| gas.batch(&mesh)).transpose()?;
    let mut object = Object::new(cloth.name, positions, 0.0);
    object.masses = masses(&mesh, cloth.density)?;
    object.pins = pins;
    object.friction = cloth.friction;
    object.collision_layers = CollisionLayers { self_collision: cloth.self_collision, ..CollisionLayers::default() };
    object.linear_damping = cloth.drag;
    object.surface = cloth.surface.map(|thickness| Surface { triangles: mesh.triangles().to_vec(), thickness });
    object.rest_positions = cloth.rest;
    if let Some(tearing) = cloth.tearing {
        let mean = object.masses.iter().sum::<f32>() / vertices as f32;
        object = object.capacity(tearing.capacity, mean);
    }
    let object = batches.into_iter().flatten().fold(object, Object::with);
    Ok(gas.into_iter().fold(object, Object::with))
}

fn check_numbers(cloth: &Cloth) -> Result<(), ClothError> {
    parameter::positive("density", cloth.density)?;
    parameter::positive("thickness", cloth.thickness)?;
    parameter::not_negative("damping time", cloth.damping)?;
    parameter::not_negative("drag", cloth.drag)?;
    cloth.surface.map_or(Ok(()), |thickness| parameter::positive("thickness of the surface", thickness))?;
    cloth.stretch.check()?;
    parameter::stiffness("bending stiffness", cloth.stiffness)?;
    cloth.air.map_or(Ok(()), Air::check)?;
    cloth.gas.map_or(Ok(()), Gas::check)?;
    cloth.check_fabric()?;
    cloth.plastic.check()?;
    cloth.tearing.map_or(Ok(()), TearSettings::check)?;
    let refuse = |what| Err(ClothError::Incompatible(what));
    if cloth.plastic.stretch.is_some() && !matches!(cloth.stretch, Stretch::Edges { .. }) {
        return refuse("plastic stretch is that of edges, not of a membrane");
    }
    if cloth.plastic.bending.is_some() && matches!(cloth.bending, Some(Bending::None | Bending::Distance { .. })) {
        return refuse("plastic bending is that of the angle at every edge");
    }
    if cloth.tearing.is_some() && matches!(cloth.bending, Some(Bending::Distance { .. })) {
        return refuse("springs across edges do not tear with them");
    }
    if cloth.tearing.is_some() && cloth.gas.is_some() {
        return refuse("what tears does not hold gas");
    }
    Ok(cloth.bending.unwrap_or(Bending::None).check()?)
}

fn masses(mesh: &Mesh, density: f32) -> Result<Vec<f32>, ClothError> {
    let masses: Vec<f32> = mesh.vertex_areas().iter().map(|area| area * density).collect();
    match masses.iter().position(|&mass| !(mass > 0.0 && mass.is_finite())) {
        Some(vertex) => Err(ClothError::Mass { vertex: vertex as u32, mass: masses[vertex] }),
        None => Ok(masses),
    }
}

/// Returns a batch with a compliance for each constraint, softened and damped as the cloth is.
fn batch<K, const N: usize, const M: usize>(
    constraint: K,
    particles: &[[u32; N]],
    params: &[K::Parameters<f32>],
    mut compliances: Vec<f32>,
    cloth: &Cloth,
) -> Result<Batch, ClothError>
where
    K: Constraint<N, M>,
{
    cloth.apply_stiffness_map(particles, &mut compliances);
    let beta = parameter::damping(cloth.damping, &compliances);
    Ok(Batch::new(constraint, particles, params)?.compliances(compliances)?.damping(beta))
}

fn stretch(cloth: &Cloth, mesh: &Mesh) -> Result<Batch, ClothError> {
    match cloth.stretch {
        Stretch::Edges { stiffness } => {
            let edges: Vec<_> = mesh.edges().iter().map(|edge| edge.vertices).collect();
            let Some(yielding) = cloth.plastic.stretch else {
                return springs(cloth, mesh, &edges, stiffness);
            };
            let params: Vec<_> = lengths(mesh, &edges).map(|length| yielding.of_edge(length)).collect();
            batch(PlasticDistance, &edges, &params, vec![1.0 / stiffness; edges.len()], cloth)
        }
        Stretch::Strain { youngs_modulus, poisson_ratio } => {
            let rest: Vec<_> = mesh.triangles().iter().map(|&triangle| mesh.at(triangle)).collect();
            let params: Vec<_> = rest.iter().map(|&rest| TriangleStrain::params(rest, poisson_ratio)).collect();
            let compliance = |&rest: &_| TriangleStrain::compliance(rest, youngs_modulus, cloth.thickness);
            let compliances = rest.iter().map(compliance).collect();
            batch(TriangleStrain, mesh.triangles(), &params, compliances, cloth)
        }
        Stretch::Woven { warp_modulus: warp, weft_modulus: weft, shear_modulus: shear, poisson_ratio } => {
            let ratios = [poisson_ratio, warp / weft, warp / shear];
            let params = |(&triangle, number): (&[u32; 3], u32)| {
                let direction = cloth.warp_of(mesh, triangle);
                let params = WovenStrain::params(mesh.at(triangle), direction, ratios);
                params.ok_or(ClothError::WarpDirection { triangle: number, warp: direction })
            };
            let params: Vec<_> = mesh.triangles().iter().zip(0..).map(params).collect::<Result<_, _>>()?;
            let compliance = |&triangle: &_| TriangleStrain::compliance(mesh.at(triangle), warp, cloth.thickness);
            let compliances = mesh.triangles().iter().map(compliance).collect();
            batch(WovenStrain, mesh.triangles(), &params, compliances, cloth)
        }
    }
}

/// Lengths at rest \[m\] between these vertices.
fn lengths(mesh: &Mesh, ends: &[[u32; 2]]) -> impl Iterator<Item = f32> {
    ends.iter().map(|&ends| {
        let [a, b] = mesh.at(ends);
        a.distance(b)
    })
}

fn springs(cloth: &Cloth, mesh: &Mesh, ends: &[[u32; 2]], stiffness: f32) -> Result<Batch, ClothError> {
    let params: Vec<_> = lengths(mesh, ends).map(|length| [length]).collect();
    batch(Distance, ends, &params, vec![1.0 / stiffness; ends.len()], cloth)
}

fn bending(cloth: &Cloth, mesh: &Mesh) -> Result<Option<Batch>, ClothError> {
    let flaps: Vec<_> = mesh.flaps().collect();
    let kind = match cloth.bending {
        Some(kind) => kind,
        None if check_flat(mesh, &flaps).is_ok() => Bending::Isometric { stiffness: cloth.stiffness },
        None => Bending::Dihedral { stiffness: cloth.stiffness },
    };
    if flaps.is_empty() {
        return Ok(None);
    }
    let vertices: Vec<_> = flaps.iter().map(|flap| flap.vertices).collect();
    let rest: Vec<_> = vertices.iter().map(|&vertices| mesh.at(vertices)).collect();
    let share = |&[a, b, ..]: &[u32; 4]| cloth.columns.map_or(1.0, |columns| grid::stiffness_factor(columns, [a, b]));
    let shares: Vec<_> = vertices.iter().map(share).collect();
    let yielding = cloth.plastic.bending;
    let batch = match kind {
        Bending::Dihedral { stiffness } | Bending::Isometric { stiffness } if yielding.is_some() => {
            let fold = |&rest: &_| yielding.map(|yielding| yielding.of_fold(Dihedral::angle(rest)));
            let params: Vec<_> = rest.iter().filter_map(fold).collect();
            let compliance = |(&rest, share): (&_, &f32)| Dihedral::compliance(rest, stiffness * share);
            let compliances = rest.iter().zip(&shares).map(compliance).collect();
            batch(PlasticDihedral, &vertices, &params, compliances, cloth)?
        }
        Bending::None => return Ok(None),
        Bending::Distance { stiffness } => {
            let across: Vec<_> = vertices.iter().map(|&[_, _, a, b]| [a, b]).collect();
            springs(cloth, mesh, &across, stiffness)?
        }
        Bending::Dihedral { stiffness } => {
            let params: Vec<_> = rest.iter().map(|&rest| [Dihedral::angle(rest)]).collect();
            let compliance = |(&rest, share): (&_, &f32)| Dihedral::compliance(rest, stiffness * share);
            let compliances = rest.iter().zip(&shares).map(compliance).collect();
            batch(Dihedral, &vertices, &params, compliances, cloth)?
        }
        Bending::Isometric { stiffness } => {
            check_flat(mesh, &flaps)?;
            let params: Vec<_> = rest.iter().map(|&rest| IsometricBending::params(rest)).collect();
            let compliance = |(&rest, share): (&_, &f32)| IsometricBending::compliance(rest, stiffness * share);
            let compliances = rest.iter().zip(&shares).map(compliance).collect();
            batch(IsometricBending, &vertices, &params, compliances, cloth)?
        }
    };
    Ok(Some(batch))
}

fn check_flat(mesh: &Mesh, flaps: &[Flap]) -> Result<(), ClothError> {
    for flap in flaps {
        let angle = Dihedral::angle(mesh.at(flap.vertices));
        if angle.abs() > FLAT {
            let [a, b, ..] = flap.vertices;
            return Err(ClothError::NotFlat { edge: [a, b], angle });
        }
    }
    Ok(())
}

/// Returns the strain \[1\] of a strip one edge wide under the weight of the whole sheet.
fn strain_under_weight(cloth: &Cloth, mesh: &Mesh) -> f32 {
    let lengths = mesh.edges().iter().map(|edge| {
        let [a, b] = mesh.at(edge.vertices);
        a.distance(b)
    });
    let width = lengths.sum::<f32>() / mesh.edges().len() as f32;
    let tension_per_strain = match cloth.stretch {
        Stretch::Edges { stiffness } => stiffness * width,
        Stretch::Strain { youngs_modulus, .. } => youngs_modulus * cloth.thickness * width,
        Stretch::Woven { warp_modulus: warp, weft_modulus: weft, .. } => warp.min(weft) * cloth.thickness * width,
    };
    let softest = cloth.stiffness_factors.iter().copied().fold(1.0, f32::min);
    GRAVITY * cloth.density * mesh.area() / (tension_per_strain * softest)
}

fn tethers(cloth: &Cloth, mesh: &Mesh, pins: &[u32]) -> Result<Option<Batch>, ClothError> {
    let count = match cloth.tethers {
        Tethers::None => 0,
        Tethers::Automatic if pins.len() <= FEW_PINS => FEW_PINS,
        Tethers::Automatic => 1,
        Tethers::Nearest(count) => count,
    };
    if count == 0 || pins.is_empty() || cloth.tearing.is_some() {
        return Ok(None);
    }
    let slack = 1.0 + strain_under_weight(cloth, mesh);
    let (mut ends, mut reach) = (Vec::new(), Vec::new());
    for (ways, vertex) in geodesic::nearest_sources(mesh, pins, count).iter().zip(0..) {
        if pins.binary_search(&vertex).is_err() {
            ends.extend(ways.iter().map(|way| [vertex, way.source]));
            reach.extend(ways.iter().map(|way| [way.length * slack]));
        }
    }
    if ends.is_empty() { Ok(None) } else { Ok(Some(Batch::new(Tether, &ends, &reach)?)) }
}
