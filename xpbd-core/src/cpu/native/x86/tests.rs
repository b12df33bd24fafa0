use super::assembler::Vectors;
use super::with_vectors;
use crate::cpu::native::{NativeProgram, SHORT_LANES};
use crate::program::interpret::{self, Lanes, NARROW_LANES, WIDE_LANES};
use crate::program::{Instruction, Opcode, Operand, Program};

/// Numbers that look random.
struct Random(u32);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % count
    }

    /// Returns a number of any magnitude and sign, often zero.
    fn number(&mut self) -> f32 {
        let magnitude = [0.0, -0.0, 1e-6, 0.5, 1.0, 1.0, 1.0, 100.0, 3e38][self.below(9)];
        magnitude * (self.below(1 << 20) as f32 / 524_288.0 - 1.0)
    }

    fn lanes<const L: usize>(&mut self, count: usize) -> Vec<Lanes<L>> {
        (0..count).map(|_| std::array::from_fn(|_| self.number())).collect()
    }
}

const OPCODES: [Opcode; 17] = [
    Opcode::Add,
    Opcode::Sub,
    Opcode::Mul,
    Opcode::Div,
    Opcode::Min,
    Opcode::Max,
    Opcode::Neg,
    Opcode::Sqrt,
    Opcode::Abs,
    Opcode::Round,
    Opcode::NegMul,
    Opcode::MulAdd,
    Opcode::MulSub,
    Opcode::NegMulAdd,
    Opcode::MulAddMul,
    Opcode::MulSubMul,
    Opcode::SelectLt,
];

/// Returns a program of random instructions over `registers` registers, four of each kind of input among them.
fn program(registers: u16, length: usize, random: &mut Random) -> Program {
    let input = |first: u16| (0..4).map(move |k| (first + k, k));
    let constants = (0..4).map(|register| (register, random.number())).collect();
    let operand = |random: &mut Random| match random.below(5) {
        0 => Operand::column(random.below(6) as u16),
        _ => Operand::register(random.below(usize::from(registers)) as u16),
    };
    let instructions = (0..length).map(|_| Instruction {
        opcode: OPCODES[random.below(OPCODES.len())],
        out: 8 + random.below(usize::from(registers) - 8) as u16,
        operands: std::array::from_fn(|_| operand(random)),
    });
    let instructions = instructions.collect();
    Program {
        instructions,
        registers: registers.into(),
        constants,
        uniforms: input(4).collect(),
        gathered: (8..registers).map(|register| (register, register)).collect(),
        outputs: (0..registers).step_by(3).map(Operand::register).collect(),
    }
}

fn native_is_interpreted<const L: usize>(program: &Program, vectors: Vectors, count: usize, random: &mut Random) {
    let lanes = SHORT_LANES.max(L);
    let compiled = with_vectors(program, vectors, lanes).expect("the system lets programs make machine code");
    let native = NativeProgram::of(program, lanes, compiled);
    let mut registers = random.lanes::<L>(program.registers);
    let columns = random.lanes::<L>(6);
    let columns: Vec<&Lanes<L>> = columns.iter().collect();
    let mut interpreted = registers.clone();
    program.constants.iter().for_each(|&(register, value)| interpreted[register as usize] = [value; L]);
    interpret::run::<L, 8>(program, &mut interpreted, &columns, count);
    native.run::<L>(&mut registers, &columns, count);
    // What is no number has no fixed bits.
    let bits = |x: &f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    for register in program.outputs.iter().filter_map(|output| output.resolve().ok()) {
        let of = |registers: &[Lanes<L>]| registers[register][..count].iter().map(bits).collect::<Vec<_>>();
        assert_eq!(of(&registers), of(&interpreted), "register {register}, {count} lanes, {vectors:?}, {program:?}");
    }
}

#[test]
fn machine_code_gives_the_bits_of_the_interpreter() {
    if !std::arch::is_x86_feature_detected!("avx") {
        return;
    }
    let zmm = std::arch::is_x86_feature_detected!("avx512f").then_some(Vectors::Zmm);
    let mut random = Random(1);
    for k in 0..300 {
        let registers = [12, 20, 40, 90][k % 4];
        let program = program(registers, 1 + random.below(300), &mut random);
        for vectors in [Vectors::Ymm].into_iter().chain(zmm) {
            for count in [1, 17, SHORT_LANES] {
                native_is_interpreted::<SHORT_LANES>(&program, vectors, count, &mut random);
            }
            native_is_interpreted::<WIDE_LANES>(&program, vectors, 100, &mut random);
            for count in [1, NARROW_LANES] {
                native_is_interpreted::<NARROW_LANES>(&program, vectors, count, &mut random);
            }
        }
    }
}
