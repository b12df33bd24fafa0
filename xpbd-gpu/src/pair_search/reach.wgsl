// How far apart partners may be [m]: the two can come nearer to each other by the diagonal of the
// box of all ways, and by no more than two diameters. The rest allows for rounding, so that the
// reach never decides whether a pair is kept.
fn reach() -> f32 {
    let diameters = 2.0 * search.diameter;
    var square = 0.0;
    for (var axis = 0u; axis < 3u; axis++) {
        let width = min(largest(axis) + largest(3u + axis), diameters);
        square += width * width;
    }
    let near = (search.touching + sqrt(square)) * 1.00001;
    return min(near + 16.0 * 1.1920929e-7 * largest(6u), search.furthest);
}
