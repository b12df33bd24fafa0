// Zeroes what is added up: bounds, table and, where there are lists, counters and their starts.

@compute @workgroup_size(128)
fn clear(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i <= max(search.buckets, search.particles); i += groups.x * 128u) {
        if i < ENTRIES {
            work[i] = 0u;
        }
        if of_lists && i < FIRST {
            lists[i] = 0u;
        }
        if i <= search.buckets {
            work[search.table + i] = 0u;
        }
        if of_lists && i <= search.particles {
            lists[FIRST + i] = 0u;
        }
    }
}
