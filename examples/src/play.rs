//! Scenes that one plays with: inputs of a player act on a scene, are recorded by frame, and replay to the same bits.
//!
//! A [`Session`] steps a scene and applies [`Input`]s between its frames. Its [`Record`] holds all that its state depends
//! on: the scene, its options, and the inputs with their frames. As a text it fits into the address of a page.

mod held;
mod meters;
mod record;
mod text_constraint;

use glam::Vec3;
use xpbd_cloth::{Blade, TearError, cut};
use xpbd_core::query::{QueryFilter, QueryTarget, Ray, SpatialIndex};
use xpbd_core::world::{Backend, ObjectHandle, StepReport, World};

use crate::picture::{DrawList, Picture, Stage};
use crate::scene::{Recipe, Scene, SceneError};
use held::Held;
use text_constraint::Attached;

pub use meters::Meters;
pub use record::{Input, Record, RecordError, SceneSettings};
pub use text_constraint::AttachError;

/// Greatest distance at which a player reaches something \[m\].
const REACH: f32 = 1000.0;

/// Radius of what a player reaches with, where a ray alone meets nothing that can be held \[m\].
const FINGER: f32 = 0.03;

/// Why a session cannot go on, or does not do what a player asks for.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The constraint of the player.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// The knife.
    #[error(transparent)]
    Tear(#[from] TearError),
    /// The inputs of a record are not in the order of their frames, or behind its end.
    #[error("input {0} of the record is for a frame before the input that precedes it, or after the end of the record")]
    Order(usize),
}

/// A scene with a player.
pub struct Session {
    scene: Scene,
    record: Record,
    /// The record that is replayed, and how many of its inputs have been applied.
    replayed: Option<(Record, usize)>,
    index: SpatialIndex,
    held: Option<Held>,
    attached: Option<Attached>,
}

impl Session {
    /// Builds a scene for a player.
    ///
    /// # Errors
    /// There is no such scene, or it cannot be built with these options.
    pub fn new(settings: SceneSettings) -> Result<Self, PlayError> {
        let scene = Recipe::find(&settings.scene)?.build(&settings.options())?;
        Ok(Self {
            scene,
            record: Record { settings, ..Record::default() },
            replayed: None,
            index: SpatialIndex::default(),
            held: None,
            attached: None,
        })
    }

    /// Builds the scene of a record, whose inputs are then applied in their frames.
    ///
    /// # Errors
    /// The scene cannot be built, or the inputs are not in the order of their frames.
    pub fn replay(record: Record) -> Result<Self, PlayError> {
        let frames = record.inputs.iter().map(|(frame, _)| *frame);
        let nexts = frames.clone().skip(1).chain([record.frames]);
        if let Some(input) = frames.zip(nexts).position(|(frame, next)| frame > next) {
            return Err(PlayError::Order(input));
        }
        let mut session = Self::new(record.settings.clone())?;
        session.replayed = Some((record, 0));
        session.apply_recorded()?;
        Ok(session)
    }

    /// Returns the number of frames so far.
    pub fn frames(&self) -> u32 {
        self.record.frames
    }

    /// Returns the number of frames of the record that is replayed, while it is.
    pub fn replayed_frames(&self) -> Option<u32> {
        let (record, _) = self.replayed.as_ref()?;
        (self.frames() < record.frames).then_some(record.frames)
    }

    /// Returns the bits of the world as a number.
    pub fn state_hash(&self) -> u64 {
        self.scene.world.state_hash()
    }

    /// Returns what has been played so far, with the hash that it ends in. Only frames of the CPU back end end in it again.
    pub fn record(&self) -> Record {
        Record { hash: Some(self.state_hash()), ..self.record.clone() }
    }

    /// Returns the world.
    pub fn world(&self) -> &World {
        &self.scene.world
    }

    /// Advances by a frame.
    ///
    /// # Errors
    /// The scene cannot go on.
    pub fn step(&mut self, backend: &mut impl Backend) -> Result<StepReport, PlayError> {
        self.pull();
        let report = self.scene.advance(backend)?;
        self.receive()?;
        Ok(report)
    }

    /// Begins a frame, and awaits what it waits for. Inputs have to wait for [`Session::receive`].
    ///
    /// # Errors
    /// The scene cannot go on, or not on this back end.
    pub async fn submit(&mut self, backend: &mut impl Backend) -> Result<StepReport, PlayError> {
        self.pull();
        Ok(self.scene.advance_async(backend).await?)
    }

    /// Pulls what the player holds.
    fn pull(&mut self) {
        if let Some(held) = &mut self.held
            && !held.pull(&mut self.scene.world)
        {
            self.held = None;
        }
    }

    /// Ends a frame: waits for the device that computes it, if one does, and applies the inputs of a replayed record.
    ///
    /// # Errors
    /// The device is lost, and the frame with it; or an input of the record makes no sense.
    pub fn receive(&mut self) -> Result<(), PlayError> {
        self.scene.world.synchronize().map_err(SceneError::from)?;
        self.record.frames += 1;
        self.apply_recorded()
    }

    /// Applies those inputs of the replayed record that are for the next frame.
    fn apply_recorded(&mut self) -> Result<(), PlayError> {
        let Some((record, mut done)) = self.replayed.take() else { return Ok(()) };
        let now = self.frames();
        while let Some((_, input)) = record.inputs.get(done).filter(|(frame, _)| *frame == now) {
            self.apply(input)?;
            done += 1;
        }
        self.replayed = Some((record, done));
        Ok(())
    }

    /// Applies an input before the next frame and records it. The rest of a record that is replayed is dropped.
    ///
    /// # Errors
    /// The input does not make sense in this world, which is then as it was.
    pub fn input(&mut self, input: &Input) -> Result<(), PlayError> {
        if self.replayed_frames().is_some() {
            self.replayed = None;
        }
        self.apply(input)
    }

    fn apply(&mut self, input: &Input) -> Result<(), PlayError> {
        match input {
            Input::Grab { origin, direction } => {
                self.release();
                self.held = self.reach(Ray::new(*origin, *direction, REACH));
                if self.held.is_none() {
                    return Ok(());
                }
            }
            Input::Move(way) => {
                let Some(held) = &mut self.held else { return Ok(()) };
                held.aim(*way);
            }
            Input::Release => {
                if self.held.is_none() {
                    return Ok(());
                }
                self.release();
            }
            Input::Cut { origin, from, to } => self.cut(*origin, *from, *to)?,
            Input::Constraint(text) => Attached::replace(&mut self.attached, &mut self.scene.world, text)?,
        }
        self.record.inputs.push((self.record.frames, input.clone()));
        Ok(())
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            held.release(&mut self.scene.world);
        }
    }

    /// Takes hold of the first thing on a ray that can be held.
    fn reach(&mut self, ray: Ray) -> Option<Held> {
        let world = &self.scene.world;
        let can_be_held = |target: &QueryTarget| held::can_be_held(world, target);
        let filter = QueryFilter::default().predicate(&can_be_held);
        let space = self.index.update(world);
        let finger = parry3d::shape::Ball::new(FINGER);
        let cast = xpbd_core::query::ShapeCast {
            shape: &finger,
            pose: parry3d::math::Pose::from_translation(ray.origin),
            direction: ray.direction,
            max_distance: ray.max_distance,
            target_distance: 0.0,
        };
        let hit = space.cast_ray(&ray, &filter).or_else(|| space.cast_shape(&cast, &filter).ok().flatten())?;
        Held::new(&mut self.scene.world, &hit)
    }

    /// Returns the point by which something is held \[m\], and where the player wants it to be.
    pub fn held(&self) -> Option<[Vec3; 2]> {
        self.held.as_ref().and_then(|held| held.points(&self.scene.world))
    }

    /// Cuts what can tear with a blade that turns about a point \[m\] between two directions.
    fn cut(&mut self, origin: Vec3, from: Vec3, to: Vec3) -> Result<(), PlayError> {
        let world = &mut self.scene.world;
        let sheets: Vec<ObjectHandle> = world.objects().to_vec();
        let (middle, from, to) = ((from + to).normalize_or_zero(), from.normalize_or_zero(), to.normalize_or_zero());
        for sheet in sheets {
            let away = world.positions(sheet).map_err(SceneError::from)?.map(|x| (x - origin).dot(middle));
            let (near, far) = away.fold((f32::INFINITY, 0.0_f32), |(near, far), x| (near.min(x), far.max(x)));
            let distance = 0.5 * (near.max(0.0) + far);
            let blade = Blade {
                corner: origin + from * distance - middle * distance,
                edge: middle * (2.0 * distance),
                path: (to - from) * distance,
            };
            match cut(world, sheet, &blade) {
                Ok(_) | Err(TearError::NotTearable(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Lists what there is to see.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn draw(&self) -> Result<DrawList, PlayError> {
        Ok(self.scene.drawn(Picture::new(1, 1))?.draw_list())
    }

    /// Returns from where the scene is seen in a picture of this size.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn stage(&self, width: u32, height: u32) -> Result<Stage, PlayError> {
        Ok(self.scene.drawn(Picture::new(width, height))?.stage())
    }

    /// Measures the world.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn meters(&self) -> Result<Meters, PlayError> {
        Ok(Meters::of(&self.scene.world).map_err(SceneError::from)?)
    }
}
