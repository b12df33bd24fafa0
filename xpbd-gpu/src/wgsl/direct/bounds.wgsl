// Rows with bounds in a solution; the twin of `xpbd_core::cpu::direct::bounds`.

// The part of a row in a solution.
const NEW_ROW = 0u;
const LEFT_OUT = 1u;
const EQUATION = 2u;
const LOW_STOP = 3u;
const HIGH_STOP = 4u;
const HELD = 5u;

struct BoundedRow {
    part: u32,
    least: f32,
    greatest: f32,
}

fn bounded_place(component: Component, number: u32) -> u32 {
    return data[system.places + 4u] + component.bounded + 3u * number;
}

fn bounded_at(place: u32) -> BoundedRow {
    return BoundedRow(u32(memory[place]), memory[place + 1u], memory[place + 2u]);
}

fn keep_row(place: u32, row: BoundedRow) {
    memory[place] = f32(row.part);
    memory[place + 1u] = row.least;
    memory[place + 2u] = row.greatest;
}

// Gives all rows of a component the same part.
fn set_rows(component: Component, part: u32) {
    for (var k = 0u; k < data[component.structure + 2u]; k++) {
        keep_row(bounded_place(component, k), BoundedRow(part, -NO_BOUND, NO_BOUND));
    }
}

fn is_solved(row: BoundedRow) -> bool {
    return row.part >= EQUATION && row.part <= HIGH_STOP;
}

// Returns the admissible multiplier nearest to one.
fn nearest(row: BoundedRow, multiplier_: f32) -> f32 {
    return select(select(multiplier_, row.greatest, multiplier_ > row.greatest), row.least, multiplier_ < row.least);
}

// Gives a row its part, from its multiplier, the change that its equation asks for, and its bounds at `record`.
fn part_of(multiplier_: f32, target_: f32, record: u32) -> BoundedRow {
    let low = memory[record];
    let high = memory[record + 1u];
    let down = memory[record + 2u];
    let up = memory[record + 3u];
    let below = low - abs(low) * BEYOND_BOUND;
    let above = high + abs(high) * BEYOND_BOUND;
    let pushes_up = multiplier_ > above || (multiplier_ > low && target_ < down);
    if down > 0.0 || (pushes_up && down > -NEAR_STOP) {
        return BoundedRow(LOW_STOP, select(high, low, target_ < down), NO_BOUND);
    }
    let pushes_down = multiplier_ < below || (multiplier_ < high && target_ > up);
    if up < 0.0 || (pushes_down && up < NEAR_STOP) {
        return BoundedRow(HIGH_STOP, -NO_BOUND, select(low, high, target_ > up));
    }
    if multiplier_ > low && multiplier_ < high {
        return BoundedRow(EQUATION, low, high);
    }
    return BoundedRow(LEFT_OUT, -NO_BOUND, NO_BOUND);
}

// Gives the a-th row of a constraint its part, unless it has one, and changes its equation accordingly.
fn add_bounded_row(component: Component, block: u32, a: u32, slot: u32) {
    let pass_ = pass_at(data[block + 2u]);
    let size = pass_.row_count;
    let own = component.numbers + data[block];
    let right = component.right + data[block + 1u] + a;
    let record = pass_.records + slot * pass_.width;
    let bounds = record + size + size * (size + 1u) / 2u + 4u * (a - pass_.equation_count);
    let place = bounded_place(component, data[block + 5u] + a - pass_.equation_count);
    var row = bounded_at(place);
    if row.part == NEW_ROW {
        row = part_of(lambda[lambda_place(pass_, a, slot)], -memory[record + a], bounds);
        keep_row(place, row);
    }
    let is_stop = row.part == LOW_STOP || row.part == HIGH_STOP;
    if !is_solved(row) || OF_VELOCITIES {
        memory[right] = 0.0;
    } else if is_stop {
        memory[right] = memory[bounds + select(2u, 3u, row.part == HIGH_STOP)];
    }
    if !is_solved(row) || is_stop {
        for (var b = 0u; b < size; b++) {
            memory[own + min(a, b) * size + max(a, b)] = select(0.0, select(-1.0, 0.0, is_solved(row)), a == b);
        }
    }
}

// Returns the given change of the multiplier of a held row.
fn given_change(row: BoundedRow, before: f32, is_warm: bool) -> f32 {
    if OF_VELOCITIES {
        return (row.least - before) / substep.h;
    }
    return select(row.least, row.least - before, is_warm);
}

// Returns the multiplier of a row by the solution.
fn solved_multiplier(solution: u32, place: u32, is_warm: bool) -> f32 {
    if OF_VELOCITIES {
        return lambda[place] - substep.h * memory[solution];
    }
    return select(0.0, lambda[place], is_warm) - memory[solution];
}

// Returns whether the solution of a component is refused, and changes the parts of rows for the next one if so.
fn refuses(component: Component, is_warm: bool) -> bool {
    var refused = false;
    if data[component.structure + 2u] == 0u {
        return refused;
    }
    for (var k = component.constraints; k < component.constraints + component.constraint_count; k++) {
        let slot = data[system.constraints + 4u * k];
        let block = data[system.constraints + 4u * k + 2u];
        let pass_ = pass_at(data[block + 2u]);
        for (var a = pass_.equation_count; a < pass_.row_count; a++) {
            let place = bounded_place(component, data[block + 5u] + a - pass_.equation_count);
            let row = bounded_at(place);
            let solution = component.right + data[block + 1u] + a;
            let found = solved_multiplier(solution, lambda_place(pass_, a, slot), is_warm);
            let bound = nearest(row, found);
            if is_solved(row) && bound != found {
                keep_row(place, BoundedRow(HELD, bound, bound));
                refused = true;
            }
        }
    }
    return refused;
}

// Adds the impulses of a solution for velocities to the multipliers of rows with bounds.
fn add_impulses(component: Component) {
    if data[component.structure + 2u] == 0u {
        return;
    }
    for (var k = component.constraints; k < component.constraints + component.constraint_count; k++) {
        let slot = data[system.constraints + 4u * k];
        let block = data[system.constraints + 4u * k + 2u];
        let pass_ = pass_at(data[block + 2u]);
        for (var a = pass_.equation_count; a < pass_.row_count; a++) {
            let row = bounded_at(bounded_place(component, data[block + 5u] + a - pass_.equation_count));
            let place = lambda_place(pass_, a, slot);
            lambda[place] = nearest(row, solved_multiplier(component.right + data[block + 1u] + a, place, true));
        }
    }
}
