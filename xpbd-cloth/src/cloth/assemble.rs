//! The step from a description of cloth to particles and constraints.

use xpbd_core::batch::Batch;
use xpbd_core::constraint::Constraint;
use xpbd_core::number::NumberError;
use xpbd_core::object::{Object, Surface};

use super::{Air, Bending, Cloth, ClothError, ClothSettings, Gas, Stretch, TearSettings, grid, tethers};
use crate::constraint::{
    Dihedral, DihedralParameters, Distance, DistanceParameters, IsometricBending, IsometricBendingParameters,
    PlasticDihedral, PlasticDihedralParameters, PlasticDistance, PlasticDistanceParameters, TriangleStrain,
    TriangleStrainParameters, WovenStrain, WovenStrainParameters,
};
use crate::mass_scaling::MassScaling;
use crate::mesh::{Flap, Mesh, MeshError};
use crate::multilevel::{Hierarchy, Multilevel};
use crate::stiffness::{self, GRAVITY};

/// The largest angle \[rad\] between triangles that counts as flat.
const FLAT: f32 = 0.01;

pub(super) fn object(cloth: &Cloth) -> Result<Object, ClothError> {
    check(cloth)?;
    let mesh = Mesh::new(&cloth.rest_positions, &cloth.indices)?;
    let vertices = mesh.positions().len();
    let pins = cloth.particles.sorted_pins(vertices).map_err(|index| ClothError::Pin { index, vertices })?;
    let air = cloth.settings.air.map(|air| air.batch(&mesh)).transpose()?;
    let faces = cloth.settings.tearing.map(|tearing| tearing.faces(&mesh)).transpose()?;
    let (tethers, supports) = tethers::hold(cloth, &mesh, &pins, strain_under_weight(cloth, &mesh))?;
    let batches = [air, tethers, Some(stretch(cloth, &mesh)?), bending(cloth, &mesh)?, faces];
    let gas = cloth.settings.gas.map(|gas| gas.batch(&mesh)).transpose()?;
    let mut object = cloth.particles.object(mesh.positions(), masses(&mesh, cloth.settings.density)?, pins);
    if let Some(vertex) = object.positions.iter().position(|x| !x.is_finite()) {
        return Err(MeshError::Position { vertex: vertex as u32, position: object.positions[vertex] }.into());
    }
    object.triangles = mesh.triangles().to_vec();
    object.supports = supports;
    if let Some(thickness) = cloth.settings.surface_collision {
        let permeability = cloth.settings.permeability;
        object.surface = Some(Surface { triangles: mesh.triangles().to_vec(), thickness, permeability });
    }
    object.rest_positions = cloth.rest_positions.clone();
    if let Some(tearing) = cloth.settings.tearing {
        let mean = object.masses.iter().sum::<f32>() / vertices as f32;
        object = object.capacity(tearing.capacity, mean);
    }
    let scaling = cloth.settings.mass_scaling.map(|strain| MassScaling::new(&mesh, strain));
    let object = scaling.into_iter().fold(object, Object::with);
    let levels = cloth.settings.coarse_levels.then(|| levels(cloth, &mesh, &object.pins));
    let object = levels.flatten().into_iter().fold(object, Object::with);
    let object = batches.into_iter().flatten().fold(object, Object::with);
    Ok(gas.into_iter().fold(object, Object::with))
}

fn check(cloth: &Cloth) -> Result<(), ClothError> {
    cloth.particles.check()?;
    let settings = &cloth.settings;
    NumberError::check_positive("density", settings.density)?;
    NumberError::check_positive("thickness", settings.thickness)?;
    NumberError::check_not_negative("damping time", settings.damping_time)?;
    let surface = settings.surface_collision;
    surface.map_or(Ok(()), |thickness| NumberError::check_positive("thickness of the surface", thickness))?;
    NumberError::check_not_negative("permeability", settings.permeability)?;
    let has_pores = settings.permeability > 0.0;
    NumberError::check(
        "permeability",
        settings.permeability,
        "0 without surface_collision",
        surface.is_some() || !has_pores,
    )?;
    settings.mass_scaling.map_or(Ok(()), |strain| NumberError::check_positive("strain of mass scaling", strain))?;
    settings.stretch.check()?;
    settings.bending.check()?;
    settings.air.map_or(Ok(()), Air::check)?;
    settings.gas.map_or(Ok(()), Gas::check)?;
    cloth.check_fabric()?;
    settings.bending_plasticity.map_or(Ok(()), |plasticity| plasticity.check())?;
    if let Some(plasticity) = settings.stretch_plasticity {
        plasticity.check()?;
        NumberError::check("plastic limit of edges", plasticity.limit, "below 1", plasticity.limit < 1.0)?;
    }
    settings.tearing.map_or(Ok(()), TearSettings::check)?;
    match incompatible(settings) {
        Some(reason) => Err(ClothError::Incompatible(reason)),
        None => Ok(()),
    }
}

/// Returns the settings of a cloth that cannot be combined, if there are any.
fn incompatible(settings: &ClothSettings) -> Option<&'static str> {
    let has_edge_springs = matches!(settings.stretch, Stretch::Edges { .. });
    let has_rigid_edges = matches!(settings.stretch, Stretch::Edges { stiffness: f32::INFINITY })
        && settings.stretch_plasticity.is_none();
    let has_no_angles = matches!(settings.bending, Bending::None | Bending::Distance { .. });
    let cases = [
        (settings.stretch_plasticity.is_some() && !has_edge_springs, "`stretch_plasticity` needs `Stretch::Edges`"),
        (
            settings.bending_plasticity.is_some() && has_no_angles,
            "`bending_plasticity` needs bending by angles: `Bending::Dihedral`, `Isometric` or `Automatic`",
        ),
        (
            settings.tearing.is_some() && matches!(settings.bending, Bending::Distance { .. }),
            "`tearable` cannot be combined with `Bending::Distance`, whose springs do not tear",
        ),
        (
            settings.tearing.is_some() && settings.coarse_levels,
            "`tearable` cannot be combined with `coarse_levels`, which would hold what is torn off",
        ),
        (
            settings.mass_scaling.is_some() && !has_rigid_edges,
            "`mass_scaling` needs edges that do not stretch: `Stretch::Edges` with an infinite stiffness, without \
             `stretch_plasticity`",
        ),
        (
            settings.tearing.is_some() && settings.mass_scaling.is_some(),
            "`tearable` cannot be combined with `mass_scaling`, which takes what is torn for a load",
        ),
        (
            settings.tearing.is_some() && settings.gas.is_some(),
            "`tearable` cannot be combined with `inflated` or `filled`",
        ),
    ];
    cases.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}

fn masses(mesh: &Mesh, density: f32) -> Result<Vec<f32>, ClothError> {
    let masses: Vec<f32> = mesh.vertex_areas().iter().map(|area| area * density).collect();
    match masses.iter().position(|&mass| !(mass > 0.0 && mass.is_finite())) {
        Some(vertex) => Err(ClothError::Mass { vertex: vertex as u32, mass: masses[vertex] }),
        None => Ok(masses),
    }
}

/// Creates a batch with a compliance for each constraint, with the stiffness factors and the damping of the cloth.
fn batch<K, const N: usize, const M: usize>(
    constraint: K,
    particles: &[[u32; N]],
    parameters: &[K::Parameters<f32>],
    mut compliances: Vec<f32>,
    cloth: &Cloth,
) -> Result<Batch, ClothError>
where
    K: Constraint<N, M>,
{
    cloth.apply_stiffness_map(particles, &mut compliances);
    let beta = stiffness::damping_coefficient(cloth.settings.damping_time, &compliances);
    Ok(Batch::new(constraint, particles, parameters)?.compliances(compliances)?.damping(beta))
}

fn stretch(cloth: &Cloth, mesh: &Mesh) -> Result<Batch, ClothError> {
    match cloth.settings.stretch {
        Stretch::Edges { stiffness } => {
            let edges: Vec<_> = mesh.edges().iter().map(|edge| edge.vertices).collect();
            let Some(plasticity) = cloth.settings.stretch_plasticity else {
                return springs(cloth, mesh, &edges, stiffness);
            };
            let parameters: Vec<_> =
                lengths(mesh, &edges).map(|length| PlasticDistanceParameters::new(length, plasticity)).collect();
            batch(PlasticDistance, &edges, &parameters, vec![1.0 / stiffness; edges.len()], cloth)
        }
        Stretch::Strain { youngs_modulus, poisson_ratio } => {
            let rest: Vec<_> = mesh.triangles().iter().map(|&triangle| mesh.at(triangle)).collect();
            let parameters: Vec<_> =
                rest.iter().map(|&rest| TriangleStrainParameters::new(rest, poisson_ratio)).collect();
            let compliance = |&rest: &_| TriangleStrain::compliance(rest, youngs_modulus, cloth.settings.thickness);
            let compliances = rest.iter().map(compliance).collect();
            batch(TriangleStrain, mesh.triangles(), &parameters, compliances, cloth)
        }
        Stretch::Woven { warp_modulus, weft_modulus, shear_modulus, poisson_ratio } => {
            let ratios = [poisson_ratio, warp_modulus / weft_modulus, warp_modulus / shear_modulus];
            let parameters = |(&triangle, number): (&[u32; 3], u32)| {
                let direction = cloth.warp_of(mesh, triangle);
                let parameters = WovenStrainParameters::new(mesh.at(triangle), direction, ratios);
                parameters.ok_or(ClothError::WarpDirection { triangle: number, warp: direction })
            };
            let parameters: Vec<_> = mesh.triangles().iter().zip(0..).map(parameters).collect::<Result<_, _>>()?;
            let compliance =
                |&triangle: &_| TriangleStrain::compliance(mesh.at(triangle), warp_modulus, cloth.settings.thickness);
            let compliances = mesh.triangles().iter().map(compliance).collect();
            batch(WovenStrain, mesh.triangles(), &parameters, compliances, cloth)
        }
    }
}

/// Returns the lengths at rest \[m\] between these vertices.
fn lengths(mesh: &Mesh, ends: &[[u32; 2]]) -> impl Iterator<Item = f32> {
    ends.iter().map(|&ends| {
        let [a, b] = mesh.at(ends);
        a.distance(b)
    })
}

fn springs(cloth: &Cloth, mesh: &Mesh, ends: &[[u32; 2]], stiffness: f32) -> Result<Batch, ClothError> {
    let parameters: Vec<_> = lengths(mesh, ends).map(|rest_length| DistanceParameters { rest_length }).collect();
    batch(Distance, ends, &parameters, vec![1.0 / stiffness; ends.len()], cloth)
}

fn bending(cloth: &Cloth, mesh: &Mesh) -> Result<Option<Batch>, ClothError> {
    let flaps: Vec<_> = mesh.flaps().collect();
    let kind = match cloth.settings.bending {
        Bending::Automatic { stiffness } if check_flat(mesh, &flaps).is_ok() => Bending::Isometric { stiffness },
        Bending::Automatic { stiffness } => Bending::Dihedral { stiffness },
        kind => kind,
    };
    if flaps.is_empty() {
        return Ok(None);
    }
    let vertices: Vec<_> = flaps.iter().map(|flap| flap.vertices).collect();
    let rest: Vec<_> = vertices.iter().map(|&vertices| mesh.at(vertices)).collect();
    let factor = |&[a, b, ..]: &[u32; 4]| cloth.columns.map_or(1.0, |columns| grid::stiffness_factor(columns, [a, b]));
    let factors: Vec<_> = vertices.iter().map(factor).collect();
    let dihedral = |stiffness: f32| -> Vec<f32> {
        let compliance = |(&rest, factor): (&_, &f32)| Dihedral::compliance(rest, stiffness * factor);
        rest.iter().zip(&factors).map(compliance).collect()
    };
    let angles = || rest.iter().map(|&rest| Dihedral::angle(rest));
    let batch = match (kind, cloth.settings.bending_plasticity) {
        (Bending::None | Bending::Automatic { .. }, _) => return Ok(None),
        (Bending::Distance { stiffness }, _) => {
            let across: Vec<_> = vertices.iter().map(|&[_, _, a, b]| [a, b]).collect();
            springs(cloth, mesh, &across, stiffness)?
        }
        (Bending::Dihedral { stiffness } | Bending::Isometric { stiffness }, Some(plasticity)) => {
            let parameters: Vec<_> = angles().map(|angle| PlasticDihedralParameters::new(angle, plasticity)).collect();
            batch(PlasticDihedral, &vertices, &parameters, dihedral(stiffness), cloth)?
        }
        (Bending::Dihedral { stiffness }, None) => {
            let parameters: Vec<_> = angles().map(|rest_angle| DihedralParameters { rest_angle }).collect();
            batch(Dihedral, &vertices, &parameters, dihedral(stiffness), cloth)?
        }
        (Bending::Isometric { stiffness }, None) => {
            check_flat(mesh, &flaps)?;
            let parameters: Vec<_> = rest.iter().map(|&rest| IsometricBendingParameters::new(rest)).collect();
            let compliance = |(&rest, factor): (&_, &f32)| IsometricBending::compliance(rest, stiffness * factor);
            let compliances = rest.iter().zip(&factors).map(compliance).collect();
            batch(IsometricBending, &vertices, &parameters, compliances, cloth)?
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
    let edges: Vec<_> = mesh.edges().iter().map(|edge| edge.vertices).collect();
    let width = lengths(mesh, &edges).sum::<f32>() / edges.len() as f32;
    let tension_per_strain = match cloth.settings.stretch {
        Stretch::Edges { stiffness } => stiffness * width,
        Stretch::Strain { youngs_modulus, .. } => youngs_modulus * cloth.settings.thickness * width,
        Stretch::Woven { warp_modulus, weft_modulus, .. } => {
            warp_modulus.min(weft_modulus) * cloth.settings.thickness * width
        }
    };
    let softest = cloth.stiffness_factors.iter().copied().fold(1.0, f32::min);
    GRAVITY * cloth.settings.density * mesh.area() / (tension_per_strain * softest)
}

/// Returns the coarse levels of a sheet, if it is large enough for one.
fn levels(cloth: &Cloth, mesh: &Mesh, pins: &[u32]) -> Option<Multilevel> {
    Hierarchy::new(mesh, pins, strain_under_weight(cloth, mesh)).map(Multilevel::new)
}
