//! Text, signs and sliders over the picture.

use bevy::diagnostic::{DiagnosticPath, DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::prelude::*;
use bevy::ui::RelativeCursorPosition;
use xpbd_bevy::diagnostic::{BODIES, PARTICLES, STEP};
use xpbd_bevy::physics::PhysicsSettings;
use xpbd_bevy::prelude::*;

use super::Kept;

/// Behind text.
const DARK: Color = Color::srgba(0.05, 0.07, 0.10, 0.55);
/// Signs and sliders.
const AMBER: Color = Color::srgb(1.0, 0.72, 0.25);

/// A number that a slider sets.
#[derive(Component, Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Gravity,
    Substeps,
    Speed,
}

impl Number {
    const ALL: [Self; 3] = [Self::Gravity, Self::Substeps, Self::Speed];

    /// Returns the least and the greatest value.
    fn range(self) -> [f32; 2] {
        match self {
            Self::Gravity => [0.0, 20.0],
            Self::Substeps => [1.0, 40.0],
            Self::Speed => [0.1, 2.0],
        }
    }

    /// Returns the value.
    fn value(self, settings: &Settings, time: &PhysicsTime) -> f32 {
        match self {
            Self::Gravity => -settings.gravity.y,
            Self::Substeps => settings.substeps as f32,
            Self::Speed => time.scale,
        }
    }

    /// Returns its name and value.
    fn label(self, value: f32) -> String {
        match self {
            Self::Gravity => format!("gravity {value:.1} m/s²"),
            Self::Substeps => format!("substeps {value:.0}"),
            Self::Speed => format!("speed {value:.1}"),
        }
    }
}

/// The part of a slider that shows its value.
#[derive(Component)]
struct Filled(Number);

/// The text of a slider.
#[derive(Component)]
struct Label(Number);

/// The line with frames, times and counts.
#[derive(Component)]
struct Status;

/// The sign that time does not run as it does elsewhere.
#[derive(Component)]
struct Sign;

/// Adds the panels of a demo.
pub fn build(app: &mut App, title: &'static str, keys: String) {
    app.add_plugins(FrameTimeDiagnosticsPlugin::default());
    app.add_systems(Startup, move |mut commands: Commands| spawn(&mut commands, title, &keys));
    app.add_systems(Update, (slide, show_numbers, show_status).chain());
}

/// Returns text through which the mouse reaches what is behind it.
fn text(words: impl Into<String>, size: f32, color: Color) -> impl Bundle {
    (Text::new(words), TextFont::from_font_size(size), TextColor(color), Pickable::IGNORE)
}

/// Returns a panel at these places from the edges \[px\].
fn panel(place: Node) -> impl Bundle {
    let node = Node {
        position_type: PositionType::Absolute,
        padding: UiRect::axes(px(12), px(8)),
        flex_direction: FlexDirection::Column,
        row_gap: px(4),
        border_radius: BorderRadius::all(px(6)),
        ..place
    };
    (Kept, node, BackgroundColor(DARK))
}

fn spawn(commands: &mut Commands, title: &str, keys: &str) {
    commands.spawn((panel(Node { left: px(10), top: px(10), ..default() }), Pickable::IGNORE)).with_children(|panel| {
        panel.spawn(text(title, 24.0, Color::WHITE));
        panel.spawn(text(keys, 16.0, Color::srgb(0.88, 0.90, 0.93)));
    });
    commands.spawn((panel(Node { right: px(10), top: px(10), ..default() }), Pickable::IGNORE)).with_children(
        |panel| {
            panel.spawn((Status, text("", 16.0, Color::WHITE)));
            panel.spawn((Sign, text("", 24.0, AMBER)));
        },
    );
    commands.spawn(panel(Node { left: px(10), bottom: px(10), ..default() })).with_children(|panel| {
        for number in Number::ALL {
            panel.spawn((Label(number), text("", 16.0, Color::WHITE)));
            let track = Node { width: px(180), height: px(14), ..default() };
            let grip = (number, Button, RelativeCursorPosition::default());
            panel.spawn((track, grip, BackgroundColor(Color::srgba(1.0, 1.0, 1.0, 0.25)))).with_children(|track| {
                let filled = Node { width: percent(0), height: percent(100), ..default() };
                track.spawn((Filled(number), filled, BackgroundColor(AMBER)));
            });
        }
    });
}

/// Takes the value of a slider that is held.
fn slide(
    tracks: Query<(&Number, &Interaction, &RelativeCursorPosition)>,
    mut settings: ResMut<PhysicsSettings>,
    mut time: ResMut<PhysicsTime>,
) {
    for (&number, _, cursor) in tracks.iter().filter(|(_, held, _)| **held == Interaction::Pressed) {
        let Some(at) = cursor.normalized else { continue };
        let [least, greatest] = number.range();
        let value = least + (greatest - least) * (at.x + 0.5).clamp(0.0, 1.0);
        match number {
            Number::Gravity => settings.gravity.y = -value,
            Number::Substeps => settings.substeps = value.round() as u32,
            Number::Speed => time.scale = (10.0 * value).round() / 10.0,
        }
    }
}

/// Shows the values of sliders.
fn show_numbers(
    settings: Res<PhysicsSettings>,
    time: Res<PhysicsTime>,
    mut filled: Query<(&Filled, &mut Node)>,
    mut labels: Query<(&Label, &mut Text)>,
) {
    for (Filled(number), mut node) in &mut filled {
        let [least, greatest] = number.range();
        let part = (number.value(&settings, &time) - least) / (greatest - least);
        let width = percent(100.0 * part.clamp(0.0, 1.0));
        if node.width != width {
            node.width = width;
        }
    }
    for (Label(number), mut text) in &mut labels {
        text.set_if_neq(Text::new(number.label(number.value(&settings, &time))));
    }
}

/// Shows frames, times and counts while time runs, and a sign if it does not, or runs slower or faster than it should.
fn show_status(
    time: Res<PhysicsTime>,
    diagnostics: Res<DiagnosticsStore>,
    mut status: Query<&mut Text, (With<Status>, Without<Sign>)>,
    mut signs: Query<&mut Text, With<Sign>>,
) {
    let sign = match time.scale {
        _ if time.paused => "paused".into(),
        1.0 => String::new(),
        scale => format!("{} motion: {scale:.1}", if scale < 1.0 { "slow" } else { "fast" }),
    };
    signs.iter_mut().for_each(|mut text| _ = text.set_if_neq(Text::new(&sign)));
    if time.paused {
        return;
    }
    let read =
        |path: DiagnosticPath| diagnostics.get(&path).and_then(|diagnostic| diagnostic.smoothed()).unwrap_or(0.0);
    let (frames, step) = (read(FrameTimeDiagnosticsPlugin::FPS), read(STEP));
    let (particles, bodies) = (read(PARTICLES), read(BODIES));
    let words = format!("{frames:.0} frames a second\nstep {step:.1} ms\n{particles:.0} particles, {bodies:.0} bodies");
    status.iter_mut().for_each(|mut text| _ = text.set_if_neq(Text::new(&words)));
}
