//! The small scenes on which solvers are compared.

use xpbd_cloth::constraint::{Distance, DistanceParameters};

use super::{ReferenceError, State, System};

/// Particles of 1 kg on links, the first of them pinned at the origin.
#[derive(Debug, Clone, Copy)]
pub struct Chain {
    /// Links.
    pub links: usize,
    /// Length of a link \[m\].
    pub link: f64,
    /// Compliance of a link \[m/N\].
    pub compliance: f64,
    /// Gravity along y \[m/s²\].
    pub gravity: f64,
    /// True if it hangs along −y; along x otherwise.
    pub hangs: bool,
}

impl Chain {
    /// Returns the chain at its rest length, not moving.
    ///
    /// # Errors
    /// The length or the compliance is not a number that a constraint takes.
    pub fn build(self) -> Result<(System, State), ReferenceError> {
        let mut system = System::new(vec![1.0; self.links + 1], [0.0, self.gravity, 0.0])?.pin(0)?;
        for k in 0..self.links {
            system = system.with_constraint(
                Distance,
                [k, k + 1],
                DistanceParameters { rest_length: self.link },
                self.compliance,
            )?;
        }
        let place = |k: usize| {
            let along = self.link * k as f64;
            if self.hangs { [0.0, -along, 0.0] } else { [along, 0.0, 0.0] }
        };
        let places: Vec<_> = (0..=self.links).map(place).collect();
        Ok((system, State::at_rest(&places)))
    }

    /// Returns the chain turning about its pinned end at this rate \[rad/s\].
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn spinning(self, rate: f64) -> Result<(System, State), ReferenceError> {
        let (system, mut state) = self.build()?;
        for k in 0..=self.links {
            let [x, y, _] = state.position(k);
            (state.v[3 * k], state.v[3 * k + 1]) = (-rate * y, rate * x);
        }
        Ok((system, state))
    }
}
