//! Rotations of bodies as functions that kernels call, recorded from the core as they are written.

use std::fmt::Write;

use xpbd_core::bodies::motion::RotationalState;
use xpbd_core::program::wgsl::{InputNames, PrintedProgram, print};
use xpbd_core::program::{Graph, InputSource, Program, Sym};
use xpbd_core::scalar::{Vec3, rotation};

/// Prints the function `advance_rotation` of [`RotationalState::advance`].
pub fn advance_rotation() -> String {
    let names = ["rotation", "spin", "torque", "inverse_inertia", "free"];
    let PrintedProgram { statements, outputs } = printed(&advance(&Graph::new()), &names);
    let (rotation, spin) = outputs.split_at(4);
    let mut text = String::from(
        "struct RotationalState {
    rotation: vec4f,
    spin: vec3f,
}

fn advance_rotation(
    rotation: vec4f, spin: vec3f, h: f32, torque: vec3f, inverse_inertia: vec3f, free: vec3f
) -> RotationalState {
",
    );
    text += &statements;
    // Writing to a string cannot fail.
    let _ =
        writeln!(text, "    return RotationalState(vec4f({}), vec3f({}));\n}}\n", rotation.join(", "), spin.join(", "));
    text
}

/// Prints the function `solve_angular_velocity` of [`RotationalState::settle`].
pub fn solve_angular_velocity() -> String {
    let names = ["rotation", "spin", "turn", "inverse_inertia", "free"];
    let PrintedProgram { statements, outputs } = printed(&settle(&Graph::new()), &names);
    let head = "fn solve_angular_velocity(
    rotation: vec4f, spin: vec3f, h: f32, turn: vec3f, inverse_inertia: vec3f, free: vec3f
) -> vec3f {
";
    format!("{head}{statements}    return vec3f({});\n}}\n\n", outputs.join(", "))
}

/// Prints the function `rotated` of [`rotation::turned`].
pub fn rotated() -> String {
    let PrintedProgram { statements, outputs } = printed(&turn(&Graph::new()), &["rotation", "by"]);
    let result = outputs.join(", ");
    format!("fn rotated(rotation: vec4f, by: vec3f) -> vec4f {{\n{statements}    return vec4f({result});\n}}\n\n")
}

/// Records `advance` over four gathered inputs for each of rotation, angular velocity, torque, inverse inertia and free axes.
fn advance(graph: &Graph) -> Program {
    let turning = RotationalState { rotation: quaternion(graph, 0), angular_velocity: vector(graph, 1) };
    let h = graph.input(InputSource::Uniform(0));
    let after = turning.advance(h, vector(graph, 2), vector(graph, 3), vector(graph, 4));
    Program::lower(graph, &after.rotation.into_iter().chain(after.angular_velocity.to_array()).collect::<Vec<_>>())
}

/// Records `settle` with the rotation by constraints in place of the torque.
fn settle(graph: &Graph) -> Program {
    let turning = RotationalState { rotation: quaternion(graph, 0), angular_velocity: vector(graph, 1) };
    let h = graph.input(InputSource::Uniform(0));
    Program::lower(
        graph,
        &turning.angular_velocity_after(h, vector(graph, 2), vector(graph, 3), vector(graph, 4)).to_array(),
    )
}

fn turn(graph: &Graph) -> Program {
    Program::lower(graph, &rotation::rotated_by(quaternion(graph, 0), vector(graph, 1)))
}

/// Prints a program with a name for each four of its inputs.
fn printed(program: &Program, names: &[&str]) -> PrintedProgram {
    let component = |input: u16| format!("{}.{}", names[input as usize / 4], ["x", "y", "z", "w"][input as usize % 4]);
    print(program, "v", &InputNames { gathered: &component, column: &|_| "0.0".into(), uniform: &|_| "h".into() })
}

fn quaternion(graph: &Graph, number: u16) -> [Sym<'_>; 4] {
    [0, 1, 2, 3].map(|k| graph.input(InputSource::Gathered(4 * number + k)))
}

fn vector(graph: &Graph, number: u16) -> Vec3<Sym<'_>> {
    let [x, y, z, _] = quaternion(graph, number);
    Vec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use xpbd_core::program::interpret::evaluate;
    use xpbd_core::scalar::Single;

    use super::*;

    /// Inputs among which zeros of both signs, and numbers that cancel each other, are frequent.
    fn inputs(seed: u32) -> Vec<f32> {
        let number = |k: u32| {
            let bits = (seed * 20 + k).wrapping_mul(2_654_435_761).rotate_right(11).wrapping_mul(2_246_822_519) >> 5;
            let size = match bits % 4 {
                0 | 1 => 0.0,
                2 => 0.5,
                _ => (bits % 2003) as f32 / 1000.0,
            };
            if bits & 1024 == 0 { size } else { -size }
        };
        (0..20).map(number).collect()
    }

    #[test]
    fn what_is_printed_has_the_bits_of_plain_numbers() {
        let (programs, h) = ([advance(&Graph::new()), turn(&Graph::new()), settle(&Graph::new())], 3e-3);
        for seed in 0..50_000 {
            let numbers = inputs(seed);
            let at = |k: usize| Single(numbers[k]);
            let vector = |k: usize| Vec3::new(at(k), at(k + 1), at(k + 2));
            let rotation = [0, 1, 2, 3].map(at);
            let turning = RotationalState { rotation, angular_velocity: vector(4) };
            let after = turning.advance(Single(h), vector(8), vector(12), vector(16));
            let advanced = after.rotation.into_iter().chain(after.angular_velocity.to_array()).collect();
            let turned = rotation::rotated_by(rotation, vector(4)).to_vec();
            let settled =
                turning.angular_velocity_after(Single(h), vector(8), vector(12), vector(16)).to_array().to_vec();
            for (program, expected) in programs.iter().zip([advanced, turned, settled]) {
                let found = evaluate(program, &numbers, &[], &[h]);
                let same = |(a, b): (&f32, &Single)| a.to_bits() == b.0.to_bits() || a.is_nan() && b.0.is_nan();
                assert!(found.iter().zip(&expected).all(same), "{numbers:?}: {found:?} {expected:?}");
            }
        }
    }
}
