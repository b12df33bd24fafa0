//! Tests with small files that they write themselves.

use std::fs;

use super::*;

/// A closed tetrahedron as OBJ text, of volume 1/6.
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Writes `content` to a file of this process alone and loads it.
fn load_text(name: &str, content: impl AsRef<[u8]>) -> Result<Mesh, LoadError> {
    let folder = std::env::temp_dir().join(format!("xpbd-mesh-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for test files");
    let path = folder.join(name);
    fs::write(&path, content).expect("a test file");
    load(&path)
}

/// Returns a `.glb` of one JSON chunk and one binary chunk, each padded to four bytes.
fn glb(json: &str, mut binary: Vec<u8>) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((total as u32).to_le_bytes());
    for (tag, chunk) in [(b"JSON", &text), (b"BIN\0", &binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(tag);
        bytes.extend(chunk);
    }
    bytes
}

/// Returns a tetrahedron as twelve unshared vertices, under a node that scales by (-2, 2, 2) and moves by
/// (5, 0, 0), with `last_index` as its last corner.
fn tetrahedron_glb(last_index: u16) -> Vec<u8> {
    let points = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut binary = Vec::new();
    for corner in faces.iter().flatten() {
        binary.extend(points[*corner as usize].iter().flat_map(|x| x.to_le_bytes()));
    }
    binary.extend((0..11u16).chain([last_index]).flat_map(u16::to_le_bytes));
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
        "nodes":[{"children":[1],"translation":[5,0,0]},{"mesh":0,"scale":[-2,2,2]}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
        "accessors":[
            {"bufferView":0,"componentType":5126,"count":12,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
            {"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":144},{"buffer":0,"byteOffset":144,"byteLength":24}],
        "buffers":[{"byteLength":168}]}"#;
    glb(json, binary)
}

#[test]
fn obj_text_becomes_a_closed_mesh() {
    let mesh = load_text("tetrahedron.obj", TETRAHEDRON).expect("a mesh");
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 4));
    assert!(mesh.is_closed());
    assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-6);
}

#[test]
fn obj_polygons_are_cut_and_lines_left_out() {
    let points = "v 0 0 0\nv 1 0 0 # red\nv 1 1 0\nvt 0 0\nv 0 1 0\nl 1 2\n";
    for face in ["f 1 2 3 4\n", "f 1/1 2/1/9 3//9 4\n", "f -4 -3/1 -2 -1\n"] {
        let mesh = load_text("quad.obj", format!("{points}{face}")).expect("a mesh");
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2));
    }
}

#[test]
fn glb_meshes_are_transformed_by_their_nodes_and_welded() {
    let mesh = load_text("tetrahedron.glb", tetrahedron_glb(11)).expect("a mesh");
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 4));
    assert!(mesh.is_closed());
    assert!((mesh.signed_volume() - 8.0 / 6.0).abs() < 1e-5);
    assert_eq!(mesh.bounds().min, Vec3::new(3.0, 0.0, 0.0));
    assert_eq!(mesh.bounds().max, Vec3::new(5.0, 2.0, 2.0));
}

#[test]
fn errors_name_the_file_and_the_element() {
    let [mut short, mut lost] = [tetrahedron_glb(11), tetrahedron_glb(11)];
    short[8..12].copy_from_slice(&4_u32.to_le_bytes());
    let text = String::from_utf8_lossy(&lost);
    let at = text.find("\"POSITION\":").expect("it has positions") + "\"POSITION\":".len();
    lost[at] = b'7';
    let cases: [(&str, Vec<u8>, &str); 12] = [
        ("shape.stl", Vec::new(), "unknown extension"),
        ("empty.obj", Vec::new(), "no triangles"),
        ("flat.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 2\n".into(), "no triangles"),
        ("far.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n".into(), "out of range"),
        ("zero.obj", b"v 0 0 0\nf 0 1 1\n".into(), "line 2: expected numbers of vertices"),
        ("before.obj", b"v 0 0 0\nf -2 1 1\n".into(), "line 2: expected numbers of vertices"),
        ("short.obj", b"# a point\nv 0 0\n".into(), "line 2: expected three coordinates"),
        ("nan.obj", b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n".into(), "not finite"),
        ("far.glb", tetrahedron_glb(12), "out of range"),
        ("short.glb", short, "4 bytes"),
        ("lost.glb", lost, "accessor 7"),
        ("noise.glb", b"not a scene at all".into(), "noise.glb: "),
    ];
    for (name, content, expected) in cases {
        let message = load_text(name, content).expect_err(name).to_string();
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let message = load(Path::new("/nowhere/shape.obj")).expect_err("no file").to_string();
    assert!(message.contains("/nowhere/shape.obj"), "{message}");
}
