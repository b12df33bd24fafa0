//! Walls that do not fill all that is behind their planes: edges, thin walls, and walls of several pieces.

use glam::Vec3;
use parry3d::shape::SharedShape;
use xpbd_core::collide::Collider;
use xpbd_core::world::World;
use xpbd_fluid::{Fluid, FluidDensities};

use super::support::{D, cpu, world};

/// Particles along each edge of a block around a wall.
const SIDE: i32 = 12;

/// Layers at the beginning of a block that lack neighbours.
const ENDS: Vec3 = Vec3::splat(2.0);

/// Adds boxes, each between two corners \[d\].
fn boxes(world: &mut World, boxes: &[[Vec3; 2]]) {
    for [low, high] in boxes {
        let half = (*high - *low) * (0.5 * D);
        let shape = SharedShape::cuboid(half.x, half.y, half.z);
        world.add_collider(Collider::new(shape).at((*high + *low) * (0.5 * D))).unwrap();
    }
}

/// Fills a block with the lattice but for some boxes, each between two corners \[d\]. Returns the largest difference from rest
/// density of the particles that are two layers or more from where the block ends, and beyond `ends` \[d\].
fn density_error(walls: &[[Vec3; 2]], ends: Vec3) -> f32 {
    let mut world = world(false, 1);
    boxes(&mut world, walls);
    let lattice = (0..SIDE.pow(3))
        .map(|k| Vec3::new((k % SIDE) as f32, (k / SIDE % SIDE) as f32, (k / SIDE / SIDE) as f32) + 0.5);
    let within = |x: &Vec3, [low, high]: &[Vec3; 2]| x.cmpgt(*low).all() && x.cmplt(*high).all();
    let places: Vec<Vec3> = lattice.filter(|x| !walls.iter().any(|wall| within(x, wall))).collect();
    Fluid::particles(places.iter().map(|&x| x * D).collect()).add_to_world(&mut world).unwrap();
    // So short a step finds the walls and moves nothing.
    world.step(&mut cpu(), 1e-6).unwrap();
    let densities = FluidDensities::measure(&world).unwrap().values;
    let inside = |x: &Vec3| x.cmpgt(ends).all() && x.cmplt(Vec3::splat(SIDE as f32 - 2.0)).all();
    places
        .iter()
        .zip(densities)
        .filter(|(x, _)| inside(x))
        .map(|(_, (_, density))| (density - 1.0).abs())
        .fold(0.0, f32::max)
}

#[test]
fn water_around_a_box_has_rest_density_at_its_edges_and_corners() {
    let error = density_error(&[[Vec3::splat(4.0), Vec3::splat(8.0)]], ENDS);
    assert!(error < 2e-3, "{error}");
}

#[test]
fn water_on_both_sides_of_a_thin_plate_has_rest_density() {
    let plate = [Vec3::new(-2.0, 5.0, -2.0), Vec3::new(14.0, 6.0, 14.0)];
    let error = density_error(&[plate], ENDS);
    assert!(error < 2e-3, "{error}");
}

#[test]
fn a_floor_of_two_boxes_is_one_floor_to_water() {
    let (low, high) = (Vec3::new(-4.0, -4.0, -4.0), Vec3::new(16.0, 0.0, 16.0));
    let whole = density_error(&[[low, high]], ENDS.with_y(0.0));
    for seam in [5.0, 5.5, 6.25] {
        let tiles = [[low, high.with_x(seam)], [low.with_x(seam), high]];
        let error = density_error(&tiles, ENDS.with_y(0.0));
        assert!((error - whole).abs() < 5e-3, "{seam}: {error} for {whole}");
    }
}
