//! Numbers that look random and depend only on how many particles came before.

use glam::Vec3;

/// Returns the site of the n-th particle that leaves alone: each of a list in turn, far from the one before.
pub(super) fn pick(sites: &[Vec3], n: u64) -> Option<Vec3> {
    let count = sites.len() as u64;
    if count == 0 {
        return None;
    }
    // Steps of the golden section of the list, without a common divisor with its length.
    let step = (0..count)
        .map(|k| (count * 618 / 1000 + k).max(1))
        .find(|&step| greatest_common_divisor(step, count) == 1)
        .unwrap_or(1);
    sites.get(((n % count) * step % count) as usize).copied()
}

/// Returns the greatest common divisor.
fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Returns a vector with components in [−1, 1), for the k-th particle of a layer.
pub(super) fn offset(layer: u64, k: u64) -> Vec3 {
    let bits = split_mix(layer.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ split_mix(k));
    let part = |shift: u32| ((bits >> shift) & 0x1F_FFFF) as f32 / (1u32 << 20) as f32 - 1.0;
    Vec3::new(part(0), part(21), part(42))
}

/// Returns the output of SplitMix64 for a state.
fn split_mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_site_is_picked_once_in_a_round() {
        for count in 1..200 {
            let sites: Vec<Vec3> = (0..count).map(|k| Vec3::X * k as f32).collect();
            let mut seen: Vec<u32> = (0..count).filter_map(|n| Some(pick(&sites, 7 * count + n)?.x as u32)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().map(u64::from).eq(0..count));
        }
        assert_eq!(pick(&[], 3), None);
    }

    #[test]
    fn offsets_are_within_one_and_centred() {
        let all: Vec<Vec3> = (0..10_000).map(|k| offset(k / 100, k % 100)).collect();
        assert!(all.iter().all(|x| x.abs().max_element() <= 1.0));
        // The mean of 10⁴ numbers of variance 1/3: σ = 5.8e-3.
        let mean = all.iter().sum::<Vec3>() / 1e4;
        assert!(mean.abs().max_element() < 0.025, "{mean}");
    }
}
