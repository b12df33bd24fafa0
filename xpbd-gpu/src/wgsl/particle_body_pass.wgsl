// Solves the contacts of particles with bodies that touch in this substep, all from the same positions.

@group(1) @binding(0) var<uniform> range: Range;

fn is_touching(slot: u32) -> bool {
    return bitcast<f32>(data[range.base + SLACK * range.stride + slot]) >= 0.0;
}

@compute @workgroup_size($group)
fn correct_particle_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.remainder; k += groups.x * $groupu) {
        if is_touching(range.first + k) {
            correct(range.first + k);
        }
    }
}

// Adds up the corrections of a particle or body in a fixed order and moves it, if anything touches it.
fn gather_particle_body(k: u32) {
    let word = data[range.gather_table + 2u * k];
    let node = word & 0x7fffffffu;
    let end = data[range.gather_table + 2u * k + 3u];
    var shift = vec4f();
    var rotation = vec4f();
    var touched = false;
    for (var entry = data[range.gather_table + 2u * k + 1u]; entry < end; entry++) {
        let correction = data[range.entries + entry];
        if is_touching(range.first + correction / 2u) {
            touched = true;
            shift += corrections[2u * correction];
            rotation += corrections[2u * correction + 1u];
        }
    }
    if !touched {
        return;
    }
    if word == node {
        shift_particle(node, shift * substep.omega);
    } else {
        shift_body(node, shift * substep.omega, rotation * substep.omega);
    }
}

@compute @workgroup_size($group)
fn gather_particle_bodies(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var k = id.x; k < range.gathers; k += groups.x * $groupu) {
        gather_particle_body(k);
    }
}
