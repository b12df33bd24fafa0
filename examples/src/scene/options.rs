//! Options of scenes, and their validation.

use std::collections::BTreeMap;
use std::path::PathBuf;

use xpbd_core::world::Settings;

use super::{Recipe, SceneError};

/// The options of a scene. The default sets none.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Frames to run.
    pub frames: Option<u32>,
    /// Substeps of a frame.
    pub substeps: Option<u32>,
    /// Iterations of a substep.
    pub iterations: Option<u32>,
    /// Values of the scene's keys.
    pub set: BTreeMap<String, String>,
    /// A mesh in place of the scene's own.
    pub mesh: Option<PathBuf>,
}

impl Options {
    /// Sets a key.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.set.insert(key.into(), value.to_string());
        self
    }

    /// Asks for this many frames.
    #[must_use]
    pub fn frames(mut self, frames: u32) -> Self {
        self.frames = Some(frames);
        self
    }

    /// Asks for this many substeps a frame and iterations a substep.
    #[must_use]
    pub fn steps(mut self, substeps: u32, iterations: u32) -> Self {
        (self.substeps, self.iterations) = (Some(substeps), Some(iterations));
        self
    }
}

/// Something that can be set.
#[derive(Debug, Clone, Copy)]
pub struct OptionKey {
    /// Name of the key.
    pub name: &'static str,
    /// Default value.
    pub default: &'static str,
    /// Description with the unit.
    pub help: &'static str,
}

/// A recipe with the options it is built with.
pub struct Setup<'a> {
    recipe: &'static Recipe,
    options: &'a Options,
}

impl<'a> Setup<'a> {
    pub(super) fn new(recipe: &'static Recipe, options: &'a Options) -> Result<Self, SceneError> {
        let known = |key: &&String| recipe.keys.iter().any(|known| known.name == **key);
        if let Some(key) = options.set.keys().find(|key| !known(key)) {
            let names: Vec<_> = recipe.keys.iter().map(|key| key.name).collect();
            let known = format!("its keys are {}", names.join(", "));
            return Err(SceneError::Key { scene: recipe.name, key: key.clone(), known });
        }
        if options.mesh.is_some() && !recipe.takes_mesh {
            return Err(SceneError::NoMesh(recipe.name));
        }
        Ok(Self { recipe, options })
    }

    /// Returns the mesh asked for.
    pub(super) fn mesh(&self) -> Option<&'a PathBuf> {
        self.options.mesh.as_ref()
    }

    /// Default settings with the scene's or the user's substeps and iterations.
    pub(super) fn settings(&self) -> Settings {
        let default = Settings::default();
        Settings {
            substeps: self.options.substeps.unwrap_or(self.recipe.substeps),
            iterations: self.options.iterations.unwrap_or(default.iterations),
            ..default
        }
    }

    /// Frames unless the user or the scene's keys say otherwise.
    pub(super) fn frames(&self) -> u32 {
        self.recipe.frames
    }

    /// Returns the value of a key as text.
    fn text(&self, key: &'static str) -> &str {
        let default = self.recipe.keys.iter().find(|known| known.name == key).map_or("", |known| known.default);
        self.options.set.get(key).map_or(default, String::as_str)
    }

    /// Returns why the value of a key cannot be used.
    pub(super) fn value_error(&self, key: &'static str, must: impl Into<String>) -> SceneError {
        SceneError::Value { scene: self.recipe.name, key, value: self.text(key).into(), must: must.into() }
    }

    /// Returns a number for which `fits` holds.
    pub(super) fn number(&self, key: &'static str, must: &str, fits: impl Fn(f32) -> bool) -> Result<f32, SceneError> {
        let parsed = self.text(key).parse::<f32>().ok();
        parsed.filter(|&value| fits(value)).ok_or_else(|| self.value_error(key, must))
    }

    /// Returns a finite number above 0.
    pub(super) fn positive(&self, key: &'static str) -> Result<f32, SceneError> {
        self.number(key, "a finite number above 0", |value| value.is_finite() && value > 0.0)
    }

    /// Returns a finite number of at least 0.
    pub(super) fn not_negative(&self, key: &'static str) -> Result<f32, SceneError> {
        self.number(key, "a finite number of at least 0", |value| value.is_finite() && value >= 0.0)
    }

    /// Returns a whole number in a range.
    pub(super) fn count(&self, key: &'static str, least: usize, most: usize) -> Result<usize, SceneError> {
        let parsed = self.text(key).parse::<usize>().ok();
        let refused = || self.value_error(key, format!("a whole number from {least} to {most}"));
        parsed.filter(|value| (least..=most).contains(value)).ok_or_else(refused)
    }

    /// Returns one of several words, with what it stands for.
    pub(super) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Result<T, SceneError> {
        let found = choices.iter().find(|(word, _)| *word == self.text(key)).map(|(_, meaning)| *meaning);
        let words = || choices.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        found.ok_or_else(|| self.value_error(key, format!("one of {}", words())))
    }
}
