// The nodes of a hand-written batch, numbered as the batch numbers them; the twin of
// `xpbd_core::batch::Nodes`.

struct BatchNodes {
    count: u32,
    ranges: u32,
    // For each range of particles: its first number in the batch, and its first particle.
    first: array<vec4u, 32>,
    // Number of runs of each stage.
    stages: array<vec4u, 4>,
    inputs: array<vec4f, 2>,
}

@group(1) @binding(0) var<uniform> batch: BatchNodes;

const LANES = $groupu;

fn particle_of_node(node: u32) -> u32 {
    var range = batch.ranges - 1u;
    while range > 0u && node < batch.first[range / 2u][(range % 2u) * 2u] {
        range--;
    }
    let two = batch.first[range / 2u];
    let first = select(two.xy, two.zw, range % 2u == 1u);
    return node - first.x + first.y;
}

fn node_count() -> u32 {
    return batch.count;
}

fn input(k: u32) -> f32 {
    return batch.inputs[k / 4u][k % 4u];
}

fn step_length() -> f32 {
    return substep.h;
}

fn frame_length() -> f32 {
    return substep.dt;
}

fn compliance_scale() -> f32 {
    return substep.compliance_scale;
}

fn position(node: u32) -> vec3f {
    let i = particle_of_node(node);
    return anchor[i].xyz + offset[i].xyz;
}

fn between(a: u32, b: u32) -> vec3f {
    let i = particle_of_node(a);
    let j = particle_of_node(b);
    return (anchor[j] - anchor[i]).xyz + (offset[j] - offset[i]).xyz;
}

fn displacement(node: u32) -> vec3f {
    let i = particle_of_node(node);
    return (offset[i] - start[i]).xyz;
}

fn inverse_mass(node: u32) -> f32 {
    return anchor[particle_of_node(node)].w;
}

fn set_inverse_mass(node: u32, inverse_mass: f32) {
    anchor[particle_of_node(node)].w = inverse_mass;
}

fn acceleration(node: u32) -> vec3f {
    return motion[vector_index(ACCELERATION, particle_of_node(node))].xyz;
}

fn set_acceleration(node: u32, acceleration: vec3f) {
    let place = vector_index(ACCELERATION, particle_of_node(node));
    motion[place] = vec4f(acceleration, motion[place].w);
}

fn is_active(node: u32) -> bool {
    return motion[vector_index(ACCELERATION, particle_of_node(node))].w >= 0.0;
}

fn shift(node: u32, by: vec3f) {
    offset[particle_of_node(node)] += vec4f(by, 0.0);
}

fn set_signed_distance(node: u32, gradient: vec3f, distance: f32) {
    motion[vector_index(SIGNED_DISTANCE, particle_of_node(node))] = vec4f(gradient, distance);
}

fn velocity(node: u32) -> vec3f {
    return motion[vector_index(VELOCITY, particle_of_node(node))].xyz;
}

fn set_velocity(node: u32, velocity: vec3f) {
    motion[vector_index(VELOCITY, particle_of_node(node))] = vec4f(velocity, 0.0);
}
