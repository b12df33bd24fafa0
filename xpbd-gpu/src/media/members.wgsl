// The members of a medium in the order of their cells, as its stages see them; see `xpbd_core::medium::kernel`.

struct Medium {
    // Number of members in a section.
    stride: u32,
    // Buckets of the table, and its first word in `table`.
    buckets: u32,
    table: u32,
    // 1 if there are walls, and 1 if there are solids.
    walls: u32,
    solids: u32,
    // Vectors that hold the numbers of a material.
    width: u32,
    // Distance within which members see each other [m].
    reach: f32,
    // First word in `table` of who is near.
    near: u32,
    materials: array<vec4f, $numbers>,
}

@group(1) @binding(0) var<uniform> medium: Medium;
@group(1) @binding(1) var<storage, read> table: array<u32>;
@group(1) @binding(2) var<storage, read_write> members: array<vec4u>;
// As in `walls.wgsl`.
@group(1) @binding(3) var<storage, read_write> walls: Walls;

struct Walls {
    counters: vec4u,
    records: array<vec4u>,
}

fn member_count() -> u32 {
    return table[medium.table + medium.buckets];
}

fn reach() -> f32 {
    return medium.reach;
}

fn radius() -> f32 {
    return substep.radius;
}

fn step_length() -> f32 {
    return substep.h;
}

fn place(k: u32) -> vec4f {
    return bitcast<vec4f>(members[MEMBER_POSITION * medium.stride + k]);
}

fn particle_of(k: u32) -> u32 {
    return members[MEMBER_INFO * medium.stride + k].x;
}

fn is_solid(k: u32) -> bool {
    return medium.solids != 0u && members[MEMBER_INFO * medium.stride + k].y == SOLID;
}

fn material(k: u32) -> u32 {
    return members[MEMBER_INFO * medium.stride + k].y;
}

fn number(k: u32, n: u32) -> f32 {
    return medium.materials[material(k) * medium.width + n / 4u][n % 4u];
}

fn field(f: u32, k: u32) -> vec4f {
    return bitcast<vec4f>(members[(MEMBER_FIELDS + f) * medium.stride + k]);
}

fn set_field(f: u32, k: u32, value: vec4f) {
    members[(MEMBER_FIELDS + f) * medium.stride + k] = bitcast<vec4u>(value);
}

struct Wall {
    // Unit normal to the side of the member.
    normal: vec3f,
    // Height of the member above it [m].
    height: f32,
    // Velocity of the wall there [m/s].
    velocity: vec3f,
    // Part of what lies behind its plane that the wall fills [1].
    coverage: f32,
}

fn wall_count(k: u32) -> u32 {
    if medium.walls == 0u {
        return 0u;
    }
    let count = walls.records[wall_record(particle_of(k), 0u) + 1u].w;
    return select(count, 0u, count == NOT_OF_MEDIUM);
}

fn wall(k: u32, n: u32) -> Wall {
    let record = wall_record(particle_of(k), n);
    let plane = bitcast<vec4f>(walls.records[record]);
    let coverage = bitcast<f32>(walls.records[record + 2u].z);
    return Wall(plane.xyz, plane.w, bitcast<vec3f>(walls.records[record + 1u].xyz), coverage);
}
