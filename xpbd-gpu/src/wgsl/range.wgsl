// The constraints of a pass for a dispatch or an island; `range` is a variable of either.

struct Range {
    // First word of the pass in `data`: node columns, number columns, colours, gathers, entries.
    base: u32,
    // Words of a column.
    stride: u32,
    // First multiplier of the pass.
    lambda: u32,
    // First word of the colours to solve, two for each: first slot and count. For a stage those of its
    // first patch, those of the others behind them. For islands the first word of their tables: for each of them its part of every colour, of the remainder and of the
    // gathers.
    colours: u32,
    // Number of colours, those of each patch.
    count: u32,
    // The remainder: first slot and count.
    first: u32,
    remainder: u32,
    // Nodes that the remainder moves, and the words where they begin: node, with the highest bit set
    // for a body, and first entry; the entries follow.
    gathers: u32,
    gather_table: u32,
    entries: u32,
    // First word of the bounds of islands.
    islands: u32,
    padding: u32,
}
