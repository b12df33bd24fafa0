// The maps of a surface: ellipsoids give the distance of the nearest one in every pixel, and balls the thickness.

struct Corner {
    @builtin(position) position: vec4f,
    // In the world [m].
    @location(0) place: vec3f,
    @location(1) @interpolate(flat) particle: u32,
}

fn is_orthographic() -> bool {
    return view.clip_from_view[3].w == 1.0;
}

// A corner of a square around a ball, across the direction to it; outside of the picture if there is no ball.
fn corner_of(vertex: u32, particle: u32, center: vec3f, radius: f32) -> Corner {
    if radius == 0.0 {
        return Corner(vec4f(2.0, 2.0, 2.0, 1.0), center, particle);
    }
    let way = view.world_position - center;
    let square = max(dot(way, way), 1e-12);
    var toward = view.world_from_view[2].xyz;
    var half = radius;
    if !is_orthographic() {
        toward = way * inverseSqrt(square);
        // Rays touch the ball this far from its centre; from very near it is not seen whole.
        half *= sqrt(square / max(square - radius * radius, 0.1 * square));
    }
    let right = normalize(cross(select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(toward.y) > 0.7), toward));
    let corner = vec2f(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
    let place = center + half * (corner.x * right + corner.y * cross(toward, right));
    return Corner(view.clip_from_world * vec4f(place, 1.0), place, particle);
}

@vertex
fn around_ellipsoid(@builtin(vertex_index) vertex: u32, @builtin(instance_index) particle: u32) -> Corner {
    let ellipsoid = ellipsoids[particle];
    return corner_of(vertex, particle, ellipsoid.center, ellipsoid.reach);
}

@vertex
fn around_ball(@builtin(vertex_index) vertex: u32, @builtin(instance_index) particle: u32) -> Corner {
    let place = places[particle];
    return corner_of(vertex, particle, place.xyz, select(0.0, liquid.ball, place.w != 0.0));
}

struct Ray {
    origin: vec3f,
    direction: vec3f,
}

// The ray of the camera through a place.
fn ray_through(place: vec3f) -> Ray {
    if is_orthographic() {
        let ahead = -view.world_from_view[2].xyz;
        return Ray(place - dot(place - view.world_position, ahead) * ahead, ahead);
    }
    return Ray(view.world_position, normalize(place - view.world_position));
}

// Where a ray enters the unit ball and where it leaves it, as multiples of its direction; none if the second is less.
fn through(origin: vec3f, direction: vec3f) -> vec2f {
    let square = dot(direction, direction);
    let along = dot(origin, direction) / square;
    let nearest = origin - along * direction;
    let left = 1.0 - dot(nearest, nearest);
    let half = sqrt(max(left, 0.0) / square);
    return select(vec2f(1.0, 0.0), vec2f(-along - half, -along + half), left > 0.0);
}

struct Nearest {
    @location(0) distance: f32,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn nearest(in: Corner) -> Nearest {
    let ray = ray_through(in.place);
    let ellipsoid = ellipsoids[in.particle];
    let d = ellipsoid.diagonal;
    let o = ellipsoid.others;
    let shape = mat3x3f(d.x, o.z, o.y, o.z, d.y, o.x, o.y, o.x, d.z);
    let way = through(shape * (ray.origin - ellipsoid.center), shape * ray.direction);
    if way.x > way.y || way.x < 0.0 {
        discard;
    }
    let hit = view.view_from_world * vec4f(ray.origin + way.x * ray.direction, 1.0);
    let clip = view.clip_from_view * hit;
    return Nearest(-hit.z, clip.z / clip.w);
}

@fragment
fn thickness(in: Corner) -> @location(0) f32 {
    let ray = ray_through(in.place);
    let way = through((ray.origin - places[in.particle].xyz) / liquid.ball, ray.direction / liquid.ball);
    return liquid.share * max(way.y - max(way.x, 0.0), 0.0);
}

