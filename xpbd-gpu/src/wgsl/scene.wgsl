// Objects and colliders, as the host lays them out for a frame.

@group(1) @binding(0) var<storage, read> scene: array<vec4u>;

// Vectors of an object: gravity [m/s²] and linear damping [1/s]; friction, memberships and filters; flags, medium, and the
// margin of contacts with colliders [m], restitution; first vector of the stiffness of its particles, 0 if there is none, the
// index of the first particle, the first vector of the supports, 0 if there are none, and how far the medium reaches [m], 0 if
// there is none.
// Vectors of stiffness: stiffness [N/m] and damping [N s/m] of two particles each.
// Vectors of supports: where those of each particle begin, and the end, in half vectors from the first; then pin and length [m]
// of two each.
// Vectors of a collider: rotation and position at the start of the frame, then at its end; bounds of its motion, low and
// high; rotation and position on its body; friction and restitution; velocity of its surface. `layout.rs` prints how many they are.

fn owner_of(particle: u32) -> u32 {
    return scene[particle >> 2u][particle & 3u] & ~INACTIVE;
}

fn is_inactive(particle: u32) -> bool {
    return (scene[particle >> 2u][particle & 3u] & INACTIVE) != 0u;
}

fn object_vector(object: u32, vector: u32) -> vec4u {
    return scene[substep.object_table + object * OBJECT + vector];
}

// Returns the restitution of an object [1].
fn restitution_of(object: u32) -> f32 {
    return bitcast<f32>(object_vector(object, 2u).w);
}

fn is_frozen(object: u32) -> bool {
    return (object_vector(object, 2u).x & FROZEN) != 0u;
}

// Returns the stiffness [N/m] and the damping [N s/m] with which its object holds a particle.
fn stiffness_of(particle: u32) -> vec2f {
    let place = object_vector(owner_of(particle), 3u);
    if place.x == 0u {
        return vec2f();
    }
    let k = particle - place.y;
    let pair = bitcast<vec4f>(scene[place.x + k / 2u]);
    return select(pair.xy, pair.zw, k % 2u == 1u);
}

struct Collider {
    from_rotation: vec4f,
    from_position: vec3f,
    to_rotation: vec4f,
    to_position: vec3f,
    low: vec3f,
    high: vec3f,
    local_rotation: vec4f,
    local_position: vec3f,
    // Static and dynamic coefficients of friction [1].
    friction: vec2f,
    // Restitution [1].
    restitution: f32,
    // Velocity of its surface against the collider, in its frame [m/s].
    surface_velocity: vec3f,
    shape: u32,
    // The body that moves it in this frame, or STATIC.
    body: u32,
    memberships: u32,
    filters: u32,
}

fn collider_at(number: u32) -> Collider {
    let first = substep.collider_table + number * COLLIDER;
    let from_position = scene[first + 1u];
    let to_position = scene[first + 3u];
    let low = scene[first + 4u];
    let high = scene[first + 5u];
    return Collider(
        bitcast<vec4f>(scene[first]),
        bitcast<vec3f>(from_position.xyz),
        bitcast<vec4f>(scene[first + 2u]),
        bitcast<vec3f>(to_position.xyz),
        bitcast<vec3f>(low.xyz),
        bitcast<vec3f>(high.xyz),
        bitcast<vec4f>(scene[first + 6u]),
        bitcast<vec3f>(scene[first + 7u].xyz),
        bitcast<vec2f>(scene[first + 8u].xy),
        bitcast<f32>(scene[first + 8u].z),
        bitcast<vec3f>(scene[first + 9u].xyz),
        from_position.w,
        to_position.w,
        low.w,
        high.w,
    );
}
