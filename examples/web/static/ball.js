// A unit ball of triangles: an icosahedron whose faces are divided.

export function ball(levels) {
  const golden = (1 + Math.sqrt(5)) / 2;
  const points = [
    [-1, golden, 0], [1, golden, 0], [-1, -golden, 0], [1, -golden, 0], [0, -1, golden], [0, 1, golden],
    [0, -1, -golden], [0, 1, -golden], [golden, 0, -1], [golden, 0, 1], [-golden, 0, -1], [-golden, 0, 1],
  ].map(onBall);
  let faces = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
  ];
  for (let level = 0; level < levels; level++) {
    const middles = new Map();
    const middle = (a, b) => {
      const edge = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (!middles.has(edge)) middles.set(edge, points.push(onBall(points[a].map((x, k) => x + points[b][k]))) - 1);
      return middles.get(edge);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  return { positions: new Float32Array(points.flat()), indices: new Uint16Array(faces.flat()) };
}

function onBall(point) {
  const length = Math.hypot(...point);
  return point.map((x) => x / length);
}
