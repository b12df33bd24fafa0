//! The command `xpbd replay`.

use std::process::ExitCode;

use examples::play::{Record, Session};
use xpbd_core::cpu::Threads;

use super::{Outcome, ReplayArgs};

/// Replays a record, prints what it ends in, and fails if that has another hash than the record.
pub fn replay(args: &ReplayArgs) -> Outcome {
    let text = args.record.rsplit('=').next().unwrap_or_default();
    let record = Record::from_text(text)?;
    let (frames, expected) = (record.frames, record.hash);
    let threads = args.threads.map_or(Threads::All, |count| Threads::Exactly(count as usize));
    let mut session = Session::replay(record, threads)?;
    while session.replayed_frames().is_some() {
        session.step()?;
    }
    let played = session.record();
    println!("scene        {}: {frames} frames, {} inputs", played.settings.scene, played.inputs.len());
    println!("state        {:016x}", played.hash);
    println!("record       {}", played.to_text()?);
    if played.hash == expected {
        return Ok(ExitCode::SUCCESS);
    }
    println!("recorded     {expected:016x}, another state");
    Ok(ExitCode::FAILURE)
}
