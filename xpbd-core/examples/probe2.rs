//! probe
use glam::Vec3;
use xpbd_core::batch::Batch;
use xpbd_core::constraint::*;
use xpbd_core::cpu::*;
use xpbd_core::scalar::Real;
use xpbd_core::world::*;
struct D;
impl Constraint<2, 1, 1> for D {
    const NAME: &'static str = "distance";
    fn value<S: Real>(x: &Points<S, 2>, [r]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - r]
    }
}
fn chain(sub: u32, it: u32, end: f32, sequential: bool) -> (f32, f32, f32) {
    let mut s = Settings { substeps: sub, iterations: it, gravity: Vec3::new(0.0, -10.0, 0.0), ..Settings::default() };
    if sequential {
        s.schedule.order = xpbd_core::schedule::Order::Sequential;
    }
    let mut w = World::new(s).unwrap();
    let n = 20;
    let mut o = Object::new("chain", (0..n).map(|k| Vec3::new(0.0, -0.01 * k as f32, 0.0)).collect(), 1.0).pin([0]);
    o.masses[n - 1] = end;
    let e: Vec<[u32; 2]> = (0..n as u32 - 1).map(|k| [k, k + 1]).collect();
    let o = o.with(Batch::new(D, &e, &vec![[0.01f32]; e.len()]).unwrap());
    let h = w.add(o).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    let mut maxe: f32 = 0.0;
    for _ in 0..1000 {
        w.step(&mut cpu, 1.0 / 60.0).unwrap();
        let y = w.position(h, n - 1).unwrap().y;
        maxe = maxe.max(-0.19 - y);
    }
    let b = w.batches_of(h)[0];
    let f = w.force(b, 0).unwrap()[0];
    (maxe, -0.19 - w.position(h, n - 1).unwrap().y, f)
}
fn main() {
    println!("{:?}", chain(10, 1, 1.0, true));
    println!("{:?}", chain(10, 1, 1.0, false));
    println!("{:?}", chain(20, 1, 1.0, true));
    println!("{:?}", chain(100, 1, 1.0, true));
    for s in [true, false] {
        let a = chain(1, 100, 1e5, s);
        let b = chain(100, 1, 1e5, s);
        println!("{:?} {:?} {}", a, b, a.0 / b.0);
    }
    let mut w = World::new(Settings::default()).unwrap();
    let h = w.add(Object::new("p", vec![Vec3::new(1000.0, 1000.0, 1000.0)], 1.0)).unwrap();
    let mut cpu = CpuBackend::new(Threads::Exactly(1));
    for _ in 0..60 {
        w.step(&mut cpu, 1.0 / 60.0).unwrap();
    }
    println!("{} expected {}", 1000.0 - w.position(h, 0).unwrap().y, 0.5 * 9.81);
}
