//! Times and counts on the screen.

use std::fmt::Write;
use std::time::Duration;

use bevy::diagnostic::{DiagnosticPath, DiagnosticsPlugin, DiagnosticsStore};
use bevy::prelude::*;
use bevy::time::Real;
use xpbd_core::world::StepPhase;

use super::{
    BODIES, BODY_CONTACTS, CONSTRAINTS, PARTICLE_CONTACTS, PARTICLES, PLUGIN, SHAPE_CONTACTS, STEP, SURFACE_CONTACTS,
    phase,
};
use crate::time::PhysicsTime;

/// Shows times and counts of physics in a corner of the screen, as [`DiagnosticsOverlay`] says; to be added after
/// [`XpbdPlugins`](crate::plugin::XpbdPlugins).
///
/// ```no_run
/// use bevy::prelude::*;
/// use xpbd_bevy::diagnostic::DiagnosticsOverlayPlugin;
/// use xpbd_bevy::prelude::*;
///
/// App::new().add_plugins((DefaultPlugins, XpbdPlugins::default(), DiagnosticsOverlayPlugin)).run();
/// ```
#[derive(Debug, Default, Clone, Copy)]
pub struct DiagnosticsOverlayPlugin;

impl Plugin for DiagnosticsOverlayPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<DiagnosticsPlugin>() {
            app.add_plugins(DiagnosticsPlugin);
        }
        app.init_resource::<DiagnosticsOverlay>();
        app.register_type::<DiagnosticsOverlay>().register_type::<DiagnosticsOverlayText>();
        app.add_systems(Startup, spawn).add_systems(Update, (style, write).chain());
    }
}

/// The settings of the overlay, which may be changed at any time.
#[derive(Resource, Debug, Clone, PartialEq, Reflect)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct DiagnosticsOverlay {
    /// True if it is shown.
    pub enabled: bool,
    /// True if the time of each phase of a step is shown.
    pub phases: bool,
    /// Height of the font \[px\].
    pub font_size: f32,
    /// Colour of the text.
    pub text_color: Color,
    /// Time between two updates of the text.
    pub refresh_interval: Duration,
}

impl Default for DiagnosticsOverlay {
    fn default() -> Self {
        let refresh_interval = Duration::from_millis(250);
        Self { enabled: true, phases: true, font_size: 14.0, text_color: Color::WHITE, refresh_interval }
    }
}

/// Marks the node that holds the text of the overlay, which may be placed elsewhere.
#[derive(Component, Debug, Default, Clone, Copy, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct DiagnosticsOverlayText;

/// The place of the overlay among other nodes: in front of what an app shows, behind Bevy's own overlays.
const Z_INDEX: GlobalZIndex = GlobalZIndex(i32::MAX - 64);

fn spawn(mut commands: Commands) {
    let corner =
        Node { position_type: PositionType::Absolute, top: px(4), right: px(4), padding: px(4).all(), ..default() };
    let shade = BackgroundColor(Color::BLACK.with_alpha(0.5));
    let node = (DiagnosticsOverlayText, Name::new("physics diagnostics"), Text::default(), corner, shade, Z_INDEX);
    #[cfg(feature = "picking")]
    let node = (node, Pickable::IGNORE);
    commands.spawn(node);
}

/// Follows the settings.
fn style(
    overlay: Res<DiagnosticsOverlay>,
    mut texts: Query<(&mut TextFont, &mut TextColor, &mut Visibility), With<DiagnosticsOverlayText>>,
) {
    if !overlay.is_changed() {
        return;
    }
    for (mut font, mut color, mut visibility) in &mut texts {
        font.font_size = overlay.font_size.into();
        color.0 = overlay.text_color;
        *visibility = if overlay.enabled { Visibility::Inherited } else { Visibility::Hidden };
    }
}

/// Writes the text when it is due.
fn write(
    overlay: Res<DiagnosticsOverlay>,
    store: Res<DiagnosticsStore>,
    physics_time: Option<Res<PhysicsTime>>,
    clock: Res<Time<Real>>,
    mut written: Local<Option<Duration>>,
    mut texts: Query<&mut Text, With<DiagnosticsOverlayText>>,
) {
    let now = clock.elapsed();
    let is_due = written.is_none_or(|last| now.saturating_sub(last) >= overlay.refresh_interval);
    if !overlay.enabled || !(is_due || overlay.is_changed()) {
        return;
    }
    *written = Some(now);
    let text = lines(&store, &overlay, physics_time.as_deref());
    texts.iter_mut().for_each(|mut of| of.0.clone_from(&text));
}

/// Returns the lines of the overlay.
fn lines(store: &DiagnosticsStore, overlay: &DiagnosticsOverlay, time: Option<&PhysicsTime>) -> String {
    let value = |path: &DiagnosticPath| store.get(path).and_then(|diagnostic| diagnostic.smoothed()).unwrap_or(0.0);
    let count = |path: &DiagnosticPath| store.get(path).and_then(|diagnostic| diagnostic.value()).unwrap_or(0.0);
    let phases: &[StepPhase] = if overlay.phases { &StepPhase::ALL } else { &[] };
    let contacts = [PARTICLE_CONTACTS, SHAPE_CONTACTS, BODY_CONTACTS, SURFACE_CONTACTS].iter().map(count).sum();
    let counts = [
        ("particles", count(&PARTICLES)),
        ("bodies", count(&BODIES)),
        ("constraints", count(&CONSTRAINTS)),
        ("contacts", contacts),
        ("dropped steps", time.map_or(0.0, |time| time.dropped_steps as f64)),
    ];
    let mut text = String::new();
    // Writing to a string does not fail.
    writeln!(text, "step {:.2} ms", value(&STEP)).ok();
    for &each in phases {
        writeln!(text, "  {} {:.2} ms", each.name(), value(&phase(each))).ok();
    }
    writeln!(text, "plugin {:.2} ms", value(&PLUGIN)).ok();
    for (name, count) in counts {
        writeln!(text, "{name} {count:.0}").ok();
    }
    text.truncate(text.trim_end().len());
    text
}
