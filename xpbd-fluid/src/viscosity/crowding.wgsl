// What is around each member. Solids do not see each other.

var<private> solid: bool;
var<private> sum: f32;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if !(solid && is_solid(j)) {
        sum += weight(part_of_reach(square)) * volume(j);
    }
}

fn fluidity(k: u32) -> f32 {
    if is_solid(k) {
        return 0.0;
    }
    return max(1.0 / max(number(k, VISCOSITY), MIN_VISCOSITY), MIN_FLUIDITY);
}

fn set_crowding(k: u32) {
    solid = is_solid(k);
    sum = 0.0;
    around(k);
    let own = volume(k);
    var crowding = sum * own;
    for (var n = 0u; n < wall_count(k); n++) {
        crowding += dragged_by(wall(k, n));
    }
    set_field(HANDED_ON, k, vec4f(place(k).w, fluidity(k), crowding, own));
}
