//! Runs a program over a block of constraints, one plain loop over lanes for each instruction.
//!
//! The loops are compiled several times, for wider and wider vectors, and chosen when the program
//! runs. Every lane does the same IEEE operations in the same order whatever the width, so the
//! bits do not depend on the choice.

use multiversion::multiversion;

use super::{Code, Instruction, Operand, Program};
use crate::scalar::trig;

/// Lanes of a full block.
pub const WIDE: usize = 64;
/// Lanes of a block for short rows of constraints.
pub const NARROW: usize = 8;

/// A register or a slice of a column: one number for each constraint of a block.
pub type Lanes<const L: usize> = [f32; L];

/// Runs `program` over full blocks.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
pub fn run_wide(program: &Program, registers: &mut [Lanes<WIDE>], columns: &[&Lanes<WIDE>]) {
    run(program, registers, columns);
}

/// Runs `program` over short blocks.
#[multiversion(targets("x86_64+avx+avx2"))]
pub fn run_narrow(program: &Program, registers: &mut [Lanes<NARROW>], columns: &[&Lanes<NARROW>]) {
    run(program, registers, columns);
}

#[inline(always)]
fn run<const L: usize>(program: &Program, registers: &mut [Lanes<L>], columns: &[&Lanes<L>]) {
    for step in &program.instructions {
        execute(step, registers, columns);
    }
}

#[inline(always)]
fn execute<const L: usize>(step: &Instruction, registers: &mut [Lanes<L>], columns: &[&Lanes<L>]) {
    let result = {
        let [a, b, c, d] = step.operands;
        let at = |operand: Operand| -> &Lanes<L> {
            match operand.resolve() {
                Ok(register) => &registers[register],
                Err(column) => columns[column],
            }
        };
        match step.code {
            Code::Add => map2(at(a), at(b), |a, b| a + b),
            Code::Sub => map2(at(a), at(b), |a, b| a - b),
            Code::Mul => map2(at(a), at(b), |a, b| a * b),
            Code::Div => map2(at(a), at(b), |a, b| a / b),
            Code::Min => map2(at(a), at(b), |a, b| if a < b { a } else { b }),
            Code::Max => map2(at(a), at(b), |a, b| if b < a { a } else { b }),
            Code::Atan2 => map2(at(a), at(b), trig::atan2),
            Code::Neg => map1(at(a), |a| -a),
            Code::Sqrt => map1(at(a), f32::sqrt),
            Code::Abs => map1(at(a), f32::abs),
            Code::Sin => map1(at(a), trig::sin),
            Code::Cos => map1(at(a), trig::cos),
            Code::Acos => map1(at(a), trig::acos),
            Code::MulAdd => map3(at(a), at(b), at(c), |a, b, c| a * b + c),
            Code::MulSub => map3(at(a), at(b), at(c), |a, b, c| a * b - c),
            Code::NegMulAdd => map3(at(a), at(b), at(c), |a, b, c| c - a * b),
            Code::SelectLt => {
                let (a, b, c, d) = (at(a), at(b), at(c), at(d));
                let mut out = [0.0; L];
                for lane in 0..L {
                    out[lane] = if a[lane] < b[lane] { c[lane] } else { d[lane] };
                }
                out
            }
        }
    };
    registers[step.out as usize] = result;
}

#[inline(always)]
fn map1<const L: usize>(a: &Lanes<L>, f: impl Fn(f32) -> f32) -> Lanes<L> {
    let mut out = [0.0; L];
    for lane in 0..L {
        out[lane] = f(a[lane]);
    }
    out
}

#[inline(always)]
fn map2<const L: usize>(a: &Lanes<L>, b: &Lanes<L>, f: impl Fn(f32, f32) -> f32) -> Lanes<L> {
    let mut out = [0.0; L];
    for lane in 0..L {
        out[lane] = f(a[lane], b[lane]);
    }
    out
}

#[inline(always)]
fn map3<const L: usize>(a: &Lanes<L>, b: &Lanes<L>, c: &Lanes<L>, f: impl Fn(f32, f32, f32) -> f32) -> Lanes<L> {
    let mut out = [0.0; L];
    for lane in 0..L {
        out[lane] = f(a[lane], b[lane], c[lane]);
    }
    out
}

/// Runs a program once on single numbers: `gathered`, `columns` and `uniforms` by their numbers.
pub fn evaluate(program: &Program, gathered: &[f32], columns: &[f32], uniforms: &[f32]) -> Vec<f32> {
    let mut registers = vec![[0.0; 1]; program.registers];
    for &(register, value) in &program.constants {
        registers[register as usize] = [value];
    }
    for &(register, uniform) in &program.uniforms {
        registers[register as usize] = [uniforms[uniform as usize]];
    }
    for &(register, input) in &program.gathered {
        registers[register as usize] = [gathered[input as usize]];
    }
    let columns: Vec<Lanes<1>> = columns.iter().map(|&value| [value]).collect();
    let columns: Vec<&Lanes<1>> = columns.iter().collect();
    run(program, &mut registers, &columns);
    let read = |output: &Operand| match output.resolve() {
        Ok(register) => registers[register][0],
        Err(column) => columns[column][0],
    };
    program.outputs.iter().map(read).collect()
}
