// What becomes of a solution: a decision for each component, then multipliers and positions.

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
        let state = state_of(c);
        let component = component_at(c);
        let is_warm = (state & 3u) == ROUGH;
        if (state & 3u) == DONE {
            set_state(c, DONE);
        } else if !IS_LAST && refuses(component, is_warm) {
            refuse(component, state);
        } else {
            set_state(c, decision(component, is_warm) | (state & WAS_REFUSED));
        }
    }
}

// Lets a component be solved again. If that is not for the first time, all rows with bounds are left out.
fn refuse(component: Component, state: u32) {
    if (state & WAS_REFUSED) != 0u {
        set_rows(component, LEFT_OUT);
    }
    set_state(component.number, (state & 3u) | WAS_REFUSED);
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
    let next = select(DONE, ROUGH, square > SMALL_SQUARE) | IS_USED | MOVES;
    if is_warm {
        return next | IS_WARM;
    }
    if !IS_LAST && square > LARGEST_SQUARE {
        return OPEN | IS_USED;
    }
    return next;
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
        let component = component_at(data[place + 1u]);
        let row = component.right + data[block + 1u];
        let is_warm = (state & IS_WARM) != 0u;
        for (var a = 0u; a < pass_.row_count; a++) {
            let own = lambda_place(pass_, a, slot);
            lambda[own] = select(0.0, lambda[own], is_warm) - memory[row + a];
            if a >= pass_.equation_count {
                let bounded = bounded_at(bounded_place(component, data[block + 5u] + a - pass_.equation_count));
                lambda[own] = nearest(bounded, lambda[own]);
            }
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
                let along = motion_of(component, node, 0u);
                shift_particle(node.index, along);
                if HOLDS {
                    add_load(n, node.index, along);
                }
            }
        }
        keep(pose_place(n), pose_of(node));
    }
}
