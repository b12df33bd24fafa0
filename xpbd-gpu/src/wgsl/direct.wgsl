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
    // Places in `memory` of the state of each component, of the axes along and about which each node is free, and of its
    // pose after the last solution.
    places: u32,
    // The part of a list of constraints or blocks that a dispatch works on.
    first: u32,
    end: u32,
    // 1 in the last round of a solution.
    is_last: u32,
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

// A component and its structure.
struct Component {
    structure: u32,
    numbers: u32,
    right: u32,
    nodes: u32,
    node_count: u32,
    constraints: u32,
    constraint_count: u32,
    number: u32,
}

fn component_at(number: u32) -> Component {
    let place = system.components + 8u * number;
    return Component(
        data[place], data[place + 1u], data[place + 2u], data[place + 3u], data[place + 4u], data[place + 5u],
        data[place + 6u], number
    );
}

fn state_place(component: u32) -> u32 {
    return data[system.places] + component;
}

fn state_of(component: u32) -> u32 {
    return u32(memory[state_place(component)]);
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

struct NodePose {
    offset: vec4f,
    rotation: vec4f,
}

fn pose_of(node: Node) -> NodePose {
    if node.is_body {
        return NodePose(bodies[body_index(BODY_OFFSET, node.index)], bodies[body_index(BODY_ROTATION, node.index)]);
    }
    return NodePose(offset[node.index], vec4f());
}

fn keep_pose(number: u32, pose: NodePose) {
    let place = pose_place(number);
    for (var k = 0u; k < 4u; k++) {
        memory[place + k] = pose.offset[k];
        memory[place + 4u + k] = pose.rotation[k];
    }
}

fn has_moved(number: u32) -> bool {
    let pose = pose_of(node_at(number));
    let place = pose_place(number);
    var moved = false;
    for (var k = 0u; k < 4u; k++) {
        moved = moved || memory[place + k] != pose.offset[k] || memory[place + 4u + k] != pose.rotation[k];
    }
    return moved;
}

// Begins solutions from predicted positions.
@compute @workgroup_size($group)
fn begin_cold(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        set_state(c, OPEN);
    }
}

// Begins solutions of the components that anything has moved since their last solution.
@compute @workgroup_size($group)
fn begin_warm(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        var progress = DONE;
        for (var k = 0u; k < component.node_count && progress == DONE; k++) {
            if has_moved(component.nodes + k) {
                progress = ROUGH;
            }
        }
        set_state(c, progress);
    }
}

@compute @workgroup_size($group)
fn clear(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < system.number_count; k += groups.x * $groupu) {
        memory[system.numbers + k] = 0.0;
    }
}

// Writes mass and inertia of every node, and notes the axes along and about which it is free.
@compute @workgroup_size($group)
fn add_masses(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        add_mass(n);
    }
}

fn add_mass(number: u32) {
    let node = node_at(number);
    let first = component_at(node.component).numbers + node.first;
    let axes = ((1u << node.size) - 1u) << node.first_axis;
    var inverse_mass = 0.0;
    var locked = 0u;
    if node.is_body {
        inverse_mass = bodies[body_index(BODY_ANCHOR, node.index)].w;
        locked = u32(bodies[body_index(BODY_INERTIA, node.index)].w);
    } else {
        inverse_mass = anchor[node.index].w;
    }
    let mask = select(0u, ~locked & axes, inverse_mass > 0.0);
    if node.first_axis == 0u {
        let mass = 1.0 / inverse_mass;
        for (var axis = 0u; axis < 3u; axis++) {
            memory[first + axis * node.size + axis] = mass;
        }
    }
    if node.is_body && node.first_axis + node.size == 6u {
        let inverse = bodies[body_index(BODY_INERTIA, node.index)];
        add_inertia(bodies[body_index(BODY_ROTATION, node.index)], inverse.xyz, first, node.size);
    }
    for (var a = 0u; a < node.size; a++) {
        for (var b = a; b < node.size; b++) {
            let pair = (1u << (node.first_axis + a)) | (1u << (node.first_axis + b));
            if (mask & pair) != pair {
                memory[first + a * node.size + b] = select(0.0, 1.0, a == b);
            }
        }
    }
    memory[free_place(number)] = f32(mask);
}

fn add_inertia(rotation: vec4f, inverse: vec3f, first: u32, size: u32) {
    let x = rotation.x;
    let y = rotation.y;
    let z = rotation.z;
    let w = rotation.w;
    var columns = array<array<f32, 3>, 3>(
        array<f32, 3>(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        array<f32, 3>(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        array<f32, 3>(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    );
    var moments = array<f32, 3>(1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z);
    for (var a = 0u; a < 3u; a++) {
        for (var b = a; b < 3u; b++) {
            var sum = columns[0][b] * moments[0] * columns[0][a] + columns[1][b] * moments[1] * columns[1][a];
            sum = sum + columns[2][b] * moments[2] * columns[2][a];
            memory[first + (size - 3u + a) * size + size - 3u + b] = sum;
        }
    }
}

// Writes the linearizations of some constraints of each component, one after another.
@compute @workgroup_size($group)
fn assemble(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        let progress = state_of(c) & 3u;
        if progress == DONE {
            continue;
        }
        for (var k = system.first; k < min(system.end, component.constraint_count); k++) {
            add_constraint(component, component.constraints + k, progress == ROUGH);
        }
    }
}

// A pass: its multipliers, and the rows that are solved directly, then the others.
struct DirectPass {
    records: u32,
    width: u32,
    lambda: u32,
    stride: u32,
    rows: u32,
    row_count: u32,
    other_count: u32,
}

fn pass_at(place: u32) -> DirectPass {
    return DirectPass(
        data[place], data[place + 1u], data[place + 2u], data[place + 3u], place + 6u, data[place + 4u], data[place + 5u]
    );
}

// Returns the place of the multiplier of a row, in the order of `DirectPass`.
fn lambda_place(pass_: DirectPass, row: u32, slot: u32) -> u32 {
    return pass_.lambda + data[pass_.rows + row] * pass_.stride + slot;
}

fn add_constraint(component: Component, number: u32, is_warm: bool) {
    let place = system.constraints + 4u * number;
    let slot = data[place];
    // First number, row, pass, entries, number of entries, nodes.
    let block = data[place + 2u];
    let pass_ = pass_at(data[block + 2u]);
    let own = component.numbers + data[block];
    let row = component.right + data[block + 1u];
    let record = pass_.records + slot * pass_.width;
    let size = pass_.row_count;
    for (var a = 0u; a < size; a++) {
        var error = -memory[record + a];
        for (var b = 0u; b < size; b++) {
            let low = min(a, b);
            let high = max(a, b);
            let compliance = memory[record + size + high * (high + 1u) / 2u + low];
            if b >= a {
                memory[own + a * size + b] = -compliance;
            }
            if is_warm {
                error = error - compliance * lambda[lambda_place(pass_, b, slot)];
            }
        }
        memory[row + a] = error;
    }
    let entries = data[block + 3u];
    for (var k = 0u; k < data[block + 4u]; k++) {
        // Output, target, and the two degrees of freedom: slot and axis, a byte each.
        let entry = entries + 3u * k;
        let axes = data[entry + 2u];
        if is_free(component, block + 5u, axes & 0xffffu) && is_free(component, block + 5u, axes >> 16u) {
            let target_ = component.numbers + data[entry + 1u];
            memory[target_] = memory[target_] + memory[record + data[entry]];
        }
    }
}

fn is_free(component: Component, nodes: u32, axis: u32) -> bool {
    let node = component.nodes + data[nodes + (axis & 0xffu)];
    return ((u32(memory[free_place(node)]) >> (axis >> 8u)) & 1u) == 1u;
}

// Eliminates some blocks of each component.
@compute @workgroup_size($group)
fn eliminate(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        if (state_of(c) & 3u) == DONE {
            continue;
        }
        // Blocks, number of blocks.
        let blocks = data[component.structure];
        for (var k = system.first; k < min(system.end, data[component.structure + 1u]); k++) {
            eliminate_block(component, block_at(blocks + 8u * k));
        }
    }
}

struct Block {
    size: u32,
    sign: f32,
    first: u32,
    row: u32,
    neighbours: u32,
    neighbour_count: u32,
    updates: u32,
    update_count: u32,
}

fn block_at(place: u32) -> Block {
    return Block(
        data[place], select(1.0, -1.0, data[place + 1u] == 1u), data[place + 2u], data[place + 3u], data[place + 4u],
        data[place + 5u], data[place + 6u], data[place + 7u]
    );
}

struct Neighbour {
    size: u32,
    row: u32,
    first: u32,
    block: u32,
}

fn neighbour_at(place: u32) -> Neighbour {
    return Neighbour(data[place], data[place + 1u], data[place + 2u], data[place + 3u]);
}

// The block that is eliminated: reciprocals of pivots, and above them the lower factor, transposed.
var<private> factor: array<f32, 36>;
var<private> column: array<f32, 6>;

fn factorize(block: Block, first: u32) {
    let size = block.size;
    var smallest: array<f32, 6>;
    for (var j = 0u; j < size; j++) {
        for (var i = j; i < size; i++) {
            factor[6u * j + i] = memory[first + j * size + i];
        }
        let part = abs(factor[7u * j]) * SMALLEST_PIVOT;
        smallest[j] = select(1e-30f, part, part > 1e-30f);
    }
    for (var j = 0u; j < size; j++) {
        let diagonal = factor[7u * j];
        let pivot = select(0.0, 1.0 / diagonal, diagonal * block.sign > smallest[j]);
        factor[7u * j] = pivot;
        for (var i = j + 1u; i < size; i++) {
            column[i] = factor[6u * j + i];
        }
        for (var i = j + 1u; i < size; i++) {
            let lower = column[i] * pivot;
            factor[6u * j + i] = lower;
            for (var k = i; k < size; k++) {
                factor[6u * i + k] = factor[6u * i + k] - lower * column[k];
            }
        }
    }
}

// Solves for the column y of L y = b.
fn forward(size: u32) {
    for (var j = 0u; j < size; j++) {
        for (var i = j + 1u; i < size; i++) {
            column[i] = column[i] - factor[6u * j + i] * column[j];
        }
    }
}

fn eliminate_block(component: Component, block: Block) {
    let size = block.size;
    let first = component.numbers + block.first;
    factorize(block, first);
    for (var j = 0u; j < size; j++) {
        for (var i = j; i < size; i++) {
            memory[first + j * size + i] = factor[6u * j + i];
        }
        column[j] = memory[component.right + block.row + j];
    }
    forward(size);
    var weighted: array<f32, 6>;
    for (var j = 0u; j < size; j++) {
        memory[component.right + block.row + j] = column[j];
        weighted[j] = factor[7u * j] * column[j];
    }
    for (var n = 0u; n < block.neighbour_count; n++) {
        let neighbour = neighbour_at(block.neighbours + 4u * n);
        let shared_ = component.numbers + neighbour.first;
        for (var c = 0u; c < neighbour.size; c++) {
            for (var k = 0u; k < size; k++) {
                column[k] = memory[shared_ + k * neighbour.size + c];
            }
            forward(size);
            let right = component.right + neighbour.row + c;
            var sum = memory[right];
            for (var k = 0u; k < size; k++) {
                memory[shared_ + k * neighbour.size + c] = column[k];
                sum = sum - weighted[k] * column[k];
            }
            memory[right] = sum;
        }
    }
    for (var u = 0u; u < block.update_count; u++) {
        let place = block.updates + 3u * u;
        change(component, block, data[place], data[place + 1u], component.numbers + data[place + 2u]);
    }
}

fn change(component: Component, block: Block, a: u32, b: u32, target_: u32) {
    let first = neighbour_at(block.neighbours + 4u * a);
    let second = neighbour_at(block.neighbours + 4u * b);
    for (var r = 0u; r < first.size; r++) {
        for (var k = 0u; k < block.size; k++) {
            column[k] = memory[component.numbers + first.first + k * first.size + r] * factor[7u * k];
        }
        for (var c = select(0u, r, a == b); c < second.size; c++) {
            let place = target_ + r * second.size + c;
            var sum = memory[place];
            for (var k = 0u; k < block.size; k++) {
                sum = sum - column[k] * memory[component.numbers + second.first + k * second.size + c];
            }
            memory[place] = sum;
        }
    }
}

// Solves for some blocks of each component, the last first; those that follow them are known.
@compute @workgroup_size($group)
fn substitute(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        if (state_of(c) & 3u) == DONE {
            continue;
        }
        let blocks = data[component.structure];
        for (var k = min(system.end, data[component.structure + 1u]); k > system.first; k--) {
            substitute_block(component, block_at(blocks + 8u * (k - 1u)));
        }
    }
}

fn substitute_block(component: Component, block: Block) {
    let size = block.size;
    let first = component.numbers + block.first;
    let own = component.right + block.row;
    for (var k = 0u; k < size; k++) {
        column[k] = memory[own + k];
    }
    for (var n = 0u; n < block.neighbour_count; n++) {
        let neighbour = neighbour_at(block.neighbours + 4u * n);
        for (var c = 0u; c < neighbour.size; c++) {
            let known = memory[component.right + neighbour.row + c];
            for (var k = 0u; k < size; k++) {
                column[k] = column[k] - memory[component.numbers + neighbour.first + k * neighbour.size + c] * known;
            }
        }
    }
    for (var k = 0u; k < size; k++) {
        column[k] = column[k] * memory[first + k * size + k];
    }
    for (var j = size; j > 0u; j--) {
        for (var i = j; i < size; i++) {
            column[j - 1u] = column[j - 1u] - memory[first + (j - 1u) * size + i] * column[i];
        }
    }
    for (var k = 0u; k < size; k++) {
        memory[own + k] = column[k];
    }
}

// Returns the part of a solution along or about three axes of a node.
fn motion_of(component: Component, node: Node, first_axis: u32) -> vec4f {
    if first_axis < node.first_axis || first_axis - node.first_axis >= node.size {
        return vec4f();
    }
    let row = component.right + node.row + first_axis - node.first_axis;
    return vec4f(memory[row], memory[row + 1u], memory[row + 2u], 0.0);
}

// Decides for each component what becomes of its solution.
@compute @workgroup_size($group)
fn decide(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let progress = state_of(c) & 3u;
        set_state(c, DONE);
        if progress != DONE {
            set_state(c, decision(component_at(c), progress == ROUGH));
        }
    }
}

fn decision(component: Component, is_warm: bool) -> u32 {
    var any_free = false;
    var square = 0.0;
    for (var k = 0u; k < component.node_count; k++) {
        any_free = any_free || memory[free_place(component.nodes + k)] != 0.0;
        let node = node_at(component.nodes + k);
        if node.is_body {
            let about = motion_of(component, node, 3u);
            let own = about.x * about.x + about.y * about.y + about.z * about.z;
            square = select(square, own, own > square);
        }
    }
    if !any_free {
        return DONE;
    }
    if is_warm {
        return DONE | IS_USED | MOVES | IS_WARM;
    }
    if system.is_last == 0u && square > LARGEST_SQUARE {
        return OPEN | IS_USED;
    }
    return select(DONE, ROUGH, square > SMALL_SQUARE) | IS_USED | MOVES;
}

// Takes the multipliers from the solutions; rows that are not solved directly begin with none.
@compute @workgroup_size($group)
fn set_multipliers(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.constraint_count; n += groups.x * $groupu) {
        let place = system.constraints + 4u * n;
        let slot = data[place];
        let state = state_of(data[place + 1u]);
        if (state & IS_USED) == 0u {
            continue;
        }
        let block = data[place + 2u];
        let pass_ = pass_at(data[block + 2u]);
        let row = component_at(data[place + 1u]).right + data[block + 1u];
        let is_warm = (state & IS_WARM) != 0u;
        for (var a = 0u; a < pass_.row_count; a++) {
            let own = lambda_place(pass_, a, slot);
            lambda[own] = select(0.0, lambda[own], is_warm) - memory[row + a];
        }
        for (var k = 0u; k < pass_.other_count && !is_warm; k++) {
            lambda[lambda_place(pass_, pass_.row_count + k, slot)] = 0.0;
        }
    }
}

// Moves the nodes by the solutions.
@compute @workgroup_size($group)
fn move_nodes(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        let node = node_at(n);
        if (state_of(node.component) & MOVES) == 0u {
            continue;
        }
        if memory[free_place(n)] != 0.0 {
            let component = component_at(node.component);
            if node.is_body {
                shift_body(node.index, motion_of(component, node, 0u), motion_of(component, node, 3u));
            } else {
                shift_particle(node.index, motion_of(component, node, 0u));
            }
        }
        keep_pose(n, pose_of(node));
    }
}
