//! Scenes as data from which every engine builds them.

mod chain;
mod pile;
mod pyramid;
mod ragdoll;

use glam::Vec3;
use parry3d::math::Pose;
use parry3d::shape::SharedShape;

/// The shape of a body, all lengths in m.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A ball.
    Ball {
        /// Radius \[m\].
        radius: f32,
    },
    /// A capsule along y.
    Capsule {
        /// Half the length of the segment \[m\].
        half_height: f32,
        /// Radius \[m\].
        radius: f32,
    },
    /// A box.
    Cuboid {
        /// Half extents \[m\].
        half: Vec3,
    },
}

impl Shape {
    /// Returns the shape for xpbd and for measures.
    pub fn to_parry(self) -> SharedShape {
        match self {
            Self::Ball { radius } => SharedShape::ball(radius),
            Self::Capsule { half_height, radius } => SharedShape::capsule_y(half_height, radius),
            Self::Cuboid { half } => SharedShape::cuboid(half.x, half.y, half.z),
        }
    }

    /// Returns the volume \[m³\].
    pub fn volume(self) -> f32 {
        self.to_parry().mass_properties(1.0).mass()
    }
}

/// A body of a scene.
#[derive(Debug, Clone, Copy)]
pub struct BodyDescription {
    /// Its shape.
    pub shape: Shape,
    /// Its pose in the world.
    pub pose: Pose,
    /// Density \[kg/m³\]; 0 for a body that does not move.
    pub density: f32,
}

/// A ball joint between two bodies.
#[derive(Debug, Clone, Copy)]
pub struct JointDescription {
    /// The numbers of the bodies.
    pub bodies: [usize; 2],
    /// The point that they share \[m\] in the world.
    pub anchor: Vec3,
}

/// Bodies and the joints between them.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The bodies.
    pub bodies: Vec<BodyDescription>,
    /// The joints. The two bodies of a joint do not touch.
    pub joints: Vec<JointDescription>,
    /// Friction of all bodies \[1\].
    pub friction: f32,
    /// True if bodies may fall asleep.
    pub can_sleep: bool,
}

/// The number of the floor, which does not move.
const FLOOR: usize = 0;

impl Scene {
    /// Creates a scene of a floor whose surface is y = 0, in which bodies do not sleep.
    fn on_floor() -> Self {
        let shape = Shape::Cuboid { half: Vec3::new(100.0, 0.5, 100.0) };
        let floor = BodyDescription { shape, pose: Pose::translation(0.0, -0.5, 0.0), density: 0.0 };
        Self { bodies: vec![floor], joints: Vec::new(), friction: 0.5, can_sleep: false }
    }

    /// Adds a body and returns its number.
    fn add(&mut self, shape: Shape, pose: Pose, density: f32) -> usize {
        self.bodies.push(BodyDescription { shape, pose, density });
        self.bodies.len() - 1
    }

    /// Returns whether two bodies can touch: one of them moves, and no joint ties them.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        let moves = self.bodies[a].density > 0.0 || self.bodies[b].density > 0.0;
        moves && !self.joints.iter().any(|joint| joint.bodies == [a, b] || joint.bodies == [b, a])
    }
}

/// A scene by name.
pub struct Recipe {
    /// The name on the command line.
    pub name: &'static str,
    /// The scene in a sentence.
    pub summary: &'static str,
    /// Builds the scene.
    pub build: fn() -> Scene,
}

/// All scenes.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "pile",
        summary: "1,000 unit boxes in 10 layers of 10 × 10, 1.1 m apart, fall 0.5 m onto each other. Friction 0.5.",
        build: || pile::pile(0.0, false),
    },
    Recipe {
        name: "pile-jitter",
        summary: "The pile with every box up to 0.08 m off its column along x and z. No two boxes overlap.",
        build: || pile::pile(0.08, false),
    },
    Recipe {
        name: "pile-overlap",
        summary: "The pile with every box up to 0.3 m off its column, so that neighbours overlap by up to half a box.",
        build: || pile::pile(0.3, false),
    },
    Recipe {
        name: "pile-sleep",
        summary: "The pile with up to 0.08 m of jitter and bodies that fall asleep, by the criteria of each engine.",
        build: || pile::pile(0.08, true),
    },
    Recipe {
        name: "pyramids",
        summary: "Three pyramids of unit boxes, 20 in the lowest layer, 210 in each. Friction 0.5.",
        build: || pyramid::pyramids(3),
    },
    Recipe {
        name: "chains",
        summary: "100 chains of 10 ball joints swing from a level position.",
        build: || chain::chains(100),
    },
    Recipe {
        name: "heavy-chain",
        summary: "A chain of 100 links swings with a ball of 1,000 times the mass of a link at its end.",
        build: chain::heavy_chain,
    },
    Recipe {
        name: "ragdolls",
        summary: "20 ragdolls of 11 capsules and 10 ball joints fall onto stairs of 10 steps. Friction 0.6.",
        build: || ragdoll::ragdolls(20),
    },
];
