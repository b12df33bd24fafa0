//! A triangle of a sheet that can [tear](crate::tear()).
//!
//! It is not a constraint that is solved: a batch of faces is broken from the start. Its data are the triangles of the
//! sheet in their present state and their limits, which a snapshot saves and an edit of the batch changes like
//! those of any other. C is the difference of the area to that at rest, so that a residual means something.

use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::prelude::*;

xpbd_core::parameters! {
    /// Parameters of [`ClothFace`]. A limit of `f32::MAX` is none.
    pub struct ClothFaceParameters<S> {
        /// Area at rest \[m²\].
        pub rest_area: S,
        /// Largest strain \[1\] before the triangle tears off.
        pub max_strain: S,
        /// Largest force \[N\] of an edge before it tears.
        pub max_force: S,
    }
}

/// A triangle of a sheet that can tear.
#[derive(Debug, Clone, Copy)]
pub struct ClothFace;

impl Constraint<3, 1> for ClothFace {
    type Parameters<S: Copy> = ClothFaceParameters<S>;

    const NAME: &'static str = "cloth-face";

    fn value<S: Real>(x: &Points<S, 3>, face: ClothFaceParameters<S>) -> [S; 1] {
        let normal = (x.now[1] - x.now[0]).cross(x.now[2] - x.now[0]);
        [normal.length() * 0.5 - face.rest_area]
    }
}

impl ClothFace {
    /// Creates the faces of a sheet, which are never solved.
    ///
    /// # Errors
    /// The lists differ in length.
    pub fn batch(triangles: &[[u32; 3]], parameters: &[ClothFaceParameters]) -> Result<Batch, BatchError> {
        let mut batch = Batch::new(Self, triangles, parameters)?;
        (0..triangles.len()).for_each(|face| batch.set_broken(face, true));
        Ok(batch)
    }
}
