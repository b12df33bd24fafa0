//! The module tree of a crate, read from its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, UseTree};

/// The path of a module from the root of its crate, which is the empty path.
pub type ModulePath = Vec<String>;

/// A name that a `use` brings into a module.
pub struct Binding {
    /// The name, or nothing for a glob.
    pub name: Option<String>,
    /// The path that the `use` gives.
    pub path: Vec<String>,
    /// The line of the file that holds the path.
    pub line: usize,
}

/// A module without its tests.
pub struct Module {
    /// The file that holds it.
    pub file: PathBuf,
    /// Its items.
    pub items: Vec<Item>,
    /// The names that its `use` items bring in.
    pub bindings: Vec<Binding>,
}

impl Module {
    fn new(file: &Path, items: Vec<Item>) -> Self {
        let mut bindings = Vec::new();
        for item in &items {
            if let Item::Use(item) = item {
                read_tree(&item.tree, &mut Vec::new(), &mut bindings);
            }
        }
        Self { file: file.into(), items, bindings }
    }
}

/// Collects the leaves of a `use` tree.
pub fn read_tree(tree: &UseTree, path: &mut Vec<String>, bindings: &mut Vec<Binding>) {
    let mut bind = |name: Option<String>, ident: Option<&proc_macro2::Ident>, span: proc_macro2::Span| {
        let mut path = path.clone();
        path.extend(ident.filter(|ident| *ident != "self").map(|ident| ident.to_string()));
        bindings.push(Binding { name, path, line: span.start().line });
    };
    match tree {
        UseTree::Name(leaf) if leaf.ident == "self" => {
            let name = path.last().cloned();
            bind(name, None, leaf.ident.span());
        }
        UseTree::Name(leaf) => bind(Some(leaf.ident.to_string()), Some(&leaf.ident), leaf.ident.span()),
        UseTree::Rename(leaf) => bind(Some(leaf.rename.to_string()), Some(&leaf.ident), leaf.ident.span()),
        UseTree::Glob(star) => bind(None, None, star.star_token.spans[0]),
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            read_tree(&inner.tree, path, bindings);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| read_tree(tree, path, bindings)),
    }
}

/// Returns whether an item is compiled for tests alone.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let condition = list.tokens.to_string();
                ["test", "doctest"].contains(&condition.as_str()) || condition.starts_with("all (test")
            })
    })
}

/// The modules of a crate by path.
pub struct Modules {
    /// Each module with its path.
    pub by_path: BTreeMap<ModulePath, Module>,
}

impl Modules {
    /// Reads a crate whose root is the file `root`, with `read` for the text of a file.
    ///
    /// # Panics
    /// If a file is missing or is not Rust.
    pub fn read(root: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut modules = Self { by_path: BTreeMap::new() };
        let folder = root.parent().expect("the root has a folder").to_path_buf();
        modules.read_file(Vec::new(), root, &folder, read);
        modules
    }

    fn read_file(&mut self, path: ModulePath, file: &Path, folder: &Path, read: &dyn Fn(&Path) -> Option<String>) {
        let text = read(file).unwrap_or_else(|| panic!("{} does not exist", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add(path, file, folder, parsed.items, read);
    }

    fn add(
        &mut self,
        path: ModulePath,
        file: &Path,
        folder: &Path,
        mut items: Vec<Item>,
        read: &dyn Fn(&Path) -> Option<String>,
    ) {
        items.retain(|item| !is_test(attributes(item)));
        for item in &mut items {
            let Item::Mod(module) = item else { continue };
            let name = module.ident.to_string();
            let (child, inside) = ([path.clone(), vec![name.clone()]].concat(), folder.join(&name));
            match module.content.take() {
                Some((_, items)) => self.add(child, file, &inside, items, read),
                None => self.read_file(child, &folder.join(format!("{name}.rs")), &inside, read),
            }
        }
        self.by_path.insert(path, Module::new(file, items));
    }

    /// Returns the names of the modules directly in `folder`.
    pub fn children(&self, folder: &[String]) -> BTreeSet<&str> {
        let inside = |path: &&ModulePath| path.len() == folder.len() + 1 && path.starts_with(folder);
        self.by_path.keys().filter(inside).map(|path| path[folder.len()].as_str()).collect()
    }
}

/// Returns the attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name of an item that can be imported.
pub fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
