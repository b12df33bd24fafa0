// Shades the surface of a liquid from its maps, over the whole picture.
#import bevy_pbr::{
    forward_io::VertexOutput,
    mesh_view_bindings::view,
    pbr_fragment::pbr_input_from_standard_material,
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
    pbr_types::STANDARD_MATERIAL_FLAGS_UNLIT_BIT,
    view_transformations::position_view_to_clip,
}
#ifdef DEPTH_PREPASS
#import bevy_pbr::prepass_utils::prepass_depth
#endif

// Distance of the surface in the direction of view [m], 0 where there is none, and thickness of the liquid [m].
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var distances: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var thicknesses: texture_2d<f32>;

struct Corner {
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3f,
}

struct Surface {
    @location(0) color: vec4f,
    @builtin(frag_depth) depth: f32,
}

@vertex
fn vertex(in: Corner) -> VertexOutput {
    var out: VertexOutput;
    out.position = vec4f(in.position, 1.0);
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = in.instance;
#endif
    return out;
}

// Distance at a pixel; 0 outside of the picture.
fn distance_at(pixel: vec2i) -> f32 {
    let first = vec2i(view.main_pass_viewport.xy);
    let end = first + vec2i(view.main_pass_viewport.zw);
    if any(pixel < first) || any(pixel >= end) {
        return 0.0;
    }
    return textureLoad(distances, pixel, 0).x;
}

// Where the surface is at a pixel, as the camera sees it [m].
fn place(pixel: vec2i, away: f32) -> vec3f {
    let across = (vec2f(pixel) + 0.5 - view.main_pass_viewport.xy) / view.main_pass_viewport.zw;
    let depth = position_view_to_clip(vec3f(0.0, 0.0, -away));
    let here = view.view_from_clip * vec4f((2.0 * across - 1.0) * vec2f(1.0, -1.0), depth.z / depth.w, 1.0);
    return here.xyz / here.w;
}

// The way along the surface from a pixel to the next one, or from the one before, whichever is nearer to it in depth.
fn along(pixel: vec2i, here: vec3f, next: vec2i) -> vec3f {
    let after = distance_at(pixel + next);
    let before = distance_at(pixel - next);
    let away = -here.z;
    if before > 0.0 && (after == 0.0 || abs(before - away) < abs(after - away)) {
        return here - place(pixel - next, before);
    }
    return select(vec3f(), place(pixel + next, after) - here, after > 0.0);
}

#ifdef DEPTH_PREPASS
// Where a place of the world is in the picture.
fn pixel_of(place: vec3f) -> vec2f {
    let clip = view.clip_from_world * vec4f(place, 1.0);
    return (clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5) * view.main_pass_viewport.zw + view.main_pass_viewport.xy;
}

// Distance of what is opaque at a place of the picture in the direction of view [m].
fn opaque_distance(pixel: vec2f) -> f32 {
    let depth = max(prepass_depth(vec4f(pixel, 0.0, 0.0), 0u), 1e-9);
    let there = view.view_from_clip * vec4f(0.0, 0.0, depth, 1.0);
    return -there.z / there.w;
}
#endif

@fragment
fn fragment(vertex_output: VertexOutput) -> Surface {
    var in = vertex_output;
    let pixel = vec2i(in.position.xy);
    let away = distance_at(pixel);
    if away == 0.0 {
        discard;
    }
    let here = place(pixel, away);
    let square = cross(along(pixel, here, vec2i(0, 1)), along(pixel, here, vec2i(1, 0)));
    let toward = select(-normalize(here), vec3f(0.0, 0.0, 1.0), view.clip_from_view[3].w == 1.0);
    var normal = select(toward, normalize(square), dot(square, square) > 0.0);
    // A pixel at the rim may turn away from the camera.
    normal = normalize(normal + max(0.05 - dot(normal, toward), 0.0) * toward);
    let clip = position_view_to_clip(here);
    in.position.z = clip.z / clip.w;
    in.world_position = view.world_from_view * vec4f(here, 1.0);
    in.world_normal = (view.world_from_view * vec4f(normal, 0.0)).xyz;
    var pbr = pbr_input_from_standard_material(in, true);
    pbr.material.thickness = textureLoad(thicknesses, pixel, 0).x;
#ifdef DEPTH_PREPASS
    // The way through the liquid ends at what is opaque: on the straight ray, and then where the bent one ends. A ray that
    // would end on what is in front of the surface goes straight on.
    let most = pbr.material.thickness;
    let slope = length(here) / away;
    let bent = refract(-pbr.V, pbr.N, 1.0 / pbr.material.ior);
    let straight = min(most, slope * max(opaque_distance(in.position.xy) - away, 0.0));
    let beyond = opaque_distance(pixel_of(in.world_position.xyz + straight * bent)) - away;
    let way = min(most, slope * beyond);
    let is_clear = beyond > 0.0 && opaque_distance(pixel_of(in.world_position.xyz + way * bent)) > away;
    pbr.material.thickness = select(straight, way, is_clear);
    pbr.material.ior = select(1.0, pbr.material.ior, is_clear);
#endif
    var out: Surface;
    out.depth = in.position.z;
    if (pbr.material.flags & STANDARD_MATERIAL_FLAGS_UNLIT_BIT) == 0u {
        out.color = apply_pbr_lighting(pbr);
    } else {
        out.color = pbr.material.base_color;
    }
    out.color = main_pass_post_lighting_processing(pbr, out.color);
    return out;
}
