// Contacts between particles, a Jacobi pass: each particle goes through the list of its partners,
// which is the order in which the CPU adds up the corrections. Both particles of a pair work out
// the whole pair, with the one of lower index first.

@group(1) @binding(1) var<storage, read_write> lists: array<u32>;
// For each particle its shares; then for each entry of the lists its impulse [N s], and how the pair touches in this substep;
// and from the end backwards the multipliers of each entry, which only a further iteration reads.
@group(1) @binding(2) var<storage, read_write> pair_state: array<vec2f>;

fn multipliers_of(entry: u32) -> u32 {
    return arrayLength(&pair_state) - 1u - entry;
}

fn touches_now(a: u32, b: u32) -> bool {
    let apart = (anchor[b] - anchor[a]).xyz + (offset[b] - offset[a]).xyz;
    return dot3(apart, apart) < 4.0 * substep.radius * substep.radius;
}

fn friction_of(i: u32) -> vec2f {
    return bitcast<vec2f>(object_vector(owner_of(i), 1u).xy);
}

// Returns how far two particles rebound in the substep [m], the first shifted before.
fn rebound_of(a: u32, b: u32, shift: vec3f) -> f32 {
    let restitution = max(restitution_of(owner_of(a)), restitution_of(owner_of(b)));
    if restitution <= 0.0 {
        return 0.0;
    }
    let apart = ((anchor[a] - anchor[b]).xyz + (start[a] - start[b]).xyz) + shift;
    let normal = apart / sqrt(dot3(apart, apart));
    let velocity = (motion[vector_index(VELOCITY, a)] - motion[vector_index(VELOCITY, b)]).xyz;
    let acceleration = (motion[vector_index(ACCELERATION, a)] - motion[vector_index(ACCELERATION, b)]).xyz;
    return rebound_way(restitution, dot3(normal, velocity), dot3(normal, acceleration) * substep.h);
}

// Returns the part of a push along a unit vector that a particle may follow [1] where it touches another, by its supports at the
// start of the substep; the twin of `xpbd_core::object::Supports::limited_part`, if one of them is taut.
fn limited_part(i: u32, other: u32, direction: vec3f) -> f32 {
    let place = object_vector(owner_of(i), 3u);
    if place.z == 0u {
        return 1.0;
    }
    let k = i - place.y;
    let end = scene[place.z + (k + 1u) / 4u][(k + 1u) % 4u];
    var taut_count = 0u;
    var count = 0.0;
    var aside = vec3f();
    for (var n = scene[place.z + k / 4u][k % 4u]; n < end; n++) {
        let pair = scene[place.z + n / 2u];
        let support = select(pair.xy, pair.zw, n % 2u == 1u);
        let way = ((anchor[i] - anchor[support.x]) + (start[i] - start[support.x])).xyz;
        let square = dot3(way, way);
        if anchor[support.x].w != 0.0 || !(square > 0.0) {
            continue;
        }
        let unit = way / sqrt(square);
        aside += unit - direction * max(dot3(unit, direction), 0.0);
        count += 1.0;
        let least = bitcast<f32>(support.y) * TAUT;
        if square >= least * least {
            taut[taut_count] = unit;
            taut_count += 1u;
        }
    }
    if taut_count == 0u {
        return 1.0;
    }
    let free = free_along(direction, taut_count);
    let most = anchor[other].w / HELD_AGAINST_PARTICLE;
    if most <= 0.0 {
        return free;
    }
    let held = anchor[i].w * max(1.0 - sqrt(dot3(aside, aside)) / count, 0.0);
    return select(free, min(free, most / held), held > 0.0);
}

// Returns the parts of a push apart that two particles of different objects are free to follow [1], the first shifted before.
fn free_parts(a: u32, b: u32, shift: vec3f) -> vec2f {
    if owner_of(a) == owner_of(b) {
        return vec2f(1.0);
    }
    let apart = ((anchor[a] - anchor[b]).xyz + (start[a] - start[b]).xyz) + shift;
    let normal = apart / sqrt(dot3(apart, apart));
    return vec2f(limited_part(a, b, normal), limited_part(b, a, -normal));
}

// Marks the pairs that touch at the predicted positions and counts them.
@compute @workgroup_size($group)
fn mark_touching_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        var shares = 0.0;
        for (var k = lists[FIRST + i]; k < lists[FIRST + i + 1u]; k++) {
            let j = lists[partners_begin() + k];
            let touching = i != j && touches_now(min(i, j), max(i, j));
            var touch = NOT;
            if touching {
                touch = touch_of(min(i, j), max(i, j));
                shares += 1.0;
            }
            let entry = substep.particles + k;
            let impulse = select(pair_state[entry].x, 0.0, substep.index == 0u);
            pair_state[entry] = vec2f(impulse, touch);
        }
        pair_state[i] = vec2f(shares, 0.0);
    }
}

// Solves the pairs of each particle from the positions that all have had so far.
@compute @workgroup_size($group)
fn solve_pairs(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < substep.particles; i += groups.x * $groupu) {
        let movable = anchor[i].w > 0.0;
        var corrected = offset[i];
        var touched = false;
        for (var k = lists[FIRST + i]; k < lists[FIRST + i + 1u]; k++) {
            let entry = substep.particles + k;
            let state = pair_state[entry];
            if state.y == NOT {
                continue;
            }
            let j = lists[partners_begin() + k];
            let a = min(i, j);
            let b = max(i, j);
            let friction = sqrt(friction_of(a) * friction_of(b));
            let shares = vec2f(pair_state[a].x, pair_state[b].x);
            let separation = separation_of(a, b, state.y);
            let rebound = rebound_of(a, b, separation.xyz);
            let first_hold = stiffness_of(a) / shares.x;
            let second_hold = stiffness_of(b) / shares.y;
            let free = free_parts(a, b, separation.xyz);
            var multipliers = vec2f();
            if IS_WARM {
                multipliers = pair_state[multipliers_of(k)];
            }
            let step = solve_pair(a, b, separation, friction, rebound, first_hold, second_hold, free, shares, multipliers);
            if movable {
                corrected += select(step.second, step.first, i == a) * substep.omega;
            }
            if !has_flag(LAST_ITERATION) {
                pair_state[multipliers_of(k)] = step.lambda;
            } else if step.lambda.x > 0.0 {
                pair_state[entry].x = state.x + step.lambda.x * substep.inverse_h;
                touched = true;
            }
        }
        motion[vector_index(CORRECTED, i)] = vec4f(corrected.xyz, select(0.0, 1.0, touched));
    }
}
