//! Runs a program over a block of constraints, one plain loop over lanes for each instruction.
//!
//! Every lane does the same IEEE operations in the same order whatever the width of the processor's
//! vectors, so the bits do not depend on it.

#![expect(unsafe_code, reason = "an instruction may write a register that it reads, lane by lane")]

use super::{Instruction, Opcode, Operand, Program};

/// Lanes of a full block.
pub const WIDE_LANES: usize = 128;
/// Lanes of a block for a few constraints.
pub const NARROW_LANES: usize = 8;

/// A register or a slice of a column: one number for each constraint of a block.
pub type Lanes<const L: usize> = [f32; L];

/// Runs `program` over the first `count` lanes of a block, V lanes at a time. A count that the compiler knows
/// makes loops without a branch.
#[inline(always)]
pub fn run<const L: usize, const V: usize>(
    program: &Program,
    registers: &mut [Lanes<L>],
    columns: &[&Lanes<L>],
    count: usize,
) {
    let vectors = count.div_ceil(V).min(L / V);
    for step in &program.instructions {
        let [a, b, c, d] = step.operands;
        let mut block = Block::<L, V> { registers, columns, step, vectors };
        match step.opcode {
            Opcode::Add => block.map2(|a, b| a + b),
            Opcode::Sub => block.map2(|a, b| a - b),
            Opcode::Mul => block.map2(|a, b| a * b),
            Opcode::Div => block.map2(|a, b| a / b),
            Opcode::Min => block.map2(|a, b| if a < b { a } else { b }),
            Opcode::Max => block.map2(|a, b| if b < a { a } else { b }),
            Opcode::Neg => block.map1(|a| -a),
            Opcode::Sqrt => block.map1(f32::sqrt),
            Opcode::Abs => block.map1(f32::abs),
            Opcode::Round => block.map1(f32::round_ties_even),
            Opcode::NegMul => block.map2(|a, b| -(a * b)),
            Opcode::MulAdd => block.map([a, b, c], |[a, b, c, _]| a * b + c),
            Opcode::MulSub => block.map([a, b, c], |[a, b, c, _]| a * b - c),
            Opcode::NegMulAdd => block.map([a, b, c], |[a, b, c, _]| c - a * b),
            Opcode::MulAddMul => block.map([a, b, c, d], |[a, b, c, d]| a * b + c * d),
            Opcode::MulSubMul => block.map([a, b, c, d], |[a, b, c, d]| a * b - c * d),
            Opcode::SelectLt => block.map([a, b, c, d], |[a, b, c, d]| if a < b { c } else { d }),
        }
    }
}

/// One instruction over L lanes, V at a time.
struct Block<'a, const L: usize, const V: usize> {
    registers: &'a mut [Lanes<L>],
    columns: &'a [&'a Lanes<L>],
    step: &'a Instruction,
    vectors: usize,
}

impl<const L: usize, const V: usize> Block<'_, L, V> {
    #[inline(always)]
    fn map1(&mut self, f: impl Fn(f32) -> f32) {
        self.map([self.step.operands[0]], |[a, ..]| f(a));
    }

    #[inline(always)]
    fn map2(&mut self, f: impl Fn(f32, f32) -> f32) {
        self.map([self.step.operands[0], self.step.operands[1]], |[a, b, ..]| f(a, b));
    }

    #[inline(always)]
    fn map<const N: usize>(&mut self, operands: [Operand; N], f: impl Fn([f32; 4]) -> f32) {
        const { assert!(L.is_multiple_of(V)) };
        let mut sources: [*const [f32; V]; N] = [std::ptr::null(); N];
        for (source, operand) in sources.iter_mut().zip(operands) {
            *source = match operand.resolve() {
                Ok(register) => self.registers[register].as_ptr().cast(),
                Err(column) => self.columns[column].as_ptr().cast(),
            };
        }
        let out: *mut [f32; V] = self.registers[self.step.out as usize].as_mut_ptr().cast();
        for k in 0..self.vectors {
            // SAFETY: registers and columns are L lanes each, found above with their bounds checked;
            // V lanes are read by value before V lanes are written, so out may be a source.
            unsafe {
                let read = |n: usize| *sources[n.min(N - 1)].add(k);
                let (a, b, c, d) = (read(0), read(1), read(2), read(3));
                let mut result = [0.0; V];
                for lane in 0..V {
                    result[lane] = f([a[lane], b[lane], c[lane], d[lane]]);
                }
                *out.add(k) = result;
            }
        }
    }
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
    run::<1, 1>(program, &mut registers, &columns, 1);
    let read = |output: &Operand| match output.resolve() {
        Ok(register) => registers[register][0],
        Err(column) => columns[column][0],
    };
    program.outputs.iter().map(read).collect()
}
