// Inclusive sums of the counts of one section, which turn them into starts: of the buckets of the
// table, or of the lists of partners. Blocks first, then the sums of the blocks by one workgroup,
// then what comes before a block is added to it.

const THREADS = 256u;
const ITEMS = 16u;
const BLOCK = THREADS * ITEMS;

var<workgroup> partial: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn scan_blocks(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
    let begin = group.x * BLOCK + local * ITEMS;
    let end = min(begin + ITEMS, length());
    var sum = 0u;
    for (var i = begin; i < end; i++) {
        sum += load(i);
    }
    let through = inclusive(local, sum);
    sum = through - sum;
    for (var i = begin; i < end; i++) {
        sum += load(i);
        store(i, sum);
    }
    if local == THREADS - 1u {
        work[search.sums + group.x] = through;
    }
}

@compute @workgroup_size(THREADS)
fn scan_sums(@builtin(local_invocation_index) local: u32) {
    let blocks = (length() + BLOCK - 1u) / BLOCK;
    var before = 0u;
    for (var begin = 0u; begin < blocks; begin += THREADS) {
        let i = begin + local;
        var sum = 0u;
        if i < blocks {
            sum = work[search.sums + i];
        }
        let through = inclusive(local, sum) + before;
        if i < blocks {
            work[search.sums + i] = through;
        }
        before += partial[THREADS - 1u];
        workgroupBarrier();
    }
}

// Lists that do not fit are cut at the capacity.
@compute @workgroup_size(THREADS)
fn scan_add(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < length(); i += groups.x * THREADS) {
        var sum = load(i);
        if i >= BLOCK {
            sum += work[search.sums + i / BLOCK - 1u];
        }
        if of_lists {
            if i == length() - 1u {
                lists[NEEDED] = sum;
            }
            sum = min(sum, search.capacity);
        }
        store(i, sum);
    }
}

// Returns the sum of the values of this thread and those before it; `partial` keeps all sums.
fn inclusive(local: u32, value: u32) -> u32 {
    partial[local] = value;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step *= 2u) {
        var sum = partial[local];
        if local >= step {
            sum += partial[local - step];
        }
        workgroupBarrier();
        partial[local] = sum;
        workgroupBarrier();
    }
    return partial[local];
}

fn length() -> u32 {
    return select(search.buckets, search.particles, of_lists) + 1u;
}

fn load(i: u32) -> u32 {
    if of_lists {
        return lists[FIRST + i];
    }
    return work[search.table + i];
}

fn store(i: u32, value: u32) {
    if of_lists {
        lists[FIRST + i] = value;
    } else {
        work[search.table + i] = value;
    }
}
