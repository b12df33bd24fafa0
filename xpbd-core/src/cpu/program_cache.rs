//! Programs compiled for the passes of plans and contacts, kept from frame to frame.

use std::sync::Arc;

use super::compiled_program::PassPrograms;
use crate::collide::ContactKind;
use crate::connector::Connectors;
use crate::constraint::ConstraintType;
use crate::schedule::{Pass, Plan, TracedPass};
use crate::world::State;

/// The programs of every pass that a back end has met.
#[derive(Default)]
pub(super) struct ProgramCache {
    known: Vec<CachedPrograms>,
}

/// Programs compiled for a constraint type with these connectors.
struct CachedPrograms {
    kind: Arc<ConstraintType>,
    connectors: Connectors,
    damped: bool,
    direct: bool,
    rebounds: bool,
    programs: Arc<PassPrograms>,
}

/// The programs of the passes of a frame.
pub(super) struct FramePrograms {
    /// Programs of each pass of the plan; none for a pass that is not traced.
    pub plan: Vec<Option<Arc<PassPrograms>>>,
    /// Programs of each kind of contacts, in the order in which they are solved.
    pub contacts: [Option<Arc<PassPrograms>>; ContactKind::SOLVE_ORDER.len()],
}

impl ProgramCache {
    /// Returns the programs of a plan and of the contacts of a frame.
    pub fn of_frame(&mut self, state: &State) -> FramePrograms {
        let contacts = ContactKind::SOLVE_ORDER.map(|kind| state.contacts.set(kind).pass().map(|pass| self.of(pass)));
        FramePrograms { plan: self.of_plan(&state.plan), contacts }
    }

    /// Returns the programs of each pass of a plan; none for a pass that is not traced.
    pub fn of_plan(&mut self, plan: &Plan) -> Vec<Option<Arc<PassPrograms>>> {
        let programs = plan.passes.iter().map(|pass| match pass {
            Pass::Traced(pass) => Some(self.of(pass)),
            Pass::Custom(_) | Pass::Medium(_) => None,
        });
        programs.collect()
    }

    fn of(&mut self, pass: &TracedPass) -> Arc<PassPrograms> {
        let same = |known: &&CachedPrograms| {
            known.kind.is_same_type(&pass.kind)
                && known.connectors == pass.connectors
                && known.damped == pass.is_damped()
                && known.direct == pass.linearization.is_some()
                && known.rebounds != pass.impacts.is_empty()
        };
        if let Some(known) = self.known.iter().find(same) {
            return known.programs.clone();
        }
        let programs = Arc::new(PassPrograms::new(pass));
        let (kind, connectors) = (pass.kind.clone(), pass.connectors.clone());
        let (damped, direct) = (pass.is_damped(), pass.linearization.is_some());
        let (rebounds, programs_kept) = (!pass.impacts.is_empty(), programs.clone());
        self.known.push(CachedPrograms { kind, connectors, damped, direct, rebounds, programs: programs_kept });
        programs
    }
}
