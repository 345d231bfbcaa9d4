//! Source that nests deep and chains that are long, on threads with a small stack: no call overflows it.
//!
//! Every test asks each tool that takes a file or a symbol. In an optimised build the stack is a thirtieth of the one that
//! the program gives its threads, and sources have 100,000 levels (`cargo test --release -p peelback-tools --test it deep`,
//! some minutes). Without optimisation a function takes several times as much stack and time, so the stack is larger and
//! the sources are less deep. In both, a recursion that only seems bounded overflows.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use peelback_code::{CodeAccess, Project};
use peelback_tools::{RequiredService, all_tools, tool_by_name_or_alias};
use serde_json::{Value, json};
use tempfile::TempDir;

const STACK_BYTES: usize = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };

/// The stack for settings, which libraries read to 512 levels by recursion: half of the program's.
const STACK_BYTES_FOR_SETTINGS: usize = 4 << 20;

/// How many levels the sources have.
const DEEP: usize = if cfg!(debug_assertions) { 5_000 } else { 100_000 };

/// How many links the chains have.
const LINKS: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

/// After this, a call counts as one that hangs: far from what it takes in a build without optimisation, on a machine that
/// runs other tests. How long real calls take is measured by `examples/soak.rs`.
const MAX_CALL_TIME: Duration = Duration::from_secs(600);

/// A folder with the files of a test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join(".git")).expect("a folder");
        Self(folder)
    }

    /// The files of a text with a line `//- PATH` before each.
    fn of_fixture(text: &str) -> Self {
        let files = Self::new();
        for file in text.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').expect("a path");
            files.write(path, text);
        }
        files
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: impl AsRef<str>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        fs::write(path, text.as_ref()).expect("a file");
    }

    fn access(&self) -> CodeAccess {
        CodeAccess::new(Project::discover(Some(self.path()), None).expect("a project"))
    }
}

/// Runs `run` on a thread with a small stack, in a pool of such threads.
fn on_small_stacks<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    on_stacks(STACK_BYTES, run)
}

fn on_stacks<R: Send>(bytes: usize, run: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(bytes).build().expect("threads");
    pool.install(run)
}

#[track_caller]
fn call(access: &CodeAccess, tool: &str, arguments: Value) {
    let begun = Instant::now();
    let reply = tool_by_name_or_alias(tool).expect("a tool").run_call(access, arguments.clone());
    let _ = reply.formatted_output();
    let took = begun.elapsed();
    if took > Duration::from_secs(2) {
        let shown: String = arguments.to_string().chars().take(150).collect();
        eprintln!("{took:?}: {tool} {shown}");
    }
    assert!(took < MAX_CALL_TIME, "{tool} took {took:?}");
}

/// Asks every tool about the file and about `name` in it.
#[track_caller]
fn ask_everything(access: &CodeAccess, path: &str, name: &str) {
    for tool in all_tools().iter().filter(|tool| !tool.requires_service(RequiredService::DocumentGenerator)) {
        let mut arguments = json!({});
        for parameter in tool.parameters() {
            let value: Value = match parameter.name.as_str() {
                "name" | "pattern" | "query" => name.into(),
                "path" => path.into(),
                "ranges" => json!(["1-3"]),
                _ => continue,
            };
            arguments[parameter.name.as_str()] = value;
        }
        call(access, tool.name, arguments.clone());
        for parameter in tool.parameters() {
            for choice in &parameter.choices {
                let mut arguments = arguments.clone();
                arguments[parameter.name.as_str()] = choice.clone().into();
                if parameter.name == "relation" {
                    call(access, tool.name, arguments);
                }
            }
        }
    }
}

/// A source that repeats `open` before `core`, and `close` after it.
fn nested(levels: usize, (head, open, core, close, tail): (&str, &str, &str, &str, &str)) -> String {
    format!("{head}{}{core}{}{tail}", open.repeat(levels), close.repeat(levels))
}

/// Sources of one language: file extension, the levels, and for each source the text before, the opening, the core, the
/// closing and the text after. Each has the name `target`.
type Sources = (&'static str, usize, &'static [(&'static str, &'static str, &'static str, &'static str, &'static str)]);

#[track_caller]
fn ask_about_nested_sources((extension, levels, sources): Sources) {
    // Each in a project of its own, since some tools read all files.
    for source in sources {
        let project = Files::new();
        let path = format!("deep.{extension}");
        project.write(&path, nested(levels, *source));
        let begun = Instant::now();
        on_small_stacks(|| ask_everything(&project.access(), &path, "target"));
        eprintln!("{:>6.2} s {extension} {source:?}", begun.elapsed().as_secs_f32());
    }
}

#[test]
fn python() {
    ask_about_nested_sources((
        "py",
        DEEP,
        &[
            ("target = 1\nx = ", "(", "target", ")", "\n"),
            ("target = 1\nx = ", "[", "target", "]", "\n"),
            ("target = 1\nx = ", "{1: ", "target", "}", "\n"),
            ("def target(a): return a\nx = ", "target(", "1", ")", "\n"),
            ("target = 1\nx = target", ".a", "", "", "\n"),
            ("def target(): return target\nx = target", "().a", "", "", "\n"),
            ("target = 1\nx = target", " + target", "", "", "\n"),
            ("target = 1\nx = 'a'", " 'a'", "", "", "\n"),
            ("target = 1\nx = ", "not ", "target", "", "\n"),
            ("target = 1\nx = ", "lambda: ", "target", "", "\n"),
            ("target = 1\nx = ", "1 if target else ", "2", "", "\n"),
            ("target = 1\nx = ", "target[", "1", "]", "\n"),
            ("target = 1\nx = target", "[1]", "", "", "\n"),
            ("class target: pass\nx: ", "list[", "target", "]", " = 1\n"),
            ("class target: pass\nx: '", "list[", "target", "]", "' = 1\n"),
            ("class target: pass\nx: target", " | target", "", "", " = 1\n"),
            ("class target: pass\ntry: pass\nexcept ", "(", "target", ",)", ": pass\n"),
            ("class target: pass\nisinstance(target, ", "(", "target", ",)", ")\n"),
            ("target = 1\n", "(", "target", ",)", " = 1\n"),
            ("target = 1\nfor ", "[", "target", "]", " in x: pass\n"),
            ("target = 1\nx = f'", "{f'", "{target}", "'}", "'\n"),
            ("target = 1\ndel ", "(", "target", ",)", "\n"),
        ],
    ));
}

#[test]
fn python_blocks() {
    // A block costs its indentation in every line.
    let mut text = "def target(): pass\n".to_owned();
    for level in 0..600 {
        text.push_str(&"\t".repeat(level));
        text.push_str(
            ["if target:\n", "class A:\n", "def f():\n", "with target as a:\n", "while target:\n"][level % 5],
        );
    }
    text.push_str(&"\t".repeat(600));
    text.push_str("target()\n");
    let project = Files::new();
    project.write("blocks.py", text);
    on_small_stacks(|| ask_everything(&project.access(), "blocks.py", "target"));
}

const JAVASCRIPT: &[(&str, &str, &str, &str, &str)] = &[
    ("const target = 1\nconst x = ", "(", "target", ")", "\n"),
    ("const target = 1\nconst x = ", "[", "target", "]", "\n"),
    ("const target = 1\nconst x = ", "{a: ", "target", "}", "\n"),
    ("function target(a) { return a }\nconst x = ", "target(", "1", ")", "\n"),
    ("const target = 1\nconst x = target", ".a", "", "", "\n"),
    ("function target() { return target }\nconst x = target", "().a", "", "", "\n"),
    ("const target = 1\nconst x = target", " + target", "", "", "\n"),
    ("const target = 1\nconst x = ", "!", "target", "", "\n"),
    ("const target = 1\nconst x = ", "() => ", "target", "", "\n"),
    ("const target = 1\nconst x = ", "1 ? target : ", "2", "", "\n"),
    ("const target = 1\n", "function f() { ", "target", " }", "\n"),
    ("const target = 1\n", "{ ", "target", " }", "\n"),
    ("const target = 1\n", "if (target) { ", "target", " }", "\n"),
    ("const target = 1\n", "if (target) {} else ", "target", "", "\n"),
    ("const target = 1\n", "class A { m() { ", "target", " } }", "\n"),
    ("const target = 1\nconst x = ", "`${", "target", "}`", "\n"),
    ("const target = 1\nconst ", "{a: ", "b", "}", " = target\n"),
    ("let target = 1\n", "target = ", "1", "", "\n"),
    ("const target = 1\n", "a.b = ", "target", "", "\n"),
    ("function target() {}\ntarget", ".prototype", "", "", ".a = 1\n"),
    ("const target = 1\n", "a: ", "target", "", "\n"),
    ("const target = 1\nnew ", "(class extends ", "target", " {})", "\n"),
];

#[test]
fn javascript() {
    ask_about_nested_sources(("js", DEEP, JAVASCRIPT));
}

#[test]
fn jsx() {
    ask_about_nested_sources(("jsx", DEEP, &[("const target = 1\nconst x = ", "<a>", "{target}", "</a>", "\n")]));
}

#[test]
fn typescript() {
    ask_about_nested_sources(("ts", DEEP, JAVASCRIPT));
}

#[test]
fn typescript_types() {
    ask_about_nested_sources((
        "ts",
        DEEP,
        &[
            ("class target {}\nlet x: ", "(", "target", ")", "\n"),
            ("class target {}\nlet x: target", "[]", "", "", "\n"),
            ("class target {}\nlet x: ", "{ a: ", "target", " }", "\n"),
            ("class target {}\nlet x: target", " | target", "", "", "\n"),
            ("class target {}\nlet x: ", "keyof ", "target", "", "\n"),
            ("class target {}\nlet x: ", "() => ", "target", "", "\n"),
            ("class target {}\nlet x: ", "[", "target", "]", "\n"),
            ("class target {}\nlet x: target", "['a']", "", "", "\n"),
            ("class target {}\nlet x: ", "1 extends 2 ? 3 : ", "target", "", "\n"),
            ("class target {}\n", "namespace a { ", "target", " }", "\n"),
            ("class target {}\nlet x = target", "!", "", "", "\n"),
        ],
    ));
    ask_about_nested_sources(("ts", DEEP, &[("class target {}\nlet x: ", "Array<", "target", ">", "\n")]));
}

#[test]
fn rust() {
    ask_about_nested_sources((
        "rs",
        DEEP,
        &[
            ("fn target() {}\nfn x() { ", "(", "target", ")", " }\n"),
            ("fn target() {}\nfn x() ", "{ ", "target();", " }", "\n"),
            ("fn target() {}\n", "mod m { ", "", " }", "\n"),
            ("fn target() {}\nfn x() { ", "&", "target", "", " }\n"),
            ("fn target() {}\nfn x() { ", "target(", "1", ")", " }\n"),
            ("fn target() {}\nfn x() { target", ".a", "", "", " }\n"),
            ("fn target() {}\nfn x() { target()", ".a()", "", "", " }\n"),
            ("fn target() {}\nfn x() { 1", " + target()", "", "", " }\n"),
            ("fn target() {}\nfn x() { ", "[", "target", "]", " }\n"),
            ("struct target;\nfn x(y: ", "&", "target", "", ") {}\n"),
            ("struct target;\nfn x(y: ", "(", "target", ",)", ") {}\n"),
            ("struct target;\nfn x(y: ", "Vec<", "target", ">", ") {}\n"),
            ("struct target;\nfn x() { let y: ", "Vec<", "target", ">", " = z; }\n"),
            ("fn target() {}\nfn x() { if a {}", " else if target() {}", "", "", " }\n"),
            ("fn target() {}\nuse ", "a::{", "b", "}", ";\n"),
            ("fn target() {}\nuse a", "::a", "", "", ";\n"),
            ("fn target() {}\nfn x() { a", "::a", "", "", "(); }\n"),
            ("fn target() {}\nfn x() { m!(", "|a| ", "target", "", "); }\n"),
            ("fn target() {}\nfn x() { m!", "(", "target", ")", "; }\n"),
            ("fn target() {}\nfn x() { ", "|| ", "target", "", "; }\n"),
            ("fn target() {}\n", "m! { ", "fn a() { target() }", " }", "\n"),
            ("fn target() {}\nfn x() { match y { ", "(", "target", ",)", " => 1 } }\n"),
            ("struct target;\nimpl ", "A<", "target", ">", " { fn b() {} }\n"),
            ("fn target() {}\n", "fn a() { ", "target", " }", "\n"),
        ],
    ));
}

#[test]
fn go() {
    ask_about_nested_sources((
        "go",
        DEEP,
        &[
            ("package a\nvar target = 1\nvar x = ", "(", "target", ")", "\n"),
            ("package a\nfunc target() {}\nfunc x() ", "{ ", "target()", " }", "\n"),
            ("package a\nfunc target() {}\nvar x = ", "target(", "1", ")", "\n"),
            ("package a\nvar target = 1\nvar x = target", ".a", "", "", "\n"),
            ("package a\nvar target = 1\nvar x = target", " + target", "", "", "\n"),
            ("package a\ntype target int\nvar x ", "*", "target", "", "\n"),
            ("package a\ntype target int\nvar x ", "[]", "target", "", "\n"),
            ("package a\ntype target int\nvar x ", "map[string]", "target", "", "\n"),
            ("package a\ntype target int\nvar x ", "struct { a ", "target", " }", "\n"),
            ("package a\ntype target int\nvar x ", "func() ", "target", "", "\n"),
            ("package a\nvar target = 1\nvar x = ", "func() { ", "target()", " }", "\n"),
            ("package a\nvar target = 1\nvar x = ", "-", "target", "", "\n"),
            ("package a\nfunc target() {}\nfunc x() { if a {}", " else if b {}", "", "", " }\n"),
            ("package a\ntype target int\nvar x ", "A[", "target", "]", "\n"),
        ],
    ));
}

const C: &[(&str, &str, &str, &str, &str)] = &[
    ("int target;\nint x = ", "(", "target", ")", ";\n"),
    ("int target;\nvoid x() ", "{ ", "target;", " }", "\n"),
    ("int target();\nint x = ", "target(", "1", ")", ";\n"),
    ("int target;\nint x = target", "->a", "", "", ";\n"),
    ("int target;\nint x = target", " + target", "", "", ";\n"),
    ("int target;\nint ", "*", "x", "", ";\n"),
    ("int target;\nint ", "(*", "x", ")()", ";\n"),
    ("int target;\nint x", "[1]", "", "", ";\n"),
    ("int target;\n", "struct a { ", "int b;", " };", "\n"),
    ("int target;\nint x = ", "-", "target", "", ";\n"),
    ("int target;\nvoid x() { if (a) {}", " else if (target) {}", "", "", " }\n"),
    ("int target;\n", "#if target\n", "int y;\n", "#endif\n", "\n"),
    ("int target;\n#define A ", "#define A ", "target", "", "\n"),
    ("int target;\n#define A \\\n", "#define A \\\n", "target", "", "\n"),
    ("int target;\n#if ", "(a && ", "target", ")", "\nint y;\n#endif\n"),
    ("int target;\nint x = ", "(int)", "target", "", ";\n"),
    ("int target;\nint x[] = ", "{", "target", "}", ";\n"),
    ("int target;\nint x = a ? b : ", "a ? b : ", "target", "", ";\n"),
];

#[test]
fn c() {
    ask_about_nested_sources(("c", DEEP, C));
}

#[test]
fn cpp() {
    ask_about_nested_sources(("cpp", DEEP, C));
    ask_about_nested_sources((
        "cpp",
        DEEP,
        &[
            ("int target;\n", "namespace a { ", "int b;", " }", "\n"),
            ("int target;\n", "class A { ", "int b;", " };", "\n"),
            ("int target;\nauto x = ", "[] { return ", "target;", " }", ";\n"),
            ("int target;\nint y = a", "::a", "", "", ";\n"),
        ],
    ));
}

#[test]
fn outlined_languages() {
    let braces: &[(&str, &str, &str, &str, &str)] = &[
        ("class target { }\n", "class A { ", "", " }", "\n"),
        ("class target { int a() { return ", "(", "1", ")", "; } }\n"),
        ("class target { void a() ", "{ ", "", " }", " }\n"),
        ("class target { int a() { return b", ".b", "", "", "; } }\n"),
        ("class target { int a() { return b", " + b", "", "", "; } }\n"),
        ("class target { int a() { return ", "b(", "1", ")", "; } }\n"),
    ];
    for extension in ["java", "cs", "scala", "kt", "swift"] {
        ask_about_nested_sources((extension, DEEP, braces));
    }
    ask_about_nested_sources((
        "rb",
        DEEP,
        &[
            ("def target; end\nx = ", "(", "target", ")", "\n"),
            ("def target; end\nx = ", "[", "target", "]", "\n"),
            ("def target; end\n", "class A\n", "", "end\n", "\n"),
            ("def target; end\nx = target", ".a", "", "", "\n"),
            ("def target; end\nx = target", " + a", "", "", "\n"),
        ],
    ));
    ask_about_nested_sources((
        "php",
        DEEP,
        &[
            ("<?php function target() {}\n$x = ", "(", "1", ")", ";\n"),
            ("<?php function target() {}\n$x = ", "[", "1", "]", ";\n"),
            ("<?php function target() {}\n", "{ ", "target();", " }", "\n"),
            ("<?php function target() {}\n$x = $y", "->a", "", "", ";\n"),
            ("<?php function target() {}\n$x = 'a'", " . 'a'", "", "", ";\n"),
        ],
    ));
    ask_about_nested_sources((
        "sh",
        DEEP,
        &[
            ("target() { a; }\n", "(", "target", ")", "\n"),
            ("target() { a; }\n", "{ ", "target;", " };", "\n"),
            ("target() { a; }\nx=", "$(", "target", ")", "\n"),
            ("target() { a; }\n", "if a; then ", "target;", " fi;", "\n"),
        ],
    ));
    ask_about_nested_sources((
        "lua",
        DEEP,
        &[
            ("function target() end\nx = ", "(", "target", ")", "\n"),
            ("function target() end\nx = ", "{", "target", "}", "\n"),
            ("function target() end\nx = ", "function() return ", "target", " end", "\n"),
            ("function target() end\nx = target", ".a", "", "", "\n"),
            ("function target() end\nx = 'a'", " .. 'a'", "", "", "\n"),
        ],
    ));
}

#[test]
fn documents() {
    ask_about_nested_sources((
        "md",
        DEEP,
        &[
            ("# target\n", "> ", "a", "", "\n"),
            ("# target\n", "- ", "a", "", "\n"),
            ("# target\n", "1. ", "a", "", "\n"),
            ("# target\n", "*", "a", "*", "\n"),
            ("# target\n", "[", "a", "](b)", "\n"),
            ("# target\n", "**a ", "", "", "\n"),
            ("# target\n", "<div>", "", "</div>", "\n"),
            ("# target\n", "`a", "", "", "\n"),
            ("# ", "# ", "target", "", "\n"),
            ("# target\n", "> - ", "a", "", "\n"),
        ],
    ));
    ask_about_nested_sources(("json", DEEP, &[("", "[", "", "]", "\n"), ("", "{\"target\":", "1", "}", "\n")]));
    ask_about_nested_sources((
        "yaml",
        DEEP,
        &[("target: ", "[", "", "]", "\n"), ("", "{target: ", "1", "}", "\n"), ("", "- ", "target", "", "\n")],
    ));
    ask_about_nested_sources((
        "toml",
        DEEP,
        &[
            ("target = ", "[", "", "]", "\n"),
            ("target = ", "{a = ", "1", "}", "\n"),
            ("[target", ".a", "", "", "]\n"),
            ("target", ".a", "", "", " = 1\n"),
        ],
    ));
    ask_about_nested_sources(("vue", DEEP, &[("<script>\nconst target = ", "(", "1", ")", "\n</script>\n")]));
    ask_about_nested_sources(("svelte", DEEP, &[("<script>\nconst target = ", "(", "1", ")", "\n</script>\n")]));
    ask_about_nested_sources(("astro", DEEP, &[("---\nconst target = ", "(", "1", ")", "\n---\n")]));
    const VUE: &str = "<script setup>\nconst target = 1\n</script>\n<template>{{ ";
    const SVELTE: &str = "<script>\nconst target = 1\n</script>\n{";
    const ASTRO: &str = "---\nconst target = 1\n---\n{";
    ask_about_nested_sources((
        "vue",
        DEEP,
        &[
            (VUE, "(", "target", ")", " }}"),
            (VUE, "(a) => ", "target", "", " }}"),
            (VUE, "`${", "target", "}`", " }}"),
            (VUE, "target.a", "", ".", " }}"),
            (VUE, "}}<p v-for=\"{ target } of target\">{{", "target", "}}</p>{{", " }}"),
        ],
    ));
    ask_about_nested_sources((
        "svelte",
        DEEP,
        &[
            (SVELTE, "[", "target", "]", "}"),
            (SVELTE, "{ a: ", "target", "}", "}"),
            (SVELTE, "}{#each target as a}{", "target", "}{/each}{", "}"),
        ],
    ));
    ask_about_nested_sources((
        "astro",
        DEEP,
        &[
            (ASTRO, "<p>{", "target", "}</p>", "}"),
            (ASTRO, "target.map((a) => ", "target", ")", "}"),
            (ASTRO, "target.map((a) => <A b={", "target", "} />)", "}"),
        ],
    ));
}

/// The files that a project configures its tools with, all nested deep.
#[test]
fn settings() {
    let project = Files::new();
    let lists = nested(DEEP, ("", "[", "", "]", "\n"));
    let objects = nested(DEEP, ("", "{\"a\":", "1", "}", "\n"));
    for name in ["package.json", "tsconfig.json", "jsconfig.json", "compile_commands.json", "package-lock.json"] {
        project.write(&format!("lists/{name}"), &lists);
        project.write(&format!("objects/{name}"), &objects);
    }
    let exports = nested(500, ("{\"name\": \"deep\", \"exports\": ", "{\"import\": ", "\"./a.js\"", "}", "}"));
    project.write("package.json", exports);
    project.write("tsconfig.json", nested(DEEP, ("{\"compilerOptions\": ", "[", "", "]", "}")));
    for name in ["Cargo.toml", "pyproject.toml", "Cargo.lock", "poetry.lock"] {
        project.write(name, nested(DEEP, ("a = ", "[", "", "]", "\n")));
        project.write(&format!("tables/{name}"), nested(DEEP, ("[a", ".a", "", "", "]\n")));
    }
    for name in ["pnpm-lock.yaml", "pnpm-workspace.yaml", "mkdocs.yml"] {
        project.write(name, nested(DEEP, ("a: ", "[", "", "]", "\n")));
    }
    project.write("go.mod", nested(DEEP, ("module a\n", "require (\n", "", ")\n", "\n")));
    project.write("CMakeLists.txt", nested(DEEP, ("add_library", "(", "a", ")", "\n")));
    project.write("Makefile", nested(DEEP, ("a = ", "$(", "b", ")", "\n")));
    project
        .write("a.js", "import { target } from 'deep'\nexport function target() {}\nimport '#x'; import './lists'\n");
    project.write("lists/a.ts", "import { target } from '..'\ntarget()\n");
    project.write("src/lib.rs", "pub fn target() {}\n");
    project.write("src/a.py", "def target(): pass\n");
    project.write("src/a.c", "#include \"b.h\"\nint target;\n");
    project.write("src/a.go", "package a\nfunc target() {}\n");
    on_stacks(STACK_BYTES_FOR_SETTINGS, || {
        let access = project.access();
        for path in
            ["a.js", "lists/a.ts", "src/lib.rs", "src/a.py", "src/a.c", "src/a.go", "package.json", "Cargo.toml"]
        {
            ask_everything(&access, path, "target");
        }
        ask_everything(&access, "lists", "target");
        call(&access, "tree", json!({}));
        call(&access, "dependencies", json!({}));
    });
}

/// Patterns and names that nest deep.
#[test]
fn arguments() {
    let project = Files::new();
    project.write("a.py", "def target(): pass\n");
    on_small_stacks(|| {
        let access = project.access();
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{a,", "}"), ("a|", ""), ("(?:", ")*"), ("!", ""), ("*", ""), ("<", ">")]
        {
            let deep = nested(DEEP, ("", open, "a", close, ""));
            call(&access, "grep", json!({ "pattern": deep }));
            call(&access, "grep", json!({ "pattern": "a", "glob": [deep], "scope": [deep] }));
            for matching in ["exact", "glob", "regex", "substring"] {
                call(&access, "find_symbols", json!({ "name": deep, "match": matching }));
            }
            call(&access, "find_references", json!({ "name": deep }));
            call(&access, "read_symbol", json!({ "name": deep }));
            call(&access, "outline", json!({ "path": deep }));
            call(&access, "find_files", json!({ "query": deep, "scope": deep }));
            call(&access, "search", json!({ "query": deep }));
        }
        let mut value = json!("target");
        for _ in 0..100 {
            value = json!([value]);
        }
        for tool in all_tools() {
            if tool.requires_service(RequiredService::DocumentGenerator) {
                continue;
            }
            for parameter in tool.parameters() {
                call(&access, tool.name, json!({ parameter.name.as_str(): value }));
            }
        }
    });
}

/// Chains of definitions in one file, each of which leads to the next.
#[test]
fn chains_of_definitions() {
    fn chain(link: impl Fn(usize) -> String) -> String {
        (1..LINKS).map(link).collect()
    }
    let project = Files::new();
    let files = [
        (
            "bases.py",
            format!(
                "class target0:\n    def m(self): pass\n{}",
                chain(|i| format!("class target{i}(target{}): pass\n", i - 1))
            ),
        ),
        ("aliases.py", format!("def target0(): pass\n{}", chain(|i| format!("target{i} = target{}\n", i - 1)))),
        ("lists.py", format!("target0 = object()\n{}", chain(|i| format!("target{i} = [target{}]\n", i - 1)))),
        (
            "pairs.py",
            format!("target0 = object()\n{}", chain(|i| format!("target{i} = [target{0}, [target{0}]]\n", i - 1))),
        ),
        (
            "tuples.py",
            format!("target0 = object()\n{}", chain(|i| format!("target{i} = (target{0}, target{0})\n", i - 1))),
        ),
        (
            "calls.py",
            format!("def target0(): return 1\n{}", chain(|i| format!("def target{i}(): return target{}()\n", i - 1))),
        ),
        (
            "members.py",
            format!("class target0: pass\n{}", chain(|i| format!("class target{i}:\n    a: 'target{}'\n", i - 1))),
        ),
        (
            "bases.ts",
            format!(
                "class target0 {{ m() {{}} }}\n{}",
                chain(|i| format!("class target{i} extends target{} {{}}\n", i - 1))
            ),
        ),
        (
            "aliases.ts",
            format!("type target0 = {{ m: 1 }}\n{}", chain(|i| format!("type target{i} = target{}\n", i - 1))),
        ),
        (
            "unions.ts",
            format!(
                "type target0 = {{ m: 1 }}\n{}",
                chain(|i| format!("type target{i} = target{} | target{}[]\n", i - 1, i - 1))
            ),
        ),
        (
            "generic.ts",
            format!(
                "class target0<T> {{ m(): T }}\n{}",
                chain(|i| format!("class target{i}<T> extends target{}<target{}<T>> {{}}\n", i - 1, i - 1))
            ),
        ),
        (
            "values.ts",
            format!("const target0 = {{ m: 1 }}\n{}", chain(|i| format!("const target{i} = target{}\n", i - 1))),
        ),
        (
            "calls.ts",
            format!(
                "function target0() {{ return 1 }}\n{}",
                chain(|i| format!("function target{i}() {{ return target{}() }}\n", i - 1))
            ),
        ),
        (
            "bounds.ts",
            format!(
                "class target0 {{ m() {{}} }}\nfunction f<T0 extends target0, {} U>(x: T9998) {{ x.m() }}\n",
                chain(|i| format!("T{i} extends T{}, ", i - 1))
            ),
        ),
        (
            "aliases.rs",
            format!("pub struct target0;\n{}", chain(|i| format!("pub type target{i} = target{};\n", i - 1))),
        ),
        (
            "boxes.rs",
            format!("pub struct target0;\n{}", chain(|i| format!("pub type target{i} = Vec<target{}>;\n", i - 1))),
        ),
        (
            "bounds.rs",
            format!(
                "pub trait target0 {{ fn m(&self); }}\n{}",
                chain(|i| format!("pub trait target{i}: target{} {{}}\n", i - 1))
            ),
        ),
        (
            "uses.rs",
            format!(
                "pub mod target0 {{ pub fn f() {{}} }}\n{}",
                chain(|i| format!("pub use target{} as target{i};\n", i - 1))
            ),
        ),
        (
            "derefs.rs",
            format!(
                "pub struct target0;\n{}",
                chain(|i| format!(
                    "pub struct target{i};\nimpl Deref for target{i} {{ type Target = target{}; }}\n",
                    i - 1
                ))
            ),
        ),
        (
            "embeds.go",
            format!(
                "package a\ntype target0 struct{{}}\nfunc (t target0) m() {{}}\n{}",
                chain(|i| format!("type target{i} struct {{ target{} }}\n", i - 1))
            ),
        ),
        (
            "interfaces.go",
            format!(
                "package a\ntype target0 interface {{ m() }}\n{}",
                chain(|i| format!("type target{i} interface {{ target{} }}\n", i - 1))
            ),
        ),
        (
            "types.go",
            format!("package a\ntype target0 struct{{}}\n{}", chain(|i| format!("type target{i} target{}\n", i - 1))),
        ),
        (
            "typedefs.c",
            format!(
                "struct target0 {{ int m; }};\ntypedef struct target0 target1;\n{}",
                (2..LINKS).map(|i| format!("typedef target{} target{i};\n", i - 1)).collect::<String>()
            ),
        ),
        ("macros.c", format!("int target0;\n{}", chain(|i| format!("#define target{i} target{}\n", i - 1)))),
    ];
    for (name, text) in &files {
        project.write(name, text);
    }
    on_small_stacks(|| {
        let access = project.access();
        for (name, _) in &files {
            for target in ["target0", "target40", "target5000", "target9999", "m"] {
                call(&access, "find_references", json!({ "name": target, "path": name }));
            }
            for relation in ["callers", "callees", "implementations"] {
                call(
                    &access,
                    "find_references",
                    json!({ "name": "target0", "path": name, "relation": relation, "depth": 100 }),
                );
            }
            call(&access, "outline", json!({ "path": name }));
        }
    });
}

/// Types that refer to themselves, or to larger instances of themselves.
#[test]
fn types_that_lead_back_to_themselves() {
    let project = Files::of_fixture(concat!(
        "//- cycle.ts\n",
        "class target { m() {} }\n",
        "function a<T extends T>(x: T) { x.m(); x.m().m() }\n",
        "function b<A extends B, B extends A>(x: A) { x.m() }\n",
        "function c<A extends B, B extends C, C extends A>(x: A[]) { x[0].m(); x.m }\n",
        "class D<T> extends D<D<T>> { m(): T }\n",
        "class E<T> extends F<E<F<T>>> {}\nclass F<T> extends E<F<E<T>>> { m(): T }\n",
        "function d(x: D<target>, y: E<target>) { x.m().m().m(); y.m().m().m().m() }\n",
        "type G<T> = { m: G<G<T>> }\nfunction g(x: G<target>) { x.m.m.m.m.m }\n",
        "interface H<T> { m(): H<H<T>>; n(x: H<T>): T }\nfunction h(x: H<target>) { x.m().m().m().n(x).m() }\n",
        "type I = I | I[]\nlet i: I\ni.m\n",
        "class J<Output = any, Input = Output> { m(): J<Output, Input>; n(): J<J<Output>, J<Input>> }\n",
        "function j<T extends J<T>>(x: T) { return x.n().n().n().m().n().m() }\nj(j(j(j(j(new J())))))\n",
        "//- cycle.rs\n",
        "pub struct target;\nimpl target { pub fn m(&self) {} }\n",
        "fn a<T: T>(x: T) { x.m() }\nfn b<A: B, B: A>(x: A) { x.m() }\n",
        "impl Deref for A { type Target = B; }\nimpl Deref for B { type Target = A; }\nstruct A;\nstruct B;\n",
        "fn c(x: A) { x.m().m() }\n",
        "fn d() { let a = a::C::new(); impl a::C { fn new() -> Self {} } a.m() }\n",
        "trait E: E { fn m(&self) -> Self::O; type O: E; }\nfn e(x: impl E) { x.m().m().m() }\n",
        "//- cycle.py\n",
        "class target:\n    def m(self): return self\n",
        "class A(B): pass\nclass B(A): pass\nA().m().m()\n",
        "class C(C): pass\nC().m()\n",
        "def d(): return d()\nd().m().m()\n",
        "e = [e, [e]]\ne.m()\nf = g\ng = f\nf.m()\n",
        "class H:\n    def __iter__(self): return H()\n    def __getattr__(self, n): return H().x\nfor h in H(): h.m()\n",
        "//- cycle.go\n",
        "package a\ntype target struct{}\nfunc (t target) m() {}\n",
        "type A struct { B }\ntype B struct { A }\ntype C interface { D }\ntype D interface { C; m() }\n",
        "type E E\ntype F[T F[T]] struct { x F[F[T]] }\nfunc f(a A, c C, e E, f F[int]) { a.m(); c.m(); e.m(); f.x.x.x.m() }\n",
        "//- cycle.c\n",
        "#define target target\n#define A B\n#define B A\nstruct C { struct C *m; };\nint f(struct C *c) { return c->m->m->m; }\n",
    ));
    on_small_stacks(|| {
        let access = project.access();
        for file in ["cycle.ts", "cycle.rs", "cycle.py", "cycle.go", "cycle.c"] {
            for name in ["target", "m", "n", "A", "D", "O", "x", "d", "e"] {
                ask_everything(&access, file, name);
            }
        }
    });
}

/// Chains over many files: imports, re-exports, inclusions, settings that extend each other, and deep folders.
#[test]
fn chains_of_files() {
    const FILES: usize = 2_000;
    let project = Files::new();
    for i in 1..FILES {
        let before = i - 1;
        project.write(&format!("ts/f{i}.ts"), format!("export * from './f{before}'\n"));
        project.write(&format!("named/f{i}.ts"), format!("export {{ target }} from './f{before}'\n"));
        project.write(&format!("cjs/f{i}.js"), format!("module.exports = require('./f{before}')\n"));
        project.write(&format!("py/f{i}.py"), format!("from .f{before} import *\n"));
        project.write(&format!("c/f{i}.h"), format!("#include \"f{before}.h\"\n"));
        project.write(&format!("rs/src/f{i}.rs"), format!("pub use crate::f{before}::*;\n"));
        project.write(&format!("tsconfig{i}.json"), format!("{{\"extends\": \"./tsconfig{before}.json\"}}"));
    }
    project.write("ts/f0.ts", "export function target() {}\n");
    project.write("named/f0.ts", "export function target() {}\n");
    project.write("cjs/f0.js", "exports.target = function () {}\n");
    project.write("py/__init__.py", "");
    project.write("py/f0.py", "def target(): pass\n");
    project.write("c/f0.h", "int target();\n");
    project.write("rs/Cargo.toml", "[package]\nname = \"deep\"\n");
    let modules: String = (0..FILES).map(|i| format!("mod f{i};\n")).collect();
    project.write("rs/src/lib.rs", format!("{modules}use f{}::target;\nfn x() {{ target() }}\n", FILES - 1));
    project.write("rs/src/f0.rs", "pub fn target() {}\n");
    project.write("tsconfig0.json", "{}");
    project.write("tsconfig.json", format!("{{\"extends\": \"./tsconfig{}.json\"}}", FILES - 1));
    let last = FILES - 1;
    project.write("ts/use.ts", format!("import {{ target }} from './f{last}'\ntarget()\n"));
    project.write("named/use.ts", format!("import {{ target }} from './f{last}'\ntarget()\n"));
    project.write("cjs/use.js", format!("const {{ target }} = require('./f{last}')\ntarget()\n"));
    project.write("py/use.py", format!("from .f{last} import target\ntarget()\n"));
    project.write("c/use.c", format!("#include \"f{last}.h\"\nint x() {{ return target(); }}\n"));
    on_small_stacks(|| {
        let access = project.access();
        for path in ["ts/f0.ts", "named/f0.ts", "cjs/f0.js", "py/f0.py", "c/f0.h", "rs/src/f0.rs"] {
            call(&access, "find_references", json!({ "name": "target", "path": path }));
            call(
                &access,
                "find_references",
                json!({ "name": "target", "path": path, "relation": "callers", "depth": 10 }),
            );
            for direction in ["incoming", "outgoing"] {
                call(&access, "dependencies", json!({ "path": path, "direction": direction, "depth": 10_000 }));
            }
        }
        for path in ["ts/use.ts", "cjs/use.js", "py/use.py", "c/use.c", "rs/src/lib.rs"] {
            call(&access, "dependencies", json!({ "path": path, "direction": "outgoing", "depth": 10_000 }));
        }
        call(&access, "dependencies", json!({}));
    });
}

#[test]
fn deep_folders() {
    let project = Files::new();
    // As deep as a path can be; without optimisation that takes minutes.
    let room = if cfg!(debug_assertions) { 200 } else { 3_900 - project.path().as_os_str().len() };
    let folder = "a/".repeat(room / 2);
    project.write(&format!("{folder}deep.ts"), "import { x } from 'pkg'\nexport function target() {}\n");
    project.write(&format!("{folder}.gitignore"), "ignored\n");
    project.write("a/a/a/package.json", "{\"name\": \"pkg\"}");
    on_small_stacks(|| {
        let access = project.access();
        ask_everything(&access, &format!("{folder}deep.ts"), "target");
        call(&access, "tree", json!({ "depth": 5_000 }));
        call(&access, "dependencies", json!({}));
        call(&access, "outline", json!({ "path": "a" }));
    });
}
