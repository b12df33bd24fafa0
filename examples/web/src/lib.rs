//! The functions that the page calls: a session of a scene, in WebAssembly.

use examples::picture::DrawList;
use examples::play::{Input, PlayError, Record, RecordError, SceneSettings, Session};
use examples::scene::{ALL, SceneError};
use glam::Vec3;
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::{StepError, StepReport};
use xpbd_gpu::GpuBackend;

/// An error as the page shows it.
type Message = String;

/// Returns the names of all scenes with their summaries, as JSON.
#[wasm_bindgen]
pub fn scenes() -> String {
    let all: Vec<_> = ALL.iter().map(|scene| json!({ "name": scene.name, "summary": scene.summary })).collect();
    json!(all).to_string()
}

/// A device of WebGPU that steps scenes.
#[wasm_bindgen]
pub struct WebGpu(GpuBackend);

#[wasm_bindgen]
impl WebGpu {
    /// Requests a device.
    ///
    /// # Errors
    /// The browser has none.
    pub async fn request() -> Result<WebGpu, Message> {
        GpuBackend::new_async().await.map(Self).map_err(|error| error.to_string())
    }
}

/// The outcome of a replay.
#[wasm_bindgen]
#[derive(Clone, Copy)]
pub enum Replayed {
    /// The hash of the record.
    Same,
    /// Another hash.
    Other,
    /// A state that agrees within rounding at best, since WebGPU has computed the record or the replay.
    Uncompared,
}

/// A session that the page shows.
#[wasm_bindgen]
pub struct Page {
    session: Session,
    cpu: CpuBackend,
    list: DrawList,
    /// The plane in which something is held is moved: a point of it \[m\] and its normal; the target so far \[m\].
    plane: Option<(Vec3, Vec3, Vec3)>,
    /// Hash at the end of the record that is replayed, if it has one, with the number of its frames.
    expected: Option<(Option<u64>, u32)>,
    frozen: bool,
    is_rounded: bool,
}

#[wasm_bindgen]
impl Page {
    /// Builds a scene. `keys` holds `key=value`, one a line; 0 substeps are the scene's own.
    ///
    /// # Errors
    /// There is no such scene, or it cannot have these values.
    #[wasm_bindgen(constructor)]
    pub fn new(scene: &str, keys: &str, substeps: u32) -> Result<Page, Message> {
        let pairs = keys.lines().filter_map(|line| line.split_once('='));
        let set = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let settings = SceneSettings { scene: scene.into(), substeps: (substeps > 0).then_some(substeps), set };
        Ok(Self::of(Session::new(settings).map_err(message)?, None))
    }

    /// Builds the scene of a record to replay it.
    ///
    /// # Errors
    /// The text is no record, or its scene cannot be built.
    pub fn replay(text: &str) -> Result<Page, Message> {
        let record = Record::from_text(text).map_err(|error: RecordError| error.to_string())?;
        let expected = Some((record.hash, record.frames));
        Ok(Self::of(Session::replay(record).map_err(message)?, expected))
    }

    fn of(session: Session, expected: Option<(Option<u64>, u32)>) -> Self {
        let cpu = CpuBackend::new(Threads::Exactly(1));
        Self { session, cpu, list: DrawList::default(), plane: None, expected, frozen: false, is_rounded: false }
    }

    /// Advances by a frame on the CPU.
    ///
    /// # Errors
    /// The scene cannot go on.
    pub fn step(&mut self) -> Result<(), Message> {
        let report = self.session.step(&mut self.cpu).map_err(message)?;
        self.watch(&report);
        Ok(())
    }

    /// Advances by a frame on a device. Until the promise is kept nothing else may be asked of the session and of the device.
    ///
    /// # Errors
    /// The device is lost, or refuses something. The CPU can go on from the frame before.
    pub async fn step_on(&mut self, device: &mut WebGpu) -> Result<(), Message> {
        let report = self.session.submit(&mut device.0).await.map_err(message)?;
        self.is_rounded = true;
        self.watch(&report);
        device.0.fetch(self.session.world()).await;
        self.session.receive().map_err(message)
    }

    fn watch(&mut self, report: &StepReport) {
        self.frozen |= !report.frozen.is_empty() || !report.frozen_bodies.is_empty();
    }

    /// Returns whether something became non-finite and was frozen.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Returns whether WebGPU has computed a frame, so that the state agrees with that of the CPU within rounding alone.
    pub fn is_rounded(&self) -> bool {
        self.is_rounded
    }

    /// Returns the number of frames so far.
    pub fn frames(&self) -> u32 {
        self.session.frames()
    }

    /// Returns the number of frames of the record while it is replayed.
    pub fn replayed_frames(&self) -> Option<u32> {
        self.session.replayed_frames()
    }

    /// Returns, in the last frame of a record that was replayed, what it has ended in.
    pub fn replayed(&self) -> Option<Replayed> {
        let (hash, _) = self.expected.filter(|(_, frames)| self.frames() == *frames)?;
        Some(match hash.filter(|_| !self.is_rounded) {
            None => Replayed::Uncompared,
            Some(hash) if hash == self.session.state_hash() => Replayed::Same,
            Some(_) => Replayed::Other,
        })
    }

    /// Returns the hash of the state.
    pub fn hash(&self) -> String {
        format!("{:016x}", self.session.state_hash())
    }

    /// Returns the record of what was played so far.
    ///
    /// # Errors
    /// It is too long.
    pub fn record(&self) -> Result<String, Message> {
        let mut record = self.session.record();
        record.hash = record.hash.filter(|_| !self.is_rounded);
        record.to_text().map_err(|error| error.to_string())
    }

    /// Returns the settings of the scene as JSON.
    pub fn settings(&self) -> String {
        let settings = self.session.record().settings;
        json!({ "scene": settings.scene, "substeps": settings.substeps, "set": settings.set }).to_string()
    }

    /// Takes hold of what a ray meets first, to move it in the plane across `forward`; returns whether there is something.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn grab(&mut self, origin: &[f32], direction: &[f32], forward: &[f32]) -> Result<bool, Message> {
        let (origin, direction) = (vector(origin)?, vector(direction)?);
        self.session.input(&Input::Grab { origin, direction }).map_err(message)?;
        let normal = vector(forward)?;
        self.plane = self.session.held().map(|[point, target]| (point, normal, target));
        Ok(self.plane.is_some())
    }

    /// Moves what is held to where a ray meets the plane of its motion.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn drag(&mut self, origin: &[f32], direction: &[f32]) -> Result<(), Message> {
        let (origin, direction) = (vector(origin)?, vector(direction)?);
        let Some((point, normal, target)) = self.plane else { return Ok(()) };
        let distance = (point - origin).dot(normal) / direction.dot(normal);
        let way = origin + direction * distance - target;
        if !(way.is_finite() && distance > 0.0) {
            return Ok(());
        }
        let input = Input::move_by(way);
        if input != Input::Move([0; 3]) {
            self.session.input(&input).map_err(message)?;
            self.plane = self.session.held().map(|[_, target]| (point, normal, target));
        }
        Ok(())
    }

    /// Lets go.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn release(&mut self) -> Result<(), Message> {
        self.plane = None;
        self.session.input(&Input::Release).map_err(message)
    }

    /// Cuts what can tear between two rays.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn cut(&mut self, origin: &[f32], from: &[f32], to: &[f32]) -> Result<(), Message> {
        let (origin, from, to) = (vector(origin)?, vector(from)?, vector(to)?);
        self.session.input(&Input::Cut { origin, from, to }).map_err(message)
    }

    /// Puts the constraint of a text on the largest object in place of the one before; nothing if the text is empty.
    ///
    /// # Errors
    /// The place at which the text is wrong, and why.
    pub fn constrain(&mut self, text: &str) -> Result<(), Message> {
        self.session.input(&Input::Constraint(text.into())).map_err(message)
    }

    /// Returns the point by which something is held and its target \[m\]; empty if nothing is.
    pub fn held(&self) -> Vec<f32> {
        self.session.held().map_or(Vec::new(), |points| points.map(|point| point.to_array()).concat())
    }

    /// Lists what there is to see.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn draw(&mut self) -> Result<(), Message> {
        self.list = self.session.draw().map_err(message)?;
        Ok(())
    }

    /// Returns the vertices of the last list.
    pub fn vertices(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.list.vertices)
    }

    /// Returns the indices of the last list.
    pub fn indices(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.list.indices)
    }

    /// Returns the balls of the last list.
    pub fn spheres(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.list.spheres)
    }

    /// Returns the particles of liquids of the last list.
    pub fn drops(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.list.drops)
    }

    /// Returns from where the scene is seen in a picture of this size: eye, target, direction of the key light, middle and
    /// radius of the content, vertical field of view \[°\], and height of the ground, NaN if there is none.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn stage(&self, width: u32, height: u32) -> Result<Vec<f32>, Message> {
        let stage = self.session.stage(width, height).map_err(message)?;
        let vectors = [stage.eye, stage.target, stage.toward_key, stage.center].map(|vector| vector.to_array());
        let rest = [stage.radius, stage.fov_y_degrees, stage.ground.unwrap_or(f32::NAN)];
        Ok(vectors.as_flattened().iter().copied().chain(rest).collect())
    }

    /// Returns the strain that 99 of 100 edges do not exceed and the largest \[1\], the kinetic energy \[J\], and the mean
    /// compression of liquids \[1\]; NaN where there is nothing to measure.
    ///
    /// # Errors
    /// The world refuses it.
    pub fn meters(&self) -> Result<Vec<f64>, Message> {
        let meters = self.session.meters().map_err(message)?;
        Ok(vec![meters.p99_strain, meters.max_strain, meters.kinetic_energy, meters.compression])
    }

    /// Returns the numbers of particles and bodies, and of constraints.
    pub fn counts(&self) -> Vec<u32> {
        let state = self.session.world().state();
        let constraints: usize = state.batches.iter().map(|(_, batch)| batch.batch.len()).sum();
        [state.particles.len(), state.bodies.len(), constraints].map(|count| count as u32).to_vec()
    }
}

/// Returns the message of an error; of a device that cannot step a scene, only why.
fn message(error: PlayError) -> Message {
    match error {
        PlayError::Scene(SceneError::Step(StepError::Backend { reason, .. })) => reason,
        error => error.to_string(),
    }
}

fn vector(numbers: &[f32]) -> Result<Vec3, Message> {
    let array: Result<[f32; 3], _> = numbers.try_into();
    array.map(Vec3::from_array).map_err(|_| "a vector has three numbers".into())
}
