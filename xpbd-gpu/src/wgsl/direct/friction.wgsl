// Friction of what colliders hold under the loads of direct solves; the twin of `xpbd_core::cpu::direct::held_particles`.

// Slip before friction [m]; pull [kg m], and the mass [kg] with which friction drags; n·Δ of all solves, the sum of those
// that the held mass has resisted [m], the friction that would stop the slip, and the friction so far [kg m].
struct NodeFriction {
    slip: vec4f,
    traction: vec4f,
    load: vec4f,
}

fn friction_place(node: u32) -> u32 {
    return data[system.places + 5u] + 12u * node;
}

fn friction_of(node: u32) -> NodeFriction {
    var friction: NodeFriction;
    let place = friction_place(node);
    for (var k = 0u; k < 4u; k++) {
        friction.slip[k] = memory[place + k];
        friction.traction[k] = memory[place + 4u + k];
        friction.load[k] = memory[place + 8u + k];
    }
    return friction;
}

fn set_friction(node: u32, friction: NodeFriction) {
    let place = friction_place(node);
    for (var k = 0u; k < 4u; k++) {
        memory[place + k] = friction.slip[k];
        memory[place + 4u + k] = friction.traction[k];
        memory[place + 8u + k] = friction.load[k];
    }
}

// Adds n·Δ of a solution.
fn add_load(node: u32, particle: u32, moved: vec4f) {
    let n = motion[vector_index(HELD_ALONG, particle)].xyz;
    let way = (n.x * moved.x + n.y * moved.y) + n.z * moved.z;
    let place = friction_place(node) + 8u;
    let sunk = memory[place] + way;
    memory[place] = sunk;
    memory[place + 1u] += select(way, sunk, DRAGS);
}

// Returns the slip of a particle along its surface in the substep [m].
fn slip_of(particle: u32, normal: vec3f) -> vec3f {
    let moved = (offset[particle] - start[particle]).xyz - motion[vector_index(HELD_SURFACE, particle)].xyz;
    return moved - normal * dot3(normal, moved);
}

// The hold on a particle: the unit normal, the length of the sum of its normals, and its mass [kg], 0 if it is not held or in
// an impact.
struct Hold {
    normal: vec3f,
    length: f32,
    mass: f32,
}

fn hold_of(particle: u32) -> Hold {
    let held = motion[vector_index(HELD_ALONG, particle)];
    let sum = held.xyz;
    let inverse_mass = anchor[particle].w;
    let length_ = sqrt(dot3(sum, sum));
    if length_ * length_ <= LEAST_NORMAL_SQUARED || inverse_mass <= 0.0 || held.w == IS_IMPACT {
        return Hold();
    }
    return Hold(sum / length_, length_, 1.0 / inverse_mass);
}

// Drags back what slips, and lets go what is pulled off.
@compute @workgroup_size($group)
fn drag(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        let node = node_at(n);
        if !node.is_body {
            drag_particle(n, node.index);
        }
    }
}

fn drag_particle(number: u32, particle: u32) {
    let hold = hold_of(particle);
    if hold.mass == 0.0 {
        return;
    }
    var friction = friction_of(number);
    let per_length = (HELD_MASS * hold.mass) / hold.length;
    let load = -per_length * friction.load.y;
    if load < 0.0 {
        motion[vector_index(HELD_ALONG, particle)] = vec4f();
        friction.traction = vec4f(hold.normal * -load, 0.0);
    } else {
        let slip = slip_of(particle, hold.normal);
        let slipped = sqrt(dot3(slip, slip));
        let bound = motion[vector_index(HELD_SURFACE, particle)].w * load;
        let drag = select(0.0, min(bound / slipped, LARGEST_DRAG * hold.mass), slipped > 0.0);
        friction.slip = vec4f(slip, 0.0);
        friction.traction = vec4f(hold.normal * (-per_length * friction.load.x) - slip * drag, drag);
    }
    set_friction(number, friction);
}

// Lets particles slide.
@compute @workgroup_size($group)
fn slide(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        let node = node_at(n);
        if !node.is_body {
            slide_particle(n, node.index, false);
        }
    }
}

// Lets particles slide, or stick if friction can stop them.
@compute @workgroup_size($group)
fn stick_or_slide(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var n = id.x; n < system.node_count; n += groups.x * $groupu) {
        let node = node_at(n);
        if !node.is_body {
            slide_particle(n, node.index, true);
        }
    }
}

fn slide_particle(number: u32, particle: u32, is_last: bool) {
    var friction = friction_of(number);
    let drag = friction.traction.w;
    friction.traction = vec4f();
    let hold = hold_of(particle);
    if hold.mass == 0.0 {
        set_friction(number, friction);
        return;
    }
    let per_length = (HELD_MASS * hold.mass) / hold.length;
    let sticking = motion[vector_index(HELD_ALONG, particle)].w;
    let sliding = motion[vector_index(HELD_SURFACE, particle)].w;
    let slip = friction.slip.xyz;
    let slipped = sqrt(dot3(slip, slip));
    let now = slip_of(particle, hold.normal);
    if drag > 0.0 {
        let left = sqrt(dot3(now, now));
        let stop = select(UNSTOPPABLE, drag * left * slipped / (slipped - left), left < slipped);
        friction.load = vec4f(friction.load.xy, stop, drag * left);
    }
    let stop = friction.load.z;
    let load = max(-per_length * friction.load.y, 0.0);
    var pull = hold.normal * (-per_length * friction.load.x);
    if is_last && stop > 0.0 && sticking * load >= STICKING_MARGIN * stop {
        offset[particle] -= vec4f(now, 0.0);
        friction.traction = vec4f(0.0, 0.0, 0.0, STICKING);
    } else {
        if stop > 0.0 {
            let next = min(sliding * load, stop);
            pull += slip * ((friction.load.w - next) / slipped);
            friction.load.w = next;
        }
        friction.traction = vec4f(pull, 0.0);
    }
    set_friction(number, friction);
}

// Begins solutions of the components that friction drags.
@compute @workgroup_size($group)
fn begin_friction(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        var progress = DONE;
        for (var k = 0u; k < component.node_count && progress == DONE; k++) {
            if any(friction_of(component.nodes + k).traction != vec4f()) {
                progress = ROUGH;
            }
        }
        set_state(c, progress);
        set_rows(component, NEW_ROW);
    }
}
