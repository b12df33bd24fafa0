// How far members see each other [m].
fn reach() -> f32 {
    return search.furthest;
}
