// The change of velocity of every member by its walls.

fn apply_wall_adhesion(k: u32) {
    if is_solid(k) {
        return;
    }
    let h = step_length();
    let strength = min(number(k, ADHESION) * (h * h) * place(k).w, MAX_FORCE);
    var change = vec3f();
    for (var n = 0u; n < wall_count(k); n++) {
        let wall = wall(k, n);
        let u = 1.0 - clamp(wall.height * (1.0 / reach()), 0.0, 1.0);
        change -= wall.normal * (2.0 * radius() / h * WALL_ADHESION * strength * wall.coverage * u * u);
    }
    accelerate(k, change);
}
