// Surface tension; the twin of `surface_tension.rs`, where the formulas stand. Normal and density of each member are handed on.

// What has no surface tension is no liquid.
const NO_LIQUID = 0xffffffffu;

// The liquid of a member.
fn liquid(k: u32) -> u32 {
    if is_solid(k) || number(k, SURFACE_TENSION) == 0.0 {
        return NO_LIQUID;
    }
    return material(k);
}
