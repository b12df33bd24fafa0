// The twin of project.rs.
fn begin_substep(member: u32) {
    frames[correction(member)] = vec4f();
    let cluster = entry(CLUSTER_OF, member);
    if member == entry(BEGINS, cluster) {
        frames[cluster * FRAME + PLASTIC].w = 0.0;
    }
}

fn write_signed_distance(k: u32) {
    let member = entry(GATHERS, entry(GATHER_BEGINS, k));
    let r = columns(frames[entry(CLUSTER_OF, member) * FRAME + ROTATION]);
    let distance = rest[lists[0] + clusters() + 1u + k];
    let gradient = (r[0] * distance.x + r[1] * distance.y) + r[2] * distance.z;
    set_signed_distance(entry(GATHERED, k), gradient, distance.w);
}

fn sum_centre(chunk: u32, lane: u32) {
    let cluster = entry(CHUNKS, chunk);
    let first = first_node(cluster);
    let range = members_of(chunk);
    var sums = array<vec4f, 4>();
    for (var k = range.x + lane; k < range.y; k += LANES) {
        let w = weight(k, cluster);
        let x = between(first, entry(NODES, k));
        frames[goal_offset(k)] = vec4f(x, w);
        sums[0] += vec4f(x * w, w);
        sums[1] += vec4f(rest[k].xyz * w, 0.0);
    }
    tree[lane] = sums;
    fold(lane, 2u);
    if lane == 0u {
        frames[part(chunk, 0u)] = tree[0][0];
        frames[part(chunk, 1u)] = tree[0][1];
    }
}

fn set_centre(cluster: u32) {
    var x = vec4f();
    var r = vec4f();
    for (var chunk = entry(CHUNK_BEGINS, cluster); chunk < entry(CHUNK_BEGINS, cluster + 1u); chunk++) {
        x += frames[part(chunk, 0u)];
        r += frames[part(chunk, 1u)];
    }
    let mass = select(1.0, x.w, x.w > 0.0);
    frames[cluster * FRAME + CENTRE] = vec4f(x.xyz / mass, mass);
    frames[cluster * FRAME + REST_CENTRE] = vec4f(r.xyz / mass, 0.0);
}

fn sum_moments(chunk: u32, lane: u32) {
    let cluster = entry(CHUNKS, chunk);
    let centre = frames[cluster * FRAME + CENTRE].xyz;
    let rest_centre = frames[cluster * FRAME + REST_CENTRE].xyz;
    let range = members_of(chunk);
    var sums = array<vec4f, 4>();
    for (var k = range.x + lane; k < range.y; k += LANES) {
        let w = frames[goal_offset(k)].w;
        let d = frames[goal_offset(k)].xyz - centre;
        let p = rest[k].xyz - rest_centre;
        frames[goal_offset(k)] = vec4f(d, w);
        let md = d * w;
        let mp = p * w;
        sums[0] += vec4f(md * p.x, mp.x * p.x);
        sums[1] += vec4f(md * p.y, mp.y * p.y);
        sums[2] += vec4f(md * p.z, mp.z * p.z);
        sums[3] += vec4f(mp.x * p.y, mp.x * p.z, mp.y * p.z, 0.0);
    }
    tree[lane] = sums;
    fold(lane, 4u);
    if lane == 0u {
        for (var k = 0u; k < 4u; k++) {
            frames[part(chunk, 2u + k)] = tree[0][k];
        }
    }
}

// P after a substep of h; the twin of `updated` in plasticity.rs.
fn updated_plastic(law: vec4f, p: mat3x3f, a: mat3x3f, moment: mat3x3f, r: mat3x3f, h: f32) -> mat3x3f {
    let strain = strain_of(p, a, moment, r);
    if !(strain.size > law.x && strain.size < 3.4028234e38) {
        return p;
    }
    return yielded(p, strain.e, min(law.y * h, 1.0), law.z);
}

fn update_rotation(cluster: u32) {
    var sums = array<vec4f, 4>();
    for (var chunk = entry(CHUNK_BEGINS, cluster); chunk < entry(CHUNK_BEGINS, cluster + 1u); chunk++) {
        for (var k = 0u; k < 4u; k++) {
            sums[k] += frames[part(chunk, 2u + k)];
        }
    }
    let at = cluster * FRAME;
    let a0 = mat3x3f(sums[0].xyz, sums[1].xyz, sums[2].xyz);
    let p = matrix(cluster, PLASTIC);
    let a = mat3x3f(
        (a0[0] * p[0].x + a0[1] * p[1].x) + a0[2] * p[2].x,
        (a0[0] * p[0].y + a0[1] * p[1].y) + a0[2] * p[2].y,
        (a0[0] * p[0].z + a0[1] * p[1].z) + a0[2] * p[2].z,
    );
    let q = polar_rotation(a, frames[at + ROTATION], STEPS);
    frames[at + ROTATION] = q;
    let r = columns(q);
    for (var k = 0u; k < 3u; k++) {
        let column = frames[at + PLASTIC + k].xyz;
        frames[at + SHAPE + k] = vec4f((r[0] * column.x + r[1] * column.y) + r[2] * column.z, 0.0);
    }
    if plasticity().w == 1.0 && frames[at + PLASTIC].w == 0.0 {
        let mixed = sums[3].xyz;
        let moment = mat3x3f(
            vec3f(sums[0].w, mixed.x, mixed.y),
            vec3f(mixed.x, sums[1].w, mixed.z),
            vec3f(mixed.y, mixed.z, sums[2].w),
        );
        let plastic = updated_plastic(plasticity(), p, a0, moment, r, step_length());
        frames[at + PLASTIC] = vec4f(plastic[0], 0.0);
        frames[at + PLASTIC + 1u] = vec4f(plastic[1], 0.0);
        frames[at + PLASTIC + 2u] = vec4f(plastic[2], 0.0);
    }
    frames[at + PLASTIC].w = 1.0;
    let h = hessian(a, r);
    frames[at + DIAGONAL] = vec4f(h.diagonal, 0.0);
    frames[at + MIXED] = vec4f(h.mixed, 0.0);
}

fn sum_errors(chunk: u32, lane: u32) {
    let cluster = entry(CHUNKS, chunk);
    let rest_centre = frames[cluster * FRAME + REST_CENTRE].xyz;
    let shape = matrix(cluster, SHAPE);
    let range = members_of(chunk);
    var sums = array<vec4f, 4>();
    for (var k = range.x + lane; k < range.y; k += LANES) {
        let arm = transform(shape, rest[k].xyz - rest_centre);
        let w = frames[goal_offset(k)].w;
        let e = arm - frames[goal_offset(k)].xyz;
        frames[goal_offset(k)] = vec4f(e, w);
        let me = e * w;
        sums[0] += vec4f(me, 0.0);
        sums[1] += vec4f(cross3(arm, me), 0.0);
    }
    tree[lane] = sums;
    fold(lane, 2u);
    if lane == 0u {
        frames[part(chunk, 6u)] = tree[0][0];
        frames[part(chunk, 7u)] = tree[0][1];
    }
}

fn remove_residual(cluster: u32) {
    var e = vec4f();
    var l = vec4f();
    for (var chunk = entry(CHUNK_BEGINS, cluster); chunk < entry(CHUNK_BEGINS, cluster + 1u); chunk++) {
        e += frames[part(chunk, 6u)];
        l += frames[part(chunk, 7u)];
    }
    let at = cluster * FRAME;
    frames[at + RESIDUAL_SHIFT] = vec4f(e.xyz / frames[at + CENTRE].w, 0.0);
    let h = Hessian(frames[at + DIAGONAL].xyz, frames[at + MIXED].xyz);
    let residual = solve(h.diagonal, h.mixed, 0.0, l.xyz);
    let is_definite = residual.lowest_pivot > min_pivot(h.diagonal, h.mixed);
    frames[at + RESIDUAL_ROTATION] = select(vec4f(), vec4f(residual.omega, 0.0), is_definite);
}

// All of that for a cluster of one chunk, which has its number.
fn match_shape(cluster: u32, lane: u32) {
    sum_centre(cluster, lane);
    if lane == 0u {
        set_centre(cluster);
    }
    storageBarrier();
    sum_moments(cluster, lane);
    if lane == 0u {
        update_rotation(cluster);
    }
    storageBarrier();
    sum_errors(cluster, lane);
    if lane == 0u {
        remove_residual(cluster);
    }
}

fn correct(k: u32) {
    let node = entry(GATHERED, k);
    if inverse_mass(node) == 0.0 {
        return;
    }
    let begin = entry(GATHER_BEGINS, k);
    let end = entry(GATHER_BEGINS, k + 1u);
    var sum = vec3f();
    for (var g = begin; g < end; g++) {
        let member = entry(GATHERS, g);
        let cluster = entry(CLUSTER_OF, member);
        let at = cluster * FRAME;
        let arm = transform(matrix(cluster, SHAPE), rest[member].xyz - frames[at + REST_CENTRE].xyz);
        let e = (frames[goal_offset(member)].xyz - frames[at + RESIDUAL_SHIFT].xyz) - cross3(frames[at + RESIDUAL_ROTATION].xyz, arm);
        let softness = min(numbers(cluster).x * compliance_scale(), MAX_SOFTNESS);
        let u = frames[correction(member)].xyz;
        let delta = (e - u * softness) / (1.0 + softness);
        frames[correction(member)] = vec4f(u + delta, 0.0);
        sum += delta;
    }
    shift(node, sum / f32(end - begin));
}
