//! A small project in several languages, whose files can be written anew in the same number of bytes.

use std::fs;
use std::path::Path;

/// Numbers that look random and are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A text for a file of this name: other imports and other calls each time, and the same size.
pub fn text(path: &str, random: &mut Random) -> String {
    let mut n = |end: usize| random.below(end);
    let (a, b, c, d) = (n(3), n(6), n(3), n(6));
    let (x, y, z) = (n(3), n(3), n(3));
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" => format!(
            "from app.p{a}.m{b} import f{x}, C{y}\nfrom . import m{d}\nimport app.p{c}.m{d} as other\n\n\
             class C{x}(C{y}):\n    def go(self):\n        return f{x}() + m{d}.f{z}()\n\n    def run(self):\n        \
             return C{y}().go()\n\ndef f{y}():\n    return other.f{z}(), C{x}().run()\n\ndef g{z}(it: C{x}):\n    \
             return it.go()\n"
        ),
        "ts" => {
            let from = ["../", "@l/"][n(2)];
            format!(
                "import {{ f{x}, C{y} }} from \"{from}p{a}/m{b}\";\nimport * as other from \"../p{c}/m{d}.js\";\n\
                 export {{ f{z} as h{z} }} from \"./m{d}\";\n\nexport class C{x} extends C{y} {{\n  go() {{ return f{x}(); \
                 }}\n  run() {{ return new C{y}().go(); }}\n}}\nexport function f{y}(it: C{x}) {{\n  return it.go() + \
                 other.f{z}();\n}}\n"
            )
        }
        "go" => format!(
            "package p{a}\n\nimport (\n\t\"example.com/svc/p{c}\"\n\t\"fmt\"\n)\n\ntype C{x} struct{{ it p{c}.C{y} }}\n\n\
             func (c *C{x}) Go() {{ fmt.Println(p{c}.F{z}()) }}\n\nfunc F{y}() int {{\n\tvar c C{x}\n\tc.Go()\n\treturn \
             F{z}()\n}}\n"
        ),
        "rs" => format!(
            "use crate::m{b}::{{f{x}, C{y}}};\nuse super::m{d};\n\npub struct C{x} {{ it: C{y} }}\n\nimpl C{x} {{\n    \
             pub fn go(&self) -> u32 {{ f{x}() + m{d}::f{z}() }}\n}}\n\npub fn f{y}(it: &C{x}) -> u32 {{ it.go() }}\n"
        ),
        "c" | "h" => format!(
            "#include \"m{b}.h\"\n#include \"p{a}/m{d}.h\"\n\nstruct C{x} {{ int n; }};\n\nstatic int f{y}(struct C{x} *it) \
             {{ return it->n + f{z}(); }}\n\nint g{y}(void) {{ return f{y}(0); }}\n"
        ),
        _ => format!("# p{a} m{b} f{x}\n"),
    }
}

/// A text for a file that says how modules are found.
pub fn configuration(path: &str, random: &mut Random) -> String {
    let n = random.below(3);
    match path {
        "tsconfig.json" => {
            format!("{{\"compilerOptions\": {{\"baseUrl\": \".\", \"paths\": {{\"@l/p{n}/*\": [\"web/p1/*\"]}}}}}}\n")
        }
        "package.json" => format!("{{\"name\": \"web{n}\", \"main\": \"web/p{n}/m0.ts\"}}\n"),
        "go.mod" => format!("module example.com/{}\n", ["svc", "old", "new"][n]),
        "src/lib.rs" => (0..6).filter(|m| *m != n + 3).map(|m| format!("pub mod m{m};\n")).collect(),
        "pyproject.toml" => format!("[project]\nname = \"app{n}\"\n"),
        ".gitignore" => format!("p{n}/m1.*\n"),
        _ => "[package]\nname = \"core\"\nversion = \"0.1.0\"\nedition = \"2021\"\n".to_owned(),
    }
}

/// The files that [`configuration`] knows.
pub const CONFIGURATIONS: &[&str] =
    &["tsconfig.json", "package.json", "go.mod", "src/lib.rs", "pyproject.toml", ".gitignore", "Cargo.toml"];

/// The paths that the project begins with, but for the configuration.
pub fn first_paths() -> Vec<String> {
    let mut paths = Vec::new();
    for p in 0..3 {
        paths.push(format!("app/p{p}/__init__.py"));
        for m in 0..6 {
            paths.push(format!("app/p{p}/m{m}.py"));
            paths.push(format!("web/p{p}/m{m}.ts"));
        }
        for m in 0..2 {
            paths.push(format!("p{p}/m{m}.go"));
            paths.push(format!("lib/p{p}/m{m}.h"));
            paths.push(format!("lib/p{p}/m{m}.c"));
        }
    }
    paths.extend((0..6).map(|m| format!("src/m{m}.rs")));
    paths
}

/// Writes a file, with the folders around it.
pub fn write(root: &Path, path: &str, text: impl AsRef<[u8]>) {
    let path = root.join(path);
    let folder = path.parent().expect("a folder");
    // Where a file stands in the way of a folder, or the other way round, there is nothing to write.
    if fs::create_dir_all(folder).is_ok() && !path.is_dir() {
        let _ = fs::remove_file(&path);
        fs::write(&path, text).expect("a file");
    }
}

/// The files that are there, symbolic links among them.
pub fn paths(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let kind = entry.file_type().expect("a kind");
            if entry.file_name() == ".git" {
                continue;
            }
            if kind.is_dir() {
                open.push(entry.path());
            } else {
                let path = entry.path();
                found.push(path.strip_prefix(root).expect("below").to_str().expect("a name").to_owned());
            }
        }
    }
    found.sort();
    found
}
