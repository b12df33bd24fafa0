//! The rows that lock a joint, and the hard limits of its free axes in one block with them.
//!
//! A joint says which rows lock it ([`LockRows`]) and where it stands along its free axes ([`FreeAxes`]). [`Lock`] makes
//! a constraint of the rows alone, [`LimitedLock`] one that has a row for each free axis besides. Its rows are the
//! forces of the lock, the limits along axes, the torques of the lock, and the limits about axes:
//!
//! ```text
//! C = (C_force, r − |q − m|, C_torque, r − |q − m|),   λ ≥ 0 for limits
//! ```

use std::marker::PhantomData;

use xpbd_core::constraint::{ConstraintError, Parameters, Point};
use xpbd_core::parameters;
use xpbd_core::prelude::*;

use super::limit::rows::limit_row;
use super::limit::{JointLimits, LimitRange};
use super::part::{Attachment, JointRole, ParameterLayout};
use super::{JointAxis, JointError, JointPart, JointSettings};

/// The rows that lock a joint of `N` points.
pub trait LockRows<const N: usize, const M: usize>: Send + Sync + 'static {
    /// Name of the constraint.
    const NAME: &'static str;
    /// The number of rows that are forces; those that follow are torques.
    const FORCE_ROWS: usize;

    /// Returns the rows: lengths \[m\], then angles \[rad\].
    fn rows<S: Real>(x: &[Point<S>; N]) -> [S; M];

    /// Returns points for the self-check, for rows that are only defined for some.
    fn sample(_number: u32) -> Option<[[f32; 3]; N]> {
        None
    }
}

/// The `L` free axes of a joint that can be limited, over `N` points, of which the first are those of the lock. With the
/// limits the joint has `M` rows.
pub trait FreeAxes<const N: usize, const M: usize, const L: usize>: Send + Sync + 'static {
    /// Name of the constraint that locks the joint and limits these axes.
    const NAME: &'static str;
    /// The axes, those along which the joint moves before those about which it rotates.
    const AXES: [JointAxis; L];

    /// Returns the coordinates along or about the axes \[m or rad\].
    fn coordinates<S: Real>(x: &[Point<S>; N]) -> [S; L];
}

parameters! {
    /// Parameters of a [`Lock`].
    pub struct LockParameters<S> {
        /// Compliance of the forces over that of the batch \[1\].
        pub force_compliance: S,
        /// Compliance of the torques over that of the batch \[1\].
        pub torque_compliance: S,
    }
}

parameters! {
    /// Parameters of a [`LimitedLock`].
    pub struct LimitedLockParameters<S, const L: usize> {
        /// The compliances of the lock.
        pub lock: LockParameters<S>,
        /// Middle of the range of each axis \[m or rad\].
        pub middle: [S; L],
        /// Half of the width of the range of each axis \[m or rad\].
        pub half: [S; L],
    }
}

impl LockParameters {
    /// Parameters for self-checks.
    const SAMPLE: Self = Self { force_compliance: 1.0, torque_compliance: 0.5 };

    /// Returns the parameters of a lock with these settings, and the compliance of its batch.
    pub(super) fn of(compliance: f32, rotational_compliance: f32) -> (Self, f32) {
        let largest = compliance.max(rotational_compliance);
        let ratio = |compliance: f32| if largest > 0.0 { compliance / largest } else { 1.0 };
        let lock = Self { force_compliance: ratio(compliance), torque_compliance: ratio(rotational_compliance) };
        (lock, largest)
    }
}

/// The constraint that locks a joint by the rows `K`. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct Lock<K>(PhantomData<fn(K)>);

impl<K: LockRows<N, M>, const N: usize, const M: usize> Constraint<N, M> for Lock<K> {
    type Parameters<S: Copy> = LockParameters<S>;

    const NAME: &'static str = K::NAME;

    fn value<S: Real>(x: &Points<S, N>, _: LockParameters<S>) -> [S; M] {
        K::rows(&x.now)
    }

    fn compliance<S: Real>(alpha: S, lock: LockParameters<S>) -> [[S; M]; M] {
        diagonal(compliances::<K, S, N, M>(alpha, lock))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; N], LockParameters)> {
        Some((K::sample(number)?, LockParameters::SAMPLE))
    }
}

/// The constraint that locks a joint by the `M0` rows `K` over the first `N0` of its points, and limits its `L` free
/// axes. Compliance of the lock \[m/N and rad/(N m)\]; the limits are hard.
#[derive(Debug, Clone, Copy)]
pub struct LimitedLock<K, const N0: usize, const M0: usize, const L: usize>(PhantomData<fn(K)>);

impl<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize> Constraint<N, M>
    for LimitedLock<K, N0, M0, L>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    type Parameters<S: Copy> = LimitedLockParameters<S, L>;

    const NAME: &'static str = <K as FreeAxes<N, M, L>>::NAME;

    fn value<S: Real>(x: &Points<S, N>, parameters: LimitedLockParameters<S, L>) -> [S; M] {
        let LimitedLockParameters { middle, half, .. } = parameters;
        let coordinates = K::coordinates(&x.now);
        let limits = std::array::from_fn(|k| limit_row(K::AXES[k], coordinates[k], [middle[k], half[k]]));
        arranged::<K, S, N, M, N0, M0, L>(K::rows(&std::array::from_fn(|point| x.now[point])), limits)
    }

    fn admissible<S: Real>(lambda: [S; M], _: LimitedLockParameters<S, L>, _: S) -> [S; M] {
        let limits = arranged::<K, bool, N, M, N0, M0, L>([false; M0], [true; L]);
        std::array::from_fn(|row| if limits[row] { lambda[row].max(S::zero()) } else { lambda[row] })
    }

    fn compliance<S: Real>(alpha: S, parameters: LimitedLockParameters<S, L>) -> [[S; M]; M] {
        let locked = compliances::<K, S, N0, M0>(alpha, parameters.lock);
        diagonal(arranged::<K, S, N, M, N0, M0, L>(locked, [S::zero(); L]))
    }

    fn sample(number: u32) -> Option<([[f32; 3]; N], LimitedLockParameters<f32, L>)> {
        let points = <K as LockRows<N0, M0>>::sample(number)?;
        let points = <[[f32; 3]; N]>::try_from(points.as_slice()).ok()?;
        Some((points, LimitedLockParameters { lock: LockParameters::SAMPLE, middle: [0.2; L], half: [0.1; L] }))
    }
}

/// Returns the entries of a lock and of its limits in the order of the rows.
fn arranged<K, T, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    locked: [T; M0],
    limits: [T; L],
) -> [T; M]
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
    T: Copy,
{
    const { assert!(N0 <= N && M == M0 + L, "the rows are those of the lock and one for each axis") };
    let (forces, torques) = locked.split_at(K::FORCE_ROWS);
    let (linear, angular) = limits.split_at(linear_axes(&K::AXES));
    let rows = [forces, linear, torques, angular].concat();
    std::array::from_fn(|row| rows[row])
}

/// Returns the number of axes along which a joint moves, which come first.
fn linear_axes(axes: &[JointAxis]) -> usize {
    axes.iter().take_while(|axis| axis.is_linear()).count()
}

/// Returns the compliance of each row of a lock.
fn compliances<K: LockRows<N, M>, S: Real, const N: usize, const M: usize>(
    alpha: S,
    lock: LockParameters<S>,
) -> [S; M] {
    let (force, torque) = (alpha * lock.force_compliance, alpha * lock.torque_compliance);
    std::array::from_fn(|row| if row < K::FORCE_ROWS { force } else { torque })
}

/// Returns a diagonal matrix.
fn diagonal<S: Real, const M: usize>(entries: [S; M]) -> [[S; M]; M] {
    let entry = |row, column| if row == column { entries[row] } else { S::zero() };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}

/// Returns the constraint that locks a joint.
pub(super) fn lock<K: LockRows<N, M>, const N: usize, const M: usize>(
    settings: &JointSettings,
    attachments: [Attachment; N],
) -> Result<JointPart, JointError> {
    let (lock, compliance) = LockParameters::of(settings.compliance, settings.rotational_compliance);
    let part = JointPart::new(JointRole::Lock, Lock::<K>(PhantomData), attachments, lock, K::FORCE_ROWS)?;
    Ok(part.soft(compliance, settings.damping_coefficient).layout(ParameterLayout::Lock(&[])))
}

/// Returns the constraint that locks a joint, with those limits of its free axes that are hard: `attachments` are the
/// points of the lock, and behind them those that only limits need.
pub(super) fn limited_lock<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    joint: usize,
    settings: &JointSettings,
    attachments: [Attachment; N],
    limits: [Option<JointLimits>; L],
) -> Result<JointPart, JointError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    if !limits.iter().flatten().any(JointLimits::is_hard) {
        return lock::<K, N0, M0>(settings, std::array::from_fn(|point| attachments[point]));
    }
    let (lock, compliance) = LockParameters::of(settings.compliance, settings.rotational_compliance);
    let (mut middle, mut half) = ([0.0; L], [0.0; L]);
    for (k, limits) in limits.into_iter().enumerate() {
        let range = JointLimits::hard_range(limits, joint, K::AXES[k])?;
        (middle[k], half[k]) = (range.middle, range.half);
    }
    let (constraint, parameters) = (LimitedLock(PhantomData), LimitedLockParameters { lock, middle, half });
    let force_rows = K::FORCE_ROWS + linear_axes(&K::AXES);
    let part = JointPart::new::<LimitedLock<K, N0, M0, L>, N, M>(
        JointRole::Lock,
        constraint,
        attachments,
        parameters,
        force_rows,
    )?;
    Ok(part.soft(compliance, settings.damping_coefficient).layout(ParameterLayout::Lock(const { &K::AXES })))
}

/// Changes the compliances among the parameters of a lock.
pub(super) fn set_compliances(numbers: &mut [f32], lock: LockParameters) {
    let count = <LockParameters as Parameters<f32>>::COUNT;
    numbers[..count].copy_from_slice(&Parameters::<f32>::to_numbers(lock));
}

/// Changes the range of an axis among the parameters of a lock that limits `axes` axes, one or two.
pub(super) fn set_range(numbers: &mut [f32], axes: usize, axis: usize, range: LimitRange) {
    match axes {
        1 => set_range_of::<1>(numbers, axis, range),
        _ => set_range_of::<2>(numbers, axis, range),
    }
}

fn set_range_of<const L: usize>(numbers: &mut [f32], axis: usize, range: LimitRange) {
    let mut parameters = LimitedLockParameters::<f32, L>::from_numbers(numbers);
    (parameters.middle[axis], parameters.half[axis]) = (range.middle, range.half);
    numbers.copy_from_slice(&parameters.to_numbers());
}

/// Registers the constraint that locks a joint.
pub(super) fn register<K: LockRows<N, M>, const N: usize, const M: usize>(
    registry: &mut Registry,
) -> Result<(), ConstraintError> {
    registry.register(Lock::<K>(PhantomData)).map(drop)
}

/// Registers the constraints that lock a joint with and without limits.
pub(super) fn register_limited<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    registry: &mut Registry,
) -> Result<(), ConstraintError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    registry.register(Lock::<K>(PhantomData))?;
    registry.register::<LimitedLock<K, N0, M0, L>, N, M>(LimitedLock(PhantomData)).map(drop)
}
