//! The surface of an object: triangles between its particles that collide as such.

use serde::{Deserialize, Serialize};

/// Triangles that collide with themselves and with those of other objects, vertices with triangles and edges with edges,
/// so that layers may be thinner than particles, with the particles of objects without a surface, and with the shapes of
/// colliders.
///
/// Such a particle, of a liquid, grains, a rope, a cluster or another cloth, is a ball that is kept at its radius and half
/// of the thickness from every triangle, on the side from which it came, at any speed. It does not rebound. The particles of
/// an object with a surface do not collide as balls. Colliders meet them as ever, and their corners and edges meet triangles
/// and edges at half of the thickness: a corner or a spike that is smaller than a triangle rests inside of it. Corners and
/// edges of convex shapes push a surface out that begins inside of the shape; those of meshes keep it on the side on which it
/// was. Triangles of an absent particle are not there. An edge may have any number of triangles, and they may be wound either way.
///
/// What is much heavier than the vertices around it is held by a surface whose object has [supports](super::Support).
/// Without them, or where a surface is curved between its pins, particles from about twenty times the mass of a vertex pass
/// through at 10 substeps; more substeps help.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Three particles each, of the object.
    pub triangles: Vec<[u32; 3]>,
    /// Distance at which two layers are kept \[m\], positive; of two surfaces the mean counts. Features that are
    /// nearer than 1.2 times of it in the rest shape do not collide. A half of the edges or less is best: more leaves many out.
    pub thickness: f32,
    /// Speed at which a liquid seeps through, for each metre of its height above the surface \[1/s\]; 0 for a surface that
    /// is tight. This is Darcy's law for a thin sheet, v = ψ Δp/(ρ g) with the standard gravity g, and ψ is the permittivity of
    /// textiles (ISO 11058). The liquid pushes the surface as the surface holds it back. What is not a liquid does not
    /// pass, and nothing does with [`SolverMethod::Pbd`](crate::settings::SolverMethod::Pbd).
    pub permeability: f32,
}
