//! Scenes: worlds to run, to look at, to test and to measure.
//!
//! A [`Recipe`] names a scene and builds it from [`Options`]. The [`Scene`] holds the world and
//! an [`Observer`], which acts before a frame, looks after it, and tells in the end what came out:
//! [`Metrics`] by name and a picture.

mod balloon;
mod basin;
mod boxes;
mod bridge;
mod cantilever;
pub(crate) mod cards;
mod chain;
mod chain_rigid;
mod cloths;
mod clusters;
mod column;
mod couette;
mod crate_cloth;
mod crumple;
mod cubes;
mod dam_break;
mod drape;
mod drop;
mod fall;
mod flag;
mod float;
mod funnel;
mod gap;
mod hang;
mod helix;
mod incline;
mod jelly;
mod layers;
mod loads;
mod melt;
mod mixer;
mod options;
mod pendulum;
mod pile;
mod plane;
mod polar;
mod pour;
mod ragdolls;
mod ring;
mod rope;
mod sail;
mod sew;
pub(crate) mod sheet;
mod smoke_cloth;
pub(crate) mod soft;
mod solid;
mod squash;
mod stack;
pub mod strain;
mod tablecloths;
mod tear;
mod top;
mod twist;
mod winch;

use xpbd_core::world::{Backend, StepError, StepPhase, StepReport, World, WorldError};

use crate::mesh::LoadError;
use crate::picture::{Image, Picture};

pub use options::{OptionKey, Options, Setup};

/// Length of a frame \[s\].
pub const FRAME: f32 = 1.0 / 60.0;

/// All scenes, in the order in which they are listed.
pub const ALL: [&Recipe; 45] = [
    &drape::RECIPE,
    &hang::RECIPE,
    &rope::RECIPE,
    &chain::RECIPE,
    &pile::RECIPE,
    &incline::RECIPE,
    &fall::RECIPE,
    &pendulum::RECIPE,
    &top::RECIPE,
    &stack::RECIPE,
    &boxes::RECIPE,
    &cards::RECIPE,
    &chain_rigid::RECIPE,
    &bridge::RECIPE,
    &ragdolls::RECIPE,
    &clusters::RECIPE,
    &crate_cloth::RECIPE,
    &loads::RECIPE,
    &mixer::RECIPE,
    &dam_break::RECIPE,
    &column::RECIPE,
    &float::RECIPE,
    &sail::RECIPE,
    &pour::RECIPE,
    &funnel::RECIPE,
    &melt::RECIPE,
    &couette::RECIPE,
    &drop::RECIPE,
    &layers::RECIPE,
    &smoke_cloth::RECIPE,
    &crumple::RECIPE,
    &tear::RECIPE,
    &cantilever::RECIPE,
    &twist::RECIPE,
    &helix::RECIPE,
    &winch::RECIPE,
    &flag::RECIPE,
    &plane::RECIPE,
    &balloon::RECIPE,
    &sew::RECIPE,
    &jelly::RECIPE,
    &squash::RECIPE,
    &cubes::RECIPE,
    &tablecloths::RECIPE,
    &ring::RECIPE,
];

/// Named results in a fixed order.
pub type Metrics = Vec<(&'static str, f64)>;

/// A scene that can be built.
pub struct Recipe {
    /// Name of the scene.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// Frames unless asked otherwise.
    pub frames: u32,
    /// Substeps of a frame unless asked otherwise.
    pub substeps: u32,
    /// Keys that can be set.
    pub keys: &'static [OptionKey],
    /// True if it can use another mesh than its own.
    pub takes_mesh: bool,
    build: fn(&Setup<'_>) -> Result<BuiltScene, SceneError>,
}

/// A world with its observer, as a recipe builds it.
struct BuiltScene {
    world: World,
    frames: u32,
    observer: Box<dyn Observer>,
}

/// A scene ready to run.
pub struct Scene {
    /// Name of the scene.
    pub name: &'static str,
    /// The world; its settings hold substeps and iterations.
    pub world: World,
    /// Number of frames to run.
    pub frames: u32,
    observer: Box<dyn Observer>,
}

/// The actions of a scene besides stepping its world.
///
/// What it does before a frame may depend on the world alone, so that a restored snapshot goes on
/// like the original.
pub trait Observer {
    /// Changes the world before a frame.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    fn before_frame(&mut self, _world: &mut World) -> Result<(), WorldError> {
        Ok(())
    }

    /// Records after a frame what metrics need.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    fn after_frame(&mut self, _world: &World, _report: &StepReport) -> Result<(), WorldError> {
        Ok(())
    }

    /// Returns the results so far.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    fn metrics(&self, world: &World) -> Result<Metrics, WorldError>;

    /// Puts what there is to see into a picture.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    fn draw(&self, world: &World, picture: Picture) -> Result<Picture, WorldError>;
}

/// An error in building or running a scene.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// There is no such scene.
    #[error("there is no scene `{name}`; the scenes are {}", names())]
    Unknown {
        /// Name that was asked for.
        name: String,
    },
    /// The scene has no such key.
    #[error("scene `{scene}` has no key `{key}`; {known}")]
    Key {
        /// Scene.
        scene: &'static str,
        /// Key that was set.
        key: String,
        /// Keys that can be set.
        known: String,
    },
    /// A key cannot have this value.
    #[error("scene `{scene}`: `{key}` is `{value}`; it must be {must}")]
    Value {
        /// Scene.
        scene: &'static str,
        /// Key.
        key: &'static str,
        /// Value.
        value: String,
        /// Requirement that the value violates.
        must: String,
    },
    /// The scene has no use for a mesh.
    #[error("scene `{0}` uses no mesh")]
    NoMesh(&'static str),
    /// The mesh cannot be read.
    #[error(transparent)]
    Mesh(#[from] LoadError),
    /// The mesh cannot be collided with.
    #[error("the mesh cannot be collided with: {0}")]
    Collider(#[from] xpbd_core::collide::MeshError),
    /// A cloth or rope is not valid.
    #[error("{0}")]
    Object(String),
    /// A rod is not valid.
    #[error(transparent)]
    Rod(#[from] xpbd_cloth::RodError),
    /// A body cannot have this mass.
    #[error(transparent)]
    Mass(#[from] xpbd_core::bodies::MassError),
    /// A joint is not valid.
    #[error(transparent)]
    Joint(#[from] xpbd_rigid::joint::JointError),
    /// A fluid.
    #[error(transparent)]
    Fluid(#[from] xpbd_fluid::FluidError),
    /// Particles of a fluid that come, go or change.
    #[error(transparent)]
    Flow(#[from] xpbd_fluid::SpawnError),
    /// A shape-matched cluster is not valid.
    #[error(transparent)]
    Cluster(#[from] xpbd_rigid::ClusterError),
    /// A constraint type cannot be used.
    #[error(transparent)]
    Constraint(#[from] xpbd_core::constraint::ConstraintError),
    /// The world refuses something.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A batch does not fit.
    #[error(transparent)]
    Batch(#[from] xpbd_core::batch::BatchError),
    /// A step was not taken.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Returns the names of all scenes, for messages.
fn names() -> String {
    ALL.map(|recipe| recipe.name).join(", ")
}

impl Recipe {
    /// Returns the scene of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(name: &str) -> Result<&'static Self, SceneError> {
        ALL.into_iter().find(|recipe| recipe.name == name).ok_or_else(|| SceneError::Unknown { name: name.into() })
    }

    /// Builds the scene.
    ///
    /// # Errors
    /// A key that it does not have, a value that it cannot have, a mesh that cannot be used.
    pub fn build(&'static self, options: &Options) -> Result<Scene, SceneError> {
        let setup = Setup::new(self, options)?;
        let BuiltScene { world, frames, observer } = (self.build)(&setup)?;
        Ok(Scene { name: self.name, world, frames: options.frames.unwrap_or(frames), observer })
    }
}

impl Scene {
    /// Advances by one frame and looks at what came of it.
    ///
    /// # Errors
    /// The world refuses an edit or a step.
    pub fn step(&mut self, backend: &mut impl Backend) -> Result<StepReport, SceneError> {
        let mut report = self.advance(backend)?;
        report.timed(StepPhase::Finish, || self.world.synchronize())?;
        self.observer.after_frame(&self.world, &report)?;
        Ok(report)
    }

    /// Advances by one frame without waiting for the device that works on it: nobody looks, so what
    /// metrics gather from frame to frame misses this one.
    ///
    /// # Errors
    /// The world refuses an edit or a step.
    pub fn advance(&mut self, backend: &mut impl Backend) -> Result<StepReport, SceneError> {
        self.observer.before_frame(&mut self.world)?;
        Ok(self.world.step(backend, FRAME)?)
    }

    /// Advances by one frame as [`Scene::advance`] does, but awaits what that waits for.
    ///
    /// # Errors
    /// The world refuses an edit or a step.
    pub async fn advance_async(&mut self, backend: &mut impl Backend) -> Result<StepReport, SceneError> {
        self.observer.before_frame(&mut self.world)?;
        Ok(self.world.step_async(backend, FRAME).await?)
    }

    /// Advances by all of its frames.
    ///
    /// # Errors
    /// The world refuses an edit or a step.
    pub fn run(&mut self, backend: &mut impl Backend) -> Result<(), SceneError> {
        (0..self.frames).try_for_each(|_| self.step(backend).map(drop))
    }

    /// Returns the results so far.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn metrics(&self) -> Result<Metrics, SceneError> {
        Ok(self.observer.metrics(&self.world)?)
    }

    /// Returns one of the results; NaN if there is none of this name.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn metric(&self, name: &str) -> Result<f64, SceneError> {
        let metrics = self.metrics()?;
        Ok(metrics.iter().find(|(other, _)| *other == name).map_or(f64::NAN, |(_, value)| *value))
    }

    /// Returns a picture of the scene as it is now.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn picture(&self, width: u32, height: u32) -> Result<Image, SceneError> {
        Ok(self.drawn(Picture::new(width, height))?.render())
    }

    /// Puts what there is to see now into a picture.
    ///
    /// # Errors
    /// The world refused an edit or a step.
    pub fn drawn(&self, picture: Picture) -> Result<Picture, SceneError> {
        Ok(self.observer.draw(&self.world, picture)?)
    }
}
