// The walls near particles: their contact planes, those that are nearly parallel as one. The twin of
// `xpbd_core::media::walls` and `xpbd_core::medium::wall`. A particle has room for MAX_WALLS; beyond them the nearest stay, and the
// others are counted.

struct Walls {
    // The first counts walls for which there was no room.
    counters: array<atomic<u32>, 4>,
    records: array<vec4u>,
}

var<private> planes: array<vec4f, MAX_WALLS>;
var<private> velocities: array<vec3f, MAX_WALLS>;
var<private> coverages: array<f32, MAX_WALLS>;
var<private> contacts_of: array<u32, MAX_WALLS>;
// How far the medium reaches [m].
var<private> medium_reach: f32;
var<private> count: u32;
var<private> dropped: u32;

fn set_wall(n: u32, normal: vec3f, height: f32, velocity: vec3f, coverage: f32, contact: u32) {
    planes[n] = vec4f(normal, height);
    velocities[n] = velocity;
    coverages[n] = coverage;
    contacts_of[n] = contact;
}

// Returns the coverage of the nearer of two walls that are nearly parallel, so that it fills what both do.
fn merged_coverage(near: f32, near_height: f32, far: f32, far_height: f32) -> f32 {
    let per_reach = 1.0 / medium_reach;
    let added = far * (fill_behind(far_height * per_reach) / max(fill_behind(near_height * per_reach), LEAST_FILL));
    return min(near + added, 1.0);
}

fn add_wall(normal: vec3f, height: f32, velocity: vec3f, coverage: f32, contact: u32) {
    for (var n = 0u; n < count; n++) {
        if dot3(planes[n].xyz, normal) > ONE_WALL {
            let other = planes[n].w;
            if height < other {
                let merged = merged_coverage(coverage, height, coverages[n], other);
                set_wall(n, normal, height, velocity, merged, contact);
            } else {
                coverages[n] = merged_coverage(coverages[n], other, coverage, height);
            }
            return;
        }
    }
    if count < MAX_WALLS {
        set_wall(count, normal, height, velocity, coverage, contact);
        count++;
        return;
    }
    dropped++;
    var farthest = 0u;
    for (var n = 1u; n < MAX_WALLS; n++) {
        if planes[n].w > planes[farthest].w {
            farthest = n;
        }
    }
    if height < planes[farthest].w {
        set_wall(farthest, normal, height, velocity, coverage, contact);
    }
}

// Loads the walls of a particle, and returns whether it is of the medium.
fn load_walls(i: u32) -> bool {
    count = walls.records[wall_record(i, 0u) + 1u].w;
    dropped = 0u;
    if count == NOT_OF_MEDIUM {
        return false;
    }
    medium_reach = bitcast<f32>(walls.records[wall_record(i, 0u) + 2u].w);
    for (var n = 0u; n < count; n++) {
        let record = wall_record(i, n);
        planes[n] = bitcast<vec4f>(walls.records[record]);
        velocities[n] = bitcast<vec3f>(walls.records[record + 1u].xyz);
        let about = walls.records[record + 2u];
        contacts_of[n] = about.y;
        coverages[n] = bitcast<f32>(about.z);
    }
    return true;
}

// Stores the walls of a particle.
fn store_walls(i: u32) {
    for (var n = 0u; n < count; n++) {
        let record = wall_record(i, n);
        walls.records[record] = bitcast<vec4u>(planes[n]);
        walls.records[record + 1u] = vec4u(bitcast<vec3u>(velocities[n]), 0u);
        walls.records[record + 2u] = vec4u(0u, contacts_of[n], bitcast<u32>(coverages[n]), 0u);
    }
    walls.records[wall_record(i, 0u) + 1u].w = count;
    walls.records[wall_record(i, 0u) + 2u].w = bitcast<u32>(medium_reach);
    // Walls are counted once a frame.
    if dropped > 0u && substep.index == 0u && has_flag(LAST_ITERATION) {
        atomicAdd(&walls.counters[0], dropped);
    }
}
