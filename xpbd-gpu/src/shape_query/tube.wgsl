// Twin of `tube.rs`: the space within a distance of a path, to find the leaves of a tree.

struct Tube {
    low: vec3f,
    high: vec3f,
    middle: vec3f,
    direction: vec3f,
    reach: f32,
    long: bool,
    rounding: f32,
}

fn new_tube(path: Path, reach: f32) -> Tube {
    let end = path_end(path);
    return Tube(
        lesser3(path.start, end) - reach,
        greater3(path.start, end) + reach,
        path_at(path, 0.5 * path.length),
        path.direction,
        reach,
        path.length > 2.0 * reach,
        resolution(path.start) + resolution(end),
    );
}

fn tube_meets(tube: Tube, mins: vec3f, maxs: vec3f) -> bool {
    let boxes = all(mins <= tube.high) && all(maxs >= tube.low);
    return boxes && (!tube.long || tube_crosses(tube, mins, maxs));
}

fn tube_crosses(tube: Tube, mins: vec3f, maxs: vec3f) -> bool {
    let half = (maxs - mins) * 0.5 + tube.reach;
    let offset = tube.middle - (maxs + mins) * 0.5;
    let u = abs(tube.direction);
    let span = vec3f(
        half.y * u.z + half.z * u.y,
        half.x * u.z + half.z * u.x,
        half.x * u.y + half.y * u.x,
    );
    let gap = abs(cross3(offset, tube.direction));
    return all(gap <= span + tube.rounding);
}
