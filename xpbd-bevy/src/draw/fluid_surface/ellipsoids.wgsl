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

