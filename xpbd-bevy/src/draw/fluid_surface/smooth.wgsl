// The smoothing of distances.

// Most pixels to each side that take part in the smoothing.
const MOST_PIXELS = 40.0;
// How much farther than the pixel itself a neighbour may be before it counts as this much farther, in spacings [1].
const FAR = 1.0;
// How much nearer a neighbour may be before it belongs to another surface, in spacings [1].
const NEAR = 5.0;

// The neighbour's distance for the filter around a pixel, and its weight.
fn in_range(away: f32, neighbour: f32) -> vec2f {
    if neighbour == 0.0 || neighbour > away + FAR * liquid.spacing {
        return vec2f(away + FAR * liquid.spacing, 1.0);
    }
    return vec2f(neighbour, select(0.0, 1.0, neighbour > away - NEAR * liquid.spacing));
}

// Smooths along rows or columns of pixels by the narrow-range filter of [Truong18].
fn smooth_along(step: vec2i, id: vec2u) {
    let first = vec2i(view.main_pass_viewport.xy);
    let end = first + vec2i(view.main_pass_viewport.zw);
    let pixel = first + vec2i(id);
    if any(pixel >= end) {
        return;
    }
    let away = textureLoad(source, pixel, 0).x;
    if away == 0.0 {
        textureStore(target_map, pixel, vec4f());
        return;
    }
    // Standard deviation in pixels.
    let scale = 0.5 * view.main_pass_viewport.w * view.clip_from_view[1].y;
    let deviation = liquid.deviation * scale / select(away, 1.0, is_orthographic());
    let reach = i32(ceil(min(2.0 * deviation, MOST_PIXELS)));
    let falloff = -0.5 / max(deviation * deviation, 1e-6);
    var sum = away;
    var weights = 1.0;
    for (var k = 1; k <= reach; k++) {
        let before = pixel - k * step;
        let after = pixel + k * step;
        // Pixels outside of the picture are left out, with those that they mirror.
        if any(before < first) || any(after >= end) {
            break;
        }
        let a = in_range(away, textureLoad(source, before, 0).x);
        let b = in_range(away, textureLoad(source, after, 0).x);
        // Both or none, so that planes stay where they are.
        let weight = a.y * b.y * exp(falloff * f32(k * k));
        sum += weight * (a.x + b.x);
        weights += 2.0 * weight;
    }
    textureStore(target_map, pixel, vec4f(sum / weights, 0.0, 0.0, 0.0));
}

@compute @workgroup_size(8, 8)
fn smooth_rows(@builtin(global_invocation_id) id: vec3u) {
    smooth_along(vec2i(1, 0), id.xy);
}

@compute @workgroup_size(8, 8)
fn smooth_columns(@builtin(global_invocation_id) id: vec3u) {
    smooth_along(vec2i(0, 1), id.xy);
}
