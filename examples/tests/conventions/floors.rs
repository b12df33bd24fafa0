//! The order of the top-level modules of each crate, as ARCHITECTURE.md lists it.

/// Returns the modules of a crate from the bottom to the top. They stand in the fenced block `floors` of the page, one
/// crate a line: its name, a colon, its modules with commas between them. A line that begins with a space goes on.
///
/// # Panics
/// If the page does not list the crate.
pub fn floors<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let block = page.split("```floors\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.expect("ARCHITECTURE.md holds a fenced block `floors`");
    let start = block.find(&format!("{name}:")).unwrap_or_else(|| panic!("the block `floors` does not list {name}"));
    let list = &block[start + name.len() + 1..];
    let end =
        list.match_indices('\n').find(|(at, _)| !list[at + 1..].starts_with(' ')).map_or(list.len(), |(at, _)| at);
    list[..end].split(',').map(str::trim).filter(|module| !module.is_empty()).collect()
}
