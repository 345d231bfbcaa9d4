//! Reads the compilation database (`compile_commands.json`): the include folders that the compiler is called with.

use std::collections::{HashMap, HashSet};

use crate::json::Json;
use crate::modules::{FileTable, file_name_of_path, join_and_normalize_path};

/// The maximum size in bytes of a compilation database: those of large projects have some megabytes. A parsed one takes
/// up to 25 times its size.
const MAX_DATABASE_BYTES: u64 = 16 << 20;

/// The paths where build systems write the compilation database. They are tried in addition to the files of the
/// project's walk, because the walk ignores build folders.
const DATABASE_PATHS: &[&str] = &[
    "compile_commands.json",
    "build/compile_commands.json",
    "out/compile_commands.json",
    "_build/compile_commands.json",
    "builddir/compile_commands.json",
    "build/debug/compile_commands.json",
    "build/release/compile_commands.json",
    "out/Default/compile_commands.json",
    "cmake-build-debug/compile_commands.json",
    "cmake-build-release/compile_commands.json",
];

/// The include folders that the compiler is called with, relative to the project root, as the compilation database
/// lists them.
#[derive(Debug, Default)]
pub(super) struct CompilationDatabase {
    by_file: HashMap<String, Vec<String>>,
    /// The include folders of all entries together, used for files without an entry, such as headers.
    all: Vec<String>,
}

/// One entry of the compilation database: the compiler call for one source file.
struct CompileCommand<'j> {
    directory: &'j str,
    file: &'j str,
    command: &'j str,
    arguments: Vec<&'j str>,
}

impl<'j> CompileCommand<'j> {
    fn from_json(entry: &'j Json) -> Self {
        let text = |key: &str| entry.get(key).as_text().unwrap_or_default();
        Self {
            directory: text("directory"),
            file: text("file"),
            command: text("command"),
            arguments: entry.get("arguments").texts_of_list_or_single_text(),
        }
    }
}

impl CompilationDatabase {
    pub fn read(files: &FileTable) -> Self {
        let mut commands = Self::default();
        let walked = files.entries().iter().map(|entry| entry.path.as_str());
        let walked =
            walked.filter(|path| file_name_of_path(path) == "compile_commands.json" && !DATABASE_PATHS.contains(path));
        for path in DATABASE_PATHS.iter().copied().chain(walked) {
            let Some(text) = files.read_and_record_text_unless_larger(path, MAX_DATABASE_BYTES) else { continue };
            let database = Json::parse(&text);
            let entries: Vec<CompileCommand<'_>> =
                database.list_items().iter().map(CompileCommand::from_json).collect();
            commands.add_entries(&entries, files);
        }
        commands
    }

    fn add_entries(&mut self, entries: &[CompileCommand<'_>], files: &FileTable) {
        let own = files.root().to_string_lossy().replace('\\', "/");
        // The compilation database may come from another machine. If the end of one of its paths matches a project
        // file, the rest of that path is the other machine's root.
        let foreign = entries.iter().find_map(|entry| {
            let path = absolute_normalised_path(entry.directory, entry.file);
            if relative_path_below(&path, &own).is_some() {
                return Some(own.clone());
            }
            let cuts = path.match_indices('/').map(|(at, _)| at);
            let mut cuts = cuts.filter(|at| path.get(at + 1..).is_some_and(|end| files.id_of_path(end).is_some()));
            cuts.next().and_then(|at| path.get(..at)).map(str::to_owned)
        });
        let Some(root) = foreign else { return };
        let mut known: HashSet<String> = self.all.iter().cloned().collect();
        for entry in entries {
            let mut folders: Vec<String> = Vec::new();
            let split = if entry.arguments.is_empty() { split_command_line(entry.command) } else { Vec::new() };
            let arguments = entry.arguments.iter().copied().chain(split.iter().map(String::as_str));
            let mut waiting = false;
            for argument in arguments {
                let folder = match argument {
                    _ if std::mem::take(&mut waiting) => argument,
                    "-I" | "-isystem" | "-iquote" | "-idirafter" | "/I" => {
                        waiting = true;
                        continue;
                    }
                    argument => {
                        let flag = ["-I", "-isystem", "-iquote", "-idirafter", "/I"];
                        match flag.iter().find_map(|flag| argument.strip_prefix(flag)) {
                            Some(folder) => folder,
                            None => continue,
                        }
                    }
                };
                let folder = absolute_normalised_path(entry.directory, folder);
                if let Some(folder) = relative_path_below(&folder, &root)
                    && !folders.iter().any(|known| known == folder)
                {
                    folders.push(folder.to_owned());
                }
            }
            for folder in &folders {
                if known.insert(folder.clone()) {
                    self.all.push(folder.clone());
                }
            }
            if let Some(file) = relative_path_below(&absolute_normalised_path(entry.directory, entry.file), &root) {
                self.by_file.entry(file.to_owned()).or_default().extend(folders);
            }
        }
    }

    /// The folders in which the compiler searches for the includes of a file.
    pub fn include_folders_of_file_or_all(&self, file: &str) -> impl Iterator<Item = &str> {
        self.by_file.get(file).unwrap_or(&self.all).iter().map(String::as_str)
    }
}

/// The absolute form of `path`, which is absolute already or relative to `folder`, with `/` and without `.` and `..`.
fn absolute_normalised_path(folder: &str, path: &str) -> String {
    let path = path.replace('\\', "/");
    let whole = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let joined = if whole {
        join_and_normalize_path("", &path)
    } else {
        join_and_normalize_path(&folder.replace('\\', "/"), &path)
    };
    let joined = joined.unwrap_or_default();
    if joined.as_bytes().get(1) == Some(&b':') { joined } else { format!("/{joined}") }
}

fn relative_path_below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// The words of a command line, split as a shell splits them.
fn split_command_line(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut begun = false;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', quote) if quote != Some('\'') => {
                word.extend(chars.next());
                begun = true;
            }
            ('"' | '\'', None) => {
                quote = Some(c);
                begun = true;
            }
            (c, None) if c.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            (c, _) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{absolute_normalised_path, split_command_line};

    #[test]
    fn command_lines_are_split_as_a_shell_does() {
        assert_eq!(
            split_command_line(r#"cc -I"a b" -D'x y' -DQ=\"z\"  c.c"#),
            ["cc", "-Ia b", "-Dx y", "-DQ=\"z\"", "c.c"]
        );
    }

    #[test]
    fn paths_are_taken_from_the_folder() {
        assert_eq!(absolute_normalised_path("/p/build", "../src/a.c"), "/p/src/a.c");
        assert_eq!(absolute_normalised_path("/p", "/q/./a.c"), "/q/a.c");
    }
}
