// The change of velocity of every member.

var<private> own: vec4f;
var<private> own_velocity: vec3f;
var<private> scale: f32;
var<private> sum: vec3f;

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    let they = field(HANDED_ON, j);
    let fluidity = own.y + they.y;
    // Two solids.
    if fluidity == 0.0 {
        return;
    }
    let most = 1.0 / max(max(own.x, they.x) * max(own.z, they.z), MIN_BOUND);
    let coupling = min(scale * (2.0 / fluidity), most);
    sum += (velocity(j) - own_velocity) * (coupling * (weight(part_of_reach(square)) * (own.w * they.w)));
}

fn apply_viscosity(k: u32) {
    own = field(HANDED_ON, k);
    own_velocity = velocity(k);
    scale = 2.0 * step_length() * (2.0 * radius()) / SECOND_MOMENT;
    sum = vec3f();
    around(k);
    sum *= own.x;
    for (var n = 0u; n < wall_count(k); n++) {
        let wall = wall(k, n);
        let coupling = min(scale * own.x / own.y, 1.0 / own.z);
        sum += (wall.velocity - own_velocity) * (coupling * dragged_by(wall));
    }
    accelerate(k, sum);
}
