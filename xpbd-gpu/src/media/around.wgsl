// The members around a member, which `near.wgsl` has found: those with a bit, row by row, and then those behind them.

fn around(k: u32) {
    let x = place(k).xyz;
    let bucket = members[MEMBER_INFO * medium.stride + k].z;
    var row = 0u;
    var first = 0u;
    var hits = 0u;
    loop {
        while hits == 0u && row < ROWS {
            first = table[medium.table + row_start(bucket, row, medium.buckets)];
            hits = table[medium.near + row * medium.stride + k];
            row++;
        }
        if hits == 0u {
            break;
        }
        let j = first + firstTrailingBit(hits);
        hits &= hits - 1u;
        let other = place(j);
        let apart = x - other.xyz;
        visit(j, other, apart, dot3(apart, apart));
    }
    var longer = table[medium.near + ROWS * medium.stride + k];
    while longer != 0u {
        let left = row_start(bucket, firstTrailingBit(longer), medium.buckets);
        longer &= longer - 1u;
        around_in(x, table[medium.table + left] + 32u, table[medium.table + min(left + 3u, medium.buckets)]);
        if left + 3u > medium.buckets {
            around_in(x, 0u, table[medium.table + left + 3u - medium.buckets]);
        }
    }
}

fn around_in(x: vec3f, first: u32, end: u32) {
    for (var j = first; j < end; j++) {
        let other = place(j);
        let apart = x - other.xyz;
        let square = dot3(apart, apart);
        if square < medium.reach * medium.reach {
            visit(j, other, apart, square);
        }
    }
}
