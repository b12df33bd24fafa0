//! The number of threads of a frame, found by trying.
//!
//! What one core has written another has to fetch, which for a short part of a frame takes longer than to compute it. From
//! which size on more threads are faster differs between computers by a factor of ten, and between scenes. Now and then one
//! frame therefore runs with half or twice as many threads, and the faster number stays. Results do not depend on it.

/// Number of frames before the first trial, and before the next one after a change.
const FIRST_WAIT: u32 = 8;
/// Number of frames between trials that each take no longer than a usual frame, after some of them.
const LONG_WAIT: u32 = 256;
/// Number of usual frames for each frame's time that a trial has lost, up to a largest number.
const FRAMES_PER_LOSS: f64 = 200.0;
const LONGEST_WAIT: f64 = 10_000.0;
/// Logarithm of the ratio of times from which on another number of threads is taken as faster.
const FASTER: f64 = -0.02;

/// The choice of a number of threads for the frames of one world.
#[derive(Debug, Clone, Default)]
pub struct ThreadChoice {
    /// Largest number, for which the rest holds.
    most: usize,
    threads: usize,
    stage: Stage,
    /// Frames until the next trial, and those between the two trials.
    wait: u32,
    interval: u32,
    /// True if the next trial, where there is a choice, is of more threads.
    up: bool,
    /// Logarithm of the ratio of the time with fewer threads, and with more, to the time now, as the last trials tell.
    evidence: [Option<f64>; 2],
}

/// The part of a trial that a frame is; the first frame after a change of threads tells nothing.
#[derive(Debug, Clone, Copy, Default)]
enum Stage {
    #[default]
    Usual,
    Begun {
        before: f64,
    },
    Tried {
        before: f64,
    },
    Over {
        before: f64,
        trial: f64,
    },
    Compared {
        before: f64,
        trial: f64,
    },
}

impl ThreadChoice {
    /// Returns the number of threads of the next frame, at most `most`.
    pub fn threads(&mut self, most: usize) -> usize {
        if self.most != most {
            *self = Self { most, threads: most, wait: FIRST_WAIT, interval: FIRST_WAIT, ..Self::default() };
        }
        match self.stage {
            Stage::Begun { .. } | Stage::Tried { .. } => self.other(),
            _ => self.threads,
        }
    }

    /// Takes note of the time that the frame has taken \[s\].
    pub fn record(&mut self, seconds: f64) {
        self.stage = match self.stage {
            _ if self.most < 2 => Stage::Usual,
            Stage::Usual if self.wait > 0 => {
                self.wait -= 1;
                Stage::Usual
            }
            Stage::Usual => Stage::Begun { before: seconds },
            Stage::Begun { before } => Stage::Tried { before },
            Stage::Tried { before } => Stage::Over { before, trial: seconds },
            Stage::Over { before, trial } => Stage::Compared { before, trial },
            Stage::Compared { before, trial } => {
                self.compare(trial / (0.5 * (before + seconds)).max(f64::MIN_POSITIVE));
                Stage::Usual
            }
        };
    }

    /// Returns the number of threads of a trial.
    fn other(&self) -> usize {
        if self.goes_up() { (2 * self.threads).min(self.most) } else { self.threads.div_ceil(2) }
    }

    fn goes_up(&self) -> bool {
        self.threads == 1 || (self.up && self.threads < self.most)
    }

    /// Takes the other number of threads if it was faster, given the ratio of its time to that of the number now.
    fn compare(&mut self, ratio: f64) {
        let direction = usize::from(self.goes_up());
        let seen = ratio.max(f64::MIN_POSITIVE).ln();
        let evidence = self.evidence[direction].map_or(seen, |before| 0.5 * (before + seen));
        if evidence < FASTER {
            self.threads = self.other();
            self.evidence = [None; 2];
            self.evidence[1 - direction] = Some(-evidence);
            self.interval = FIRST_WAIT;
        } else {
            self.evidence[direction] = Some(evidence);
            self.up = !self.up;
            self.interval = (2 * self.interval).min(LONG_WAIT);
        }
        self.wait = self.interval.max((FRAMES_PER_LOSS * (ratio - 1.0)).min(LONGEST_WAIT) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of frames of `work` \[s\] where each further thread costs `hand_over` \[s\], with up to a tenth of noise.
    struct Computer {
        work: f64,
        hand_over: f64,
        noise: u32,
    }

    impl Computer {
        fn time(&self, threads: usize) -> f64 {
            self.work / threads as f64 + self.hand_over * (threads - 1) as f64
        }

        /// Runs frames and returns the mean ratio of their times to the least that the computer could do.
        fn run(&mut self, choice: &mut ThreadChoice, most: usize, frames: usize) -> f64 {
            let least = (1..=most).map(|threads| self.time(threads)).fold(f64::INFINITY, f64::min);
            let ratios = (0..frames).map(|_| {
                self.noise = self.noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let time = self.time(choice.threads(most)) * (1.0 + 0.1 * f64::from(self.noise) / f64::from(u32::MAX));
                choice.record(time);
                time / 1.05 / least
            });
            ratios.sum::<f64>() / frames as f64
        }
    }

    #[test]
    fn the_number_of_threads_follows_the_work() {
        for (most, hand_over) in [(2, 0.4), (2, 0.6), (8, 0.01), (8, 0.1), (16, 0.03), (16, 2.0)] {
            for noise in 0..20 {
                let mut computer = Computer { work: 1.0, hand_over, noise };
                let mut choice = ThreadChoice::default();
                computer.run(&mut choice, most, 200);
                for work in [1.0, 30.0, 0.1] {
                    computer.work = work;
                    computer.run(&mut choice, most, 1500);
                    let ratio = computer.run(&mut choice, most, 500);
                    assert!(ratio < 1.1, "{ratio} with {work} s, {hand_over} s, {most} threads, {choice:?}");
                }
            }
        }
    }

    #[test]
    fn one_thread_stays_one() {
        let mut choice = ThreadChoice::default();
        for _ in 0..100 {
            assert_eq!(choice.threads(1), 1);
            choice.record(1.0);
        }
    }
}
