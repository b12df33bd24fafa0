//! `xpbd validate`.
use super::Outcome;
/// stub
pub fn validate(_json: bool) -> Outcome { todo!() }
