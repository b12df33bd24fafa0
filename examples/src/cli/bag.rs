//! The command `xpbd bag`.

use std::error::Error;
use std::process::ExitCode;

use examples::matrix::{Kind, throw_in_bags};

use super::{BagArgs, Outcome};

/// Makes random throws in a closed bag, and fails if anything comes out.
pub fn bag(args: &BagArgs) -> Outcome {
    let throws = throw_in_bags(args.seed, args.throws).map_err(|error| error as Box<dyn Error>)?;
    let passed: Vec<_> = throws.iter().filter(|throw| throw.outside > 0).collect();
    if args.json {
        println!("{}", serde_json::json!({ "throws": throws }));
    } else {
        for throw in &passed {
            let (kind, speed) = (throw.kind.name(), throw.speed);
            println!("seed {}: {} of {} of a {kind} at {speed:.1} m/s", throw.seed, throw.outside, throw.count);
        }
        for kind in Kind::THROWN {
            let of_kind: Vec<_> = throws.iter().filter(|throw| throw.kind == *kind).collect();
            let come_out = of_kind.iter().filter(|throw| throw.outside > 0).count();
            println!("{}: {come_out} of {} throws come out", kind.name(), of_kind.len());
        }
    }
    Ok(if passed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
