// Returns the first vector of a wall: its normal and the height above it [m]; its velocity [m/s] and, in the first of a
// particle, the number of walls; displacement of the particle by the wall [m], the contact that it is, its coverage [1] and, in
// the first of a particle, how far its medium reaches [m].
fn wall_record(particle: u32, n: u32) -> u32 {
    return 3u * (n * substep.particles + particle);
}

// Marks the contacts with bodies that can be pushed.
const ON_BODY = 0x80000000u;

// Number of walls of a particle that is not of the medium.
const NOT_OF_MEDIUM = 0xffffffffu;
