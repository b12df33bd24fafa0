// Cells of a hashed uniform grid, exact in single precision. The edge of a cell is a whole number of
// quanta, and a quantum is a power of two: scaling by it is exact, the floor is exact, and the rest
// is whole numbers. Partners lie in neighbouring cells wherever they are. Beyond some 10⁷ edges from
// the origin all share the outermost cells, where the distance alone decides.

struct Grid {
    // Quanta in a metre [1/m].
    scale: f32,
    // Where the outermost cells begin [m].
    limit: f32,
    // Edge of a cell, 128 to 256 quanta.
    edge: u32,
}

const OUTERMOST = 0x40000000u;

fn grid(reach: f32) -> Grid {
    let widest = reach * 1.00001;
    let exponent = bitcast<u32>(widest) >> 23u;
    let scale = bitcast<f32>((261u - exponent) << 23u);
    let limit = bitcast<f32>((exponent - 7u) << 23u) * f32(OUTERMOST);
    return Grid(scale, limit, u32(ceil(widest * scale)));
}

fn cell(x: vec3f, grid: Grid) -> vec3u {
    let near = min(max(x, vec3f(-grid.limit)), vec3f(grid.limit));
    let quanta = vec3i(floor(near * grid.scale)) + vec3i(i32(OUTERMOST));
    return vec3u(quanta) / grid.edge;
}

// Returns the bucket of a cell. It is linear in the cell, so that three neighbours along x lie in consecutive buckets.
fn bucket(cell: vec3u) -> u32 {
    return (cell.x + cell.y * BUCKET_STEP_Y + cell.z * BUCKET_STEP_Z) & (search.buckets - 1u);
}

// Returns four bits that differ among the nine rows around a cell, which may share a bucket.
fn tag(y: u32, z: u32) -> u32 {
    return (y & 3u) | ((z & 3u) << 2u);
}
