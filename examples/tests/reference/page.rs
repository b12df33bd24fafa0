//! The page of comparisons agrees with the output of the command.

use std::fs;
use std::path::Path;

use examples::compare::{SECTIONS, Section, comparison_page, svg};

#[test]
fn the_page_agrees_with_the_output_of_the_command() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let read = |name: &Path| fs::read_to_string(docs.join(name)).expect("the page and its pictures are there");
    let repeatable = SECTIONS.iter().filter(|(name, _)| *name != "time");
    let sections: Vec<Section> = repeatable.map(|(_, section)| section().expect("it can be run")).collect();
    assert!(sections.iter().all(|section| !section.timed));
    let written = read(Path::new("comparison.md"));
    let measured = comparison_page(&sections);
    let stale = measured.lines().zip(written.lines()).find(|(measured, written)| measured != written);
    assert_eq!(stale, None, "run `xpbd compare --out docs`");
    assert!(written.starts_with(&measured), "run `xpbd compare --out docs`");
    for section in &sections {
        let picture = svg(&section.figure).expect("it can be drawn");
        let name = Path::new("comparison").join(section.name).with_extension("svg");
        assert!(read(&name) == picture, "{} is stale: run `xpbd compare --out docs`", name.display());
    }
}
