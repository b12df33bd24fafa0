//! Times and counts as diagnostics, for [`LogDiagnosticsPlugin`](bevy::diagnostic::LogDiagnosticsPlugin) and overlays, of which
//! one is `DiagnosticsOverlayPlugin`. With the feature `trace` the same phases are spans of `tracing`, with these paths as names.
//!
//! | path | what | unit |
//! |---|---|---|
//! | `xpbd/step` | the last step as a whole | ms |
//! | `xpbd/plan`, `xpbd/detect`, … | its phases ([`StepPhase`]) | ms |
//! | `xpbd/plugin` | what the plugin takes besides, in a step and in drawing | ms |
//! | `xpbd/particles`, `xpbd/bodies` | what there is | |
//! | `xpbd/constraints`, `xpbd/colours` | constraints, and groups of them solved in turn | |
//! | `xpbd/particle_contacts`, `xpbd/shape_contacts`, `xpbd/body_contacts`, `xpbd/surface_contacts` | contacts found, of each kind | |
//! | `xpbd/dropped_contacts` | contacts for which there was no room | |

#[cfg(feature = "diagnostic_ui")]
mod overlay;

#[cfg(feature = "diagnostic_ui")]
pub use overlay::{DiagnosticsOverlay, DiagnosticsOverlayPlugin, DiagnosticsOverlayText};

use bevy::diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, DiagnosticsStore};
use bevy::prelude::*;
use xpbd_core::world::StepPhase;

use crate::physics::Physics;
use crate::time::PluginTime;

/// Returns the path of a phase.
pub const fn phase(phase: StepPhase) -> DiagnosticPath {
    DiagnosticPath::const_new(match phase {
        StepPhase::Plan => "xpbd/plan",
        StepPhase::Detect => "xpbd/detect",
        StepPhase::Predict => "xpbd/predict",
        StepPhase::Project => "xpbd/project",
        StepPhase::Contacts => "xpbd/contacts",
        StepPhase::Velocities => "xpbd/velocities",
        StepPhase::Finish => "xpbd/finish",
    })
}

/// A step as a whole \[ms\].
pub const STEP: DiagnosticPath = DiagnosticPath::const_new("xpbd/step");
/// Time of the plugin besides the solver \[ms\].
pub const PLUGIN: DiagnosticPath = DiagnosticPath::const_new("xpbd/plugin");
/// Particles that are there.
pub const PARTICLES: DiagnosticPath = DiagnosticPath::const_new("xpbd/particles");
/// Bodies.
pub const BODIES: DiagnosticPath = DiagnosticPath::const_new("xpbd/bodies");
/// Constraints that are solved.
pub const CONSTRAINTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/constraints");
/// Groups of constraints that are solved in turn.
pub const COLOURS: DiagnosticPath = DiagnosticPath::const_new("xpbd/colours");
/// Contacts of particles with particles.
pub const PARTICLE_CONTACTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/particle_contacts");
/// Contacts of particles with colliders.
pub const SHAPE_CONTACTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/shape_contacts");
/// Contact points of bodies.
pub const BODY_CONTACTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/body_contacts");
/// Pairs of features of surfaces.
pub const SURFACE_CONTACTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/surface_contacts");
/// Contacts for which there was no room.
pub const DROPPED_CONTACTS: DiagnosticPath = DiagnosticPath::const_new("xpbd/dropped_contacts");

const COUNTS: [DiagnosticPath; 9] = [
    PARTICLES,
    BODIES,
    CONSTRAINTS,
    COLOURS,
    PARTICLE_CONTACTS,
    SHAPE_CONTACTS,
    BODY_CONTACTS,
    SURFACE_CONTACTS,
    DROPPED_CONTACTS,
];

/// Times and counts as diagnostics, where the app has a store for them
/// ([`DiagnosticsPlugin`](bevy::diagnostic::DiagnosticsPlugin)).
#[derive(Debug, Default, Clone, Copy)]
pub struct DiagnosticPlugin;

impl Plugin for DiagnosticPlugin {
    fn build(&self, _app: &mut App) {}

    fn finish(&self, app: &mut App) {
        let Some(mut store) = app.world_mut().get_resource_mut::<DiagnosticsStore>() else { return };
        for path in [STEP, PLUGIN].into_iter().chain(StepPhase::ALL.map(phase)) {
            store.add(Diagnostic::new(path).with_suffix("ms"));
        }
        for path in COUNTS {
            store.add(Diagnostic::new(path).with_smoothing_factor(0.0));
        }
        app.add_systems(Last, measure);
    }
}

/// Adds what the last step of a frame said, if there was one.
fn measure(mut diagnostics: Diagnostics, physics: Res<Physics>, time: Res<PluginTime>, mut seen: Local<u64>) {
    let state = physics.world().state();
    if std::mem::replace(&mut *seen, state.frames) == state.frames {
        return;
    }
    let report = physics.report();
    diagnostics.add_measurement(&STEP, || report.total() * 1e3);
    diagnostics.add_measurement(&PLUGIN, || (time.step + time.draw) * 1e3);
    for (each, seconds) in physics.phase_times() {
        diagnostics.add_measurement(&phase(each), || seconds * 1e3);
    }
    let counts: [&dyn Fn() -> usize; 9] = [
        &|| state.particles.inactive.iter().filter(|&&absent| !absent).count(),
        &|| state.bodies.len(),
        &|| report.constraints,
        &|| report.colours,
        &|| report.particle_contacts,
        &|| report.shape_contacts,
        &|| report.body_contacts,
        &|| report.surface_contacts,
        &|| report.dropped_contacts,
    ];
    for (path, count) in COUNTS.iter().zip(counts) {
        diagnostics.add_measurement(path, || count() as f64);
    }
}
