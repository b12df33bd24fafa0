//! A boat: a hull with a keel and a mast, a boom and a rudder on hinges, a sail, and rigging of rope.

use bevy::asset::RenderAssetUsages;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use xpbd_bevy::prelude::*;
use xpbd_core::world::ConstraintSolver;

use super::{BASIN, WATER, Workshop};

/// The place of the boat at the start \[m\].
const START: Vec3 = Vec3::new(-0.25, WATER + 0.22, 0.4);
/// Right half of the deck from bow to stern, and the height of the deck and of the bottom \[m\].
const DECK: [Vec2; 4] = [Vec2::new(0.55, 0.0), Vec2::new(0.30, 0.13), Vec2::new(-0.05, 0.18), Vec2::new(-0.45, 0.14)];
const SIDES: [f32; 2] = [0.07, -0.09];
/// Foot of the mast and its height \[m\].
const MAST: Vec3 = Vec3::new(0.14, 0.07, 0.0);
const MAST_HEIGHT: f32 = 0.95;
/// Height of the boom above the deck, and its length \[m\].
const BOOM: [f32; 2] = [0.12, 0.56];
/// Angle of the boom to the hull at the start \[rad\].
const SHEETED: f32 = 0.25;
/// Links of the sail along the mast.
const ROWS: u32 = 14;

/// Returns the corners of the hull: the deck, then the bottom, each around from the bow.
fn corners() -> Vec<Vec3> {
    let right = DECK.iter().map(|&corner| (corner.x, corner.y));
    let left = DECK.iter().skip(1).rev().map(|&corner| (corner.x, -corner.y));
    let outline: Vec<(f32, f32)> = right.chain(left).collect();
    let ring = |height: f32, part: f32| outline.iter().map(move |&(x, z)| Vec3::new(x * part, height, z * part));
    ring(SIDES[0], 1.0).chain(ring(SIDES[1], 0.7)).collect()
}

/// Returns the mesh of the hull.
fn hull() -> Mesh {
    let corners = corners();
    let around = corners.len() / 2;
    let mut triangles: Vec<[usize; 3]> = Vec::new();
    for k in 0..around {
        let (a, b) = (k, (k + 1) % around);
        triangles.extend([[a, b, a + around], [b, b + around, a + around]]);
    }
    for k in 1..around - 1 {
        triangles.extend([[0, k + 1, k], [around, around + k, around + k + 1]]);
    }
    let positions: Vec<Vec3> = triangles.into_iter().flatten().map(|k| corners[k]).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_computed_flat_normals()
}

/// Returns a triangular sail with its corners at the boom's ends and at the mast's top, row by row from the boom.
fn sail(tack: Vec3, clew: Vec3, head: Vec3) -> Mesh {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for row in 0..=ROWS {
        let (first, up) = (positions.len() as u32, row as f32 / ROWS as f32);
        let left = ROWS - row;
        for k in 0..=left {
            let along = k as f32 / left.max(1) as f32;
            positions.push(tack.lerp(head, up).lerp(clew.lerp(head, up), along));
        }
        for k in 0..left {
            let above = first + left + 1 + k;
            indices.extend([first + k, first + k + 1, above]);
            if k + 1 < left {
                indices.extend([first + k + 1, above + 1, above]);
            }
        }
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices))
        .with_computed_smooth_normals()
}

/// Puts the boat into the water.
pub(super) fn spawn(mut workshop: Workshop) {
    let wood = Color::srgb(0.45, 0.27, 0.14);
    let at = |local: Vec3| START + local;
    let Some(shape) = Collider::convex_hull(&corners()) else { return };
    // A keel of lead keeps the boat upright.
    let look = workshop.look(hull(), Color::srgb(0.80, 0.22, 0.16));
    let body = (RigidBody::Dynamic, shape, ColliderDensity(220.0), AngularDamping(0.5));
    let hull = workshop.commands.spawn((Name::new("hull"), body, look, Transform::from_translation(START))).id();
    let keel = workshop.look(Cuboid::new(0.36, 0.10, 0.03), Color::srgb(0.2, 0.2, 0.22));
    let heavy = (Collider::cuboid(0.18, 0.05, 0.015), ColliderDensity(4000.0));
    workshop.commands.spawn((Name::new("keel"), heavy, keel, Transform::from_xyz(0.0, -0.14, 0.0), ChildOf(hull)));
    let mast = workshop.look(Cylinder::new(0.014, MAST_HEIGHT), wood);
    let upright = Transform::from_translation(MAST + 0.5 * MAST_HEIGHT * Vec3::Y);
    workshop.commands.spawn((Name::new("mast"), mast, upright, ChildOf(hull)));

    let spar = |workshop: &mut Workshop, name: &'static str, size: Vec3, place: Transform, density: f32| {
        let look = workshop.look(Cuboid::from_size(size), wood);
        let shape = (Collider::cuboid(0.5 * size.x, 0.5 * size.y, 0.5 * size.z), ColliderDensity(density));
        workshop.commands.spawn((Name::new(name), RigidBody::Dynamic, shape, look, place)).id()
    };
    let ([rise, length], turn) = (BOOM, Quat::from_rotation_y(SHEETED));
    let tack = at(MAST + rise * Vec3::Y);
    let place = Transform::from_translation(tack - turn * (0.5 * length + 0.03) * Vec3::X).with_rotation(turn);
    let boom = spar(&mut workshop, "boom", Vec3::new(length, 0.02, 0.02), place, 600.0);
    let swing = HingeJoint::new(tack, Vec3::Y).limits(-0.35, 0.35);
    workshop.commands.spawn((Name::new("gooseneck"), Joint::between(hull, boom, swing)));
    let pintle = at(Vec3::new(-0.46, -0.02, 0.0));
    let place = Transform::from_translation(pintle - 0.07 * Vec3::X);
    let rudder = spar(&mut workshop, "rudder", Vec3::new(0.12, 0.16, 0.015), place, 700.0);
    let steer = HingeJoint::new(pintle, Vec3::Y).limits(-0.5, 0.5);
    workshop.commands.spawn((Name::new("pintle"), Joint::between(hull, rudder, steer)));

    let (clew, head) = (tack - turn * length * Vec3::X, at(MAST + (MAST_HEIGHT - 0.02) * Vec3::Y));
    let canvas = workshop.fabric(sail(tack, clew, head), Color::srgb(0.93, 0.90, 0.82));
    let aft = -(turn * Vec3::X);
    let on_mast = Pinned::when(move |_, place| (place - tack).dot(aft).abs() < 1e-3).held_by(hull);
    let on_boom = Pinned::when(move |_, place| (place.y - tack.y).abs() < 1e-3 && (place - tack).dot(aft) > 1e-3);
    let cloth = Cloth(ClothSettings { density: 0.15, ..default() });
    let held = on_mast.and(on_boom.held_by(boom));
    workshop.commands.spawn((Name::new("sail"), cloth, LinearDamping(0.5), held, canvas));

    let bow = at(DECK[0].extend(SIDES[0]).xzy());
    let stern = |side: f32| at(Vec3::new(DECK[3].x, SIDES[0], side * DECK[3].y));
    let shroud = |side: f32| at(Vec3::new(DECK[2].x, SIDES[0], side * DECK[2].y));
    let hemp = Color::srgb(0.78, 0.66, 0.44);
    let mut line = |from: Vec3, to: Vec3, slack: f32, ends: [Option<Entity>; 2]| {
        let links = (from.distance(to) / 0.06).ceil() as u32;
        let [first, last] = [(0, ends[0]), (links, ends[1])].map(|(k, body)| {
            let pin = Pinned::vertices([k]);
            body.map_or(pin.clone(), |body| pin.held_by(body))
        });
        let mut rope = Rope::between(from, to, links, from.distance(to) * slack);
        // Lines that close loops with the boat and carry little are cheaper one link after the other.
        rope.solver = ConstraintSolver::Sweep;
        let paint = workshop.materials.add(hemp);
        let look = (Tube { radius: 0.006, sides: 6 }, MeshMaterial3d(paint));
        let layers = CollisionLayers { memberships: 0, filters: 0 };
        workshop.commands.spawn((Name::new("line"), rope, first.and(last), look, layers));
    };
    let on_hull = [Some(hull), Some(hull)];
    line(head, bow, 1.01, on_hull);
    line(head, shroud(1.0), 1.01, on_hull);
    line(head, shroud(-1.0), 1.01, on_hull);
    // The sheet holds the boom, and mooring lines the boat.
    line(clew, stern(-1.0), 1.05, [Some(boom), Some(hull)]);
    let [_, back, _, height] = BASIN;
    for (x, end) in [(0.9, bow), (-0.9, stern(-1.0))] {
        line(Vec3::new(x, height + 0.09, back - 0.05), end, 1.15, [None, Some(hull)]);
    }
}
