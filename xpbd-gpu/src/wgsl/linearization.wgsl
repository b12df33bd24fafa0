// Linearizes the constraints of one pass for a direct solve.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> memory: array<f32>;

@compute @workgroup_size($group)
fn linearize_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.stride; slot += groups.x * $groupu) {
        linearize(slot);
    }
}
