// Twin of `path.rs`: the straight path of a particle, and where it meets the piece at hand or comes
// nearest to it. All searches are one loop, so that the distance is evaluated at one place: drivers
// copy a function to each of its calls, and this one is long.

const FAR_OFF = 0u;
const MISS = 1u;
const HIT = 2u;

struct Path {
    start: vec3f,
    direction: vec3f,
    length: f32,
}

struct Approach {
    outcome: u32,
    s: f32,
    nearest: Nearest,
}

struct Reach {
    contact: f32,
    limit: f32,
}

struct Sample {
    s: f32,
    slope: f32,
    nearest: Nearest,
}

fn new_path(start: vec3f, end: vec3f) -> Path {
    let offset = end - start;
    let length = length3(offset);
    if length > 0.0 {
        return Path(start, offset / length, length);
    }
    return Path(start, vec3f(), length);
}

fn path_at(path: Path, s: f32) -> vec3f {
    return path.start + path.direction * s;
}

fn path_end(path: Path) -> vec3f {
    return path_at(path, path.length);
}

fn tangent(at: Sample, s: f32) -> f32 {
    return at.nearest.distance + at.slope * (s - at.s);
}

fn miss(at: Sample, reach: Reach) -> Approach {
    return Approach(select(FAR_OFF, MISS, at.nearest.distance <= reach.limit), at.s, at.nearest);
}

fn facing(path: Path, found: Nearest) -> Nearest {
    let inside = found.distance <= resolution(path.start);
    if thin() && inside && dot3(found.normal, path.direction) > 0.0 {
        return Nearest(found.point, -found.normal, found.distance);
    }
    return found;
}

/// A query of a piece: its nearest feature at a point, where it meets a path, or, of a
/// piece within `limit` of the point, where it meets a path.
struct Visit {
    probes: bool,
    moves: bool,
    point: vec3f,
    limit: f32,
    path: Path,
    reach: Reach,
}

/// True if the piece is near enough to the path that it is gathered for.
const GATHER = 0u;
const PROBE = 1u;
const START = 2u;
const NEWTON = 3u;
const VALLEY = 4u;

/// A probe answers with a hit if the piece is within its limit. A piece that still has to show that
/// it is near the path it is gathered for is `unsure`.
fn approach(visit: Visit, unsure: bool) -> Approach {
    let path = visit.path;
    let reach = visit.reach;
    let far_off = Approach(FAR_OFF, 0.0, Nearest());
    let first = select(path.start, visit.point, visit.probes);
    var phase = select(select(START, PROBE, visit.probes), GATHER, unsure);
    var x = select(first, set_path.start, unsure);
    var left = Sample();
    var right = Sample();
    var s = 0.0;
    var step = 0u;
    for (var i = 0u; i <= 2u * STEPS + 2u; i++) {
        let found = near(x);
        if phase == GATHER {
            if !in_reach(found.distance) {
                return far_off;
            }
            phase = select(START, PROBE, visit.probes);
            if any(x != first) {
                x = first;
                continue;
            }
        }
        if phase == PROBE {
            if !(found.distance <= visit.limit) {
                return far_off;
            }
            if !visit.moves {
                return Approach(HIT, 0.0, found);
            }
            phase = START;
            if any(x != path.start) {
                x = path.start;
                continue;
            }
        }
        let next = Sample(select(lesser(s, path.length), s, phase == VALLEY), dot3(found.normal, path.direction), found);
        step += 1u;
        if phase == START {
            if found.distance <= reach.contact {
                return Approach(HIT, 0.0, facing(path, found));
            }
            if found.distance - path.length > reach.limit || is_nan(found.distance) {
                return far_off;
            }
            phase = NEWTON;
            step = 0u;
            left = next;
        } else if phase == NEWTON {
            if found.distance - reach.contact <= ACCURACY * reach.contact + resolution(x) {
                return Approach(HIT, next.s, found);
            }
            if next.slope > 0.0 {
                phase = VALLEY;
                step = 0u;
                right = next;
            } else if s >= path.length {
                return miss(next, reach);
            } else {
                left = next;
            }
        } else {
            if next.slope < 0.0 {
                left = next;
            } else {
                right = next;
            }
            let level = ACCURACY * reach.contact / path.length;
            if abs(next.slope) <= level || right.s - left.s <= resolution(x) || step == STEPS {
                return miss(flat_sample(path, left, right), reach);
            }
        }
        var bound = path.length;
        if phase == NEWTON {
            if step == STEPS {
                return Approach(HIT, left.s, left.nearest);
            }
            if left.slope >= 0.0 {
                return miss(left, reach);
            }
            s = left.s + (left.nearest.distance - reach.contact) / -left.slope;
            x = path_at(path, lesser(s, path.length));
        } else {
            let lead = tangent(right, 0.0) - tangent(left, 0.0);
            bound = within(lead / (left.slope - right.slope), left.s, right.s);
            let share = left.slope / (left.slope - right.slope);
            s = select(bound, left.s + (right.s - left.s) * share, step % 2u == 0u);
            x = path_at(path, s);
        }
        if tangent(left, bound) > reach.limit {
            return far_off;
        }
    }
    return far_off;
}

/// Returns the flatter of two samples, without the component of the normal along the path.
fn flat_sample(path: Path, left: Sample, right: Sample) -> Sample {
    var at = left;
    if abs(right.slope) < abs(left.slope) {
        at = right;
    }
    let normal = at.nearest.normal - path.direction * at.slope;
    at.nearest.normal = normalize_or(normal, at.nearest.normal);
    return at;
}
