//! Kernels that need no device to be checked: naga accepts what is printed, and its layouts are ours.

use naga::front::wgsl;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use rayon::prelude::*;
use xpbd_core::batch::Registry;
use xpbd_core::collide::{BodyContact, GroundContact, ParticleBodyContact, ParticleContact, ShapeContact};
use xpbd_core::connector::{Connector, Connectors};
use xpbd_core::constraint::{Constraint, ConstraintType, Points};
use xpbd_core::medium::Material;
use xpbd_core::scalar::Real;
use xpbd_core::schedule::TracedPass;
use xpbd_gpu::internals::{self, KernelOptions, PATCH_WORKGROUP_SIZE, PassKernel, PassRange, SubstepUniform};

/// Parses and validates with nothing but what core WebGPU has.
fn module(text: &str) -> naga::Module {
    let module = wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    checked.unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    module
}

/// A distance that changes at half its rate, and faster where it pulls.
struct Bouncing;

impl Constraint<2, 1> for Bouncing {
    type Parameters<S: Copy> = [S; 2];

    const NAME: &'static str = "test-bouncing";

    fn value<S: Real>(x: &Points<S, 2>, [rest, _]: [S; 2]) -> [S; 1] {
        [(x.now[0] - x.now[1]).length() - rest]
    }

    fn target_rates<S: Real>(
        _: &Points<S, 2>,
        [rate]: [S; 1],
        [lambda]: [S; 1],
        [_, restitution]: [S; 2],
    ) -> Option<[S; 1]> {
        Some([lambda.select_lt(S::zero(), -rate * restitution, rate * 0.5)])
    }
}

/// Returns every registered constraint.
fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.register(ShapeContact).unwrap();
    registry.register(ParticleContact).unwrap();
    registry.register(Bouncing).unwrap();
    xpbd_cloth::register(&mut registry).unwrap();
    registry
}

/// Connectors of every kind for a number of points: all particles, all on bodies, each kind first.
fn combinations(points: usize) -> Vec<Connectors> {
    let kinds: [fn(u8) -> Connector; 3] = [
        |node| Connector::Particle { node },
        |node| Connector::BodyPoint { node },
        |node| Connector::BodyAxis { node },
    ];
    let mut all = Vec::new();
    for number in 0..3_usize.pow(points.min(3) as u32) {
        let connectors: Vec<_> =
            (0..points).map(|k| kinds[number / 3_usize.pow(k.min(2) as u32) % 3](k as u8)).collect();
        all.push(Connectors::new(&connectors).unwrap());
    }
    all
}

#[test]
fn naga_accepts_the_kernel_of_every_constraint_with_all_connectors() {
    let registry = registry();
    let all: Vec<_> = registry
        .types()
        .flat_map(|kind| combinations(kind.point_count()).into_iter().map(move |connectors| (kind, connectors)))
        .collect();
    let checked = all.par_iter().map(|(kind, connectors)| {
        for (damped, warm) in [(false, false), (true, false), (false, true), (true, true)] {
            let kernel = PassKernel::new(kind, connectors, damped, warm);
            module(&kernel.module(PATCH_WORKGROUP_SIZE));
            module(&kernel.in_order().module(PATCH_WORKGROUP_SIZE));
        }
        let rates = [false, true].into_iter().filter_map(|damped| PassKernel::rates(kind, connectors, damped));
        rates.inspect(|rates| drop(module(&rates.module(PATCH_WORKGROUP_SIZE)))).count()
    });
    let rates: usize = checked.sum();
    assert!(all.len() > 125 && rates > 10, "kernels with {} combinations, {rates} of rates", all.len());
}

#[test]
fn naga_accepts_the_kernels_between_passes() {
    for warm in [false, true] {
        for number in 0..8 {
            let [second_order, colliders, pairs] = [1, 2, 4].map(|bit| number & bit != 0);
            let options = KernelOptions { second_order, colliders, pairs };
            module(&internals::substep_text(options, warm).unwrap());
        }
        module(&internals::pairs_text(warm).unwrap());
    }
    module(&internals::detect_text());
    module(&internals::bodies_text());
}

#[test]
fn naga_accepts_the_kernels_of_contacts_in_which_bodies_move() {
    let (point, axis) = (|node| [Connector::BodyPoint { node }; 4], |node| Connector::BodyAxis { node });
    let pair: Vec<_> = point(0).into_iter().chain(point(1)).chain([axis(0), axis(1)]).collect();
    let ground: Vec<_> = point(0).into_iter().chain([axis(0)]).collect();
    let kinds = [ConstraintType::of(BodyContact).unwrap(), ConstraintType::of(GroundContact).unwrap()];
    for (kind, points) in kinds.into_iter().zip([pair, ground]) {
        let pass = TracedPass::empty(kind, Connectors::new(&points).unwrap());
        let columns = PassKernel::new(&pass.kind, &pass.connectors, false, false).columns;
        module(&internals::manifolds_text(&pass, &columns).unwrap());
        assert!(internals::manifolds_text(&pass, &columns[1..]).is_err(), "a column that is not read");
    }
    let kind = ConstraintType::of(ParticleBodyContact).unwrap();
    let connectors = [Connector::Particle { node: 0 }, Connector::BodyPoint { node: 1 }];
    let connectors = Connectors::new(&connectors).unwrap();
    module(&internals::particle_bodies_text(&kind, &connectors).unwrap());
    for warm in [false, true] {
        module(&internals::particle_body_pass_text(&kind, &connectors, warm).unwrap());
    }
}

#[test]
fn naga_accepts_the_kernels_beside_contacts_of_surfaces() {
    module(&internals::surface_contacts_text());
}

#[test]
fn naga_accepts_the_kernels_of_media() {
    let medium = xpbd_fluid::FLUID_MEDIUM;
    let count = |numbers: [f32; 5]| {
        let kernel = medium.kernel(&[Material { medium, parameters: numbers.to_vec() }]).unwrap();
        for stage in &kernel.stages {
            module(&internals::stage_text(&kernel, stage));
        }
        for text in internals::copy_texts(&kernel) {
            module(&text);
        }
        kernel.stages.len()
    };
    let plain = count([1000.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(plain, 3);
    let more = [("viscosity", 2), ("surface tension", 2), ("adhesion", 3), ("vorticity confinement", 2)];
    for (number, (name, stages)) in more.into_iter().enumerate() {
        assert_eq!(count(std::array::from_fn(|k| if k == number + 1 { 0.1 } else { 0.0 })), plain + stages, "{name}");
    }
    assert_eq!(count([0.1; 5]), plain + 9);
    for (of_velocities, is_last) in [(false, false), (false, true), (true, false), (true, true)] {
        let aim = internals::Aim { of_velocities, is_last, holds: !of_velocities, drags: false };
        module(&internals::direct_text(aim));
        module(&internals::direct_text(internals::Aim { drags: aim.holds && is_last, ..aim }));
    }
    module(&internals::multipliers_text());
    for most in [1, 6] {
        module(&internals::collider_walls_text(0, most, true));
        module(&internals::collider_walls_text(3, most, false));
        module(&internals::body_walls_text(most));
        module(&internals::body_pushes_text(most));
        module(&internals::collider_pushes_text(0, most, true));
    }
}

/// Size and member offsets of a struct, by name.
fn layout(module: &naga::Module, name: &str) -> (u32, Vec<u32>) {
    let found = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).expect("the struct is there");
    let naga::TypeInner::Struct { members, span } = &found.1.inner else { panic!("{name} is no struct") };
    (*span, members.iter().map(|member| member.offset).collect())
}

#[test]
fn uniforms_have_the_layout_that_naga_gives_them() {
    let registry = registry();
    let kind = registry.get("distance").unwrap();
    let module = module(&PassKernel::new(kind, &Connectors::particles(2), false, false).module(PATCH_WORKGROUP_SIZE));
    for (name, size) in [("Substep", size_of::<SubstepUniform>()), ("Range", size_of::<PassRange>())] {
        let (span, offsets) = layout(&module, name);
        // Every member is one word, so equal counts and consecutive words are equal layouts.
        assert_eq!(offsets, (0..offsets.len() as u32).map(|word| 4 * word).collect::<Vec<_>>(), "{name}");
        assert!(size >= span as usize && size < span as usize + 16, "{name}: {size} bytes, not {span}");
    }
}
