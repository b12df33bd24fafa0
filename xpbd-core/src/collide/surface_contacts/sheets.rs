//! Sheets: the connected parts of a surface, and on which side of its triangles each of them is.

use std::collections::VecDeque;

use hashbrown::HashMap;

/// Returns the sheet of each triangle, numbered from `first` on. The number is negative where the normal of a triangle points to
/// the other side of the sheet than that of the first one. A sheet with one side has a seam at which sides are exchanged.
pub(super) fn sheets(triangles: &[[u32; 3]], first: i32) -> Vec<i32> {
    let edges = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]];
    let mut at_edge: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
    for (k, &corners) in triangles.iter().enumerate() {
        for [a, b] in edges(corners) {
            at_edge.entry([a.min(b), a.max(b)]).or_default().push(k as u32);
        }
    }
    let (mut sheet_of, mut next) = (vec![0; triangles.len()], first);
    let mut open = VecDeque::new();
    for start in 0..triangles.len() {
        if sheet_of[start] != 0 {
            continue;
        }
        sheet_of[start] = next;
        open.push_back(start);
        while let Some(one) = open.pop_front() {
            for [a, b] in edges(triangles[one]) {
                for &other in &at_edge[&[a.min(b), a.max(b)]] {
                    let other = other as usize;
                    if sheet_of[other] == 0 {
                        let is_against = edges(triangles[other]).contains(&[a, b]);
                        sheet_of[other] = if is_against { -sheet_of[one] } else { sheet_of[one] };
                        open.push_back(other);
                    }
                }
            }
        }
        next += 1;
    }
    sheet_of
}

#[cfg(test)]
mod tests {
    use super::sheets;

    #[test]
    fn triangles_wound_against_their_neighbours_are_on_the_other_side() {
        let strip = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [3, 4, 5], [7, 8, 9]];
        assert_eq!(sheets(&strip, 5), [5, 5, 5, -5, 6]);
    }
}
