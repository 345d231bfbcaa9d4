//! What the files and folders of a language's projects are called, and which files its tools read.

use crate::manifest::PackageManifest;

/// The files and folders in projects of one language that have a meaning by their names.
#[derive(Debug)]
pub struct ProjectFiles {
    /// The package manifest.
    pub manifest: Option<&'static PackageManifest>,
    /// Files that declare tasks for a program that runs them by name.
    pub task_files: &'static [TaskFile],
    /// Settings files of formatters, linters and type checkers.
    pub tool_settings: &'static [ToolSettings],
    /// Texts that mark a shell command as one that builds or checks code of the language.
    pub command_marks: &'static [&'static str],
    /// Files that are run directly or loaded by a server: the file's name, and what it is for.
    pub run_files: &'static [(&'static str, &'static str)],
    /// Files that run while a package is built: their `main` is no entry point of a program.
    pub build_scripts: &'static [&'static str],
    /// Stems (file names without extension) of programs, in addition to `main`.
    pub program_stems: &'static [&'static str],
    /// Stems of the files that are the module of their folder: `__init__`, `index`.
    pub index_stems: &'static [&'static str],
    /// Stems of files that support tests: `conftest`.
    pub test_stems: &'static [&'static str],
    /// Stems in lower case of files for set-up, builds and maintenance.
    pub auxiliary_stems: &'static [&'static str],
    /// Folders in lower case that contain third-party code.
    pub foreign_folders: &'static [&'static str],
    /// Folders in lower case that contain examples or data of tests.
    pub example_folders: &'static [&'static str],
    /// Tests whether a path in lower case is that of third-party code inside the project's own folders.
    pub is_vendored: Option<fn(&str) -> bool>,
    /// Tests whether a file name in lower case is that of a generated file.
    pub is_generated: Option<fn(&str) -> bool>,
    /// Extensions of files that are documentation wherever they lie, and whose headings divide the text.
    pub documentation_extensions: &'static [&'static str],
    /// Extensions of a README, the most frequent first.
    pub readme_extensions: &'static [&'static str],
}

/// A file that declares tasks for a program.
#[derive(Debug)]
pub struct TaskFile {
    /// The file's name in the root folder.
    pub file_name: &'static str,
    /// The program that runs the tasks.
    pub program: &'static str,
    /// The option of the program before a task's name.
    pub option: &'static str,
    /// The regular expression for a line that declares a task. Group 1 is the task's name; where it is empty, the program
    /// runs the task without a name.
    pub pattern: &'static str,
}

/// The settings files of a formatter, a linter or a type checker.
#[derive(Debug)]
pub struct ToolSettings {
    /// The program's name.
    pub program: &'static str,
    /// File names in the root folder, of which the program reads one.
    pub file_names: &'static [&'static str],
}

impl ProjectFiles {
    /// No files or folders with a meaning.
    pub const NONE: Self = Self {
        manifest: None,
        task_files: &[],
        tool_settings: &[],
        command_marks: &[],
        run_files: &[],
        build_scripts: &[],
        program_stems: &[],
        index_stems: &[],
        test_stems: &[],
        auxiliary_stems: &[],
        foreign_folders: &[],
        example_folders: &[],
        is_vendored: None,
        is_generated: None,
        documentation_extensions: &[],
        readme_extensions: &[],
    };
}
