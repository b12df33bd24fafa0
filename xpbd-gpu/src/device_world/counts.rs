//! Numbers of a frame, and rooms that grow with them.

/// Numbers of particles, bodies and inputs of a frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Number of particles.
    pub particles: usize,
    /// Number of substeps.
    pub substeps: u32,
    /// Colliders; 0 where there are no particles.
    pub colliders: usize,
    /// Number of bodies.
    pub bodies: usize,
    /// True if constraints and forces move any body.
    pub has_dynamic_bodies: bool,
    /// Bodies that follow a path.
    pub kinematic_bodies: usize,
    /// Targets of pinned particles.
    pub targets: usize,
    /// True if the substeps are of another length than in the frame before.
    pub rescales_multipliers: bool,
}

/// Rooms for contacts, which grow when a frame reports that they were too small.
#[derive(Debug, Clone, Copy, Default)]
pub struct Capacity {
    /// Contacts with colliders that a particle may have.
    pub contacts: u32,
    /// Contacts that may push in a frame.
    pub events: usize,
}
