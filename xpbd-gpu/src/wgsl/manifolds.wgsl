// Manifolds of bodies at the start of a substep; the twin of `xpbd_core::collide::body_contacts`.

// Returns the vector from the centre of the second side to that of the first, now or at the start of the substep.
fn apart_of(slot: u32, section: u32) -> vec3f {
    let a = body_of(slot, 0u);
    let b = body_of(slot, 1u);
    var position = bitcast<vec3f>(record(slot, SIDES + SIDE).xyz);
    var body_offset = vec3f();
    if b != NOBODY {
        position = bodies[body_index(BODY_ANCHOR, b)].xyz;
        body_offset = bodies[body_index(section, b)].xyz;
    }
    return (bodies[body_index(BODY_ANCHOR, a)].xyz - position) + (bodies[body_index(section, a)].xyz - body_offset);
}

fn slip_between(normal: vec3f, apart: vec3f, a: vec3f, b: vec3f) -> vec3f {
    let between = (apart + a) - b;
    return between - normal * dot3(normal, between);
}

fn middle(v: array<vec3f, 4>) -> vec3f {
    return (((v[0] + v[1]) + v[2]) + v[3]) * 0.25;
}

// Returns the middle of the points of a side relative to its centre, in the world; of a surface that does not move less d.
fn middle_of(slot: u32, side: u32, section: u32) -> vec3f {
    if side == 1u && !PAIR {
        return foot_of(slot);
    }
    let first = POINTS + 12u * side;
    let points = array<vec3f, 4>(
        read_vector(slot, first),
        read_vector(slot, first + 3u),
        read_vector(slot, first + 6u),
        read_vector(slot, first + 9u),
    );
    return rotate(rotation_of(slot, side, section), middle(points));
}

fn positive(x: f32) -> f32 {
    return select(0.0, x, x > 0.0);
}

fn push(slot: u32) -> f32 {
    let first = positive(multiplier(slot, 0u)) + positive(multiplier(slot, 1u));
    return (first + positive(multiplier(slot, 2u))) + positive(multiplier(slot, 3u));
}

fn is_held(multiplier: f32, limit: f32) -> bool {
    return limit * SLIDING_TOLERANCE < abs(multiplier - limit);
}

// Returns the part of a slip that a manifold keeps that slides.
fn slipping(slip: vec3f) -> vec3f {
    let length = sqrt(dot3(slip, slip));
    if length > SLIDING_SLIP {
        return slip * (SLIDING_SLIP / length);
    }
    return slip;
}

// Returns the direction along which d of a pair is measured, besides its cross product with the normal.
fn direction_of(slot: u32, section: u32) -> vec3f {
    return rotate(rotation_of(slot, 1u, section), read_vector(slot, AXIS_B));
}

// Returns d of a pair; of a surface that does not move, whose foot holds it, none.
fn way_of(slot: u32, normal: vec3f, section: u32) -> vec3f {
    if !PAIR {
        return vec3f();
    }
    let along = direction_of(slot, section);
    return along * read_column(slot, WAY) + cross3(normal, along) * read_column(slot, WAY + 1u);
}

// Makes d of a pair this way.
fn set_way(slot: u32, normal: vec3f, section: u32, way: vec3f) {
    if !PAIR {
        return;
    }
    let along = direction_of(slot, section);
    write_column(slot, WAY, dot3(along, way));
    write_column(slot, WAY + 1u, dot3(cross3(normal, along), way));
}

// Sets the points to those that are opposite each other now, and returns d; `slip` is that of the start of the substep.
fn set_points(slot: u32, normal: vec3f, slip: vec3f) -> vec3f {
    let apart = apart_of(slot, BODY_START);
    let turn_a = rotation_of(slot, 0u, BODY_ROTATION);
    let turn_b = rotation_of(slot, 1u, BODY_ROTATION);
    let along = is_round(slot, 1u) && !is_round(slot, 0u);
    let count = record(slot, 2u).z;
    var arms_b: array<vec3f, 4>;
    var locals_a: array<vec3f, 4>;
    var locals_b: array<vec3f, 4>;
    var gaps: array<f32, 4>;
    for (var k = 0u; k < 4u; k++) {
        let a = rotate(turn_a, core_of(slot, 0u, k)) + (-normal) * round_of(slot, 0u, k);
        let b = rotate(turn_b, core_of(slot, 1u, k)) + normal * round_of(slot, 1u, k);
        let halfway = normal * (0.5 * dot3(normal, (apart + a) - b));
        var arm = a - halfway;
        if along {
            arm = (b - apart) + halfway;
        }
        arms_b[k] = apart + arm;
        gaps[k] = dot3(normal, (a - b) - (arm - arms_b[k]));
        locals_a[k] = rotate(conjugate(turn_a), arm);
        locals_b[k] = rotate(conjugate(turn_b), arms_b[k]);
    }
    let before_a = rotate(rotation_of(slot, 0u, BODY_START_ROTATION), middle(locals_a));
    let before_b = rotate(rotation_of(slot, 1u, BODY_START_ROTATION), middle(locals_b));
    let way = slip - slip_between(normal, apart, before_a, before_b);
    let foot = middle(arms_b);
    records[range.first + slot * RECORD + FOOT] = vec4u(bitcast<vec3u>(foot - way), record(slot, FOOT).w);
    for (var k = 0u; k < 4u; k++) {
        write_vector(slot, POINTS + 3u * k, locals_a[k]);
        var height = 0.0;
        if PAIR {
            write_vector(slot, POINTS + 12u + 3u * k, locals_b[k]);
        } else {
            height = dot3(normal, arms_b[k] - foot);
        }
        write_column(slot, GAPS + k, select(UNUSED_POINT_GAP, gaps[k] - height, k < count));
    }
    return way;
}

// Returns a direction along a surface, as glam does.
fn any_along(normal: vec3f) -> vec3f {
    let sign = select(1.0, -1.0, (bitcast<u32>(normal.z) >> 31u) == 1u);
    let a = -1.0 / (sign + normal.z);
    return vec3f((normal.x * normal.y) * a, sign + (normal.y * normal.y) * a, -normal.y);
}

// Adds the way of the surfaces against their bodies in the substep that begins to d.
fn advance_surfaces(slot: u32, normal: vec3f, way: vec3f) {
    if PAIR {
        set_way(slot, normal, BODY_ROTATION, way_of(slot, normal, BODY_ROTATION) + way);
    } else {
        let foot = foot_of(slot) - way;
        records[range.first + slot * RECORD + FOOT] = vec4u(bitcast<vec3u>(foot), record(slot, FOOT).w);
    }
}

// Puts the axes of both sides along each other, but for the twist that the frame starts with.
fn set_axes(slot: u32, normal: vec3f, twist: f32) {
    let axis = any_along(normal);
    let turned = axis - cross3(normal, axis) * twist;
    let other = turned * (1.0 / sqrt(dot3(turned, turned)));
    write_vector(slot, AXIS_A, rotate(conjugate(rotation_of(slot, 0u, BODY_ROTATION)), axis));
    write_vector(slot, AXIS_B, rotate(conjugate(rotation_of(slot, 1u, BODY_ROTATION)), other));
}

// Returns the acceleration of a side by gravity and forces [m/s²].
fn acceleration_of(slot: u32, side: u32) -> vec3f {
    let b = body_of(slot, side);
    if b == NOBODY {
        return vec3f();
    }
    return bodies[body_index(BODY_ACCELERATION, b)].xyz;
}

fn refresh(slot: u32) {
    let first = substep.index == 0u && record(slot, 2u).w == 1u;
    let head = record_f(slot, 0u);
    let start = record_f(slot, 1u);
    let kind = record_f(slot, 2u);
    let normal = head.xyz;
    let sliding = kind.x * push(slot);
    let along = multiplier(slot, 5u);
    let across = multiplier(slot, 6u);
    let sticks = is_held(sqrt(along * along + across * across), sliding);
    let holds = is_held(abs(multiplier(slot, 4u)), kind.y * sliding);
    let rolls = is_round(slot, 0u) || is_round(slot, 1u);
    var way = vec3f();
    if !first {
        way = way_of(slot, normal, BODY_START_ROTATION);
    }
    let moves_points = first || !sticks || rolls;
    let turns_axes = first || !holds;
    if moves_points {
        var slip = vec3f();
        if first {
            slip = start.xyz;
        } else if sticks || (!rolls && push(slot) > 0.0) {
            let a = middle_of(slot, 0u, BODY_START_ROTATION);
            let b = middle_of(slot, 1u, BODY_START_ROTATION);
            slip = slip_between(normal, apart_of(slot, BODY_START), a, b) + way;
            if !sticks {
                slip = slipping(slip);
            }
        }
        way = set_points(slot, normal, slip);
    }
    if turns_axes {
        set_axes(slot, normal, select(0.0, start.w, first));
    }
    if moves_points || turns_axes {
        set_way(slot, normal, BODY_START_ROTATION, way);
    }
    let belt = read_vector(slot, SURFACE_VELOCITY);
    if any(belt != vec3f()) {
        advance_surfaces(slot, normal, belt * substep.h);
    }
    if !PAIR {
        let center = bitcast<vec3f>(record(slot, SIDES + SIDE).xyz);
        write_vector(slot, WAY, (center - bodies[body_index(BODY_ANCHOR, body_of(slot, 0u))].xyz) + foot_of(slot));
    }
    if head.w > 0.0 {
        write_column(slot, FALL, -dot3(normal, acceleration_of(slot, 0u) - acceleration_of(slot, 1u)));
    }
}

@compute @workgroup_size($group)
fn update_manifolds(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        refresh(slot);
    }
}

fn add_impulse(slot: u32, per_multiplier: f32) {
    let impulse = record_f(slot, FOOT).w + push(slot) * per_multiplier;
    records[range.first + slot * RECORD + FOOT].w = bitcast<u32>(impulse);
}

// Counts the push of the positions so far that what pushed has touched, even if the velocities take it back.
@compute @workgroup_size($group)
fn count_touching(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        add_impulse(slot, MIN_IMPULSE_RATIO * substep.inverse_h);
    }
}

// Adds the impulses of the impacts of a substep, which stand behind the multipliers, and forgets them.
fn add_impacts(slot: u32) {
    let first = range.lambda + ROWS * range.stride + slot;
    let a = positive(lambda[first]) + positive(lambda[first + range.stride]);
    let push = (a + positive(lambda[first + 2u * range.stride])) + positive(lambda[first + 3u * range.stride]);
    let impulse = record_f(slot, FOOT).w + push * substep.inverse_h;
    records[range.first + slot * RECORD + FOOT].w = bitcast<u32>(impulse);
    for (var row = 0u; row < ROWS; row++) {
        lambda[first + row * range.stride] = 0.0;
    }
}

// Adds the impulses of a substep.
@compute @workgroup_size($group)
fn accumulate_manifolds(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.count; slot += groups.x * $groupu) {
        add_impulse(slot, substep.inverse_h);
        if record_f(slot, 0u).w > 0.0 {
            add_impacts(slot);
        }
    }
}
