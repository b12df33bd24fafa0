// Finds the cut-offs of the particles with too many partners: of those of higher index the nearest
// stay, of equally near ones those with the lowest index.

var<private> keys: array<vec2u, MAX_PARTNERS>;
var<private> held: u32;

// Insertion into the sorted keys of the partners that stay.
fn visit(i: u32, j: u32, square: u32) {
    let key = vec2u(square, j);
    if j < i || (held == MAX_PARTNERS && !before(key, keys[MAX_PARTNERS - 1u])) {
        return;
    }
    var k = min(held, MAX_PARTNERS - 1u);
    while k > 0u && before(key, keys[max(k, 1u) - 1u]) {
        keys[k] = keys[k - 1u];
        k -= 1u;
    }
    keys[k] = key;
    held = min(held + 1u, MAX_PARTNERS);
}

fn before(a: vec2u, b: vec2u) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

@compute @workgroup_size(128)
fn cap(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    if lists[CROWDED] == 0u {
        return;
    }
    for (var entry = id.x; entry < entries(); entry += groups.x * 128u) {
        let cutoff = search.cutoffs + 2u * index_of(work_quads[ENTRIES / 4u + 2u * entry]);
        if lists[cutoff + 1u] == NONE {
            continue;
        }
        held = 0u;
        around(entry);
        lists[cutoff] = keys[MAX_PARTNERS - 1u].x;
        lists[cutoff + 1u] = keys[MAX_PARTNERS - 1u].y;
    }
}
