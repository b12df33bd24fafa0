//! Positions and velocities of particles.

/// Positions and velocities of all particles, three numbers each.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Positions \[m\].
    pub x: Vec<f64>,
    /// Velocities \[m/s\].
    pub v: Vec<f64>,
}

impl State {
    /// Particles at rest at these places \[m\].
    pub fn at_rest(places: &[[f64; 3]]) -> Self {
        Self { x: places.concat(), v: vec![0.0; 3 * places.len()] }
    }

    /// Returns where a particle is \[m\].
    pub fn position(&self, particle: usize) -> [f64; 3] {
        std::array::from_fn(|k| self.x[3 * particle + k])
    }

    /// Returns whether all its numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.x.iter().chain(&self.v).all(|number| number.is_finite())
    }

    /// Returns the root of the mean squared distance of the particles of two states \[m\].
    pub fn distance(&self, other: &Self) -> f64 {
        let squares: f64 = self.x.iter().zip(&other.x).map(|(a, b)| (a - b) * (a - b)).sum();
        (3.0 * squares / self.x.len().max(1) as f64).sqrt()
    }
}
