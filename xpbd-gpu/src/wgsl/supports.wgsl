// The parts of pushes that particles are free to follow beside their pins, the twin of `xpbd_core::object::support`.

// Unit vectors from the pins that hold a particle, as far as they are taut.
var<private> taut: array<vec3f, MAX_SUPPORTS>;

// Returns the vector nearest to a unit vector that leads away from none of so many pins.
fn free_way(n: vec3f, pins: u32) -> vec3f {
    var way = n;
    var bounds: array<vec3f, 3>;
    var count = 0u;
    for (var round = 0u; round < ROUNDS; round++) {
        var steepest = LEVEL;
        var bound = vec3f();
        for (var k = 0u; k < pins; k++) {
            let slope = dot3(way, taut[k]);
            if slope > steepest {
                steepest = slope;
                bound = taut[k];
            }
        }
        if steepest <= LEVEL {
            return way;
        }
        bounds[count] = bound;
        count += 1u;
        if count == 3u {
            let b_c = cross3(bounds[1], bounds[2]);
            let c_a = cross3(bounds[2], bounds[0]);
            let volume = dot3(bounds[0], b_c);
            let x = dot3(n, b_c) * volume;
            let y = dot3(n, c_a) * volume;
            if x >= 0.0 && y >= 0.0 {
                return vec3f();
            }
            if x < y {
                bounds[0] = bounds[1];
            }
            bounds[1] = bounds[2];
            count = 2u;
        }
        if count == 2u {
            let across = cross3(bounds[0], bounds[1]);
            let square = dot3(across, across);
            if dot3(n, bounds[0]) - dot3(bounds[0], bounds[1]) * dot3(n, bounds[1]) < 0.0 || square == 0.0 {
                bounds[0] = bounds[1];
                count = 1u;
            } else {
                way = across * (dot3(n, across) / square);
            }
        }
        if count == 1u {
            way = n - bounds[0] * dot3(n, bounds[0]);
        }
    }
    return way;
}

// Returns the part of a push along a unit vector that a particle with so many taut pins is free to follow [1].
fn free_along(direction: vec3f, pins: u32) -> f32 {
    let way = free_way(direction, pins);
    if all(way == direction) {
        return 1.0;
    }
    let free = (dot3(way, direction) - HELD) / (1.0 - HELD);
    return select(0.0, free, free > 0.0);
}
