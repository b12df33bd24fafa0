//! Where particles leave an opening: lattices with as many particles in a volume as liquid at rest has, one in d³.
//!
//! | packing | in a layer | from layer to layer | nearest neighbours |
//! |---|---|---|---|
//! | cubic | squares of d | d | d |
//! | close | triangles of a = 2^(1/6) d | √(2/3) a, alternately over the gaps of the one before | a |

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

use super::NozzleShape;
use crate::flow::{SpawnError, check};

/// The most sites of an opening.
const MAX_SITES: f32 = 4e6;
/// What rounding may take from an extent \[1\].
const SLACK: f32 = 1e-4;

/// How the particles of an [`NozzleShape`] are arranged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Packing {
    /// In squares.
    #[default]
    Cubic,
    /// As balls are packed closest, spread to the same density.
    Close,
}

/// The sites of an opening.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NozzleLattice {
    /// The sites \[m\] of what leaves at once, z along the way; several lists take turns.
    pub layers: Vec<Vec<Vec3>>,
    /// How far one is ahead of the next \[m\].
    pub advance: f32,
}

/// Distances of a packing \[m\]: of sites in a row, of rows, of layers.
fn pitch(packing: Packing, d: f32) -> Vec3 {
    match packing {
        Packing::Cubic => Vec3::splat(d),
        Packing::Close => Vec3::new(1.0, 0.866_025_4, 0.816_496_6) * (1.122_462 * d),
    }
}

impl NozzleLattice {
    /// The sites of an opening for particles that take a cube of `d` \[m\] each.
    ///
    /// # Errors
    /// An extent that is not positive, or more sites than four million.
    pub fn new(opening: NozzleShape, packing: Packing, d: f32) -> Result<Self, SpawnError> {
        let half = opening.half_extents();
        for extent in half.to_array() {
            check("an extent of the opening", extent, "finite and not negative", extent >= 0.0)?;
        }
        let sites = (half / (0.5 * pitch(packing, d)) + 3.0).to_array().iter().product::<f32>();
        check("the number of sites of the opening", sites, "at most four million", sites <= MAX_SITES)?;
        let step = pitch(packing, d).z;
        if opening.is_flat() {
            let count = if packing == Packing::Close { 2 } else { 1 };
            let layers = (0..count).map(|layer| Self::layer(opening, packing, d, layer, 0.0)).collect();
            return Ok(Self { layers, advance: step });
        }
        let rows = levels(half.z, d, step);
        let all: Vec<Vec3> = rows.iter().zip(0..).flat_map(|(&z, k)| Self::layer(opening, packing, d, k, z)).collect();
        let sites = if all.is_empty() { vec![Vec3::ZERO] } else { all };
        Ok(Self { layers: vec![sites], advance: step * rows.len() as f32 })
    }

    /// Returns the sites at a height \[m\]; at least one in an opening that is flat.
    fn layer(opening: NozzleShape, packing: Packing, d: f32, layer: usize, z: f32) -> Vec<Vec3> {
        let (half, pitch) = (opening.half_extents(), pitch(packing, d));
        let sites: Vec<Vec3> = match (opening, packing) {
            (NozzleShape::Rectangle { .. } | NozzleShape::Cuboid { .. }, Packing::Cubic) => {
                let (x, y) = (levels(half.x, d, d), levels(half.y, d, d));
                y.iter().flat_map(|&y| x.iter().map(move |&x| Vec3::new(x, y, z))).collect()
            }
            _ => {
                let reach = (half / pitch).ceil() + 1.0;
                let (columns, rows) = (reach.x as i32, reach.y as i32);
                let shift = if layer % 2 == 1 { Vec2::new(0.5 * pitch.x, pitch.y / 3.0) } else { Vec2::ZERO };
                let place = |i: i32, j: i32| {
                    let odd = if packing == Packing::Close && j % 2 != 0 { 0.5 } else { 0.0 };
                    let shift = if packing == Packing::Close { shift } else { Vec2::ZERO };
                    (Vec2::new((i as f32 + odd) * pitch.x, j as f32 * pitch.y) + shift).extend(z)
                };
                let all = (-rows..=rows).flat_map(|j| (-columns..=columns).map(move |i| place(i, j)));
                all.filter(|&site| opening.holds(site, 0.5 * d)).collect()
            }
        };
        if sites.is_empty() && opening.is_flat() { vec![Vec3::ZERO] } else { sites }
    }

    /// Returns the mean number of particles that leave at once.
    pub fn mean_layer_size(&self) -> f64 {
        let all: usize = self.layers.iter().map(Vec::len).sum();
        all as f64 / self.layers.len().max(1) as f64
    }
}

/// Heights \[m\] about 0, `step` apart, of as many particles of size `d` as there is room for, at least one.
fn levels(half: f32, d: f32, step: f32) -> Vec<f32> {
    let count = (((2.0 * half - d) / step + SLACK).floor().max(0.0)) as usize + 1;
    (0..count).map(|k| (k as f32 - 0.5 * (count - 1) as f32) * step).collect()
}

impl NozzleShape {
    /// \[m\]
    fn half_extents(self) -> Vec3 {
        match self {
            Self::Disc { radius } => Vec3::new(radius, radius, 0.0),
            Self::Rectangle { half_extents } => half_extents.extend(0.0),
            Self::Ball { radius } => Vec3::splat(radius),
            Self::Cuboid { half_extents } => half_extents,
        }
    }

    pub(super) fn is_flat(self) -> bool {
        matches!(self, Self::Disc { .. } | Self::Rectangle { .. })
    }

    /// Returns whether there is room for a particle of this radius \[m\] at a site.
    fn holds(self, site: Vec3, radius: f32) -> bool {
        let within = |half: f32, x: f32| x.abs() <= half * (1.0 + SLACK) - radius;
        match self {
            Self::Disc { radius: all } | Self::Ball { radius: all } => within(all, site.length()),
            Self::Rectangle { half_extents: half } => within(half.x, site.x) && within(half.y, site.y),
            Self::Cuboid { half_extents: half } => {
                within(half.x, site.x) && within(half.y, site.y) && within(half.z, site.z)
            }
        }
    }
}
