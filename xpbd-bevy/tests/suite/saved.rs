//! What components say is the same after it has been saved and loaded.

use std::fmt::Debug;

use bevy::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use xpbd_bevy::object::cluster::Regions;
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
    let cloth = Cloth {
        stretch: Stretch::Woven { warp: 1e6, weft: 2e6, shear: 1e4, poisson_ratio: 0.1 },
        bending: Some(Bending::Dihedral { stiffness: 1e-4 }),
        air: Some(Air { sides: Sides::Front, ..Air::default() }),
        plate: Some(Plate { youngs_modulus: 1e6, poisson_ratio: 0.3, thickness: 1e-3 }),
        plastic_bending: Some(plasticity),
        plastic_stretch: Some(plasticity),
        tearing: Some(Tearing { strain: 0.3, force: f32::INFINITY, spares: 12 }),
        ..Cloth::default()
    };
    stays(&cloth);
    stays(&Cloth::default());
    let plasticity = Plasticity { yield_strain: 0.1, creep: 2.0, limit: 0.5 };
    let regions = Some(Regions { spacing: 0.1, radius: 0.2 });
    stays(&Cluster { plasticity: Some(plasticity), regions, ..Cluster::default() });
    let fibres = Elasticity::Orthotropic { stretch: [1e5, 2e5, 3e5], shear: [1e4; 3] };
    stays(&SoftBody { elasticity: fibres, keep_volume: Some(1e6), plastic: Some(plasticity), ..SoftBody::default() });
    stays(&Rod { normal: Some(Vec3::Z), shear_modulus: Some(1e6), ..Rod::helix(0.1, 0.02, 3.0, 40) });
    stays(&Rope { spool: 4, ..Rope::default() });
    stays(&Winch { on: Some(a), ..Winch::default() });
    stays(&Clamped::first().to(b).and(Clamped::last()));
    stays(&SegmentAttachment { rod: a, segment: 3 });
    stays(&FrameDamping { of: Some(b), ..FrameDamping::default() });
    stays(&SkinAttachment::vertices([1, 2]).reach(0.1).and(SkinAttachment::painted(Color::WHITE).backstop(0.01, 0.5)));
    stays(&Pinned::vertices([0, 4]).to(a).and(Pinned::painted(Color::BLACK)));
    stays(&Wind { gusts: 0.4, seed: 9, ..Wind::new(Vec3::X) });
    let hinge = Hinge::new(Vec3::Y, Vec3::Z).limits(-1.0, 2.0).motor(Motor::velocity(2.0).max_torque(3.0));
    stays(&Joint::between(a, b, hinge.break_force(7.0)));
    stays(&Joint::new(b, Distance::new(Vec3::ZERO, Vec3::X, 0.1, 0.2)));
    stays(&Joint::new(b, Ball::new(Vec3::X)));
    let chosen_by_code = Pinned::when(|vertex, _| vertex > 3);
    assert!(postcard::to_stdvec(&chosen_by_code).is_err());
}
