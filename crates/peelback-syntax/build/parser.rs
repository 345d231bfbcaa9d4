//! Links tree-sitter's parser with bounds that its own sources lack.
//!
//! A parse asks its caller between two operations whether it may go on. Three things can take seconds, or gigabytes,
//! inside one operation, for text of a few kilobytes: lexing behind a syntax error, which tries every token at every
//! character; the collection of all parse stacks at the end of a text; and the growth of the stacks itself, which nobody
//! counts. And a scanner whose state is too long ends the whole program. This script copies tree-sitter's own sources to the output folder, makes the small edits that are listed in
//! `parser/edits.rs`, and compiles them into a library that is linked before tree-sitter's. A linker takes the first
//! definition of a function, and so leaves tree-sitter's own object in its archive.
//!
//! A text that stays inside the bounds is parsed as tree-sitter's own sources parse it: the edits change no decision of the parser.
//! Where the sources are not found or not those that the edits are for, or the compiler is not one of the GNU family, tree-sitter is
//! linked as its crate builds it, and a warning says so.

pub mod edits;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::Library;
use super::stamp::stamp;

/// The name of the static library that contains the parser with bounds.
const LIBRARY: &str = "peelback_bounded_parser";

/// The files of this build script that decide how the parser is compiled.
const FILES: &[&str] = &["build/parser.rs", "build/parser/edits.rs", "build/parser/bounds.h"];

/// Compiles tree-sitter's sources with the edits, unless an earlier run did, and has them linked before tree-sitter's own
/// library.
///
/// `libraries` are tree-sitter and the grammars of this build.
pub fn link_bounded(package: &Path, libraries: Option<&[Library]>) {
    if let Err(reason) = link(package, libraries) {
        println!("cargo::warning=the memory of a parse has no limit: {reason}");
    }
}

/// Compiles and links the library.
///
/// # Errors
/// The reason, in words, why the sources cannot be compiled with the edits.
fn link(package: &Path, libraries: Option<&[Library]>) -> Result<(), String> {
    let compiler = cc::Build::new().try_get_compiler().map_err(|error| error.to_string())?;
    if !(compiler.is_like_gnu() || compiler.is_like_clang()) || env::var_os("CARGO_CFG_UNIX").is_none() {
        return Err("this needs a compiler of the GNU family on a Unix system".to_owned());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo sets no OUT_DIR")?);
    let stamp_file = out.join("bounded-parser.stamp");
    let stamp = stamp(package, FILES, libraries);
    if !fs::read_to_string(&stamp_file).is_ok_and(|earlier| earlier == stamp) {
        compile(package, &out)?;
    }
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static={LIBRARY}");
    // A failed write of the stamp file is ignored: without the stamp, the next build only compiles the parser again.
    let _ = fs::write(stamp_file, stamp);
    Ok(())
}

/// Compiles tree-sitter's sources with the edits.
fn compile(package: &Path, out: &Path) -> Result<(), String> {
    // Tree-sitter's build script passes the folder of its headers on to the packages that depend on it.
    let include =
        PathBuf::from(env::var_os("DEP_TREE_SITTER_INCLUDE").ok_or("tree-sitter names no folder of headers")?);
    let original = include.parent().ok_or("the folder of headers has no parent")?.join("src");
    let copy = out.join("bounded-parser");
    copy_folder(&original, &copy).map_err(|error| format!("{}: {error}", original.display()))?;
    for edit in edits::EDITS {
        let path = copy.join(edit.file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", edit.file))?;
        let edited = edits::edited(&text, edit);
        let edited =
            edited.ok_or_else(|| format!("{} is not that of the version that the edits are for", edit.file))?;
        fs::write(&path, edited).map_err(|error| error.to_string())?;
    }
    cc::Build::new()
        .std("c11")
        .opt_level(3)
        .flag_if_supported("-fvisibility=hidden")
        .warnings(false)
        .cargo_warnings(false)
        .cargo_metadata(false)
        .include(&copy)
        .include(&include)
        .include(package.join("build/parser"))
        .define("_DEFAULT_SOURCE", None)
        .define("_DARWIN_C_SOURCE", None)
        .file(copy.join("lib.c"))
        .try_compile(LIBRARY)
        .map_err(|error| error.to_string())
}

/// Copies a folder with everything below it.
fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::write(target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
