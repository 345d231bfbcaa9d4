//! Descriptions of the files and folders in a language's projects: how they are called, and which files the language's
//! tools read.

use crate::manifest::PackageManifest;

/// The files and folders in projects of one language that have a meaning by their names, such as a package manifest.
#[derive(Debug)]
pub struct ProjectFiles {
    /// The description of the language's package manifest, if it has one.
    pub manifest: Option<&'static PackageManifest>,
    /// Files that declare tasks for a task runner, such as `tox.ini`.
    pub task_files: &'static [TaskFile],
    /// Settings files of the language's formatters, linters and type checkers.
    pub tool_settings: &'static [ToolSettings],
    /// Texts in a shell command that mark it as one that builds or checks code of the language, such as `cargo`.
    pub command_marks: &'static [&'static str],
    /// Files that are run directly or loaded by a server, as pairs of the file's name and its purpose.
    pub run_files: &'static [(&'static str, &'static str)],
    /// Names of files that run while a package is built. A `main` function there is no entry point of a program.
    pub build_scripts: &'static [&'static str],
    /// Stems (file names without extension) of files that are programs, in addition to `main`.
    pub program_stems: &'static [&'static str],
    /// Stems (file names without extension) of the files that are the module of their folder: `__init__`, `index`.
    pub index_stems: &'static [&'static str],
    /// Stems (file names without extension) of files that support tests: `conftest`.
    pub test_stems: &'static [&'static str],
    /// Ends of the stems (file names without extension) of the language's files that are tests: `Test` of `CartTest`.
    pub test_stem_ends: &'static [&'static str],
    /// Ends of the names of folders that contain tests: `.Tests` of `Shop.Tests`.
    pub test_folder_ends: &'static [&'static str],
    /// Stems (file names without extension), in lower case, of files for set-up, builds and maintenance.
    pub auxiliary_stems: &'static [&'static str],
    /// Names of folders, in lower case, that contain third-party code.
    pub foreign_folders: &'static [&'static str],
    /// Names of folders, in lower case, that contain examples or test data.
    pub example_folders: &'static [&'static str],
    /// A function that tests whether a path, in lower case, is that of third-party code inside the project's own
    /// folders.
    pub is_vendored: Option<fn(&str) -> bool>,
    /// A function that tests whether a file name, in lower case, is that of a generated file.
    pub is_generated: Option<fn(&str) -> bool>,
    /// File extensions of documentation: these files are documentation in any folder, and their headings divide the
    /// text.
    pub documentation_extensions: &'static [&'static str],
    /// File extensions of a project's README, the most frequent first.
    pub readme_extensions: &'static [&'static str],
}

/// A file that declares tasks for a task runner, such as `tox.ini`.
#[derive(Debug)]
pub struct TaskFile {
    /// The name of the task runner's file, such as `tox.ini`. The file stands in the project's root folder.
    pub file_name: &'static str,
    /// The task runner: the program that runs the tasks.
    pub program: &'static str,
    /// The task runner's option that precedes a task's name.
    pub option: &'static str,
    /// The regular expression for a line that declares a task. Group 1 is the task's name; where it is empty, the task
    /// runner runs the task without a name.
    pub pattern: &'static str,
}

/// The settings files of one formatter, linter or type checker.
#[derive(Debug)]
pub struct ToolSettings {
    /// The name of the formatter, linter or type checker.
    pub program: &'static str,
    /// Names of settings files in the project's root folder, of which the program reads one.
    pub file_names: &'static [&'static str],
}

impl ProjectFiles {
    /// The value for a language whose projects have no files or folders with a special meaning.
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
        test_stem_ends: &[],
        test_folder_ends: &[],
        auxiliary_stems: &[],
        foreign_folders: &[],
        example_folders: &[],
        is_vendored: None,
        is_generated: None,
        documentation_extensions: &[],
        readme_extensions: &[],
    };
}
