//! A spring with a damper between two points (\[XPBD16\] eq. 1, \[Rigid20\] §3.3.1).
//!
//! ```text
//!   a ●/\/\/\● b    free: everything, elastically
//!                   C = |x₁ − x₀| − l, one row [m];  α = 1/k
//!                   λ/h²: the force on b, −k C − c Ċ [N], positive where it pushes the two apart
//! ```

use glam::Vec3;
use serde::{Deserialize, Serialize};
use xpbd_core::prelude::*;

use super::part::{A, B, Role, point};
use super::setup::Setup;
use super::{Axes, Frame, Joint, JointError, Part};

/// Holds two points at a distance. Parameter: rest length \[m\]. Compliance \[m/N\].
#[derive(Debug, Clone, Copy)]
pub struct SpringRow;

impl Constraint<2, 1> for SpringRow {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "spring-joint";

    fn value<S: Real>(x: &Points<S, 2>, [rest]: [S; 1]) -> [S; 1] {
        [(x.now[1] - x.now[0]).length() - rest]
    }
}

/// A spring and damper: a suspension, a bungee.
///
/// ```
/// # use glam::Vec3;
/// # use parry3d::math::Pose;
/// # use xpbd_rigid::prelude::*;
/// # let mut world = World::new(Settings::default())?;
/// # let car = world.add_body(Body::dynamic(Pose::IDENTITY, Mass::ball(1.0, 0.1)))?;
/// # let wheel = world.add_body(Body::dynamic(Pose::translation(0.0, -0.5, 0.0), Mass::ball(1.0, 0.1)))?;
/// let strut = Spring::new(Vec3::ZERO, Vec3::ZERO, 0.5).stiffness(2e4).damping(1.5e3);
/// let strut = strut.add(&mut world, car, wheel)?;
/// # Ok::<(), JointError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// What all joints have; its compliance is that of the spring.
    pub setup: Setup,
    /// Rest length \[m\].
    pub rest: f32,
}

impl Spring {
    /// From a point \[m\] on the first body to one on the second, each in the frame of its body, with
    /// this rest length \[m\].
    pub fn new(on_a: Vec3, on_b: Vec3, rest: f32) -> Self {
        let [a, b] = [on_a, on_b].map(|point| Frame::new(point, Vec3::X));
        Self { setup: Setup::on_bodies(a, b), rest }
    }

    /// With this stiffness \[N/m\]; the default is rigid.
    #[must_use]
    pub fn stiffness(self, stiffness: f32) -> Self {
        self.compliance(1.0 / stiffness)
    }
}

impl Joint for Spring {
    fn setup(&mut self) -> &mut Setup {
        &mut self.setup
    }

    fn parts(&self, [a, b]: [&Axes; 2], joint: usize) -> Result<Vec<Part>, JointError> {
        if !(self.rest.is_finite() && self.rest >= 0.0) {
            let (what, must) = ("rest length", "finite and not negative");
            return Err(JointError::Number { joint, what, value: self.rest, must });
        }
        let ties = [point(A, a.point), point(B, b.point)];
        Ok(vec![Part::new(Role::Hold, SpringRow, ties, [self.rest], 1)?])
    }
}
