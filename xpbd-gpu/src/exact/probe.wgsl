// Results of two numbers, by number alone and by vectors. The root is of the number without its sign, which is taken off by
// bits: `abs` may take very small numbers for zero.

@group(0) @binding(0) var<storage, read> numbers: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> results: array<array<f32, 8>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let a = numbers[id.x].x;
    let b = numbers[id.x].y;
    let two = vec2f(a, b) / vec2f(b, a);
    let three = vec3f(a, b, a) / b;
    let four = vec4f(a, a, b, a) / vec4f(a, b, b, b);
    results[id.x] = array<f32, 8>(a + b, a * a + b * b, a * b, a / b, sqrt(bitcast<f32>(bitcast<u32>(a) & 0x7fffffffu)), two.x, three.z, four.w);
}
