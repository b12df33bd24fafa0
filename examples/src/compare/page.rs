//! The page of all comparisons.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CompareError, Section, Table, svg};

/// Text at the start of the page of comparisons.
const HEAD: &str = "\
# XPBD and the classical solvers

The command `xpbd compare --out docs` writes this page and measures all of its numbers. The classical solvers are in
`examples/src/reference/`. They use double precision, small scenes, and the constraints of the engine, whose first and
second derivatives are computed with dual numbers. The XPBD of the comparisons runs in the same code.
";

/// Returns a number with three digits that count; a dash for none.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match value {
        _ if value.is_nan() => "–".into(),
        _ if value.is_infinite() => "∞".into(),
        0.0 => "0".into(),
        _ if !(1e-3..1e5).contains(&size) => format!("{value:.2e}"),
        _ => {
            let digits = [9.995, 99.95, 999.5].iter().filter(|limit| size < **limit).count();
            let small = [0.9995, 0.09995, 0.009995].iter().filter(|limit| size < **limit).count();
            format!("{value:.*}", (digits + small).saturating_sub(1))
        }
    }
}

/// Returns a table as Markdown.
fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = line(table.head.iter().map(|head| String::from(*head)).collect());
    let rule = format!("|{}\n", "---|".repeat(table.head.len()));
    let row = |(label, numbers): &(String, Vec<f64>)| {
        line(std::iter::once(label.clone()).chain(numbers.iter().map(|value| number(*value))).collect())
    };
    head + &rule + &table.rows.iter().map(row).collect::<String>()
}

impl Section {
    /// Returns the section as Markdown, with its picture in this folder.
    fn markdown(&self, folder: &str) -> String {
        let Self { name, title, text, .. } = self;
        let text = wrapped(text, 119);
        format!("## {title}\n\n{text}\n![{title}]({folder}/{name}.svg)\n\n{}", table(&self.table))
    }
}

/// Returns the page of comparisons.
pub fn comparison_page(sections: &[Section]) -> String {
    page(HEAD, "comparison", sections)
}

/// Returns a page that begins with `head`, with the pictures of its sections in this folder.
pub fn page(head: &str, folder: &str, sections: &[Section]) -> String {
    sections.iter().fold(head.to_owned(), |page, section| page + "\n" + &section.markdown(folder))
}

/// Writes a page `{name}.md` and the pictures of its sections in a folder `{name}` beside it.
///
/// # Errors
/// A picture cannot be drawn, or a file cannot be written.
pub fn write_page(page: &str, name: &str, sections: &[Section], folder: &Path) -> Result<(), CompareError> {
    let write = |path: PathBuf, text: &str| {
        fs::write(&path, text).map_err(|error| CompareError::Write(format!("{}: {error}", path.display())))
    };
    let pictures = folder.join(name);
    fs::create_dir_all(&pictures).map_err(|error| CompareError::Write(format!("{}: {error}", pictures.display())))?;
    for section in sections {
        write(pictures.join(section.name).with_extension("svg"), &svg(&section.figure)?)?;
    }
    write(folder.join(name).with_extension("md"), page)
}

/// Returns the words of a text in lines of at most so many characters.
fn wrapped(text: &str, width: usize) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines += &(std::mem::take(&mut line) + "\n");
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let numbers = [0.0, 1.0, 0.999_97, 12.345, 123.45, 12345.6, 0.012_345, -0.5, 1.234e-5, 6.5e7].map(number);
        assert_eq!(numbers, ["0", "1.00", "1.00", "12.3", "123", "12346", "0.0123", "-0.500", "1.23e-5", "6.50e7"]);
        assert_eq!([f64::NAN, f64::INFINITY].map(number), ["–", "∞"]);
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 7), "one two\nthree\n");
    }
}
