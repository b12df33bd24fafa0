//! Programs over vectors of 16 lanes, for processors with AVX-512.

use std::arch::x86_64::*;

use super::Run;

/// Lanes of a vector.
pub const WIDTH: usize = 16;

type V = __m512;

include!(concat!(env!("OUT_DIR"), "/avx512.rs"));

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(from: *const f32) -> V {
    // SAFETY: passed on to the caller.
    unsafe { _mm512_loadu_ps(from) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(to: *mut f32, v: V) {
    // SAFETY: passed on to the caller.
    unsafe { _mm512_storeu_ps(to, v) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(value: f32) -> V {
    _mm512_set1_ps(value)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(a: V, b: V) -> V {
    _mm512_add_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sub(a: V, b: V) -> V {
    _mm512_sub_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn mul(a: V, b: V) -> V {
    _mm512_mul_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn div(a: V, b: V) -> V {
    _mm512_div_ps(a, b)
}

/// a where a < b, otherwise b.
#[inline]
#[target_feature(enable = "avx512f")]
fn min(a: V, b: V) -> V {
    _mm512_min_ps(a, b)
}

/// a where b < a, otherwise b.
#[inline]
#[target_feature(enable = "avx512f")]
fn max(a: V, b: V) -> V {
    _mm512_max_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn sqrt(a: V) -> V {
    _mm512_sqrt_ps(a)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn neg(a: V) -> V {
    _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(a), _mm512_castps_si512(splat(-0.0))))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn abs(a: V) -> V {
    _mm512_abs_ps(a)
}

/// c where a < b, otherwise d.
#[inline]
#[target_feature(enable = "avx512f")]
fn select_lt(a: V, b: V, c: V, d: V) -> V {
    _mm512_mask_blend_ps(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), d, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn round(a: V) -> V {
    _mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a)
}
