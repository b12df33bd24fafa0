// The density constraint; the twin of `density.rs`, where the formulas stand.

// Fields: λ, and the volume of a solid over that of a particle of fluid; what a stage of anything else hands on to
// the next, if there is anything else.
const SOLVED = 0u;
const HANDED_ON = 1u;

// The volume of a member over that of a particle of fluid.
fn volume(k: u32) -> f32 {
    if is_solid(k) {
        return field(SOLVED, k).y;
    }
    return 1.0;
}

// The inverse mass of a member as far as pressure moves it [1/kg]: solids push as contacts.
fn movable(k: u32, inverse_mass: f32) -> f32 {
    return select(inverse_mass, 0.0, is_solid(k));
}

// How much of the kernel a wall fills, over the lattice.
fn filled_by(wall: Wall, per_reach: f32) -> f32 {
    return wall.coverage * wall_fill(wall.height * per_reach);
}

// What a wall adds to the sums of viscosity, over its velocity against that of the member.
fn dragged_by(wall: Wall) -> f32 {
    return wall.coverage * wall_drag(wall.height * (1.0 / reach()));
}

// How much of the kernel walls fill, over the lattice.
fn wall_share(k: u32) -> f32 {
    let per_reach = 1.0 / reach();
    var open = 1.0;
    for (var n = 0u; n < wall_count(k); n++) {
        open *= 1.0 - filled_by(wall(k, n), per_reach);
    }
    return 1.0 - open;
}

// The gradient of that along one wall [1/m].
fn wall_slope(k: u32, n: u32) -> f32 {
    let per_reach = 1.0 / reach();
    let own = wall(k, n);
    var slope = own.coverage * wall_fill_slope(own.height * per_reach) * per_reach;
    for (var other = 0u; other < wall_count(k); other++) {
        if other != n {
            slope *= 1.0 - filled_by(wall(k, other), per_reach);
        }
    }
    return slope;
}
