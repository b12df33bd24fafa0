//! The islands of bodies and objects that fall asleep together.

use smallvec::SmallVec;

use crate::collide::{ContactPartner, ContactPhase};
use crate::connector::NodeKind;
use crate::disjoint_sets::DisjointSets;
use crate::object::{ObjectState, owner_of};
use crate::sleep::SleepState;
use crate::world::state::State;

/// Bodies and objects by one number, the bodies first, at the end of a frame.
struct Members<'a> {
    state: &'a State,
    islands: DisjointSets,
    /// True for each member whose island does not fall asleep.
    restless: Vec<bool>,
}

impl State {
    /// Returns the bodies and objects whose islands have come to rest, each with the number of its island. They are numbered
    /// through, the bodies first.
    pub(super) fn members_at_rest(&self) -> Vec<(usize, u32)> {
        let ready = |sleep: &SleepState| sleep.still_time >= self.settings.sleep_time;
        let movable = |k: usize| self.bodies.is_movable(k);
        let bodies = self.bodies.sleep.iter().enumerate().map(|(k, sleep)| movable(k) && ready(sleep));
        let objects = self.objects.iter().map(|(_, object)| object.is_sleeper() && ready(&object.sleep));
        let restless: Vec<bool> = bodies.chain(objects).map(|is_ready| !is_ready).collect();
        if restless.iter().all(|&is_restless| is_restless) {
            return Vec::new();
        }
        let islands = DisjointSets::new(restless.len());
        let mut members = Members { state: self, islands, restless };
        members.join_by_contacts();
        members.join_by_constraints();
        let Members { islands, mut restless, .. } = members;
        let roots = islands.roots();
        for (member, &root) in roots.iter().enumerate() {
            restless[root as usize] |= restless[member];
        }
        roots.into_iter().enumerate().filter(|&(_, root)| !restless[root as usize]).collect()
    }
}

impl Members<'_> {
    /// Returns the number of an object, by its index in the order of objects.
    fn object(&self, place: usize) -> u32 {
        (self.state.bodies.len() + place) as u32
    }

    fn disturb(&mut self, member: u32) {
        self.restless[member as usize] = true;
    }

    /// Joins members that touch. A member that a medium or a moving body touches does not rest, nor does one on the wrong
    /// side of another one.
    fn join_by_contacts(&mut self) {
        let State { bodies, objects, contacts, object_media, .. } = self.state;
        for [a, b] in contacts.bodies.touching_bodies() {
            if [a, b].into_iter().all(|k| bodies.is_movable(k as usize)) {
                self.islands.join(a, b);
            }
        }
        for (particle, body) in contacts.particle_bodies.pushed_bodies() {
            if object_media.of(owner_of(objects, particle)).is_some() {
                self.disturb(body);
            }
        }
        for contact in contacts.events.iter().filter(|contact| contact.phase != ContactPhase::End) {
            let Some(place) = objects.index_of(contact.object) else { continue };
            let is_sleeper = |place: usize| objects.get(objects.keys()[place]).is_some_and(ObjectState::is_sleeper);
            let own = self.object(place);
            match contact.other {
                ContactPartner::Object(other) => {
                    let Some(other) = objects.index_of(other) else { continue };
                    let partner = self.object(other);
                    if is_sleeper(place) && is_sleeper(other) {
                        self.islands.join(own, partner);
                    }
                    for (member, pusher) in [(own, other), (partner, place)] {
                        if object_media.of(pusher).is_some() {
                            self.disturb(member);
                        }
                    }
                }
                ContactPartner::Collider(collider) => {
                    let body = self.state.colliders.get(collider).and_then(|collider| collider.body);
                    let Some(k) = body.and_then(|body| self.state.body_handles.index_of(body)) else { continue };
                    if bodies.is_movable(k) && is_sleeper(place) {
                        self.islands.join(own, k as u32);
                    }
                    if bodies.motion[k].moves() {
                        self.disturb(own);
                    }
                }
            }
        }
        for pair in &contacts.surfaces.crossed {
            for &vertex in &pair.nodes[pair.particles()] {
                let owner = self.object(owner_of(objects, vertex));
                self.disturb(owner);
            }
        }
    }

    /// Joins members that share a constraint; those that share one with what may not sleep do not rest, nor do the objects of
    /// batches that do not let them.
    fn join_by_constraints(&mut self) {
        let State { bodies, objects, batches, plan, particles, .. } = self.state;
        for (_, batch) in batches.iter() {
            let places = batch.objects.iter().filter_map(|&object| objects.index_of(object));
            let own: SmallVec<[u32; 4]> = places.map(|place| self.object(place)).collect();
            own.windows(2).for_each(|pair| self.islands.join(pair[0], pair[1]));
            if !batch.batch.lets_sleep() {
                own.iter().for_each(|&member| self.disturb(member));
            }
        }
        for pass in plan.traced().filter(|pass| !pass.connectors.only_particles()) {
            let kinds = pass.connectors.nodes();
            for slot in 0..pass.len() {
                let nodes = kinds.iter().zip(&pass.nodes).map(|(&kind, column)| (kind, column[slot]));
                let moves = |&(kind, k): &(NodeKind, u32)| match kind {
                    NodeKind::Body => bodies.is_movable(k as usize),
                    NodeKind::Particle => particles.anchor[k as usize].w > 0.0,
                };
                let moving = nodes.filter(moves).map(|(kind, k)| match kind {
                    NodeKind::Body => k,
                    NodeKind::Particle => self.object(owner_of(objects, k)),
                });
                let moving: SmallVec<[u32; 8]> = moving.collect();
                moving.windows(2).for_each(|pair| self.islands.join(pair[0], pair[1]));
            }
        }
    }
}
