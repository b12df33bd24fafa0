//! Diagnostics of an app without a window.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bevy::diagnostic::{DiagnosticsPlugin, DiagnosticsStore};
use bevy::prelude::*;
use xpbd_bevy::diagnostic::{self as paths, DiagnosticsOverlay, DiagnosticsOverlayPlugin, DiagnosticsOverlayText};
use xpbd_bevy::prelude::*;
use xpbd_core::world::StepPhase;

use crate::support::{Interface, app_of, camera, steps, window};

#[test]
fn the_store_holds_times_and_counts() {
    let mut app = app_of(XpbdPlugins::default(), DiagnosticsPlugin);
    app.world_mut().spawn(Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0));
    steps(&mut app, 5);
    let store = app.world().resource::<DiagnosticsStore>();
    let value = |path| store.get(&path).and_then(|diagnostic| diagnostic.value());
    assert_eq!(value(paths::PARTICLES), Some(21.0));
    assert_eq!(value(paths::BODIES), Some(0.0));
    assert_eq!(value(paths::CONSTRAINTS), Some(20.0));
    assert_eq!(value(paths::COLOURS), Some(2.0));
    assert_eq!(value(paths::DROPPED_CONTACTS), Some(0.0));
    let parts: f64 = StepPhase::ALL.into_iter().map(|each| value(paths::phase(each)).expect("every phase")).sum();
    assert!((parts - value(paths::STEP).unwrap()).abs() < 1e-9 && parts > 0.0);
    assert!(value(paths::PLUGIN).unwrap() > 0.0);
    for each in StepPhase::ALL {
        assert_eq!(paths::phase(each).as_str(), format!("xpbd/{}", each.name()));
    }
    let measured = store.get(&paths::STEP).unwrap().history_len();
    // Nothing is measured while nothing is stepped.
    app.world_mut().resource_mut::<PhysicsTime>().paused = true;
    app.update();
    app.update();
    assert_eq!(app.world().resource::<DiagnosticsStore>().get(&paths::STEP).unwrap().history_len(), measured);
}

#[test]
fn the_overlay_shows_times_and_counts() {
    let mut app = app_of(XpbdPlugins::default(), (Interface, DiagnosticsOverlayPlugin));
    app.world_mut().spawn(camera());
    window(&mut app);
    app.world_mut().spawn(Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0));
    let place = Transform::from_xyz(5.0, 0.5, 0.0);
    app.world_mut().spawn((RigidBody::Dynamic, Collider::cuboid(0.5, 0.5, 0.5), SleepingDisabled, place));
    app.world_mut().spawn(Collider::half_space(Vec3::Y));
    // The text is written at once in every frame.
    app.world_mut().resource_mut::<DiagnosticsOverlay>().refresh_interval = Duration::ZERO;
    steps(&mut app, 10);
    let mut overlays = app.world_mut().query_filtered::<(Entity, &Text, &ComputedNode), With<DiagnosticsOverlayText>>();
    let (entity, text, node) = overlays.single(app.world()).expect("one overlay");
    let lines: Vec<&str> = text.0.lines().collect();
    let first = |name: &str| lines.iter().find(|line| line.starts_with(name)).copied().unwrap_or_default();
    assert!(first("step ").ends_with(" ms") && first("plugin ").ends_with(" ms"), "{lines:?}");
    for each in StepPhase::ALL {
        assert!(first(&format!("  {} ", each.name())).ends_with(" ms"), "{lines:?}");
    }
    assert_eq!(
        (first("particles"), first("bodies"), first("constraints")),
        ("particles 21", "bodies 1", "constraints 20")
    );
    let report = app.world().resource::<Physics>().report();
    let contacts = format!("contacts {}", report.body_contacts);
    assert!(report.body_contacts > 0 && report.shape_contacts + report.particle_contacts == 0);
    assert_eq!((first("contacts "), first("dropped steps")), (contacts.as_str(), "dropped steps 0"), "{lines:?}");
    assert!(node.size().min_element() > 50.0, "it is laid out: {}", node.size());

    let settings = app.world_mut().resource_mut::<DiagnosticsOverlay>().into_inner();
    (settings.phases, settings.enabled) = (false, true);
    steps(&mut app, 1);
    let text = app.world().get::<Text>(entity).unwrap();
    assert!(text.0.contains("step") && !text.0.contains("detect"), "{}", text.0);
    app.world_mut().resource_mut::<DiagnosticsOverlay>().enabled = false;
    steps(&mut app, 1);
    assert_eq!(app.world().get::<Visibility>(entity), Some(&Visibility::Hidden));
}

/// Collects the names of spans that are entered, each with the number of spans around it.
#[derive(Clone, Default)]
struct EnteredSpans {
    names: Arc<Mutex<Vec<&'static str>>>,
    entered: Arc<Mutex<Vec<(&'static str, usize)>>>,
    depth: Arc<Mutex<usize>>,
}

impl tracing::Subscriber for EnteredSpans {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name().starts_with("xpbd/")
    }

    fn new_span(&self, attributes: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut names = self.names.lock().unwrap();
        names.push(attributes.metadata().name());
        tracing::span::Id::from_u64(names.len() as u64)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, span: &tracing::span::Id) {
        let name = self.names.lock().unwrap()[span.into_u64() as usize - 1];
        let mut depth = self.depth.lock().unwrap();
        self.entered.lock().unwrap().push((name, *depth));
        *depth += 1;
    }

    fn exit(&self, _: &tracing::span::Id) {
        *self.depth.lock().unwrap() -= 1;
    }
}

#[test]
fn a_step_and_its_phases_are_spans() {
    let mut world = xpbd_core::world::World::new(Settings { substeps: 3, iterations: 2, ..default() }).unwrap();
    let rope = world.add(xpbd_cloth::Rope::between(Vec3::ZERO, Vec3::X, 4, 1.0).build().unwrap()).unwrap();
    let mut cpu = xpbd_core::cpu::CpuBackend::default();
    world.step(&mut cpu, 1.0 / 60.0).unwrap();
    let batch = world.batches_of(rope)[0];
    let mut step = || {
        let spans = EnteredSpans::default();
        world.edit_batch(batch, |_| {}).unwrap();
        tracing::subscriber::with_default(spans.clone(), || {
            tracing::callsite::rebuild_interest_cache();
            world.step(&mut cpu, 1.0 / 60.0)
        })
        .unwrap();
        assert_eq!(*spans.depth.lock().unwrap(), 0);
        spans.entered.lock().unwrap().clone()
    };
    // Spans that other threads have met without a subscriber are off until all are asked again, and so is one that another
    // thread is just meeting for the first time.
    // Of three substeps with two iterations, constraints are projected before contacts and after them.
    let expected = [1, 1, 3, 12, 6, 3, 1];
    let is_asked = |entered: &Vec<(&str, usize)>| entered.len() == 1 + expected.iter().sum::<usize>();
    let entered = (0..100).map(|_| step()).find(is_asked).unwrap_or_else(&mut step);
    assert_eq!(entered[0], ("xpbd/step", 0));
    assert!(entered[1..].iter().all(|&(_, depth)| depth == 1), "{entered:?}");
    let count = |phase: StepPhase| {
        let path = paths::phase(phase);
        entered.iter().filter(|(name, _)| *name == path.as_str()).count()
    };
    assert_eq!(StepPhase::ALL.map(count), expected);
}

/// What physics looks like to gizmos.
#[cfg(feature = "debug")]
mod gizmos {
    use bevy::gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
    use parry3d::math::Pose;
    use parry3d::shape::SharedShape;
    use xpbd_bevy::debug::{ConstraintGizmos, DebugPlugin, XpbdGizmos};
    use xpbd_core::collide::Collider;
    use xpbd_core::prelude::{Body, Mass};

    use super::*;

    fn app() -> App {
        app_of(XpbdPlugins::default(), (GizmoPlugin, DebugPlugin))
    }

    /// Returns how many lines are drawn with nothing on but what is set here.
    fn lines(app: &mut App, set: impl FnOnce(&mut XpbdGizmos)) -> usize {
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        let (_, config) = store.config_mut::<XpbdGizmos>();
        let most_lines = XpbdGizmos::default().max_lines;
        let (particles, constraints, contacts, axes, colliders, joints) = (None, None, None, None, None, None);
        *config = XpbdGizmos { particles, constraints, contacts, axes, colliders, joints, max_lines: most_lines };
        set(config);
        app.update();
        let handles = app.world().resource::<GizmoHandles>().handles();
        let handle = handles.get(&std::any::TypeId::of::<XpbdGizmos>()).expect("the group is there");
        let assets = app.world().resource::<Assets<GizmoAsset>>();
        // A line of the list has two ends.
        handle.as_ref().and_then(|handle| assets.get(handle)).map_or(0, |asset| asset.buffer().list_positions.len() / 2)
    }

    #[test]
    fn each_kind_is_drawn_and_each_can_be_off() {
        let mut app = app();
        app.world_mut().spawn(Rope::between(Vec3::ZERO, Vec3::X, 20, 1.0));
        let mut physics = app.world_mut().resource_mut::<Physics>();
        let world = physics.world_mut();
        let body = world.add_body(Body::dynamic(Pose::from_translation(Vec3::Y), Mass::ball(1.0, 1.0))).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(0.5, 0.5, 0.5)).attached_to(body)).unwrap();
        let color = Some(Color::WHITE);
        app.update();
        app.update();
        assert_eq!(lines(&mut app, |_| {}), 0);
        assert_eq!(lines(&mut app, |on| on.particles = color), 3 * 21);
        assert_eq!(lines(&mut app, |on| (on.particles, on.max_lines) = (color, 10)), 10);
        assert_eq!(lines(&mut app, |on| on.axes = Some(0.1)), 3);
        assert_eq!(lines(&mut app, |on| on.colliders = color), 12);
        for how in
            [ConstraintGizmos::Colours, ConstraintGizmos::Strain { full: 0.1 }, ConstraintGizmos::Force { full: 0.0 }]
        {
            assert_eq!(lines(&mut app, |on| on.constraints = Some(how)), 20);
        }
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        store.config_mut::<XpbdGizmos>().0.enabled = false;
        assert_eq!(lines(&mut app, |on| on.particles = color), 0);
    }

    #[test]
    fn every_shape_has_an_outline() {
        let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let tetrahedron = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let ball = SharedShape::ball(1.0);
        for (shape, expected) in [
            (ball.clone(), 96),
            (SharedShape::capsule_y(0.5, 0.2), 2 * (32 + 16 + 16) + 4),
            (SharedShape::cylinder(0.5, 0.2), 68),
            (SharedShape::cone(0.5, 0.2), 36),
            (SharedShape::halfspace(Vec3::Y), 42),
            (SharedShape::trimesh(vertices.clone(), tetrahedron).unwrap(), 12),
            (SharedShape::convex_hull(&vertices).unwrap(), 6),
            (SharedShape::round_cuboid(0.5, 0.5, 0.5, 0.1), 12),
            (SharedShape::compound(vec![(Pose::IDENTITY, ball.clone()), (Pose::IDENTITY, ball)]), 192),
        ] {
            let mut app = app();
            let mut physics = app.world_mut().resource_mut::<Physics>();
            physics.world_mut().add_collider(Collider::new(shape.clone())).unwrap();
            assert_eq!(lines(&mut app, |on| on.colliders = Some(Color::WHITE)), expected, "{:?}", shape.shape_type());
        }
    }

    #[test]
    fn without_gizmos_nothing_happens() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, TransformPlugin, XpbdPlugins::default(), DebugPlugin));
        app.finish();
        app.cleanup();
        app.update();
    }
}
