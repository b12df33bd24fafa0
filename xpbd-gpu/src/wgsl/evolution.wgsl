// Changes the parameters of one pass at the end of a frame, in the buffer that its kernels read them from.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read_write> data: array<u32>;

@compute @workgroup_size($group)
fn evolve_all(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var slot = id.x; slot < range.stride; slot += groups.x * $groupu) {
        evolve(slot);
    }
}

