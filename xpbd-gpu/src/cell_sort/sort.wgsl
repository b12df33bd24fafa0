// The counting sort beside its histogram: clears what is added up, and writes the particles in the order of buckets. A
// kernel includes `write_entry`.

// Zeroes bounds, table and, where there are lists, counters and their starts.
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

// Writes the entry of each particle in the order of buckets.
@compute @workgroup_size(128)
fn scatter(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < search.particles; i += groups.x * 128u) {
        let key = work[search.cells + 2u * i];
        if key != NONE {
            let rank = work[search.cells + 2u * i + 1u];
            write_entry(work[search.table + (key >> 4u)] + rank, i, key);
        }
    }
}
