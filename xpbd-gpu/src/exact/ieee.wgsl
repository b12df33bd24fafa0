// Quotients and square roots to the nearest float, from those of a device that misses by some units in the last place.
// The fused product of an estimate gives its remainder without rounding (P. W. Markstein, IBM J. Res. Dev. 34, 1990).
// There are neither branches nor calls, so that the instructions can stand wherever a quotient or a root stands. What is 0,
// infinite or negative is told by bits: a device may take very small numbers for zero when it compares them.

fn ieee_quotient(a: f32, b: f32) -> f32 {
    let x = abs(a);
    let y = abs(b);
    // Powers of two keep all steps among the normal floats.
    let m = select(select(0, -96, x > 0x1p60f), 96, x < 0x1p-60f);
    let n = select(select(0, -96, y > 0x1p60f), 96, y < 0x1p-60f);
    let numerator = x * bitcast<f32>((127 + m) << 23u);
    let denominator = y * bitcast<f32>((127 + n) << 23u);

    let estimate = 1.0 / denominator;
    let better = fma(fma(-denominator, estimate, 1.0), estimate, estimate);
    let best = fma(fma(-denominator, better, 1.0), better, better);
    // The one significand from which this does not come to the nearest inverse is all ones.
    let bits = bitcast<u32>(denominator);
    let other = bitcast<f32>(((253u - (bits >> 23u)) << 23u) | 1u);
    let inverse = select(best, other, (bits & 0x7fffffu) == 0x7fffffu);
    let first = numerator * inverse;
    let second = fma(fma(-denominator, first, numerator), inverse, first);
    let q = fma(fma(-denominator, second, numerator), inverse, second);

    let half = (n - m) >> 1u;
    let up = bitcast<f32>((127 + half) << 23u);
    let down = bitcast<f32>((127 - half) << 23u);
    let scaled = bitcast<u32>(q * up * up);
    // What is less than a normal float has been rounded twice, to the wrong side of a tie where the first rounding made one.
    let excess = q - bitcast<f32>(scaled) * down * down;
    let is_tie = abs(excess) == down * 0x1p-100f * 0x1p-50f * down;
    let remainder = fma(-denominator, q, numerator);
    let too_low = select(0u, 1u, is_tie & (excess > 0.0) & (remainder > 0.0));
    let too_high = select(0u, 1u, is_tie & (excess < 0.0) & (remainder < 0.0));

    let sign = (bitcast<u32>(a) ^ bitcast<u32>(b)) & 0x80000000u;
    let result = bitcast<f32>((scaled + too_low - too_high) | sign);
    let is_plain = (bitcast<u32>(y) - 1u < 0x7f7fffffu) & (bitcast<u32>(x) < 0x7f800000u);
    return select(a / b, result, is_plain);
}

fn ieee_root(x: f32) -> f32 {
    let n = select(select(0, -96, x > 0x1p60f), 96, x < 0x1p-60f);
    let square = x * bitcast<f32>((127 + n) << 23u);
    let first = sqrt(square);
    let near = fma(fma(-first, first, square), 0.5 / first, first);
    let below = bitcast<f32>(bitcast<u32>(near) - 1u);
    let above = bitcast<f32>(bitcast<u32>(near) + 1u);
    let nearer = select(near, above, fma(-near, above, square) > 0.0);
    let nearest = select(nearer, below, fma(-near, below, square) <= 0.0);
    let root = nearest * bitcast<f32>((127 - (n >> 1u)) << 23u);
    let is_zero = (bitcast<u32>(x) << 1u) == 0u;
    return select(select(first, x, is_zero), root, bitcast<u32>(x) - 1u < 0x7f7fffffu);
}
