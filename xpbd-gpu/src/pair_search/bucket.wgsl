// Buckets of cells. Linear in the cell, so that three neighbours along x lie in consecutive buckets.

fn bucket(cell: vec3u) -> u32 {
    return (cell.x + cell.y * ALONG_Y + cell.z * ALONG_Z) & (search.buckets - 1u);
}

// Tells the nine rows around a cell apart, which may share a bucket.
fn tag(y: u32, z: u32) -> u32 {
    return (y & 3u) | ((z & 3u) << 2u);
}
