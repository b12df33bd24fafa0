//! Demos in windows of a virtual display, driven by events of mouse and keyboard: each one starts, reacts, and ends clean.
//!
//! They need `Xvfb`, `openbox`, `xdotool` and the built demos; `.ci/windows` has all of them. Without, the tests show as
//! ignored, unless `XPBD_REQUIRE_WINDOWS` is set: then they fail.

mod display;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use display::{Display, Picture, Rectangle};
use libtest_mimic::{Arguments, Failed, Trial, run};

/// A software device draws a few frames a second, and makes its shaders first.
const PATIENCE: Duration = Duration::from_secs(120);

/// A demo: its name, its arguments, the place of something that can be dragged, in parts of the window, its own keys, and the
/// hues of its things from here to there around the circle \[degrees\], each with the least part of the window that has it \[1\].
struct Demo {
    name: &'static str,
    arguments: &'static [&'static str],
    grab: [f64; 2],
    keys: &'static [&'static str],
    hues: &'static [([f64; 2], f64)],
}

const DEMOS: [Demo; 8] = [
    Demo {
        name: "cloth",
        arguments: &[],
        grab: [0.36, 0.45],
        keys: &["w", "w"],
        hues: &[([340.0, 20.0], 0.02), ([205.0, 230.0], 0.01)],
    },
    Demo { name: "bridge", arguments: &[], grab: [0.5, 0.34], keys: &["space"], hues: &[([15.0, 33.0], 0.01)] },
    Demo { name: "pour", arguments: &[], grab: [0.57, 0.66], keys: &["space", "t"], hues: &[([190.0, 208.0], 0.01)] },
    Demo {
        name: "harbour",
        arguments: &[],
        grab: [0.43, 0.58],
        keys: &["space", "w", "Left"],
        hues: &[([355.0, 10.0], 0.005), ([315.0, 335.0], 0.002)],
    },
    Demo {
        name: "playground",
        arguments: &[],
        grab: [0.25, 0.525],
        keys: &["space", "space"],
        hues: &[([335.0, 355.0], 0.01)],
    },
    Demo {
        name: "vehicle",
        arguments: &[],
        grab: [0.5, 0.5],
        keys: &["Up", "Left", "space"],
        hues: &[([350.0, 10.0], 0.01)],
    },
    Demo { name: "kinds", arguments: &["cluster"], grab: [0.5, 0.5], keys: &[], hues: &[([255.0, 285.0], 0.005)] },
    Demo { name: "custom_constraint", arguments: &[], grab: [0.53, 0.56], keys: &[], hues: &[([120.0, 150.0], 0.005)] },
];

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let required = std::env::var_os("XPBD_REQUIRE_WINDOWS").is_some();
    let tests = DEMOS.iter().map(|demo| {
        let program = programs().map(|folder| folder.join(demo.name)).filter(|program| program.exists());
        let missing = program.is_none() || !has_tools();
        let test = move || match program {
            Some(program) => Session::start(demo, &program).and_then(Session::play).map_err(Failed::from),
            None => Err("the demo is not built: cargo build -p examples --features bevy --examples".into()),
        };
        Trial::test(demo.name, test).with_ignored_flag(missing && !required)
    });
    run(&arguments, tests.collect()).exit();
}

/// Returns the folder of the built demos, beside that of the tests.
fn programs() -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.parent()?.join("examples"))
}

/// Returns whether there are the tools for a display.
fn has_tools() -> bool {
    let folders: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    ["Xvfb", "openbox", "xdotool"].iter().all(|tool| folders.iter().any(|folder| folder.join(tool).exists()))
}

/// A demo that runs in a window of its own display.
struct Session {
    display: Display,
    program: Child,
    window: String,
    log: PathBuf,
    demo: &'static Demo,
}

impl Session {
    /// Starts a demo, and waits until it draws.
    fn start(demo: &'static Demo, program: &Path) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("xpbd-window-{}-{}", demo.name, std::process::id()));
        let display = Display::start(&folder)?;
        let log = folder.join("log.txt");
        let output = || File::create(&log).map_err(|error| format!("{}: {error}", log.display()));
        let mut command = display.command(program);
        command.args(demo.arguments).env("RUST_LOG", "info,wgpu=error,naga=warn,xpbd_bevy::drag=debug");
        command.stdout(output()?).stderr(File::options().append(true).open(&log).map_err(|error| error.to_string())?);
        let program = command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let mut session = Self { display, program, window: String::new(), log, demo };
        let process = session.program.id();
        session.wait("there is no window", |session| {
            let search = format!("search --onlyvisible --pid {process}");
            let Ok(found) = session.display.send(&search) else { return Ok(false) };
            session.window = found.lines().last().unwrap_or_default().to_string();
            Ok(!session.window.is_empty())
        })?;
        session.wait("nothing is drawn", |session| Ok(session.picture()?.colors() > 50))?;
        Ok(session)
    }

    fn rectangle(&self) -> Result<Rectangle, String> {
        self.display.rectangle(&self.window)
    }

    fn picture(&self) -> Result<Picture, String> {
        self.display.picture(self.rectangle()?)
    }

    /// Waits until a condition holds, while the program runs.
    fn wait(&mut self, or: &str, mut holds: impl FnMut(&mut Self) -> Result<bool, String>) -> Result<(), String> {
        let begun = Instant::now();
        while !holds(self)? {
            if let Ok(Some(status)) = self.program.try_wait() {
                return Err(format!("{or}: the demo has ended with {status}\n{}", self.log()));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("{or} after {} s\n{}", PATIENCE.as_secs(), self.log()));
            }
            sleep(Duration::from_millis(250));
        }
        Ok(())
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Presses a key, and waits for some frames: two presses within one frame count once.
    fn press(&self, key: &str) -> Result<(), String> {
        self.display.send(&format!("key {key}"))?;
        sleep(Duration::from_millis(1500));
        Ok(())
    }

    /// Waits until the picture stays as it is for some frames, and returns it.
    fn still(&mut self) -> Result<Picture, String> {
        let (mut last, mut times) = (self.picture()?, 0);
        self.wait("the picture does not come to rest in a pause", |session| {
            sleep(Duration::from_secs(2));
            let now = session.picture()?;
            times = if now.difference(&last) < 1e-3 { times + 1 } else { 0 };
            last = now;
            Ok(times == 3)
        })?;
        Ok(last)
    }

    /// Plays with the demo, and closes it.
    fn play(mut self) -> Result<(), String> {
        self.display.send(&format!("windowactivate --sync {}", self.window))?;
        // A software device draws a small window sooner.
        self.resize([640, 400])?;
        self.see_colors()?;
        let before = self.pause()?;
        self.drag(&before)?;
        for key in self.demo.keys {
            self.press(key)?;
        }
        self.look_around()?;
        self.resize([800, 500])?;
        self.minimise()?;
        self.close()
    }

    /// Waits until every thing of the demo is seen by its hue.
    fn see_colors(&mut self) -> Result<(), String> {
        let demo = self.demo;
        for &(hues, least) in demo.hues {
            let what = format!("less than {least} of the window has hues of {hues:?}");
            self.wait(&what, |session| Ok(session.picture()?.share_of_hues(hues) >= least))?;
        }
        Ok(())
    }

    /// Pauses, shows the times on top of what stands still, and returns the picture.
    fn pause(&mut self) -> Result<Picture, String> {
        self.press("p")?;
        let still = self.still()?;
        self.press("f")?;
        self.wait("the overlay does not show", |session| Ok(session.picture()?.difference(&still) > 1e-3))?;
        self.press("f")?;
        self.wait("the overlay stays", |session| Ok(session.picture()?.difference(&still) < 1e-3))?;
        Ok(still)
    }

    /// Grabs what is at the place of the demo or above it: some things fall while the demo starts. Returns where that is.
    fn grab(&mut self) -> Result<[usize; 2], String> {
        let [left, top, width, height] = self.rectangle()?;
        let [x, y] = self.demo.grab;
        for k in 0..6 {
            let y = (y - 0.08 * f64::from(k)).max(0.1);
            let place = [left + (x * width as f64) as usize, top + (y * height as f64) as usize];
            let answers = |session: &Self, answer: &str| session.log().matches(answer).count();
            let before = answers(self, "grabs");
            self.display.press(place)?;
            self.wait("the mouse is not heard", |session| Ok(answers(session, "grabs") > before))?;
            if answers(self, "grabs Some") > 0 {
                return Ok(place);
            }
            self.display.release()?;
            sleep(Duration::from_secs(1));
        }
        Err(format!("the mouse grabs nothing\n{}", self.log()))
    }

    /// Grabs something, goes on, drags it upwards, and pauses again: the thing is not where it was.
    fn drag(&mut self, before: &Picture) -> Result<(), String> {
        let [_, _, width, height] = self.rectangle()?;
        let from = self.grab()?;
        self.press("p")?;
        self.display.drag(from, [from[0] + width / 10, from[1].saturating_sub(height / 8)], Duration::from_secs(2))?;
        self.press("p")?;
        let difference = self.still()?.difference(before);
        if difference < 2e-3 {
            return Err(format!("the mouse moves nothing: {difference} of the picture differs"));
        }
        self.press("p")
    }

    /// Pauses, turns the camera, zooms, and starts anew: each changes the picture.
    fn look_around(&mut self) -> Result<(), String> {
        self.press("p")?;
        let [left, top, width, height] = self.rectangle()?;
        let middle = format!("mousemove {} {}", left + width / 2, top + height / 2);
        for (what, events) in [
            ("turn", ["mousedown 3", "mousemove_relative --sync 90 10", "mouseup 3"].as_slice()),
            ("zoom", ["click 4", "click 4", "click 4"].as_slice()),
            ("start anew", ["key r"].as_slice()),
        ] {
            let still = self.still()?;
            self.display.send(&middle)?;
            for event in events {
                sleep(Duration::from_millis(700));
                self.display.send(event)?;
            }
            self.wait(&format!("nothing changes: {what}"), |session| Ok(session.picture()?.difference(&still) > 2e-3))?;
        }
        self.press("p")
    }

    /// Gives the window another size, and waits until it is drawn to its new corners.
    fn resize(&mut self, size: [usize; 2]) -> Result<(), String> {
        self.display.send(&format!("windowsize {} {} {}", self.window, size[0], size[1]))?;
        self.wait("the window keeps its size", |session| Ok(session.rectangle()?[2..] == size))?;
        self.wait("the window is not drawn anew", |session| {
            let picture = session.picture()?;
            let corner = picture.pixels.iter().rev().nth(10 * (picture.width + 1));
            Ok(picture.colors() > 50 && corner.is_some_and(|pixel| *pixel != [0; 3]))
        })
    }

    /// Minimises the window, and brings it back.
    fn minimise(&mut self) -> Result<(), String> {
        self.display.send(&format!("windowminimize {}", self.window))?;
        sleep(Duration::from_secs(2));
        self.display.send(&format!("windowactivate {}", self.window))?;
        self.wait("the window does not come back", |session| Ok(session.picture()?.colors() > 50))
    }

    /// Closes the window, and waits until the program has ended without an error.
    fn close(&mut self) -> Result<(), String> {
        self.display.send("key alt+F4")?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(Some(status)) = self.program.try_wait() {
                let log = self.log();
                let is_clean = status.success() && !log.contains("panicked") && !log.contains("ERROR");
                return if is_clean { Ok(()) } else { Err(format!("the demo ended with {status}\n{log}")) };
            }
            sleep(Duration::from_millis(250));
        }
        Err("the demo does not end with its window".into())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}
