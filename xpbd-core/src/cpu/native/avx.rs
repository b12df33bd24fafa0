//! Programs over vectors of 8 lanes, for processors with AVX.

use std::arch::x86_64::*;

use super::Run;

/// Lanes of a vector.
pub const WIDTH: usize = 8;

type V = __m256;

include!(concat!(env!("OUT_DIR"), "/avx.rs"));

#[inline]
#[target_feature(enable = "avx")]
unsafe fn load(from: *const f32) -> V {
    // SAFETY: passed on to the caller.
    unsafe { _mm256_loadu_ps(from) }
}

#[inline]
#[target_feature(enable = "avx")]
unsafe fn store(to: *mut f32, v: V) {
    // SAFETY: passed on to the caller.
    unsafe { _mm256_storeu_ps(to, v) }
}

#[inline]
#[target_feature(enable = "avx")]
fn splat(value: f32) -> V {
    _mm256_set1_ps(value)
}

#[inline]
#[target_feature(enable = "avx")]
fn add(a: V, b: V) -> V {
    _mm256_add_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx")]
fn sub(a: V, b: V) -> V {
    _mm256_sub_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx")]
fn mul(a: V, b: V) -> V {
    _mm256_mul_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx")]
fn div(a: V, b: V) -> V {
    _mm256_div_ps(a, b)
}

/// a where a < b, otherwise b.
#[inline]
#[target_feature(enable = "avx")]
fn min(a: V, b: V) -> V {
    _mm256_min_ps(a, b)
}

/// a where b < a, otherwise b.
#[inline]
#[target_feature(enable = "avx")]
fn max(a: V, b: V) -> V {
    _mm256_max_ps(a, b)
}

#[inline]
#[target_feature(enable = "avx")]
fn sqrt(a: V) -> V {
    _mm256_sqrt_ps(a)
}

#[inline]
#[target_feature(enable = "avx")]
fn neg(a: V) -> V {
    _mm256_xor_ps(a, splat(-0.0))
}

#[inline]
#[target_feature(enable = "avx")]
fn abs(a: V) -> V {
    _mm256_andnot_ps(splat(-0.0), a)
}

/// c where a < b, otherwise d.
#[inline]
#[target_feature(enable = "avx")]
fn select_lt(a: V, b: V, c: V, d: V) -> V {
    _mm256_blendv_ps(d, c, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
}

#[inline]
#[target_feature(enable = "avx")]
fn round(a: V) -> V {
    _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a)
}
