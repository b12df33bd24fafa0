// A bound [m], from the whole number that stands for it.
fn largest(k: u32) -> f32 {
    let bits = bound_bits(k);
    return bitcast<f32>(select(~bits, bits & 0x7fffffffu, bits >= 0x80000000u));
}
