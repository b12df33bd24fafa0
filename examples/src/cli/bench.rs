//! `xpbd bench`.
use super::Outcome;
/// stub
pub fn bench(_scenes: &[String], _json: bool) -> Outcome { todo!() }
