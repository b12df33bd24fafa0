// Draws lists of triangles, balls and particles of liquids with WebGL2, from the key light's shadows to the finished picture.

import { add, axes, multiply, normalize, parallel, perspective, viewMatrix } from "./camera.js";
import { PROGRAMS } from "./shaders.js";
import { ball } from "./ball.js";

const SHADOW_SIZE = 2048;
// The radius of the light's view over that of the content at the start.
const SHADOW_REACH = 1.6;
// Radius with which a particle of a liquid is drawn over its own, so that neighbours join.
const DROP_SIZE = 2.0;

export class Renderer {
  constructor(canvas) {
    const options = { antialias: false, alpha: false, depth: false, powerPreference: "high-performance" };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) throw new Error("This browser has no WebGL2, with which the page draws.");
    this.gl = gl;
    this.canvas = canvas;
    // Without it liquids are drawn as balls.
    this.canBlend = Boolean(gl.getExtension("EXT_color_buffer_float") && gl.getExtension("EXT_float_blend"));
    this.programs = Object.fromEntries(Object.entries(PROGRAMS).map(([name, sources]) => [name, link(gl, name, ...sources)]));
    this.mesh = { array: gl.createVertexArray(), vertices: gl.createBuffer(), indices: gl.createBuffer(), count: 0 };
    this.balls = [2, 3].map((level) => unitBall(gl, level));
    this.instances = gl.createBuffer();
    this.drops = { array: gl.createVertexArray(), buffer: gl.createBuffer(), count: 0 };
    this.empty = gl.createVertexArray();
    this.describeMesh();
    this.describeDrops();
    this.shadow = shadowTarget(gl);
    this.size = [0, 0];
    this.samples = 4;
    this.sphereCount = 0;
    const information = gl.getExtension("WEBGL_debug_renderer_info");
    const name = information ? gl.getParameter(information.UNMASKED_RENDERER_WEBGL) : "";
    // True if a processor draws.
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(name);
  }

  describeMesh() {
    const gl = this.gl;
    gl.bindVertexArray(this.mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.mesh.vertices);
    attribute(gl, 0, 3, gl.FLOAT, 32, 0);
    attribute(gl, 1, 3, gl.FLOAT, 32, 12);
    attribute(gl, 2, 4, gl.UNSIGNED_BYTE, 32, 24);
    attribute(gl, 3, 4, gl.UNSIGNED_BYTE, 32, 28);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.mesh.indices);
    for (const { array } of this.balls) {
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
      attribute(gl, 4, 4, gl.FLOAT, 24, 0, 1);
      attribute(gl, 2, 4, gl.UNSIGNED_BYTE, 24, 16, 1);
      attribute(gl, 3, 4, gl.UNSIGNED_BYTE, 24, 20, 1);
    }
  }

  describeDrops() {
    const gl = this.gl;
    gl.bindVertexArray(this.drops.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.drops.buffer);
    attribute(gl, 0, 4, gl.FLOAT, 24, 0, 1);
    attribute(gl, 1, 4, gl.UNSIGNED_BYTE, 24, 16, 1);
    attribute(gl, 2, 1, gl.FLOAT, 24, 20, 1);
    gl.bindVertexArray(null);
  }

  // Sets the light of a scene: see `stage` of the library.
  light(stage) {
    this.stage = stage;
    const radius = SHADOW_REACH * stage.radius;
    const eye = add(stage.center, stage.key, 2 * radius);
    this.toLight = multiply(parallel(radius), viewMatrix(eye, axes(stage.key.map((x) => -x))));
    this.texel = (2 * radius) / SHADOW_SIZE;
  }

  // Takes what there is to draw.
  load(vertices, indices, spheres, drops) {
    const gl = this.gl;
    gl.bindVertexArray(this.mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.mesh.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STREAM_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STREAM_DRAW);
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.canBlend ? spheres : asBalls(spheres, drops), gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.drops.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, drops, gl.STREAM_DRAW);
    this.mesh.count = indices.length;
    if (drops.length > 0) this.dropReach = DROP_SIZE * new Float32Array(drops.buffer, drops.byteOffset, 4)[3];
    this.drops.count = this.canBlend ? drops.length / 6 : 0;
    this.sphereCount = (this.canBlend ? spheres.length : spheres.length + drops.length) / 6;
  }

  // Draws a frame. `held` is the point by which something is held and its target, or empty.
  draw(camera, held) {
    const { gl, canvas } = this;
    const isOther = this.size[0] !== canvas.width || this.size[1] !== canvas.height || this.allocated !== this.samples;
    if (isOther) this.resize(canvas.width, canvas.height);
    const view = this.view(camera);
    this.drawShadows();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.multisampled);
    gl.viewport(0, 0, ...this.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.depthMask(false);
    this.fullScreen("backdrop", view);
    gl.depthMask(true);
    gl.enable(gl.DEPTH_TEST);
    if (view.grounded && view.eye[1] > view.ground) this.quad("ground", view);
    this.surfaces("mesh", "ball", view);
    if (held.length > 0) this.string(view, held);
    gl.disable(gl.DEPTH_TEST);
    this.resolve();
    if (this.drops.count > 0) this.drawDrops(view);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.half.frame);
    gl.viewport(0, 0, ...this.half.size);
    this.fullScreen("occlusion", view);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, ...this.size);
    this.fullScreen("finish", { ...view, wet: this.drops.count > 0 });
  }

  // Returns the uniforms of a view.
  view(camera) {
    const { stage } = this;
    const aspect = this.size[0] / this.size[1];
    const { eye, axes: at, tangent } = camera;
    const near = 0.03 * camera.distance;
    const far = camera.distance + 20 * stage.radius;
    const toView = viewMatrix(eye, at);
    const toScreen = perspective(tangent, aspect, near, far);
    const back = normalize([-at.forward[0], 0, -at.forward[2]]);
    const slope = [tangent * aspect, tangent];
    return {
      eye, toView, toScreen, slope, planes: [near, far], toClip: multiply(toScreen, toView),
      right: at.right.map((x) => x * slope[0]), up: at.up.map((x) => x * slope[1]), forward: at.forward,
      key: stage.key, fill: normalize(add(add([0, 0.3, 0], back, 0.5), at.right, 0.8)), center: stage.center, radius: stage.radius,
      ground: Number.isNaN(stage.ground) ? 0 : stage.ground, grounded: !Number.isNaN(stage.ground),
      toLight: this.toLight, texel: this.texel, shadowMap: this.shadow.texture, enlarged: DROP_SIZE,
      solid: this.solid.depth, solidColor: this.solid.color, openness: this.half.color,
      fronts: this.fronts[0].color, thickness: this.thickness.color,
    };
  }

  drawShadows() {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadow.frame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 2);
    this.surfaces("meshDepth", "ballDepth", { toClip: this.toLight });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.DEPTH_TEST);
  }

  surfaces(mesh, sphere, uniforms) {
    const gl = this.gl;
    if (this.mesh.count > 0) {
      this.use(mesh, uniforms);
      gl.bindVertexArray(this.mesh.array);
      gl.drawElements(gl.TRIANGLES, this.mesh.count, gl.UNSIGNED_INT, 0);
    }
    if (this.sphereCount > 0) {
      const { array, count } = this.balls[this.sphereCount < 60 ? 1 : 0];
      this.use(sphere, uniforms);
      gl.bindVertexArray(array);
      gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_SHORT, 0, this.sphereCount);
    }
  }

  string(view, held) {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.empty);
    this.use("string", { ...view, ends: held, dotted: false });
    gl.drawArrays(gl.LINES, 0, 2);
    this.use("string", { ...view, ends: held, dotted: true });
    gl.drawArrays(gl.POINTS, 0, 2);
  }

  // Brings the samples together, for reading.
  resolve() {
    const gl = this.gl;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.multisampled);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, this.solid.frame);
    const area = [0, 0, ...this.size, 0, 0, ...this.size];
    gl.blitFramebuffer(...area, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.blitFramebuffer(...area, gl.DEPTH_BUFFER_BIT, gl.NEAREST);
  }

  drawDrops(view) {
    const gl = this.gl;
    const dots = (program) => {
      this.use(program, view);
      gl.bindVertexArray(this.drops.array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.drops.count);
    };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.fronts[0].frame);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    dots("dropDepth");
    gl.disable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.thickness.frame);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    dots("dropThickness");
    gl.disable(gl.BLEND);
    const reach = this.dropReach;
    const scale = this.size[1] / (2 * view.slope[1]);
    for (const axis of [[1, 0], [0, 1], [1, 0], [0, 1]]) {
      const [from, to] = axis[0] ? this.fronts : [this.fronts[1], this.fronts[0]];
      gl.bindFramebuffer(gl.FRAMEBUFFER, to.frame);
      this.fullScreen("smooth", { depths: from.color, axis, reach, scale });
    }
  }

  fullScreen(program, uniforms) {
    this.use(program, uniforms);
    this.gl.bindVertexArray(this.empty);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, 3);
  }

  quad(program, uniforms) {
    this.use(program, uniforms);
    this.gl.bindVertexArray(this.empty);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }

  use(name, values) {
    const { gl } = this;
    const { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    let unit = 0;
    for (const { name, type, place } of uniforms) {
      const value = values[name];
      if (value === undefined) throw new Error(`no value for the uniform ${name}`);
      if (type === gl.SAMPLER_2D || type === gl.SAMPLER_2D_SHADOW) {
        gl.activeTexture(gl.TEXTURE0 + unit);
        gl.bindTexture(gl.TEXTURE_2D, value);
        gl.uniform1i(place, unit++);
      } else if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(place, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(place, value);
      else if (type === gl.FLOAT) gl.uniform1f(place, value);
      else gl.uniform1i(place, value);
    }
  }

  resize(width, height) {
    const gl = this.gl;
    this.size = [width, height];
    for (const frame of [this.solid, this.half, this.thickness, ...(this.fronts ?? [])]) release(gl, frame);
    for (const buffer of this.buffers ?? []) gl.deleteRenderbuffer(buffer);
    gl.deleteFramebuffer(this.multisampled ?? null);
    this.allocated = this.samples;
    const samples = this.samples > 1 ? Math.min(this.samples, gl.getParameter(gl.MAX_SAMPLES)) : 0;
    this.multisampled = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.multisampled);
    this.buffers = [[gl.RGBA8, gl.COLOR_ATTACHMENT0], [gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]].map(([format, place]) => {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
      return buffer;
    });
    this.solid = target(gl, [width, height], gl.RGBA8, true);
    this.half = target(gl, [width, height].map((n) => Math.max(1, n >> 1)), gl.R8, false);
    const depth = this.canBlend ? gl.R32F : gl.R8;
    this.fronts = [target(gl, [width, height], depth, true), target(gl, [width, height], depth, false)];
    this.thickness = target(gl, [width, height], this.canBlend ? gl.RGBA16F : gl.RGBA8, false);
  }
}

function link(gl, name, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error(`The shader ${name} does not compile: ${logs.join(" ")} ${gl.getProgramInfoLog(program)}`);
  }
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0;
  const uniforms = Array.from({ length: count }, (_, k) => {
    const { name, type } = gl.getActiveUniform(program, k);
    return { name: name.replace("[0]", ""), type, place: gl.getUniformLocation(program, name) };
  });
  return { program, uniforms };
}

function attribute(gl, place, size, type, stride, offset, divisor = 0) {
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, size, type, type !== gl.FLOAT, stride, offset);
  gl.vertexAttribDivisor(place, divisor);
}

function unitBall(gl, level) {
  const { positions, indices } = ball(level);
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
  attribute(gl, 0, 3, gl.FLOAT, 12, 0);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  return { array, count: indices.length };
}

function texture(gl, [width, height], format) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  const filter = format === gl.RGBA8 ? gl.LINEAR : gl.NEAREST;
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, filter);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return made;
}

function target(gl, size, format, deep) {
  const frame = gl.createFramebuffer();
  const color = texture(gl, size, format);
  const depth = deep ? texture(gl, size, gl.DEPTH_COMPONENT24) : null;
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
  if (deep) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  return { frame, color, depth, size };
}

function release(gl, frame) {
  if (!frame) return;
  gl.deleteFramebuffer(frame.frame);
  gl.deleteTexture(frame.color);
  gl.deleteTexture(frame.depth);
}

function shadowTarget(gl) {
  const made = texture(gl, [SHADOW_SIZE, SHADOW_SIZE], gl.DEPTH_COMPONENT24);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, made, 0);
  return { frame, texture: made };
}

// Returns balls with particles of liquids among them.
function asBalls(spheres, drops) {
  const all = new Uint32Array(spheres.length + drops.length);
  all.set(spheres);
  all.set(drops, spheres.length);
  // In place of the depth of the colour, the colour of the sheen.
  for (let k = spheres.length; k < all.length; k += 6) all[k + 5] = all[k + 4] & 0xffffff;
  return all;
}
