//! probe
use std::time::Instant;
use xpbd_core::batch::Batch;
use xpbd_core::connector::*;
use xpbd_core::constraint::update::*;
use xpbd_core::constraint::*;
use xpbd_core::scalar::{Real, Vec3};
use xpbd_core::schedule::*;
use xpbd_core::*;
struct D;
impl Constraint<2, 1, 1> for D {
    const NAME: &'static str = "distance";
    fn value<S: Real>(x: &Points<S, 2>, [r]: [S; 1]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - r]
    }
}
struct B;
impl Constraint<4, 3, 3> for B {
    const NAME: &'static str = "iso";
    fn value<S: Real>(x: &Points<S, 4>, [a, b, c]: [S; 3]) -> [S; 3] {
        let v = (x.now[1] - x.now[0]) * a + (x.now[2] - x.now[0]) * b + (x.now[3] - x.now[0]) * c;
        v.to_array()
    }
}
fn main() {
    let n = 100u32;
    let mut p = particles::Particles::default();
    for j in 0..n {
        for i in 0..n {
            p.push(glam::Vec3::new(i as f32 * 0.01, 0.0, j as f32 * 0.01), glam::Vec3::ZERO, 1e-4, glam::Vec3::ZERO);
        }
    }
    let id = |i, j| j * n + i;
    let mut e = vec![];
    let mut b = vec![];
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            e.push([id(i, j), id(i + 1, j)]);
            e.push([id(i, j), id(i, j + 1)]);
            e.push([id(i + 1, j), id(i, j + 1)]);
            b.push([id(i + 1, j), id(i, j + 1), id(i, j), id(i + 1, j + 1)]);
            if i + 2 < n {
                b.push([id(i + 1, j), id(i + 1, j + 1), id(i, j + 1), id(i + 2, j)]);
            }
            if j + 2 < n {
                b.push([id(i, j + 1), id(i + 1, j + 1), id(i + 1, j), id(i, j + 2)]);
            }
        }
    }
    let ek = Batch::new(D, &e, &vec![[0.01f32]; e.len()]).unwrap();
    let bk = Batch::new(B, &b, &vec![[1.0f32, -1.0, -1.0]; b.len()]).unwrap().compliance(1.0);
    let st = ScheduleSettings::default();
    let mut passes: Vec<TracedPass> = [&ek, &bk]
        .iter()
        .map(|x| TracedPass::build(&[Entry { number: 0, batch: x, resolve: &|_, i| i }], &st, &|_, _| true))
        .collect();
    let pr: Vec<_> = passes.iter().map(|p| cpu::project::PassPrograms::new(p)).collect();
    for p in &passes {
        println!("{} {} colours {:?}", p.kind.name(), p.len(), p.colours.iter().map(|c| c.len()).collect::<Vec<_>>());
        let prog = solve_program(&p.kind, &p.connectors, Variant::default());
        println!("{} instr {} regs {} const", prog.instructions.len(), prog.registers, prog.constants.len());
        for i in &prog.instructions {
            print!("{:?} ", i.code);
        }
        println!();
    }
    let mut bodies = bodies::Bodies::default();
    for t in [1] {
        let team = cpu::team::Team::new(cpu::team::Threads::Exactly(t));
        let mut mem = cpu::project::Memory::new(t);
        for (k, pass) in passes.iter_mut().enumerate() {
            let mut best = f64::MAX;
            for _ in 0..200 {
                let t0 = Instant::now();
                team.gather(|crew| {
                    for _ in 0..20 {
                        let w = cpu::project::Nodes::new(&mut p, &mut bodies, [1e-3, 1e6]);
                        w.solve(crew, pass, &pr[k], false, 1.0, &mut mem);
                    }
                });
                best = best.min(t0.elapsed().as_secs_f64() / 20.0);
            }
            println!(
                "threads {t} {}: {:.2} ns/constraint, {:.3} ms per sweep",
                pass.kind.name(),
                best * 1e9 / pass.len() as f64,
                best * 1e3
            );
        }
    }
    let _ = (Vec3::<scalar::Double>::zero(), Connectors::particles(1));
}
