//! Properties of JSON objects, taken one by one.

use std::fmt::Display;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The properties of a JSON object that have not been taken yet, and the warnings about those that have.
pub(super) struct Fields<'a> {
    path: String,
    left: Map<String, Value>,
    warnings: &'a mut Vec<String>,
}

impl<'a> Fields<'a> {
    /// Returns the properties of an object; none of another value, which is a warning.
    pub fn new(path: impl Into<String>, value: Value, warnings: &'a mut Vec<String>) -> Option<Self> {
        let path = path.into();
        match value {
            Value::Object(left) => Some(Self { path, left, warnings }),
            _ => {
                warnings.push(format!("`{path}` must be an object"));
                None
            }
        }
    }

    /// Takes a property; none if it is not there, or is not of the type, which is a warning.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let value = self.left.remove(name)?;
        serde_json::from_value(value).map_err(|error| self.warn(name, format!("is not valid: {error}"))).ok()
    }

    /// Takes a number that must be positive; without it, the one that stands for it.
    pub fn take_positive(&mut self, name: &str, default: f32) -> Option<f32> {
        let number = self.take(name).unwrap_or(default);
        if number > 0.0 && number.is_finite() {
            return Some(number);
        }
        self.warn(name, format!("is {number}; it must be positive"));
        None
    }

    /// Takes an object.
    pub fn child(&mut self, name: &str) -> Option<Fields<'_>> {
        let value = self.left.remove(name)?;
        Fields::new(self.path_of(name), value, self.warnings)
    }

    /// Takes a list of objects, and calls a function with each.
    pub fn for_each(&mut self, name: &str, mut read: impl FnMut(Fields<'_>)) {
        for (k, value) in self.take::<Vec<Value>>(name).unwrap_or_default().into_iter().enumerate() {
            let path = format!("{}[{k}]", self.path_of(name));
            Fields::new(path, value, self.warnings).into_iter().for_each(&mut read);
        }
    }

    /// Takes an index, and returns the element of a list that it names.
    pub fn element(&mut self, name: &str, list: (&str, &[Value])) -> Option<Fields<'_>> {
        let index: usize = self.take(name)?;
        let (of, elements) = list;
        let Some(element) = elements.get(index) else {
            self.warn(name, format!("is {index}; there are {} in `{of}`", elements.len()));
            return None;
        };
        Fields::new(format!("{of}[{index}]"), element.clone(), self.warnings)
    }

    /// Adds a warning about a property.
    pub fn warn(&mut self, name: &str, reason: impl Display) {
        self.warnings.push(format!("`{}` {reason}", self.path_of(name)));
    }

    /// Warns of what has not been taken.
    pub fn finish(self) {
        for name in self.left.keys().filter(|name| !["extensions", "extras", "name"].contains(&name.as_str())) {
            self.warnings.push(format!("`{}` is unknown", self.path_of(name)));
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) }
    }
}
