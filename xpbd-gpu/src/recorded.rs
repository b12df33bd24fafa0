//! Functions of the core that kernels call: recorded as they are written for the CPU, and printed.

use xpbd_core::bodies::motion::RotationalState;
use xpbd_core::collide;
use xpbd_core::program::wgsl::{InputNames, PrintedProgram, print};
use xpbd_core::program::{Graph, InputSource, Program, Sym};
use xpbd_core::scalar::{Vec3, rotation};

/// Prints the function `advance_rotation` of [`RotationalState::advance`].
pub fn advance_rotation() -> String {
    let names = ["rotation", "angular_velocity", "torque", "inverse_inertia", "free"];
    let PrintedProgram { statements, outputs } = printed(&advance(&Graph::new()), &names);
    let (rotation, angular_velocity) = outputs.split_at(4);
    let (rotation, angular_velocity) = (rotation.join(", "), angular_velocity.join(", "));
    format!(
        "struct RotationalState {{
    rotation: vec4f,
    angular_velocity: vec3f,
}}

fn advance_rotation(
    rotation: vec4f, angular_velocity: vec3f, h: f32, torque: vec3f, inverse_inertia: vec3f, free: vec3f
) -> RotationalState {{
{statements}    return RotationalState(vec4f({rotation}), vec3f({angular_velocity}));
}}

"
    )
}

/// Prints the function `solve_angular_velocity` of [`RotationalState::angular_velocity_after`].
pub fn solve_angular_velocity() -> String {
    let names = ["rotation", "angular_velocity", "correction", "inverse_inertia", "free"];
    let PrintedProgram { statements, outputs } = printed(&solve(&Graph::new()), &names);
    let result = outputs.join(", ");
    format!(
        "fn solve_angular_velocity(
    rotation: vec4f, angular_velocity: vec3f, h: f32, correction: vec3f, inverse_inertia: vec3f, free: vec3f
) -> vec3f {{
{statements}    return vec3f({result});
}}

"
    )
}

/// Prints the function `rotated` of [`rotation::rotated_by`].
pub fn rotated() -> String {
    let PrintedProgram { statements, outputs } = printed(&rotate(&Graph::new()), &["rotation", "by"]);
    let result = outputs.join(", ");
    format!("fn rotated(rotation: vec4f, by: vec3f) -> vec4f {{\n{statements}    return vec4f({result});\n}}\n\n")
}

/// Prints the function `exit_direction` of [`collide::exit_direction`].
pub fn exit_direction() -> String {
    let PrintedProgram { statements, outputs } = printed(&exit(&Graph::new()), &["first", "second"]);
    let result = outputs.join(", ");
    format!(
        "fn exit_direction(first: vec4f, second: vec4f) -> vec4f {{\n{statements}    return vec4f({result});\n}}\n\n"
    )
}

/// Records the advance of a rotation over four gathered inputs for each of rotation, angular velocity, torque, inverse
/// inertia and free axes.
fn advance(graph: &Graph) -> Program {
    let state = RotationalState { rotation: quaternion(graph, 0), angular_velocity: vector(graph, 1) };
    let h = graph.input(InputSource::Uniform(0));
    let after = state.advance(h, vector(graph, 2), vector(graph, 3), vector(graph, 4));
    Program::lower(graph, &after.rotation.into_iter().chain(after.angular_velocity.to_array()).collect::<Vec<_>>())
}

/// Records the angular velocity after constraints, with the rotation by these in place of the torque.
fn solve(graph: &Graph) -> Program {
    let state = RotationalState { rotation: quaternion(graph, 0), angular_velocity: vector(graph, 1) };
    let h = graph.input(InputSource::Uniform(0));
    let after = state.angular_velocity_after(h, vector(graph, 2), vector(graph, 3), vector(graph, 4));
    Program::lower(graph, &after.to_array())
}

fn rotate(graph: &Graph) -> Program {
    Program::lower(graph, &rotation::rotated_by(quaternion(graph, 0), vector(graph, 1)))
}

fn exit(graph: &Graph) -> Program {
    Program::lower(graph, &collide::exit_direction(quaternion(graph, 0), quaternion(graph, 1)))
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
    fn recorded_functions_have_the_bits_of_plain_numbers() {
        let graph = Graph::new;
        let programs = [advance(&graph()), rotate(&graph()), solve(&graph()), exit(&graph())];
        let h = 3e-3;
        for seed in 0..50_000 {
            let numbers = inputs(seed);
            let at = |k: usize| Single(numbers[k]);
            let vector = |k: usize| Vec3::new(at(k), at(k + 1), at(k + 2));
            let rotation = [0, 1, 2, 3].map(at);
            let state = RotationalState { rotation, angular_velocity: vector(4) };
            let after = state.advance(Single(h), vector(8), vector(12), vector(16));
            let advanced = after.rotation.into_iter().chain(after.angular_velocity.to_array()).collect();
            let rotated = rotation::rotated_by(rotation, vector(4)).to_vec();
            let solved = state.angular_velocity_after(Single(h), vector(8), vector(12), vector(16)).to_array().to_vec();
            let exit = collide::exit_direction(rotation, [4, 5, 6, 7].map(at)).to_vec();
            for (program, expected) in programs.iter().zip([advanced, rotated, solved, exit]) {
                let found = evaluate(program, &numbers, &[], &[h]);
                let same = |(a, b): (&f32, &Single)| a.to_bits() == b.0.to_bits() || a.is_nan() && b.0.is_nan();
                assert!(found.iter().zip(&expected).all(same), "{numbers:?}: {found:?} {expected:?}");
            }
        }
    }
}
