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

/// The uses in `markup`, each as `name role target`, with `script` in front of it.
fn uses_in_markup(language: &str, script: &str, markup: &str) -> Vec<String> {
    let source = format!("{script}\n{markup}");
    let names = bind(language, &source);
    let first = script.matches('\n').count() + 2;
    let lines = format_non_definition_occurrences(&names);
    let in_markup = lines.lines().filter_map(|line| {
        let (number, rest) = line.split_once(' ')?;
        (number.parse::<usize>().ok()? >= first).then(|| rest.to_owned())
    });
    in_markup.collect()
}

const SETUP: &str = "<script setup lang=\"ts\">import MyCard, { ui } from './c'; const count = 1, items = [], form = {}, open = () => 1, vFocus = {}, cond = 1, input = ref(); interface P { n: number }; const p = defineProps<{ title: string }>();</script>";

fn vue(template: &str) -> Vec<String> {
    uses_in_markup("vue", SETUP, &format!("<template>{template}</template>"))
}

fn svelte(markup: &str) -> Vec<String> {
    let script = "<script lang=\"ts\">import { flip, store, Card, ui } from './c'; let count = 1, items = [], a, b, name, go;</script>";
    uses_in_markup("svelte", script, markup)
}

fn astro(markup: &str) -> Vec<String> {
    let script = "---\nimport Card from './Card.astro';\nimport * as ui from './ui';\nconst { items, title, rest, a, b, c } = Astro.props;\n---";
    uses_in_markup("astro", script, markup)
}

#[test]
fn dump() {
    for markup in [
        "{{ count }} text count {{ items[0].total(count + 1) }} <!-- {{ count }} -->",
        "<p :class=\"{ count, active: cond, [count]: 1 }\" @click=\"open()\" v-if=\"cond && !count\" id=\"count\"/>",
        "<li v-for=\"(item, index) in items\" :key=\"item.id\" @click=\"open(item, index)\">{{ item.count }} {{ count }}</li>{{ item }}",
        "<li v-for=\"{ count, b = open } of items\">{{ count }}{{ b }}</li>{{ count }}",
        "<my-card v-slot=\"{ count }\">{{ count }}</my-card><MyCard #a=\"{ b: count }\">{{ count }}</MyCard><ui.Card />",
        "<my-card><template #[count]=\"x\">{{ x }}</template></my-card>",
        "<input v-model.trim=\"form.name\" v-model:open=\"count\" :count :my-item v-focus=\"count\" @[open]=\"count++\" ref=\"input\">",
        "<p @click=\"(count) => open(count)\" @x=\"items.map(function (count) { return count })\" @y=\"async () => { const count = 2; open(count) }; count = 3\" />",
        "<p :a=\"cond ? items.map((x) => x.count) : count\" :b=\"`a ${count} b`\" :c=\"/count/.test(count)\" :d=\"(form as P).n\" :e=\"open<P>(count)\" />",
        "<p :a=\"count &amp;&amp; cond &lt; 2\" :b=\"'count'\" :c='&quot;count&quot;' /> {{ title }} {{ other }} {{ p.title }}",
        "<p v-pre :a=\"count\">{{ count }}</p>{{ count // open\n }}{{ /* open */ count }}",
    ] {
        println!("VUE {markup}\n    {}", vue(markup).join("\n    "));
    }
    for markup in [
        "{count} {items.map((a) => a + b)} <!-- {count} --> {@html name} {'count'}",
        "<Card {count} {...items} a=\"x {count} y\" b={b} c='{name}' on:click={() => go(a)} on:x {@attach go} />",
        "<ui.Card use:flip={a} transition:flip in:flip|local animate:ui.flip bind:count bind:this={b} class:count class:x={a} style:name style:--y={a} />",
        "{#each items as { a, b = count }, i (a + i)}{a}{b}{i}{count}{:else}{a}{/each}{a}",
        "{#each items as item}{item.name}{@const a = item.count}{a}{/each}{a}",
        "{#if a}{b}{:else if b}{a}{/if}{#await go() then a}{a}{:catch b}{b}{/await}{a}{#key count}{a}{/key}",
        "{#await go}{a}{:then { a }}{a}{/await}",
        "{@render row(a)}{#snippet row(b, { count })}{b}{count}{/snippet}{count}",
        "<Card let:a let:x={b}>{a}{b}</Card>{a}{b} {$store.x} {$count} <svelte:component this={Card}/>",
        "<button onclick={() => count++} title=\"a\">{count > 1 ? `x${a}` : '}'}</button><script>var count</script>",
    ] {
        println!("SVELTE {markup}\n    {}", svelte(markup).join("\n    "));
    }
    for markup in [
        "<Card title={title} {...rest} {a} client:load>title {title} it's {b}</Card><p class:list={[a, { b: c }]} set:html={c} />",
        "{items.map((a) => <Card title={a}>a {a.title} {b}</Card>)} a {a}",
        "{items.map((a) => (<li>a {a}<br>{b}</li>))}{items.filter((b) => b.title).map(({ a, b = c }) => { return <li>{a}{b} don't</li> })}{a}",
        "{a && <p>a {b}</p>}{a < b ? <Card/> : <><ui.Card/>c</>}",
        "<style>{a}</style><script>const z = 1; z</script><!-- {a} --><p a={`x ${a}`} b=`c ${b}` c=\"{a}\">{/* a */}{'a'}</p><script define:vars={{ a }} is:inline>a</script>{b}",
    ] {
        println!("ASTRO {markup}\n    {}", astro(markup).join("\n    "));
    }
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
                bind(language, &format!("{before}{}{after}", part.repeat(10_000)));
            }
        }
        for pair in parts.iter().flat_map(|a| parts.iter().map(move |b| [*a, *b])) {
            bind(language, &format!("<template>{{{}", pair.concat().repeat(20)));
        }
    }
    // Far above what it takes on a busy machine, far below what quadratic work takes.
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}
