// What contacts of bodies are made of, while they are brought up to date.

@group(1) @binding(0) var<uniform> range: Range;
@group(1) @binding(1) var<storage, read_write> data: array<u32>;
@group(1) @binding(2) var<storage, read_write> lambda: array<f32>;
@group(1) @binding(3) var<storage, read_write> records: array<vec4u>;

