//! Prints generic functions as WGSL functions.
//!
//! A function of numbers and vectors that is written once over any [`Real`](crate::scalar::Real) runs on the CPU as
//! it is; recorded on symbols and printed here it is a function that WGSL can call, with the same bits where the
//! device leaves arithmetic as written.
//!
//! ```
//! use xpbd_core::program::{Graph, Sym};
//! use xpbd_core::program::wgsl::function;
//! use xpbd_core::scalar::Real;
//!
//! fn falloff<S: Real>(q: S) -> S {
//!     let u = S::one() - q;
//!     u * u
//! }
//!
//! let text = function(&Graph::new(), "falloff", ["q"], |(q,): (Sym,)| falloff(q));
//! assert_eq!(text, "fn falloff(q: f32) -> f32 {\n    let v0 = 1.0f - q;\n    let v1 = v0 * v0;\n    return v1;\n}\n\n");
//! ```

use std::fmt::Write;

use super::{InputNames, PrintedProgram, literal, print};
use crate::program::{Graph, InputSource, Program, Sym};
use crate::scalar::Vec3;

/// A value that a printed function takes or returns.
pub trait Value<'g> {
    /// The type in WGSL.
    const TYPE: &'static str;
    /// Suffixes of the name of such a value that select each of its numbers.
    const NUMBERS: &'static [&'static str];

    /// Returns the value that consists of these numbers, one for each of [`Value::NUMBERS`].
    fn from_numbers(numbers: &[Sym<'g>]) -> Self;

    /// Returns the numbers in order.
    fn to_numbers(&self) -> Vec<Sym<'g>>;
}

impl<'g> Value<'g> for Sym<'g> {
    const TYPE: &'static str = "f32";
    const NUMBERS: &'static [&'static str] = &[""];

    fn from_numbers(numbers: &[Sym<'g>]) -> Self {
        numbers[0]
    }

    fn to_numbers(&self) -> Vec<Sym<'g>> {
        vec![*self]
    }
}

impl<'g> Value<'g> for Vec3<Sym<'g>> {
    const TYPE: &'static str = "vec3f";
    const NUMBERS: &'static [&'static str] = &[".x", ".y", ".z"];

    fn from_numbers(numbers: &[Sym<'g>]) -> Self {
        Self::new(numbers[0], numbers[1], numbers[2])
    }

    fn to_numbers(&self) -> Vec<Sym<'g>> {
        self.to_array().to_vec()
    }
}

/// A quaternion.
impl<'g> Value<'g> for [Sym<'g>; 4] {
    const TYPE: &'static str = "vec4f";
    const NUMBERS: &'static [&'static str] = &[".x", ".y", ".z", ".w"];

    fn from_numbers(numbers: &[Sym<'g>]) -> Self {
        std::array::from_fn(|k| numbers[k])
    }

    fn to_numbers(&self) -> Vec<Sym<'g>> {
        self.to_vec()
    }
}

/// A matrix by columns.
impl<'g> Value<'g> for [Vec3<Sym<'g>>; 3] {
    const TYPE: &'static str = "mat3x3f";
    const NUMBERS: &'static [&'static str] =
        &["[0].x", "[0].y", "[0].z", "[1].x", "[1].y", "[1].z", "[2].x", "[2].y", "[2].z"];

    fn from_numbers(numbers: &[Sym<'g>]) -> Self {
        std::array::from_fn(|column| Vec3::from_numbers(&numbers[3 * column..]))
    }

    fn to_numbers(&self) -> Vec<Sym<'g>> {
        self.iter().flat_map(|column| column.to_array()).collect()
    }
}

/// The values of a list of parameters, or of the members of a struct.
pub trait Values<'g, const N: usize> {
    /// The type of each value in WGSL, and how its numbers are read.
    const TYPES: [(&'static str, &'static [&'static str]); N];

    /// Returns the values that consist of these numbers.
    fn from_numbers(numbers: &[Sym<'g>]) -> Self;

    /// Returns the numbers of each value.
    fn to_numbers(&self) -> [Vec<Sym<'g>>; N];
}

macro_rules! tuple_of_values {
    ($count:literal: $($value:ident $index:tt),+) => {
        impl<'g, $($value: Value<'g>),+> Values<'g, $count> for ($($value,)+) {
            const TYPES: [(&'static str, &'static [&'static str]); $count] = [$(($value::TYPE, $value::NUMBERS)),+];

            fn from_numbers(numbers: &[Sym<'g>]) -> Self {
                let mut numbers = numbers.iter().copied();
                ($($value::from_numbers(&numbers.by_ref().take($value::NUMBERS.len()).collect::<Vec<_>>()),)+)
            }

            fn to_numbers(&self) -> [Vec<Sym<'g>>; $count] {
                [$(self.$index.to_numbers()),+]
            }
        }
    };
}

tuple_of_values!(1: A 0);
tuple_of_values!(2: A 0, B 1);
tuple_of_values!(3: A 0, B 1, C 2);
tuple_of_values!(4: A 0, B 1, C 2, D 3);
tuple_of_values!(5: A 0, B 1, C 2, D 3, E 4);
tuple_of_values!(6: A 0, B 1, C 2, D 3, E 4, F 5);

/// Prints the WGSL function of this name that computes what `body` does to parameters of these names.
pub fn function<'g, P, R, const N: usize>(
    graph: &'g Graph,
    name: &str,
    parameters: [&str; N],
    body: impl FnOnce(P) -> R,
) -> String
where
    P: Values<'g, N>,
    R: Value<'g>,
{
    let result = body(inputs(graph));
    whole::<P, N>(graph, name, parameters, R::TYPE, &[(R::TYPE, result.to_numbers())], false)
}

/// Prints a WGSL struct, and the function of this name that returns it: `body` gives the values of its members.
pub fn function_of_struct<'g, P, R, const N: usize, const M: usize>(
    graph: &'g Graph,
    name: &str,
    parameters: [&str; N],
    (result, members): (&str, [&str; M]),
    body: impl FnOnce(P) -> R,
) -> String
where
    P: Values<'g, N>,
    R: Values<'g, M>,
{
    let mut text = format!("struct {result} {{\n");
    for (member, (kind, _)) in members.iter().zip(R::TYPES) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    {member}: {kind},");
    }
    let values = body(inputs(graph)).to_numbers();
    let values: Vec<_> = R::TYPES.iter().map(|(kind, _)| *kind).zip(values).collect();
    text + "}\n\n" + &whole::<P, N>(graph, name, parameters, result, &values, true)
}

/// Prints constants of WGSL.
pub fn constants(values: &[(&str, f32)]) -> String {
    values.iter().map(|&(name, value)| format!("const {name} = {};\n", literal(value))).collect()
}

fn inputs<'g, P: Values<'g, N>, const N: usize>(graph: &'g Graph) -> P {
    let count: usize = P::TYPES.iter().map(|(_, numbers)| numbers.len()).sum();
    let numbers: Vec<_> = (0..count as u16).map(|number| graph.input(InputSource::Gathered(number))).collect();
    P::from_numbers(&numbers)
}

fn whole<'g, P: Values<'g, N>, const N: usize>(
    graph: &'g Graph,
    name: &str,
    parameters: [&str; N],
    result: &str,
    values: &[(&str, Vec<Sym<'g>>)],
    is_struct: bool,
) -> String {
    let types = parameters.iter().zip(P::TYPES);
    let names: Vec<String> = types
        .clone()
        .flat_map(|(name, (_, numbers))| numbers.iter().map(move |part| format!("{name}{part}")))
        .collect();
    let program = Program::lower(graph, &values.iter().flat_map(|(_, numbers)| numbers).copied().collect::<Vec<_>>());
    let gathered = |input: u16| names[input as usize].clone();
    let none = |_: u16| String::from("0.0");
    let PrintedProgram { statements, outputs } =
        print(&program, "v", &InputNames { gathered: &gathered, column: &none, uniform: &none });
    let mut rest = outputs.as_slice();
    let mut constructed = Vec::new();
    for (kind, numbers) in values {
        let (own, others) = rest.split_at(numbers.len());
        rest = others;
        constructed.push(if own.len() == 1 { own[0].clone() } else { format!("{kind}({})", own.join(", ")) });
    }
    let constructed = constructed.join(", ");
    let constructed = if is_struct { format!("{result}({constructed})") } else { constructed };
    let parameters: Vec<String> = types.map(|(name, (kind, _))| format!("{name}: {kind}")).collect();
    format!("fn {name}({}) -> {result} {{\n{statements}    return {constructed};\n}}\n\n", parameters.join(", "))
}
