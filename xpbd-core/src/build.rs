//! Prints programs that every world of bodies runs as Rust, so that they become machine code.
//!
//! The build script stands among the sources of the crate because it records the programs with the modules at the
//! bottom of it.
#![expect(dead_code, reason = "the script uses a part of the modules")]
#![expect(unused_imports, reason = "the modules export more than the script uses")]
#![allow(unfulfilled_lint_expectations, reason = "what is public in the crate needs no documentation in the script")]

mod bodies {
    pub mod motion;
}
mod collide {
    pub mod body_contact;
    pub mod contact;
}
mod connector;
mod constraint;
mod friction;
mod number;
mod program;
mod scalar;

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use bodies::motion;
use collide::body_contact::{BodyContact, GroundContact};
use connector::{Connector, Connectors};
use constraint::ConstraintType;
use constraint::update::{UpdateVariant, impact_program, solve_program, target_rates_program, warm_start_program};
use program::{Instruction, Opcode, Operand, Program};

/// The processors that programs are printed for: name of the file, and feature that it needs.
const TARGETS: [(&str, &str); 2] = [("avx", "avx"), ("avx512", "avx512f")];

fn main() -> Result<(), Box<dyn Error>> {
    // The script itself is made anew when one of the modules changes.
    println!("cargo::rerun-if-changed=src/build.rs");
    let mut programs = vec![motion::advance_program(), motion::velocity_program()];
    programs.extend(programs_of(&*ConstraintType::of(BodyContact)?, &BodyContact::connectors())?);
    programs.extend(programs_of(&*ConstraintType::of(GroundContact)?, &GroundContact::connectors())?);
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    let fingerprints: Vec<u64> = programs.iter().map(Program::fingerprint).collect();
    std::fs::write(folder.join("fingerprints.rs"), format!("{fingerprints:?}"))?;
    for (file, feature) in TARGETS {
        let mut text = String::new();
        for (number, program) in programs.iter().enumerate() {
            print(program, number, feature, &mut text)?;
        }
        let names: Vec<String> = (0..programs.len()).map(|number| format!("p{number}")).collect();
        writeln!(text, "pub const ALL: [Run; {}] = [{}];", names.len(), names.join(", "))?;
        std::fs::write(folder.join(file).with_extension("rs"), text)?;
    }
    Ok(())
}

/// Returns the programs that solve a type of contacts.
fn programs_of(kind: &ConstraintType, points: &[Connector]) -> Result<[Program; 4], Box<dyn Error>> {
    let connectors = Connectors::new(points)?;
    let variant = UpdateVariant { warm: true, ..UpdateVariant::default() };
    Ok([
        warm_start_program(kind, &connectors),
        solve_program(kind, &connectors, variant),
        target_rates_program(kind, &connectors, UpdateVariant::default()),
        impact_program(kind, &connectors, UpdateVariant::default()),
    ])
}

/// Prints a function that runs a program over the first `count` of a number of lanes, a vector at a time.
fn print(program: &Program, number: usize, feature: &str, text: &mut String) -> Result<(), Box<dyn Error>> {
    writeln!(text, "#[target_feature(enable = \"{feature}\")]")?;
    let reads_columns = program.instructions.iter().flat_map(|step| step.operands).any(|from| from.resolve().is_err());
    let columns = if reads_columns { "columns" } else { "_" };
    let parameters = format!("registers: *mut f32, lanes: usize, {columns}: *const *const f32, count: usize");
    writeln!(text, "unsafe fn p{number}({parameters}) {{")?;
    writeln!(text, "unsafe {{ for k in (0..count).step_by(WIDTH) {{")?;
    let place = |register: usize| match register {
        0 => "registers.add(k)".into(),
        1 => "registers.add(lanes + k)".into(),
        _ => format!("registers.add({register} * lanes + k)"),
    };
    let mut names = vec![String::new(); program.registers];
    for &(register, value) in &program.constants {
        names[register as usize] = format!("splat(f32::from_bits({}))", value.to_bits());
    }
    let inputs = program.uniforms.iter().chain(&program.gathered);
    for &(register, _) in inputs {
        writeln!(text, "let r{register} = load({});", place(register.into()))?;
        names[register as usize] = format!("r{register}");
    }
    let mut is_loaded = Vec::new();
    for (value, step) in program.instructions.iter().enumerate() {
        let mut operands = [const { String::new() }; 4];
        for (name, operand) in operands.iter_mut().zip(step.operands) {
            *name = match operand.resolve() {
                Ok(register) => names[register].clone(),
                Err(column) => format!("c{column}"),
            };
        }
        let expression = expression(step.opcode, &operands);
        for operand in step.operands {
            if let Err(column) = operand.resolve()
                && !is_loaded.contains(&column)
            {
                writeln!(text, "let c{column} = load((*columns.add({column})).add(k));")?;
                is_loaded.push(column);
            }
        }
        names[step.out as usize] = format!("v{value}");
        writeln!(text, "let v{value} = {expression};")?;
    }
    let mut stored: Vec<usize> = program.outputs.iter().filter_map(|output| output.resolve().ok()).collect();
    stored.sort_unstable();
    stored.dedup();
    for register in stored.into_iter().filter(|register| names[*register] != format!("r{register}")) {
        writeln!(text, "store({}, {});", place(register), names[register])?;
    }
    writeln!(text, "}} }} }}")?;
    Ok(())
}

/// Prints one operation.
fn expression(opcode: Opcode, [a, b, c, d]: &[String; 4]) -> String {
    match opcode {
        Opcode::Add => format!("add({a}, {b})"),
        Opcode::Sub => format!("sub({a}, {b})"),
        Opcode::Mul => format!("mul({a}, {b})"),
        Opcode::Div => format!("div({a}, {b})"),
        Opcode::Min => format!("min({a}, {b})"),
        Opcode::Max => format!("max({a}, {b})"),
        Opcode::Neg => format!("neg({a})"),
        Opcode::Sqrt => format!("sqrt({a})"),
        Opcode::Abs => format!("abs({a})"),
        Opcode::Round => format!("round({a})"),
        Opcode::NegMul => format!("neg(mul({a}, {b}))"),
        Opcode::MulAdd => format!("add(mul({a}, {b}), {c})"),
        Opcode::MulSub => format!("sub(mul({a}, {b}), {c})"),
        Opcode::NegMulAdd => format!("sub({c}, mul({a}, {b}))"),
        Opcode::MulAddMul => format!("add(mul({a}, {b}), mul({c}, {d}))"),
        Opcode::MulSubMul => format!("sub(mul({a}, {b}), mul({c}, {d}))"),
        Opcode::SelectLt => format!("select_lt({a}, {b}, {c}, {d})"),
    }
}
