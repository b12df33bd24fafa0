//! The rows that lock a joint.
//!
//! A joint says which rows lock it ([`LockRows`]) and where it stands along its free axes
//! ([`FreeAxes`](axes::FreeAxes)). [`Lock`] makes a constraint of the rows alone, [`AxisLock`](axes::AxisLock) one that
//! has a row for each free axis besides.

pub mod axes;

use std::marker::PhantomData;

use xpbd_core::constraint::{ConstraintError, Point};
use xpbd_core::parameters;
use xpbd_core::prelude::*;

use super::part::{Attachment, JointRole, ParameterLayout};
use super::{JointError, JointPart, JointSettings};

/// The rows that lock a joint of `N` points.
pub trait LockRows<const N: usize, const M: usize>: Send + Sync + 'static {
    /// Name of the constraint.
    const NAME: &'static str;
    /// The number of rows that are forces; those that follow are torques.
    const FORCE_ROWS: usize;
    /// True if the anchors coincide, as they do with three forces: the joint then pushes with the
    /// [arms of the start](Constraint::ARMS_OF_START) of a substep.
    const ANCHORS_COINCIDE: bool = Self::FORCE_ROWS == 3;

    /// Returns the rows: lengths \[m\], then angles \[rad\].
    fn rows<S: Real>(x: &[Point<S>; N]) -> [S; M];

    /// Returns points for the self-check, for rows that are only defined for some.
    fn sample(_number: u32) -> Option<[[f32; 3]; N]> {
        None
    }
}

parameters! {
    /// Parameters of a [`Lock`], whose batch has the compliance 1, and the damping 1 if it is damped.
    pub struct LockParameters<S> {
        /// Compliance of the forces \[m/N\].
        pub force_compliance: S,
        /// Compliance of the torques \[rad/(N m)\].
        pub torque_compliance: S,
        /// Damping coefficient of the compliance \[N s/m, and the same number in N m s/rad\].
        pub damping_coefficient: S,
    }
}

impl LockParameters {
    /// Parameters for self-checks.
    const SAMPLE: Self = Self { force_compliance: 1.0, torque_compliance: 0.5, damping_coefficient: 0.1 };

    /// Returns the parameters of a lock with these settings.
    fn of(settings: &JointSettings) -> Self {
        let &JointSettings { compliance, rotational_compliance, damping_coefficient, .. } = settings;
        Self { force_compliance: compliance, torque_compliance: rotational_compliance, damping_coefficient }
    }

    /// Returns whether any row is damped.
    pub(super) fn is_damped(&self) -> bool {
        self.force_compliance.max(self.torque_compliance) * self.damping_coefficient > 0.0
    }
}

impl<S: Real> LockParameters<S> {
    /// Returns the compliance of each row, `alpha` being that of the batch.
    fn compliance<K: LockRows<N, M>, const N: usize, const M: usize>(&self, alpha: S) -> [S; M] {
        let (force, torque) = (alpha * self.force_compliance, alpha * self.torque_compliance);
        std::array::from_fn(|row| if row < K::FORCE_ROWS { force } else { torque })
    }

    /// Returns the damping of each row, `gamma` being that of the batch.
    fn damping<K: LockRows<N, M>, const N: usize, const M: usize>(&self, gamma: S) -> [S; M] {
        self.compliance::<K, N, M>(gamma * self.damping_coefficient)
    }
}

/// The constraint that locks a joint by the rows `K`. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct Lock<K>(PhantomData<fn(K)>);

impl<K: LockRows<N, M>, const N: usize, const M: usize> Constraint<N, M> for Lock<K> {
    type Parameters<S: Copy> = LockParameters<S>;

    const NAME: &'static str = K::NAME;
    const ARMS_OF_START: bool = K::ANCHORS_COINCIDE;

    fn value<S: Real>(x: &Points<S, N>, _: LockParameters<S>) -> [S; M] {
        K::rows(&x.now)
    }

    fn compliance<S: Real>(alpha: S, lock: LockParameters<S>) -> [[S; M]; M] {
        diagonal(lock.compliance::<K, N, M>(alpha))
    }

    fn damping<S: Real>(gamma: S, lock: LockParameters<S>) -> [S; M] {
        lock.damping::<K, N, M>(gamma)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; N], LockParameters)> {
        Some((K::sample(number)?, LockParameters::SAMPLE))
    }
}

/// Returns a diagonal matrix.
pub(super) fn diagonal<S: Real, const M: usize>(entries: [S; M]) -> [[S; M]; M] {
    let entry = |row, column| if row == column { entries[row] } else { S::zero() };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}

/// Returns the constraint that locks a joint.
pub(super) fn lock<K: LockRows<N, M>, const N: usize, const M: usize>(
    settings: &JointSettings,
    attachments: [Attachment; N],
) -> Result<JointPart, JointError> {
    let parameters = LockParameters::of(settings);
    let part = JointPart::new(JointRole::Lock, Lock::<K>(PhantomData), attachments, parameters, K::FORCE_ROWS)?;
    Ok(part.soft(1.0, damping_of_batch(parameters.is_damped())).layout(ParameterLayout::Lock))
}

/// Returns the damping of the batch of a lock, which multiplies those of its rows.
pub(super) fn damping_of_batch(is_damped: bool) -> f32 {
    if is_damped { 1.0 } else { 0.0 }
}

/// Registers the constraint that locks a joint.
pub(super) fn register<K: LockRows<N, M>, const N: usize, const M: usize>(
    registry: &mut Registry,
) -> Result<(), ConstraintError> {
    registry.register(Lock::<K>(PhantomData)).map(drop)
}
