// The walls near particles: their contact planes, of those that are nearly parallel the nearest. The twin of
// `xpbd_core::media::walls`. A particle has room for MAX_WALLS; beyond them the nearest stay, and the
// others are counted.

struct Walls {
    // The first counts walls for which there was no room.
    counters: array<atomic<u32>, 4>,
    records: array<vec4u>,
}

var<private> planes: array<vec4f, MAX_WALLS>;
var<private> velocities: array<vec3f, MAX_WALLS>;
var<private> contacts_of: array<u32, MAX_WALLS>;
var<private> count: u32;
var<private> dropped: u32;

fn set_wall(n: u32, normal: vec3f, height: f32, velocity: vec3f, contact: u32) {
    planes[n] = vec4f(normal, height);
    velocities[n] = velocity;
    contacts_of[n] = contact;
}

fn add_wall(normal: vec3f, height: f32, velocity: vec3f, contact: u32) {
    for (var n = 0u; n < count; n++) {
        if dot3(planes[n].xyz, normal) > ONE_WALL {
            if height < planes[n].w {
                set_wall(n, normal, height, velocity, contact);
            }
            return;
        }
    }
    if count < MAX_WALLS {
        set_wall(count, normal, height, velocity, contact);
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
        set_wall(farthest, normal, height, velocity, contact);
    }
}

// Loads the walls of a particle, and returns whether it is of the medium.
fn load_walls(i: u32) -> bool {
    count = walls.records[wall_record(i, 0u) + 1u].w;
    dropped = 0u;
    if count == NOT_OF_MEDIUM {
        return false;
    }
    for (var n = 0u; n < count; n++) {
        let record = wall_record(i, n);
        planes[n] = bitcast<vec4f>(walls.records[record]);
        velocities[n] = bitcast<vec3f>(walls.records[record + 1u].xyz);
        contacts_of[n] = walls.records[record + 2u].y;
    }
    return true;
}

// Stores the walls of a particle.
fn store_walls(i: u32) {
    for (var n = 0u; n < count; n++) {
        let record = wall_record(i, n);
        walls.records[record] = bitcast<vec4u>(planes[n]);
        walls.records[record + 1u] = vec4u(bitcast<vec3u>(velocities[n]), 0u);
        walls.records[record + 2u] = vec4u(0u, contacts_of[n], 0u, 0u);
    }
    walls.records[wall_record(i, 0u) + 1u].w = count;
    // Walls are counted once a frame.
    if dropped > 0u && substep.index == 0u && has_flag(LAST_ITERATION) {
        atomicAdd(&walls.counters[0], dropped);
    }
}
