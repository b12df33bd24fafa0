//! Programs that the build script has printed and the compiler has made machine code of.
//!
//! They do the operations of the interpreter in the same order, so the bits are the same. Where the processor has no
//! vectors of AVX, the interpreter runs them.
#![expect(unsafe_code, reason = "vectors are loaded through pointers, and processors differ in what they can do")]

#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::program::Program;
use crate::program::interpret::{Lanes, NARROW_LANES, WIDE_LANES};

/// The [fingerprints](Program::fingerprint) of the programs, in the order of the functions.
const FINGERPRINTS: &[u64] = &include!(concat!(env!("OUT_DIR"), "/fingerprints.rs"));

/// A function that runs a program over the first lanes of a block: registers one after the other, number of lanes of each
/// register and column, the first number of each column, number of lanes that are run.
///
/// # Safety
/// The processor has the feature that the function is compiled for. All registers and columns that the program names
/// are there, with as many lanes as is said: a multiple of the width of a vector, and not less than those that are run.
type Run = unsafe fn(*mut f32, usize, *const *const f32, usize);

/// A program as machine code.
#[derive(Clone, Copy)]
pub struct NativeProgram {
    /// For blocks of [`WIDE_LANES`].
    wide: Run,
    /// For blocks of [`NARROW_LANES`].
    narrow: Run,
    registers: usize,
    columns: usize,
}

impl NativeProgram {
    /// Returns the machine code of a program, if there is any for this processor.
    pub fn of(program: &Program) -> Option<Self> {
        let number = FINGERPRINTS.iter().position(|&known| known == program.fingerprint())?;
        let [wide, narrow] = functions(number)?;
        let columns =
            program.instructions.iter().flat_map(|step| step.operands).filter_map(|operand| operand.resolve().err());
        let columns = columns.max().map_or(0, |last| last + 1);
        Some(Self { wide, narrow, registers: program.registers, columns })
    }

    /// Runs the program over the first `count` lanes of a block, as [`interpret::run`] does.
    ///
    /// [`interpret::run`]: crate::program::interpret::run
    #[inline(always)]
    pub fn run<const L: usize>(&self, registers: &mut [Lanes<L>], columns: &[&Lanes<L>], count: usize) {
        const { assert!(L == WIDE_LANES || L == NARROW_LANES) };
        let run = if L == WIDE_LANES { self.wide } else { self.narrow };
        assert!(registers.len() >= self.registers && columns.len() >= self.columns && count <= L);
        // SAFETY: the function was chosen for this processor, and L is a multiple of its width. The columns are references to numbers,
        // which are the same as pointers to their first one.
        unsafe { run(registers.as_mut_ptr().cast(), L, columns.as_ptr().cast(), count) };
    }
}

/// Returns the functions of a program for wide and for narrow blocks.
#[cfg(target_arch = "x86_64")]
fn functions(number: usize) -> Option<[Run; 2]> {
    const { assert!(WIDE_LANES.is_multiple_of(avx512::WIDTH) && NARROW_LANES.is_multiple_of(avx::WIDTH)) };
    let narrow = *avx::ALL.get(number)?;
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx") {
        Some([avx512::ALL[number], narrow])
    } else if std::arch::is_x86_feature_detected!("avx") {
        Some([narrow; 2])
    } else {
        None
    }
}

/// Returns nothing: programs are printed for other processors alone.
#[cfg(not(target_arch = "x86_64"))]
fn functions(_: usize) -> Option<[Run; 2]> {
    None
}

#[cfg(test)]
mod tests {
    use super::NativeProgram;
    use crate::bodies::motion;
    use crate::collide::body_contact::{BodyContact, GroundContact};
    use crate::connector::Connectors;
    use crate::constraint::ConstraintType;
    use crate::constraint::update::{
        UpdateVariant, impact_program, solve_program, target_rates_program, warm_start_program,
    };
    use crate::program::Program;
    use crate::program::interpret::{self, Lanes, NARROW_LANES, WIDE_LANES};

    /// Returns the programs that the build script prints.
    fn programs() -> Vec<Program> {
        let pair = (ConstraintType::of(BodyContact), BodyContact::connectors().to_vec());
        let ground = (ConstraintType::of(GroundContact), GroundContact::connectors().to_vec());
        let of = |(kind, points): (Result<std::sync::Arc<ConstraintType>, _>, Vec<_>)| {
            let (kind, connectors) = (kind.expect("a valid type"), Connectors::new(&points).expect("valid points"));
            let variant = UpdateVariant { warm: true, ..UpdateVariant::default() };
            [
                warm_start_program(&kind, &connectors),
                solve_program(&kind, &connectors, variant),
                target_rates_program(&kind, &connectors, UpdateVariant::default()),
                impact_program(&kind, &connectors, UpdateVariant::default()),
            ]
        };
        let rotations = [motion::advance_program(), motion::velocity_program()];
        rotations.into_iter().chain([pair, ground].into_iter().flat_map(of)).collect()
    }

    /// Returns numbers of all magnitudes and signs, some of them zero, that look random.
    fn numbers<const L: usize>(count: usize, state: &mut u32) -> Vec<Lanes<L>> {
        let mut number = || {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let magnitude = [0.0, 1e-6, 1.0, 1.0, 1.0, 100.0][(*state >> 8) as usize % 6];
            magnitude * ((*state >> 12) as f32 / 524_288.0 - 1.0)
        };
        (0..count).map(|_| std::array::from_fn(|_| number())).collect()
    }

    fn native_is_interpreted<const L: usize>(program: &Program, count: usize) {
        let native = NativeProgram::of(program).expect("the build script has printed the program");
        let mut state = count as u32;
        let mut registers = numbers::<L>(program.registers, &mut state);
        let columns = numbers::<L>(native.columns, &mut state);
        let columns: Vec<&Lanes<L>> = columns.iter().collect();
        program.constants.iter().for_each(|&(register, value)| registers[register as usize] = [value; L]);
        let mut interpreted = registers.clone();
        interpret::run::<L, 8>(program, &mut interpreted, &columns, count);
        native.run::<L>(&mut registers, &columns, count);
        // What is no number has no fixed bits.
        let bits = |x: &f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        for register in program.outputs.iter().filter_map(|output| output.resolve().ok()) {
            let of = |registers: &[Lanes<L>]| registers[register][..count].iter().map(bits).collect::<Vec<_>>();
            assert_eq!(of(&registers), of(&interpreted), "register {register} of {count} lanes");
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn native_programs_give_the_bits_of_the_interpreter() {
        if !std::arch::is_x86_feature_detected!("avx") {
            return;
        }
        for program in &programs() {
            [1, 17, WIDE_LANES].into_iter().for_each(|count| native_is_interpreted::<WIDE_LANES>(program, count));
            [1, NARROW_LANES].into_iter().for_each(|count| native_is_interpreted::<NARROW_LANES>(program, count));
        }
    }
}
