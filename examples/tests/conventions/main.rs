//! Conventions of the sources: the order of imports, names, documentation, and the pages that describe them.

mod crates;
mod floors;
mod imports;
mod items;
mod modules;
mod names;
mod pages;
mod summaries;
