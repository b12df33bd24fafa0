// A sphere for each particle, in all passes.
#import bevy_pbr::{
    mesh_bindings::mesh, mesh_functions, view_transformations::position_world_to_clip,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::VertexOutput
#else
#import bevy_pbr::forward_io::VertexOutput
#endif

// Centre [m] and radius [m], in the world.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<storage, read> places: array<vec4f>;

struct Corner {
    @builtin(instance_index) instance: u32,
    @builtin(vertex_index) vertex: u32,
    // On the unit sphere.
    @location(0) direction: vec3f,
}

@vertex
fn vertex(in: Corner) -> VertexOutput {
    var out: VertexOutput;
    // Numbers of vertices count from the begin of the buffer that meshes share.
    let sphere = (in.vertex - mesh[in.instance].first_vertex_index) / #{SPHERE_VERTICES}u;
    let place = places[mesh_functions::get_tag(in.instance) + sphere];
    out.world_position = vec4f(place.xyz + place.w * in.direction, 1.0);
    out.position = position_world_to_clip(out.world_position.xyz);
#ifndef PREPASS_PIPELINE
#ifdef ONLY_SHADOWS
    out.position = vec4f(2.0, 2.0, 2.0, 1.0);
#endif
#endif
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = in.direction;
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.previous_world_position = out.world_position;
#endif
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif
#else
    out.world_normal = in.direction;
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = in.instance;
#endif
#ifdef VISIBILITY_RANGE_DITHER
    out.visibility_range_dither = mesh_functions::get_visibility_range_dither_level(in.instance, vec4f(place.xyz, 1.0));
#endif
    return out;
}
