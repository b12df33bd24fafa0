// Writes the partners of each particle, sorted by index.

var<private> begin: u32;
var<private> room: u32;
var<private> held: u32;

// Adds a partner; where the list is cut, those of lowest index stay.
fn visit(i: u32, j: u32, square: u32) {
    if !kept(i, j, square) {
        return;
    }
    if held < room {
        lists[begin + held] = j;
        held += 1u;
    } else if room > 0u {
        var highest = begin;
        for (var k = begin + 1u; k < begin + room; k++) {
            if lists[k] > lists[highest] {
                highest = k;
            }
        }
        lists[highest] = min(lists[highest], j);
    }
}

// Sorts the list by insertion: most lists are short.
fn sort() {
    for (var next = 1u; next < held; next++) {
        let j = lists[begin + next];
        var k = begin + next;
        while k > begin && lists[max(k, 1u) - 1u] > j {
            lists[k] = lists[k - 1u];
            k -= 1u;
        }
        lists[k] = j;
    }
}

// Writes the partners that the count has found, if it could remember all and none is dropped or cut.
fn recall(i: u32) {
    let memory = search.memory + search.remembered * i;
    for (; held < room; held++) {
        lists[begin + held] = word(memory + held);
    }
}

// An entry stays free only if the compiler has rounded here otherwise than in the kernel that counts. The particle
// itself is then written there.
@compute @workgroup_size(128)
fn fill(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let whole = lists[CROWDED] == 0u && lists[NEEDED] <= search.capacity;
    for (var entry = id.x; entry < entries(); entry += groups.x * 128u) {
        let i = index_of(work_quads[ENTRIES / 4u + 2u * entry]);
        begin = search.partners + lists[FIRST + i];
        room = search.partners + lists[FIRST + i + 1u] - begin;
        held = 0u;
        if whole && room <= search.remembered {
            recall(i);
        } else {
            around(entry);
        }
        sort();
        for (; held < room; held++) {
            lists[begin + held] = i;
        }
    }
}
