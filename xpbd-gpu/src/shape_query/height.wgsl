// Twin of `height.rs`: the triangles of a height field under a path, and the way up out of the
// ground.
//
// Words of a height field: kind, rows and columns of cells, places of the grid lines in x and in z,
// of the heights by columns and of the cells (four bits each), width and depth of a cell, scale, and
// width and depth of a cell of the unit square.

/// Cells yet to visit: columns, rows of the present column, and the height over them.
struct Cells {
    column: u32,
    columns_end: u32,
    row: u32,
    rows_end: u32,
    right: bool,
    low: f32,
    high: f32,
}

var<private> cells: Cells;

fn field_rows() -> u32 {
    return geometry[set_shape + 1u];
}

fn field_columns() -> u32 {
    return geometry[set_shape + 2u];
}

fn grid_x(column: u32) -> f32 {
    return number(geometry[set_shape + 3u] + column);
}

fn grid_z(row: u32) -> f32 {
    return number(geometry[set_shape + 4u] + row);
}

/// First cell that meets an interval of one axis and the one after the last.
fn cells_between(low: f32, high: f32, origin: f32, cell: f32, count: u32) -> vec2u {
    let last = f32(count) - 1.0;
    let first = (low - origin) / cell;
    let end = (high - origin) / cell;
    if !(end >= 0.0 && first <= f32(count)) {
        return vec2u();
    }
    return vec2u(u32(within(floor(first), 0.0, last)), u32(within(floor(end), 0.0, last)) + 1u);
}

fn rewind_cells() {
    let low = set_tube.low.x;
    let high = set_tube.high.x;
    let width = number(set_shape + 7u);
    let columns = cells_between(low, high, grid_x(0u), width, field_columns());
    cells = Cells(columns.x, columns.y, 0u, 0u, false, 0.0, 0.0);
}

/// Returns where the path enters and leaves the interval of x, clamped to its ends.
fn clip(s: f32) -> vec3f {
    return path_at(set_path, within(s, 0.0, set_path.length));
}

/// Finds the rows of the next column.
fn begin_column() {
    let pad = set_reach + 1e-3 * number(set_shape + 7u);
    let low_x = grid_x(cells.column) - pad;
    let high_x = grid_x(cells.column + 1u) + pad;
    let u = set_path.direction.x;
    var a = set_path.start;
    var b = path_end(set_path);
    if !(abs(u) < 1e-6) {
        let s = (low_x - set_path.start.x) / u;
        let t = (high_x - set_path.start.x) / u;
        a = clip(lesser(s, t));
        b = clip(greater(s, t));
    }
    let low = lesser3(a, b) - pad;
    let high = greater3(a, b) + pad;
    let rows = cells_between(low.z, high.z, grid_z(0u), number(set_shape + 8u), field_rows());
    let column = cells.column + 1u;
    cells = Cells(column, cells.columns_end, rows.x, rows.y, false, low.y, high.y);
}

fn next_cell() -> bool {
    while cells.row < cells.rows_end || cells.column < cells.columns_end {
        if cells.row >= cells.rows_end {
            begin_column();
            continue;
        }
        piece = 2u * ((cells.column - 1u) * field_rows() + cells.row) + u32(cells.right);
        cells.row += u32(cells.right);
        cells.right = !cells.right;
        return true;
    }
    return false;
}

/// Returns whether the present triangle is at the heights of the path in its column.
fn is_under_path() -> bool {
    let t = piece_triangle;
    let bottom = lesser(lesser(t.a.y, t.b.y), t.c.y);
    let top = greater(greater(t.a.y, t.b.y), t.c.y);
    return bottom <= cells.high && top >= cells.low;
}

fn grid_point(row: u32, column: u32) -> vec3f {
    let y = number(geometry[set_shape + 5u] + column * (field_rows() + 1u) + row);
    return vec3f(grid_x(column), y, grid_z(row));
}

/// Selects the present triangle, and returns whether it exists.
fn cell_triangle() -> bool {
    let cell = piece / 2u;
    let right = piece % 2u == 1u;
    let status = (geometry[geometry[set_shape + 6u] + cell / 8u] >> (4u * (cell % 8u))) & 15u;
    let row = cell % field_rows();
    let column = cell / field_rows();
    let p00 = grid_point(row, column);
    let p10 = grid_point(row + 1u, column);
    let p01 = grid_point(row, column + 1u);
    let p11 = grid_point(row + 1u, column + 1u);
    if (status & ZIGZAG) != 0u {
        piece_triangle = Triangle(p00, select(p10, p11, right), select(p11, p01, right));
    } else {
        piece_triangle = Triangle(select(p00, p10, right), select(p10, p11, right), p01);
    }
    return (status & select(LEFT_REMOVED, RIGHT_REMOVED, right)) == 0u;
}

/// The plane of the triangle above or below a point and the height of the point over it.
struct Ground {
    found: bool,
    point: vec3f,
    normal: vec3f,
    height: f32,
}

var<private> ground_above: Ground;

fn ground(x: vec3f) -> Ground {
    let px = x.x / number(set_shape + 9u);
    let pz = x.z / number(set_shape + 11u);
    if px < -0.5 || px > 0.5 || pz < -0.5 || pz > 0.5 {
        return Ground();
    }
    let column = quantise(px, number(set_shape + 12u), field_columns());
    let row = quantise(pz, number(set_shape + 13u), field_rows());
    for (var side = 0u; side < 2u; side++) {
        piece = 2u * (column * field_rows() + row) + side;
        if cell_triangle() && covers(piece_triangle, x) {
            let normal = upward(piece_triangle);
            let height = dot3(normal, x - piece_triangle.a);
            return Ground(any(normal != vec3f()), x - normal * height, normal, height);
        }
    }
    return Ground();
}

fn quantise(x: f32, cell: f32, count: u32) -> u32 {
    return u32(within(floor((x + 0.5) / cell), 0.0, f32(count - 1u)));
}

/// Unit normal of a triangle on its upper side; zero for one without area.
fn upward(t: Triangle) -> vec3f {
    let normal = normalize_or(scaled_normal(t), vec3f());
    return select(normal, -normal, normal.y < 0.0);
}

fn turn(a: vec3f, b: vec3f, x: vec3f) -> f32 {
    return (b.x - a.x) * (x.z - a.z) - (b.z - a.z) * (x.x - a.x);
}

/// Returns whether a point is above or below the triangle.
fn covers(t: Triangle, x: vec3f) -> bool {
    let turns = vec3f(turn(t.a, t.b, x), turn(t.b, t.c, x), turn(t.c, t.a, x));
    return all(turns >= vec3f()) || all(turns <= vec3f());
}

/// Returns the exit from below the ground: out of the nearest triangle, or else out of the one above.
fn ground_exit() -> Nearest {
    let t = item.triangle;
    if item.found && dot3(upward(t), item.nearest.normal) < 0.0 {
        return Nearest(item.nearest.point, -item.nearest.normal, 0.0);
    }
    return Nearest(ground_above.point, ground_above.normal, 0.0);
}
