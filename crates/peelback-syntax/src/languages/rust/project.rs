//! What is known of the files of Rust projects: Cargo's manifest and the settings files of tools.

use crate::manifest::{LibraryFiles, PackageManifest, UsualCommands};
use crate::project_files::{ProjectFiles, ToolSettings};

static MANIFEST: PackageManifest = PackageManifest {
    name_keys: &["package.name"],
    description_keys: &["package.description"],
    version_keys: &["package.rust-version", "workspace.package.rust-version"],
    // Old manifests have the table `project` in place of `package`.
    licence_keys: &["package.license", "project.license"],
    usual_commands: Some(UsualCommands {
        keys: &["workspace", "package"],
        text: "usual for Cargo: `cargo build`, `cargo test`",
        after_value: None,
    }),
    program_key: Some("bin.name"),
    library: LibraryFiles::File { key: "lib.path", default: "src/lib.rs" },
    ..PackageManifest::new("Cargo.toml", "Rust package", "Rust")
};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    manifest: Some(&MANIFEST),
    tool_settings: &[
        ToolSettings { program: "rustfmt", file_names: &["rustfmt.toml", ".rustfmt.toml"] },
        ToolSettings { program: "Clippy", file_names: &["clippy.toml", ".clippy.toml"] },
    ],
    command_marks: &["cargo", "clippy", "fmt"],
    build_scripts: &["build.rs"],
    index_stems: &["mod", "lib"],
    ..ProjectFiles::NONE
};
