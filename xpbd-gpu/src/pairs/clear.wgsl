// Zeroes what is added up: bounds, table, counters and the starts of the lists.

@compute @workgroup_size(128)
fn clear(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i <= max(search.buckets, search.particles); i += groups.x * 128u) {
        if i < ENTRIES {
            work[i] = 0u;
        }
        if i < FIRST {
            lists[i] = 0u;
        }
        if i <= search.buckets {
            work[search.table + i] = 0u;
        }
        if i <= search.particles {
            lists[FIRST + i] = 0u;
        }
    }
}
