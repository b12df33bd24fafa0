// Where members are when a substep begins to move them.

fn mark(k: u32) {
    set_field(HANDED_ON, k, place(k));
}
