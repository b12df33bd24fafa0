// Solutions for velocities that contacts have changed; the twin of `xpbd_core::cpu::direct::velocities`.

// Keeps the velocities of all nodes, which contacts will change.
@compute @workgroup_size($group)
fn keep_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        keep(velocities_place(n), velocities_of(node_at(n)));
    }
}

// Begins solutions of the components whose velocities have changed since they were kept.
@compute @workgroup_size($group)
fn begin_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        var progress = DONE;
        for (var k = 0u; k < component.node_count && progress == DONE; k++) {
            if differ(velocities_place(component.nodes + k), velocities_of(node_at(component.nodes + k))) {
                progress = OPEN;
            }
        }
        set_state(c, progress);
        set_rows(component, NEW_ROW);
    }
}

// Decides for each component whether its solution is used.
@compute @workgroup_size($group)
fn decide_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let state = state_of(c);
        let component = component_at(c);
        if (state & 3u) == DONE {
            set_state(c, DONE);
        } else if !IS_LAST && refuses(component, true) {
            refuse(component, state);
        } else {
            add_impulses(component);
            set_state(c, DONE | MOVES);
        }
    }
}

// Returns how much a velocity of a node along or about an axis has changed.
fn velocity_change(number: u32, axis: u32) -> f32 {
    let now = velocities_of(node_at(number));
    let before = memory[velocities_place(number) + select(axis, axis + 1u, axis >= 3u)];
    if axis >= 3u {
        return now.angular[axis - 3u] - before;
    }
    return now.linear[axis] - before;
}

// Returns how much a velocity of a node has changed along the axes from one on.
fn velocity_changes(number: u32, first_axis: u32) -> vec4f {
    let x = velocity_change(number, first_axis);
    let y = velocity_change(number, first_axis + 1u);
    return vec4f(x, y, velocity_change(number, first_axis + 2u), 0.0);
}

// Changes velocities by the solutions.
@compute @workgroup_size($group)
fn change_velocities(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        let node = node_at(n);
        if (state_of(node.component) & MOVES) == 0u || memory[free_place(n)] == 0.0 {
            continue;
        }
        let component = component_at(node.component);
        let along = motion_of(component, node, 0u) - velocity_changes(n, 0u);
        if node.is_body {
            let free = freed(node.index, along, motion_of(component, node, 3u) - velocity_changes(n, 3u));
            bodies[body_index(BODY_VELOCITY, node.index)] += free.along;
            bodies[body_index(BODY_ANGULAR_VELOCITY, node.index)] += free.about;
        } else {
            motion[vector_index(VELOCITY, node.index)] += along;
        }
    }
}
