// The buffers and numbers of a liquid that all stages of its surface share. The files of the stages follow.
#import bevy_render::view::View

struct Liquid {
    // Width of a particle [m].
    spacing: f32,
    // Size of ellipsoids over that which the particles have [1].
    scale: f32,
    // Radius of the balls that give the thickness [m], and the thickness of the liquid over theirs [1].
    ball: f32,
    share: f32,
    // Standard deviation of the smoothing [m].
    deviation: f32,
    particles: u32,
    // Number of cells, a power of two.
    cells: u32,
}

// A point x is inside if |shape (x − center)| < 1; reach is the largest radius, 0 if there is none [m].
struct Ellipsoid {
    center: vec3f,
    reach: f32,
    // xx, yy, zz, and yz, zx, xy [1/m].
    diagonal: vec3f,
    others: vec3f,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<uniform> liquid: Liquid;
// Place of each particle [m], and 0 if it is absent.
@group(0) @binding(2) var<storage, read> places: array<vec4f>;
// The number after that of the last particle of each cell, and for each particle that of the one before it; 0 if none.
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> links: array<u32>;
@group(0) @binding(5) var<storage, read_write> fitted: array<Ellipsoid>;
@group(0) @binding(6) var<storage, read> ellipsoids: array<Ellipsoid>;
@group(0) @binding(7) var source: texture_2d<f32>;
@group(0) @binding(8) var target_map: texture_storage_2d<r32float, write>;

