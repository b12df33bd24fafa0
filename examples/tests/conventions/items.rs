//! The named items of a crate: what each is called, what its documentation begins with, and where it stands.

use std::path::{Path, PathBuf};

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Lit, Meta, Visibility};

use crate::modules::{Modules, attributes, is_test};

/// A named item.
pub struct Named {
    /// Its name.
    pub name: String,
    /// True if it is declared public.
    pub is_public: bool,
    /// The first line of its documentation.
    pub summary: Option<String>,
    /// The file and the line of its name.
    pub place: String,
}

/// Returns the named items of a crate without its tests.
pub fn items(modules: &Modules) -> Vec<Named> {
    let mut found = Vec::new();
    for module in modules.by_path.values() {
        let mut collector = Collector { file: &module.file, found: Vec::new(), inherits: false };
        module.items.iter().for_each(|item| collector.visit_item(item));
        found.extend(collector.found);
    }
    found
}

/// Returns the first line of a documentation comment.
fn summary(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(text) => match &text.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

struct Collector<'a> {
    file: &'a Path,
    found: Vec<Named>,
    /// True if parts without a visibility of their own are public, as variants and methods of public traits are.
    inherits: bool,
}

impl Collector<'_> {
    fn add(&mut self, name: &Ident, is_public: bool, attributes: &[Attribute]) {
        let place = format!("{}:{}", PathBuf::from(self.file).display(), name.span().start().line);
        self.found.push(Named { name: name.to_string(), is_public, summary: summary(attributes), place });
    }

    fn inside(&mut self, is_public: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.inherits, is_public);
        visit(self);
        self.inherits = before;
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

impl<'ast> Visit<'ast> for Collector<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            Item::Const(item) => self.add(&item.ident, is_public(&item.vis), &item.attrs),
            Item::Fn(item) => self.add(&item.sig.ident, is_public(&item.vis), &item.attrs),
            Item::Static(item) => self.add(&item.ident, is_public(&item.vis), &item.attrs),
            Item::Type(item) => self.add(&item.ident, is_public(&item.vis), &item.attrs),
            Item::Mod(item) => self.add(&item.ident, is_public(&item.vis), &item.attrs),
            Item::Struct(item) => {
                self.add(&item.ident, is_public(&item.vis), &item.attrs);
                self.inside(false, |this| visit::visit_fields(this, &item.fields));
            }
            Item::Enum(item) => {
                self.add(&item.ident, is_public(&item.vis), &item.attrs);
                self.inside(is_public(&item.vis), |this| {
                    item.variants.iter().for_each(|variant| this.visit_variant(variant));
                });
            }
            Item::Trait(item) => {
                self.add(&item.ident, is_public(&item.vis), &item.attrs);
                self.inside(is_public(&item.vis), |this| visit::visit_item_trait(this, item));
            }
            Item::Impl(item) if item.trait_.is_none() => visit::visit_item_impl(self, item),
            _ => {}
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add(&variant.ident, self.inherits, &variant.attrs);
        visit::visit_fields(self, &variant.fields);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.add(name, self.inherits || is_public(&field.vis), &field.attrs);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig.ident, is_public(&item.vis), &item.attrs);
        }
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.add(&item.ident, is_public(&item.vis), &item.attrs);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add(&item.sig.ident, self.inherits, &item.attrs);
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.add(&item.ident, self.inherits, &item.attrs);
    }
}
