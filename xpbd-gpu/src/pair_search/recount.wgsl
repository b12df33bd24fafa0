// Counts the partners again where pairs were dropped.

var<private> all_partners: u32;

fn visit(i: u32, j: u32, square: u32) {
    if kept(i, j, square) {
        all_partners += 1u;
    }
}

@compute @workgroup_size(128)
fn recount(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    if lists[CROWDED] == 0u {
        return;
    }
    for (var entry = id.x; entry < entries(); entry += groups.x * 128u) {
        all_partners = 0u;
        let i = around(entry);
        lists[FIRST + i + 1u] = all_partners;
    }
}
