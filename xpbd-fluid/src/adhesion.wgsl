// Adhesion; the twin of `adhesion.rs`, where the formulas stand.

const ADHESION = 3u;
// The largest E h²/m that a step can follow.
const MOST = 0.02f;
