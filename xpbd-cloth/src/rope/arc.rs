//! The arc of a circle on which a slack rope starts.
//!
//! n chords of length l over the angle Φ span D = l sin(Φ/2)/sin(Φ/2n), which falls from n l at
//! Φ = 0 to 0 at the full circle: every slack has its arc, and all links have their rest length.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3};
use xpbd_core::scalar::{Double, Real};

use super::RopeError;
use xpbd_core::number::NumberError;

/// The relative slack below which a rope is straight.
const TAUT: f64 = 1e-6;

/// Returns the points of `segments` links of together `length` \[m\], from the origin to `span` \[m\].
pub(super) fn slack_points(span: Vec3, segments: u32, length: f32) -> Result<Vec<Vec3>, RopeError> {
    if segments == 0 {
        return Err(RopeError::TooFewPoints(1));
    }
    NumberError::check_positive("length", length)?;
    if !span.is_finite() {
        return Err(RopeError::Position { point: segments, position: span });
    }
    let (end, n) = (span.as_dvec3(), f64::from(segments));
    let (distance, link) = (end.length(), f64::from(length) / n);
    if distance == 0.0 {
        return Err(RopeError::Coincident { first: 0, second: segments });
    }
    let ratio = distance / f64::from(length);
    if ratio > 1.0 + TAUT {
        return Err(RopeError::TooShort { length, distance: distance as f32 });
    }
    if ratio > 1.0 - TAUT {
        return Ok((0..=segments).map(|k| (end * (f64::from(k) / n)).as_vec3()).collect());
    }
    if segments == 1 {
        return Err(RopeError::OneLink { length, distance: distance as f32 });
    }
    let angle = arc_angle(ratio, n);
    let radius = 0.5 * link / sin(0.5 * angle / n);
    let along = end / distance;
    let down = [-DVec3::Y, DVec3::X].map(|v| v - along * v.dot(along));
    let down = if down[0].length() > 1e-3 { down[0] } else { down[1] }.normalize();
    let point = |k: u32| {
        let turn = angle * (f64::from(k) / n - 0.5);
        along * (0.5 * distance + radius * sin(turn)) + down * (radius * (cos(turn) - cos(0.5 * angle)))
    };
    Ok((0..=segments).map(|k| if k == segments { span } else { point(k).as_vec3() }).collect())
}

/// Returns the angle Φ \[rad\] at which n chords span this part of their length, by bisection.
fn arc_angle(ratio: f64, n: f64) -> f64 {
    let (mut low, mut high) = (0.0, TAU);
    for _ in 0..60 {
        let angle = 0.5 * (low + high);
        if sin(0.5 * angle) > ratio * n * sin(0.5 * angle / n) {
            low = angle;
        } else {
            high = angle;
        }
    }
    0.5 * (low + high)
}

fn sin(angle: f64) -> f64 {
    Double(angle).sin().0
}

fn cos(angle: f64) -> f64 {
    Double(angle).cos().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_has_its_length_for_any_slack() {
        let spans = [Vec3::new(1.5, 0.0, 0.0), Vec3::new(0.3, 1.0, -0.2), Vec3::new(0.0, 1.0, 0.0), Vec3::X * 0.01];
        for span in spans {
            let points = slack_points(span, 10, 2.0).unwrap();
            assert_eq!(points.len(), 11);
            assert_eq!((points[0].length() < 1e-6, points[10]), (true, span));
            for pair in points.windows(2) {
                assert!((pair[0].distance(pair[1]) - 0.2).abs() < 1e-6, "{span} {pair:?}");
            }
        }
        assert!(slack_points(Vec3::X, 10, 1.2).unwrap()[5].y < -0.2);
    }
}
