// A stage of several passes: each patch is solved by one workgroup through all of them.

@group(1) @binding(0) var<uniform> passes: array<Range, $passes>;

@compute @workgroup_size($patch_group)
fn patches(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
    //$body
}
