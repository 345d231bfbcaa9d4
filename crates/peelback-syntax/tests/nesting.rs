//! Source that nests beyond all reason: names and trees stay bounded, and nothing overflows.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::time::{Duration, Instant};

use peelback_syntax::{Facts, Limits, NotParsed, ParseCoverage, analyse_source, language, walk_symbols_with_depth};

const DEPTH: usize = 20_000;

/// The facts, however long a loaded machine takes for the parse; `None` where this build lacks the grammar.
fn facts(name: &str, source: &str) -> Option<Facts> {
    let language = language::language_by_exact_name(name).expect("a language of the list");
    let facts = analyse_source(language, source, &Limits { base: Duration::from_secs(60), ..Limits::default() });
    assert_eq!(
        facts.coverage == ParseCoverage::NotParsed(NotParsed::NoGrammar),
        !language.is_available_in_build(),
        "{name}"
    );
    language.is_available_in_build().then_some(facts)
}

fn check(name: &str, source: &str) {
    let Some(facts) = facts(name, source) else { return };
    assert!(matches!(facts.coverage, ParseCoverage::Partial { .. }), "{name}: {:?}", facts.coverage);
    let deepest = walk_symbols_with_depth(&facts.symbols).map(|(_, depth)| depth).max().unwrap_or(0);
    let longest =
        walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| symbol.qualified_name.len()).max().unwrap_or(0);
    let found = walk_symbols_with_depth(&facts.symbols).count();
    assert!(found >= DEPTH, "{name}: {found} symbols of {DEPTH}");
    assert!(deepest <= 200, "{name}: {deepest} levels");
    assert!(longest <= 4_000, "{name}: a name of {longest} bytes");
}

#[test]
fn definitions_inside_each_other() {
    check("rust", &("mod a {".repeat(DEPTH) + &"}".repeat(DEPTH)));
    check("rust", &("fn a() {".repeat(DEPTH) + &"}".repeat(DEPTH)));
    check("go", &format!("package a\ntype A struct {{{}{}}}\n", "b struct {".repeat(DEPTH), "}".repeat(DEPTH)));
    check("go", &format!("package a\nfunc a() {{{}{}}}\n", "b := func() {\n".repeat(DEPTH), "}\n".repeat(DEPTH)));
}

/// Makes a source that nests so deep.
type Source<'a> = &'a dyn Fn(usize) -> String;

#[test]
fn what_nests_too_deep_is_said_to_be_missed() {
    let groups = |depth: usize| format!("use a::{{{}b{}}};\n", "c::{".repeat(depth), "}".repeat(depth));
    let structs = |depth: usize| {
        let opened: String = (0..depth).map(|level| format!("struct s{level} {{\n")).collect();
        format!("{opened}int a;\n{}", "} b;\n".repeat(depth - 1) + "};\n")
    };
    let classes = |depth: usize| {
        let opened: String = (0..depth).map(|level| format!("class C{level} {{\n")).collect();
        opened + &"}\n".repeat(depth)
    };
    let modules = |depth: usize| "mod a {\n".repeat(depth) + &"}\n".repeat(depth);
    let dotted = |depth: usize| format!("namespace {} {{}}\n", vec!["a"; depth].join("."));
    let calls = |depth: usize| "a! { fn b() {} ".repeat(depth) + &"}".repeat(depth);
    let cases: [(&str, Source, usize); 6] = [
        ("rust", &groups, 40),
        ("rust", &calls, 40),
        ("c", &structs, 80),
        ("java", &classes, 300),
        ("rust", &modules, 200),
        ("typescript", &dotted, 20),
    ];
    for (name, source, depth) in cases {
        let Some(shallow) = facts(name, &source(8)) else { continue };
        assert_eq!(shallow.coverage, ParseCoverage::Whole, "{name}");
        let deep = facts(name, &source(depth)).map(|facts| facts.coverage);
        let Some(ParseCoverage::Partial { regions, lines }) = deep else {
            panic!("{name}: whole at a depth of {depth}");
        };
        assert_eq!((regions, lines.len()), (1, 1), "{name}");
    }
}

#[test]
fn many_names_of_one_statement_are_all_there_and_cost_what_many_statements_do() {
    const NAMES: usize = 15_000;
    let joined = |joint: &str| (0..NAMES).map(|index| format!("name{index}")).collect::<Vec<_>>().join(joint);
    for (name, source, shown) in [
        ("javascript", format!("const {{ {} }} = all;\n", joined(", ")), "const name14999"),
        ("javascript", format!("export const [ {} ] = all;\n", joined(",\n")), "export const name14999"),
        ("typescript", format!("export let {{ {} }} = all;\n", joined(", ")), "export let name14999"),
        ("python", format!("{} = 1\n", joined(" = ")), "name14999"),
        ("python", format!("{} = 1\n", joined(" = \\\n")), "name14999"),
        ("python", format!("{} = all\n", joined(", ")), "name14999"),
        ("python", format!("class C:\n    {} = 1\n", joined(" = ")), "name14999"),
    ] {
        let started = Instant::now();
        let Some(facts) = facts(name, &source) else { continue };
        // Far above what the parse takes on a busy machine, far below what quadratic work on 15,000 names takes.
        assert!(started.elapsed() < Duration::from_secs(5), "{name}: {:?}", started.elapsed());
        let found =
            walk_symbols_with_depth(&facts.symbols).filter(|(symbol, _)| symbol.name.starts_with("name")).count();
        assert_eq!((found, &facts.coverage), (NAMES, &ParseCoverage::Whole), "{name}");
        // The first links of a chain show the chain.
        let last = walk_symbols_with_depth(&facts.symbols).last().map(|(symbol, _)| symbol.signature.as_str());
        assert_eq!(last, Some(shown), "{name}");
    }
}

#[test]
fn macro_calls_cost_what_their_length_does() {
    let nested = "a! { fn b() {} ".repeat(1_000) + &"}".repeat(1_000);
    let broken = "a! { fn b() {} let }\n".repeat(DEPTH);
    let many = "a! { fn b() {} }\n".repeat(DEPTH);
    for (source, least) in [(&nested, 8), (&broken, 0), (&many, DEPTH)] {
        let started = Instant::now();
        let Some(facts) = facts("rust", source) else { return };
        let found = walk_symbols_with_depth(&facts.symbols).count();
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(found, least);
    }
}

/// Text that is read in very many ways at once: a parser that follows them all takes gigabytes and many seconds for it.
#[test]
#[cfg(unix)]
fn a_text_of_many_readings_costs_little() {
    for name in ["java", "c_sharp"] {
        let started = Instant::now();
        let Some(facts) = facts(name, &"a<".repeat(20_000)) else { continue };
        assert!(started.elapsed() < Duration::from_secs(5), "{name}: {:?}", started.elapsed());
        assert!(matches!(facts.coverage, ParseCoverage::Partial { .. }), "{name}: {:?}", facts.coverage);
    }
}

/// Where a parse would hold more memory than it may, it is given up, and the next parse of the thread begins anew.
#[test]
#[cfg(unix)]
fn a_parse_that_holds_too_much_memory_is_given_up() {
    let Some(deep) = facts("java", &"a<".repeat(50_000)) else { return };
    assert_eq!(deep.coverage, ParseCoverage::NotParsed(NotParsed::Memory));
    let small = facts("java", "class A { }\n").expect("the language is there");
    assert_eq!((small.coverage, small.symbols.len()), (ParseCoverage::Whole, 1));
}

/// A scanner remembers the levels of indentation in a state of limited size. Beyond it the file is not parsed.
#[test]
#[cfg(unix)]
fn indentation_that_does_not_fit_the_state_of_a_scanner_is_given_up() {
    let indented = |levels: usize| -> String {
        (0..levels)
            .map(|level| format!("{}if x:\n", " ".repeat(level)))
            .chain([" ".repeat(levels), "y = \"text\"\n".into()])
            .collect()
    };
    for name in ["python", "yaml", "scala"] {
        for levels in [400, 510, 511, 512, 600, 2_000] {
            facts(name, &indented(levels));
        }
    }
    for levels in [511, 512, 600, 2_000] {
        let Some(deep) = facts("python", &indented(levels)) else { return };
        assert_eq!(deep.coverage, ParseCoverage::NotParsed(NotParsed::Memory), "{levels}");
    }
    let less_deep = facts("python", &indented(400)).expect("the language is there");
    assert_eq!(less_deep.coverage, ParseCoverage::Whole);
}

/// Scanners write lengths and counts into single bytes. What is larger is forgotten, and ends nothing.
#[test]
#[cfg(unix)]
fn words_and_numbers_of_here_documents_beyond_a_byte_are_harmless() {
    for name in ["ruby", "bash", "php"] {
        for length in [255, 256, 257, 511, 512, 1_000, 1_100] {
            let word = "A".repeat(length);
            for opening in ["x = <<~", "cat <<", "<?php $x = <<<"] {
                facts(name, &format!("{opening}{word}\ntext\n{word}\n"));
                facts(name, &format!("{opening}{word}\ntext\n"));
            }
        }
        for number in [200, 255, 256, 257, 300, 400] {
            let openings = "<<A, ".repeat(number);
            let bodies = "text\nA\n".repeat(number);
            facts(name, &format!("f({openings}<<A)\n{bodies}"));
            facts(name, &format!("f({openings}<<A)\ntext\n"));
        }
    }
    let document = |word: &str| format!("x = <<~{word}\n  def inside\n  end\n{word}\ndef f\nend\n");
    for length in [1, 255, 256, 257, 900] {
        let Some(found) = facts("ruby", &document(&"A".repeat(length))) else { return };
        let names: Vec<&str> = found.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!((&found.coverage, names), (&ParseCoverage::Whole, vec!["f"]), "{length}");
    }
    // The state has no room for the word: nothing of the text is taken for code.
    let Some(found) = facts("ruby", &document(&"A".repeat(1_100))) else { return };
    assert_eq!(found.coverage, ParseCoverage::NotParsed(NotParsed::Memory));
}

/// Scanners that remember open literals, words or levels give up where their state has no room for all: the file is not
/// parsed, in place of being read as if nothing were open.
#[test]
#[cfg(unix)]
fn a_state_that_a_scanner_cannot_keep_is_given_up() {
    let bash_word = |length: usize| format!("cat <<{0}\nf() {{ :; }}\n{0}\n", "A".repeat(length));
    let php_word = |length: usize| format!("<?php\n$x = <<<{0}\nfunction f() {{}}\n{0};\n", "A".repeat(length));
    let php_nested = |levels: usize| {
        let opened: String = (0..levels).map(|i| format!("<<<E{i}\n{{$a[")).collect();
        let closed: String = (0..levels).rev().map(|i| format!("]}}\nE{i}\n")).collect();
        format!("<?php\n$x = {opened}1{closed};\n")
    };
    let c_sharp =
        |levels: usize| format!("class A {{ object a = {}1{}; }}\n", "$\"{".repeat(levels), "}\"".repeat(levels));
    let ruby = |levels: usize| format!("x = {}1{}\n", "\"#{".repeat(levels), "}\"".repeat(levels));
    let scala = |levels: usize| {
        let opened: String = (0..levels).map(|level| format!("{}object O{level}:\n", " ".repeat(level))).collect();
        format!("{opened}{}val x = 1\n", " ".repeat(levels))
    };
    let cases: [(&str, Source, usize, usize); 6] = [
        ("bash", &bash_word, 900, 1_100),
        ("php", &php_word, 200, 1_100),
        ("php", &php_nested, 10, 200),
        ("c_sharp", &c_sharp, 100, 300),
        ("ruby", &ruby, 100, 300),
        ("scala", &scala, 100, 600),
    ];
    let mut wrong = Vec::new();
    for (name, source, fits, does_not_fit) in cases {
        let Some(kept) = facts(name, &source(fits)) else { continue };
        if matches!(kept.coverage, ParseCoverage::NotParsed(_)) {
            wrong.push(format!("{name}, {fits}: {:?}", kept.coverage));
        }
        let given_up = facts(name, &source(does_not_fit)).expect("the language is there");
        if given_up.coverage != ParseCoverage::NotParsed(NotParsed::Memory) {
            wrong.push(format!("{name}, {does_not_fit}: {:?}", given_up.coverage));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each level once looked up its neighbours or what is around it from the root on.
#[test]
fn outlines_of_nested_definitions_take_time_in_step_with_their_length() {
    const LEVELS: usize = 8_000;
    let cases = [
        ("ocaml", format!("let f = {}1\n", "let x = 1 in ".repeat(LEVELS))),
        ("ocaml", format!("{}{}\n", "module M = struct ".repeat(LEVELS), "end ".repeat(LEVELS))),
        ("ruby", format!("{}{}\n", "def a;".repeat(LEVELS), "end;".repeat(LEVELS))),
    ];
    for (name, source) in cases {
        let started = Instant::now();
        facts(name, &source);
        // Far from the fraction of a second that it takes, and from the minutes that it took.
        assert!(started.elapsed() < Duration::from_secs(20), "{name}: {:?}", started.elapsed());
    }
}
