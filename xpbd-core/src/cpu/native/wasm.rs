//! Programs as WebAssembly: each becomes a module, which shares memory and table of functions with the one that runs.
#![expect(unsafe_code, reason = "the number of a place in the table becomes a function")]

use std::sync::{Mutex, PoisonError};

use js_sys::{Function, Object, Reflect, Uint8Array, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};
use wasm_encoder::{
    BlockType, CodeSection, EntityType, ExportKind, ExportSection, FunctionSection, ImportSection, InstructionSink,
    MemArg, MemArgTarget, MemoryType, Module, TypeSection, ValType,
};

use crate::program::interpret::NARROW_LANES;
use crate::program::{Instruction, Opcode, Operand, Program};

/// A function that runs a program over the first lanes of a block: registers one after the other, the first number of each
/// column, and the number of bytes of the lanes that are run.
///
/// # Safety
/// All registers and columns that the program names are there, each with as many lanes as the function was compiled for,
/// and not less than those that are run. The number of bytes is not 0.
pub type Run = unsafe extern "C" fn(*mut f32, *const *const f32, usize);

/// Places in the table of functions that hold those of a program.
#[derive(Debug)]
pub struct Code([u32; 2]);

/// Places that are free again.
static FREE_PLACES: Mutex<Vec<u32>> = Mutex::new(Vec::new());

impl Drop for Code {
    fn drop(&mut self) {
        for place in self.0 {
            // Without its function the place can be used again; a place that keeps it is lost.
            if table().set_raw(place, &JsValue::NULL).is_ok() {
                FREE_PLACES.lock().unwrap_or_else(PoisonError::into_inner).push(place);
            }
        }
    }
}

fn table() -> WebAssembly::Table {
    wasm_bindgen::function_table().unchecked_into()
}

/// Compiles a program for blocks of `lanes` lanes and of [`NARROW_LANES`], if the browser takes the module.
pub fn compile(program: &Program, lanes: usize) -> Option<(Code, [Run; 2])> {
    // Threads with shared memory have a table of functions each, in which they would not find those of another.
    if cfg!(target_feature = "atomics") {
        return None;
    }
    let module = module(program, [lanes, NARROW_LANES]);
    let code = Code(place(&module).ok()?);
    // SAFETY: a pointer to a function is its place in the table, where functions of this type have been put.
    let run = code.0.map(|place| unsafe { std::mem::transmute::<usize, Run>(place as usize) });
    Some((code, run))
}

/// Loads a module, and puts its functions into the table.
fn place(module: &[u8]) -> Result<[u32; 2], JsValue> {
    let module = WebAssembly::Module::new(&Uint8Array::from(module))?;
    let [imports, own] = [Object::new(), Object::new()];
    Reflect::set(&own, &"memory".into(), &wasm_bindgen::memory())?;
    Reflect::set(&imports, &"own".into(), &own)?;
    let exports = WebAssembly::Instance::new(&module, &imports)?.exports();
    let mut places = [0; 2];
    for (place, name) in places.iter_mut().zip(FUNCTIONS) {
        let function: Function = Reflect::get(&exports, &name.into())?.unchecked_into();
        let free = FREE_PLACES.lock().unwrap_or_else(PoisonError::into_inner).pop();
        *place = free.map_or_else(|| table().grow(1), Ok)?;
        table().set(*place, &function)?;
    }
    Ok(places)
}

/// Names of the functions of a module.
const FUNCTIONS: [&str; 2] = ["full", "narrow"];

/// Returns a module with a function for blocks of each of these numbers of lanes.
fn module(program: &Program, lanes: [usize; 2]) -> Vec<u8> {
    let (mut types, mut imports, mut functions) = (TypeSection::new(), ImportSection::new(), FunctionSection::new());
    let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
    types.ty().function([ValType::I32; 3], []);
    let memory = MemoryType { minimum: 0, maximum: None, memory64: false, shared: false, page_size_log2: None };
    imports.import("own", "memory", EntityType::Memory(memory));
    for (number, (name, lanes)) in (0..).zip(FUNCTIONS.into_iter().zip(lanes)) {
        functions.function(0);
        exports.export(name, ExportKind::Func, number);
        code.function(&function(program, lanes));
    }
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&exports).section(&code);
    module.finish()
}

/// Bytes of a vector of four lanes.
const VECTOR_BYTES: i32 = 16;

/// The parameters of a function.
const REGISTERS: u32 = 0;
const COLUMNS: u32 = 1;
const BYTES: u32 = 2;
/// Its variables: the offset of the lanes of a vector, the first register there, then columns and numbers.
const OFFSET: u32 = 3;
const BLOCK: u32 = 4;
const FIRST_COLUMN: u32 = 5;

/// The function of a program while it is written. Engines choose what stays in registers of the processor, so that every
/// number has a variable of its own.
struct Compiler<'a> {
    sink: InstructionSink<'a>,
    lanes: usize,
    columns: &'a [usize],
    /// Variables of the numbers in registers; none where a number is in memory alone.
    in_registers: Vec<Option<u32>>,
    /// Variables of the numbers in columns.
    in_columns: Vec<Option<u32>>,
    /// The next variable.
    next: u32,
}

/// Returns the function of a program for blocks of `lanes` lanes.
fn function(program: &Program, lanes: usize) -> wasm_encoder::Function {
    let columns = &program.columns();
    let first_number = FIRST_COLUMN + columns.len() as u32;
    let numbers = program.registers + columns.len() + program.instructions.len();
    let mut function =
        wasm_encoder::Function::new([(first_number - OFFSET, ValType::I32), (numbers as u32, ValType::V128)]);
    let mut compiler = Compiler {
        sink: function.instructions(),
        lanes,
        columns,
        in_registers: vec![None; program.registers],
        in_columns: vec![None; columns.len()],
        next: first_number,
    };
    compiler.begin(program);
    for step in &program.instructions {
        compiler.step(step);
    }
    compiler.end(program);
    function
}

impl<'a> Compiler<'a> {
    /// Reads what all vectors share, and opens the loop over them.
    fn begin(&mut self, program: &Program) {
        for (variable, &column) in (FIRST_COLUMN..).zip(self.columns) {
            self.sink.local_get(COLUMNS).i32_load(at(4 * column)).local_set(variable);
        }
        for &(register, value) in &program.constants {
            let bits = u128::from(value.to_bits());
            self.sink.v128_const((bits | bits << 32 | bits << 64 | bits << 96) as i128).local_set(self.next);
            self.in_registers[usize::from(register)] = Some(self.variable());
        }
        self.sink.loop_(BlockType::Empty);
        self.sink.local_get(REGISTERS).local_get(OFFSET).i32_add().local_set(BLOCK);
    }

    /// Appends a step.
    fn step(&mut self, step: &Instruction) {
        let [a, b, c, d] = step.operands;
        match step.opcode {
            Opcode::Add => self.get([a, b]).f32x4_add(),
            Opcode::Sub => self.get([a, b]).f32x4_sub(),
            Opcode::Mul => self.get([a, b]).f32x4_mul(),
            Opcode::Div => self.get([a, b]).f32x4_div(),
            // Of two numbers that are neither less nor greater the result is b, as in the interpreter.
            Opcode::Min => self.get([b, a]).f32x4_pmin(),
            Opcode::Max => self.get([b, a]).f32x4_pmax(),
            Opcode::Neg => self.get([a]).f32x4_neg(),
            Opcode::Sqrt => self.get([a]).f32x4_sqrt(),
            Opcode::Abs => self.get([a]).f32x4_abs(),
            Opcode::Round => self.get([a]).f32x4_nearest(),
            Opcode::NegMul => self.get([a, b]).f32x4_mul().f32x4_neg(),
            Opcode::MulAdd | Opcode::MulSub => {
                self.get([a, b]).f32x4_mul();
                let sink = self.get([c]);
                if step.opcode == Opcode::MulAdd { sink.f32x4_add() } else { sink.f32x4_sub() }
            }
            Opcode::NegMulAdd => self.get([c, a, b]).f32x4_mul().f32x4_sub(),
            Opcode::MulAddMul | Opcode::MulSubMul => {
                self.get([a, b]).f32x4_mul();
                let sink = self.get([c, d]).f32x4_mul();
                if step.opcode == Opcode::MulAddMul { sink.f32x4_add() } else { sink.f32x4_sub() }
            }
            Opcode::SelectLt => self.get([c, d, a, b]).f32x4_lt().v128_bitselect(),
        };
        self.sink.local_set(self.next);
        self.in_registers[usize::from(step.out)] = Some(self.variable());
    }

    /// Writes the results, goes on with the next vector, and ends after the last one.
    fn end(&mut self, program: &Program) {
        for output in &program.outputs {
            let Ok(register) = output.resolve() else { continue };
            if let Some(variable) = self.in_registers[register].take() {
                let memory = at(4 * self.lanes * register);
                self.sink.local_get(BLOCK).local_get(variable).v128_store(memory);
            }
        }
        self.sink.local_get(OFFSET).i32_const(VECTOR_BYTES).i32_add().local_tee(OFFSET);
        self.sink.local_get(BYTES).i32_lt_u().br_if(0).end().end();
    }

    /// Puts operands onto the stack.
    fn get<const N: usize>(&mut self, operands: [Operand; N]) -> &mut InstructionSink<'a> {
        for operand in operands {
            let place = match operand.resolve() {
                Ok(register) => Ok(register),
                Err(column) => Err(self.columns.partition_point(|&other| other < column)),
            };
            let known = match place {
                Ok(register) => self.in_registers[register],
                Err(column) => self.in_columns[column],
            };
            if let Some(variable) = known {
                self.sink.local_get(variable);
                continue;
            }
            let variable = self.variable();
            match place {
                Ok(register) => {
                    self.in_registers[register] = Some(variable);
                    self.sink.local_get(BLOCK).v128_load(at(4 * self.lanes * register));
                }
                Err(column) => {
                    self.in_columns[column] = Some(variable);
                    self.sink.local_get(FIRST_COLUMN + column as u32).local_get(OFFSET).i32_add().v128_load(at(0));
                }
            }
            self.sink.local_tee(variable);
        }
        &mut self.sink
    }

    fn variable(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

/// Returns the place of numbers in memory, `bytes` after an address.
fn at(bytes: usize) -> MemArg {
    MemArg { offset: bytes as u64, align: 2, target: MemArgTarget::Memory(0), ordering: None }
}
