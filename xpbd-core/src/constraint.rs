//! What the author of a constraint writes.
//!
//! A constraint is a function C(x) of a few points that is zero when it is satisfied
//! (\[XPBD16\] eq. 1–2). It is written once, generic over the scalar; its gradient, its code for the
//! CPU and its self-check are derived from it.

pub mod check;
pub mod kind;
pub mod layout;
pub mod parameters;
pub mod points;
mod rows;
#[cfg(feature = "text")]
pub mod text;
pub mod update;

pub use check::ConstraintError;
pub use kind::ConstraintType;
pub use layout::ProgramLayout;
pub use parameters::Parameters;
pub use points::{Point, Points};

use crate::scalar::{Real, Vec3};

/// The points \[m\] and parameters at which the self-check evaluates a constraint.
pub type Sample<const N: usize, P> = ([[f32; 3]; N], P);

/// The order in which the rows of a constraint are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// Together, as one small linear system: for rows that describe one thing (a strain tensor).
    Block,
    /// One after the other, each seeing the correction of the rows before it: for rows of which
    /// one limits the next (contact, then friction).
    Sequential,
    /// Groups of rows one after the other, for rows that limit each other, as the directions of friction: the rows of a
    /// group move along their errors together and then take the nearest admissible multipliers. A group may come
    /// again: the groups are then swept more than once, with the multipliers kept. The rows are linearized once; a group
    /// sees what those before it have changed to first order. A row in no group moves nothing.
    Groups(&'static [&'static [usize]]),
}

/// An impact: an impulse that changes the mean rate of some rows at once.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Impact<S, const M: usize> {
    /// Part of each row in the mean \[1\]: 0 for a row that takes no part, all 0 if nothing hits.
    pub weights: [S; M],
    /// Rate that the mean of the rows is to have \[unit of C/s\].
    pub rate: S,
}

/// A constraint on `N` points with `M` rows.
///
/// ```
/// use xpbd_core::prelude::*;
///
/// xpbd_core::parameters! {
///     /// Parameters of [`Distance`].
///     pub struct DistanceParameters<S> {
///         /// Distance at rest \[m\].
///         pub rest_length: S,
///     }
/// }
///
/// /// Keeps two particles at a distance.
/// pub struct Distance;
///
/// impl Constraint<2, 1> for Distance {
///     type Parameters<S: Copy> = DistanceParameters<S>;
///
///     const NAME: &'static str = "my-distance";
///
///     fn value<S: Real>(x: &Points<S, 2>, parameters: DistanceParameters<S>) -> [S; 1] {
///         [(x.now[0] - x.now[1]).length() - parameters.rest_length]
///     }
/// }
/// # ConstraintType::of(Distance).unwrap();
/// ```
pub trait Constraint<const N: usize, const M: usize>: Send + Sync + 'static {
    /// The parameters of one constraint: a struct declared by [`parameters!`](crate::parameters), or an array.
    type Parameters<S: Copy>: Parameters<S>;

    /// Unique name, as it appears in snapshots, plans and errors.
    const NAME: &'static str;

    /// Order in which the rows are solved.
    const ROW_ORDER: RowOrder = RowOrder::Block;

    /// Compliance of each row of [`RowOrder::Groups`] relative to the inverse of its effective mass \[1\]: rows whose
    /// stiffness follows the masses that they move (\[Solver2D24\]).
    const SOFTNESS: [f32; M] = [0.0; M];

    /// True if a substep begins with the multipliers that the one before has ended with (warm starting), instead of
    /// none: for contacts, which hand them on from frame to frame.
    #[doc(hidden)]
    const KEEPS_MULTIPLIERS: bool = false;

    /// True if the constraint is solved after contacts, and so has the last word in a substep: for what must never happen,
    /// such as a tetrahedron that turns inside out. Contacts are violated by what that moves until the next substep.
    /// Direct systems are solved before contacts and after them in any case.
    const AFTER_CONTACTS: bool = false;

    /// True if the compliance represents a resistance, such as that of air, which stores no energy.
    const DISSIPATES: bool = false;

    /// True if its points on bodies push with the lever arms of the start of the substep, as in SHAKE \[Ryckaert77\]: for
    /// a constraint whose points coincide then and are pushed along axes that do not rotate. It takes no angular
    /// momentum. Where a substep rotates an arm by more than 60°, and between nodes that can all move, the arm as it is now
    /// serves.
    ///
    /// \[Ryckaert77\]: J.-P. Ryckaert, G. Ciccotti, H. Berendsen, Numerical integration of the Cartesian equations of motion of
    /// a system with constraints, Journal of Computational Physics 23, 1977.
    const ARMS_OF_START: bool = false;

    /// C(x): one number a row, zero when satisfied.
    fn value<S: Real>(x: &Points<S, N>, parameters: Self::Parameters<S>) -> [S; M];

    /// ∂C/∂x by hand, in place of the derived gradient: one vector for each row and point.
    ///
    /// For a cheaper or better conditioned form of the same derivative; compared with the derived
    /// one when the constraint is registered.
    fn gradient<S: Real>(_x: &Points<S, N>, _parameters: Self::Parameters<S>) -> Option<[[Vec3<S>; N]; M]> {
        None
    }

    /// Returns the multipliers nearest to `lambda` that the constraint may have: all of them for an
    /// equality, `max(0, λ)` for C ≥ 0, `min(0, λ)` for C ≤ 0, a cone for friction.
    ///
    /// λ/h² is the force (for a distance in metres: newtons) along the gradient. With
    /// [`RowOrder::Sequential`] or [`RowOrder::Groups`] the rows after the current one hold their old multipliers.
    /// Rows that are solved together may have a bound each: rows are then held at their bounds, and the others
    /// solved around them, so that every row has C = 0 or a multiplier at its bound.
    /// A force limit F is |λ| ≤ F `per_force`, with `per_force` the multiplier of a force of 1 N \[s²\].
    fn admissible<S: Real>(lambda: [S; M], _parameters: Self::Parameters<S>, _per_force: S) -> [S; M] {
        lambda
    }

    /// Returns how far C of each row may fall and how far it may rise, the smaller number first; `None`, the default,
    /// for a row without hard stops.
    ///
    /// A row with stops pushes with an admissible multiplier while C stays between them, and with any that is
    /// needed to stay there: a motor with a greatest force on an axis with hard limits is one row.
    fn stops<S: Real>(_x: &Points<S, N>, _parameters: Self::Parameters<S>) -> [Option<[S; 2]>; M] {
        [None; M]
    }

    /// Returns the rates Ċ \[unit of C/s\] that the constraint is to have at the end of a substep, from those
    /// that it has: for restitution and friction. Velocities are changed along its gradient, row after row
    /// or by [`RowOrder::Groups`], by impulses between its nodes: one of several nodes must not depend on where they
    /// all are. The multipliers take part: with an impulse p, λ grows by h p, as far as it is admissible. `None` leaves
    /// velocities as the positions have made them.
    fn target_rates<S: Real>(
        _x: &Points<S, N>,
        _rates: [S; M],
        _lambda: [S; M],
        _parameters: Self::Parameters<S>,
    ) -> Option<[S; M]> {
        None
    }

    /// Returns the impact of this constraint, if its nodes are about to hit each other, from the rates Ċ
    /// \[unit of C/s\] at the end of a substep: `None`, the default, for a type that has none, and weights of 0 where
    /// nothing hits. Rows without weight then take their [target rates](Constraint::target_rates), as far as the impulse
    /// makes them admissible, so that an impact has friction.
    #[doc(hidden)]
    fn impact<S: Real>(_x: &Points<S, N>, _rates: [S; M], _parameters: Self::Parameters<S>) -> Option<Impact<S, M>> {
        None
    }

    /// The parameters from the next frame on, from the points and the parameters at the end of a frame of
    /// length `dt` \[s\]: for what yields, creeps or grows. `None` for parameters that stay as they are.
    ///
    /// `x.before` is `x.now`, and `x.dt` is `dt`. A constraint none of whose nodes can move keeps its
    /// parameters, and so does one to which this gives a number that is not finite.
    fn evolve_parameters<S: Real>(
        _x: &Points<S, N>,
        _parameters: Self::Parameters<S>,
        _dt: S,
    ) -> Option<Self::Parameters<S>> {
        None
    }

    /// Returns the compliance matrix, symmetric, from the batch's scalar compliance `alpha`: the inverse
    /// of the stiffness k in the energy ½ Cᵀ k C (\[XPBD16\] eq. 3). Diagonal by default.
    fn compliance<S: Real>(alpha: S, _parameters: Self::Parameters<S>) -> [[S; M]; M] {
        std::array::from_fn(|row| std::array::from_fn(|column| if row == column { alpha } else { S::zero() }))
    }

    /// Returns the damping γ \[1\] of each row from that of the batch, α β/h: the same for all by default. Rows that differ
    /// need a diagonal compliance.
    fn damping<S: Real>(gamma: S, _parameters: Self::Parameters<S>) -> [S; M] {
        [gamma; M]
    }

    /// Returns the parts of their inverse masses with which points that are particles take part \[1\]; none for the whole
    /// of each. A contact lets a particle that something else holds take part as if it were heavier. The inverse masses
    /// of all points \[1/kg\] are those of their shares where constraints are solved at once.
    fn mobilities<S: Real>(
        _x: &Points<S, N>,
        _inverse_masses: [S; N],
        _parameters: Self::Parameters<S>,
    ) -> Option<[S; N]> {
        None
    }

    /// Returns points and parameters for the self-check, for constraints that are only defined for some:
    /// `None` takes random points in [−1, 1]³ and random parameters in [½, 3/2].
    fn sample(_number: u32) -> Option<Sample<N, Self::Parameters<f32>>> {
        None
    }
}
