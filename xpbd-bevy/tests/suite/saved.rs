//! What components say is the same after it has been saved and loaded.

use std::fmt::Debug;

use bevy::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xpbd_bevy::prelude::*;

fn stays<C: Serialize + DeserializeOwned + Debug>(component: &C) {
    let saved = postcard::to_stdvec(component).expect("it can be saved");
    let loaded: C = postcard::from_bytes(&saved).expect("it can be loaded");
    assert_eq!(format!("{component:?}"), format!("{loaded:?}"));
}

#[test]
fn components_stay_what_they_are() {
    let [a, b] = [3, 7].map(|k| Entity::from_raw_u32(k).expect("a number of an entity"));
    let plasticity = Plasticity { yield_strain: 0.1, creep: 2.0, limit: 0.5 };
    let cloth = ClothSettings {
        stretch: Stretch::Woven { warp_modulus: 1e6, weft_modulus: 2e6, shear_modulus: 1e4, poisson_ratio: 0.1 },
        bending: Bending::Dihedral { stiffness: 1e-4 },
        air: Some(Air { sides: AirSides::Front, ..Air::default() }),
        gas: Some(Gas { amount: GasAmount::Ratio(1.2), compliance: 0.0 }),
        bending_plasticity: Some(plasticity),
        stretch_plasticity: Some(plasticity),
        tearing: Some(TearSettings { max_strain: 0.3, max_force: f32::INFINITY, capacity: 12 }),
        ..ClothSettings::default()
    };
    stays(&Cloth(cloth));
    stays(&Cloth::default());
    let mut cluster = Cluster::soft(0.1);
    cluster.plasticity = Some(plasticity);
    stays(&cluster);
    let elasticity = Elasticity::Orthotropic { youngs_moduli: [1e5, 2e5, 3e5], shear_moduli: [1e4; 3] };
    let plasticity = Some(plasticity);
    let settings = SoftBodySettings { elasticity, volume_bulk_modulus: Some(1e6), plasticity, ..default() };
    stays(&SoftBody { cell: Some(0.2), settings });
    let settings = RodSettings { shear_modulus: Some(1e6), ..default() };
    stays(&Rod { normal: Some(Vec3::Z), settings, ..Rod::helix(0.1, 0.02, 3.0, 40) });
    stays(&Rope { settings: RopeSettings { spool: 4, ..default() }, ..default() });
    stays(&Winch { attached_to: Some(a), ..Winch::default() });
    stays(&Clamped::first().held_by(b).and(Clamped::last()));
    stays(&SegmentAttachment { rod: a, segment: 3 });
    stays(&FrameDamping { frame_entity: Some(b), ..FrameDamping::default() });
    stays(
        &SkinAttachment::vertices([1, 2])
            .max_distance(0.1)
            .and(SkinAttachment::painted(Color::WHITE).backstop(0.01, 0.5)),
    );
    stays(&Pinned::vertices([0, 4]).held_by(a).and(Pinned::painted(Color::BLACK)));
    let mut wind = Wind::new(Vec3::X);
    (wind.gust_strength, wind.seed) = (0.4, 9);
    stays(&wind);
    let hinge = HingeJoint::new(Vec3::Y, Vec3::Z).limits(-1.0, 2.0).motor(JointMotor::velocity(2.0).max_torque(3.0));
    stays(&Joint::between(a, b, hinge.break_force(7.0)));
    stays(&Joint::new(b, DistanceJoint::new(Vec3::ZERO, Vec3::X, 0.1, 0.2)));
    stays(&Joint::new(b, BallJoint::new(Vec3::X)));
    let chosen_by_code = Pinned::when(|vertex, _| vertex > 3);
    assert!(postcard::to_stdvec(&chosen_by_code).is_err());
}
