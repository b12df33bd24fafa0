//! The parameters of a constraint, and their names.

use crate::scalar::Vec3;

/// The numbers that a constraint is given besides its points, over a scalar `S`.
///
/// [`parameters!`](crate::parameters) declares a struct of named parameters. An array `[S; P]` serves where names
/// would say nothing more. The numbers lie in the order of the declaration.
pub trait Parameters<S: Copy>: Copy {
    /// Number of parameters.
    const COUNT: usize;

    /// Reads the parameters from their numbers.
    ///
    /// # Panics
    /// `numbers` holds fewer than [`Parameters::COUNT`].
    fn from_numbers(numbers: &[S]) -> Self;

    /// Appends the numbers to a list.
    fn append_to(self, numbers: &mut Vec<S>);

    /// Writes the numbers to the front of a list.
    ///
    /// # Panics
    /// `numbers` holds fewer than [`Parameters::COUNT`].
    fn write_to(self, numbers: &mut [S]);

    /// Appends a name for each number to a list; `path` is the name of the parameters within a larger set.
    fn append_names(path: &str, names: &mut Vec<String>);

    /// Changes the parameters that a list of numbers begins with.
    ///
    /// # Panics
    /// `numbers` holds fewer than [`Parameters::COUNT`].
    fn edit(numbers: &mut [S], change: impl FnOnce(&mut Self)) {
        let mut parameters = Self::from_numbers(numbers);
        change(&mut parameters);
        parameters.write_to(numbers);
    }

    /// Returns the numbers.
    fn to_numbers(self) -> Vec<S> {
        let mut numbers = Vec::with_capacity(Self::COUNT);
        self.append_to(&mut numbers);
        numbers
    }
}

impl<S: Copy> Parameters<S> for S {
    const COUNT: usize = 1;

    fn from_numbers(numbers: &[S]) -> Self {
        numbers[0]
    }

    fn append_to(self, numbers: &mut Vec<S>) {
        numbers.push(self);
    }

    fn write_to(self, numbers: &mut [S]) {
        numbers[0] = self;
    }

    fn append_names(path: &str, names: &mut Vec<String>) {
        names.push(path.into());
    }
}

impl<S: Copy, const P: usize> Parameters<S> for [S; P] {
    const COUNT: usize = P;

    fn from_numbers(numbers: &[S]) -> Self {
        std::array::from_fn(|k| numbers[k])
    }

    fn append_to(self, numbers: &mut Vec<S>) {
        numbers.extend(self);
    }

    fn write_to(self, numbers: &mut [S]) {
        numbers[..P].copy_from_slice(&self);
    }

    fn append_names(path: &str, names: &mut Vec<String>) {
        names.extend((0..P).map(|k| format!("{path}[{k}]")));
    }
}

impl<S: Copy> Parameters<S> for Vec3<S> {
    const COUNT: usize = 3;

    fn from_numbers(numbers: &[S]) -> Self {
        Self { x: numbers[0], y: numbers[1], z: numbers[2] }
    }

    fn append_to(self, numbers: &mut Vec<S>) {
        numbers.extend([self.x, self.y, self.z]);
    }

    fn write_to(self, numbers: &mut [S]) {
        numbers[..3].copy_from_slice(&[self.x, self.y, self.z]);
    }

    fn append_names(path: &str, names: &mut Vec<String>) {
        names.extend(["x", "y", "z"].map(|axis| format!("{path}.{axis}")));
    }
}

/// Declares a struct of named [`Parameters`] of a constraint.
///
/// A field is a number `S`, a vector [`Vec3<S>`](crate::scalar::Vec3), an array `[S; 4]` (or `[S; L]` in a struct
/// `Name<S, const L: usize>`), or another struct declared by this macro. The struct is generic over the scalar, and over `f32` where none is given: the constraint's functions
/// see the fields as scalars to be recorded, and batches are built from plain numbers.
///
/// ```
/// use xpbd_core::prelude::*;
///
/// xpbd_core::parameters! {
///     /// Parameters of [`Limit`].
///     pub struct LimitParameters<S> {
///         /// Longest distance \[m\].
///         pub longest: S,
///         /// Shortest distance \[m\].
///         pub shortest: S,
///     }
/// }
///
/// /// Keeps the distance of two particles between two bounds.
/// pub struct Limit;
///
/// impl Constraint<2, 2> for Limit {
///     type Parameters<S: Copy> = LimitParameters<S>;
///
///     const NAME: &'static str = "limit";
///
///     fn value<S: Real>(x: &Points<S, 2>, limit: LimitParameters<S>) -> [S; 2] {
///         let distance = (x.now[0] - x.now[1]).length();
///         [distance - limit.longest, limit.shortest - distance]
///     }
///
///     fn admissible<S: Real>(lambda: [S; 2], _: LimitParameters<S>, _: S) -> [S; 2] {
///         lambda.map(|lambda| lambda.min(S::zero()))
///     }
/// }
///
/// let batch = Batch::new(Limit, &[[0, 1]], &[LimitParameters { longest: 2.0, shortest: f32::NAN }])?;
/// let mut world = World::new(Settings::default())?;
/// let pair = Object::new("pair", vec![glam::Vec3::ZERO, glam::Vec3::X], 1.0).with(batch);
/// assert_eq!(
///     world.add(pair).unwrap_err().to_string(),
///     "batch `limit`: parameter `shortest` of constraint 0 is NaN; it must be finite",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident<$scalar:ident> {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        $visibility struct $name<$scalar = f32> {
            $($(#[$field_attribute])* $field_visibility $field: $type,)+
        }

        $crate::parameters!(@impl [] $name<$scalar> { $($field: $type,)+ });
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident<$scalar:ident, const $count:ident: usize> {
            $($(#[$field_attribute:meta])* $field_visibility:vis $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        $visibility struct $name<$scalar, const $count: usize> {
            $($(#[$field_attribute])* $field_visibility $field: $type,)+
        }

        $crate::parameters!(@impl [const $count: usize] $name<$scalar, $count> { $($field: $type,)+ });
    };
    (@impl [$($generics:tt)*] $name:ident<$scalar:ident $(, $count:ident)?> { $($field:ident: $type:ty,)+ }) => {
        impl<$scalar: Copy, $($generics)*> $crate::constraint::Parameters<$scalar> for $name<$scalar $(, $count)?> {
            const COUNT: usize = 0 $(+ <$type as $crate::constraint::Parameters<$scalar>>::COUNT)+;

            fn from_numbers(mut numbers: &[$scalar]) -> Self {
                Self { $($field: $crate::constraint::parameters::take_parameters(&mut numbers),)+ }
            }

            fn append_to(self, numbers: &mut Vec<$scalar>) {
                $($crate::constraint::Parameters::<$scalar>::append_to(self.$field, numbers);)+
            }

            fn write_to(self, mut numbers: &mut [$scalar]) {
                $($crate::constraint::parameters::put_parameters(self.$field, &mut numbers);)+
            }

            fn append_names(path: &str, names: &mut Vec<String>) {
                $(
                    let field = $crate::constraint::parameters::field_path(path, stringify!($field));
                    <$type as $crate::constraint::Parameters<$scalar>>::append_names(&field, names);
                )+
            }
        }
    };
}

/// Reads parameters from the front of a list of numbers and leaves the rest.
#[doc(hidden)]
pub fn take_parameters<S: Copy, T: Parameters<S>>(numbers: &mut &[S]) -> T {
    let (front, rest) = numbers.split_at(T::COUNT);
    *numbers = rest;
    T::from_numbers(front)
}

/// Writes parameters to the front of a list of numbers and leaves the rest.
#[doc(hidden)]
pub fn put_parameters<S: Copy, T: Parameters<S>>(parameters: T, numbers: &mut &mut [S]) {
    let (front, rest) = std::mem::take(numbers).split_at_mut(T::COUNT);
    parameters.write_to(front);
    *numbers = rest;
}

/// Returns the name of a field of parameters that are themselves named `path`, if they have a name.
#[doc(hidden)]
pub fn field_path(path: &str, field: &str) -> String {
    if path.is_empty() { field.into() } else { format!("{path}.{field}") }
}

#[cfg(test)]
mod tests {
    use super::Parameters;
    use crate::scalar::Vec3;

    crate::parameters! {
        /// A surface.
        struct Surface<S> {
            /// Normal \[1\].
            normal: Vec3<S>,
            /// Friction \[1\].
            friction: [S; 2],
        }
    }

    crate::parameters! {
        /// Bounds.
        struct Bounds<S, const L: usize> {
            /// Least \[m\].
            least: [S; L],
            /// Greatest \[m\].
            greatest: [S; L],
        }
    }

    #[test]
    fn arrays_have_the_length_that_the_struct_is_given() {
        let bounds = Bounds { least: [1.0_f32, 2.0], greatest: [3.0, 4.0] };
        assert_eq!(Parameters::<f32>::to_numbers(bounds), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(<Bounds<f32, 3> as Parameters<f32>>::COUNT, 6);
    }

    crate::parameters! {
        /// A contact.
        struct Contact<S> {
            /// Distance \[m\].
            distance: S,
            /// Surface that the node touches.
            surface: Surface<S>,
        }
    }

    #[test]
    fn nested_parameters_have_their_numbers_and_names_in_the_order_of_declaration() {
        let surface = Surface { normal: Vec3 { x: 2.0_f32, y: 3.0, z: 4.0 }, friction: [5.0, 6.0] };
        let contact = Contact { distance: 1.0, surface };
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(<Contact as Parameters<f32>>::COUNT, numbers.len());
        assert_eq!(Parameters::<f32>::to_numbers(contact), numbers);
        assert_eq!(Contact::from_numbers(&numbers), contact);
        let mut changed = [0.0; 6];
        contact.write_to(&mut changed);
        assert_eq!(changed, numbers);
        Contact::edit(&mut changed, |contact| contact.surface.normal.z = 9.0);
        assert_eq!(changed, [1.0, 2.0, 3.0, 9.0, 5.0, 6.0]);
        let mut names = Vec::new();
        <Contact as Parameters<f32>>::append_names("", &mut names);
        let nested = ["surface.normal.x", "surface.normal.y", "surface.normal.z"];
        assert_eq!(names[0], "distance");
        assert_eq!(names[1..4], nested);
        assert_eq!(names[4..], ["surface.friction[0]", "surface.friction[1]"]);
    }
}
