//! Which particles are inside of closed sheets.

use smallvec::SmallVec;

use super::{LeafSearch, PairSearch};
use crate::collide::detection::DetectionContext;
use crate::collide::surface_contacts::enclosed_particles::EnclosedParticles;
use crate::collide::surface_contacts::features::{SurfaceFeatures, SurfaceTree};
use crate::collide::surface_contacts::swept_box::SweptBox;
use crate::object::ObjectState;

impl PairSearch {
    /// Returns which particles of no surface are inside of the closed sheets that keep them on their side.
    pub fn enclosed_particles(
        &mut self,
        context: &DetectionContext<'_>,
        objects: &[&ObjectState],
        features: &SurfaceFeatures,
    ) -> EnclosedParticles {
        self.place_surfaces(context, objects, features);
        let particles = context.particles;
        let is_whole = |tree: &&SurfaceTree| {
            let mut corners = objects[tree.owner as usize].range.clone();
            tree.is_closed && corners.all(|corner| !particles.inactive[corner])
        };
        let closed: Vec<&SurfaceTree> = features.trees.iter().filter(is_whole).collect();
        let work = LeafSearch { context, objects, features, search: self, renewal: None };
        let mut enclosed = EnclosedParticles::default();
        for (owner, range) in &features.balls {
            let (object, is_liquid) = (objects[*owner as usize], context.object_media.of(*owner as usize).is_some());
            let keeps = |tree: &&&SurfaceTree| {
                let other = objects[tree.owner as usize];
                let is_permeable = other.surface.as_ref().is_some_and(|surface| surface.permeability > 0.0);
                object.collision_layers.interacts_with(other.collision_layers) && !(is_liquid && is_permeable)
            };
            let keepers: SmallVec<[&SurfaceTree; 4]> = closed.iter().filter(keeps).copied().collect();
            for particle in range.clone() {
                if particles.inactive[particle] || particles.anchor[particle].w == 0.0 {
                    enclosed.unknown.push(particle as u32);
                } else {
                    let sheets = keepers.iter().flat_map(|tree| work.sheets_around(particle as u32, tree));
                    enclosed.inside.extend(sheets.map(|sheet| [particle as u32, sheet]));
                }
            }
        }
        enclosed.inside.sort_unstable();
        enclosed
    }
}

impl LeafSearch<'_> {
    /// Returns the closed sheets of a tree that a particle is inside of: those that a ray along x leaves more often than it enters
    /// them.
    fn sheets_around(&self, particle: u32, tree: &SurfaceTree) -> SmallVec<[u32; 2]> {
        let (features, points) = (self.features, self.points());
        let PairSearch { triangles, nodes: boxes, .. } = self.search;
        let ray = SweptBox::along_x(self.context.particles.position(particle as usize));
        let mut turns = SmallVec::<[(u32, i32); 2]>::new();
        features.visit_nodes(
            tree.nodes.clone(),
            |place| ray.meets(&boxes[place]),
            |_, members| {
                for triangle in members.filter(|&k| ray.meets(&triangles[k])).map(|k| &features.triangles[k]) {
                    let number = triangle.sheet.unsigned_abs();
                    let Some(sheet) = features.closed_sheets.get(number) else { continue };
                    let [a, b, c] = triangle.corners;
                    let alike = if triangle.sheet > 0 { [particle, a, b, c] } else { [particle, a, c, b] };
                    let turn = sheet.turns_outward(points.corners(alike));
                    match turns.iter_mut().find(|(other, _)| *other == number) {
                        Some((_, sum)) => *sum += turn,
                        None => turns.push((number, turn)),
                    }
                }
            },
        );
        turns.into_iter().filter(|(_, sum)| *sum > 0).map(|(sheet, _)| sheet).collect()
    }
}
