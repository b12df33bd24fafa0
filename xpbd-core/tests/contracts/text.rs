//! Constraint types that are read from text.

use std::sync::Arc;

use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::connector::Connectors;
use xpbd_core::constraint::text::TextError;
use xpbd_core::constraint::{Constraint, ConstraintType, Points};
use xpbd_core::scalar::{Real, Vec3 as Vector};
use xpbd_core::world::{Object, Settings, World};

use super::support::{Coincide, Distance, FRAME, Lcg, Volume, cpu};

const LEASH: &str = "leash(a, b; length): distance(a, b) <= length";

/// C = arccos(n₁ · n₂) − angle ≥ 0, with the normals of the triangles a, b, c and b, a, d.
struct Fold;

impl Constraint<4, 1> for Fold {
    type Parameters<S: Copy> = [S; 1];

    const NAME: &'static str = "test-fold";

    fn value<S: Real>(x: &Points<S, 4>, [angle]: [S; 1]) -> [S; 1] {
        let [a, b, c, d] = x.now;
        let left = (b - a).cross(c - a).normalize();
        let right = (d - a).cross(b - a).normalize();
        [left.dot(right).acos() - angle]
    }

    fn admissible<S: Real>([lambda]: [S; 1], _: [S; 1], _: S) -> [S; 1] {
        [lambda.max(S::zero())]
    }
}

/// Everything else that a text can say, on three points with a number and a vector.
struct Medley;

impl Constraint<3, 2> for Medley {
    type Parameters<S: Copy> = [S; 4];

    const NAME: &'static str = "test-medley";

    fn value<S: Real>(x: &Points<S, 3>, [k, u, v, w]: [S; 4]) -> [S; 2] {
        let [a, b, c] = x.now;
        let up = Vector::new(u, v, w);
        let side = b + up * k.sin() - c;
        let long = side.length() - (-k).abs().sqrt() * (k / S::literal(2.0)).cos();
        let moved = (a - x.before[0]).length() / x.dt;
        let turned = a.world().to_array()[1].atan2(up.dot(c - a) + S::literal(3.0)).min(S::one());
        let chosen = Vector::select_lt(k, S::one(), up, -up);
        let clamped = moved.max(S::literal(0.5)).min(S::literal(2e0)) + chosen.to_array()[0];
        [long, turned - clamped.max(k.round())]
    }

    fn admissible<S: Real>([long, turned]: [S; 2], _: [S; 4], _: S) -> [S; 2] {
        [long.min(S::zero()), turned.max(S::zero())]
    }
}

const MEDLEY: &str = "medley(a, b, c; k, up: vector):
    let side = b + up * sin(k) - c; // a comment
    length(side) <= sqrt(abs(-k)) * cos(k / 2);
    let moved = length(a - before(a)) / dt;
    let turned = min(atan2(world(a).y, dot(up, c - a) + 3), 1);
    let chosen = if(1 > k, up, -up);
    turned >= max(clamp(moved, 0.5, 2e0) + chosen.x, round(k));";

fn text_batch(text: &str, nodes: Vec<u32>, parameters: Vec<f32>) -> Batch {
    let kind = ConstraintType::from_text(text).unwrap();
    let connectors = Connectors::particles(kind.point_count());
    Batch::from_parts(kind, connectors, nodes, Vec::new(), parameters).unwrap()
}

/// Steps six particles, of which the first is pinned, with a batch.
fn run(batch: Batch) -> Vec<Vec3> {
    let mut random = Lcg::new(7);
    let mut place = || Vec3::from_array(std::array::from_fn(|_| random.range(-1.0, 1.0)));
    let places = (0..6).map(|_| place()).collect();
    let mut world = World::new(Settings { substeps: 4, ..Settings::default() }).unwrap();
    let object = world.add(Object::new("six", places, 0.1).pin([0]).with(batch.compliance(1e-3))).unwrap();
    let mut cpu = cpu();
    for _ in 0..60 {
        world.step(&mut cpu, FRAME).unwrap();
    }
    world.positions(object).unwrap().collect()
}

#[test]
fn a_text_gives_the_bits_of_the_same_function_in_rust() {
    let pairs = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]];
    let lengths: Vec<f32> = (0..5).map(|k| 0.5 + 0.1 * k as f32).collect();
    let rest: Vec<[f32; 1]> = lengths.iter().map(|&length| [length]).collect();
    let of_pairs = pairs.as_flattened().to_vec();
    let medley = [[0.7, 0.3, -0.2, 0.9], [1.6, -0.4, 0.1, 0.2]];
    for (name, in_rust, in_text) in [
        (
            "distance",
            Batch::new(Distance, &pairs, &rest).unwrap(),
            text_batch("spring(a, b; rest): distance(a, b) = rest", of_pairs.clone(), lengths.clone()),
        ),
        (
            "point",
            Batch::new(Coincide, &pairs[..2], &[[]; 2]).unwrap(),
            text_batch("weld(a, b): a = b", of_pairs[..4].to_vec(), Vec::new()),
        ),
        (
            "volume",
            Batch::new(Volume, &[[0, 1, 2, 3]], &[[0.2]]).unwrap(),
            text_batch(
                "volume(a, b, c, d; rest): dot(b - a, cross(c - a, d - a)) / 6 = rest",
                vec![0, 1, 2, 3],
                vec![0.2],
            ),
        ),
        (
            "fold",
            Batch::new(Fold, &[[0, 1, 2, 3]], &[[2.5]]).unwrap(),
            text_batch(
                "fold(a, b, c, d; angle):
                     let left = normalize(cross(b - a, c - a));
                     let right = normalize(cross(d - a, b - a));
                     acos(dot(left, right)) >= angle",
                vec![0, 1, 2, 3],
                vec![2.5],
            ),
        ),
        (
            "medley",
            Batch::new(Medley, &[[0, 1, 2], [3, 4, 5]], &medley).unwrap(),
            text_batch(MEDLEY, vec![0, 1, 2, 3, 4, 5], medley.as_flattened().to_vec()),
        ),
    ] {
        assert_eq!(run(in_rust), run(in_text), "{name}");
    }
}

#[test]
fn a_wrong_text_is_refused_with_its_place() {
    for (text, line, column, message) in [
        ("", 1, 1, "expected the name of the constraint"),
        ("leash", 1, 6, "expected `(` and the names of points"),
        ("leash()", 1, 7, "expected the name of a point"),
        ("leash(a, b; ): distance(a, b) = 1", 1, 13, "expected the name of a parameter"),
        ("leash(a b): distance(a, b) = 1", 1, 9, "expected `,`, `;` or `)`"),
        ("leash(a, b) distance(a, b) = 1", 1, 13, "expected `:`"),
        ("leash(a, b):", 1, 13, "expected a number, a name, `-` or `(`"),
        ("leash(a, b; up: number): a = b + up", 1, 17, "expected `vector`"),
        ("leash(a, b): distance(a b) = 1", 1, 25, "expected an operator, `,` or `)`"),
        ("leash(a, b): distance(a, b)", 1, 28, "expected an operator, `=`, `<=` or `>=`"),
        ("leash(a, b): distance(a, b) = 1 2", 1, 33, "expected an operator, `;` or the end"),
        ("leash(a, b): distance(a, b) = * 2", 1, 31, "expected a number, a name, `-` or `(`"),
        ("leash(a, b): a - b = (1, 2)", 1, 28, "expected one expression or the three components of a vector"),
        ("leash(a, b): if(1 = 2, 3, 4) = distance(a, b)", 1, 19, "expected an operator, `<` or `>`"),
        ("leash(a, b): let x 1", 1, 20, "expected `=`"),
        ("leash(a, b;\n      length):\n    lenght(a - b) <= length", 3, 5, "did you mean `length`?"),
        ("leash(a, b; limit): distance(a, b) <= limits", 1, 39, "there is no `limits`; did you mean `limit`?"),
        ("leash(a, b): length(a) = 1", 1, 14, "`length` takes a vector, not a point"),
        ("leash(a, b): dot(a - b) = 1", 1, 14, "`dot` takes two vectors, not a vector"),
        ("leash(a, b): (a - b) * (a - b) = 1", 1, 25, "write `dot(a, b)` or `cross(a, b)`"),
        ("leash(a, b): a + b = a", 1, 18, "a point cannot be added to a point"),
        ("leash(a, b): a - b = 1", 1, 20, "a vector stands on the left and a number on the right"),
        ("leash(a, b): a - b <= b - a", 1, 20, "a vector has no order"),
        ("leash(a, b): a.x = b.x", 1, 16, "a point has no components"),
        ("leash(a, b): (a - b).w = 0", 1, 22, "a vector has no component `w`"),
        ("leash(a, b): distance = 1", 1, 14, "`distance` is a function"),
        ("leash(a, b): world(a).x = 1", 1, 10, "the point `b` is not used"),
        ("leash(a, b; k): distance(a, b) = 1", 1, 13, "the parameter `k` is not used"),
        ("leash(a, a): distance(a, a) = 1", 1, 10, "`a` is there already"),
        ("leash(a, dt): distance(a, dt) = 1", 1, 10, "`dt` has a meaning of its own"),
        ("leash(a, b): let d = distance(a, b)", 1, 18, "the value `d` is not used"),
        ("leash(a, b): distance(a, b) = 1e99", 1, 31, "the number is too large"),
        ("leash(a, b): before(a + (1, 0, 0)) = b", 1, 14, "one of the points of the constraint"),
        ("leash(ä, b): läng(ä - b) = 1", 1, 14, "there is no function `läng`"),
    ] {
        match ConstraintType::from_text(text) {
            Err(TextError::Syntax(error)) => {
                assert_eq!((error.line, error.column), (line, column), "{error}");
                assert!(error.message.contains(message), "{error}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_message_shows_the_place() {
    let error = ConstraintType::from_text("leash(a, b;\n   ü): distance(a, c) <= ü").unwrap_err();
    let expected = "line 2, column 20: there is no `c`\n       ü): distance(a, c) <= ü\n                       ^";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_is_too_large_is_refused() {
    let sum = |count: usize| vec!["distance(a, b)"; count].join(" + ");
    let points: Vec<String> = (0..9).map(|k| format!("p{k}")).collect();
    let parameters: Vec<String> = (0..11).map(|k| format!("v{k}: vector")).collect();
    let (open, close) = ("(".repeat(1000), ")".repeat(1000));
    for (text, message) in [
        (format!("t(a, b): {} = 1", sum(120)), "at most 300 operations"),
        (format!("t({}): {} = 1", points.join(", "), "1"), "at most 8 points"),
        (format!("t(a, b; {}): a = b", parameters.join(", ")), "at most 32 numbers"),
        ("t(a, b): a = b; b = a; distance(a, b) = 1".into(), "at most 6 rows"),
        (format!("t(a, b): {open}distance(a, b){close} = 1"), "nested more than 32 deep"),
        (format!("t(a, b): {} = 1", sum(1000)), "it may have 4096"),
        (format!("t(a, b): {}distance(a, b) = 1 + ", "-".repeat(4000)), "expected a number"),
    ] {
        let error = ConstraintType::from_text(&text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_function_that_is_nowhere_defined_is_refused() {
    let error = ConstraintType::from_text("root(a, b): sqrt(-1 - distance(a, b)) = 0").unwrap_err();
    assert_eq!(error, TextError::Undefined("root".into()));
    // Defined where the distance is more than 1: there it is checked.
    ConstraintType::from_text("root(a, b): sqrt(distance(a, b) - 1) = 0").unwrap();
}

#[test]
fn types_of_one_text_are_one_type() {
    let [a, b] = [(); 2].map(|()| ConstraintType::from_text(LEASH).unwrap());
    let other = ConstraintType::from_text("leash(a, b; length): distance(a, b) >= length").unwrap();
    assert!(a.is_same_type(&b) && !a.is_same_type(&other));
    assert_eq!((a.text(), a.name(), a.parameter_names()), (Some(LEASH), "leash", &["length".to_string()][..]));
    let mut world = World::default();
    let object = || Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0);
    let batch = |kind: &Arc<ConstraintType>| {
        Batch::from_parts(kind.clone(), Connectors::particles(2), vec![0, 1], Vec::new(), vec![0.5]).unwrap()
    };
    for kind in [&a, &b] {
        world.add(object().with(batch(kind))).unwrap();
    }
    let error = world.add(object().with(batch(&other))).unwrap_err().to_string();
    assert!(error.contains("constraint `leash` is already registered by another type"), "{error}");
    world.step(&mut cpu(), FRAME).unwrap();
    assert_eq!(world.plan().traced().count(), 1);
}

#[test]
fn a_snapshot_is_restored_where_the_text_is_known() {
    let build = || {
        let mut world = World::default();
        let links = text_batch(LEASH, vec![0, 1, 1, 2], vec![0.8, 0.9]);
        let places = vec![Vec3::ZERO, Vec3::X, 2.0 * Vec3::X];
        world.add(Object::new("chain", places, 1.0).pin([0]).with(links)).unwrap();
        world
    };
    let (mut world, mut cpu) = (build(), cpu());
    for _ in 0..10 {
        world.step(&mut cpu, FRAME).unwrap();
    }
    let saved = world.snapshot().unwrap();
    let error = World::default().restore(&saved).unwrap_err().to_string();
    assert!(error.contains("no constraint is registered under the name `leash`"), "{error}");
    let mut restored = World::default();
    restored.registry_mut().insert(&ConstraintType::from_text(LEASH).unwrap()).unwrap();
    restored.restore(&saved).unwrap();
    for _ in 0..10 {
        world.step(&mut cpu, FRAME).unwrap();
        restored.step(&mut cpu, FRAME).unwrap();
    }
    assert_eq!(world.state_hash(), restored.state_hash());
}

#[test]
fn an_object_whose_text_is_not_finite_is_frozen_and_reported() {
    let mut world = World::default();
    let pair = || Object::new("pair", vec![Vec3::ZERO, Vec3::X], 1.0).pin([0]);
    let pole = text_batch("pole(a, b; rest): 1 / (distance(a, b) - rest) = 2", vec![0, 1], vec![1.0]);
    let (bad, good) = (world.add(pair().with(pole)).unwrap(), world.add(pair()).unwrap());
    let mut cpu = cpu();
    let report = world.step(&mut cpu, FRAME).unwrap();
    assert_eq!(report.frozen, [bad]);
    world.step(&mut cpu, FRAME).unwrap();
    assert_eq!(world.position(bad, 1).unwrap(), Vec3::X);
    assert!(world.position(good, 1).unwrap().y < 0.0);
}

/// Texts of random words, and texts that follow the grammar but for a word here and there.
#[test]
fn ten_thousand_random_texts_are_read_or_refused() {
    const WORDS: [&str; 44] = [
        "a",
        "b",
        "c",
        "k",
        "up",
        "(",
        ")",
        "(",
        ")",
        ",",
        ";",
        ":",
        "+",
        "-",
        "*",
        "/",
        "=",
        "<=",
        ">=",
        "<",
        ">",
        ".",
        "x",
        "let",
        "if",
        "vector",
        "length",
        "distance",
        "dot",
        "cross",
        "normalize",
        "sqrt",
        "min",
        "acos",
        "before",
        "world",
        "dt",
        "pi",
        "1",
        "0.5",
        "1e30",
        "//",
        "\n",
        "é",
    ];
    let mut random = Lcg::new(3);
    let (mut read, mut cpu) = (0, cpu());
    for number in 0..10_000 {
        let mut text = String::from("t(a, b, c; k, up: vector): ");
        if number % 2 == 0 {
            for _ in 0..random.below(30) {
                text += WORDS[random.below(WORDS.len())];
                text += if random.below(3) == 0 { "" } else { " " };
            }
        } else {
            let number = number_of(&mut random, 4);
            text += &format!("{number} + k * dot(a - b, c - a + up) >= {}", number_of(&mut random, 2));
            if random.below(4) == 0 {
                let at = random.below(text.len() + 1);
                text.insert_str(at, WORDS[random.below(WORDS.len())]);
            }
        }
        let Ok(kind) = ConstraintType::from_text(&text) else { continue };
        read += 1;
        if read % 20 == 0 {
            let (points, count) = (Connectors::particles(kind.point_count()), kind.parameter_count());
            let nodes = (0..kind.point_count() as u32).collect();
            let batch = Batch::from_parts(kind, points, nodes, Vec::new(), vec![0.3; count]).unwrap();
            let places = (0..8).map(|k| Vec3::new(k as f32, (k % 3) as f32, 0.2 * (k % 5) as f32)).collect();
            let mut world = World::new(Settings { substeps: 2, ..Settings::default() }).unwrap();
            world.add(Object::new("points", places, 1.0).with(batch)).unwrap();
            (0..2).for_each(|_| drop(world.step(&mut cpu, FRAME).unwrap()));
        }
    }
    assert!(read > 1000, "{read} were read");
}

/// A random expression that is a number.
fn number_of(random: &mut Lcg, depth: usize) -> String {
    let number = |random: &mut Lcg| number_of(random, depth - 1);
    let vector = |random: &mut Lcg| vector_of(random, depth - 1);
    match random.below(if depth == 0 { 3 } else { 12 }) {
        0 => "k".into(),
        1 => format!("{}", random.range(0.1, 9.0)),
        2 => "up.y".into(),
        3 => format!("({} + {})", number(random), number(random)),
        4 => format!("{} * {}", number(random), number(random)),
        5 => format!("{} / ({} + 1.5)", number(random), number(random)),
        6 => format!("max({}, -{})", number(random), number(random)),
        7 => format!("if({} < {}, {}, 1)", number(random), number(random), number(random)),
        8 => format!("dot({}, {})", vector(random), vector(random)),
        9 => format!("length({})", vector(random)),
        10 => format!("sin({})", number(random)),
        _ => format!("sqrt(abs({}))", number(random)),
    }
}

/// A random expression that is a vector.
fn vector_of(random: &mut Lcg, depth: usize) -> String {
    let vector = |random: &mut Lcg| vector_of(random, depth - 1);
    match random.below(if depth == 0 { 3 } else { 6 }) {
        0 => "up".into(),
        1 => "(a - b)".into(),
        2 => "(world(c) - (1, 2, k))".into(),
        3 => format!("cross({}, {})", vector(random), vector(random)),
        4 => format!("normalize({})", vector(random)),
        _ => format!("({} - {})", vector(random), vector(random)),
    }
}
