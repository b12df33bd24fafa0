//! The command `xpbd replay`.

use std::process::ExitCode;

use examples::play::{Record, Session};
use xpbd_core::cpu::{CpuBackend, Threads};

use super::{Outcome, ReplayArgs};

/// Replays a record, prints what it ends in, and fails if that has another hash than the record.
pub fn replay(args: &ReplayArgs) -> Outcome {
    let text = args.record.rsplit('=').next().unwrap_or_default();
    let record = Record::from_text(text)?;
    let (frames, expected) = (record.frames, record.hash);
    let threads = args.threads.map_or(Threads::All, |count| Threads::Exactly(count as usize));
    let mut backend = CpuBackend::new(threads);
    let mut session = Session::replay(record)?;
    while session.replayed_frames().is_some() {
        session.step(&mut backend)?;
    }
    let played = session.record();
    println!("scene        {}: {frames} frames, {} inputs", played.settings.scene, played.inputs.len());
    println!("state        {:016x}", session.state_hash());
    println!("record       {}", played.to_text()?);
    match expected {
        Some(hash) if hash != session.state_hash() => {
            println!("recorded     {hash:016x}, another state");
            Ok(ExitCode::FAILURE)
        }
        Some(_) => Ok(ExitCode::SUCCESS),
        None => {
            println!("recorded     no state, since a GPU has taken part");
            Ok(ExitCode::SUCCESS)
        }
    }
}
