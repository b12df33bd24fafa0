//! Prediction and velocities of bodies; what they turn is recorded from
//! [`motion`](crate::bodies::motion) and interpreted over blocks.
#![expect(unsafe_code, reason = "threads write disjoint bodies")]

use std::ops::Range;

use glam::{Mat4, Quat, Vec4, Vec4Swizzles};
use multiversion::multiversion;

use super::block::put;
use super::native::NativeProgram;
use crate::bodies::{Bodies, free_axes, motion};
use crate::parallel::{DisjointSlice, WorkerScope};
use crate::program::interpret::{self, Lanes, WIDE_LANES};
use crate::program::{Operand, Program};

/// The motion of bodies in a substep.
pub(super) struct BodyIntegrator {
    predict_program: RotationProgram,
    velocity_program: RotationProgram,
    /// Registers of each thread, kept from substep to substep.
    registers: Vec<Vec<Lanes<WIDE_LANES>>>,
}

/// A program of [`motion`](crate::bodies::motion), with its machine code if there is any.
struct RotationProgram {
    program: Program,
    native: Option<NativeProgram>,
    /// The register of each input; one of its own past those of the program where the program does not read it.
    inputs: [usize; motion::INPUTS],
}

impl RotationProgram {
    fn new(program: Program) -> Self {
        let place = |input: usize| {
            let found = program.gathered.iter().find(|&&(_, gathered)| usize::from(gathered) == input);
            found.map_or(program.registers + input, |&(register, _)| usize::from(register))
        };
        Self { native: NativeProgram::new(&program, WIDE_LANES), inputs: std::array::from_fn(place), program }
    }
}

impl BodyIntegrator {
    /// Creates an integrator for this many threads.
    pub fn new(threads: usize) -> Self {
        let [predict_program, velocity_program] =
            [motion::advance_program(), motion::velocity_program()].map(RotationProgram::new);
        let count = predict_program.program.registers.max(velocity_program.program.registers) + motion::INPUTS;
        Self { predict_program, velocity_program, registers: vec![vec![[0.0; WIDE_LANES]; count]; threads] }
    }

    /// Moves every dynamic body by a substep of `h` \[s\] as if there were no constraints.
    pub fn predict(&mut self, bodies: &mut Bodies, h: f32, workers: &WorkerScope<'_>) {
        let count = bodies.len();
        let Bodies { anchor, offset, start, velocity, acceleration, .. } = bodies;
        let [anchor, offset, start, velocity] =
            [anchor, offset, start, velocity].map(|vectors| DisjointSlice::new(vectors));
        let Bodies {
            rotation,
            start_rotation,
            angular_velocity: spin,
            rotation_correction: turn,
            torque,
            inverse_inertia,
            ..
        } = bodies;
        let [rotation, start_rotation] = [rotation, start_rotation].map(|rotations| DisjointSlice::new(rotations));
        let [spin, turn] = [spin, turn].map(|vectors| DisjointSlice::new(vectors));
        let registers = DisjointSlice::new(&mut self.registers);
        workers.run(count.div_ceil(WIDE_LANES), |thread, chunks| {
            // SAFETY: every thread has its own registers.
            let [registers] = (unsafe { registers.slice(thread..thread + 1) }) else { return };
            for chunk in chunks {
                let range = chunk * WIDE_LANES..count.min((chunk + 1) * WIDE_LANES);
                // SAFETY: every body belongs to one thread.
                if range.clone().all(|k| unsafe { anchor.get(k) }.w == 0.0) {
                    continue;
                }
                for k in range.clone() {
                    // SAFETY: every body belongs to one thread.
                    unsafe {
                        let was = anchor.get(k);
                        if was.w == 0.0 {
                            continue;
                        }
                        let (along, _) = free_axes(inverse_inertia[k].w);
                        let free = (velocity.get(k).xyz() + acceleration[k].xyz() * h) * along;
                        velocity.set(k, free.extend(0.0));
                        let way = (free * h).extend(0.0);
                        let moved = (was + (offset.get(k) + way)).xyz().extend(was.w);
                        let from = (was - moved) + offset.get(k);
                        anchor.set(k, moved);
                        start.set(k, from);
                        offset.set(k, from + way);
                        start_rotation.set(k, rotation.get(k));
                        turn.set(k, Vec4::ZERO);
                    }
                }
                let block = BodyBlock { anchor, rotation, angular_velocity: spin, third: torque, inverse_inertia };
                // SAFETY: as above.
                unsafe { run(&self.predict_program, registers, h, &block, range) };
            }
        });
    }

    /// Computes velocities from the corrections of positions and rotations.
    pub fn velocities(&mut self, bodies: &mut Bodies, h: f32, workers: &WorkerScope<'_>) {
        let count = bodies.len();
        let Bodies { anchor, offset, start, velocity, acceleration, .. } = bodies;
        let [anchor, velocity] = [anchor, velocity].map(|vectors| DisjointSlice::new(vectors));
        let Bodies { rotation, angular_velocity: spin, rotation_correction: turn, torque, inverse_inertia, .. } =
            bodies;
        let (rotation, spin) = (DisjointSlice::new(rotation), DisjointSlice::new(spin));
        let registers = DisjointSlice::new(&mut self.registers);
        workers.run(count.div_ceil(WIDE_LANES), |thread, chunks| {
            // SAFETY: every thread has its own registers.
            let [registers] = (unsafe { registers.slice(thread..thread + 1) }) else { return };
            for chunk in chunks {
                let range = chunk * WIDE_LANES..count.min((chunk + 1) * WIDE_LANES);
                // SAFETY: every body belongs to one thread.
                if range.clone().all(|k| unsafe { anchor.get(k) }.w == 0.0) {
                    continue;
                }
                let block = BodyBlock { anchor, rotation, angular_velocity: spin, third: turn, inverse_inertia };
                // SAFETY: every body belongs to one thread.
                unsafe { run(&self.velocity_program, registers, h, &block, range.clone()) };
                for k in range {
                    // SAFETY: as above.
                    unsafe {
                        if anchor.get(k).w == 0.0 {
                            continue;
                        }
                        let free = velocity.get(k);
                        let predicted = start[k] + free * h;
                        let moving = free + (offset[k] - predicted) * (1.0 / h);
                        velocity.set(k, moving / (1.0 + h * acceleration[k].w));
                        spin.set(k, spin.get(k) / (1.0 + h * torque[k].w));
                    }
                }
            }
        });
    }
}

/// The data that a program of [`BodyIntegrator`] reads and writes.
struct BodyBlock<'a> {
    anchor: DisjointSlice<'a, Vec4>,
    rotation: DisjointSlice<'a, Quat>,
    angular_velocity: DisjointSlice<'a, Vec4>,
    /// Torque or rotation correction.
    third: &'a [Vec4],
    inverse_inertia: &'a [Vec4],
}

/// Runs a program over up to a block of bodies.
///
/// # Safety
/// No other thread touches these bodies.
#[multiversion(targets("x86_64+avx+avx2+avx512f+avx512vl+avx512dq", "x86_64+avx+avx2"))]
unsafe fn run(
    program: &RotationProgram,
    registers: &mut [Lanes<WIDE_LANES>],
    h: f32,
    block: &BodyBlock<'_>,
    range: Range<usize>,
) {
    // SAFETY: passed on to the caller.
    unsafe { block.run(program, registers, h, range) }
}

impl BodyBlock<'_> {
    #[inline(always)]
    unsafe fn run(&self, rotation: &RotationProgram, registers: &mut [Lanes<WIDE_LANES>], h: f32, range: Range<usize>) {
        let RotationProgram { program, native, inputs } = rotation;
        if native.is_none() {
            for &(register, value) in &program.constants {
                registers[register as usize] = [value; WIDE_LANES];
            }
        }
        for &(register, _) in &program.uniforms {
            registers[register as usize] = [h; WIDE_LANES];
        }
        let three = |first: usize| [inputs[first], inputs[first + 1], inputs[first + 2]];
        let body = |lane: usize| (range.start + lane).min(range.end - 1);
        // SAFETY: passed on to the caller.
        unsafe {
            put(registers, range.len(), [inputs[0], inputs[1], inputs[2], inputs[3]], |lane| {
                Vec4::from(self.rotation.get(body(lane)))
            });
            put(registers, range.len(), three(4), |lane| self.angular_velocity.get(body(lane)));
        }
        put(registers, range.len(), three(7), |lane| self.third[body(lane)]);
        put(registers, range.len(), three(10), |lane| self.inverse_inertia[body(lane)]);
        put(registers, range.len(), three(13), |lane| free_axes(self.inverse_inertia[body(lane)].w).1.extend(0.0));
        match native {
            Some(native) => native.run::<WIDE_LANES>(registers, &[], range.len()),
            None => interpret::run::<WIDE_LANES, 16>(program, registers, &[], range.len()),
        }
        let read = |operand: Operand| -> &Lanes<WIDE_LANES> {
            match operand.resolve() {
                Ok(register) | Err(register) => &registers[register],
            }
        };
        let outputs: [&Lanes<WIDE_LANES>; 7] = std::array::from_fn(|output| read(program.outputs[output]));
        for first in (0..range.len()).step_by(4) {
            let four = |output: usize| Vec4::from_slice(&outputs[output][first..first + 4]);
            let rotations = Mat4::from_cols(four(0), four(1), four(2), four(3)).transpose();
            let angular_velocities = Mat4::from_cols(four(4), four(5), four(6), Vec4::ZERO).transpose();
            for lane in 0..4.min(range.len() - first) {
                let k = range.start + first + lane;
                // SAFETY: passed on to the caller.
                unsafe {
                    if self.anchor.get(k).w > 0.0 {
                        self.rotation.set(k, Quat::from_vec4(rotations.col(lane)));
                        self.angular_velocity.set(k, angular_velocities.col(lane));
                    }
                }
            }
        }
    }
}
