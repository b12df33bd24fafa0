//! Everything a picture shows, flattened into triangles and spheres that share one numbering.

use glam::Vec3;

use super::color::{Linear, to_linear};
use super::crease::corner_normals;
use super::material::Material;
use super::view::Ray;
use crate::mesh::Mesh;

/// The number of an empty sample.
pub(super) const NOTHING: u32 = 0;

/// The number of the ground plane.
pub(super) const GROUND: u32 = u32::MAX;

/// Surfaces of a picture: triangles are numbered from one, spheres follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Geometry {
    pub(super) vertices: Vec<Vertex>,
    pub(super) triangles: Vec<Triangle>,
    pub(super) spheres: Vec<Sphere>,
    pub(super) materials: Vec<Material>,
}

/// A corner of smoothly shaded triangles; the colour is linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    pub(super) color: Vec3,
}

/// Three vertices and a material, by index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub(super) corners: [u32; 3],
    pub(super) material: u32,
}

/// A ball; the colour is linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sphere {
    /// Middle `[m]`.
    pub center: Vec3,
    /// Radius `[m]`.
    pub radius: f32,
    pub(super) color: Vec3,
    pub(super) material: u32,
}

/// A point of a surface as a sight line meets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// The point `[m]`.
    pub position: Vec3,
    /// The smooth unit normal, on the viewer's side of the surface.
    pub normal: Vec3,
    /// The unit normal of the flat triangle, on the viewer's side.
    pub facet: Vec3,
    /// Linear colour.
    pub color: Vec3,
    /// See [`RodMaterial::gloss`].
    pub gloss: f32,
    /// See [`RodMaterial::sheen`].
    pub sheen: f32,
}

impl Geometry {
    /// Appends a mesh; see [`super::Picture::colored_mesh`].
    pub(super) fn add_mesh(&mut self, mesh: &Mesh, colors: &[Vec3], material: Material) {
        let base = self.vertices.len() as u32;
        let plain = std::iter::repeat(&material.color);
        let mut linear = Linear::default();
        for ((&position, normal), &color) in mesh.positions.iter().zip(mesh.normals()).zip(colors.iter().chain(plain)) {
            self.vertices.push(Vertex { position, normal, color: linear.of(color) });
        }
        let index = self.add_material(material);
        let finite = |triangle: &&[u32; 3]| mesh.corners(**triangle).iter().all(|p| p.is_finite());
        let added = mesh
            .triangles
            .iter()
            .filter(finite)
            .map(|triangle| Triangle { corners: triangle.map(|corner| base + corner), material: index });
        self.triangles.extend(added);
    }

    /// Appends a mesh with sharp edges; see [`super::Picture::shape`].
    pub(super) fn add_solid(&mut self, mesh: &Mesh, material: Material) {
        let index = self.add_material(material);
        let color = to_linear(material.color);
        for (&triangle, normals) in mesh.triangles.iter().zip(corner_normals(mesh)) {
            let positions = mesh.corners(triangle);
            if positions.iter().all(|position| position.is_finite()) {
                let base = self.vertices.len() as u32;
                let corners = positions.into_iter().zip(normals);
                self.vertices.extend(corners.map(|(position, normal)| Vertex { position, normal, color }));
                self.triangles.push(Triangle { corners: [base, base + 1, base + 2], material: index });
            }
        }
    }

    /// Appends a mesh with unit `normals` of its own, all of it finite.
    #[cfg(feature = "surface")]
    pub(super) fn add_smooth(
        &mut self,
        positions: &[Vec3],
        normals: &[Vec3],
        triangles: &[[u32; 3]],
        material: Material,
    ) {
        let base = self.vertices.len() as u32;
        let color = to_linear(material.color);
        let corners = positions.iter().zip(normals);
        self.vertices.extend(corners.map(|(&position, &normal)| Vertex { position, normal, color }));
        let material = self.add_material(material);
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| base + corner);
        self.triangles.extend(triangles.iter().map(|triangle| Triangle { corners: corners(triangle), material }));
    }

    /// Returns whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.spheres.is_empty()
    }

    /// Returns how many surfaces there are; they are numbered from one to this.
    pub(super) fn surface_count(&self) -> u32 {
        (self.triangles.len() + self.spheres.len()) as u32
    }

    /// Appends spheres; see [`super::Picture::colored_spheres`].
    pub(super) fn add_spheres(&mut self, centers: &[Vec3], colors: &[Vec3], radius: f32, material: Material) {
        let index = self.add_material(material);
        let plain = std::iter::repeat(&material.color);
        let all = centers.iter().zip(colors.iter().chain(plain));
        let finite = all.filter(|(center, _)| center.is_finite() && radius > 0.0);
        let mut linear = Linear::default();
        self.spheres.extend(finite.map(|(&center, &color)| Sphere {
            center,
            radius,
            color: linear.of(color),
            material: index,
        }));
    }

    /// Points whose smallest box `[m]` holds all surfaces: corners of triangles, and the ends of
    /// each sphere's axes.
    pub(super) fn outline(&self) -> Vec<Vec3> {
        let mut outline: Vec<Vec3> = self.triangles.iter().flat_map(|triangle| self.corners(triangle)).collect();
        for sphere in &self.spheres {
            let reach = sphere.radius * Vec3::ONE;
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                outline.extend([-1.0, 1.0].map(|side| sphere.center + side * axis * reach));
            }
        }
        outline
    }

    /// Returns the numbers of all triangles, each with its corners `[m]` and whether its back shows.
    pub(super) fn numbered_triangles(&self) -> impl Iterator<Item = (u32, [Vec3; 3], bool)> {
        (1..).zip(&self.triangles).map(|(number, triangle)| {
            let material = &self.materials[triangle.material as usize];
            (number, self.corners(triangle), material.two_sided)
        })
    }

    /// Returns the numbers of all spheres with the spheres themselves.
    pub(super) fn numbered_spheres(&self) -> impl Iterator<Item = (u32, Sphere)> {
        (self.triangles.len() as u32 + 1..).zip(self.spheres.iter().copied())
    }

    /// Returns the point at `depth` `[m]` of `ray`, which lies on the surface with this `number`; the
    /// number must be that of a triangle or a sphere.
    pub(super) fn hit(&self, number: u32, ray: Ray, depth: f32) -> Hit {
        let index = number as usize - 1;
        match self.triangles.get(index) {
            Some(triangle) => self.hit_triangle(triangle, ray),
            None => self.hit_sphere(&self.spheres[index - self.triangles.len()], ray.at(depth)),
        }
    }

    fn hit_triangle(&self, triangle: &Triangle, ray: Ray) -> Hit {
        let [a, b, c] = triangle.corners.map(|corner| &self.vertices[corner as usize]);
        let [wa, wb, wc] = weights([a.position, b.position, c.position], ray);
        let facet = (b.position - a.position).cross(c.position - a.position).normalize_or(Vec3::Y);
        let normal = (wa * a.normal + wb * b.normal + wc * c.normal).normalize_or(facet);
        let material = &self.materials[triangle.material as usize];
        let behind = facet.dot(ray.direction) > 0.0;
        let side = if behind { -1.0 } else { 1.0 };
        Hit {
            position: wa * a.position + wb * b.position + wc * c.position,
            normal: toward_viewer(side * normal, ray.direction),
            facet: side * facet,
            color: match material.back {
                Some(back) if behind => to_linear(back),
                _ => wa * a.color + wb * b.color + wc * c.color,
            },
            gloss: material.gloss,
            sheen: material.sheen,
        }
    }

    fn hit_sphere(&self, sphere: &Sphere, position: Vec3) -> Hit {
        let normal = (position - sphere.center).normalize_or(Vec3::Y);
        let material = &self.materials[sphere.material as usize];
        Hit { position, normal, facet: normal, color: sphere.color, gloss: material.gloss, sheen: material.sheen }
    }

    /// Returns the corner positions of `triangle` `[m]`.
    fn corners(&self, triangle: &Triangle) -> [Vec3; 3] {
        triangle.corners.map(|corner| self.vertices[corner as usize].position)
    }

    /// Returns the index of `material`, which is appended.
    fn add_material(&mut self, material: Material) -> u32 {
        self.materials.push(material);
        self.materials.len() as u32 - 1
    }
}

/// Returns the barycentric weights of the point where `ray` crosses the plane of a triangle, kept inside it
/// (T. Möller, B. Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, 1997).
fn weights([a, b, c]: [Vec3; 3], ray: Ray) -> [f32; 3] {
    let (ab, ac, from_a) = (b - a, c - a, ray.origin - a);
    let p = ray.direction.cross(ac);
    let q = from_a.cross(ab);
    let volume = ab.dot(p);
    if volume == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let wb = (from_a.dot(p) / volume).clamp(0.0, 1.0);
    let wc = (ray.direction.dot(q) / volume).clamp(0.0, 1.0 - wb);
    [1.0 - wb - wc, wb, wc]
}

/// `normal`, bent just so far that it does not face away from a viewer who looks along
/// `direction`.
fn toward_viewer(normal: Vec3, direction: Vec3) -> Vec3 {
    let away = normal.dot(direction);
    if away <= 0.0 {
        return normal;
    }
    let bent = normal - direction * (away / direction.length_squared());
    bent.normalize_or(normal)
}
