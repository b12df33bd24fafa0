// An entry is two quads: position [m], index and row; way in the frame [m], bucket and row.
fn write_entry(number: u32, i: u32, place: u32) {
    let entry = ENTRIES + 8u * number;
    let x = bitcast<vec3u>(position(i));
    let way = bitcast<vec3u>(travel(i));
    for (var axis = 0u; axis < 3u; axis++) {
        work[entry + axis] = x[axis];
        work[entry + 4u + axis] = way[axis];
    }
    work[entry + 3u] = i | ((place & 15u) << INDEX_BITS);
    work[entry + 7u] = place;
}
