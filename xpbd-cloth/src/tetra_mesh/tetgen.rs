//! Tetrahedral meshes from TetGen's files: `.node` and `.ele`.
//!
//! ```text
//! # name.node                                  # name.ele
//! <points> 3 <attributes> <markers>            <tetrahedra> <4 or 10> <attributes>
//! <number> <x> <y> <z> ...                     <number> <n₁> <n₂> <n₃> <n₄> ...
//! ```
//!
//! Numbers count from 0 or from 1, as that of the first point says; `#` begins a comment. Attributes, markers and the
//! nodes on edges of quadratic tetrahedra are left out, and so are points of no tetrahedron.

use glam::Vec3;
use thiserror::Error;

use super::{TetraError, TetraMesh};
use crate::constraint::tetra::volume;

/// An error of files of TetGen.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TetgenError {
    /// A line cannot be read.
    #[error("line {line} of the {file} file: expected {expected}, found `{found}`")]
    Line {
        /// Which of the two files it is: `.node` or `.ele`.
        file: &'static str,
        /// Number of the line, counted from 1.
        line: usize,
        /// Text that the file should hold there.
        expected: String,
        /// Text of the line.
        found: String,
    },
    /// A file ends early.
    #[error("the {file} file ends after {found} of {expected} {what}")]
    Truncated {
        /// Which of the two files it is: `.node` or `.ele`.
        file: &'static str,
        /// Number of rows read.
        found: usize,
        /// Number of rows in its first line.
        expected: usize,
        /// `points`, `tetrahedra` or `first lines`.
        what: &'static str,
    },
    /// The mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] TetraError),
}

impl TetraMesh {
    /// Creates a mesh from the text of a `.node` and of an `.ele` file. If all tetrahedra have the opposite orientation,
    /// as TetGen itself writes them, all are inverted.
    ///
    /// # Errors
    /// The first line that cannot be read, or what is wrong with the mesh.
    pub fn from_tetgen(node: &str, ele: &str) -> Result<Self, TetgenError> {
        let (first, positions) = points(node)?;
        let mut tetrahedra = corners(ele, first, positions.len())?;
        let at = |t: &[u32; 4]| t.map(|vertex| positions[vertex as usize]);
        if tetrahedra.iter().all(|t| volume(at(t)) < 0.0) {
            tetrahedra.iter_mut().for_each(|t| t.swap(2, 3));
        }
        let mut number = vec![0; positions.len()];
        tetrahedra.as_flattened().iter().for_each(|&vertex| number[vertex as usize] = 1);
        let mut used = Vec::new();
        for (number, position) in number.iter_mut().zip(positions).filter(|(number, _)| **number == 1) {
            *number = used.len() as u32;
            used.push(position);
        }
        tetrahedra.as_flattened_mut().iter_mut().for_each(|vertex| *vertex = number[*vertex as usize]);
        Ok(Self::from_tetrahedra(&used, &tetrahedra)?)
    }
}

/// The lines of a file that are neither empty nor comments.
struct Lines<'a> {
    file: &'static str,
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    line: usize,
    text: &'a str,
}

impl<'a> Lines<'a> {
    fn new(file: &'static str, text: &'a str) -> Self {
        Self { file, lines: text.lines().enumerate(), line: 0, text: "" }
    }

    /// Advances to the next line and returns whether there is one.
    fn advance(&mut self) -> bool {
        for (number, line) in self.lines.by_ref() {
            (self.line, self.text) = (number + 1, line.split('#').next().unwrap_or("").trim());
            if !self.text.is_empty() {
                return true;
            }
        }
        false
    }

    fn refused(&self, expected: impl Into<String>) -> TetgenError {
        TetgenError::Line { file: self.file, line: self.line, expected: expected.into(), found: self.text.into() }
    }

    /// Returns the first `N` numbers of the line.
    fn numbers<T: std::str::FromStr, const N: usize>(&self, skip: usize, what: &str) -> Result<[T; N], TetgenError> {
        let parsed: Option<Vec<T>> =
            self.text.split_whitespace().skip(skip).take(N).map(|word| word.parse().ok()).collect();
        parsed.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| self.refused(what))
    }

    /// Returns how many rows the first line promises, and its second number.
    fn head(&mut self, what: &str) -> Result<[usize; 2], TetgenError> {
        if !self.advance() {
            return Err(TetgenError::Truncated { file: self.file, found: 0, expected: 1, what: "first lines" });
        }
        self.numbers(0, what)
    }
}

/// Returns the number of the first point, and where the points are.
fn points(text: &str) -> Result<(usize, Vec<Vec3>), TetgenError> {
    let mut lines = Lines::new(".node", text);
    let [expected, dimension] = lines.head("the number of points and the dimension 3")?;
    if dimension != 3 {
        return Err(lines.refused("the number of points and the dimension 3"));
    }
    let (mut first, mut positions) = (0, Vec::new());
    while positions.len() < expected {
        if !lines.advance() {
            return Err(TetgenError::Truncated { file: ".node", found: positions.len(), expected, what: "points" });
        }
        let [number] = lines.numbers::<usize, 1>(0, "the number of a point")?;
        if positions.is_empty() {
            first = number.min(1);
        }
        if number != first + positions.len() {
            return Err(lines.refused(format!("point {}", first + positions.len())));
        }
        positions.push(Vec3::from_array(lines.numbers(1, "three coordinates")?));
    }
    Ok((first, positions))
}

/// Returns the vertices of the tetrahedra, from 0.
fn corners(text: &str, first: usize, points: usize) -> Result<Vec<[u32; 4]>, TetgenError> {
    let mut lines = Lines::new(".ele", text);
    let [expected, nodes] = lines.head("the number of tetrahedra and their nodes, 4 or 10")?;
    if nodes != 4 && nodes != 10 {
        return Err(lines.refused("the number of tetrahedra and their nodes, 4 or 10"));
    }
    let mut tetrahedra = Vec::new();
    while tetrahedra.len() < expected {
        if !lines.advance() {
            return Err(TetgenError::Truncated { file: ".ele", found: tetrahedra.len(), expected, what: "tetrahedra" });
        }
        let last = (first + points).saturating_sub(1);
        let what = || format!("four points from {first} to {last}");
        let corners: [usize; 4] = lines.numbers(1, &what())?;
        if corners.iter().any(|corner| !(first..first + points).contains(corner)) {
            return Err(lines.refused(what()));
        }
        tetrahedra.push(corners.map(|corner| (corner - first) as u32));
    }
    Ok(tetrahedra)
}
