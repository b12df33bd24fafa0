// The state of a world on the device, shared by all kernels. Vectors hold what the arrays of
// `xpbd_core::particles::Particles` and `xpbd_core::bodies::Bodies` hold. `layout.rs` prints flags and sections.

struct Substep {
    // Length of the substep [s], 2/3 of it, 1 over it, and 3/2 over it.
    h: f32,
    two_thirds_h: f32,
    inverse_h: f32,
    inverse_two_thirds_h: f32,
    // 1/h² [1/s²], or 0 where compliance is ignored.
    compliance_scale: f32,
    // Multiplier of a force of 1 N [s²].
    per_force: f32,
    // Over-relaxation of Jacobi passes [1].
    omega: f32,
    // Radius of particles [m].
    radius: f32,
    // Greatest speed of depenetration [m/s].
    max_depenetration_speed: f32,
    // Length of the frame [s].
    dt: f32,
    particles: u32,
    bodies: u32,
    colliders: u32,
    // Contacts that a particle may have with colliders.
    contact_capacity: u32,
    // Number of the substep in its frame.
    index: u32,
    flags: u32,
    // Targets of pinned particles in this frame.
    targets: u32,
    // Contact events for which there is room.
    event_capacity: u32,
    // First vectors in `scene` of objects and colliders, behind the owners.
    object_table: u32,
    collider_table: u32,
    object_count: u32,
    // Constraints of each pass whose multipliers of this substep are read afterwards: all or none.
    kept: u32,
    // Particles on which forces act in this frame: all or none.
    forces: u32,
    // Bodies that follow a path in this frame; their table in `inputs` is behind the targets.
    kinematic_bodies: u32,
    // Slowest approach that rebounds [m/s].
    slowest_rebound: f32,
    // What multipliers that are kept are scaled by in this frame.
    multiplier_scale: f32,
    // Number of substeps to the end of the frame, this one included.
    substeps_left: f32,
}

@group(0) @binding(0) var<uniform> substep: Substep;
// Position [m] and inverse mass [1/kg].
@group(0) @binding(1) var<storage, read_write> anchor: array<vec4f>;
// Position minus anchor [m].
@group(0) @binding(2) var<storage, read_write> offset: array<vec4f>;
// Sections of one vector a particle each. The first is the position at the start of the substep, relative to the present
// anchor [m].
@group(0) @binding(3) var<storage, read_write> start: array<vec4f>;
// Sections of one vector a particle each.
@group(0) @binding(4) var<storage, read_write> motion: array<vec4f>;
// Sections of one vector a body each.
@group(0) @binding(5) var<storage, read_write> bodies: array<vec4f>;

// The `w` of SEARCHED_WAY where no contacts have been searched for in this frame.
const UNSEARCHED = 1.0;

// Returns how far surfaces of a restitution rebound in the substep [m]; the twin of `xpbd_core::collide::rebound`.
fn rebound_way(restitution: f32, parting: f32, added: f32) -> f32 {
    let approach = min(-parting, added - parting);
    let way = (restitution * approach) * substep.h;
    return select(0.0, way, restitution > 0.0 && approach > substep.slowest_rebound);
}

// Returns the index of the vector of a particle in a section of `start` or `motion`.
fn vector_index(section: u32, particle: u32) -> u32 {
    return section * substep.particles + particle;
}

// Returns the index of the vector of a body in a section of `bodies`.
fn body_index(section: u32, body: u32) -> u32 {
    return section * substep.bodies + body;
}

// Returns whether a flag of the substep is set.
fn has_flag(flag: u32) -> bool {
    return (substep.flags & flag) != 0u;
}

// Returns whether any component is infinite or NaN.
fn is_not_finite(v: vec3f) -> bool {
    // By the exponents: compilers may assume that no number is infinite or NaN.
    let exponents = bitcast<vec3u>(v) & vec3u(0x7f800000u);
    return any(exponents == vec3u(0x7f800000u));
}
