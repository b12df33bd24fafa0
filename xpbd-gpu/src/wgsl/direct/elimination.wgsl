// The elimination of the blocks of a system and the substitution of its solution; the twin of
// `xpbd_core::cpu::direct::elimination`.

// Eliminates some blocks of each component.
@compute @workgroup_size($group)
fn eliminate(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        if is_done(c) {
            continue;
        }
        // Blocks, number of blocks.
        let blocks = data[component.structure];
        for (var k = system.first; k < min(system.end, data[component.structure + 1u]); k++) {
            eliminate_block(component, block_at(blocks + 8u * k));
        }
    }
}

struct Block {
    size: u32,
    sign: f32,
    first: u32,
    row: u32,
    neighbours: u32,
    neighbour_count: u32,
    updates: u32,
    update_count: u32,
}

fn block_at(place: u32) -> Block {
    return Block(
        data[place], select(1.0, -1.0, data[place + 1u] == 1u), data[place + 2u], data[place + 3u], data[place + 4u],
        data[place + 5u], data[place + 6u], data[place + 7u]
    );
}

struct Neighbour {
    size: u32,
    row: u32,
    first: u32,
    block: u32,
}

fn neighbour_at(place: u32) -> Neighbour {
    return Neighbour(data[place], data[place + 1u], data[place + 2u], data[place + 3u]);
}

// The block that is eliminated: reciprocals of pivots, and above them the lower factor, transposed.
var<private> factor: array<f32, 36>;
var<private> column: array<f32, 6>;

fn factorize(component: Component, block: Block, first: u32) {
    let size = block.size;
    var smallest: array<f32, 6>;
    for (var j = 0u; j < size; j++) {
        for (var i = j; i < size; i++) {
            factor[6u * j + i] = memory[first + j * size + i];
        }
        let part = abs(factor[7u * j]) * SMALLEST_PIVOT;
        smallest[j] = select(1e-30f, part, part > 1e-30f);
    }
    for (var j = 0u; j < size; j++) {
        var diagonal = factor[7u * j];
        if block.sign < 0.0 && may_repeat(component) {
            let least = memory[component.right + data[component.structure + 4u] + block.row + j];
            diagonal = select(diagonal, least * block.sign, diagonal * block.sign < least);
        }
        let pivot = select(0.0, 1.0 / diagonal, diagonal * block.sign > smallest[j]);
        factor[7u * j] = pivot;
        for (var i = j + 1u; i < size; i++) {
            column[i] = factor[6u * j + i];
        }
        for (var i = j + 1u; i < size; i++) {
            let lower = column[i] * pivot;
            factor[6u * j + i] = lower;
            for (var k = i; k < size; k++) {
                factor[6u * i + k] = factor[6u * i + k] - lower * column[k];
            }
        }
    }
}

// Solves for the column y of L y = b.
fn forward(size: u32) {
    for (var j = 0u; j < size; j++) {
        for (var i = j + 1u; i < size; i++) {
            column[i] = column[i] - factor[6u * j + i] * column[j];
        }
    }
}

fn eliminate_block(component: Component, block: Block) {
    let size = block.size;
    let first = component.numbers + block.first;
    factorize(component, block, first);
    for (var j = 0u; j < size; j++) {
        for (var i = j; i < size; i++) {
            memory[first + j * size + i] = factor[6u * j + i];
        }
        column[j] = memory[component.right + block.row + j];
    }
    forward(size);
    var weighted: array<f32, 6>;
    for (var j = 0u; j < size; j++) {
        memory[component.right + block.row + j] = column[j];
        weighted[j] = factor[7u * j] * column[j];
    }
    for (var n = 0u; n < block.neighbour_count; n++) {
        let neighbour = neighbour_at(block.neighbours + 4u * n);
        let shared_ = component.numbers + neighbour.first;
        for (var c = 0u; c < neighbour.size; c++) {
            for (var k = 0u; k < size; k++) {
                column[k] = memory[shared_ + k * neighbour.size + c];
            }
            forward(size);
            let right = component.right + neighbour.row + c;
            var sum = memory[right];
            for (var k = 0u; k < size; k++) {
                memory[shared_ + k * neighbour.size + c] = column[k];
                sum = sum - weighted[k] * column[k];
            }
            memory[right] = sum;
        }
    }
    for (var u = 0u; u < block.update_count; u++) {
        let place = block.updates + 3u * u;
        change(component, block, data[place], data[place + 1u], component.numbers + data[place + 2u]);
    }
}

fn change(component: Component, block: Block, a: u32, b: u32, target_: u32) {
    let first = neighbour_at(block.neighbours + 4u * a);
    let second = neighbour_at(block.neighbours + 4u * b);
    for (var r = 0u; r < first.size; r++) {
        for (var k = 0u; k < block.size; k++) {
            column[k] = memory[component.numbers + first.first + k * first.size + r] * factor[7u * k];
        }
        for (var c = select(0u, r, a == b); c < second.size; c++) {
            let place = target_ + r * second.size + c;
            var sum = memory[place];
            for (var k = 0u; k < block.size; k++) {
                sum = sum - column[k] * memory[component.numbers + second.first + k * second.size + c];
            }
            memory[place] = sum;
        }
    }
}

// Solves for some blocks of each component, the last first; those that follow them are known.
@compute @workgroup_size($group)
fn substitute(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var c = id.x; c < system.component_count; c += groups.x * $groupu) {
        let component = component_at(c);
        if is_done(c) {
            continue;
        }
        let blocks = data[component.structure];
        for (var k = min(system.end, data[component.structure + 1u]); k > system.first; k--) {
            substitute_block(component, block_at(blocks + 8u * (k - 1u)));
        }
    }
}

fn substitute_block(component: Component, block: Block) {
    let size = block.size;
    let first = component.numbers + block.first;
    let own = component.right + block.row;
    for (var k = 0u; k < size; k++) {
        column[k] = memory[own + k];
    }
    for (var n = 0u; n < block.neighbour_count; n++) {
        let neighbour = neighbour_at(block.neighbours + 4u * n);
        for (var c = 0u; c < neighbour.size; c++) {
            let known = memory[component.right + neighbour.row + c];
            for (var k = 0u; k < size; k++) {
                column[k] = column[k] - memory[component.numbers + neighbour.first + k * neighbour.size + c] * known;
            }
        }
    }
    for (var k = 0u; k < size; k++) {
        column[k] = column[k] * memory[first + k * size + k];
    }
    for (var j = size; j > 0u; j--) {
        for (var i = j; i < size; i++) {
            column[j - 1u] = column[j - 1u] - memory[first + (j - 1u) * size + i] * column[i];
        }
    }
    for (var k = 0u; k < size; k++) {
        memory[own + k] = column[k];
    }
}
