//! The recorded updates of contacts as functions that kernels call.

use std::sync::Arc;

use xpbd_core::collide::contact::{FrictionParameters, ParticleContactParameters, ShapeContactParameters};
use xpbd_core::collide::{ParticleContact, ShapeContact};
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::update::UpdateVariant;
use xpbd_core::constraint::{ConstraintError, ConstraintType, Parameters};
use xpbd_core::scalar::Vec3;

use crate::pass_kernel::PrintedUpdate;

/// The names of the friction coefficients in both kernels.
const FRICTION: FrictionParameters<&str> =
    FrictionParameters { static_coefficient: "friction.x", dynamic_coefficient: "friction.y" };

/// The names of the parameters of [`ShapeContact`] in `collider_contacts.wgsl`.
const SHAPE: ShapeContactParameters<&str> = ShapeContactParameters {
    normal: Vec3 { x: "normal.x", y: "normal.y", z: "normal.z" },
    gap: "gap",
    displacement: Vec3 { x: "slide.x", y: "slide.y", z: "slide.z" },
    friction: FRICTION,
    max_depenetration_speed: "substep.max_depenetration_speed",
    rebound: "rebound",
};

/// The names of the parameters of [`ParticleContact`] in `particle_pairs.wgsl`.
const PAIR: ParticleContactParameters<&str> = ParticleContactParameters {
    distance: "separation.w",
    friction: FRICTION,
    max_depenetration_speed: "substep.max_depenetration_speed",
    shift: Vec3 { x: "separation.x", y: "separation.y", z: "separation.z" },
    rebound: "rebound",
    stiffness: ["first_hold.x", "second_hold.x"],
    damping: ["first_hold.y", "second_hold.y"],
    free: ["free.x", "free.y"],
};

/// Prints the function `solve_contact`; with `warm` multipliers are kept from iteration to iteration.
///
/// # Errors
/// The constraint fails its self-check.
pub fn shape_contact(warm: bool) -> Result<String, ConstraintError> {
    let kind = ConstraintType::of(ShapeContact)?;
    let update = recorded(&kind, 1, UpdateVariant { warm, ..UpdateVariant::default() }, &SHAPE.to_numbers());
    Ok(format!(
        "struct ContactStep {{
    lambda: vec2f,
    shift: vec4f,
}}

fn solve_contact(
    i: u32, normal: vec3f, gap: f32, slide: vec3f, friction: vec2f, rebound: f32, before: vec2f
) -> ContactStep {{
    let a0 = anchor[i];
    let origin = vec4f(a0.xyz, 0.0);
    let x0 = (a0 - origin) + offset[i];
    let b0 = (a0 - origin) + start[i];
    let l0 = before.x;
    let l1 = before.y;
{}    return ContactStep(vec2f({}, {}), {});
}}
",
        update.statements, update.lambda[0], update.lambda[1], update.shifts[0]
    ))
}

/// Prints the function `solve_pair` of two particles.
///
/// # Errors
/// The constraint fails its self-check.
pub fn particle_contact(warm: bool) -> Result<String, ConstraintError> {
    let kind = ConstraintType::of(ParticleContact)?;
    let variant = UpdateVariant { warm, shared: true, ..UpdateVariant::default() };
    let update = recorded(&kind, 2, variant, &PAIR.to_numbers());
    Ok(format!(
        "struct PairStep {{
    lambda: vec2f,
    first: vec4f,
    second: vec4f,
}}

fn solve_pair(
    i: u32, j: u32, separation: vec4f, friction: vec2f, rebound: f32, first_hold: vec2f, second_hold: vec2f, free: vec2f,
    shares: vec2f, before: vec2f
) -> PairStep {{
    let a0 = anchor[i];
    let a1 = anchor[j];
    let origin = vec4f(a0.xyz, 0.0);
    let x0 = (a0 - origin) + offset[i];
    let x1 = (a1 - origin) + offset[j];
    let b0 = (a0 - origin) + start[i];
    let b1 = (a1 - origin) + start[j];
    let l0 = before.x;
    let l1 = before.y;
{}    return PairStep(vec2f({}, {}), {}, {});
}}
",
        update.statements, update.lambda[0], update.lambda[1], update.shifts[0], update.shifts[1]
    ))
}

/// Records an update whose parameters have names.
fn recorded(kind: &Arc<ConstraintType>, points: usize, variant: UpdateVariant, params: &[&str]) -> PrintedUpdate {
    PrintedUpdate::new(kind, &Connectors::particles(points), variant, &|layout, column| {
        let param = column.checked_sub(layout.parameters).and_then(|k| params.get(k as usize));
        match (param, column.checked_sub(layout.mass_shares)) {
            (Some(name), _) => (*name).into(),
            (None, Some(slot)) => ["shares.x", "shares.y"][usize::from(slot == 1)].into(),
            (None, None) => "0.0".into(),
        }
    })
}
