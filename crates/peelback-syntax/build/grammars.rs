//! Keeps the parse tables of large grammars packed in the program, and unpacks them when the language is first used.
//!
//! The tables of a handful of grammars would be half of the program, though nine of ten of their entries are zero. For
//! each of them this script copies the grammar's own `parser.c` to the output folder with its two tables packed
//! (`pack.rs`), and compiles that copy into a library that is linked before the grammar's. A linker takes the first
//! definition of the language's function, and so leaves the plain tables in the archive of the grammar crate, of which
//! it takes the scanner only. The unpacked tables are equal to the plain ones, and parsing takes no longer.
//!
//! Nothing depends on it: where the sources of a grammar are not found or not understood, or the compiler is not one
//! of the GNU family, the grammar is linked as its crate builds it.

mod pack;
mod source;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::stamp::stamp;

/// The name of the static library that contains the packed grammars. It is linked before the libraries of the grammar
/// crates.
const LIBRARY: &str = "peelback_packed_grammars";

/// The lower limit for packing, in bytes: a smaller dense parse table stays as it is, because unpacking takes time at
/// the first use of a language.
const SMALLEST_PACKED: usize = 1 << 20;

/// The files of this build script that decide how the grammars are compiled.
const FILES: &[&str] =
    &["build/grammars.rs", "build/grammars/pack.rs", "build/grammars/source.rs", "build/grammars/unpack.c"];

/// Compiles the grammars with large tables, unless an earlier run did, and has them linked.
///
/// `libraries` names the grammars of this build with their versions.
pub fn link_packed(package: &Path, libraries: Option<&[String]>) {
    let compiler = compilation().try_get_compiler();
    let is_gnu_family = compiler.is_ok_and(|compiler| compiler.is_like_gnu() || compiler.is_like_clang());
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else { return };
    if !is_gnu_family || env::var_os("CARGO_CFG_UNIX").is_none() {
        return;
    }
    let stamp_file = out.join("packed-grammars");
    let stamp = stamp(package, FILES, libraries);
    let is_compiled = std::fs::read_to_string(&stamp_file).is_ok_and(|earlier| earlier == stamp);
    if !is_compiled && compile_packed(package, &out).is_none() {
        return;
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static={LIBRARY}");
    // A failed write of the stamp file is ignored: without the stamp, the next build only compiles the grammars again.
    let _ = std::fs::write(stamp_file, stamp);
}

/// Compiles every grammar whose tables are packed into one library; `None` where there is no such grammar.
fn compile_packed(package: &Path, out: &Path) -> Option<()> {
    let folders = grammar_folders(package);
    let objects: Vec<PathBuf> = folders.iter().filter_map(|folder| packed_grammar(folder, out)).collect();
    if objects.is_empty() {
        return None;
    }
    let mut library = compilation();
    library.objects(objects).file(package.join("build/grammars/unpack.c"));
    library.cargo_metadata(false).try_compile(LIBRARY).ok()
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
fn packed_grammar(folder: &Path, out: &Path) -> Option<PathBuf> {
    let parser = folder.join("src/parser.c");
    let text = std::fs::read_to_string(&parser).ok()?;
    let packed = source::with_packed_tables(&text)?;
    println!("cargo::rerun-if-changed={}", parser.display());
    let copy = out.join(format!("{}.c", folder.file_name()?.to_string_lossy()));
    std::fs::write(&copy, packed).ok()?;
    compilation().file(copy).include(folder.join("src")).try_compile_intermediates().ok()?.pop()
}

/// The source folders of those grammar crates that the enabled cargo features of this package need.
fn grammar_folders(package: &Path) -> Vec<PathBuf> {
    let manifest = std::fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
    let metadata = cargo_metadata().unwrap_or_default();
    let folders = string_values(&metadata, "manifest_path").filter_map(|path| Path::new(path).parent());
    folders.filter(|folder| is_enabled_grammar(folder, &manifest)).map(Path::to_owned).collect()
}

/// What `cargo metadata` prints for this package; `None` where it fails, as without a lock file.
fn cargo_metadata() -> Option<String> {
    let cargo = env::var_os("CARGO")?;
    let output = Command::new(cargo).args(["metadata", "--format-version", "1", "--frozen"]).output().ok()?;
    output.status.success().then_some(())?;
    String::from_utf8(output.stdout).ok()
}

/// All string values of the key `key` in a JSON text. The values must not contain escaped characters.
fn string_values<'j>(json: &'j str, key: &str) -> impl Iterator<Item = &'j str> {
    let marker = format!("\"{key}\":\"");
    let starts: Vec<usize> = json.match_indices(&marker).map(|(at, _)| at + marker.len()).collect();
    starts.into_iter().filter_map(|start| json.get(start..)?.split('"').next())
}

/// Whether the crate in `folder` is a grammar with one `parser.c`, is a dependency of this package, and has its cargo
/// feature enabled if the dependency is optional.
fn is_enabled_grammar(folder: &Path, manifest: &str) -> bool {
    if !folder.join("src/parser.c").exists() {
        return false;
    }
    let Ok(own) = std::fs::read_to_string(folder.join("Cargo.toml")) else { return false };
    let Some(name) = own.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')) else {
        return false;
    };
    let is_dependency = manifest
        .lines()
        .any(|line| line.starts_with(&format!("{name}.workspace")) || line.starts_with(&format!("{name} ")));
    let dependency = format!("\"dep:{name}\"");
    let mut features =
        manifest.lines().filter(|line| line.contains(&dependency)).filter_map(|line| line.split(" = ").next());
    let is_enabled =
        |feature: &str| env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"))).is_some();
    is_dependency && (!manifest.contains(&dependency) || features.any(is_enabled))
}
