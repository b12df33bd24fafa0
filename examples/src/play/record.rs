//! Inputs of a player, and records of them.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::scene::Options;

/// Number of steps of a metre in which [`Input::Move`] counts.
pub(super) const STEPS: f32 = 512.0;

/// The longest text of a record that is read \[bytes\].
const MAX_LENGTH: usize = 1 << 20;

/// The most frames of a record that is read: ten minutes.
const MAX_FRAMES: u32 = 36_000;

/// Something that a player does before a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// Takes hold of what a ray meets first.
    Grab {
        /// Origin of the ray \[m\].
        origin: Vec3,
        /// Direction of the ray, of any length but 0.
        direction: Vec3,
    },
    /// Moves the target of what is held, by 512ths of a metre from where it is.
    Move([i32; 3]),
    /// Lets go.
    Release,
    /// Cuts what can tear with a long blade that turns from one direction to the other.
    Cut {
        /// The point about which it turns \[m\].
        origin: Vec3,
        /// Direction before.
        from: Vec3,
        /// Direction after.
        to: Vec3,
    },
    /// Puts the constraint of a text on the largest object, in place of the one before; nothing if the text is empty.
    Constraint(String),
}

impl Input {
    /// Returns the movement by a way \[m\], rounded to its steps.
    pub fn move_by(way: Vec3) -> Self {
        Self::Move((way * STEPS).round().as_ivec3().to_array())
    }

    /// Returns the way of a movement \[m\].
    pub(super) fn way(steps: [i32; 3]) -> Vec3 {
        Vec3::from_array(steps.map(|step| step as f32)) / STEPS
    }
}

/// A scene with its options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneSettings {
    /// Name of the scene.
    pub scene: String,
    /// Substeps of a frame, if they are not the scene's own.
    pub substeps: Option<u32>,
    /// Values of the scene's keys.
    pub set: BTreeMap<String, String>,
}

impl SceneSettings {
    /// Returns the options of the scene.
    pub(super) fn options(&self) -> Options {
        Options { substeps: self.substeps, set: self.set.clone(), ..Options::default() }
    }
}

/// All that the state of a session depends on, and the hash of that state on the CPU back end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The scene.
    pub settings: SceneSettings,
    /// Inputs, each with the number of frames before it, in order.
    pub inputs: Vec<(u32, Input)>,
    /// Number of frames.
    pub frames: u32,
    /// Hash of the state at the end; none if a back end has taken part whose results agree within rounding alone.
    pub hash: Option<u64>,
}

/// Why a text is no record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The text is too long.
    #[error("the record has {0} bytes; it may have {MAX_LENGTH}")]
    Length(usize),
    /// The text is not base64.
    #[error("the record is not base64 of the alphabet for addresses: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not a record.
    #[error("the record is truncated, or of another version: {0}")]
    Bytes(#[from] postcard::Error),
    /// The record takes too long.
    #[error("the record has {0} frames; it may have {MAX_FRAMES}")]
    Frames(u32),
}

impl Record {
    /// Returns the record as a text that can stand in the address of a page.
    ///
    /// # Errors
    /// The text would be too long.
    pub fn to_text(&self) -> Result<String, RecordError> {
        let text = URL_SAFE_NO_PAD.encode(postcard::to_stdvec(&self.with_differences())?);
        if text.len() > MAX_LENGTH { Err(RecordError::Length(text.len())) } else { Ok(text) }
    }

    /// Reads a record from a text.
    ///
    /// # Errors
    /// The text is none of [`Record::to_text`].
    pub fn from_text(text: &str) -> Result<Self, RecordError> {
        if text.len() > MAX_LENGTH {
            return Err(RecordError::Length(text.len()));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text.trim())?;
        let mut record: Self = postcard::from_bytes(&bytes)?;
        let mut frame = 0_u32;
        for (difference, _) in &mut record.inputs {
            frame = frame.saturating_add(*difference);
            *difference = frame;
        }
        if record.frames > MAX_FRAMES { Err(RecordError::Frames(record.frames)) } else { Ok(record) }
    }

    /// Returns the record with the number of frames since the previous input in place of that since the start, which
    /// takes a single byte.
    fn with_differences(&self) -> Self {
        let mut record = self.clone();
        let mut last = 0;
        for (frame, _) in &mut record.inputs {
            (*frame, last) = (frame.saturating_sub(last), *frame);
        }
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let set = [("n".to_owned(), "20".to_owned())].into();
        let settings = SceneSettings { scene: "drape".into(), substeps: Some(10), set };
        let inputs = vec![
            (3, Input::Grab { origin: Vec3::ONE, direction: Vec3::NEG_Z }),
            (3, Input::move_by(Vec3::new(0.1, -0.02, 0.0))),
            (9, Input::Release),
            (400, Input::Constraint("leash(a, b): distance(a, b) <= 1".into())),
        ];
        Record { settings, inputs, frames: 500, hash: Some(0x0123_4567_89ab_cdef) }
    }

    #[test]
    fn a_record_is_the_same_after_its_text_is_read() {
        let text = record().to_text().unwrap();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{text}");
        assert_eq!(Record::from_text(&text), Ok(record()));
    }

    #[test]
    fn a_movement_takes_five_bytes_a_frame() {
        let mut long = record();
        let length = |record: &Record| postcard::to_stdvec(&record.with_differences()).unwrap().len();
        let before = length(&long);
        let moves = (0..100).map(|k| (410 + k / 2, Input::move_by(Vec3::new(0.1, -0.1, 0.05))));
        long.inputs.extend(moves);
        assert_eq!(length(&long) - before, 500);
    }

    #[test]
    fn text_that_is_no_record_is_refused() {
        assert!(matches!(Record::from_text("***"), Err(RecordError::Base64(_))));
        assert!(matches!(Record::from_text("AAAA"), Err(RecordError::Bytes(_))));
        let text = record().to_text().unwrap();
        for length in 0..text.len() - 12 {
            assert!(Record::from_text(&text[..length]).is_err(), "{length}");
        }
        let endless = Record { frames: MAX_FRAMES + 1, ..record() };
        assert_eq!(Record::from_text(&endless.to_text().unwrap()), Err(RecordError::Frames(MAX_FRAMES + 1)));
    }
}
