// Direct solves: the kernels that follow the elimination listed by `xpbd_core::schedule::direct`, with the operations and
// the order of `xpbd_core::cpu::direct`. The constraints of a pass are linearized by a kernel of their own.

// Tables are places in `data`, and the numbers of systems places in `memory`.
struct System {
    // Components: 8 words each.
    components: u32,
    component_count: u32,
    // Nodes of all components: 4 words each.
    nodes: u32,
    node_count: u32,
    // Constraints of all components: 4 words each.
    constraints: u32,
    constraint_count: u32,
    // Numbers of all systems and right-hand sides in `memory`.
    numbers: u32,
    number_count: u32,
    // Places in `memory` of the state of each component, of the axes along and about which each node is free, of its pose
    // after the last solution, of its velocities before contacts, of the rows with bounds, and of the friction of each node.
    places: u32,
    // The part of a list of constraints or blocks that a dispatch works on.
    first: u32,
    end: u32,
    unused: u32,
}

@group(1) @binding(0) var<uniform> system: System;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> memory: array<f32>;

// A component is solved from its predicted positions, again from where something has moved it, or not at all.
const OPEN = 0u;
const ROUGH = 1u;
const DONE = 2u;
// Bits of the state of a component behind its progress: its solution is used, it moves the nodes, it adds to multipliers.
const IS_USED = 4u;
const MOVES = 8u;
const IS_WARM = 16u;
// A solution of it has been refused.
const WAS_REFUSED = 32u;

// A component and its structure.
struct Component {
    structure: u32,
    numbers: u32,
    right: u32,
    nodes: u32,
    node_count: u32,
    constraints: u32,
    constraint_count: u32,
    bounded: u32,
    number: u32,
}

fn component_at(number: u32) -> Component {
    let place = system.components + 8u * number;
    return Component(
        data[place], data[place + 1u], data[place + 2u], data[place + 3u], data[place + 4u], data[place + 5u],
        data[place + 6u], data[place + 7u], number
    );
}

// Returns whether rows of any constraint of a component may say what others have said.
fn may_repeat(component: Component) -> bool {
    return data[component.structure + 3u] == 1u;
}

fn state_place(component: u32) -> u32 {
    return data[system.places] + component;
}

fn state_of(component: u32) -> u32 {
    return u32(memory[state_place(component)]);
}

// Returns whether nothing is left to solve for a component.
fn is_done(component: u32) -> bool {
    return (state_of(component) & 3u) == DONE;
}

fn set_state(component: u32, state: u32) {
    memory[state_place(component)] = f32(state);
}

fn free_place(node: u32) -> u32 {
    return data[system.places + 1u] + node;
}

fn pose_place(node: u32) -> u32 {
    return data[system.places + 2u] + 8u * node;
}

// A node: particle or body, its component, and its block.
struct Node {
    index: u32,
    is_body: bool,
    component: u32,
    first: u32,
    row: u32,
    size: u32,
    first_axis: u32,
}

fn node_at(number: u32) -> Node {
    let place = system.nodes + 4u * number;
    let block = data[place + 2u];
    return Node(
        data[place] & ~BODY_BIT, (data[place] & BODY_BIT) != 0u, data[place + 1u], data[block], data[block + 1u],
        data[block + 2u], data[block + 3u]
    );
}

fn velocities_place(node: u32) -> u32 {
    return data[system.places + 3u] + 8u * node;
}

// Offset and rotation of a node, or its velocity and angular velocity; zero for what a particle does not have.
struct NodeVectors {
    linear: vec4f,
    angular: vec4f,
}

fn pose_of(node: Node) -> NodeVectors {
    if node.is_body {
        return NodeVectors(
            bodies[body_index(BODY_OFFSET, node.index)], bodies[body_index(BODY_ROTATION_CORRECTION, node.index)]
        );
    }
    return NodeVectors(offset[node.index], vec4f());
}

fn velocities_of(node: Node) -> NodeVectors {
    if node.is_body {
        return NodeVectors(
            bodies[body_index(BODY_VELOCITY, node.index)], bodies[body_index(BODY_ANGULAR_VELOCITY, node.index)]
        );
    }
    return NodeVectors(motion[vector_index(VELOCITY, node.index)], vec4f());
}

fn keep(place: u32, vectors: NodeVectors) {
    for (var k = 0u; k < 4u; k++) {
        memory[place + k] = vectors.linear[k];
        memory[place + 4u + k] = vectors.angular[k];
    }
}

// Returns whether vectors differ from those that were kept.
fn differ(place: u32, vectors: NodeVectors) -> bool {
    var changed = false;
    for (var k = 0u; k < 4u; k++) {
        changed = changed || memory[place + k] != vectors.linear[k] || memory[place + 4u + k] != vectors.angular[k];
    }
    return changed;
}

// Begins solutions from predicted positions.
@compute @workgroup_size($group)
fn begin_cold(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        set_state(c, OPEN);
        set_rows(component_at(c), NEW_ROW);
    }
}

// Begins solutions of the components that anything has moved since their last solution.
@compute @workgroup_size($group)
fn begin_warm(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        var progress = DONE;
        for (var k = 0u; k < component.node_count && progress == DONE; k++) {
            if differ(pose_place(component.nodes + k), pose_of(node_at(component.nodes + k))) {
                progress = ROUGH;
            }
        }
        set_state(c, progress);
        set_rows(component, NEW_ROW);
        for (var k = 0u; k < component.node_count; k++) {
            set_friction(component.nodes + k, NodeFriction());
        }
    }
}

@compute @workgroup_size($group)
fn clear(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < system.number_count; k += groups.x * $groupu) {
        memory[system.numbers + k] = 0.0;
    }
}
