// The search around a member: nine rows of three buckets, in the order of their members.

// One in six of the members in the cells is within reach, and threads that run in step would wait for each other at
// every one. They are therefore gathered, BATCH or more at a time.
const BATCH = 32u;

var<private> near: array<u32, 3 * BATCH>;
var<private> near_count: u32;

fn around(k: u32) {
    let x = place(k).xyz;
    let limit = medium.reach * medium.reach;
    let bucket = members[MEMBER_INFO * medium.stride + k].z;
    near_count = 0u;
    for (var row = 0u; row < 9u; row++) {
        var left = bucket + (row % 3u - 1u) * BUCKET_STEP_Y + (row / 3u - 1u) * BUCKET_STEP_Z - 1u;
        left &= medium.buckets - 1u;
        // A row that goes around the end of the table is in two parts.
        var right = left + 3u;
        while right != 0u {
            let last = table[medium.table + min(right, medium.buckets)];
            var j = table[medium.table + left];
            while j < last {
                for (let stop = min(j + BATCH, last); j < stop; j++) {
                    let apart = x - place(j).xyz;
                    if dot3(apart, apart) < limit {
                        near[near_count] = j;
                        near_count += 1u;
                    }
                }
                if near_count > 2u * BATCH {
                    visit_near(x);
                }
            }
            left = 0u;
            right = select(0u, right - medium.buckets, right > medium.buckets);
        }
    }
    visit_near(x);
}

fn visit_near(x: vec3f) {
    for (var n = 0u; n < near_count; n++) {
        let other = place(near[n]);
        let apart = x - other.xyz;
        visit(near[n], other, apart, dot3(apart, apart));
    }
    near_count = 0u;
}
