//! Keeps the parse tables of large grammars packed in the program, and unpacks them when the language is first used.
//!
//! The tables of all grammars would be most of the program, though nine of ten of their entries are zero. For
//! each of them this script copies the grammar's own `parser.c` to the output folder with its two tables packed
//! (`pack.rs`), and compiles that copy into a library that is linked before the grammar's. A linker takes the first
//! definition of the language's function, and so leaves the plain tables in the archive of the grammar crate, of which
//! it takes the scanner only (and not that, where `edits.rs` has an edit of it). The unpacked tables are equal to the plain ones, and parsing takes no longer.
//!
//! Nothing depends on it: where the sources of a grammar are not found or not understood, or the compiler is not one
//! of the GNU family, the grammar is linked as its crate builds it.

mod codes;
mod pack;
mod source;

use std::env;
use std::path::{Path, PathBuf};

use super::Library;
use super::parser::edits::{self, Edit, SCANNER_EDITS};
use super::stamp::stamp;

/// The name of the static library that contains the packed grammars. It is linked before the libraries of the grammar
/// crates.
const LIBRARY: &str = "peelback_packed_grammars";

/// The lower limit for packing, in bytes: smaller parse tables stay as they are, because unpacking takes time at the
/// first use of a language.
const SMALLEST_PACKED: usize = 64 << 10;

/// The crates that contain several grammars, with the folders of those that this package uses. All other crates have
/// one, whose sources are in the crate's own folder.
const SEVERAL_GRAMMARS: &[(&str, &[&str])] = &[
    ("tree-sitter-fsharp", &["fsharp"]),
    ("tree-sitter-ocaml", &["grammars/ocaml"]),
    ("tree-sitter-php", &["php"]),
    ("tree-sitter-typescript", &["tsx", "typescript"]),
];

/// The files of this build script that decide how the grammars are compiled.
const FILES: &[&str] = &[
    "build/grammars.rs",
    "build/grammars/codes.rs",
    "build/grammars/pack.rs",
    "build/grammars/source.rs",
    "build/grammars/unpack.c",
    "build/parser/edits.rs",
];

/// Compiles the grammars with large tables, unless an earlier run did, and has them linked. The package is compiled with
/// `PEELBACK_PACKED_GRAMMARS`, the names of their crates.
///
/// `libraries` are tree-sitter and the grammars of this build.
pub fn link_packed(package: &Path, libraries: Option<&[Library]>) {
    let names = link(package, libraries).unwrap_or_default();
    println!("cargo::rustc-env=PEELBACK_PACKED_GRAMMARS={}", names.join(" "));
}

/// Compiles and links the library, and returns the names of the crates whose grammars it contains; `None` where there
/// are none.
fn link(package: &Path, libraries: Option<&[Library]>) -> Option<Vec<String>> {
    let compiler = compilation().try_get_compiler().ok()?;
    if !(compiler.is_like_gnu() || compiler.is_like_clang()) || env::var_os("CARGO_CFG_UNIX").is_none() {
        return None;
    }
    let out = env::var_os("OUT_DIR").map(PathBuf::from)?;
    let stamp_file = out.join("packed-grammars");
    let stamp = stamp(package, FILES, libraries);
    let earlier = std::fs::read_to_string(&stamp_file).unwrap_or_default();
    let names = match earlier.split_once('\n') {
        Some((earlier, names)) if earlier == stamp => names.lines().map(str::to_owned).collect(),
        _ => compile_packed(package, libraries?, &out)?,
    };
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static={LIBRARY}");
    // A failed write of the stamp file is ignored: without the stamp, the next build only compiles the grammars again.
    let _ = std::fs::write(stamp_file, format!("{stamp}\n{}", names.join("\n")));
    Some(names)
}

/// Compiles every grammar whose tables are packed into one library, and returns the names of their crates; `None` where
/// there is no such grammar.
fn compile_packed(package: &Path, libraries: &[Library], out: &Path) -> Option<Vec<String>> {
    let mut library = compilation();
    let mut names = Vec::new();
    for (name, folder) in grammar_folders(package, libraries) {
        let several = SEVERAL_GRAMMARS.iter().find(|(several, _)| *several == name).map(|(_, folders)| *folders);
        let objects: Vec<PathBuf> = several
            .unwrap_or(&[""])
            .iter()
            .filter_map(|grammar| packed_grammar(&folder.join(grammar), &format!("{name}-{grammar}"), out))
            .collect();
        if !objects.is_empty() {
            library.objects(objects);
            let edits: Vec<&Edit> =
                SCANNER_EDITS.iter().filter(|(grammar, _)| *grammar == name).map(|(_, edit)| edit).collect();
            if !edits.is_empty() {
                match edited_scanner(&folder, &edits, out) {
                    Some(object) => drop(library.object(object)),
                    None => println!("cargo::warning=the scanner of {name} is not the one that its edits are for"),
                }
            }
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }
    library.file(package.join("build/grammars/unpack.c"));
    library.cargo_metadata(false).try_compile(LIBRARY).ok()?;
    Some(names)
}

/// The settings of the C compiler for the grammars with packed tables. The lexers of the largest grammars turn
/// optimisation off by themselves.
fn compilation() -> cc::Build {
    let mut build = cc::Build::new();
    build.std("c11").opt_level(3).warnings(false).cargo_warnings(false);
    build
}

/// Compiles one grammar with packed tables and returns the path of its object file; `None` where its tables are small,
/// or its `parser.c` has an unexpected form.
fn packed_grammar(folder: &Path, name: &str, out: &Path) -> Option<PathBuf> {
    let parser = folder.join("src/parser.c");
    let text = std::fs::read_to_string(&parser).ok()?;
    let packed = source::with_packed_tables(&text)?;
    println!("cargo::rerun-if-changed={}", parser.display());
    let copy = out.join(format!("{}.c", name.replace('/', "-")));
    std::fs::write(&copy, packed).ok()?;
    compilation().file(copy).include(folder.join("src")).try_compile_intermediates().ok()?.pop()
}

/// Compiles the scanner of a grammar with edits and returns the path of its object file; `None` where its source is not
/// the one that the edits are for.
fn edited_scanner(folder: &Path, edits: &[&Edit], out: &Path) -> Option<PathBuf> {
    let scanner = folder.join("src/scanner.c");
    let text = std::fs::read_to_string(&scanner).ok()?;
    println!("cargo::rerun-if-changed={}", scanner.display());
    let text = edits.iter().try_fold(text, |text, edit| edits::edited(&text, edit))?;
    let copy = out.join(format!("{}-scanner.c", folder.file_name()?.to_string_lossy()));
    std::fs::write(&copy, text).ok()?;
    compilation().file(copy).include(folder.join("src")).try_compile_intermediates().ok()?.pop()
}

/// The grammar crates that the enabled cargo features of this package need, with the folders of their sources. A warning
/// names each one that is not found.
///
/// A registry's sources, like vendored ones, are folders side by side, and tree-sitter's build script names its own.
/// (`cargo metadata` would name them all, but fails until every crate of the lock file has been downloaded, also those
/// for tests and for other platforms, which a first build does not need.)
fn grammar_folders(package: &Path, libraries: &[Library]) -> Vec<(String, PathBuf)> {
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
    let include = PathBuf::from(env::var_os("DEP_TREE_SITTER_INCLUDE").unwrap_or_default());
    let mut folders = Vec::new();
    for library in libraries.iter().filter(|library| is_enabled_grammar(&library.name, &manifest)) {
        let sibling_names = [format!("{}-{}", library.name, library.version), library.name.clone()];
        let siblings =
            include.ancestors().skip(1).flat_map(|folder| sibling_names.each_ref().map(|name| folder.join(name)));
        match siblings.into_iter().find(|folder| folder.join("Cargo.toml").is_file()) {
            Some(folder) => folders.push((library.name.clone(), folder)),
            None => {
                println!("cargo::warning=the program becomes larger: the sources of {} are not found", library.name)
            }
        }
    }
    folders
}

/// Whether the crate `name` is a dependency of this package that is not optional, or is enabled by a cargo feature.
fn is_enabled_grammar(name: &str, manifest: &str) -> bool {
    let is_dependency = manifest
        .lines()
        .any(|line| line.starts_with(&format!("{name}.workspace")) || line.starts_with(&format!("{name} ")));
    let dependency = format!("\"dep:{name}\"");
    let mut features =
        manifest.lines().filter(|line| line.contains(&dependency)).filter_map(|line| line.split(" = ").next());
    let is_enabled =
        |feature: &str| env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"))).is_some();
    super::is_grammar(name) && is_dependency && (!manifest.contains(&dependency) || features.any(is_enabled))
}
