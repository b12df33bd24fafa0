//! Cloth on skins and in frames that move, in an app without a window.

use bevy::mesh::VertexAttributeValues;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use xpbd_bevy::prelude::*;

use crate::support::{app, app_of, points, steps};

/// Returns a sheet of 1 m, 6 × 6, whose left half is bound to the first joint and whose right half to the second, with
/// those in the middle third to both.
fn sheet() -> Mesh {
    let mesh = Plane3d::default().mesh().size(1.0, 1.0).subdivisions(4).build();
    let weight = |place: &[f32; 3]| (0.5 + 3.0 * place[0]).clamp(0.0, 1.0);
    let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|values| values.as_float3()).unwrap();
    let weights: Vec<[f32; 4]> = positions.iter().map(|place| [1.0 - weight(place), weight(place), 0.0, 0.0]).collect();
    let joints = VertexAttributeValues::Uint16x4(vec![[0, 1, 0, 0]; weights.len()]);
    mesh.with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints)
        .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights)
}

/// Cloth on the sheet, with its two joints, bound where their transforms are the identity and this.
fn coat(app: &mut App, on: SkinAttachment) -> (Entity, [Entity; 2]) {
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet());
    let bound = vec![Mat4::IDENTITY, Mat4::from_translation(Vec3::NEG_X * 0.25)];
    let mut bindposes = app.world_mut().resource_mut::<Assets<SkinnedMeshInverseBindposes>>();
    let inverse_bindposes = bindposes.add(SkinnedMeshInverseBindposes::from(bound));
    let root = app.world_mut().spawn(Transform::from_xyz(0.0, 2.0, 0.0)).id();
    let arm = app.world_mut().spawn((Transform::from_xyz(0.25, 0.0, 0.0), ChildOf(root))).id();
    let skin = SkinnedMesh { inverse_bindposes, joints: vec![root, arm] };
    (app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), skin, on)).id(), [root, arm])
}

/// Returns where the skin is, when its second joint is turned about its z axis by this.
fn places(turn: f32) -> Vec<Vec3> {
    let mesh = sheet();
    let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|values| values.as_float3()).unwrap();
    let place = |&place: &[f32; 3]| {
        let (x, part) = (Vec3::from(place), (0.5 + 3.0 * place[0]).clamp(0.0, 1.0));
        let turned = Quat::from_rotation_z(turn) * (x - Vec3::X * 0.25) + Vec3::X * 0.25;
        x.lerp(turned, part) + Vec3::Y * 2.0
    };
    positions.iter().map(place).collect()
}

/// Returns the largest distance of two lists of points, one by one.
fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn objects(app: &App) -> usize {
    app.world().resource::<Physics>().world().objects().len()
}

#[test]
fn what_is_held_by_its_skin_moves_with_its_joints() {
    let mut app = app();
    let (coat, [_, arm]) = coat(&mut app, SkinAttachment::all().stiffness(f32::INFINITY));
    app.world_mut().get_mut::<Cloth>(coat).unwrap().stretch = Stretch::Edges { stiffness: 10.0 };
    steps(&mut app, 1);
    assert!(apart(&points(&app, coat), &places(0.0)) < 1e-3, "it begins on its skin");
    for k in 0..30 {
        let turn = Quat::from_rotation_z(0.02 * (k + 1) as f32);
        app.world_mut().get_mut::<Transform>(arm).unwrap().rotation = turn;
        steps(&mut app, 1);
        let far = apart(&points(&app, coat), &places(0.02 * (k + 1) as f32));
        assert!(far < 2e-3, "frame {k}: {far}");
    }
    assert_eq!(objects(&app), 2);
    // It is made anew on its skin, and goes with it.
    app.world_mut().get_mut::<Cloth>(coat).unwrap().density = 0.1;
    steps(&mut app, 1);
    assert!(apart(&points(&app, coat), &places(0.6)) < 2e-3 && objects(&app) == 2);
    app.world_mut().entity_mut(coat).remove::<SkinAttachment>();
    steps(&mut app, 30);
    assert!(apart(&points(&app, coat), &places(0.6)) > 0.5 && objects(&app) == 1);
    app.world_mut().despawn(coat);
    steps(&mut app, 1);
    assert_eq!(objects(&app), 0);
}

#[test]
fn it_stays_within_reach_and_above_its_skin() {
    let mut app = app();
    // Half of it above a backstop, the other hanging as far as it may.
    let on = SkinAttachment::when(|_, place| place.x < 0.0)
        .max_distance(0.1)
        .backstop(0.01, 20.0)
        .and(SkinAttachment::all().max_distance(0.1));
    let (coat, [root, _]) = coat(&mut app, on);
    app.world_mut().get_mut::<Cloth>(coat).unwrap().stretch = Stretch::Edges { stiffness: 1.0 };
    let (mut lowest, mut farthest) = (0.0f32, 0.0f32);
    for k in 0..90 {
        app.world_mut().get_mut::<Transform>(root).unwrap().translation.x = 0.01 * (k + 1) as f32;
        steps(&mut app, 1);
        for (at, place) in points(&app, coat).iter().zip(places(0.0)) {
            let way = *at - place - Vec3::X * 0.01 * (k + 1) as f32;
            if place.x < 0.0 {
                lowest = lowest.min(way.y);
            } else {
                farthest = farthest.max(way.length());
            }
        }
    }
    assert!((-0.012..-0.008).contains(&lowest), "{lowest}");
    assert!((0.095..0.102).contains(&farthest), "{farthest}");
}

#[test]
fn what_has_no_skin_waits_and_a_wrong_one_is_refused() {
    let mut app = app();
    let (coat, _) = coat(&mut app, SkinAttachment::all().stiffness(1.0));
    let skin = app.world_mut().entity_mut(coat).take::<SkinnedMesh>().unwrap();
    steps(&mut app, 2);
    assert_eq!(objects(&app), 1);
    let one = SkinnedMesh { joints: vec![skin.joints[0]], ..skin.clone() };
    app.world_mut().entity_mut(coat).insert(one);
    steps(&mut app, 2);
    assert_eq!(objects(&app), 1);
    app.world_mut().entity_mut(coat).insert((skin.clone(), SkinAttachment::all().max_distance(-1.0)));
    steps(&mut app, 2);
    assert_eq!(objects(&app), 1);
    app.world_mut().entity_mut(coat).insert(SkinAttachment::all().max_distance(1.0));
    steps(&mut app, 2);
    assert_eq!(objects(&app), 2);
    app.world_mut().despawn(skin.joints[1]);
    steps(&mut app, 2);
    assert_eq!(objects(&app), 2);
}

/// v → V with the rate k: after t the part e^(−kt) of the difference is left, discretely (1 + kh)^(−t/h).
#[test]
fn damping_takes_a_sheet_along_with_an_entity() {
    let settings = Settings { gravity: Vec3::ZERO, substeps: 10, ..Settings::default() };
    let mut app = app_of(XpbdPlugins::new(settings), ());
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(sheet());
    let cart = app.world_mut().spawn(Transform::IDENTITY).id();
    let damping = FrameDamping { frame_entity: Some(cart), rate: 3.0, linear_factor: 0.5, angular_factor: 1.0 };
    let cape = app.world_mut().spawn((Cloth::default(), Mesh3d(mesh), damping)).id();
    steps(&mut app, 1);
    for k in 0..30 {
        app.world_mut().get_mut::<Transform>(cart).unwrap().translation.x = 0.05 * (k + 1) as f32;
        steps(&mut app, 1);
    }
    let velocity = |app: &App, k: usize| {
        let physics = app.world().resource::<Physics>();
        physics.world().velocity(physics.object_of(cape).unwrap(), k).unwrap()
    };
    let left = (0..300).fold(1.0_f32, |left, _| left / (1.0 + 3.0 / 600.0));
    let expected = Vec3::X * 3.0 * 0.5 * (1.0 - left);
    assert!(velocity(&app, 0).distance(expected) < 1e-3, "{} {expected}", velocity(&app, 0));
    // What turns takes it round.
    app.world_mut().entity_mut(cape).insert(FrameDamping { rate: 100.0, ..damping });
    for k in 0..20 {
        app.world_mut().get_mut::<Transform>(cart).unwrap().rotation = Quat::from_rotation_y(0.01 * (k + 1) as f32);
        steps(&mut app, 1);
    }
    let centre = app.world().get::<Transform>(cart).unwrap().translation;
    let arm = points(&app, cape)[0] - centre;
    let expected = (Vec3::Y * 0.6).cross(arm);
    let found = velocity(&app, 0);
    assert!(found.distance(expected) < 0.03 * expected.length(), "{found} {expected}");
    app.world_mut().entity_mut(cape).remove::<FrameDamping>();
    steps(&mut app, 1);
    assert!(velocity(&app, 0).distance(found) < 0.03);
    let batches = app.world().resource::<Physics>().world().state().batches.iter().count();
    app.world_mut().entity_mut(cape).insert(FrameDamping { rate: -1.0, ..damping });
    steps(&mut app, 2);
    assert_eq!(app.world().resource::<Physics>().world().state().batches.iter().count(), batches);
}
