//! Prints a program as WGSL, for back ends on GPUs.
//!
//! Every instruction becomes one immutable value, in the order in which the interpreter runs them
//! and with the same roundings, so a device that does not fuse operations gives the same bits.
//! Comparisons are spelled out as `select` because the built-in `min` and `max` may order zeros
//! differently.

pub mod function;

pub use function::{constants, function, function_of_struct};

use std::fmt::Write;

use super::{Instruction, Opcode, Operand, Program};

/// The text by which a printed program refers to its inputs.
pub struct InputNames<'a> {
    /// Text of a gathered input.
    pub gathered: &'a dyn Fn(u16) -> String,
    /// Text of a column.
    pub column: &'a dyn Fn(u16) -> String,
    /// Text of a uniform.
    pub uniform: &'a dyn Fn(u16) -> String,
}

/// A printed program.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedProgram {
    /// One `let` a line, indented by four.
    pub statements: String,
    /// An expression for each output.
    pub outputs: Vec<String>,
}

/// Prints the instructions of a program. Values are named `prefix` and a number.
pub fn print(program: &Program, prefix: &str, names: &InputNames<'_>) -> PrintedProgram {
    let mut registers = vec![String::from("0.0"); program.registers];
    for &(register, value) in &program.constants {
        registers[register as usize] = literal(value);
    }
    for &(register, uniform) in &program.uniforms {
        registers[register as usize] = (names.uniform)(uniform);
    }
    for &(register, input) in &program.gathered {
        registers[register as usize] = (names.gathered)(input);
    }
    let read = |registers: &[String], operand: Operand| match operand.resolve() {
        Ok(register) => registers[register].clone(),
        Err(column) => (names.column)(column as u16),
    };
    let mut statements = String::new();
    for (number, step) in program.instructions.iter().enumerate() {
        let value = format!("{prefix}{number}");
        let expression = expression(step, step.operands.map(|operand| read(&registers, operand)));
        // Writing to a string cannot fail.
        let _ = writeln!(statements, "    let {value} = {expression};");
        registers[step.out as usize] = value;
    }
    let outputs = program.outputs.iter().map(|&output| read(&registers, output)).collect();
    PrintedProgram { statements, outputs }
}

fn expression(step: &Instruction, [a, b, c, d]: [String; 4]) -> String {
    match step.opcode {
        Opcode::Add => format!("{a} + {b}"),
        Opcode::Sub => format!("{a} - {b}"),
        Opcode::Mul => format!("{a} * {b}"),
        Opcode::Div => format!("{a} / {b}"),
        Opcode::Min => format!("select({b}, {a}, {a} < {b})"),
        Opcode::Max => format!("select({b}, {a}, {b} < {a})"),
        Opcode::Neg => format!("-({a})"),
        Opcode::Sqrt => format!("sqrt({a})"),
        Opcode::Abs => format!("abs({a})"),
        Opcode::Round => format!("round({a})"),
        Opcode::NegMul => format!("-({a} * {b})"),
        Opcode::MulAdd => format!("{a} * {b} + {c}"),
        Opcode::MulSub => format!("{a} * {b} - {c}"),
        Opcode::NegMulAdd => format!("{c} - {a} * {b}"),
        Opcode::MulAddMul => format!("{a} * {b} + {c} * {d}"),
        Opcode::MulSubMul => format!("{a} * {b} - {c} * {d}"),
        Opcode::SelectLt => format!("select({d}, {c}, {a} < {b})"),
    }
}

/// Returns a number in WGSL, which has no infinities: the largest number stands for them. Of the decimals that round to it,
/// browsers take only those that are not above it.
fn literal(value: f32) -> String {
    let size = if value.abs() < f32::MAX { format!("{:?}f", value.abs()) } else { "3.4028234e38f".into() };
    if value.is_sign_negative() { format!("(-{size})") } else { size }
}

#[cfg(test)]
mod tests {
    use super::super::{Graph, InputSource};
    use super::*;
    use crate::scalar::Real;

    #[test]
    fn literals_are_the_numbers_and_none_is_above_the_largest() {
        for value in [0.1, -0.1, f32::MIN_POSITIVE, 1e30, f32::MAX.next_down(), f32::MAX, f32::MIN] {
            let text = literal(value);
            let decimal = text.trim_matches(['(', ')', 'f']);
            assert_eq!(decimal.parse(), Ok(value), "{text}");
            assert!(decimal.parse::<f64>().is_ok_and(|number| number.abs() <= f64::from(f32::MAX)), "{text}");
        }
        assert_eq!(literal(f32::NEG_INFINITY), literal(f32::MIN));
    }

    #[test]
    fn a_register_that_is_used_again_becomes_another_value() {
        let graph = Graph::new();
        let x = graph.input(InputSource::Gathered(0));
        let sum = (x * x - 2.0).max(x).sqrt();
        let program = Program::lower(&graph, &[sum, x]);
        let names = InputNames {
            gathered: &|input| format!("x{input}"),
            column: &|column| format!("c{column}"),
            uniform: &|uniform| format!("u{uniform}"),
        };
        let printed = print(&program, "v", &names);
        let lines: Vec<_> = printed.statements.lines().map(str::trim).collect();
        assert_eq!(lines, ["let v0 = x0 * x0 - 2.0f;", "let v1 = select(x0, v0, x0 < v0);", "let v2 = sqrt(v1);"]);
        assert_eq!(printed.outputs, ["v2", "x0"]);
    }
}
