@group(0) @binding(4) var<storage, read_write> vertices: array<f32>;

fn put(word: u32, value: vec3f) {
    vertices[word] = value.x;
    vertices[word + 1u] = value.y;
    vertices[word + 2u] = value.z;
}

// Writes a vertex at a place of the world. Normals turn like areas, on the same side in a mirrored frame if that is fixed.
fn write_vertex(vertex: u32, place: vec3f, normal: vec3f, is_fixed: bool) {
    let x = params.frame[0].xyz;
    let y = params.frame[1].xyz;
    let z = params.frame[2].xyz;
    let turn = mat3x3f(cross(y, z), cross(z, x), cross(x, y));
    let turned = select(1.0, sign(dot(x, turn[0])), is_fixed) * (turn * normal);
    let squared = dot(turned, turned);
    let first = params.base + vertex * params.stride;
    put(first + params.position, (params.frame * vec4f(place, 1.0)).xyz);
    put(first + params.normal, select(vec3f(), turned * inverseSqrt(squared), squared > 0.0));
}

