//! Machine code for x86-64: vector instructions, written byte by byte.
//!
//! A function that is assembled takes the first register of a block in `rdi`, the table of columns in `rsi`, and the number
//! of bytes of the lanes that it runs in `rdx`. In its loop `rcx` is the offset of the lanes of one vector, and `rax` holds
//! the column that is read.

/// The vectors of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// 8 lanes in 16 registers: AVX.
    Ymm,
    /// 16 lanes in 32 registers: AVX-512F.
    Zmm,
}

/// A place in memory, of the lanes of one vector but for constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// A register of the block, by its first byte.
    Block(i32),
    /// A column, by its number.
    Column(u16),
    /// One number for all lanes, by its number among the constants.
    Constant(usize),
    /// A place on the stack, by its number.
    Stack(usize),
}

/// The last operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A vector register.
    Register(u8),
    /// Memory.
    Memory(Memory),
}

/// An instruction: the map of opcodes (1 is 0F, 2 is 0F38, 3 is 0F3A), the prefix (0 is none, 1 is 66), and the opcode.
#[derive(Debug, Clone, Copy)]
pub struct Operation(u8, u8, u8);

impl Operation {
    pub const ADD: Self = Self(1, 0, 0x58);
    pub const SUB: Self = Self(1, 0, 0x5C);
    pub const MUL: Self = Self(1, 0, 0x59);
    pub const DIV: Self = Self(1, 0, 0x5E);
    pub const MIN: Self = Self(1, 0, 0x5D);
    pub const MAX: Self = Self(1, 0, 0x5F);
    pub const SQRT: Self = Self(1, 0, 0x51);
    const LOAD: Self = Self(1, 0, 0x10);
    const STORE: Self = Self(1, 0, 0x11);
    const BROADCAST: Self = Self(2, 1, 0x18);
    const ROUND: Self = Self(3, 1, 0x08);
    const COMPARE: Self = Self(1, 0, 0xC2);
    const BLEND_BY_MASK: Self = Self(2, 1, 0x65);
    const BLEND_BY_REGISTER: Self = Self(3, 1, 0x4A);
}

/// Rounding to the nearest integer, of two equally near the even one, without an exception.
const NEAREST: u8 = 8;
/// Less than, false for what is no number, without an exception.
const LESS: u8 = 17;
/// The mask register of a comparison.
const MASK: u8 = 1;

/// Bytes of a place on the stack, and where the function says how many bytes all of them take.
const STACK_PLACE: usize = 64;
const STACK_SIZE: usize = 11;
/// Largest number of places: a system that checks the stack page by page finds none that was skipped.
pub const MAX_STACK_PLACES: usize = 48;

/// Alignment of functions, which stand after their constants, in bytes.
const ALIGNMENT: usize = 64;

impl Vectors {
    /// Returns the number of lanes.
    pub fn lanes(self) -> usize {
        match self {
            Self::Ymm => 8,
            Self::Zmm => 16,
        }
    }

    /// Returns the number of vector registers.
    pub fn registers(self) -> u8 {
        match self {
            Self::Ymm => 16,
            Self::Zmm => 32,
        }
    }
}

/// A function in the making.
#[derive(Debug)]
pub struct Assembler {
    vectors: Vectors,
    code: Vec<u8>,
    /// Where the offset of a constant is to be written, and its number.
    constants: Vec<(usize, usize)>,
    /// Where the loop begins.
    start: usize,
    /// Number of places on the stack.
    places: usize,
}

impl Assembler {
    /// Begins a function and its loop over vectors.
    pub fn new(vectors: Vectors) -> Self {
        // push rbp; mov rbp, rsp; and rsp, -64; sub rsp, size, which is not known yet; xor ecx, ecx
        let code = vec![0x55, 0x48, 0x89, 0xE5, 0x48, 0x83, 0xE4, 0xC0, 0x48, 0x81, 0xEC, 0, 0, 0, 0, 0x31, 0xC9];
        Self { vectors, start: code.len(), code, constants: Vec::new(), places: 0 }
    }

    /// Loads a vector register.
    pub fn load(&mut self, to: u8, from: Memory) {
        match from {
            Memory::Constant(_) => self.operation(Operation::BROADCAST, to, 0, Source::Memory(from)),
            _ => self.operation(Operation::LOAD, to, 0, Source::Memory(from)),
        }
    }

    /// Stores a vector register.
    pub fn store(&mut self, from: u8, to: Memory) {
        self.operation(Operation::STORE, from, 0, Source::Memory(to));
    }

    /// Appends `to = operation(first, second)`, or of `second` alone where `first` is 0 and not read.
    pub fn operation(&mut self, operation: Operation, to: u8, first: u8, second: Source) {
        self.masked(operation, to, first, second, 0);
    }

    /// Appends `to = first xor second`.
    pub fn xor(&mut self, to: u8, first: u8, second: Source) {
        let operation = match self.vectors {
            Vectors::Ymm => Operation(1, 0, 0x57),
            Vectors::Zmm => Operation(1, 1, 0xEF),
        };
        self.operation(operation, to, first, second);
    }

    /// Appends `to = first and second`.
    pub fn and(&mut self, to: u8, first: u8, second: Source) {
        let operation = match self.vectors {
            Vectors::Ymm => Operation(1, 0, 0x54),
            Vectors::Zmm => Operation(1, 1, 0xDB),
        };
        self.operation(operation, to, first, second);
    }

    /// Rounds to the nearest integer.
    pub fn round(&mut self, to: u8, from: Source) {
        self.operation(Operation::ROUND, to, 0, from);
        self.code.push(NEAREST);
    }

    /// Compares `first < second`; `mask` is a free register for the result.
    pub fn less(&mut self, mask: u8, first: u8, second: Source) {
        let to = match self.vectors {
            Vectors::Ymm => mask,
            Vectors::Zmm => MASK,
        };
        self.operation(Operation::COMPARE, to, first, second);
        self.code.push(LESS);
    }

    /// Takes `yes` where the last comparison, which is in `mask`, holds, and `no` elsewhere.
    pub fn blend(&mut self, to: u8, no: u8, yes: Source, mask: u8) {
        match self.vectors {
            Vectors::Ymm => {
                self.operation(Operation::BLEND_BY_REGISTER, to, no, yes);
                self.code.push(mask << 4);
            }
            Vectors::Zmm => self.masked(Operation::BLEND_BY_MASK, to, no, yes, MASK),
        }
    }

    /// Ends the loop and the function, and appends it with its constants to others. Returns where it begins.
    pub fn finish(mut self, constants: &[f32], functions: &mut Vec<u8>) -> usize {
        let step = (4 * self.vectors.lanes()) as i32;
        let size = (STACK_PLACE * self.places) as i32;
        self.code[STACK_SIZE..STACK_SIZE + 4].copy_from_slice(&size.to_le_bytes());
        // add rcx, step; cmp rcx, rdx; jb start; leave; vzeroupper; ret
        self.code.extend([0x48, 0x81, 0xC1]);
        self.code.extend(step.to_le_bytes());
        self.code.extend([0x48, 0x39, 0xD1, 0x0F, 0x82]);
        let back = self.start as i32 - (self.code.len() as i32 + 4);
        self.code.extend(back.to_le_bytes());
        self.code.extend([0xC9, 0xC5, 0xF8, 0x77, 0xC3]);
        let table = functions.len();
        functions.extend(constants.iter().flat_map(|value| value.to_le_bytes()));
        functions.resize(functions.len().next_multiple_of(ALIGNMENT), 0);
        let begin = functions.len();
        for &(place, number) in &self.constants {
            let offset = (table + 4 * number) as i32 - (begin + place + 4) as i32;
            self.code[place..place + 4].copy_from_slice(&offset.to_le_bytes());
        }
        functions.extend(self.code);
        begin
    }

    fn masked(&mut self, Operation(map, prefix, opcode): Operation, to: u8, first: u8, second: Source, mask: u8) {
        if let Source::Memory(Memory::Column(column)) = second {
            // mov rax, [rsi + 8 column]
            self.code.extend([0x48, 0x8B, 0x86]);
            self.code.extend((8 * i32::from(column)).to_le_bytes());
        }
        let last = match second {
            Source::Register(register) => register,
            Source::Memory(_) => 0,
        };
        let bit = |register: u8, bit: u8| register >> bit & 1;
        let inverted = |register: u8, at: u8| 1 - bit(register, at);
        match self.vectors {
            Vectors::Ymm => self.code.extend([
                0xC4,
                inverted(to, 3) << 7 | 1 << 6 | inverted(last, 3) << 5 | map,
                (!first & 15) << 3 | 1 << 2 | prefix,
            ]),
            Vectors::Zmm => self.code.extend([
                0x62,
                inverted(to, 3) << 7 | inverted(last, 4) << 6 | inverted(last, 3) << 5 | inverted(to, 4) << 4 | map,
                (!first & 15) << 3 | 1 << 2 | prefix,
                0b10 << 5 | inverted(first, 4) << 3 | mask,
            ]),
        }
        self.code.push(opcode);
        let to = (to & 7) << 3;
        match second {
            Source::Register(register) => self.code.push(0xC0 | to | register & 7),
            Source::Memory(Memory::Block(offset)) => {
                // [rdi + rcx + offset]
                self.code.extend([0x84 | to, 0x0F]);
                self.code.extend(offset.to_le_bytes());
            }
            Source::Memory(Memory::Stack(number)) => {
                // [rsp + offset]
                self.places = self.places.max(number + 1);
                self.code.extend([0x84 | to, 0x24]);
                self.code.extend(((STACK_PLACE * number) as i32).to_le_bytes());
            }
            // [rax + rcx]
            Source::Memory(Memory::Column(_)) => self.code.extend([0x04 | to, 0x08]),
            Source::Memory(Memory::Constant(number)) => {
                // [rip + offset], which is not known yet
                self.code.push(0x05 | to);
                self.constants.push((self.code.len(), number));
                self.code.extend([0; 4]);
            }
        }
    }
}
