
// Radius of each sphere [m]; negative if its particle has come in the last step, and was nowhere before.
@group(0) @binding(3) var<storage, read> radii: array<f32>;
@group(0) @binding(4) var<storage, read_write> spheres: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= params.count {
        return;
    }
    let particle = params.first + id.x;
    let radius = radii[id.x];
    let part = select(params.part, 1.0, radius < 0.0);
    spheres[id.x] = vec4f(mix(before[particle].xyz, now[particle].xyz, part), abs(radius));
}
