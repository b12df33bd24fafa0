//! Cloth on an animated skin.
//!
//! ```
//! use bevy::prelude::*;
//! use xpbd_bevy::prelude::*;
//!
//! /// A coat, whose mesh is skinned: it is stiff at the shoulders, where it is painted red, and hangs freely elsewhere,
//! /// up to a hand's breadth from where its animation has it, and never more than a centimetre below.
//! fn wear(mut commands: Commands, coats: Query<(Entity, &Name), Added<SkinnedMesh>>, hips: Single<Entity, With<Hips>>) {
//!     for (coat, _) in coats.iter().filter(|(_, name)| name.as_str() == "coat") {
//!         let skin = SkinAttachment::painted(Color::srgb(1.0, 0.0, 0.0)).stiffness(f32::INFINITY);
//!         let skin = skin.and(SkinAttachment::all().max_distance(0.1).backstop(0.01, 0.5));
//!         commands.entity(coat).insert((Cloth::default(), skin, FrameDamping { frame_entity: Some(*hips), ..default() }));
//!     }
//! }
//! # use bevy::mesh::skinning::SkinnedMesh;
//! # #[derive(Component)]
//! # struct Hips;
//! ```

mod bind;

use bevy::ecs::intern::Interned;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;

use super::pin::{PinSelection, Pinned};
use crate::schedule::{PrepareSystems, XpbdSystems, add_ordered_systems};
use crate::snapshot::save_required_component;
use bind::SkinBinding;

/// Lets the cloth of an entity follow the skin that its mesh is bound to, by the [`SkinnedMesh`](bevy::mesh::skinning::SkinnedMesh) beside it: it starts on
/// the skin, and its vertices are pulled to where its joints would have them, kept near, and kept from going below.
///
/// Joints are taken as they are before each step; in the step vertices go there in a straight line. The entity has the
/// scale of its joints. While a mesh is deformed its skin is not that of the renderer: the plugin keeps it
/// ([`RestSkin`](super::RestSkin)), and gives it back.
///
/// A sheet that its own motion through the air should not slow down has a
/// [`FrameDamping`](super::frame_damping::FrameDamping) in place of drag.
#[derive(Component, Debug, Clone, Default, Reflect)]
#[reflect(Component, Debug, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
#[require(SkinBinding)]
pub struct SkinAttachment {
    /// The parts that follow it; where two parts select the same vertex, the first one counts.
    pub parts: Vec<SkinPart>,
}

/// A selection of vertices that follow a skin.
#[derive(Debug, Clone, Reflect)]
#[reflect(Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SkinPart {
    /// The vertices that are attached.
    pub selection: PinSelection,
    /// Largest distance of each from its position on the skin \[m\]; infinite for none.
    pub max_distance: f32,
    /// Stiffness of the pull of each to its place \[N/m\]; 0 for none, infinite for one that holds it there.
    pub stiffness: f32,
    /// The backstop that keeps each from going below the skin.
    pub backstop: Option<SkinBackstop>,
}

/// A ball below the skin, along its normal, that keeps a vertex out.
#[derive(Debug, Clone, Copy, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SkinBackstop {
    /// Largest depth of a vertex below its position on the skin \[m\].
    pub depth: f32,
    /// Radius of the ball \[m\]: large against the folds of the cloth, small against the curvature of the skin.
    pub radius: f32,
}

impl SkinAttachment {
    fn these(pinned: Pinned) -> Self {
        let part = |which| SkinPart { selection: which, max_distance: f32::INFINITY, stiffness: 0.0, backstop: None };
        Self { parts: pinned.pins.into_iter().map(|pin| part(pin.selection)).collect() }
    }

    /// Selects all vertices.
    pub fn all() -> Self {
        Self::when(|_, _| true)
    }

    /// Selects these vertices.
    pub fn vertices(vertices: impl IntoIterator<Item = u32>) -> Self {
        Self::these(Pinned::vertices(vertices))
    }

    /// Selects the vertices of this colour.
    pub fn painted(color: impl Into<LinearRgba>) -> Self {
        Self::these(Pinned::painted(color))
    }

    /// Vertices for whose number and place in the frame of the entity \[m\] this holds.
    pub fn when(holds: impl Fn(u32, Vec3) -> bool + Send + Sync + 'static) -> Self {
        Self::these(Pinned::when(holds))
    }

    /// Keeps the vertices at most this far from their places \[m\].
    #[must_use]
    pub fn max_distance(mut self, reach: f32) -> Self {
        self.parts.iter_mut().for_each(|part| part.max_distance = reach);
        self
    }

    /// Pulls the vertices to their places with this stiffness \[N/m\].
    #[must_use]
    pub fn stiffness(mut self, stiffness: f32) -> Self {
        self.parts.iter_mut().for_each(|part| part.stiffness = stiffness);
        self
    }

    /// Keeps the vertices at most `depth` \[m\] below their places, kept there by balls of this radius \[m\].
    #[must_use]
    pub fn backstop(mut self, depth: f32, radius: f32) -> Self {
        self.parts.iter_mut().for_each(|part| part.backstop = Some(SkinBackstop { depth, radius }));
        self
    }

    /// Adds these attachments.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.parts.extend(others.parts);
        self
    }
}

/// Cloth on skins.
#[derive(Debug, Clone)]
pub struct SkinAttachmentPlugin(pub(crate) Interned<dyn ScheduleLabel>);

impl Plugin for SkinAttachmentPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<SkinAttachment>();
        // Before pins: they hold what is on the skin where it is.
        add_ordered_systems(app, self.0, XpbdSystems::Prepare(PrepareSystems::Objects), bind::bind);
        add_ordered_systems(app, self.0, XpbdSystems::ApplyInputs, bind::follow);
        app.add_observer(bind::let_go).add_observer(bind::let_go_of_none);
        save_required_component::<SkinBinding>(app);
    }
}
