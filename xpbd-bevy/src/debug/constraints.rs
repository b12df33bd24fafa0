//! Constraints of the plan.

use bevy::color::palettes::css;
use bevy::prelude::*;
use xpbd_core::connector::{Connector, NodeKind};
use xpbd_core::schedule::TracedPass;
use xpbd_core::world::State;

use super::ConstraintGizmos;
use super::limited_gizmos::LimitedGizmos;

/// Draws the constraints that the last step has solved. After an edit the plan names particles that may be others.
pub(super) fn draw(
    pen: &mut LimitedGizmos<'_, '_, '_>,
    state: &State,
    constraints: Option<ConstraintGizmos>,
    joints: Option<Color>,
) {
    if state.plan_is_stale {
        return;
    }
    for pass in state.plan.traced() {
        match (pass.connectors.only_particles(), constraints, joints) {
            (true, Some(how), _) => lines(pen, state, pass, how),
            (false, _, Some(color)) => (0..pass.len()).for_each(|slot| joint(pen, state, pass, slot, color)),
            _ => {}
        }
    }
}

/// Every constraint of a pass as lines from each of its particles to the next.
fn lines(pen: &mut LimitedGizmos<'_, '_, '_>, state: &State, pass: &TracedPass, how: ConstraintGizmos) {
    let per_multiplier = 1.0 / state.effective_square(state.last_substep);
    let groups = pass.colours.iter().cloned().map(Some).chain([None]);
    for (number, group) in groups.enumerate() {
        let is_last = group.is_none();
        for slot in group.unwrap_or(pass.remainder.clone()) {
            for pair in pass.nodes.windows(2) {
                let (a, b) = (pair[0][slot] as usize, pair[1][slot] as usize);
                let color = match how {
                    ConstraintGizmos::Colours if is_last => css::WHITE.into(),
                    // The golden angle keeps neighbours apart.
                    ConstraintGizmos::Colours => Color::hsl((number as f32 * 137.508).rem_euclid(360.0), 0.9, 0.6),
                    ConstraintGizmos::Strain { full } => strain(state, a, b, full),
                    ConstraintGizmos::Force { full } => {
                        let square: f32 = pass.reaction_multipliers().iter().map(|row| row[slot] * row[slot]).sum();
                        heat(square.sqrt() * per_multiplier / full)
                    }
                };
                if a.max(b) < state.particles.len() {
                    pen.line(state.particles.position(a), state.particles.position(b), color);
                }
            }
        }
    }
}

/// From grey to red at 1 and blue at −1.
fn heat(part: f32) -> Color {
    let part = if part.is_finite() { part.clamp(-1.0, 1.0) } else { 0.0 };
    let (grey, end) = (LinearRgba::gray(0.4), if part > 0.0 { LinearRgba::RED } else { LinearRgba::BLUE });
    grey.mix(&end, part.abs()).into()
}

fn strain(state: &State, a: usize, b: usize, full: f32) -> Color {
    let particles = &state.particles;
    let (Some(rest_a), Some(rest_b)) = (particles.rest_positions.get(a), particles.rest_positions.get(b)) else {
        return heat(0.0);
    };
    let rest = rest_a.distance(*rest_b);
    heat((particles.between(a, b).length() / rest - 1.0) / full)
}

/// A constraint with bodies: the points by which it holds them, in turn, each joined to the centre of its body.
fn joint(pen: &mut LimitedGizmos<'_, '_, '_>, state: &State, pass: &TracedPass, slot: usize, color: Color) {
    let mut before: Option<Vec3> = None;
    // The first columns are the local vectors on bodies, three numbers each.
    let mut columns = pass.columns.chunks_exact(3);
    for &point in pass.connectors.points() {
        let node = pass.nodes[point.node()][slot] as usize;
        let local = match point.kind() {
            NodeKind::Body => columns.next().map(|axes| Vec3::new(axes[0][slot], axes[1][slot], axes[2][slot])),
            NodeKind::Particle => None,
        };
        let place = match (point, local) {
            (Connector::Particle { .. }, _) if node < state.particles.len() => state.particles.position(node),
            (Connector::BodyPoint { .. }, Some(local)) if node < state.bodies.len() => {
                let pose = state.bodies.central_pose(node);
                let place = pose.transform_point(local);
                pen.line(pose.translation, place, color);
                place
            }
            _ => continue,
        };
        if let Some(before) = before.replace(place) {
            pen.line(before, place, color);
        }
    }
}
