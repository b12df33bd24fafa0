//! Pages name files that exist.

use crate::crates::{CRATES, root, text};

/// The kinds of things that have a page in `docs/bevy`.
const KINDS: [&str; 8] = ["body", "character", "cloth", "cluster", "liquid", "rod", "rope", "soft_body"];

/// Returns the page of a kind.
fn page_of(kind: &str) -> String {
    format!("docs/bevy/{kind}.md")
}

/// Returns the pages that are read.
fn pages() -> Vec<String> {
    let common = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "docs/bevy/README.md"].map(String::from);
    let own = CRATES[..6].iter().map(|name| format!("{name}/README.md"));
    common.into_iter().chain(own).chain(KINDS.map(page_of)).collect()
}

/// Returns whether a word in backticks is meant as a file or folder of the workspace. The folder `out/` holds what the
/// runner writes.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c));
    let ends = [".rs", ".wgsl", ".md", ".toml"].iter().any(|end| word.ends_with(end));
    plain && (word.contains('/') || ends) && !word.starts_with('/') && !word.starts_with("out/")
}

/// Returns the words in backticks outside of fenced blocks.
fn quoted(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

/// Returns the targets of links to files.
fn links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    let targets = prose.flat_map(|part| part.split("](").skip(1).filter_map(|rest| rest.split(')').next()));
    targets.filter(|target| !target.contains("://") && !target.starts_with('#')).collect()
}

#[test]
fn every_path_in_a_page_exists() {
    let mut missing = Vec::new();
    for page in pages() {
        let text = text(&page);
        let folder = root().join(&page).parent().expect("the page lies in a folder").to_path_buf();
        let named = quoted(&text).into_iter().filter(|word| is_path(word)).map(|word| (word, root().join(word)));
        let linked = links(&text).into_iter().map(|link| (link, folder.join(link.split('#').next().unwrap_or(link))));
        missing
            .extend(named.chain(linked).filter(|(_, path)| !path.exists()).map(|(word, _)| format!("{page}: {word}")));
    }
    assert!(missing.is_empty(), "these paths do not exist:\n{}", missing.join("\n"));
}

/// Returns the blocks of Rust code of a page.
fn code(page: &str) -> impl Iterator<Item = &str> {
    page.split("```").skip(1).step_by(2).filter(|block| block.starts_with("rust"))
}

#[test]
fn the_code_of_the_readme_stands_in_the_readme_of_a_crate() {
    let tested: Vec<String> = CRATES[..6].iter().map(|name| text(&format!("{name}/README.md"))).collect();
    for block in code(&text("README.md")) {
        assert!(tested.iter().any(|page| code(page).any(|other| other == block)), "no doc test runs this:\n{block}");
    }
}

#[test]
fn the_code_of_the_page_of_a_kind_is_that_of_its_demo() {
    for kind in KINDS {
        let demo = text(&format!("examples/demos/kinds/{kind}.rs"));
        let (_, demo) = demo.split_once("\n\n").expect("the demo begins with a line of documentation");
        let page = text(&page_of(kind));
        let on_page: Vec<_> = code(&page).filter_map(|block| block.strip_prefix("rust\n")).collect();
        assert_eq!(on_page, [demo], "{kind}");
        assert!(page.contains(&format!("--example kinds -- {kind} --picture docs/bevy/{kind}.png")), "{kind}");
    }
}

#[test]
fn words_in_backticks_are_paths_only_if_they_look_like_paths() {
    let page = "`a/b.rs` and `Type::method` and `x / y`\n```\n`in/code.rs`\n```\n`c.toml`, `out/p.png`, [text](d/e.md)";
    let paths: Vec<_> = quoted(page).into_iter().filter(|word| is_path(word)).collect();
    assert_eq!(paths, ["a/b.rs", "c.toml"]);
    assert_eq!(links(page), ["d/e.md"]);
}
