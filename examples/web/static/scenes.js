// The scenes of the page: each is one of the runner's, with options for which one thread of a browser is fast enough.
export const SCENES = [
  {
    name: "drape", title: "Statue", keys: { n: 48, tear: 1 }, substeps: 10,
    hint: "Pull the cloth off the cat, or tear it. The knife cuts it.",
  },
  { name: "sail", title: "Sail", keys: { n: 32, wind: 3 }, substeps: 12, hint: "Push the boat, or hold its sail." },
  { name: "bridge", title: "Rope bridge", keys: {}, substeps: 12, hint: "Lift a crate, or swing the bridge." },
  { name: "jelly", title: "Jelly", keys: { n: 2500 }, substeps: 10, hint: "Pull its tail." },
  { name: "flag", title: "Flag", keys: {}, substeps: 16, hint: "Hold on to the flag." },
];

// Constraints to begin with.
export const PRESETS = [
  { title: "hill", text: "hill(a):\n  let p = world(a);\n  p.y >= 0.35 + 0.25 * cos(4 * p.x) * cos(4 * p.z)" },
  { title: "bubble", text: "bubble(a):\n  length(world(a) - (0, 0.7, 0)) >= 0.55" },
  { title: "shrink", text: "shrink(a, b; rest):\n  distance(a, b) <= 0.8 * rest" },
  { title: "starch", text: "starch(a, b, c, d):\n  let left = normalize(cross(b - a, c - a));\n  let right = normalize(cross(d - a, b - a));\n  acos(clamp(dot(left, right), -0.999, 0.999)) <= 0.25" },
];
