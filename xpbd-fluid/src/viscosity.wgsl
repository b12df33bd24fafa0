// Viscosity; the twin of `viscosity.rs`, where the formulas stand. Inverse mass [1/kg], 1/μ [1/(Pa s)], crowding and
// volume of each member are handed on.

const VISCOSITY = 1u;
// Least 1/μ of a fluid [1/(Pa s)]; that of a solid is 0.
const LEAST_FLUIDITY = 1e-12f;
// A viscosity [Pa s] that is as good as none.
const LEAST_VISCOSITY = 1e-37f;
// What the bound is divided by where nothing can move or nothing is around.
const LEAST_BOUND = 1e-30f;
