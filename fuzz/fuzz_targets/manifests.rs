//! Manifests, lock files and settings of projects: where imports lead, and the overview. The first byte of an input is the
//! file, the second the question; the rest is the file's text.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use peelback_agent::overview::{OverviewOptions, build_overview_document};
use peelback_code::{CodeAccess, DependencyQuery, Direction, FactsStore, Project};

use crate::fixtures::{self, Contents};
use crate::input::{Input, is_sampled, joined};

const MANIFESTS: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[package]\nname = \"one\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[lib]\npath = \"src/lib.rs\"\n[dependencies]\ntwo = { path = \"two\", package = \"other\" }\nserde = \"1\"\n[workspace]\nmembers = [\"two\", \"cr*\"]\n[[bin]]\nname = \"x\"\npath = \"src/main.rs\"\n",
    ),
    (
        "package.json",
        "{\"name\": \"one\", \"main\": \"./web/index.js\", \"exports\": {\".\": {\"import\": \"./web/a.ts\", \"default\": \"./web/index.js\"}, \"./*\": \"./web/*.ts\"}, \"imports\": {\"#a\": \"./web/a.ts\"}, \"workspaces\": [\"packages/*\"], \"scripts\": {\"test\": \"x\"}, \"dependencies\": {\"zod\": \"^3\"}, \"bin\": {\"x\": \"web/index.js\"}}",
    ),
    (
        "tsconfig.json",
        "{ // comment\n \"extends\": \"./base.json\", \"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"web/*\"], \"~\": [\"web/a\"]}, \"rootDirs\": [\"web\", \"gen\"],}, \"references\": [{\"path\": \"two\"}], }",
    ),
    ("base.json", "{\"extends\": [\"./tsconfig.json\"], \"compilerOptions\": {\"paths\": {\"x\": [\"./web/a.ts\"]}}}"),
    (
        "go.mod",
        "module example.org/one // x\n\ngo 1.24\n\nrequire (\n\texample.org/two v1.0.0 // indirect\n)\nreplace example.org/two => ./two\nreplace example.org/three v1 => ../three v2\n",
    ),
    ("go.work", "go 1.24\n\nuse (\n\t.\n\t./two\n)\n"),
    (
        "pyproject.toml",
        "[project]\nname = \"one\"\nversion = \"1\"\nrequires-python = \">=3.11\"\ndependencies = [\"two>=1; python_version < '3'\"]\n[project.scripts]\nx = \"app.main:run\"\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n[tool.setuptools]\npackage-dir = {\"\" = \"src\"}\n[tool.poetry]\npackages = [{include = \"app\", from = \"src\"}]\n[tool.ruff]\n",
    ),
    ("setup.cfg", "[metadata]\nname = one\n[options]\npackage_dir =\n    = src\npackages = find:\n"),
    ("setup.py", "from setuptools import setup\nsetup(name='one', package_dir={'': 'src'}, packages=['app'])\n"),
    ("requirements.txt", "two==1 # x\n-e ./src\n-r other.txt\n"),
    (
        "compile_commands.json",
        "[{\"directory\": \".\", \"file\": \"native/a.c\", \"command\": \"cc -Iinclude -isystem /usr/include -DX=1 -c native/a.c\"}, {\"directory\": \"/x\", \"file\": \"b.c\", \"arguments\": [\"cc\", \"-I\", \"include\", \"-iquote\", \"native\"]}]",
    ),
    (
        "CMakeLists.txt",
        "project(one)\ninclude_directories(include ${CMAKE_SOURCE_DIR}/native)\ntarget_include_directories(x PUBLIC \"include\")\nadd_subdirectory(native)\n",
    ),
    ("meson.build", "project('one', 'c')\ninc = include_directories('include')\n"),
    ("Makefile", "CFLAGS += -Iinclude -I native\nall: a.o\n"),
    ("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n  - \"!packages/x\"\n"),
    ("deno.json", "{\"imports\": {\"a\": \"./web/a.ts\"}}"),
    ("Cargo.lock", "version = 4\n[[package]]\nname = \"one\"\nversion = \"1.0.0\"\n"),
    ("composer.json", "{\"name\": \"a/b\", \"autoload\": {\"psr-4\": {\"A\\\\\": \"src/\"}}}"),
    ("pom.xml", "<project><modelVersion>4.0.0</modelVersion><artifactId>one</artifactId></project>"),
    ("README.md", "# One\n\nIt does *one* thing.\n\n```sh\nmake\n```\n"),
    ("LICENSE", "MIT License\n\nCopyright\n"),
];

const SOURCES: &[(&str, &str)] = &[
    ("src/lib.rs", "mod a;\npub use a::A;\nuse other::B;\nuse serde::Serialize;\n"),
    ("src/a.rs", "pub struct A;\n"),
    ("src/main.rs", "use one::A;\nfn main() {}\n"),
    ("two/src/lib.rs", "pub struct B;\n"),
    (
        "web/a.ts",
        "import { b } from \"@/b\";\nimport x from \"#a\";\nimport y from \"one/b\";\nimport z from \"zod\";\nexport const a = b;\n",
    ),
    ("web/b.ts", "export const b = 1;\n"),
    ("web/index.js", "require(\"./b\");\n"),
    ("packages/p/package.json", "{\"name\": \"p\", \"main\": \"i.js\"}"),
    ("packages/p/i.js", "import \"one\";\n"),
    (
        "main.go",
        "package main\n\nimport (\n\t\"example.org/one/sub\"\n\t\"example.org/two\"\n\t\"fmt\"\n)\n\nfunc main() { fmt.Println(sub.X, two.Y) }\n",
    ),
    ("sub/sub.go", "package sub\n\nvar X = 1\n"),
    ("two/two.go", "package two\n\nvar Y = 1\n"),
    ("two/go.mod", "module example.org/two\n"),
    ("src/app/__init__.py", "from .main import run\n"),
    ("src/app/main.py", "import app\nimport two\nfrom app import run\n\ndef run(): pass\n"),
    ("native/a.c", "#include \"h.h\"\n#include <sys.h>\nint main(void) { return f(); }\n"),
    ("include/h.h", "int f(void);\n"),
];

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("manifests");
    for (path, text) in SOURCES.iter().chain(MANIFESTS) {
        fixtures::write_file(&root, path, text);
    }
    root
});

static PROJECT: LazyLock<Project> =
    LazyLock::new(|| Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project"));

static CONTENTS: LazyLock<Mutex<Contents>> = LazyLock::new(Mutex::default);

/// The file that is not as it was at first, and what it was.
static CHANGED: Mutex<Option<(&str, &str)>> = Mutex::new(None);

/// It keeps what it learned of each text, within its bounds.
static STORE: LazyLock<Arc<FactsStore>> = LazyLock::new(Arc::default);

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, (_, text)) in (0..).zip(MANIFESTS) {
        for question in [0, 4, 5, 9] {
            seeds.push(joined(&[&[number, question], text.as_bytes()]));
        }
    }
    seeds
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let Some((path, original)) = input.choose(MANIFESTS) else { return };
    let question = usize::from(input.byte());
    // One file at a time is not the original; the last one is put back where another is chosen only.
    let mut contents = CONTENTS.lock().expect("one thread");
    let mut changed = CHANGED.lock().expect("one thread");
    if let Some((last, original)) = changed.replace((path, original)).filter(|(last, _)| last != path) {
        contents.write(ROOT.join(last), original.as_bytes());
    }
    contents.write(ROOT.join(path), input.0);
    let access = CodeAccess::new(PROJECT.clone()).with_facts_store(STORE.clone());
    // An overview takes as long as 20 of the other questions.
    if question.is_multiple_of(32) && is_sampled(data, 8) {
        let overview = build_overview_document(&access, &OverviewOptions::default()).expect("a project");
        for reference in &overview.references {
            let lines = access.read_file(&reference.path).expect("a cited file").line_count();
            assert!(
                1 <= reference.line_start && reference.line_start <= reference.line_end && reference.line_end <= lines,
                "{reference:?} of {lines}"
            );
        }
    } else if question % 8 == 1 {
        access.dependency_overview().expect("a project");
    } else {
        let (source, _) = SOURCES.get(question / 8 % SOURCES.len()).expect("a source");
        let query = DependencyQuery { path: (*source).to_owned(), direction: Direction::Outgoing, depth: 1 };
        let found = access.dependencies_and_dependents(&query).expect("a file");
        for file in &found.outgoing {
            assert!(ROOT.join(&file.path).is_file(), "{file:?}");
        }
    }
}
