//! The surface of an object: triangles between its particles that collide as such.

use serde::{Deserialize, Serialize};

/// Triangles that collide with themselves and with those of other objects: vertices with triangles and
/// edges with edges, so that layers may be thinner than particles.
///
/// Particles of two objects that both have surfaces do not collide as balls, nor do those of one that
/// has one. Colliders and objects without a surface meet its particles as ever. Triangles of an absent
/// particle are not there. An edge may have any number of triangles, and they may be wound either way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Three particles each, of the object.
    pub triangles: Vec<[u32; 3]>,
    /// Distance at which two layers are kept \[m\], positive; of two surfaces the mean counts. Features that are
    /// nearer in the rest shape do not collide. A half of the edges or less is best: more leaves many out.
    pub thickness: f32,
}
