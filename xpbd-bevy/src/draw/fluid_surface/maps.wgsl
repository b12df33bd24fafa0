// The maps of a surface: particles become ellipsoids, which give the distance of the nearest one in every pixel; balls give
// the thickness; then distances are smoothed.
#import bevy_render::view::View

struct Liquid {
    // Width of a particle [m].
    spacing: f32,
    // Size of ellipsoids over that which the particles have [1].
    scale: f32,
    // Radius of the balls that give the thickness [m], and the thickness of the liquid over theirs [1].
    ball: f32,
    share: f32,
    // Standard deviation of the smoothing [m].
    deviation: f32,
    particles: u32,
    // Number of cells, a power of two.
    cells: u32,
}

// A point x is inside if |shape (x − center)| < 1; reach is the largest radius, 0 if there is none [m].
struct Ellipsoid {
    center: vec3f,
    reach: f32,
    // xx, yy, zz, and yz, zx, xy [1/m].
    diagonal: vec3f,
    others: vec3f,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<uniform> liquid: Liquid;
// Place of each particle [m], and 0 if it is absent.
@group(0) @binding(2) var<storage, read> places: array<vec4f>;
// The number after that of the last particle of each cell, and for each particle that of the one before it; 0 if none.
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> links: array<u32>;
@group(0) @binding(5) var<storage, read_write> fitted: array<Ellipsoid>;
@group(0) @binding(6) var<storage, read> ellipsoids: array<Ellipsoid>;
@group(0) @binding(7) var source: texture_2d<f32>;
@group(0) @binding(8) var target_map: texture_storage_2d<r32float, write>;

// Ellipsoids of Yu and Turk, as in the crate `xpbd-fluid`, with its default options: reach of the surroundings, share of the
// mean in the centre, radius inside of the liquid, ratio of radii, neighbours, radius of a drop. Lengths in spacings [1].
const REACH = 2.5;
const MEAN_SHARE = 0.9;
const RADIUS = 2.2;
const MAX_RATIO = 4.0;
const MIN_NEIGHBOURS = 4u;
const DROP = 0.5;
// Variance over the square of the reach in a space filled evenly [1].
const FILLED = 0.15;

fn cell_of(place: vec3f) -> vec3i {
    return vec3i(floor(clamp(place / (REACH * liquid.spacing), vec3f(-1e9), vec3f(1e9))));
}

// Cells share heads; their particles are too far away then.
fn head_of(cell: vec3i) -> u32 {
    let mixed = vec3u(cell) * vec3u(73856093u, 19349663u, 83492791u);
    return (mixed.x ^ mixed.y ^ mixed.z) & (liquid.cells - 1u);
}

@compute @workgroup_size(64)
fn sort_into_cells(@builtin(global_invocation_id) id: vec3u) {
    if id.x < liquid.particles && places[id.x].w != 0.0 {
        links[id.x] = atomicExchange(&heads[head_of(cell_of(places[id.x].xyz))], id.x + 1u);
    }
}

// Eigenvalues of a symmetric matrix, and its eigenvectors in columns, by rotations of Jacobi.
struct Axes {
    values: vec3f,
    vectors: mat3x3f,
}

fn principal(matrix: mat3x3f) -> Axes {
    var a = matrix;
    var axes = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    for (var turn = 0u; turn < 15u; turn++) {
        let p = select(0u, 1u, turn % 3u == 2u);
        let q = select(2u, 1u, turn % 3u == 0u);
        if a[p][q] == 0.0 {
            continue;
        }
        let slope = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let tangent = select(-1.0, 1.0, slope >= 0.0) / (abs(slope) + sqrt(slope * slope + 1.0));
        let cosine = inverseSqrt(tangent * tangent + 1.0);
        let sine = tangent * cosine;
        var turned = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
        turned[p][p] = cosine;
        turned[q][q] = cosine;
        turned[q][p] = sine;
        turned[p][q] = -sine;
        a = transpose(turned) * a * turned;
        axes = axes * turned;
    }
    return Axes(vec3f(a[0][0], a[1][1], a[2][2]), axes);
}

fn drop(center: vec3f) -> Ellipsoid {
    let radius = DROP * liquid.spacing * liquid.scale;
    return Ellipsoid(center, radius, vec3f(1.0 / radius), vec3f());
}

fn fit(particle: u32) -> Ellipsoid {
    let here = places[particle].xyz;
    let reach = REACH * liquid.spacing;
    let cell = cell_of(here);
    var count = 0u;
    var weight = 0.0;
    var first = vec3f();
    var squares = vec3f();
    var products = vec3f();
    for (var k = 0; k < 27; k++) {
        let other_cell = cell + vec3i(k % 3, k / 3 % 3, k / 9) - 1;
        for (var link = atomicLoad(&heads[head_of(other_cell)]); link != 0u; link = links[link - 1u]) {
            let there = places[link - 1u].xyz;
            let offset = (there - here) / reach;
            let square = dot(offset, offset);
            // Cells with one head would count twice.
            if square < 1.0 && all(cell_of(there) == other_cell) {
                let part = 1.0 - square * sqrt(square);
                count += 1u;
                weight += part;
                first += part * offset;
                squares += part * offset * offset;
                products += part * offset.yzx * offset.zxy;
            }
        }
    }
    let mean = first / weight;
    let center = here + MEAN_SHARE * reach * mean;
    let xx = squares / weight - mean * mean;
    let yz = products / weight - mean.yzx * mean.zxy;
    if count <= MIN_NEIGHBOURS || xx.x + xx.y + xx.z <= 0.0 {
        return drop(center);
    }
    let axes = principal(mat3x3f(xx.x, yz.z, yz.y, yz.z, xx.y, yz.x, yz.y, yz.x, xx.z));
    let longest = max(max(axes.values.x, axes.values.y), axes.values.z);
    let unit = RADIUS * liquid.spacing * liquid.scale / FILLED;
    let inverse = 1.0 / (unit * max(axes.values, vec3f(longest / MAX_RATIO)));
    let u = axes.vectors[0];
    let v = axes.vectors[1];
    let w = axes.vectors[2];
    let diagonal = inverse.x * u * u + inverse.y * v * v + inverse.z * w * w;
    let others = inverse.x * u.yzx * u.zxy + inverse.y * v.yzx * v.zxy + inverse.z * w.yzx * w.zxy;
    return Ellipsoid(center, unit * longest, diagonal, others);
}

@compute @workgroup_size(64)
fn fit_ellipsoids(@builtin(global_invocation_id) id: vec3u) {
    if id.x < liquid.particles {
        if places[id.x].w == 0.0 {
            fitted[id.x] = Ellipsoid(vec3f(), 0.0, vec3f(), vec3f());
        } else {
            fitted[id.x] = fit(id.x);
        }
    }
}

struct Corner {
    @builtin(position) position: vec4f,
    // In the world [m].
    @location(0) place: vec3f,
    @location(1) @interpolate(flat) particle: u32,
}

fn is_orthographic() -> bool {
    return view.clip_from_view[3].w == 1.0;
}

// A corner of a square around a ball, across the direction to it.
fn corner_of(vertex: u32, particle: u32, center: vec3f, radius: f32) -> Corner {
    let way = view.world_position - center;
    let square = max(dot(way, way), 1e-12);
    var toward = view.world_from_view[2].xyz;
    var half = radius;
    if !is_orthographic() {
        toward = way * inverseSqrt(square);
        // Rays touch the ball this far from its centre; from very near it is not seen whole.
        half *= sqrt(square / max(square - radius * radius, 0.1 * square));
    }
    let right = normalize(cross(select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(toward.y) > 0.7), toward));
    let corner = vec2f(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
    let place = center + half * (corner.x * right + corner.y * cross(toward, right));
    return Corner(view.clip_from_world * vec4f(place, 1.0), place, particle);
}

const NOWHERE = vec4f(2.0, 2.0, 2.0, 1.0);

@vertex
fn around_ellipsoid(@builtin(vertex_index) vertex: u32, @builtin(instance_index) particle: u32) -> Corner {
    let ellipsoid = ellipsoids[particle];
    var corner = corner_of(vertex, particle, ellipsoid.center, ellipsoid.reach);
    if ellipsoid.reach == 0.0 {
        corner.position = NOWHERE;
    }
    return corner;
}

@vertex
fn around_ball(@builtin(vertex_index) vertex: u32, @builtin(instance_index) particle: u32) -> Corner {
    let place = places[particle];
    var corner = corner_of(vertex, particle, place.xyz, liquid.ball);
    if place.w == 0.0 {
        corner.position = NOWHERE;
    }
    return corner;
}

struct Ray {
    origin: vec3f,
    direction: vec3f,
}

// The ray of the camera through a place.
fn ray_through(place: vec3f) -> Ray {
    if is_orthographic() {
        let ahead = -view.world_from_view[2].xyz;
        return Ray(place - dot(place - view.world_position, ahead) * ahead, ahead);
    }
    return Ray(view.world_position, normalize(place - view.world_position));
}

// Where a ray enters the unit ball and where it leaves it, as multiples of its direction; none if the second is less.
fn through(origin: vec3f, direction: vec3f) -> vec2f {
    let square = dot(direction, direction);
    let along = dot(origin, direction) / square;
    let nearest = origin - along * direction;
    let left = 1.0 - dot(nearest, nearest);
    let half = sqrt(max(left, 0.0) / square);
    return select(vec2f(1.0, 0.0), vec2f(-along - half, -along + half), left > 0.0);
}

struct Nearest {
    @location(0) distance: f32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn nearest(in: Corner) -> Nearest {
    let ray = ray_through(in.place);
    let ellipsoid = ellipsoids[in.particle];
    let d = ellipsoid.diagonal;
    let o = ellipsoid.others;
    let shape = mat3x3f(d.x, o.z, o.y, o.z, d.y, o.x, o.y, o.x, d.z);
    let way = through(shape * (ray.origin - ellipsoid.center), shape * ray.direction);
    if way.x > way.y || way.x < 0.0 {
        discard;
    }
    let hit = view.view_from_world * vec4f(ray.origin + way.x * ray.direction, 1.0);
    let clip = view.clip_from_view * hit;
    return Nearest(-hit.z, clip.z / clip.w);
}

@fragment
fn thickness(in: Corner) -> @location(0) f32 {
    let ray = ray_through(in.place);
    let way = through((ray.origin - places[in.particle].xyz) / liquid.ball, ray.direction / liquid.ball);
    return liquid.share * max(way.y - max(way.x, 0.0), 0.0);
}

// Most pixels to each side that take part in the smoothing.
const MOST_PIXELS = 40.0;
// How much farther than the pixel itself a neighbour may be before it counts as this much farther, in spacings [1].
const FAR = 1.0;
// How much nearer a neighbour may be before it belongs to another surface, in spacings [1].
const NEAR = 5.0;

// The neighbour's distance for the filter around a pixel, and its weight.
fn in_range(away: f32, neighbour: f32) -> vec2f {
    if neighbour == 0.0 || neighbour > away + FAR * liquid.spacing {
        return vec2f(away + FAR * liquid.spacing, 1.0);
    }
    return vec2f(neighbour, select(0.0, 1.0, neighbour > away - NEAR * liquid.spacing));
}

// Smooths along rows or columns of pixels by the narrow-range filter of [Truong18].
fn smooth_along(step: vec2i, id: vec2u) {
    let first = vec2i(view.main_pass_viewport.xy);
    let end = first + vec2i(view.main_pass_viewport.zw);
    let pixel = first + vec2i(id);
    if any(pixel >= end) {
        return;
    }
    let away = textureLoad(source, pixel, 0).x;
    if away == 0.0 {
        textureStore(target_map, pixel, vec4f());
        return;
    }
    // Standard deviation in pixels.
    let scale = 0.5 * view.main_pass_viewport.w * view.clip_from_view[1].y;
    let deviation = liquid.deviation * scale / select(away, 1.0, is_orthographic());
    let reach = i32(ceil(min(2.0 * deviation, MOST_PIXELS)));
    let falloff = -0.5 / max(deviation * deviation, 1e-6);
    var sum = away;
    var weights = 1.0;
    for (var k = 1; k <= reach; k++) {
        let before = pixel - k * step;
        let after = pixel + k * step;
        // Pixels outside of the picture are left out, with those that they mirror.
        if any(before < first) || any(after >= end) {
            break;
        }
        let a = in_range(away, textureLoad(source, before, 0).x);
        let b = in_range(away, textureLoad(source, after, 0).x);
        // Both or none, so that planes stay where they are.
        let weight = a.y * b.y * exp(falloff * f32(k * k));
        sum += weight * (a.x + b.x);
        weights += 2.0 * weight;
    }
    textureStore(target_map, pixel, vec4f(sum / weights, 0.0, 0.0, 0.0));
}

@compute @workgroup_size(8, 8)
fn smooth_rows(@builtin(global_invocation_id) id: vec3u) {
    smooth_along(vec2i(1, 0), id.xy);
}

@compute @workgroup_size(8, 8)
fn smooth_columns(@builtin(global_invocation_id) id: vec3u) {
    smooth_along(vec2i(0, 1), id.xy);
}
