//! The example of rollback: bits are equal while entities come, go, fall asleep and wake up.

#[path = "../../../examples/examples/rollback.rs"]
#[expect(dead_code, unreachable_pub, reason = "the example is a program")]
mod example;

use bevy::prelude::*;
use example::{Game, Rollback};
use xpbd_bevy::prelude::*;

use crate::support::run_on_one_thread;

fn sleeping(game: &mut Game) -> usize {
    let world = game.app.world_mut();
    world.query_filtered::<Entity, With<Sleeping>>().iter(world).count()
}

#[test]
fn eight_frames_back_and_forth_in_every_frame_have_equal_bits() {
    let (mut plain, mut rollback) = (Game::default(), Rollback::default());
    [&mut plain.app, &mut rollback.game.app].into_iter().for_each(run_on_one_thread);
    let (mut spawned, mut most_asleep, mut woken) = (0, 0, 0);
    let mut bodies = Vec::new();
    for frame in 0..260 {
        let before = sleeping(&mut plain);
        plain.step();
        woken += usize::from(sleeping(&mut plain) < before);
        most_asleep = most_asleep.max(before);
        let restored = rollback.frame().unwrap();
        spawned += restored.spawned_since.len();
        assert_eq!(restored.despawned_since, [], "frame {frame}");
        assert_eq!(rollback.game.hash(), plain.hash(), "frame {frame}");
        assert_eq!(sleeping(&mut rollback.game), sleeping(&mut plain), "frame {frame}");
        bodies.push(plain.app.world().resource::<Physics>().world().state().bodies.len());
    }
    // Balls come in frames 60, 150 and 240 and are taken back in each of the eight frames after; the first two go in
    // frames 149 and 239.
    assert_eq!(spawned, 3 * example::WINDOW);
    assert_eq!([59, 60, 148, 149, 150, 239, 240].map(|frame| bodies[frame]), [6, 7, 7, 6, 7, 6, 7]);
    assert!(most_asleep >= 6 && woken > 0, "{most_asleep} {woken}");
}
