// The shaders. Light and tones are those of the library's own pictures.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler2DShadow;
`;

// The studio: a warm key light, a weaker fill light, sky above, a bright floor below.
const STUDIO = `
uniform vec3 eye, key, fill, center;
uniform float radius, ground;
uniform bool grounded;
const vec3 KEY = vec3(2.30, 2.18, 1.98), FILL = vec3(0.16, 0.20, 0.26), SKY = vec3(0.46, 0.52, 0.62);
const vec3 BOUNCE = vec3(0.30, 0.27, 0.24), FLOOR = vec3(0.56, 0.55, 0.54), HIGH = vec3(0.42, 0.50, 0.62);
const vec3 ZENITH = vec3(0.30, 0.46, 0.78);

vec3 display(vec3 light) {
  vec3 x = clamp(0.42 * light, 0.0, 50.0);
  return pow(min(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 1.0), vec3(1.0 / 2.2));
}
vec3 openFloor() { return FLOOR * (KEY * max(key.y, 0.0) + SKY + FILL * max(fill.y, 0.0)); }
vec3 backdrop(vec3 direction) {
  vec3 low = grounded ? openFloor() : 0.7 * HIGH;
  float height = clamp(1.1 * direction.y + (grounded ? 0.0 : 0.5), 0.0, 1.0);
  return mix(low, HIGH, height * (2.0 - height));
}
vec3 surroundings(vec3 direction) {
  vec3 low = grounded ? openFloor() : 0.7 * HIGH;
  float height = clamp(1.4 * direction.y, 0.0, 1.0);
  float lamp = clamp((dot(direction, key) - 0.90) / 0.08, 0.0, 1.0);
  return mix(low, ZENITH, height * (2.0 - height)) + 1.2 * lamp * lamp * (3.0 - 2.0 * lamp) * KEY;
}
vec3 reflected(vec3 position, vec3 n, vec3 color, float gloss, float sheen, float lit) {
  vec3 toEye = normalize(eye - position);
  vec3 light = lit * KEY;
  vec3 ambient = mix(BOUNCE, SKY, 0.5 + 0.5 * n.y);
  vec3 diffuse = light * max(dot(n, key), 0.0) + ambient + FILL * max(dot(n, fill), 0.0);
  float highlight = pow(max(dot(n, normalize(key + toEye)), 0.0), 12.0 + 90.0 * gloss);
  float grazing = 1.0 - clamp(dot(n, toEye), 0.0, 1.0);
  vec3 rim = grazing * grazing * grazing * (ambient + 0.25 * light);
  return color * diffuse + gloss * highlight * light + sheen * rim * (color + 0.15) + 0.5 * gloss * grazing * grazing * rim;
}
`;

// The share of the key light that reaches a point: a disc of sixteen samples of the shadow map, turned at random.
const SHADOW = `
uniform sampler2DShadow shadowMap;
uniform mat4 toLight;
uniform float texel;
float lit(vec3 position, vec3 n) {
  if (dot(n, key) <= 0.0) return 0.0;
  vec3 at = (toLight * vec4(position + n * texel * 2.5, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float sum = 0.0;
  for (int k = 0; k < 16; k++) {
    float angle = turn + 2.39996 * float(k);
    float reach = sqrt((float(k) + 0.5) / 16.0) * 3.2 / float(textureSize(shadowMap, 0).x);
    sum += texture(shadowMap, at + vec3(reach * cos(angle), reach * sin(angle), -0.0006));
  }
  return sum / 16.0;
}
`;

const SCREEN = `${HEAD}
out vec2 place;
void main() {
  place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
  gl_Position = vec4(place * 2.0 - 1.0, 0.9999999, 1.0);
}`;

// Triangles, and balls as triangles of a unit ball.
const surfaceVertex = (ball) => `${HEAD}
layout(location = 0) in vec3 position;
${ball ? "layout(location = 4) in vec4 middle;" : "layout(location = 1) in vec3 normal;"}
layout(location = 2) in vec4 front;
layout(location = 3) in vec4 back;
uniform mat4 toClip;
out vec3 at, facing;
out vec4 frontColor, backColor;
void main() {
  at = ${ball ? "middle.xyz + middle.w * position" : "position"};
  facing = ${ball ? "position" : "normal"};
  frontColor = front;
  backColor = back;
  gl_Position = toClip * vec4(at, 1.0);
}`;

export const PROGRAMS = {
  mesh: [surfaceVertex(false), `${HEAD}${STUDIO}${SHADOW}
in vec3 at, facing;
in vec4 frontColor, backColor;
out vec4 color;
void main() {
  vec3 n = normalize(facing);
  vec3 facet = normalize(cross(dFdx(at), dFdy(at)));
  vec3 toEye = normalize(eye - at);
  if (dot(facet, toEye) < 0.0) facet = -facet;
  bool behind = !gl_FrontFacing;
  if (behind) n = -n;
  if (dot(n, toEye) < 0.0) n = normalize(n - toEye * dot(n, toEye));
  vec3 albedo = behind ? backColor.rgb : frontColor.rgb;
  color = vec4(display(reflected(at, n, albedo * albedo, frontColor.a, backColor.a, lit(at, n))), 1.0);
}`],
  ball: [surfaceVertex(true), `${HEAD}${STUDIO}${SHADOW}
in vec3 at, facing;
in vec4 frontColor, backColor;
out vec4 color;
void main() {
  vec3 n = normalize(facing);
  color = vec4(display(reflected(at, n, frontColor.rgb * frontColor.rgb, frontColor.a, backColor.a, lit(at, n))), 1.0);
}`],
  meshDepth: [surfaceVertex(false), `${HEAD}void main() {}`],
  ballDepth: [surfaceVertex(true), `${HEAD}void main() {}`],
  backdrop: [SCREEN, `${HEAD}${STUDIO}
uniform vec3 right, up, forward;
in vec2 place;
out vec4 color;
void main() {
  vec2 ray = place * 2.0 - 1.0;
  color = vec4(display(backdrop(normalize(forward + ray.x * right + ray.y * up))), 1.0);
}`],
  ground: [`${HEAD}
uniform vec3 center;
uniform float radius, ground;
uniform mat4 toClip;
out vec3 at;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  at = vec3(center.x + 12.0 * radius * corner.x, ground, center.z + 12.0 * radius * corner.y);
  gl_Position = toClip * vec4(at, 1.0);
}`, `${HEAD}${STUDIO}${SHADOW}
in vec3 at;
out vec4 color;
void main() {
  vec3 light = reflected(at, vec3(0.0, 1.0, 0.0), FLOOR, 0.0, 0.0, lit(at, vec3(0.0, 1.0, 0.0)));
  float share = clamp((length((at - center).xz) / radius - 1.6) / 6.4, 0.0, 1.0);
  color = vec4(display(mix(light, backdrop(normalize(at - eye)), share * share * (3.0 - 2.0 * share))), 1.0);
}`],
  // Particles of liquids as round dots: the depth of their fronts.
  dropDepth: [dropVertex(), `${HEAD}
uniform mat4 toScreen;
in vec2 spot;
in vec3 viewed;
in float size;
out vec4 depth;
void main() {
  float square = dot(spot, spot);
  if (square > 1.0) discard;
  float z = viewed.z + size * sqrt(1.0 - square);
  vec4 clip = toScreen * vec4(viewed.xy + size * spot, z, 1.0);
  gl_FragDepth = clip.z / clip.w * 0.5 + 0.5;
  depth = vec4(-z, 0.0, 0.0, 1.0);
}`],
  // The optical depth that they add, per channel.
  dropThickness: [dropVertex(), `${HEAD}
uniform sampler2D solid;
uniform vec2 planes;
in vec2 spot;
in vec3 viewed;
in float size;
in vec4 look;
in float clear;
out vec4 depth;
void main() {
  float square = dot(spot, spot);
  if (square > 1.0) discard;
  float d = texelFetch(solid, ivec2(gl_FragCoord.xy), 0).r * 2.0 - 1.0;
  float wall = 2.0 * planes.x * planes.y / (planes.x + planes.y - d * (planes.y - planes.x));
  if (-viewed.z > wall) discard;
  vec3 absorbed = -log(clamp(look.rgb * look.rgb, 0.001, 0.999)) + 3.0 * look.a;
  depth = vec4(0.30 * 2.0 * size * sqrt(1.0 - square) / clear * absorbed, size * sqrt(1.0 - square));
}`],
  // Smooths the depth of fronts along one axis, without reaching across edges.
  smooth: [SCREEN, `${HEAD}
uniform sampler2D depths;
uniform vec2 axis;
uniform float reach, scale;
out vec4 depth;
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(depths, 0) - 1;
  float middle = texelFetch(depths, here, 0).r;
  if (middle <= 0.0) { depth = vec4(0.0); return; }
  float width = clamp(scale * reach / middle, 1.0, 24.0);
  int count = int(ceil(width));
  float sum = 0.0, weight = 0.0;
  for (int k = -24; k <= 24; k++) {
    if (abs(k) > count) continue;
    float other = texelFetch(depths, clamp(here + k * ivec2(axis), ivec2(0), last), 0).r;
    if (other <= 0.0) continue;
    float along = float(k) / width, across = (other - middle) / (1.6 * reach);
    float w = exp(-2.0 * along * along - across * across);
    sum += w * other;
    weight += w;
  }
  depth = vec4(sum / weight, 0.0, 0.0, 1.0);
}`],
  // How much of the sky a point sees.
  occlusion: [SCREEN, `${HEAD}
uniform sampler2D solid;
uniform vec2 planes, slope;
uniform float radius;
out vec4 open;
float depthAt(ivec2 at) {
  float d = texelFetch(solid, clamp(at, ivec2(0), textureSize(solid, 0) - 1), 0).r * 2.0 - 1.0;
  return 2.0 * planes.x * planes.y / (planes.x + planes.y - d * (planes.y - planes.x));
}
vec3 pointAt(ivec2 at, float depth) {
  vec2 ray = ((vec2(at) + 0.5) / vec2(textureSize(solid, 0)) * 2.0 - 1.0) * slope;
  return vec3(ray * depth, -depth);
}
void main() {
  ivec2 here = ivec2(gl_FragCoord.xy) * 2;
  float depth = depthAt(here);
  if (depth > 0.98 * planes.y) { open = vec4(1.0); return; }
  vec3 p = pointAt(here, depth);
  vec3 right = pointAt(here + ivec2(1, 0), depthAt(here + ivec2(1, 0))) - p;
  vec3 left = p - pointAt(here - ivec2(1, 0), depthAt(here - ivec2(1, 0)));
  vec3 up = pointAt(here + ivec2(0, 1), depthAt(here + ivec2(0, 1))) - p;
  vec3 down = p - pointAt(here - ivec2(0, 1), depthAt(here - ivec2(0, 1)));
  vec3 n = normalize(cross(abs(right.z) < abs(left.z) ? right : left, abs(up.z) < abs(down.z) ? up : down));
  float reach = 0.22 * radius;
  float pixels = min(0.5 * float(textureSize(solid, 0).y) * reach / (slope.y * depth), 160.0);
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float hidden = 0.0;
  for (int k = 0; k < 14; k++) {
    float angle = turn + 2.39996 * float(k);
    ivec2 at = here + ivec2(vec2(cos(angle), sin(angle)) * pixels * sqrt((float(k) + 0.7) / 14.0));
    vec3 way = pointAt(at, depthAt(at)) - p;
    float square = dot(way, way);
    float rise = max(dot(n, way) - 0.004 * radius - 0.0015 * depth, 0.0) * inversesqrt(square + 1e-9);
    hidden += rise * clamp(1.0 - square / (reach * reach), 0.0, 1.0);
  }
  open = vec4(clamp(1.0 - 2.1 * hidden / 14.0, 0.0, 1.0));
}`],
  // The finished picture: occlusion over what is solid, then liquids.
  finish: [SCREEN, `${HEAD}${STUDIO}
uniform sampler2D solidColor, solid, openness, fronts, thickness;
uniform vec2 planes, slope;
uniform vec3 right, up, forward;
uniform bool wet;
in vec2 place;
out vec4 color;
float wallAt(ivec2 at) {
  float d = texelFetch(solid, at, 0).r * 2.0 - 1.0;
  return 2.0 * planes.x * planes.y / (planes.x + planes.y - d * (planes.y - planes.x));
}
vec3 dry(vec2 at) {
  float wall = wallAt(ivec2(at * vec2(textureSize(solid, 0))));
  float sum = 0.0;
  ivec2 corner = ivec2(at * vec2(textureSize(openness, 0)) - 1.5), last = textureSize(openness, 0) - 1;
  for (int k = 0; k < 16; k++) sum += texelFetch(openness, clamp(corner + ivec2(k & 3, k >> 2), ivec2(0), last), 0).r;
  vec3 c = pow(texture(solidColor, at).rgb, vec3(2.2));
  float share = sum / 16.0;
  return c * mix(vec3(share), vec3(1.0), 0.35 * c);
}
vec3 pointAt(vec2 at, float depth) { return vec3((at * 2.0 - 1.0) * slope * depth, -depth); }
vec3 along(ivec2 here, ivec2 way, float depth) {
  vec2 size = vec2(textureSize(fronts, 0));
  ivec2 last = textureSize(fronts, 0) - 1;
  float ahead = texelFetch(fronts, clamp(here + way, ivec2(0), last), 0).r;
  float behind = texelFetch(fronts, clamp(here - way, ivec2(0), last), 0).r;
  vec2 p = (vec2(here) + 0.5) / size, d = vec2(way) / size;
  bool useAhead = behind <= 0.0 || (ahead > 0.0 && abs(ahead - depth) < abs(behind - depth));
  if (useAhead && ahead <= 0.0) return pointAt(p + d, depth) - pointAt(p, depth);
  return useAhead ? pointAt(p + d, ahead) - pointAt(p, depth) : pointAt(p, depth) - pointAt(p - d, behind);
}
void main() {
  vec3 light = dry(place);
  if (wet) {
    ivec2 here = ivec2(gl_FragCoord.xy);
    float depth = texelFetch(fronts, here, 0).r, wall = wallAt(here);
    if (depth > 0.0 && depth < wall) {
      vec3 n = normalize(cross(along(here, ivec2(1, 0), depth), along(here, ivec2(0, 1), depth)));
      vec3 world = normalize(n.x * right / length(right) + n.y * up / length(up) - n.z * forward);
      vec2 ray = place * 2.0 - 1.0;
      vec3 ahead = normalize(forward + ray.x * right + ray.y * up);
      vec4 optical = texelFetch(thickness, here, 0);
      vec2 bent = place - n.xy * min(optical.a, 0.3 * radius) * 0.1 / (slope * depth);
      ivec2 other = ivec2(clamp(bent, 0.0, 1.0) * vec2(textureSize(solid, 0)));
      if (wallAt(min(other, textureSize(solid, 0) - 1)) < depth) bent = place;
      vec3 behind = dry(clamp(bent, 0.001, 0.999)) * exp(-optical.rgb);
      float cosine = clamp(-dot(world, ahead), 0.0, 1.0);
      float mirrored = 0.02 + 0.98 * pow(1.0 - cosine, 5.0);
      vec3 sky = pow(display(surroundings(reflect(ahead, world))), vec3(2.2));
      float glint = max(dot(world, normalize(key - ahead)), 0.0);
      light = mix(behind, sky, mirrored) + (0.9 * pow(glint, 500.0) + 0.05 * pow(glint, 60.0)) * vec3(1.0, 0.96, 0.9);
    }
  }
  float grain = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  color = vec4(pow(light, vec3(1.0 / 2.2)) + grain / 255.0, 1.0);
}`],
  // The string by which something is held.
  string: [`${HEAD}
uniform mat4 toClip;
uniform vec3 ends[2];
void main() { gl_Position = toClip * vec4(ends[gl_VertexID], 1.0); gl_PointSize = 9.0; }`, `${HEAD}
uniform bool dotted;
out vec4 color;
void main() {
  if (dotted && length(gl_PointCoord - 0.5) > 0.5) discard;
  color = vec4(0.70, 0.23, 0.28, 1.0);
}`],
};

function dropVertex() {
  return `${HEAD}
layout(location = 0) in vec4 middle;
layout(location = 1) in vec4 appearance;
layout(location = 2) in float depthOfColor;
uniform mat4 toView, toScreen;
uniform float enlarged;
out vec2 spot;
out vec3 viewed;
out float size;
out vec4 look;
out float clear;
void main() {
  spot = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  size = middle.w * enlarged;
  viewed = (toView * vec4(middle.xyz, 1.0)).xyz;
  look = appearance;
  clear = depthOfColor;
  gl_Position = toScreen * vec4(viewed.xy + size * spot, viewed.z, 1.0);
}`;
}
