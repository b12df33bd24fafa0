// The systems: masses, then the linearization of one constraint after another.

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
    var traction = vec4f();
    if DRAGS && !node.is_body {
        traction = friction_of(number).traction;
    }
    let mask = select(0u, ~locked & axes, inverse_mass > 0.0 && traction.w != STICKING);
    if node.first_axis == 0u {
        let mass = 1.0 / inverse_mass;
        for (var axis = 0u; axis < 3u; axis++) {
            memory[first + axis * node.size + axis] = mass;
        }
        if HOLDS && !node.is_body && substep.colliders > 0u {
            let along = motion[vector_index(HELD_ALONG, node.index)].xyz;
            hold(mass, along, first);
            if DRAGS {
                drag_back(along, traction, first, component_at(node.component).right + node.row);
            }
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
    if OF_VELOCITIES {
        add_momentum(node, number, first);
    }
}

// Adds the mass with which a particle that colliders push takes part along the normal.
fn hold(mass: f32, n: vec3f, first: u32) {
    let square = n.x * n.x + n.y * n.y + n.z * n.z;
    if square > LEAST_NORMAL_SQUARED {
        let added = (HELD_MASS * mass) / square;
        for (var a = 0u; a < 3u; a++) {
            for (var b = a; b < 3u; b++) {
                memory[first + 3u * a + b] += added * (n[a] * n[b]);
            }
        }
    }
}

// Adds the mass with which friction drags a particle along its surface, and its pull.
fn drag_back(n: vec3f, traction: vec4f, first: u32, right: u32) {
    if traction.w > 0.0 {
        let along = traction.w / ((n.x * n.x + n.y * n.y) + n.z * n.z);
        for (var a = 0u; a < 3u; a++) {
            for (var b = a; b < 3u; b++) {
                let across = select(0.0, traction.w, a == b);
                memory[first + 3u * a + b] += across - along * (n[a] * n[b]);
            }
        }
    }
    if traction.w != STICKING {
        for (var a = 0u; a < 3u; a++) {
            memory[right + a] += traction[a];
        }
    }
}

// Writes M (v − v*) of a node, whose mass and inertia stand in its block.
fn add_momentum(node: Node, number: u32, first: u32) {
    let right = component_at(node.component).right + node.row;
    for (var r = 0u; r < node.size; r++) {
        let part = r / 3u * 3u;
        var terms: array<f32, 3>;
        for (var k = 0u; k < 3u; k++) {
            let c = part + k;
            terms[k] = memory[first + min(r, c) * node.size + max(r, c)] * velocity_change(number, node.first_axis + c);
        }
        let sum = terms[0] + terms[1];
        memory[right + r] = sum + terms[2];
    }
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

// A pass: its multipliers, and the rows that are solved directly, those with bounds last, then the others.
struct DirectPass {
    records: u32,
    width: u32,
    lambda: u32,
    stride: u32,
    rows: u32,
    row_count: u32,
    other_count: u32,
    equation_count: u32,
}

fn pass_at(place: u32) -> DirectPass {
    return DirectPass(
        data[place], data[place + 1u], data[place + 2u], data[place + 3u], place + 7u, data[place + 4u], data[place + 5u],
        data[place + 6u]
    );
}

// Returns the place of the multiplier of a row, in the order of `DirectPass`.
fn lambda_place(pass_: DirectPass, row: u32, slot: u32) -> u32 {
    return pass_.lambda + data[pass_.rows + row] * pass_.stride + slot;
}

fn add_constraint(component: Component, number: u32, is_warm: bool) {
    let place = system.constraints + 4u * number;
    let slot = data[place];
    // First number, row, pass, entries, number of entries, first row with bounds, whether
    // its rows may say what others have said, nodes.
    let block = data[place + 2u];
    let pass_ = pass_at(data[block + 2u]);
    let own = component.numbers + data[block];
    let row = component.right + data[block + 1u];
    let record = pass_.records + slot * pass_.width;
    let size = pass_.row_count;
    let repeats = data[block + 6u] == 1u;
    let least = record + size + size * (size + 1u) / 2u + 4u * (size - pass_.equation_count);
    for (var a = 0u; a < size; a++) {
        var error = select(-memory[record + a], 0.0, OF_VELOCITIES);
        for (var b = 0u; b < size; b++) {
            let low = min(a, b);
            let high = max(a, b);
            var compliance = memory[record + size + high * (high + 1u) / 2u + low];
            if a == b && repeats {
                let bound = memory[least + a] * LEAST_COMPLIANCE;
                compliance = select(compliance, bound, compliance < bound);
            }
            if b >= a {
                memory[own + a * size + b] = -compliance;
            }
            if is_warm && !OF_VELOCITIES {
                error = error - compliance * lambda[lambda_place(pass_, b, slot)];
            }
        }
        memory[row + a] = error;
        if may_repeat(component) {
            memory[row + a + data[component.structure + 4u]] = select(0.0, memory[least + a], repeats);
        }
    }
    for (var a = pass_.equation_count; a < size; a++) {
        add_bounded_row(component, block, a, slot);
    }
    let entries = data[block + 3u];
    for (var k = 0u; k < data[block + 4u]; k++) {
        // Output and row of J with bounds, target, and the two degrees of freedom: slot and axis, a byte each.
        let entry = entries + 3u * k;
        let output = record + (data[entry] & 0xffffu);
        let axes = data[entry + 2u];
        if !(is_free(component, block + 7u, axes & 0xffffu) && is_free(component, block + 7u, axes >> 16u)) {
            continue;
        }
        let a = data[entry] >> 16u;
        var is_added = true;
        if a != NO_ROW {
            let row = bounded_at(bounded_place(component, data[block + 5u] + a - pass_.equation_count));
            is_added = is_solved(row);
            if row.part == HELD {
                let node = node_at(component.nodes + data[block + 7u + (axes & 0xffu)]);
                let right = component.right + node.row + ((axes >> 8u) & 0xffu) - node.first_axis;
                let given = given_change(row, lambda[lambda_place(pass_, a, slot)], is_warm);
                memory[right] = memory[right] + memory[output] * given;
            }
        }
        if is_added {
            let target_ = component.numbers + data[entry + 1u];
            memory[target_] = memory[target_] + memory[output];
        }
    }
}

fn is_free(component: Component, nodes: u32, axis: u32) -> bool {
    let node = component.nodes + data[nodes + (axis & 0xffu)];
    return ((u32(memory[free_place(node)]) >> (axis >> 8u)) & 1u) == 1u;
}
