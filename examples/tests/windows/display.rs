//! A virtual display with a window manager, and events of mouse and keyboard.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The settings of the window manager: windows without borders, which close at Alt and F4.
const MANAGER: &str = r#"<openbox_config xmlns="http://openbox.org/3.4/rc">
<theme><keepBorder>no</keepBorder></theme>
<keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
<applications><application class="*"><decor>no</decor></application></applications>
</openbox_config>"#;

/// The size of the display \[px\].
const SIZE: &str = "1280x800x24";

/// The pixels of a display or of a part of it, in rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub width: usize,
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Returns the part of the pixels of which a channel differs by more than a tenth of its range \[1\].
    pub fn difference(&self, other: &Self) -> f64 {
        let differs = |(a, b): &(&[u8; 3], &[u8; 3])| (0..3).any(|k| a[k].abs_diff(b[k]) > 25);
        let count = self.pixels.iter().zip(&other.pixels).filter(differs).count();
        count as f64 / self.pixels.len().max(1) as f64
    }

    /// Returns the part of the pixels that have a hue from one to the other around the circle \[degrees\], and are not grey \[1\].
    pub fn share_of_hues(&self, [from, to]: [f64; 2]) -> f64 {
        let has_hue = |&&[red, green, blue]: &&[u8; 3]| {
            let [red, green, blue] = [red, green, blue].map(f64::from);
            let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
            let range = most - least;
            if most < 25.0 || range < 0.18 * most {
                return false;
            }
            let sixth = match () {
                () if most == red => (green - blue) / range,
                () if most == green => 2.0 + (blue - red) / range,
                () => 4.0 + (red - green) / range,
            };
            let hue = (60.0 * sixth).rem_euclid(360.0);
            if from <= to { (from..=to).contains(&hue) } else { hue >= from || hue <= to }
        };
        self.pixels.iter().filter(has_hue).count() as f64 / self.pixels.len().max(1) as f64
    }

    /// Returns the number of colours.
    pub fn colors(&self) -> usize {
        let mut colors = self.pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        colors.len()
    }
}

/// A rectangle on the display \[px\]: its left upper corner and its size.
pub type Rectangle = [usize; 4];

/// A virtual display.
pub struct Display {
    server: Child,
    manager: Child,
    name: String,
    folder: PathBuf,
}

impl Display {
    /// Starts a display with a window manager.
    pub fn start(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", SIZE, "-nolisten", "tcp", "-fbdir"]).arg(folder);
        server.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = server.spawn().map_err(|error| format!("Xvfb: {error}"))?;
        let mut number = String::new();
        if let Some(output) = server.stdout.as_mut() {
            BufReader::new(output).read_line(&mut number).map_err(|error| format!("Xvfb: {error}"))?;
        }
        let name = format!(":{}", number.trim());
        let settings = folder.join("manager.xml");
        std::fs::write(&settings, MANAGER).map_err(|error| format!("{}: {error}", settings.display()))?;
        let mut manager = Command::new("openbox");
        manager.arg("--config-file").arg(&settings).env("DISPLAY", &name).stdout(Stdio::null()).stderr(Stdio::null());
        match manager.spawn() {
            Ok(manager) => Ok(Self { server, manager, name, folder: folder.to_path_buf() }),
            Err(error) => {
                server.kill().ok();
                Err(format!("openbox: {error}"))
            }
        }
    }

    /// Returns a program that opens its windows here.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Sends events; returns what `xdotool` answers.
    pub fn send(&self, arguments: &str) -> Result<String, String> {
        let output = self.command("xdotool").args(arguments.split_whitespace()).output();
        let output = output.map_err(|error| format!("xdotool: {error}"))?;
        if !output.status.success() {
            return Err(format!("xdotool {arguments}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
    }

    /// Presses the left button at a place \[px\].
    pub fn press(&self, [x, y]: [usize; 2]) -> Result<(), String> {
        self.send(&format!("mousemove {x} {y}"))?;
        sleep(Duration::from_millis(500));
        self.send("mousedown 1").map(drop)
    }

    /// Releases the left button.
    pub fn release(&self) -> Result<(), String> {
        self.send("mouseup 1").map(drop)
    }

    /// Drags what was grabbed at a place to another \[px\], and lets go after a while.
    pub fn drag(&self, [x, y]: [usize; 2], to: [usize; 2], hold: Duration) -> Result<(), String> {
        for k in 1..=10 {
            let at = |from: usize, to: usize| (from * (10 - k) + to * k) / 10;
            self.send(&format!("mousemove {} {}", at(x, to[0]), at(y, to[1])))?;
            sleep(Duration::from_millis(100));
        }
        sleep(hold);
        self.release()
    }

    /// Returns the rectangle of a window.
    pub fn rectangle(&self, window: &str) -> Result<Rectangle, String> {
        let answer = self.send(&format!("getwindowgeometry --shell {window}"))?;
        let number = |name: &str| {
            let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
            value.ok_or_else(|| format!("{name} is not in {answer:?}"))
        };
        Ok([number("X")?, number("Y")?, number("WIDTH")?, number("HEIGHT")?])
    }

    /// Returns what a rectangle of the display shows.
    pub fn picture(&self, [left, top, width, height]: Rectangle) -> Result<Picture, String> {
        let file = self.folder.join("Xvfb_screen0");
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        // The file is a dump of a window (XWD): a header of big-endian numbers, colours, and rows of blue, green, red and
        // a byte that is not used.
        let number = |k: usize| {
            let four = bytes.get(4 * k..4 * k + 4).and_then(|four| four.try_into().ok());
            four.map(|four| u32::from_be_bytes(four) as usize).ok_or("the dump of the display is too short")
        };
        let (header, rows, stride, colors) = (number(0)?, number(5)?, number(12)?, number(19)?);
        let start = header + 12 * colors;
        let row = |y: usize| bytes.get(start + y * stride + 4 * left..start + y * stride + 4 * (left + width));
        let rows: Vec<&[u8]> = (top..(top + height).min(rows)).filter_map(row).collect();
        let pixels =
            rows.iter().flat_map(|row| row.as_chunks::<4>().0).map(|&[blue, green, red, _]| [red, green, blue]);
        Ok(Picture { width, pixels: pixels.collect() })
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.server] {
            child.kill().ok();
            child.wait().ok();
        }
    }
}
