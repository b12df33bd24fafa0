// Objects and colliders, as the host lays them out for a frame.

@group(1) @binding(0) var<storage, read> scene: array<vec4u>;

// Vectors of an object: gravity and drag; friction, groups and mask; marks, medium, and how far beyond
// touching contacts with colliders are looked for [m].
const OBJECT = 3u;
const FROZEN = 1u;

// Vectors of a collider: rotation and position at the start of the frame, then at its end; bounds
// of its way, low and high; rotation and position on its body; friction.
const COLLIDER = 9u;
const STATIC = 0xffffffffu;

// Mark on the owner of a particle that is absent.
const ABSENT = 0x80000000u;

fn owner_of(particle: u32) -> u32 {
    return scene[particle >> 2u][particle & 3u] & ~ABSENT;
}

fn is_absent(particle: u32) -> bool {
    return (scene[particle >> 2u][particle & 3u] & ABSENT) != 0u;
}

fn object_vector(object: u32, vector: u32) -> vec4u {
    return scene[substep.objects + object * OBJECT + vector];
}

fn is_frozen(object: u32) -> bool {
    return (object_vector(object, 2u).x & FROZEN) != 0u;
}

struct Collider {
    from_turn: vec4f,
    from_place: vec3f,
    to_turn: vec4f,
    to_place: vec3f,
    low: vec3f,
    high: vec3f,
    local_turn: vec4f,
    local_place: vec3f,
    // Friction sticking and sliding.
    friction: vec2f,
    shape: u32,
    // The body that moves it in this frame, or STATIC.
    body: u32,
    groups: u32,
    mask: u32,
}

fn collider_at(number: u32) -> Collider {
    let first = substep.collider_table + number * COLLIDER;
    let from_place = scene[first + 1u];
    let to_place = scene[first + 3u];
    let low = scene[first + 4u];
    let high = scene[first + 5u];
    return Collider(
        bitcast<vec4f>(scene[first]),
        bitcast<vec3f>(from_place.xyz),
        bitcast<vec4f>(scene[first + 2u]),
        bitcast<vec3f>(to_place.xyz),
        bitcast<vec3f>(low.xyz),
        bitcast<vec3f>(high.xyz),
        bitcast<vec4f>(scene[first + 6u]),
        bitcast<vec3f>(scene[first + 7u].xyz),
        bitcast<vec2f>(scene[first + 8u].xy),
        from_place.w,
        to_place.w,
        low.w,
        high.w,
    );
}
