//! The files of Go projects: `go.mod` and the settings of tools.

use crate::manifest::{Directive, LibraryFiles, PackageManifest, UsualCommands};
use crate::project_files::{ProjectFiles, ToolSettings};

static MANIFEST: PackageManifest = PackageManifest {
    directives: &[Directive { name: "module", has_comment: false }, Directive { name: "go", has_comment: true }],
    name_keys: &["module"],
    version_keys: &["go"],
    usual_commands: Some(UsualCommands {
        keys: &["module"],
        text: "usual for Go: `go build ./...`, `go test ./...`",
        after_value: None,
    }),
    library: LibraryFiles::Folder { extension: "go" },
    ..PackageManifest::new("go.mod", "Go module", "Go")
};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    manifest: Some(&MANIFEST),
    tool_settings: &[ToolSettings {
        program: "golangci-lint",
        file_names: &[".golangci.yml", ".golangci.yaml", ".golangci.toml"],
    }],
    command_marks: &["go "],
    example_folders: &["testdata"],
    ..ProjectFiles::NONE
};
