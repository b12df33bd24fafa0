//! Steps whose back end is awaited.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;
use xpbd_core::bodies::{Body, Mass};
use xpbd_core::collide::Collider;
use xpbd_core::cpu::CpuBackend;
use xpbd_core::world::{Backend, State, StepError, StepReport, World};

const FRAME: f32 = 1.0 / 60.0;

/// A back end that needs to be asked more than once.
struct Slow(CpuBackend);

impl Backend for Slow {
    fn name(&self) -> String {
        "slow".into()
    }

    fn advance(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        self.0.advance(state, dt, report)
    }

    async fn advance_async(&mut self, state: &mut State, dt: f32, report: &mut StepReport) -> Result<(), StepError> {
        let mut asked = false;
        std::future::poll_fn(|context| {
            if std::mem::replace(&mut asked, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.advance(state, dt, report)
    }
}

/// Returns the result of a future that has to be asked so many times.
fn asked<R>(times: usize, future: impl Future<Output = R>) -> Option<R> {
    let mut future = pin!(future);
    (0..times).find_map(|_| match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    })
}

/// Returns boxes on a floor, one of which follows a path.
fn world() -> World {
    let mut world = World::default();
    world.add_collider(Collider::new(SharedShape::halfspace(Vec3::Y))).unwrap();
    let half = Vec3::splat(0.2);
    for k in 0..3 {
        let pose = Pose::translation(0.1 * k as f32, 0.3 + 0.45 * k as f32, 0.0);
        let body = match k {
            0 => Body::kinematic(pose),
            _ => Body::dynamic(pose, Mass::cuboid(1.0, half)),
        };
        let body = world.add_body(body).unwrap();
        world.add_collider(Collider::new(SharedShape::cuboid(0.2, 0.2, 0.2)).attached_to(body)).unwrap();
    }
    world
}

/// Moves the body that follows a path.
fn lead(world: &mut World, frame: u32) {
    let body = world.state().body_handles.keys()[0];
    world.move_body(body, Pose::translation(0.01 * frame as f32, 0.3, 0.0)).unwrap();
}

#[test]
fn an_awaited_step_is_the_step_and_a_dropped_one_has_not_happened() {
    let (mut waited, mut awaited) = (world(), world());
    let (mut cpu, mut slow) = (CpuBackend::default(), Slow(CpuBackend::default()));
    for frame in 0..40 {
        lead(&mut waited, frame);
        lead(&mut awaited, frame);
        waited.step(&mut cpu, FRAME).unwrap();
        if frame % 5 == 0 {
            let before = awaited.state_hash();
            assert!(asked(1, awaited.step_async(&mut slow, FRAME)).is_none());
            assert_eq!(awaited.state_hash(), before, "frame {frame}");
        }
        asked(2, awaited.step_async(&mut slow, FRAME)).unwrap().unwrap();
        assert_eq!(awaited.state_hash(), waited.state_hash(), "frame {frame}");
    }
    // A back end that computes nowhere else is not awaited.
    asked(1, awaited.step_async(&mut cpu, FRAME)).unwrap().unwrap();
    assert!(matches!(asked(1, awaited.step_async(&mut cpu, f32::NAN)), Some(Err(StepError::Dt(_)))));
}
