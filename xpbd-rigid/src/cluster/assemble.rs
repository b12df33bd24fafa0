//! From a description of a body to particles and clusters.

use glam::Vec3;
use parry3d::math::Pose;
use xpbd_core::world::{CollisionLayers, Object};

use super::error::{ClusterError, check};
use super::{Cluster, ClusterBatch, overlap};

pub(super) fn object(cluster: Cluster) -> Result<Object, ClusterError> {
    let Cluster { sample, pose, pins, velocity: [linear, angular], .. } = cluster;
    let sample = sample?;
    check("density", cluster.density, false)?;
    check("compliance", cluster.compliance, true)?;
    check("drag", cluster.linear_damping, true)?;
    let pose = checked(pose)?;
    let count = sample.positions.len();
    if let Some(&index) = pins.iter().find(|&&pin| pin as usize >= count) {
        return Err(ClusterError::Pin { index, particles: count });
    }
    let mass = cluster.density * sample.volume / count as f32;
    check("mass of a particle", mass, false)?;
    let rest = sample.positions;
    let clusters = match cluster.overlap {
        None => vec![(0..count as u32).collect()],
        Some([spacing, radius]) => {
            check("distance of clusters", spacing, false)?;
            if !(radius >= spacing && radius.is_finite()) {
                let must = "finite and no less than their distance";
                return Err(ClusterError::Number { what: "radius of clusters", value: radius, must });
            }
            overlap::clusters(&rest, spacing, radius)
        }
    };
    let mut batch = ClusterBatch::new(&rest, &vec![mass; count], &clusters)?
        .compliance(cluster.compliance)
        .initial_rotation(pose.rotation)
        .distances(sample.distances)?;
    batch.plasticity = cluster.plasticity;
    let placed: Vec<Vec3> = rest.iter().map(|&x| pose.transform_point(x)).collect();
    let centre = pose.transform_point(rest.iter().sum::<Vec3>() / count as f32);
    let mut object = Object::new(cluster.name, placed, mass);
    object.velocities = object.positions.iter().map(|&x| linear + angular.cross(x - centre)).collect();
    object.pins = pins;
    object.friction = cluster.friction;
    object.collision_layers = CollisionLayers { self_collision: cluster.self_collision, ..CollisionLayers::default() };
    object.linear_damping = cluster.linear_damping;
    object.rest_positions = rest;
    Ok(object.with(batch))
}

/// Returns a finite pose with its rotation normalized.
fn checked(pose: Pose) -> Result<Pose, ClusterError> {
    let length = pose.rotation.length();
    if !(pose.translation.is_finite() && length.is_finite() && length > 1e-6) {
        return Err(ClusterError::Pose);
    }
    Ok(Pose::from_parts(pose.translation, pose.rotation.normalize()))
}
