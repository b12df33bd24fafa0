//! From a program to a function of machine code.
//!
//! Programs have neither branches nor loops, so it is known when each value is needed next: where registers run out, the one
//! whose value is needed last gives way. A value that has given way is read again from memory, where inputs are anyway. Results go to the stack,
//! where they lie side by side: those of a block are 512 bytes apart, so that all of them would compete for a few lines of
//! the cache.

use hashbrown::HashMap;

use super::assembler::{Assembler, MAX_STACK_PLACES, Memory, Operation, Source, Vectors};
use crate::program::{Opcode, Operand, Program};

/// A number that the program reads or computes.
#[derive(Debug)]
struct Value {
    /// Where it is in memory, or will be.
    home: Memory,
    is_in_memory: bool,
    /// Its vector register.
    register: Option<u8>,
    /// The steps that read it, the last first.
    uses: Vec<usize>,
}

/// An instruction with the values that it reads, and the one that it computes.
struct Step {
    opcode: Opcode,
    operands: [usize; 4],
    count: usize,
    out: usize,
}

/// The compilation of one program.
struct Compiler {
    assembler: Assembler,
    values: Vec<Value>,
    /// The value in each vector register.
    holds: Vec<Option<usize>>,
    /// Vector registers that the current step uses.
    pinned: u32,
    constants: Vec<f32>,
    /// Places on the stack that hold no value.
    free_places: Vec<usize>,
}

/// Compiles a program for blocks of `lanes` lanes, and appends the function to others. Returns where it begins.
pub fn compile(program: &Program, vectors: Vectors, lanes: usize, functions: &mut Vec<u8>) -> usize {
    let holds = vec![None; usize::from(vectors.registers())];
    let mut compiler = Compiler {
        assembler: Assembler::new(vectors),
        values: Vec::new(),
        holds,
        pinned: 0,
        constants: Vec::new(),
        free_places: (0..MAX_STACK_PLACES).rev().collect(),
    };
    let (steps, outputs) = compiler.read(program, lanes);
    for (number, step) in steps.iter().enumerate() {
        compiler.run(number, step);
    }
    for (value, home) in outputs {
        let register = compiler.load(value);
        compiler.assembler.store(register, home);
        compiler.release(steps.len(), &[value]);
    }
    compiler.assembler.finish(&compiler.constants, functions)
}

impl Compiler {
    /// Finds the values of a program, and which of them are to be stored where at the end.
    fn read(&mut self, program: &Program, lanes: usize) -> (Vec<Step>, Vec<(usize, Memory)>) {
        let place = |register: u16| Memory::Block((4 * lanes * usize::from(register)) as i32);
        let mut in_register = vec![usize::MAX; program.registers];
        for &(register, value) in &program.constants {
            in_register[usize::from(register)] = self.constant(value);
        }
        for &(register, _) in program.uniforms.iter().chain(&program.gathered) {
            in_register[usize::from(register)] = self.value(place(register), true);
        }
        let mut columns: HashMap<usize, usize> = HashMap::new();
        let [mut sign, mut magnitude] = [None; 2];
        let mut steps = Vec::with_capacity(program.instructions.len());
        for (number, instruction) in program.instructions.iter().enumerate() {
            let (mut operands, mut count) = ([0; 4], arity(instruction.opcode));
            for (value, operand) in operands.iter_mut().zip(&instruction.operands[..count]) {
                *value = match operand.resolve() {
                    Ok(register) => in_register[register],
                    Err(column) => {
                        *columns.entry(column).or_insert_with(|| self.value(Memory::Column(column as u16), true))
                    }
                };
            }
            let extra = match instruction.opcode {
                Opcode::Neg | Opcode::NegMul => Some((&mut sign, -0.0)),
                Opcode::Abs => Some((&mut magnitude, f32::from_bits(!0 >> 1))),
                _ => None,
            };
            if let Some((known, constant)) = extra {
                operands[count] = *known.get_or_insert_with(|| self.constant(constant));
                count += 1;
            }
            operands[..count].iter().for_each(|&value| self.values[value].uses.push(number));
            let out = self.value(place(instruction.out), false);
            in_register[usize::from(instruction.out)] = out;
            steps.push(Step { opcode: instruction.opcode, operands, count, out });
        }
        let mut stored: Vec<u16> = program.outputs.iter().filter_map(|output| register_of(*output)).collect();
        stored.sort_unstable();
        stored.dedup();
        let outputs = stored.into_iter().map(|register| (in_register[usize::from(register)], place(register)));
        let is_there = |&(value, home): &(usize, Memory)| {
            let value: &Value = &self.values[value];
            value.is_in_memory && value.home == home
        };
        let outputs: Vec<_> = outputs.filter(|output| !is_there(output)).collect();
        outputs.iter().for_each(|&(value, _)| self.values[value].uses.push(steps.len()));
        self.values.iter_mut().for_each(|value| value.uses.reverse());
        (steps, outputs)
    }

    fn value(&mut self, home: Memory, is_in_memory: bool) -> usize {
        self.values.push(Value { home, is_in_memory, register: None, uses: Vec::new() });
        self.values.len() - 1
    }

    fn constant(&mut self, value: f32) -> usize {
        self.constants.push(value);
        self.value(Memory::Constant(self.constants.len() - 1), true)
    }

    /// Appends the machine code of a step.
    fn run(&mut self, number: usize, step: &Step) {
        let [a, b, c, d] = step.operands;
        let out = match step.opcode {
            Opcode::Add => self.product_or_sum(number, Operation::ADD, a, b),
            Opcode::Mul => self.product_or_sum(number, Operation::MUL, a, b),
            Opcode::Sub => self.two(number, Operation::SUB, a, b),
            Opcode::Div => self.two(number, Operation::DIV, a, b),
            Opcode::Min => self.two(number, Operation::MIN, a, b),
            Opcode::Max => self.two(number, Operation::MAX, a, b),
            Opcode::Neg => {
                let (first, second, to) = (self.load(a), self.source(number, b), self.free());
                self.assembler.xor(to, first, second);
                to
            }
            Opcode::Abs => {
                let (first, second, to) = (self.load(a), self.source(number, b), self.free());
                self.assembler.and(to, first, second);
                to
            }
            Opcode::Sqrt => {
                let (from, to) = (self.source(number, a), self.free());
                self.assembler.operation(Operation::SQRT, to, 0, from);
                to
            }
            Opcode::Round => {
                let (from, to) = (self.source(number, a), self.free());
                self.assembler.round(to, from);
                to
            }
            Opcode::NegMul => {
                let product = self.product_or_sum(number, Operation::MUL, a, b);
                let sign = self.source(number, c);
                self.assembler.xor(product, product, sign);
                product
            }
            Opcode::MulAdd | Opcode::MulSub => {
                let operation = if step.opcode == Opcode::MulAdd { Operation::ADD } else { Operation::SUB };
                let product = self.product_or_sum(number, Operation::MUL, a, b);
                let last = self.source(number, c);
                self.assembler.operation(operation, product, product, last);
                product
            }
            Opcode::NegMulAdd => {
                let product = self.product_or_sum(number, Operation::MUL, a, b);
                let first = self.load(c);
                self.assembler.operation(Operation::SUB, product, first, Source::Register(product));
                product
            }
            Opcode::MulAddMul | Opcode::MulSubMul => {
                let operation = if step.opcode == Opcode::MulAddMul { Operation::ADD } else { Operation::SUB };
                let first = self.product_or_sum(number, Operation::MUL, a, b);
                let second = self.product_or_sum(number, Operation::MUL, c, d);
                self.assembler.operation(operation, first, first, Source::Register(second));
                first
            }
            Opcode::SelectLt => {
                let (first, second, mask) = (self.load(a), self.source(number, b), self.free());
                self.assembler.less(mask, first, second);
                let (no, yes, to) = (self.load(d), self.source(number, c), self.free());
                self.assembler.blend(to, no, yes, mask);
                to
            }
        };
        self.release(number, &step.operands[..step.count]);
        if !self.values[step.out].uses.is_empty() {
            self.holds[usize::from(out)] = Some(step.out);
            self.values[step.out].register = Some(out);
        }
    }

    /// Appends an operation that does not mind the order of its operands, and returns the register of the result.
    fn product_or_sum(&mut self, number: usize, operation: Operation, a: usize, b: usize) -> u8 {
        let is_in_register = |value: usize| self.values[value].register.is_some();
        let (a, b) = if is_in_register(b) && !is_in_register(a) { (b, a) } else { (a, b) };
        self.two(number, operation, a, b)
    }

    fn two(&mut self, number: usize, operation: Operation, a: usize, b: usize) -> u8 {
        let (first, second, to) = (self.load(a), self.source(number, b), self.free());
        self.assembler.operation(operation, to, first, second);
        to
    }

    /// Returns the register of a value, which is loaded if it has none.
    fn load(&mut self, value: usize) -> u8 {
        if let Some(register) = self.values[value].register {
            self.pinned |= 1 << register;
            return register;
        }
        let register = self.free();
        self.assembler.load(register, self.values[value].home);
        self.values[value].register = Some(register);
        self.holds[usize::from(register)] = Some(value);
        register
    }

    /// Returns where a step reads a value: in memory if it is there and no later step needs it.
    fn source(&mut self, number: usize, value: usize) -> Source {
        let Value { home, is_in_memory, register, uses } = &self.values[value];
        let is_last = uses.iter().all(|&user| user <= number);
        let folds = register.is_none() && *is_in_memory && is_last && !matches!(home, Memory::Constant(_));
        if folds { Source::Memory(*home) } else { Source::Register(self.load(value)) }
    }

    /// Returns a register for a result.
    fn free(&mut self) -> u8 {
        let free = (0..self.holds.len()).filter(|&register| self.pinned >> register & 1 == 0);
        // What is free is needed never.
        let next_use = |register: usize| match self.holds[register] {
            Some(value) => self.values[value].uses.last().copied().unwrap_or(usize::MAX),
            None => usize::MAX,
        };
        let register = free.max_by_key(|&register| next_use(register)).unwrap_or(0);
        if let Some(value) = self.holds[register].take() {
            let Value { home, is_in_memory, register: place, .. } = &mut self.values[value];
            *place = None;
            if !std::mem::replace(is_in_memory, true) {
                if let Some(place) = self.free_places.pop() {
                    *home = Memory::Stack(place);
                }
                self.assembler.store(register as u8, *home);
            }
        }
        self.pinned |= 1 << register;
        register as u8
    }

    /// Ends a step, which has read these values.
    fn release(&mut self, number: usize, operands: &[usize]) {
        self.pinned = 0;
        for &operand in operands {
            let Value { uses, register, home, is_in_memory } = &mut self.values[operand];
            while uses.last().is_some_and(|&user| user <= number) {
                uses.pop();
            }
            if !uses.is_empty() {
                continue;
            }
            if let Some(register) = register.take() {
                self.holds[usize::from(register)] = None;
            }
            if let (Memory::Stack(place), true) = (*home, std::mem::take(is_in_memory)) {
                self.free_places.push(place);
            }
        }
    }
}

/// Returns the number of operands that an operation reads.
fn arity(opcode: Opcode) -> usize {
    match opcode {
        Opcode::Neg | Opcode::Sqrt | Opcode::Abs | Opcode::Round => 1,
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Div | Opcode::Min | Opcode::Max | Opcode::NegMul => 2,
        Opcode::MulAdd | Opcode::MulSub | Opcode::NegMulAdd => 3,
        Opcode::MulAddMul | Opcode::MulSubMul | Opcode::SelectLt => 4,
    }
}

fn register_of(output: Operand) -> Option<u16> {
    output.resolve().ok().map(|register| register as u16)
}
