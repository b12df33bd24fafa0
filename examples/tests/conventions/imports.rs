//! Imports go down: the top-level modules of a crate import only from floors below them, and the modules of a folder
//! import each other in one direction.
//!
//! An import is a path in a `use`, or a path in code that begins with `crate`, `super` or `self`. It counts for the
//! first module on it that does not hold the importing one; names that such a module re-exports are followed.
//! Tests are left out.

use std::collections::BTreeMap;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::crates::{self, CRATES, library, text};
use crate::floors::floors;
use crate::modules::{Binding, Module, ModulePath, Modules, attributes, is_test, name, read_tree};

/// An import of one module of a folder by another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The folder that holds both.
    pub folder: ModulePath,
    /// The importing module.
    pub from: String,
    /// The imported one.
    pub to: String,
}

/// The imports of a crate, each with the places where it stands.
pub type Edges = BTreeMap<Edge, Vec<String>>;

/// Returns the imports between the modules of each folder of a crate.
pub fn edges(modules: &Modules) -> Edges {
    let mut edges = Edges::new();
    for (path, module) in &modules.by_path {
        let mut paths = Paths::default();
        module.items.iter().for_each(|item| paths.visit_item(item));
        for binding in &paths.found {
            let Some(target) = modules.target(path, path, &binding.path, 0) else { continue };
            let shared = path.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if shared < path.len().min(target.len()) {
                let (from, to) = (path[shared].clone(), target[shared].clone());
                let edge = Edge { folder: path[..shared].to_vec(), from, to };
                edges.entry(edge).or_default().push(format!("{}:{}", module.file.display(), binding.line));
            }
        }
    }
    edges
}

/// Returns the imports that are against the order of the floors, bottom to top.
pub fn upward<'a>(edges: &'a Edges, floors: &[&str]) -> Vec<&'a Edge> {
    let floor = |name: &str| floors.iter().position(|floor| *floor == name);
    edges.keys().filter(|edge| edge.folder.is_empty() && floor(&edge.from) <= floor(&edge.to)).collect()
}

/// Returns the imports that are part of a circle of modules of one folder.
pub fn circular(edges: &Edges) -> Vec<&Edge> {
    let returns = |edge: &&Edge| {
        let (mut reached, mut next) = (vec![edge.to.as_str()], 0);
        while let Some(&at) = reached.get(next) {
            let steps = edges.keys().filter(|step| step.folder == edge.folder && step.from == at);
            for step in steps {
                if !reached.contains(&step.to.as_str()) {
                    reached.push(&step.to);
                }
            }
            next += 1;
        }
        reached.contains(&edge.from.as_str())
    };
    edges.keys().filter(returns).collect()
}

/// The paths in a module that may be imports.
#[derive(Default)]
struct Paths {
    found: Vec<Binding>,
}

impl Paths {
    /// Finds paths from `crate`, `super` or `self` in the tokens of a macro.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => path.push(ident.to_string()),
                TokenTree::Ident(ident) => {
                    self.end(&mut path, line);
                    if ["crate", "super", "self"].contains(&ident.to_string().as_str()) {
                        (line, path) = (ident.span().start().line, vec![ident.to_string()]);
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.end(&mut path, line);
                    self.read_tokens(group.stream());
                }
                _ => self.end(&mut path, line),
            }
            colons = 0;
        }
        self.end(&mut path, line);
    }

    fn end(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.found.push(Binding { name: None, path, line });
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if item.leading_colon.is_none() {
            read_tree(&item.tree, &mut Vec::new(), &mut self.found);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>();
        if path.leading_colon.is_none() && ["crate", "super", "self"].contains(&segments[0].as_str()) {
            let line = path.segments[0].ident.span().start().line;
            self.found.push(Binding { name: None, path: segments, line });
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.read_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

/// Re-exports of re-exports that are followed at most.
const DEPTH: usize = 8;

impl Modules {
    /// Returns the module for which a path in the module `at` counts, for imports of the module `origin`: the first on
    /// it that does not hold `origin`. Nothing for a path into another crate.
    fn target(&self, origin: &[String], at: &[String], path: &[String], depth: usize) -> Option<ModulePath> {
        let (mut here, mut rest) = (at.to_vec(), path);
        match path.first()?.as_str() {
            "crate" => (here, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    here.pop();
                    rest = &rest[1..];
                }
            }
            first if self.find(at, first).is_none() => return None,
            _ => {}
        }
        while let Some((segment, after)) = rest.split_first() {
            if !origin.starts_with(&here) || depth == DEPTH {
                return Some(here);
            }
            match self.find(&here, segment)? {
                Found::Module(path) => (here, rest) = (path, after),
                Found::Item => return Some(here),
                Found::Binding(at, path) => {
                    let path = [path, after.to_vec()].concat();
                    return self.target(origin, &at, &path, depth + 1);
                }
            }
        }
        Some(here)
    }

    /// Returns the meaning of a name in a module.
    fn find(&self, at: &[String], segment: &str) -> Option<Found> {
        let child = [at, &[segment.to_owned()]].concat();
        if self.by_path.contains_key(&child) {
            return Some(Found::Module(child));
        }
        let module: &Module = self.by_path.get(at)?;
        if module.items.iter().any(|item| name(item).is_some_and(|name| name == segment)) {
            return Some(Found::Item);
        }
        if let Some(binding) = module.bindings.iter().find(|binding| binding.name.as_deref() == Some(segment)) {
            return Some(Found::Binding(at.to_vec(), binding.path.clone()));
        }
        let globs = module.bindings.iter().filter(|binding| binding.name.is_none());
        for glob in globs {
            let first = glob.path.first()?;
            let target = match first.as_str() {
                "crate" => glob.path[1..].to_vec(),
                "self" => [at, &glob.path[1..]].concat(),
                "super" => [&at[..at.len().saturating_sub(1)], &glob.path[1..]].concat(),
                _ => [at, &glob.path].concat(),
            };
            if target != at && self.by_path.contains_key(&target) && self.find(&target, segment).is_some() {
                return Some(Found::Binding(at.to_vec(), [glob.path.clone(), vec![segment.to_owned()]].concat()));
            }
        }
        None
    }
}

/// The meaning of a name in a module.
enum Found {
    /// A module inside it.
    Module(ModulePath),
    /// An item of its own.
    Item,
    /// A name that it has from elsewhere: the module that imports it, and the path.
    Binding(ModulePath, Vec<String>),
}

/// Describes the imports of a crate that are against the rules.
fn offences(name: &str, edges: &Edges, floors: &[&str]) -> Vec<String> {
    let describe = |edge: &Edge, what: &str| {
        let at = |module: &str| {
            [name, &edge.folder.join("::"), module]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("::")
        };
        let places = edges[edge].join(", ");
        format!("{} imports {}, {what}: {places}", at(&edge.from), at(&edge.to))
    };
    let up = upward(edges, floors).into_iter().map(|edge| (edge, "which is not below it"));
    let around = circular(edges).into_iter().filter(|edge| floors.is_empty() || !edge.folder.is_empty());
    let around = around.map(|edge| (edge, "which leads back to it"));
    up.chain(around).map(|(edge, what)| describe(edge, what)).collect()
}

#[test]
fn imports_go_down_and_never_around() {
    let page = text("ARCHITECTURE.md");
    let mut found = Vec::new();
    for name in CRATES {
        let (modules, floors) = (library(name), floors(&page, name));
        let missing: Vec<_> = modules.children(&[]).into_iter().filter(|module| !floors.contains(module)).collect();
        assert!(missing.is_empty(), "ARCHITECTURE.md does not say on which floor of {name} these are: {missing:?}");
        for floor in &floors {
            assert!(
                modules.children(&[]).contains(floor),
                "{name} has no module `{floor}`, which ARCHITECTURE.md lists"
            );
        }
        found.extend(offences(name, &edges(&modules), &floors));
    }
    found.extend(offences("examples", &edges(&crates::modules("examples/src/main.rs")), &[]));
    assert!(found.is_empty(), "{} imports go up or around:\n{}", found.len(), found.join("\n"));
}

/// Reads a crate of these files.
fn parse(files: &[(&str, &str)]) -> Modules {
    let read = |path: &Path| files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned());
    Modules::read(Path::new("lib.rs"), &read)
}

/// Returns the imports that go up or around in a crate with the floors `low` and `high`.
fn found(low: &str, high: &str) -> Vec<String> {
    let files = [("lib.rs", "mod low; mod high; pub use high::Roof;"), ("low.rs", low), ("high.rs", high)];
    offences("sample", &edges(&parse(&files)), &["low", "high"])
}

#[test]
fn an_import_from_above_is_found_in_every_form() {
    for code in [
        "use crate::high::Roof;",
        "use super::{high::{self as top}};",
        "use crate::Roof;",
        "fn f() -> crate::high::Roof { todo!() }",
        "fn f() { vec![super::high::Roof] }",
        "mod inner { use super::super::high; }",
        "macro_rules! roof { () => { $crate::high::Roof } }",
    ] {
        let found = found(code, "pub struct Roof;");
        assert_eq!(found.len(), 1, "{code}: {found:?}");
        assert_eq!(found[0], "sample::low imports sample::high, which is not below it: low.rs:1", "{code}");
    }
}

#[test]
fn imports_from_below_and_of_tests_are_allowed() {
    assert_eq!(found("pub struct Floor;", "use crate::low::Floor; pub struct Roof(Floor);"), [""; 0]);
    assert_eq!(found("#[cfg(test)] mod tests { use crate::high::Roof; }", "pub struct Roof;"), [""; 0]);
    assert_eq!(found("use std::high::Roof;", "pub struct Roof;"), [""; 0]);
}

#[test]
fn a_circle_in_a_folder_is_found_through_what_the_folder_exports() {
    let files = [
        ("lib.rs", "mod room;"),
        ("room.rs", "mod door; mod wall; pub use door::Door; pub use wall::*;"),
        ("room/door.rs", "use super::Wall; pub struct Door(Wall);"),
        ("room/wall.rs", "\nuse super::Door; pub struct Wall(Door);"),
    ];
    let found = offences("sample", &edges(&parse(&files)), &["room"]);
    assert_eq!(
        found,
        [
            "sample::room::door imports sample::room::wall, which leads back to it: room/door.rs:1",
            "sample::room::wall imports sample::room::door, which leads back to it: room/wall.rs:2",
        ]
    );
}
