// Rows of three buckets around a cell.
const ROWS = 9u;

// Returns the first bucket of a row. A row may go around the end of the table.
fn row_start(bucket: u32, row: u32, buckets: u32) -> u32 {
    return (bucket + (row % 3u - 1u) * BUCKET_STEP_Y + (row / 3u - 1u) * BUCKET_STEP_Z - 1u) & (buckets - 1u);
}
