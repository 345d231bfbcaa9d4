//! The description of a package manifest: the file in which a package says what it is called, holds and runs.

/// A kind of package manifest: the file's name, and the keys under which it says what a reader wants to know.
///
/// A key is written with the names of the tables around it, joined by dots: `package.name`.
#[derive(Debug)]
pub struct PackageManifest {
    /// The manifest's file name: `Cargo.toml`.
    pub file_name: &'static str,
    /// What the packages of such a manifest are called: `Rust package`.
    pub package: &'static str,
    /// What the required version is a version of: `Rust`, `Node`.
    pub runtime: &'static str,
    /// The one-line directives to read, where the file has directives and no keys; otherwise empty.
    pub directives: &'static [Directive],
    /// Keys of the package's name.
    pub name_keys: &'static [&'static str],
    /// Keys of the package's description.
    pub description_keys: &'static [&'static str],
    /// Keys of the required version of the runtime.
    pub version_keys: &'static [&'static str],
    /// Keys of the package's licence.
    pub licence_keys: &'static [&'static str],
    /// Tables that set up formatters, linters and tests.
    pub settings_tables: &'static [&'static str],
    /// The usual commands that build and test a package.
    pub usual_commands: Option<UsualCommands>,
    /// The scripts that a package declares.
    pub scripts: Option<Scripts>,
    /// The environments in which a package is tested.
    pub environments: Option<Environments>,
    /// Keys whose values are entry points of the package.
    pub entry_keys: &'static [EntryKey],
    /// Tables of the commands that an installed package provides.
    pub command_tables: &'static [&'static str],
    /// The key of the name of a program, which may occur several times.
    pub program_key: Option<&'static str>,
    /// The files that contain what the package exports.
    pub library: LibraryFiles,
}

/// A line of a manifest that begins with a name, followed by a value: `go 1.24`.
#[derive(Debug)]
pub struct Directive {
    /// The name that begins the line.
    pub name_key: &'static str,
    /// Whether `//` after the value begins a comment; in a path it is a part of the value.
    pub has_comment: bool,
}

/// The usual commands that build and test a package.
#[derive(Debug)]
pub struct UsualCommands {
    /// The keys of which one shows that the commands apply.
    pub keys: &'static [&'static str],
    /// The sentence about the commands; where `after_value` is present, the part before the key's value.
    pub text: &'static str,
    /// The part of the sentence after the key's value. Where it is present, a key without a value says nothing.
    pub after_value: Option<&'static str>,
}

/// A table of named shell commands in a manifest.
#[derive(Debug)]
pub struct Scripts {
    /// The table of the scripts.
    pub table: &'static str,
    /// The command that runs a script, before the script's name.
    pub run: &'static str,
}

/// Tables of test environments in a manifest.
#[derive(Debug)]
pub struct Environments {
    /// The table whose presence shows that the program is used.
    pub table: &'static str,
    /// The table that holds for all environments.
    pub base: &'static str,
    /// The table that contains one table for each environment.
    pub each: &'static str,
    /// The program that runs all environments.
    pub program: &'static str,
    /// The option of the program before the name of one environment.
    pub option: &'static str,
}

/// A key of a manifest whose value is an entry point, or a table of entry points.
#[derive(Debug)]
pub struct EntryKey {
    /// The key's name.
    pub name: &'static str,
    /// Whether names in the table can contain dots that do not separate tables.
    pub has_dotted_names: bool,
}

/// The files that contain what a package exports.
#[derive(Debug, PartialEq, Eq)]
pub enum LibraryFiles {
    /// The manifest's entry keys name the files.
    Declared,
    /// One file: the value of `key`, or `default`.
    File {
        /// The key of the file's path.
        key: &'static str,
        /// The path of the file where the key is absent.
        default: &'static str,
    },
    /// The files with this extension in the manifest's folder. The main one is named like the package.
    Folder {
        /// The extension of the files, without the dot.
        extension: &'static str,
    },
    /// The file of this name in each folder of a package, which lies beside the manifest or in `source_folder`.
    PackageFiles {
        /// The file's name.
        file_name: &'static str,
        /// The folder that may contain the packages.
        source_folder: &'static str,
    },
}

impl PackageManifest {
    /// A kind of manifest without known keys: the base value that a language's folder completes.
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
