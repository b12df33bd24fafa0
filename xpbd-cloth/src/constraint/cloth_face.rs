//! A triangle of a sheet that can [tear](crate::tear()).
//!
//! Not a constraint that is solved: a batch of faces is broken from the start. It is there for what it knows,
//! the triangles of the sheet as they are now and what each of them bears, which a snapshot saves and an edit
//! of the batch changes like that of any other. C is the area, so that a residual means something.

use xpbd_core::batch::{Batch, BatchError};
use xpbd_core::prelude::*;

/// A triangle of a sheet that can tear. Parameters: area at rest \[m²\], the largest strain \[1\], the largest
/// force of an edge \[N\]; `f32::MAX` for what it bears without limit.
#[derive(Debug, Clone, Copy)]
pub struct ClothFace;

impl Constraint<3, 1> for ClothFace {
    type Parameters<S: Copy> = [S; 3];

    const NAME: &'static str = "cloth-face";

    fn value<S: Real>(x: &Points<S, 3>, [area, ..]: [S; 3]) -> [S; 1] {
        let normal = (x.now[1] - x.now[0]).cross(x.now[2] - x.now[0]);
        [normal.length() * 0.5 - area]
    }
}

impl ClothFace {
    /// Returns the faces of a sheet, which are never solved.
    ///
    /// # Errors
    /// The lists differ in length.
    pub fn batch(triangles: &[[u32; 3]], params: &[[f32; 3]]) -> Result<Batch, BatchError> {
        let mut batch = Batch::new(Self, triangles, params)?;
        (0..triangles.len()).for_each(|face| batch.set_broken(face, true));
        Ok(batch)
    }
}
