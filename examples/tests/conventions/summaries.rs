//! Documentation of public items begins with a sentence or a noun phrase, not with a question word.

use crate::crates::{CRATES, library};
use crate::items::{Named, items};

/// First words of fragments.
const FRAGMENTS: [&str; 9] = ["What", "How", "Whether", "Where", "When", "Who", "Made", "The way", "Of"];

/// Returns whether a summary begins as a fragment.
fn is_fragment(summary: &str) -> bool {
    FRAGMENTS.iter().any(|word| summary.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

fn fragments(items: &[Named]) -> impl Iterator<Item = String> {
    let public = items.iter().filter(|item| item.is_public);
    let found = public.filter_map(|item| Some((item, item.summary.as_ref().filter(|summary| is_fragment(summary))?)));
    found.map(|(item, summary)| format!("{} `{}`: {summary}", item.place, item.name))
}

#[test]
fn summaries_of_public_items_are_no_fragments() {
    let found: Vec<_> = CRATES.iter().flat_map(|name| fragments(&items(&library(name))).collect::<Vec<_>>()).collect();
    assert!(found.is_empty(), "{} summaries begin as fragments:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_fragment_is_known_by_its_first_word() {
    for fragment in ["What it is.", "Whether it moves.", "How many there are.", "The way back.", "Of a body."] {
        assert!(is_fragment(fragment), "{fragment}");
    }
    for sentence in ["Returns what it is.", "The wall.", "Official name.", "Wheres.", "Mass of a body."] {
        assert!(!is_fragment(sentence), "{sentence}");
    }
}
