//! Couplings of the free axes of two joints: gears, belts, and racks with their pinions.
//!
//! ```text
//!   gear:  C = wrap(n₁ θ₁ + n₂ θ₂ − φ)/n₂ [rad]        n: teeth of the wheels, the second negative for a belt
//!   rack:  C = r wrap(x/r − θ − φ) [m]                  r: pitch radius of the pinion
//! ```
//!
//! θ are the angles of hinges and x the translation of a slider, and φ is what the rest of the argument is when the coupling
//! is added. Angles of hinges are known up to whole turns: of these a whole number of teeth, or of circumferences, vanishes
//! in the wrap to ±π, so that wheels turn as often as they like and do not drift. λ/h² is the torque on the second wheel
//! \[N m\], or the force on the rack \[N\].

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};
use xpbd_core::batch::Batch;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::{Constraint, ConstraintType, Parameters, Points};
use xpbd_core::parameters;
use xpbd_core::scalar::Real;
use xpbd_core::world::{BatchHandle, BodyHandle, World, WorldError};

use super::geometry::{signed_angle, wrap_angle};
use super::part::{Attachment, angular_attachments, linear_attachments};
use super::settings::{check_soft, check_threshold};
use super::{JointAxis, JointError, JointHandle};

parameters! {
    /// Parameters of a [`GearRow`].
    pub struct GearParameters<S> {
        /// Teeth of the two wheels; those of the second are negative where both turn the same way.
        pub teeth: [S; 2],
        /// n₁ θ₁ + n₂ θ₂ in mesh \[rad\].
        pub phase: S,
    }
}

/// The row of a gear: two angles, each given by three axes. Compliance \[rad/(N m)\].
#[derive(Debug, Clone, Copy)]
pub struct GearRow;

impl Constraint<6, 1> for GearRow {
    type Parameters<S: Copy> = GearParameters<S>;

    const NAME: &'static str = "gear";

    fn value<S: Real>(x: &Points<S, 6>, gear: GearParameters<S>) -> [S; 1] {
        let [u1, v1, w1, u2, v2, w2] = x.now.map(|point| point.axis());
        let [first, second] = [signed_angle(u1, [v1, w1]), signed_angle(u2, [v2, w2])];
        let apart = wrap_angle(first * gear.teeth[0] + second * gear.teeth[1] - gear.phase);
        [apart / gear.teeth[1]]
    }
}

parameters! {
    /// Parameters of a [`RackRow`].
    pub struct RackParameters<S> {
        /// Pitch radius of the pinion \[m\], negative where the rack moves the other way.
        pub radius: S,
        /// x/r − θ in mesh \[rad\].
        pub phase: S,
    }
}

/// The row of a rack: an angle, given by three axes, and a translation along an axis between two points. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct RackRow;

impl Constraint<6, 1> for RackRow {
    type Parameters<S: Copy> = RackParameters<S>;

    const NAME: &'static str = "rack";

    fn value<S: Real>(x: &Points<S, 6>, rack: RackParameters<S>) -> [S; 1] {
        let angle = signed_angle(x.now[0].axis(), [x.now[1].axis(), x.now[2].axis()]);
        let way = (x.now[4] - x.now[3]).dot(x.now[5].axis());
        [wrap_angle(way / rack.radius - angle - rack.phase) * rack.radius]
    }
}

/// A coupling of the free axes of two joints.
///
/// Of a gear both joints rotate; of a rack the first rotates and the second slides. The joints hold the wheels where they
/// are, and the coupling stays in mesh as long as it slips by less than half a tooth, or half a turn of the pinion.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let mut wheel = |x| world.add_body(Body::dynamic(Pose::translation(x, 0.0, 0.0), Mass::ball(1.0, 0.1)));
/// # let [small, large] = [wheel(0.0)?, wheel(0.3)?];
/// let small = HingeJoint::new(Vec3::ZERO, Vec3::Z).add_to_world(&mut world, small)?;
/// let large = HingeJoint::new(Vec3::X * 0.3, Vec3::Z).add_to_world(&mut world, large)?;
/// let gear = JointCoupling::gear(12, 36).add(&mut world, [&small, &large])?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub struct JointCoupling {
    /// The ratio of the two axes.
    pub ratio: CouplingRatio,
    /// Compliance at the second axis \[rad/(N m) or m/N\]; 0 is rigid.
    pub compliance: f32,
    /// Damping coefficient of the compliance \[N m s/rad or N s/m\].
    pub damping_coefficient: f32,
    /// The torque \[N m\] or force \[N\] at the second axis above which the coupling breaks.
    pub break_load: f32,
}

/// The ratio of two coupled axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect), reflect(Clone, Debug, PartialEq))]
pub enum CouplingRatio {
    /// Two bodies that turn like wheels in mesh.
    Gear {
        /// Number of teeth of each wheel, at least one.
        teeth: [u32; 2],
        /// True if the wheels turn the same way, as by a belt or where one lies in the other.
        same_way: bool,
    },
    /// A pinion and a rack.
    Rack {
        /// Pitch radius of the pinion \[m\]; negative if the rack moves backward where the pinion turns forward.
        radius: f32,
    },
}

impl JointCoupling {
    /// Returns two wheels in mesh, which turn opposite ways, with these numbers of teeth.
    pub fn gear(first: u32, second: u32) -> Self {
        Self::new(CouplingRatio::Gear { teeth: [first, second], same_way: false })
    }

    /// Returns two wheels in a belt or a chain, which turn the same way, with these numbers of teeth.
    pub fn belt(first: u32, second: u32) -> Self {
        Self::new(CouplingRatio::Gear { teeth: [first, second], same_way: true })
    }

    /// Returns a pinion of this pitch radius \[m\] and a rack.
    pub fn rack(radius: f32) -> Self {
        Self::new(CouplingRatio::Rack { radius })
    }

    fn new(ratio: CouplingRatio) -> Self {
        Self { ratio, compliance: 0.0, damping_coefficient: 0.0, break_load: f32::INFINITY }
    }

    /// Sets the compliance \[rad/(N m) or m/N\] and the damping coefficient \[N m s/rad or N s/m\] at the second axis.
    #[must_use]
    pub fn soft(self, compliance: f32, damping_coefficient: f32) -> Self {
        Self { compliance, damping_coefficient, ..self }
    }

    /// Breaks the coupling when it bears more than this torque \[N m\] or force \[N\] at the second axis, in the mean over
    /// a frame.
    #[must_use]
    pub fn break_load(self, break_load: f32) -> Self {
        Self { break_load, ..self }
    }

    /// Couples two joints as they stand: of a gear, two hinges or cylindrical joints; of a rack, one of these and a slider
    /// or a cylindrical joint.
    ///
    /// # Errors
    /// A number that is not valid, or a joint that has been removed; the world is then as it was.
    pub fn add(self, world: &mut World, joints: [&JointHandle; 2]) -> Result<CouplingHandle, JointError> {
        let parameters = self.parameters(world, joints)?;
        let (kind, attachments) = match self.ratio {
            CouplingRatio::Gear { .. } => (ConstraintType::of(GearRow)?, joints.map(angle_of)),
            CouplingRatio::Rack { .. } => {
                (ConstraintType::of(RackRow)?, [angle_of(joints[0]), translation_of(joints[1])])
            }
        };
        let mut bodies: Vec<BodyHandle> = Vec::new();
        for body in joints.iter().flat_map(|joint| joint.bodies()) {
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        let points = joints.into_iter().zip(&attachments).flat_map(|(joint, attachments)| {
            let node = |body| bodies.iter().position(|&other| other == body).unwrap_or(0) as u8;
            let nodes = joint.bodies().map(node);
            attachments.map(|attachment| attachment.on_node(nodes[usize::from(attachment.node())]))
        });
        let points: Vec<Attachment> = points.collect();
        let connectors = Connectors::new(&points.iter().map(|point| point.connector()).collect::<Vec<_>>())?;
        let nodes = (0..bodies.len() as u32).collect();
        let batch =
            Batch::from_parts(kind, connectors, nodes, points.iter().map(|point| point.local()).collect(), parameters)?
                .compliance(self.compliance)
                .damping(self.damping_coefficient);
        let batch = if self.break_load < f32::INFINITY {
            batch.break_forces(1, vec![[self.break_load, f32::INFINITY]])?
        } else {
            batch
        };
        let batch = world.add_batch(&[], &bodies, batch)?;
        Ok(CouplingHandle { batch, joints: joints.map(JointHandle::clone) })
    }

    /// Checks the numbers, and returns the parameters for joints as they stand.
    fn parameters(&self, world: &World, joints: [&JointHandle; 2]) -> Result<Vec<f32>, JointError> {
        check_soft(0, "coupling's compliance", self.compliance)?;
        check_soft(0, "coupling's damping coefficient", self.damping_coefficient)?;
        check_threshold(0, "coupling's break load", self.break_load)?;
        let angle = |joint: usize| joints[joint].coordinate(world, JointAxis::Angular).map(f64::from);
        let wrapped = |angle: f64| (angle - (angle / TAU).round() * TAU) as f32;
        Ok(match self.ratio {
            CouplingRatio::Gear { teeth: [first, second], same_way } => {
                for (joint, count) in [first, second].into_iter().enumerate() {
                    if !(1..=MOST_TEETH).contains(&count) {
                        let must = "from 1 to 1000";
                        return Err(JointError::Number { joint, what: "number of teeth", value: count as f32, must });
                    }
                }
                let teeth = [f64::from(first), f64::from(second) * if same_way { -1.0 } else { 1.0 }];
                let phase = wrapped(teeth[0] * angle(0)? + teeth[1] * angle(1)?);
                GearParameters { teeth: teeth.map(|teeth| teeth as f32), phase }.to_numbers()
            }
            CouplingRatio::Rack { radius } => {
                if !(radius.is_finite() && radius.abs() > 1e-6) {
                    return Err(JointError::Number {
                        joint: 0,
                        what: "pitch radius",
                        value: radius,
                        must: "finite and not zero",
                    });
                }
                let way = f64::from(joints[1].coordinate(world, JointAxis::Linear)?);
                RackParameters { radius, phase: wrapped(way / f64::from(radius) - angle(0)?) }.to_numbers()
            }
        })
    }
}

/// The most teeth of a wheel: single precision knows an angle times this number to a hundredth of a tooth.
const MOST_TEETH: u32 = 1000;

/// Returns the points of the angle of a joint.
fn angle_of(joint: &JointHandle) -> [Attachment; 3] {
    angular_attachments(&joint.bases[0], &joint.bases[1])
}

/// Returns the points of the translation of a joint.
fn translation_of(joint: &JointHandle) -> [Attachment; 3] {
    linear_attachments(&joint.bases[0], &joint.bases[1])
}

/// A handle of a coupling in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct CouplingHandle {
    batch: BatchHandle,
    joints: [JointHandle; 2],
}

impl CouplingHandle {
    /// Returns the joints that it couples.
    pub fn joints(&self) -> [&JointHandle; 2] {
        self.joints.each_ref()
    }

    /// Returns the batch of its constraint.
    pub fn batch(&self) -> BatchHandle {
        self.batch
    }

    /// Returns the torque on the second wheel \[N m\], or the force on the rack \[N\], the mean over the last frame.
    ///
    /// # Errors
    /// The coupling has been removed.
    pub fn load(&self, world: &World) -> Result<f32, JointError> {
        Ok(world.row_forces(self.batch, 0)?[0])
    }

    /// Changes the numbers of the coupling to those of another description of the same kind, from where the joints stand.
    /// There is no new plan.
    ///
    /// # Errors
    /// The coupling or a joint has been removed, a number is not valid, or a gear is to become a rack.
    pub fn update(&self, world: &mut World, coupling: JointCoupling) -> Result<(), JointError> {
        let parameters = coupling.parameters(world, self.joints())?;
        let batch = world.batch(self.batch)?.traced().ok_or(WorldError::StaleHandle("traced batch"))?;
        if batch.kind().parameter_count() != parameters.len() {
            return Err(JointError::CouplingKind);
        }
        let was_limited = batch.break_limits_of(0).is_some();
        world.edit_parameters(self.batch, |numbers| {
            numbers.parameters_mut(0).copy_from_slice(&parameters);
            numbers.set_compliance(0, coupling.compliance);
            numbers.set_damping(0, coupling.damping_coefficient);
            if was_limited || coupling.break_load < f32::INFINITY {
                numbers.set_break_limits(0, [coupling.break_load, f32::INFINITY]);
            }
        })?;
        Ok(())
    }

    /// Returns whether the coupling has broken.
    ///
    /// # Errors
    /// The coupling has been removed.
    pub fn is_broken(&self, world: &World) -> Result<bool, JointError> {
        Ok(world.batch(self.batch)?.traced().is_some_and(|batch| batch.is_broken(0)))
    }

    /// Removes the coupling; the joints stay.
    ///
    /// # Errors
    /// The coupling has been removed before.
    pub fn remove(&self, world: &mut World) -> Result<(), JointError> {
        Ok(world.remove_batch(self.batch)?)
    }
}
