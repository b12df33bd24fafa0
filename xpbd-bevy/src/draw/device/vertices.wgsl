// The place of each vertex; where the list of each place begins; lists of the other two places of its triangles; then four
// particles and their weights for each place, if places are not particles.
@group(0) @binding(3) var<storage, read> lists: array<u32>;

fn particle_at(particle: u32) -> vec3f {
    let number = params.first + particle;
    return mix(before[number].xyz, now[number].xyz, params.part);
}

fn at(place: u32) -> vec3f {
    if params.bindings == 0u {
        return particle_at(place);
    }
    let first = params.bindings + 8u * place;
    var sum = vec3f();
    for (var k = first; k < first + 4u; k++) {
        sum += bitcast<f32>(lists[k + 4u]) * particle_at(lists[k]);
    }
    return sum;
}

// Places a vertex; its normal is that of the triangles at its place, weighted by area.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= params.count {
        return;
    }
    let place = lists[id.x];
    let here = at(place);
    let starts = params.count + place;
    let fans = params.count + params.places + 1u;
    var area = vec3f();
    for (var k = lists[starts]; k < lists[starts + 1u]; k += 2u) {
        area += cross(at(lists[fans + k]) - here, at(lists[fans + k + 1u]) - here);
    }
    write_vertex(id.x, here, area, false);
}
