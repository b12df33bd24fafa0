//! Ellipsoids that follow the surface: anisotropic kernels of \[Yu13\] J. Yu, G. Turk, *Reconstructing
//! Surfaces of Particle-Based Fluids Using Anisotropic Kernels*, 2013, eq. 6 to 16.
//!
//! With x the positions, R the reach and the weights w_ij = 1 − (|x_i − x_j| / R)³ within it:
//!
//! - centre x̄_i = (1 − λ) x_i + λ m_i, with the mean m_i = Σ_j w_ij x_j / Σ_j w_ij,
//! - covariance C_i = Σ_j w_ij (x_j − m_i)(x_j − m_i)ᵀ / Σ_j w_ij = Q diag(σ₁, σ₂, σ₃) Qᵀ, σ₁ the greatest
//!   of the three,
//! - radii r k_s max(σ_k, σ₁ / k_r) along the columns of Q, where there are enough neighbours, otherwise those
//!   of a small ball.
//!
//! In a space filled evenly C = 0.15 R² I, so k_s = 1 / (0.15 R²) makes the ellipsoid there a ball of
//! radius r. A departure: the paper asks for 25 neighbours, which makes balls of every thin film and stream.

use glam::{Mat3, Quat, Vec3, Vec3Swizzles};

use super::cells::{CellGrid, NeighbourRuns};
use super::eigen::principal;
use super::options::{OptionError, demand, not_negative, positive};

/// σ / R² in a space filled evenly: ⅓ ∫ r⁴ (1 − r³) dr / ∫ r² (1 − r³) dr over 0 ≤ r ≤ 1.
const FILLED: f32 = 0.15;

/// The options by which ellipsoids are fitted. Lengths are in spacings of particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EllipsoidOptions {
    /// Reach R of the surroundings `[1]`, usually 2 to 3. Below, a frame has too few neighbours; the time
    /// taken grows with the cube.
    pub reach: f32,
    /// Share λ of the mean in the centre `[1]`, from 0 (the particle itself) to 1; usually above 0.9.
    pub smoothing: f32,
    /// Radius r of ellipsoids inside of the liquid `[1]`. With 2.2 and the other defaults, those of a flat
    /// surface end half a spacing outside of its particles.
    pub radius: f32,
    /// The greatest ratio k_r of radii `[1]`, at least 1.
    pub max_ratio: f32,
    /// Particles with fewer neighbours than this are small balls.
    pub min_neighbours: usize,
    /// Radius of these balls `[1]`.
    pub isolated_radius: f32,
}

impl Default for EllipsoidOptions {
    fn default() -> Self {
        Self { reach: 2.5, smoothing: 0.9, radius: 2.2, max_ratio: 4.0, min_neighbours: 4, isolated_radius: 0.5 }
    }
}

/// An ellipsoid in place of a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub struct Ellipsoid {
    /// Smoothed position `[m]`.
    pub center: Vec3,
    /// Turns the coordinate axes into the ellipsoid's.
    pub rotation: Quat,
    /// Half the lengths of the axes `[m]`, longest first; zero where the particle is not finite.
    pub radii: Vec3,
}

impl Ellipsoid {
    /// Creates a ball.
    fn ball(center: Vec3, radius: f32) -> Self {
        Self { center, rotation: Quat::IDENTITY, radii: Vec3::splat(radius) }
    }
}

/// Fits ellipsoids to particles; buffers are kept from call to call.
#[derive(Debug, Clone)]
pub struct Ellipsoids {
    options: EllipsoidOptions,
    cells: CellGrid,
    /// In the order of cells.
    sorted: Vec<Ellipsoid>,
    fitted: Vec<Ellipsoid>,
}

impl Ellipsoids {
    /// Fits with these options.
    ///
    /// # Errors
    /// An option that makes no sense.
    pub fn new(options: EllipsoidOptions) -> Result<Self, OptionError> {
        let EllipsoidOptions { reach, smoothing, radius, max_ratio: ratio, min_neighbours: _, isolated_radius: drop } =
            options;
        positive("reach", reach)?;
        demand("smoothing", smoothing, (0.0..=1.0).contains(&smoothing), "from 0 to 1")?;
        positive("radius", radius)?;
        demand("max_ratio", ratio, ratio >= 1.0 && ratio.is_finite(), "at least 1")?;
        not_negative("isolated_radius", drop)?;
        Ok(Self { options, cells: CellGrid::default(), sorted: Vec::new(), fitted: Vec::new() })
    }

    /// Returns the ellipsoids of particles at `positions` `[m]` with this `spacing` `[m]`, in the same order.
    ///
    /// A particle that is not finite has no radii and no part in others. There are no ellipsoids where the
    /// spacing is not positive and finite.
    pub fn fit(&mut self, positions: &[Vec3], spacing: f32) -> &[Ellipsoid] {
        self.fitted.clear();
        let reach = self.options.reach * spacing;
        if reach > 0.0 && reach.is_normal() {
            self.cells.sort(positions, reach);
            self.fitted.resize(positions.len(), Ellipsoid::default());
            let (cells, options) = (&self.cells, &self.options);
            cells.map(&mut self.sorted, |k, rows| options.fit(cells.points(), k, rows, spacing));
            for (k, &ellipsoid) in self.sorted.iter().enumerate() {
                self.fitted[cells.index(k)] = ellipsoid;
            }
        }
        &self.fitted
    }
}

/// Weighted sums over surroundings, of offsets in shares of the reach.
struct Moments {
    /// Particles, itself among them.
    count: usize,
    weight: f32,
    first: Vec3,
    /// xx, yy, zz.
    squares: Vec3,
    /// yz, zx, xy.
    products: Vec3,
}

impl EllipsoidOptions {
    /// Returns the ellipsoid of the `k`-th of `points`, whose neighbours are in `rows`.
    fn fit(&self, points: &[Vec3], k: usize, rows: &NeighbourRuns, spacing: f32) -> Ellipsoid {
        let reach = self.reach * spacing;
        let here = points[k];
        let Moments { count, weight, first, squares, products } = moments(points, k, rows, reach);
        let mean = first / weight;
        let center = here + self.smoothing * reach * mean;
        if count <= self.min_neighbours {
            return Ellipsoid::ball(center, self.isolated_radius * spacing);
        }
        let xx = squares / weight - mean * mean;
        let yz = products / weight - mean.yzx() * mean.zxy();
        let (values, axes) = principal(Mat3::from_cols(
            Vec3::new(xx.x, yz.z, yz.y),
            Vec3::new(yz.z, xx.y, yz.x),
            Vec3::new(yz.y, yz.x, xx.z),
        ));
        let longest = values.x.max(0.0);
        if longest == 0.0 {
            return Ellipsoid::ball(center, self.isolated_radius * spacing);
        }
        let radii = self.radius * spacing / FILLED * values.max(Vec3::splat(longest / self.max_ratio));
        Ellipsoid { center, rotation: Quat::from_mat3(&axes).normalize(), radii }
    }
}

/// Sums over the surroundings of the `k`-th of `points`, itself among them.
fn moments(points: &[Vec3], k: usize, rows: &NeighbourRuns, reach: f32) -> Moments {
    let mut sums = Moments { count: 0, weight: 0.0, first: Vec3::ZERO, squares: Vec3::ZERO, products: Vec3::ZERO };
    let (here, scale) = (points[k], 1.0 / reach);
    for &other in rows.iter().flat_map(|row| &points[row.clone()]) {
        let offset = (other - here) * scale;
        let squared = offset.length_squared();
        if squared < 1.0 {
            let weight = 1.0 - squared * squared.sqrt();
            sums.count += 1;
            sums.weight += weight;
            sums.first += weight * offset;
            sums.squares += weight * offset * offset;
            sums.products += weight * offset.yzx() * offset.zxy();
        }
    }
    sums
}
