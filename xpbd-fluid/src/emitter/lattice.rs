//! The sites at which particles leave an opening: lattices with the density of liquid at rest, one particle in d³.
//!
//! | packing | in a layer | from layer to layer | nearest neighbours |
//! |---|---|---|---|
//! | cubic | squares of d | d | d |
//! | close | triangles of a = 2^(1/6) d | √(2/3) a, alternately over the gaps of the one before | a |

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::shape::{NozzleShape, TOLERANCE};
use crate::error::{SpawnError, check};

/// The largest number of sites of an opening.
const MAX_SITES: f32 = 4e6;

/// The arrangement of the particles in a [`NozzleShape`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum Packing {
    /// The particles are at the corners of cubes.
    #[default]
    Cubic,
    /// In the closest packing of balls, spread to the same density.
    Close,
}

/// The sites at which particles leave an opening.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NozzleLattice {
    /// The sites \[m\] of the particles that leave at once, z along the way; several lists alternate.
    pub layers: Vec<Vec<Vec3>>,
    /// Distance from one to the next \[m\].
    pub advance: f32,
}

/// Returns the distances of a packing \[m\]: of sites in a row, of rows, of layers.
fn pitch(packing: Packing, d: f32) -> Vec3 {
    match packing {
        Packing::Cubic => Vec3::splat(d),
        Packing::Close => Vec3::new(1.0, 0.866_025_4, 0.816_496_6) * (1.122_462 * d),
    }
}

impl NozzleLattice {
    /// Returns the sites of an opening for particles that fill a cube of edge `d` \[m\] each.
    ///
    /// # Errors
    /// An extent is negative or not finite, or there are more than four million sites.
    pub fn new(shape: NozzleShape, packing: Packing, d: f32) -> Result<Self, SpawnError> {
        let half = shape.half_extents();
        for extent in half.to_array() {
            check("an extent of the nozzle", extent, "finite and not negative", extent >= 0.0)?;
        }
        let sites = (half / (0.5 * pitch(packing, d)) + 3.0).to_array().iter().product::<f32>();
        check("the number of sites of the nozzle", sites, "at most four million", sites <= MAX_SITES)?;
        let step = pitch(packing, d).z;
        if shape.is_flat() {
            let count = if packing == Packing::Close { 2 } else { 1 };
            let layers = (0..count).map(|layer| Self::layer(shape, packing, d, layer, 0.0)).collect();
            return Ok(Self { layers, advance: step });
        }
        let rows = levels(half.z, d, step);
        let all: Vec<Vec3> = rows.iter().zip(0..).flat_map(|(&z, k)| Self::layer(shape, packing, d, k, z)).collect();
        let sites = if all.is_empty() { vec![Vec3::ZERO] } else { all };
        Ok(Self { layers: vec![sites], advance: step * rows.len() as f32 })
    }

    /// Returns the sites at a height \[m\]; at least one in a flat opening.
    fn layer(shape: NozzleShape, packing: Packing, d: f32, layer: usize, z: f32) -> Vec<Vec3> {
        let (half, pitch) = (shape.half_extents(), pitch(packing, d));
        let sites: Vec<Vec3> = match (shape, packing) {
            (NozzleShape::Rectangle { .. } | NozzleShape::Cuboid { .. }, Packing::Cubic) => {
                let (x, y) = (levels(half.x, d, d), levels(half.y, d, d));
                y.iter().flat_map(|&y| x.iter().map(move |&x| Vec3::new(x, y, z))).collect()
            }
            _ => {
                let reach = (half / pitch).ceil() + 1.0;
                let (columns, rows) = (reach.x as i32, reach.y as i32);
                let shift = if layer % 2 == 1 { Vec2::new(0.5 * pitch.x, pitch.y / 3.0) } else { Vec2::ZERO };
                let site = |i: i32, j: i32| {
                    let odd = if packing == Packing::Close && j % 2 != 0 { 0.5 } else { 0.0 };
                    let shift = if packing == Packing::Close { shift } else { Vec2::ZERO };
                    (Vec2::new((i as f32 + odd) * pitch.x, j as f32 * pitch.y) + shift).extend(z)
                };
                let all = (-rows..=rows).flat_map(|j| (-columns..=columns).map(move |i| site(i, j)));
                all.filter(|&site| shape.holds(site, 0.5 * d)).collect()
            }
        };
        if sites.is_empty() && shape.is_flat() { vec![Vec3::ZERO] } else { sites }
    }

    /// Returns the mean number of particles that leave at once.
    pub fn mean_layer_size(&self) -> f64 {
        let all: usize = self.layers.iter().map(Vec::len).sum();
        all as f64 / self.layers.len().max(1) as f64
    }
}

/// Returns heights \[m\] about 0, `step` apart, for as many particles of size `d` as fit, at least one.
fn levels(half: f32, d: f32, step: f32) -> Vec<f32> {
    let count = (((2.0 * half - d) / step + TOLERANCE).floor().max(0.0)) as usize + 1;
    (0..count).map(|k| (k as f32 - 0.5 * (count - 1) as f32) * step).collect()
}
