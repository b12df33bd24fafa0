// The state of a world on the device, shared by all kernels. Vectors hold what the arrays of
// `xpbd_core::particles::Particles` and `xpbd_core::bodies::Bodies` hold.

struct Substep {
    // Length of the substep [s], 2/3 of it, 1 over it, and 3/2 over it.
    h: f32,
    two_thirds_h: f32,
    rate: f32,
    second_rate: f32,
    // 1/h² [1/s²], or 0 where compliance is ignored.
    compliance_scale: f32,
    // Multiplier of a force of 1 N [s²].
    per_force: f32,
    // Over-relaxation of Jacobi passes [1].
    omega: f32,
    // Radius of particles [m].
    radius: f32,
    // Fastest depenetration [m/s].
    depenetration: f32,
    // Length of the frame [s].
    dt: f32,
    particles: u32,
    bodies: u32,
    colliders: u32,
    // Contacts that a particle may have with colliders.
    ranks: u32,
    // Number of the substep in its frame.
    index: u32,
    flags: u32,
    // Targets of pinned particles in this frame, and how many contact events there is room for.
    targets: u32,
    events: u32,
    // First vectors in `scene` of objects and colliders, behind the owners.
    objects: u32,
    collider_table: u32,
    object_count: u32,
    // First vector in `inputs` of the targets.
    target_table: u32,
    // Bodies that follow a path in this frame; their table in `inputs` is behind the targets.
    followers: u32,
}

// The multipliers of this substep are read afterwards.
const KEEP = 2u;
// The history of the particles does not fit the length of the substep.
const RESTART = 4u;
// Forces act in this frame.
const FORCES = 16u;
// The last iteration of the substep.
const LAST = 32u;

@group(0) @binding(0) var<uniform> substep: Substep;
// Position [m] and inverse mass [1/kg].
@group(0) @binding(1) var<storage, read_write> anchor: array<vec4f>;
// What the anchor lacks to the position [m].
@group(0) @binding(2) var<storage, read_write> offset: array<vec4f>;
// Position at the start of the substep, from the anchor as it is now [m].
@group(0) @binding(3) var<storage, read_write> start: array<vec4f>;
// Sections of one vector a particle each.
@group(0) @binding(4) var<storage, read_write> motion: array<vec4f>;
// Sections of one vector a body each.
@group(0) @binding(5) var<storage, read_write> bodies: array<vec4f>;

// Sections of `motion`.
const VELOCITY = 0u;
// With the drag [1/s], which is negative where a particle is absent.
const ACCELERATION = 1u;
const PREVIOUS_MOVE = 2u;
const PREVIOUS_VELOCITY = 3u;
// Offset with the corrections of particle pairs; w is 1 where a pair has pushed.
const CORRECTED = 4u;
// Anchor at the start of the frame.
const BEFORE = 5u;
// Gradient and signed distance of the surface of the body that a particle is part of, if it is.
const FIELD = 6u;

// Sections of `bodies`. The first ten come back every frame.
const BODY_ANCHOR = 0u;
const BODY_OFFSET = 1u;
const BODY_ROTATION = 2u;
const BODY_VELOCITY = 3u;
const BODY_SPIN = 4u;
const BODY_START = 5u;
const BODY_START_ROTATION = 6u;
// What the constraints of the substep have turned it by [rad].
const BODY_TURN = 7u;
// Position and rotation at the start of the frame; at its end the anchor and the offset before it was folded.
const BODY_BEFORE = 8u;
const BODY_ROTATION_BEFORE = 9u;
// Inverse principal moments of inertia and locked axes.
const BODY_INERTIA = 10u;
// Acceleration and torque of the frame, each with a damping.
const BODY_ACCELERATION = 11u;
const BODY_TORQUE = 12u;

fn moving(section: u32, particle: u32) -> u32 {
    return section * substep.particles + particle;
}

fn of_body(section: u32, body: u32) -> u32 {
    return section * substep.bodies + body;
}

fn has(flag: u32) -> bool {
    return (substep.flags & flag) != 0u;
}

fn is_not_finite(v: vec3f) -> bool {
    // By the bits: a device may assume that there are no other numbers.
    let exponents = bitcast<vec3u>(v) & vec3u(0x7f800000u);
    return any(exponents == vec3u(0x7f800000u));
}
