// The camera, which turns about a point, and the matrices of views.

export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const add = (a, b, scale = 1) => [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const normalize = (a) => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};

// Returns the axes right, up, forward of a view along a direction.
export function axes(forward) {
  const right = normalize(cross(forward, Math.abs(forward[1]) > 0.999 ? [1, 0, 0] : [0, 1, 0]));
  return { right, up: cross(right, forward), forward };
}

// Returns the product a · b of matrices in columns.
export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let k = 0; k < 4; k++) product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    }
  }
  return product;
}

// Returns the matrix from the world to a view whose depth grows away from the viewer along −z.
export function viewMatrix(eye, { right, up, forward }) {
  return new Float32Array([
    right[0], up[0], -forward[0], 0, right[1], up[1], -forward[1], 0, right[2], up[2], -forward[2], 0,
    -dot(right, eye), -dot(up, eye), dot(forward, eye), 1,
  ]);
}

export function perspective(tangent, aspect, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / (tangent * aspect), 0, 0, 0, 0, 1 / tangent, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0,
  ]);
}

// Returns the parallel projection of what is up to four radii ahead, and one beside the line of sight.
export function parallel(radius) {
  return new Float32Array([1 / radius, 0, 0, 0, 0, 1 / radius, 0, 0, 0, 0, -0.5 / radius, 0, 0, 0, -1, 1]);
}

export class Camera {
  // Takes the view of a scene, see `stage` of the library, and how far its content can fall.
  constructor(stage, fall) {
    const back = sub(stage.eye, stage.target);
    this.distance = Math.hypot(...back);
    this.azimuth = Math.atan2(back[0], back[2]);
    this.elevation = Math.asin(back[1] / this.distance);
    this.distance *= 1.15 + (0.4 * fall) / stage.radius;
    this.tangent = Math.tan((stage.fov * Math.PI) / 360);
    // The meters are below.
    this.target = add(stage.target, [0, -0.7 * fall - 0.04 * this.tangent * this.distance, 0]);
    this.limits = [0.25 * this.distance, 3 * this.distance];
    this.lowest = Number.isNaN(stage.ground) ? -Infinity : stage.ground;
  }

  // Turns by parts of the height of the picture.
  turn(across, up) {
    this.azimuth -= 3 * across;
    this.elevation = Math.min(1.5, Math.max(-0.2, this.elevation + 3 * up));
  }

  zoom(factor) {
    this.distance = Math.min(this.limits[1], Math.max(this.limits[0], this.distance * factor));
  }

  get eye() {
    const reach = Math.cos(this.elevation);
    const way = [reach * Math.sin(this.azimuth), Math.sin(this.elevation), reach * Math.cos(this.azimuth)];
    const eye = add(this.target, way, this.distance);
    // The view stays above the ground.
    eye[1] = Math.max(eye[1], this.lowest + 0.02 * this.distance);
    return eye;
  }

  get axes() {
    return axes(normalize(sub(this.target, this.eye)));
  }

  // Returns the direction through a point of the picture, x and y from −1 to 1.
  direction(x, y, aspect) {
    const { right, up, forward } = this.axes;
    return normalize(add(add(forward, right, x * this.tangent * aspect), up, y * this.tangent));
  }
}
