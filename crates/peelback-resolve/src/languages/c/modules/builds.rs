//! Finds include folders in build descriptions, for projects without a compilation database: `-I` options in makefiles,
//! `include_directories` in CMake files.

use std::collections::HashMap;

use crate::modules::{FileTable, file_name_of_path, folder_of_path, join_and_normalize_path};

/// The limit on the number of build descriptions (makefiles, CMake files) that are read; those nearest to the project
/// root are read first.
const MAX_READ: usize = 400;

/// The limit on how many times a variable is replaced in one path; the value of a variable can contain further
/// variables.
const MAX_EXPANSIONS: usize = 6;

/// The folder of each build description (makefile, CMake file) with the include folders that the description names; the
/// deepest folders first.
#[derive(Debug, Default)]
pub(super) struct BuildDescriptions(Vec<(String, Vec<String>)>);

impl BuildDescriptions {
    pub fn read(files: &FileTable) -> Self {
        let mut found: Vec<&str> = files
            .entries()
            .iter()
            .map(|entry| entry.path.as_str())
            .filter(|path| is_build_description_file_name(file_name_of_path(path)))
            .collect();
        found.sort_by_key(|path| (path.matches('/').count(), *path));
        found.truncate(MAX_READ);
        let mut builds: Vec<(String, Vec<String>)> = Vec::new();
        for path in found {
            let Some(text) = files.id_of_path(path).and_then(|id| files.read_and_record_text(id)) else { continue };
            let written = if file_name_of_path(path).ends_with(".txt") || path.ends_with(".cmake") {
                cmake_include_folders(&text)
            } else {
                makefile_include_folders(&text)
            };
            let own = folder_of_path(path);
            let mut folders: Vec<String> = Vec::new();
            for folder in written {
                let beside =
                    join_and_normalize_path(own, &folder).filter(|folder| files.has_files_below_folder(folder));
                // Paths are first taken relative to the makefile, then relative to the root: makefiles that include
                // others are often run from the root.
                let folder = beside.or_else(|| {
                    join_and_normalize_path("", &folder).filter(|folder| files.has_files_below_folder(folder))
                });
                if let Some(folder) = folder.filter(|folder| !folders.contains(folder)) {
                    folders.push(folder);
                }
            }
            if !folders.is_empty() {
                builds.push((own.to_owned(), folders));
            }
        }
        builds.reverse();
        builds.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        Self(builds)
    }

    /// The include folders that build descriptions name for the source files in `folder`.
    pub fn include_folders_for_folder<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let above = |root: &str| {
            root.is_empty() || folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.0.iter().filter(move |(root, _)| above(root)).flat_map(|(_, folders)| folders.iter().map(String::as_str))
    }
}

fn is_build_description_file_name(name: &str) -> bool {
    let begins = ["Makefile", "makefile", "GNUmakefile"].iter().any(|begin| name.starts_with(begin));
    begins || name == "CMakeLists.txt" || name.ends_with(".mk") || name.ends_with(".cmake")
}

/// The include folders that a makefile names after `-I` and similar compiler options.
fn makefile_include_folders(text: &str) -> Vec<String> {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut values: HashMap<&str, String> = HashMap::new();
    for line in text.lines().filter(|line| !line.starts_with(['\t', '#'])) {
        if let Some((name, value)) = line.split_once('=') {
            let appends = name.ends_with('+');
            let name = name.trim_end_matches([':', '+', '?', '!']).trim();
            if name.is_empty() || name.contains([' ', '\t', '(', ':']) {
                continue;
            }
            let held = values.entry(name).or_default();
            if !appends {
                held.clear();
            }
            held.push(' ');
            held.push_str(value.split(" #").next().unwrap_or("").trim());
        }
    }
    let mut folders = Vec::new();
    for line in text.lines().filter(|line| line.contains("-I") || line.contains("-i")) {
        let mut waiting = false;
        for word in line.split_whitespace() {
            let word = word.trim_matches(['"', '\'']);
            let folder = if std::mem::take(&mut waiting) {
                Some(word)
            } else {
                let at = ["-I", "-isystem", "-iquote"].iter().find_map(|flag| {
                    let at = word.find(flag)?;
                    // Accepts a compiler option directly after an assignment sign, as in `CFLAGS=-Iinclude`.
                    (at == 0 || word.as_bytes().get(at - 1) == Some(&b'=')).then(|| word.get(at + flag.len()..))?
                });
                waiting = at == Some("");
                at.filter(|folder| !folder.is_empty())
            };
            folders.extend(folder.and_then(|folder| expand_build_variables_in_path(folder, &values)));
        }
    }
    folders
}

/// A path from a build description with its variables replaced by their values; `None` if a value is unknown.
fn expand_build_variables_in_path(path: &str, values: &HashMap<&str, String>) -> Option<String> {
    let mut path = path.to_owned();
    for _ in 0..MAX_EXPANSIONS {
        let Some(start) = path.find('$') else { break };
        let close = match path.as_bytes().get(start + 1)? {
            b'(' => ')',
            b'{' => '}',
            _ => return None,
        };
        let end = start + path.get(start..)?.find(close)?;
        let name = path.get(start + 2..end)?;
        let value = match values.get(name) {
            Some(value) => value.trim(),
            // The folder variables that every build defines stand for the folder of the build description.
            None if BUILD_FOLDER_VARIABLES.contains(&name) => ".",
            None => return None,
        };
        path = format!("{}{value}{}", path.get(..start)?, path.get(end + 1..)?);
    }
    (!path.contains(['$', ' '])).then_some(path)
}

/// Makefile and CMake variables that stand for the folder of the build description.
const BUILD_FOLDER_VARIABLES: &[&str] = &[
    "CURDIR",
    "CMAKE_CURRENT_LIST_DIR",
    "CMAKE_CURRENT_SOURCE_DIR",
    "CMAKE_SOURCE_DIR",
    "PROJECT_SOURCE_DIR",
    "srcdir",
    "top_srcdir",
    "abs_srcdir",
    "abs_top_srcdir",
];

/// The include folders that a CMake file names.
fn cmake_include_folders(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split('#').next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut values: HashMap<&str, String> = HashMap::new();
    let mut folders = Vec::new();
    let mut rest = code.as_str();
    while let Some((before, after)) = rest.split_once('(') {
        let command = before.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        let Some((arguments, next)) = after.split_once(')') else { break };
        rest = next;
        let mut words = arguments.split_whitespace().map(|word| word.trim_matches('"'));
        match command.to_ascii_lowercase().as_str() {
            "set" => {
                if let (Some(name), Some(value)) = (words.next(), words.next()) {
                    values.insert(name, value.to_owned());
                }
            }
            "include_directories" => {
                folders.extend(words.filter_map(|word| {
                    expand_build_variables_in_path(include_folder_from_cmake_argument(word)?, &values)
                }))
            }
            "target_include_directories" => {
                folders.extend(words.skip(1).filter_map(|word| {
                    expand_build_variables_in_path(include_folder_from_cmake_argument(word)?, &values)
                }));
            }
            _ => {}
        }
    }
    folders
}

/// The include folder that an argument of a CMake command names, taken out of `$<BUILD_INTERFACE:…>`; `None` if the
/// argument is no plain folder.
fn include_folder_from_cmake_argument(word: &str) -> Option<&str> {
    if matches!(word, "PUBLIC" | "PRIVATE" | "INTERFACE" | "SYSTEM" | "BEFORE" | "AFTER") {
        return None;
    }
    match word.strip_prefix("$<") {
        Some(inner) => inner.strip_prefix("BUILD_INTERFACE:")?.strip_suffix('>'),
        None => Some(word),
    }
}

#[cfg(test)]
mod tests {
    use super::{cmake_include_folders, makefile_include_folders};

    #[test]
    fn makefiles_name_folders() {
        let text = "ROOT = internal\nLIB := $(ROOT)/lib # here\nFLAGS = -O2 -Isrc -I $(LIB) \\\n\t-isystem ${NONE}/x\nFLAGS += -I./inc\nall:\n\tcc -iquote third $(FLAGS) -Inot$(HOME)\n";
        assert_eq!(makefile_include_folders(text), ["src", "internal/lib", "./inc", "third"]);
    }

    #[test]
    fn cmake_names_folders() {
        let text = "set(INC \"${CMAKE_CURRENT_SOURCE_DIR}/inc\") # set(INC no)\ninclude_directories(src ${INC})\ntarget_include_directories(app PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/api> $<INSTALL_INTERFACE:include>)\n";
        assert_eq!(cmake_include_folders(text), ["src", "./inc", "./api"]);
    }
}
