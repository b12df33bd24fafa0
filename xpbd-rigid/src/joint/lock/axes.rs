//! The constraint that locks a joint, drives its free axes and keeps them within hard limits.
//!
//! It has one row for each free axis, with the force or torque of the motor there and that of the limits: C is that of
//! the [motor](super::super::motor), 0 for one that is off, and its [stops](Constraint::stops) are the
//! [limits](super::super::limit). The rows are the forces of the lock, those along axes, the torques of the lock, and
//! those about axes.

use std::f32::consts::TAU;
use std::marker::PhantomData;

use xpbd_core::constraint::{ConstraintError, Parameters, Point};
use xpbd_core::parameters;
use xpbd_core::prelude::*;

use super::super::axis::{AxisRows, MOST_AXES};
use super::super::limit::{JointLimits, UNLIMITED};
use super::super::motor::{JointMotor, MotorParameters};
use super::super::part::{Attachment, JointRole, ParameterLayout};
use super::super::{JointAxis, JointError, JointPart, JointSettings};
use super::{LockParameters, LockRows, damping_of_batch, diagonal, lock};

/// The `L` free axes of a joint that can be driven and limited, over `N` points, of which the first are those of the
/// lock. With them the joint has `M` rows.
pub trait FreeAxes<const N: usize, const M: usize, const L: usize>: Send + Sync + 'static {
    /// Name of the constraint that locks the joint, and drives and limits these axes.
    const NAME: &'static str;
    /// The axes, those along which the joint moves before those about which it rotates.
    const AXES: [JointAxis; L];
    /// True if the axes can have motors.
    const HAS_MOTORS: bool = true;

    /// Returns the coordinates along or about the axes \[m or rad\].
    fn coordinates<S: Real>(x: &[Point<S>; N]) -> [S; L];

    /// Returns points for the self-check, for coordinates that are only defined for some.
    fn sample(_number: u32) -> Option<[[f32; 3]; N]> {
        None
    }
}

/// The limits and the motor of a free axis.
#[derive(Debug, Clone, Copy)]
pub struct AxisDrive {
    /// Limits of the axis, if it has any.
    pub limits: Option<JointLimits>,
    /// Motor of the axis, if it has one.
    pub motor: Option<JointMotor>,
}

parameters! {
    /// Parameters of an [`AxisLock`].
    pub struct AxisLockParameters<S, const L: usize> {
        /// Parameters of the lock.
        pub lock: LockParameters<S>,
        /// Least coordinate of each axis \[m or rad\].
        pub min: [S; L],
        /// Greatest coordinate of each axis \[m or rad\].
        pub max: [S; L],
        /// Parameters of the motors.
        pub motors: MotorParameters<S, L>,
    }
}

impl<S: Real, const L: usize> AxisLockParameters<S, L> {
    /// Returns the coordinate \[rad or m\] of the k-th axis, of an angle the one within a half turn of the middle of its
    /// bounds.
    fn within_half_turn(&self, k: usize, axis: JointAxis, coordinate: S) -> S {
        let from_middle = coordinate - (self.min[k] + self.max[k]) * 0.5;
        if axis.wraps() { coordinate - (from_middle / TAU).round() * TAU } else { coordinate }
    }
}

impl<const L: usize> AxisLockParameters<f32, L> {
    /// Parameters for self-checks.
    pub(in super::super) const SAMPLE: Self =
        Self { lock: LockParameters::SAMPLE, min: [0.1; L], max: [0.3; L], motors: MotorParameters::OFF };

    /// Sets the bounds of the coordinate of the k-th axis.
    fn set_bounds(&mut self, k: usize, bounds: [f32; 2]) {
        [self.min[k], self.max[k]] = bounds;
    }

    /// Locks axes by motors without a bound that stay at 0, with the compliance of the lock.
    pub(in super::super) fn lock_axes(&mut self, rows: &AxisRows) {
        for k in (0..L).filter(|&k| rows.locked[k]) {
            self.motors.set(k, MotorParameters::LOCKED);
        }
        self.soften_locked_axes(rows);
    }

    /// Gives locked axes the compliance of the lock.
    fn soften_locked_axes(&mut self, rows: &AxisRows) {
        let LockParameters { force_compliance, torque_compliance, damping_coefficient } = self.lock;
        for k in (0..L).filter(|&k| rows.locked[k]) {
            self.motors.compliance[k] = if rows.axes[k].is_linear() { force_compliance } else { torque_compliance };
            self.motors.damping_coefficient[k] = damping_coefficient;
        }
    }

    /// Returns whether any row is damped.
    pub(in super::super) fn is_damped(&self) -> bool {
        self.lock.is_damped() || self.motors.is_damped()
    }
}

/// The constraint that locks a joint by the `M0` rows `K` over the first `N0` of its points, and drives and limits its
/// `L` free axes. Compliance \[m/N and rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct AxisLock<K, const N0: usize, const M0: usize, const L: usize>(PhantomData<fn(K)>);

impl<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize> Constraint<N, M>
    for AxisLock<K, N0, M0, L>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    type Parameters<S: Copy> = AxisLockParameters<S, L>;

    const NAME: &'static str = <K as FreeAxes<N, M, L>>::NAME;
    const ARMS_OF_START: bool = K::ANCHORS_COINCIDE;

    fn value<S: Real>(x: &Points<S, N>, parameters: AxisLockParameters<S, L>) -> [S; M] {
        let motors = parameters.motors;
        let now = K::coordinates(&x.now);
        let axes: [S; L] = if K::HAS_MOTORS {
            let before = K::coordinates(&x.before);
            std::array::from_fn(|k| motors.value(k, K::AXES[k], now[k], before[k], x.dt))
        } else {
            now
        };
        arranged::<K, S, N, M, N0, M0, L>(K::rows(&std::array::from_fn(|point| x.now[point])), axes)
    }

    fn admissible<S: Real>(lambda: [S; M], parameters: AxisLockParameters<S, L>, per_force: S) -> [S; M] {
        let axes = arranged::<K, _, N, M, N0, M0, L>([None; M0], std::array::from_fn(Some));
        std::array::from_fn(|row| match axes[row] {
            None => lambda[row],
            Some(_) if !K::HAS_MOTORS => S::zero(),
            Some(k) => parameters.motors.admissible(k, lambda[row], per_force),
        })
    }

    fn stops<S: Real>(x: &Points<S, N>, parameters: AxisLockParameters<S, L>) -> [Option<[S; 2]>; M] {
        let coordinates = K::coordinates(&x.now);
        let stops = std::array::from_fn(|k| {
            let now = parameters.within_half_turn(k, K::AXES[k], coordinates[k]);
            Some([parameters.min[k] - now, parameters.max[k] - now])
        });
        arranged::<K, _, N, M, N0, M0, L>([None; M0], stops)
    }

    fn compliance<S: Real>(alpha: S, parameters: AxisLockParameters<S, L>) -> [[S; M]; M] {
        let AxisLockParameters { lock, motors, .. } = parameters;
        let axes = std::array::from_fn(|k| if K::HAS_MOTORS { alpha * motors.compliance[k] } else { S::zero() });
        diagonal(arranged::<K, S, N, M, N0, M0, L>(lock.compliance::<K, N0, M0>(alpha), axes))
    }

    fn damping<S: Real>(gamma: S, parameters: AxisLockParameters<S, L>) -> [S; M] {
        let AxisLockParameters { lock, motors, .. } = parameters;
        let of_motor = |k: usize| gamma * motors.compliance[k] * motors.damping_coefficient[k];
        let axes = std::array::from_fn(|k| if K::HAS_MOTORS { of_motor(k) } else { S::zero() });
        arranged::<K, S, N, M, N0, M0, L>(lock.damping::<K, N0, M0>(gamma), axes)
    }

    fn sample(number: u32) -> Option<([[f32; 3]; N], AxisLockParameters<f32, L>)> {
        let of_lock = || <[[f32; 3]; N]>::try_from(<K as LockRows<N0, M0>>::sample(number)?.as_slice()).ok();
        let points = <K as FreeAxes<N, M, L>>::sample(number).or_else(of_lock)?;
        Some((points, AxisLockParameters::SAMPLE))
    }
}

/// Returns the entries of a lock and of its free axes in the order of the rows.
fn arranged<K, T, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    locked: [T; M0],
    axes: [T; L],
) -> [T; M]
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
    T: Copy,
{
    const { assert!(N0 <= N && M == M0 + L && L <= MOST_AXES, "the rows are those of the lock and one for each axis") };
    let (forces, torques) = locked.split_at(K::FORCE_ROWS);
    let (linear, angular) = axes.split_at(linear_axes(&K::AXES));
    let rows = [forces, linear, torques, angular].concat();
    std::array::from_fn(|row| rows[row])
}

/// Returns the number of axes along which a joint moves, which come first.
fn linear_axes(axes: &[JointAxis]) -> usize {
    axes.iter().take_while(|axis| axis.is_linear()).count()
}

/// Returns the constraint that locks a joint, with the motors and the hard limits of its free axes: `attachments` are
/// the points of the lock, and behind them those that only free axes need.
pub(in super::super) fn axis_lock<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    joint: usize,
    settings: &JointSettings,
    attachments: [Attachment; N],
    drives: [AxisDrive; L],
) -> Result<JointPart, JointError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    let (parameters, rows) = axis_lock_parameters(joint, settings, const { &K::AXES }, drives)?;
    if rows.limited == rows.driven && !rows.limited.contains(&true) {
        return lock::<K, N0, M0>(settings, std::array::from_fn(|point| attachments[point]));
    }
    axis_lock_part::<K, N, M, N0, M0, L>(attachments, parameters, rows)
}

/// Returns the constraint that locks a joint with these parameters.
pub(in super::super) fn axis_lock_part<
    K,
    const N: usize,
    const M: usize,
    const N0: usize,
    const M0: usize,
    const L: usize,
>(
    attachments: [Attachment; N],
    parameters: AxisLockParameters<f32, L>,
    rows: AxisRows,
) -> Result<JointPart, JointError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    let constraint: AxisLock<K, N0, M0, L> = AxisLock(PhantomData);
    let force_rows = K::FORCE_ROWS + linear_axes(&K::AXES);
    let part = JointPart::new(JointRole::Lock, constraint, attachments, parameters, force_rows)?;
    Ok(part.soft(1.0, damping_of_batch(parameters.is_damped())).layout(ParameterLayout::AxisLock(rows)))
}

/// Returns the parameters of an [`AxisLock`], and which of its axes are limited and driven.
pub(in super::super) fn axis_lock_parameters<const L: usize>(
    joint: usize,
    settings: &JointSettings,
    axes: &'static [JointAxis; L],
    drives: [AxisDrive; L],
) -> Result<(AxisLockParameters<f32, L>, AxisRows), JointError> {
    let [min, max] = UNLIMITED.map(|bound| [bound; L]);
    let (lock, motors) = (LockParameters::of(settings), MotorParameters::OFF);
    let mut parameters = AxisLockParameters { lock, min, max, motors };
    let none = [false; MOST_AXES];
    let mut rows = AxisRows { axes, limited: none, driven: none, locked: none, has_rotation_motor: false };
    for (k, AxisDrive { limits, motor }) in drives.into_iter().enumerate() {
        if let Some(limits) = limits.filter(JointLimits::is_hard) {
            rows.limited[k] = true;
            parameters.set_bounds(k, limits.bounds(joint, axes[k])?);
        }
        if let Some(motor) = motor {
            rows.driven[k] = true;
            parameters.motors.set(k, motor.parameters(joint)?);
        }
    }
    Ok((parameters, rows))
}

/// Gives the locked axes among those of an [`AxisLock`] the compliance of its lock.
pub(in super::super) fn soften_locked_axes(numbers: &mut [f32], rows: &AxisRows) {
    if rows.locked.contains(&true) {
        AxisLockParameters::<f32, MOST_AXES>::edit(numbers, |parameters| parameters.soften_locked_axes(rows));
    }
}

/// Changes the bounds of the k-th of several axes among the parameters of an [`AxisLock`].
pub(in super::super) fn set_bounds(numbers: &mut [f32], axes: usize, k: usize, bounds: [f32; 2]) {
    match axes {
        1 => AxisLockParameters::<f32, 1>::edit(numbers, |parameters| parameters.set_bounds(k, bounds)),
        6 => AxisLockParameters::<f32, 6>::edit(numbers, |parameters| parameters.set_bounds(k, bounds)),
        _ => AxisLockParameters::<f32, 2>::edit(numbers, |parameters| parameters.set_bounds(k, bounds)),
    }
}

/// Changes the motor of the k-th of several axes among the parameters of an [`AxisLock`].
pub(in super::super) fn set_motor(numbers: &mut [f32], axes: usize, k: usize, motor: MotorParameters<f32, 1>) {
    match axes {
        1 => AxisLockParameters::<f32, 1>::edit(numbers, |parameters| parameters.motors.set(k, motor)),
        6 => AxisLockParameters::<f32, 6>::edit(numbers, |parameters| parameters.motors.set(k, motor)),
        _ => AxisLockParameters::<f32, 2>::edit(numbers, |parameters| parameters.motors.set(k, motor)),
    }
}

/// Returns whether any row of an [`AxisLock`] with several axes is damped.
pub(in super::super) fn is_damped(numbers: &[f32], axes: usize) -> bool {
    match axes {
        1 => AxisLockParameters::<f32, 1>::from_numbers(numbers).is_damped(),
        6 => AxisLockParameters::<f32, 6>::from_numbers(numbers).is_damped(),
        _ => AxisLockParameters::<f32, 2>::from_numbers(numbers).is_damped(),
    }
}

/// Registers the constraints that lock a joint with and without rows for its free axes.
pub(in super::super) fn register<K, const N: usize, const M: usize, const N0: usize, const M0: usize, const L: usize>(
    registry: &mut Registry,
) -> Result<(), ConstraintError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    super::register::<K, N0, M0>(registry)?;
    register_alone::<K, N, M, N0, M0, L>(registry)
}

/// Registers the constraint that locks a joint with rows for its axes.
pub(in super::super) fn register_alone<
    K,
    const N: usize,
    const M: usize,
    const N0: usize,
    const M0: usize,
    const L: usize,
>(
    registry: &mut Registry,
) -> Result<(), ConstraintError>
where
    K: LockRows<N0, M0> + FreeAxes<N, M, L>,
{
    registry.register::<AxisLock<K, N0, M0, L>, N, M>(AxisLock(PhantomData)).map(drop)
}
