// The change of velocity of every member by fluids and solids around it.

// Of the member itself: where it was; whether it is a solid; its volume if so, or else E; inverse mass.
var<private> before: vec3f;
var<private> solid: bool;
var<private> own: f32;
var<private> own_weight: f32;
var<private> sum: vec3f;

// E of a fluid [N/m], the volume of a solid.
fn strength(k: u32) -> f32 {
    if is_solid(k) {
        return volume(k);
    }
    return number(k, ADHESION);
}

fn visit(j: u32, other: vec4f, apart: vec3f, square: f32) {
    if is_solid(j) == solid {
        return;
    }
    let apart_before = before - field(HANDED_ON, j).xyz;
    if dot3(apart_before, apart_before) >= reach() * reach() {
        return;
    }
    let they = strength(j);
    let energy = select(own, they, solid);
    let volume = select(they, own, solid);
    let inverse_mass = max(other.w, own_weight);
    let h = step_length();
    let pull = min(energy * (h * h) * inverse_mass, MAX_FORCE) / max(inverse_mass, MIN_INVERSE_MASS) * volume;
    let distance = sqrt(square);
    sum += apart * (pull * adhesion(distance * (1.0 / reach())) / max(distance, MIN_DISTANCE));
}

fn apply_adhesion(k: u32) {
    before = field(HANDED_ON, k).xyz;
    solid = is_solid(k);
    own = strength(k);
    own_weight = place(k).w;
    sum = vec3f();
    around(k);
    accelerate(k, -sum * (2.0 * radius() / step_length() * PAIR * own_weight));
}
