//! Every kind of thing thrown at every other, as `xpbd matrix` does.

use examples::matrix::{Kind, throw, throw_in_bags};

/// Throws that are not held today: particles that press ropes apart sideways, or harder on light rods, grains and clusters than
/// one sweep of contacts can hold.
const NOT_HELD: &[(Kind, Kind)] = &[
    (Kind::Cluster, Kind::Rod),
    (Kind::Grains, Kind::Rope),
    (Kind::Grains, Kind::Rod),
    (Kind::Grains, Kind::Cluster),
    (Kind::Grains, Kind::Grains),
    (Kind::Liquid, Kind::Rope),
    (Kind::Liquid, Kind::Rod),
];

fn check(thrown: Kind) {
    for target in Kind::ALL {
        let throw = throw(thrown, target).expect("the throw can be built and stepped");
        let expected = !NOT_HELD.contains(&(thrown, target));
        assert_eq!(throw.passed.is_held(), expected, "{thrown:?} at {target:?}: {:?}", throw.passed);
    }
}

macro_rules! throws {
    ($($name:ident: $kind:ident),* $(,)?) => {
        $(#[test] fn $name() { check(Kind::$kind); })*

        #[test]
        fn everything_that_moves_is_thrown() {
            assert_eq!(Kind::THROWN, [$(Kind::$kind),*]);
        }
    };
}

throws! {
    cloth: Cloth, rope: Rope, rod: Rod, soft_body: SoftBody, cluster: Cluster, grains: Grains, liquid: Liquid, ball: Ball,
    cuboid: Box, capsule: Capsule, cylinder: Cylinder, cone: Cone, hull: Hull, compound: Compound,
}

/// Throws of all of which particles stayed outside while these were taken for coming from outside when they came back, or
/// forgotten there: through folds of the bag, far from it, and pushed out again by the contacts that had brought them back; or where
/// no pair had been looked for.
#[test]
fn what_is_fast_and_passes_a_bag_for_a_moment_comes_back() {
    come_back(Kind::Liquid, &[2205, 6659, 1262, 1534, 1688, 1722, 1896, 1913, 1992, 307, 611]);
    come_back(Kind::Grains, &[177]);
    come_back(Kind::Cluster, &[4398, 4611, 4806, 6125, 6679, 8937, 9444]);
}

/// More than half of each of the soft bodies was outside, and the cloths were in the bag as much as through it, or crumpled
/// through themselves more and more until the bag did not hold them.
#[test]
fn what_runs_through_a_bag_is_pulled_back_to_where_it_was() {
    come_back(Kind::SoftBody, &[648, 990, 994, 1784]);
    come_back(Kind::Cloth, &[238, 295, 3250, 3653, 3792, 6756, 8229]);
}

/// Asserts that nothing of the throws of a kind with these seeds stays outside of its bag.
fn come_back(kind: Kind, seeds: &[u64]) {
    for &seed in seeds {
        let throws = throw_in_bags(seed, 1).expect("the throw can be built and stepped");
        assert!(throws[0].kind == kind && throws[0].speed > 20.0, "{throws:?}");
        assert_eq!(throws[0].outside, 0, "{throws:?}");
    }
}

/// Random throws with up to 50 m/s, in a bag that weighs less than most of what is thrown.
#[test]
fn what_is_thrown_in_a_closed_bag_stays_inside() {
    let throws = throw_in_bags(1, 76).expect("the throws can be built and stepped");
    let came_out: Vec<_> = throws.iter().filter(|throw| throw.outside > 0).collect();
    assert!(came_out.is_empty(), "{came_out:?}");
    assert!(Kind::THROWN.iter().all(|&kind| throws.iter().any(|throw| throw.kind == kind && throw.speed > 20.0)));
}
