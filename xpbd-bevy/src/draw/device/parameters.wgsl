struct DrawParameters {
    // To the frame of the entity.
    frame: mat4x4f,
    // First particle of the object.
    first: u32,
    // Time of the frame between the last two steps, from 0 to 1.
    part: f32,
    count: u32,
    places: u32,
    // First word of the vertices, words per vertex, and words before the position and the normal in a vertex.
    base: u32,
    stride: u32,
    position: u32,
    normal: u32,
    // First word of the bindings in the lists; 0 if places are particles.
    bindings: u32,
    // Sides of a tube, and its radius [m].
    sides: u32,
    radius: f32,
}

@group(0) @binding(0) var<uniform> params: DrawParameters;
// Positions [m] before the last step and after it, and inverse masses.
@group(0) @binding(1) var<storage, read> before: array<vec4f>;
@group(0) @binding(2) var<storage, read> now: array<vec4f>;
