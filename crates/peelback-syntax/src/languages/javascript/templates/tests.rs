//! Tests that print the names that markup uses.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use crate::analysis::bind_names;
use crate::language;
use crate::names::Names;
use crate::names::debug_text::format_non_definition_occurrences;
use crate::parse::Limits;

fn bind(language: &str, source: &str) -> Names {
    let language = language::language_by_exact_name(language).expect("a language");
    bind_names(language, source, &Limits::default()).expect("a parse")
}

/// The uses on the last line of a source, each as `name role`.
fn uses_on_last_line(language: &str, source: &str) -> Vec<String> {
    let names = bind(language, source);
    let last = source.matches('\n').count() + 1;
    let text = format_non_definition_occurrences(&names);
    let uses = text.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let line: usize = words.next()?.parse().ok()?;
        let (name, role) = (words.next()?, words.next()?);
        (line == last).then(|| format!("{name} {role}"))
    });
    uses.collect()
}

#[test]
fn names_local_to_a_template_of_vue_are_no_uses_of_the_script() {
    let script = "<script setup>import MyCard from './c'; const items = [], open = 1</script>\n";
    let uses = |markup: &str| uses_on_last_line("vue", &format!("{script}<template>{markup}</template>"));
    assert_eq!(uses("{{ open }} open"), ["open read"]);
    assert_eq!(uses("<my-card/>"), ["MyCard call"]);
    assert_eq!(uses("<p v-pre>{{ open }}</p>"), [""; 0]);
    assert_eq!(uses("<p v-model=\"open.name\" @a=\"open()\"/>"), ["open read", "name write", "open call"]);
}

#[test]
fn values_of_stores_are_uses_and_runes_are_not() {
    let uses =
        |script: &str, markup: &str| uses_on_last_line("svelte", &format!("<script>{script}</script>\n{markup}"));
    assert_eq!(uses("import { count } from './s'", "{$count}"), ["count read"]);
    assert_eq!(uses("let state = 1", "{$state.snapshot(1)}").first().map(String::as_str), Some("$state read"));
    assert_eq!(uses("let a = 1", "{#if a}{/if}<A {a}/>"), ["a read", "A call", "a read"]);
}

#[test]
fn a_template_in_another_language_is_not_understood() {
    let names = bind("vue", "<template lang=\"pug\">\np {{ a }}\n</template>\n<script setup>const a = 1</script>");
    assert_eq!(names.missed, [(1, 3)]);
}

/// Any bytes are input: nothing here may panic, or take more than the length of the text does.
#[test]
fn time_is_linear_in_the_length_of_broken_markup() {
    let started = std::time::Instant::now();
    let parts = [
        "{",
        "}",
        "{{",
        "<a ",
        "<a>",
        "</a>",
        "</b>",
        "(",
        "(a) => ",
        "`${",
        "/[",
        "'\\",
        "\"",
        "<!--",
        "{#if a}",
        "{:else}",
        "{/if}",
        "{#each a as ",
        "{#snippet a(",
        "<p v-for=\"a in a\">",
        "<template lang=pug>",
        "<style>",
        "a.b(c).",
        "a ? b : ",
        "{a: ",
        "[a as ",
        "const a = ",
        "function a(",
        "&quot;",
        "<a :b=\"",
        "{...a",
        "é",
        "a<b>(",
        "let:a ",
        "a => b, ",
    ];
    for language in ["vue", "svelte", "astro"] {
        for part in parts {
            for (before, after) in
                [("", ""), ("<template>{{", ""), ("<A b={", "}>"), ("<p :a=\"", "\">"), ("---\n---\n{", "}")]
            {
                bind(language, &format!("{before}{}{after}", part.repeat(4_000)));
            }
        }
        for pair in parts.iter().flat_map(|a| parts.iter().map(move |b| [*a, *b])) {
            bind(language, &format!("<template>{{{}", pair.concat().repeat(20)));
        }
    }
    // Far above what it takes on a busy machine, far below what quadratic work takes.
    assert!(started.elapsed() < std::time::Duration::from_secs(30), "{:?}", started.elapsed());
}
