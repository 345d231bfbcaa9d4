//! Descriptions of package manifests: the files in which packages state their name, contents and commands
//! (`Cargo.toml`, `package.json`).

/// The description of one kind of package manifest: its file name, and the keys under which it states a package's name,
/// version, programs and so on.
///
/// A key is written with the names of the tables around it, joined by dots: `package.name`.
#[derive(Debug)]
pub struct PackageManifest {
    /// The file name of the manifest: `Cargo.toml`.
    pub file_name: &'static str,
    /// The term for the packages that such a manifest describes: `Rust package`.
    pub package: &'static str,
    /// The name of the language or runtime of which a package requires a version: `Rust`, `Node`.
    pub runtime: &'static str,
    /// The one-line directives (`go 1.24`) of a manifest format that has no keys; empty for formats with keys.
    pub directives: &'static [Directive],
    /// Keys under which the manifest states the package's name.
    pub name_keys: &'static [&'static str],
    /// Keys under which the manifest states the package's description.
    pub description_keys: &'static [&'static str],
    /// Keys under which the manifest states the version of the runtime that the package requires.
    pub version_keys: &'static [&'static str],
    /// Keys under which the manifest states the package's licence.
    pub licence_keys: &'static [&'static str],
    /// GrammarIdTables of the manifest that configure formatters, linters and test runners.
    pub settings_tables: &'static [&'static str],
    /// The usual commands that build and test a package with such a manifest.
    pub usual_commands: Option<UsualCommands>,
    /// The table of the manifest in which a package declares its shell scripts.
    pub scripts: Option<Scripts>,
    /// The tables of the manifest that declare the environments in which the package is tested.
    pub environments: Option<Environments>,
    /// Keys of the manifest whose values are entry points of the package.
    pub entry_keys: &'static [EntryKey],
    /// GrammarIdTables of the manifest that declare the commands that an installed package provides.
    pub command_tables: &'static [&'static str],
    /// The key under which the manifest states the name of a program. It may occur several times.
    pub program_key: Option<&'static str>,
    /// The files that contain what the package exports.
    pub library: LibraryFiles,
}

/// A line of a manifest that begins with a name, followed by a value: `go 1.24`.
#[derive(Debug)]
pub struct Directive {
    /// The name that begins the directive's line, such as `go`.
    pub name: &'static str,
    /// Whether `//` after the directive's value begins a comment; otherwise it is a part of the value, as in a path.
    pub has_comment: bool,
}

/// The usual commands that build and test a package, as a sentence about them.
#[derive(Debug)]
pub struct UsualCommands {
    /// Keys of the manifest: the commands apply where one of these keys is present.
    pub keys: &'static [&'static str],
    /// The sentence about the commands. Where `after_value` is present, this is the part before the key's value.
    pub text: &'static str,
    /// The part of the sentence about the commands that follows the key's value. Where it is present, a key without a
    /// value gives no sentence.
    pub after_value: Option<&'static str>,
}

/// A table of named shell commands in a manifest.
#[derive(Debug)]
pub struct Scripts {
    /// The name of the table that contains the scripts.
    pub table: &'static str,
    /// The command that runs a script; the script's name follows it.
    pub run: &'static str,
}

/// GrammarIdTables of a manifest that declare the environments in which a package is tested.
#[derive(Debug)]
pub struct Environments {
    /// The table whose presence shows that the package uses the program `program`.
    pub table: &'static str,
    /// The table whose settings apply to all test environments.
    pub base: &'static str,
    /// The table that contains one inner table for each test environment.
    pub each: &'static str,
    /// The program that runs all test environments.
    pub program: &'static str,
    /// The program's option that selects one test environment; the environment's name follows it.
    pub option: &'static str,
}

/// A key of a manifest whose value is the path of an entry point, or a table of entry points.
#[derive(Debug)]
pub struct EntryKey {
    /// The name of the key, such as `main`.
    pub name: &'static str,
    /// Whether names in the table under the key can contain dots. Elsewhere a dot separates the names of nested tables.
    pub has_dotted_names: bool,
}

/// The files that contain what a package exports to other packages.
#[derive(Debug, PartialEq, Eq)]
pub enum LibraryFiles {
    /// The files that the manifest's entry keys name.
    Declared,
    /// One file, whose path is the value of `key`, or else `default`.
    File {
        /// The key under which the manifest states the file's path.
        key: &'static str,
        /// The path of the file where the manifest does not contain the key.
        default: &'static str,
    },
    /// The files with this extension in the manifest's folder. The main file is named like the package.
    Folder {
        /// The extension of the files, without the dot.
        extension: &'static str,
    },
    /// The files called `file_name` in the folders of the package. These folders lie beside the manifest or in
    /// `source_folder`.
    PackageFiles {
        /// The name of the file in each folder, such as `__init__.py`.
        file_name: &'static str,
        /// The folder beside the manifest that may contain the package's folders, such as `src`.
        source_folder: &'static str,
    },
}

impl PackageManifest {
    /// Creates the description of a kind of manifest without keys: the base value that a language's folder completes.
    pub(crate) const fn new(file_name: &'static str, package: &'static str, runtime: &'static str) -> Self {
        Self {
            file_name,
            package,
            runtime,
            directives: &[],
            name_keys: &[],
            description_keys: &[],
            version_keys: &[],
            licence_keys: &[],
            settings_tables: &[],
            usual_commands: None,
            scripts: None,
            environments: None,
            entry_keys: &[],
            command_tables: &[],
            program_key: None,
            library: LibraryFiles::Declared,
        }
    }
}
