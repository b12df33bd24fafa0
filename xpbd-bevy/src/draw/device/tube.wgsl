// For each point of the line: 1 if the link after it is cut, and 2 if the point is absent. Then nine numbers of each ring: its
// centre, the direction of the line, and the direction of its first vertex.
@group(0) @binding(3) var<storage, read_write> table: array<u32>;

fn vector(word: u32) -> vec3f {
    return bitcast<vec3f>(vec3u(table[word], table[word + 1u], table[word + 2u]));
}

fn keep(word: u32, value: vec3f) {
    let bits = bitcast<vec3u>(value);
    table[word] = bits.x;
    table[word + 1u] = bits.y;
    table[word + 2u] = bits.z;
}

// Where a point is; an absent one is where the point before it is.
fn point(number: u32) -> vec3f {
    var k = number;
    while k > 0u && (table[k] & 2u) != 0u {
        k -= 1u;
    }
    let particle = params.first + k;
    return mix(before[particle].xyz, now[particle].xyz, params.part);
}

fn normalized_or(value: vec3f, otherwise: vec3f) -> vec3f {
    let squared = dot(value, value);
    return select(otherwise, value * inverseSqrt(squared), squared > 0.0);
}

fn any_normal(along: vec3f) -> vec3f {
    let sign = select(-1.0, 1.0, along.z >= 0.0);
    let a = -1.0 / (sign + along.z);
    let b = along.x * along.y * a;
    return vec3f(b, sign + along.y * along.y * a, -along.y);
}

fn tangent(k: u32, otherwise: vec3f) -> vec3f {
    let next = select(k, min(k + 1u, params.places - 1u), (table[k] & 1u) == 0u);
    var last = k;
    if k > 0u && (table[k - 1u] & 1u) == 0u {
        last = k - 1u;
    }
    return normalized_or(point(next) - point(last), otherwise);
}

fn mirror(value: vec3f, axis: vec3f) -> vec3f {
    let squared = dot(axis, axis);
    return value - select(0.0, 2.0 * dot(axis, value) / squared, squared > 0.0) * axis;
}

// Frames that turn with the line and not about it: double reflection [Wang08].
fn lay_frames() {
    var along = tangent(0u, vec3f(1.0, 0.0, 0.0));
    var side = any_normal(along);
    for (var k = 0u; k < params.places; k++) {
        let here = point(k);
        let next = tangent(k, along);
        if k > 0u {
            let step = here - point(k - 1u);
            side = mirror(mirror(side, step), next - mirror(along, step));
            side = normalized_or(side - dot(side, next) * next, any_normal(next));
        }
        along = next;
        let first = params.places + 9u * k;
        keep(first, here);
        keep(first + 3u, along);
        keep(first + 6u, side);
    }
}

// Places the vertices of a tube: one thread lays its rings one after the other.
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) thread: u32) {
    if thread == 0u {
        lay_frames();
    }
    storageBarrier();
    let ring = params.sides + 1u;
    let rings = params.places + 2u;
    for (var vertex = thread; vertex < params.count; vertex += 64u) {
        let is_tip = vertex >= rings * ring;
        let row = select(vertex / ring, select(0u, rings - 1u, vertex > rings * ring), is_tip);
        let first = params.places + 9u * (clamp(row, 1u, params.places) - 1u);
        let along = vector(first + 3u);
        let side = vector(first + 6u);
        let angle = 6.2831853 * f32(vertex % ring) / f32(params.sides);
        let out = cos(angle) * side + sin(angle) * cross(along, side);
        var normal = out;
        if row == 0u {
            normal = -along;
        } else if row == rings - 1u {
            normal = along;
        }
        write_vertex(vertex, vector(first) + select(params.radius, 0.0, is_tip) * out, normal, true);
    }
}
