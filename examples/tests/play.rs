//! Players, and records of what they do.

use examples::play::{Input, PlayError, Record, SceneSettings, Session};
use glam::Vec3;
use xpbd_core::cpu::{CpuBackend, Threads};
use xpbd_core::world::ObjectHandle;

/// A scene of the page with few particles.
fn settings(scene: &str, set: &[(&str, &str)], substeps: u32) -> SceneSettings {
    let set = set.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    SceneSettings { scene: scene.into(), substeps: Some(substeps), set }
}

fn session(settings: SceneSettings) -> Session {
    Session::new(settings).expect("the scene exists")
}

fn step(session: &mut Session, frames: u32) {
    let mut backend = CpuBackend::new(Threads::Exactly(1));
    (0..frames).for_each(|_| drop(session.step(&mut backend).expect("the scene goes on")));
}

fn input(session: &mut Session, input: Input) {
    session.input(&input).expect("the input makes sense");
}

/// Takes hold of what is below a point at a height of 3 m.
fn grab(session: &mut Session, x: f32, z: f32) {
    input(session, Input::Grab { origin: Vec3::new(x, 3.0, z), direction: Vec3::NEG_Y });
}

/// A cloth over the statue that is pulled, torn, cut, and gets a constraint of the player.
fn torn_drape() -> Session {
    let mut session = session(settings("drape", &[("n", "24"), ("tear", "0.5")], 8));
    step(&mut session, 20);
    let (from, to) = (Vec3::new(-0.3, -0.9, -0.3), Vec3::new(-0.3, -0.9, 0.3));
    input(&mut session, Input::Cut { origin: Vec3::new(0.0, 2.0, 0.0), from, to });
    step(&mut session, 5);
    grab(&mut session, 0.5, 0.2);
    for _ in 0..20 {
        input(&mut session, Input::move_by(Vec3::new(0.05, 0.04, 0.0)));
        step(&mut session, 1);
    }
    input(&mut session, Input::Release);
    step(&mut session, 10);
    input(&mut session, Input::Constraint("hill(a): world(a).y >= 0.2 + 0.1 * cos(4 * world(a).x)".into()));
    step(&mut session, 20);
    session
}

fn replayed(record: Record, threads: usize) -> Session {
    let mut backend = CpuBackend::new(Threads::Exactly(threads));
    let mut session = Session::replay(record).expect("the record is valid");
    while session.replayed_frames().is_some() {
        session.step(&mut backend).expect("the scene goes on");
    }
    session
}

#[test]
fn a_record_read_from_its_text_replays_to_the_same_bits_on_any_number_of_threads() {
    let played = torn_drape();
    let text = played.record().to_text().expect("the record is short");
    assert!(text.len() < 600, "{} characters", text.len());
    for threads in [1, 2, 7] {
        let replayed = replayed(Record::from_text(&text).expect("the text is a record"), threads);
        assert_eq!(replayed.state_hash(), played.state_hash(), "{threads} threads");
        assert_eq!(replayed.record(), played.record());
    }
}

#[test]
fn a_record_without_one_of_its_inputs_ends_in_another_state() {
    let played = torn_drape();
    let count = played.record().inputs.len();
    for left_out in [0, 1, 10, count - 2, count - 1] {
        let mut record = played.record();
        record.inputs.remove(left_out);
        assert_ne!(replayed(record, 1).state_hash(), played.state_hash(), "without input {left_out}");
    }
}

#[test]
fn cloth_follows_the_hand_and_is_cut_by_the_knife() {
    let mut session = session(settings("drape", &[("n", "24"), ("tear", "100")], 8));
    let cloth: ObjectHandle = session.world().objects()[0];
    let count = |session: &Session| session.world().active_count(cloth).expect("the cloth exists");
    step(&mut session, 20);
    grab(&mut session, 0.5, 0.2);
    let [start, _] = session.held().expect("the cloth is held");
    for _ in 0..20 {
        input(&mut session, Input::move_by(Vec3::new(0.02, 0.01, 0.0)));
        step(&mut session, 1);
    }
    let [point, target] = session.held().expect("the cloth is held");
    assert!(target.distance(start) > 0.4);
    assert!(point.distance(target) < 1e-3, "the hand is at {target}, the cloth at {point}");
    input(&mut session, Input::Release);
    assert_eq!((session.held(), count(&session)), (None, 24 * 24));
    let (from, to) = (Vec3::new(-0.3, -0.9, -0.3), Vec3::new(-0.3, -0.9, 0.3));
    input(&mut session, Input::Cut { origin: Vec3::new(0.0, 2.0, 0.0), from, to });
    let split = count(&session) - 24 * 24;
    assert!((4..24).contains(&split), "{split} vertices were split");
}

#[test]
fn a_crate_is_lifted_from_the_bridge_and_falls_when_let_go() {
    let mut session = session(settings("bridge", &[], 12));
    step(&mut session, 90);
    // The crates are the last bodies.
    let bodies = &session.world().state().bodies;
    let place = bodies.body(bodies.len() - 1).pose.translation;
    grab(&mut session, place.x, place.z);
    let [start, _] = session.held().expect("a crate is held");
    for _ in 0..30 {
        input(&mut session, Input::move_by(Vec3::Y * 0.03));
        step(&mut session, 1);
    }
    step(&mut session, 60);
    let [point, target] = session.held().expect("a crate is held");
    assert!((target.y - start.y - 0.9).abs() < 0.04, "{target}");
    assert!(point.distance(target) < 0.02, "the hand is at {target}, the crate at {point}");
    input(&mut session, Input::Release);
    let energy = |session: &Session| session.meters().expect("the world answers").kinetic_energy;
    step(&mut session, 15);
    assert!(energy(&session) > 10.0, "{} J", energy(&session));
}

#[test]
fn nothing_is_held_where_there_is_nothing_or_only_water() {
    let mut air = session(settings("flag", &[("n", "5")], 4));
    grab(&mut air, 30.0, 30.0);
    input(&mut air, Input::move_by(Vec3::ONE));
    input(&mut air, Input::Release);
    assert_eq!((air.held(), air.record().inputs.len()), (None, 0));
    let mut water = session(settings("dam-break", &[("n", "200")], 4));
    grab(&mut water, 0.1, 0.1);
    assert_eq!(water.held(), None);
}

#[test]
fn a_player_who_takes_over_drops_the_rest_of_the_record() {
    let record = torn_drape().record();
    let mut session = Session::replay(record.clone()).expect("the record is valid");
    step(&mut session, 25);
    input(&mut session, Input::Release);
    assert_eq!(session.replayed_frames(), None);
    step(&mut session, 5);
    let taken = session.record();
    assert_eq!(taken.frames, 30);
    let before = record.inputs.iter().filter(|(frame, _)| *frame <= 25).count();
    assert_eq!(taken.inputs.len(), before + 1);
    assert_eq!(Some(replayed(taken.clone(), 2).state_hash()), taken.hash);
}

#[test]
fn records_that_make_no_sense_are_refused() {
    let mut record = Record { settings: settings("flag", &[("n", "5")], 4), frames: 10, ..Record::default() };
    record.inputs = vec![(5, Input::Release), (3, Input::Release)];
    assert!(matches!(Session::replay(record.clone()), Err(PlayError::Order(0))));
    record.inputs = vec![(5, Input::Release), (11, Input::Release)];
    assert!(matches!(Session::replay(record.clone()), Err(PlayError::Order(1))));
    record.inputs = vec![(0, Input::Constraint("leash(a, b): distance(a, ".into()))];
    let Err(error) = Session::replay(record.clone()) else { panic!("the text is wrong") };
    assert!(error.to_string().starts_with("line 1, column"), "{error}");
    record.settings.scene = "flat".into();
    assert!(Session::replay(record).is_err());
}

#[test]
fn a_constraint_that_becomes_infinite_freezes_its_object() {
    let mut session = session(settings("flag", &[("n", "9")], 4));
    input(&mut session, Input::Constraint("wild(a): sqrt(1.5 - world(a).y) = 1".into()));
    let (mut backend, mut frozen) = (CpuBackend::new(Threads::Exactly(1)), false);
    for _ in 0..10 {
        frozen |= !session.step(&mut backend).expect("the scene goes on").frozen.is_empty();
    }
    assert!(frozen);
}

#[test]
fn what_is_played_is_listed_for_drawing() {
    let session = session(settings("float", &[("n", "5")], 4));
    let list = session.draw().expect("the world answers");
    let numbers = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect::<Vec<_>>();
    let water = session.world().objects()[0];
    let positions = session.world().positions(water).expect("the water exists");
    assert_eq!(list.drops.len(), 6 * positions.len());
    for (drop, position) in list.drops.chunks(6).zip(positions) {
        assert_eq!(numbers(&drop[..3]), position.to_array());
    }
    let count = list.vertices.len() / 8;
    assert!(list.indices.len() >= 36 && list.indices.iter().all(|&index| (index as usize) < count));
    for vertex in list.vertices.chunks(8) {
        let normal = Vec3::from_slice(&numbers(&vertex[3..6]));
        assert!((normal.length() - 1.0).abs() < 1e-5, "{normal}");
    }
    let stage = session.stage(800, 600).expect("the world answers");
    assert!(stage.ground == Some(0.0) && stage.radius > 0.0 && stage.eye.distance(stage.target) > stage.radius);
}
