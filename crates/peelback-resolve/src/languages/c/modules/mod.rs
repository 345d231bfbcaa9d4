//! Finds the files that C includes name.
//!
//! An include is searched as the compiler does it: in the folder of the including file, then in the folders that the
//! compilation database names (`compile_commands.json`). Next come the folders that makefiles name, then folders with
//! the usual names of header folders. The last choice is the only project file whose path ends in the included path.

mod builds;
mod commands;

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use peelback_syntax::language;
use peelback_syntax::names::{ModuleImport, Names};

use crate::modules::{
    Destination, FileId, Module, ModuleResolver, ProjectIndex, file_name_of_path, folder_of_path,
    join_and_normalize_path,
};
use builds::BuildDescriptions;
use commands::CompilationDatabase;

pub(in crate::languages) struct CModules {
    commands: CompilationDatabase,
    builds: OnceLock<BuildDescriptions>,
    /// The files of the project that an include can name, by file name.
    by_name: HashMap<Box<str>, Vec<FileId>>,
    found_includes: RwLock<HashMap<IncludeRequest, Option<FileId>>>,
}

/// An include directive: the including file, the path, and whether the path is in angle brackets.
#[derive(PartialEq, Eq, Hash)]
struct IncludeRequest {
    from: FileId,
    path: Box<str>,
    angled: bool,
}

/// Usual names of folders that contain headers.
const HEADER_FOLDERS: &[&str] = &["", "include", "src", "inc"];

/// Extensions of files that C code includes but that identify no language.
const INCLUDED_EXTENSIONS: &[&str] = &["def", "gen", "inc", "inl", "ipp", "tbl", "tcc", "xbm", "xpm"];

impl CModules {
    pub fn new(project_index: &dyn ProjectIndex) -> Self {
        let files = project_index.project_file_table();
        let mut by_name: HashMap<Box<str>, Vec<FileId>> = HashMap::new();
        for (id, entry) in (0..).zip(files.entries()) {
            let name = entry.name();
            let known = language::language_of_file_name(name)
                .is_some_and(|language| matches!(language.name, "c" | "cpp" | "objective_c"));
            let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
            if known || INCLUDED_EXTENSIONS.contains(&extension) {
                by_name.entry(name.into()).or_default().push(id);
            }
        }
        Self {
            commands: CompilationDatabase::read(files),
            builds: OnceLock::new(),
            by_name,
            found_includes: RwLock::default(),
        }
    }

    fn find_included_file(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        path: &str,
        angled: bool,
    ) -> Option<FileId> {
        let request = IncludeRequest { from, path: path.into(), angled };
        if let Some(known) = self.found_includes.read().unwrap_or_else(PoisonError::into_inner).get(&request) {
            return *known;
        }
        let found = self.find_included_file_uncached(project_index, from, path, angled);
        self.found_includes.write().unwrap_or_else(PoisonError::into_inner).insert(request, found);
        found
    }

    fn find_included_file_uncached(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        path: &str,
        angled: bool,
    ) -> Option<FileId> {
        let files = project_index.project_file_table();
        let path = path.replace('\\', "/");
        let candidates = self.by_name.get(file_name_of_path(&path))?;
        let own = folder_of_path(files.path_of_file(from));
        let at = |folder: &str| {
            files.id_of_path(&join_and_normalize_path(folder, &path)?).filter(|file| candidates.contains(file))
        };
        if !angled && let Some(found) = at(own) {
            return Some(found);
        }
        let named = self.commands.include_folders_of_file_or_all(files.path_of_file(from)).find_map(at);
        if named.is_some() {
            return named;
        }
        let described =
            self.builds.get_or_init(|| BuildDescriptions::read(files)).include_folders_for_folder(own).find_map(at);
        if described.is_some() {
            return described;
        }
        // A bare name in angle brackets is that of a system header, and says nothing about the project.
        if angled && !path.contains('/') {
            return None;
        }
        let mut above = own;
        loop {
            let guessed = HEADER_FOLDERS.iter().find_map(|folder| at(&join_and_normalize_path(above, folder)?));
            if guessed.is_some() {
                return guessed;
            }
            if above.is_empty() {
                break;
            }
            above = folder_of_path(above);
        }
        let end = join_and_normalize_path("", path.trim_start_matches("../"))?;
        let fits = |file: &&FileId| {
            let rest = files.path_of_file(**file).strip_suffix(end.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let fitting: Vec<FileId> = candidates.iter().filter(fits).copied().collect();
        match fitting.as_slice() {
            [] => None,
            [one] => Some(*one),
            // Of several files whose path ends in the included path, the one that is nearer to the including file than
            // all others.
            several => {
                let shared = |file: &FileId| {
                    let parts = files.path_of_file(*file).split('/').zip(own.split('/'));
                    parts.take_while(|(a, b)| a == b).count()
                };
                let nearest = several.iter().map(shared).max()?;
                let mut near = several.iter().filter(|file| shared(file) == nearest);
                near.next().filter(|_| near.next().is_none()).copied()
            }
        }
    }
}

impl ModuleResolver for CModules {
    fn import_destination(
        &self,
        project_index: &dyn ProjectIndex,
        from: FileId,
        names: &Names,
        import: &ModuleImport,
    ) -> Destination {
        let path = names.name_text(import.source);
        match self.find_included_file(project_index, from, path, import.special) {
            Some(file) => Destination::Module(Module::File(file)),
            None if import.special => Destination::External(path.to_owned()),
            None => Destination::Unresolved(path.to_owned()),
        }
    }

    fn texts_every_dependent_contains_one_of(&self, project_index: &dyn ProjectIndex, file: FileId) -> Vec<String> {
        vec![file_name_of_path(project_index.project_file_table().path_of_file(file)).to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::CModules;
    use crate::modules::testing::ProjectFixture;

    #[test]
    fn includes_beside_the_file_come_first() {
        let folder = ProjectFixture::new(
            CModules::new,
            &[
                (
                    "src/a/main.c",
                    "#include \"util.h\"\n#include \"b/util.h\"\n#include \"../b/util.h\"\n#include <util.h>\n#include <stdio.h>\n#include \"none.h\"\n",
                ),
                ("src/a/util.h", ""),
                ("src/b/util.h", ""),
            ],
        );
        assert_eq!(
            folder.import_targets("src/a/main.c"),
            [
                "src/a/util.h",
                "src/b/util.h",
                "src/b/util.h",
                "external: util.h",
                "external: stdio.h",
                "unresolved: none.h"
            ]
        );
    }

    #[test]
    fn folders_of_headers_are_guessed() {
        let folder = ProjectFixture::new(
            CModules::new,
            &[
                (
                    "lib/x/src/deep/x.c",
                    "#include \"x.h\"\n#include <x/api.h>\n#include \"deep/y.h\"\n#include \"only/here.h\"\n#include \"twice.h\"\n#include \"near.h\"\n",
                ),
                ("lib/x/include/x.h", ""),
                ("lib/x/include/x/api.h", ""),
                ("lib/x/src/deep/y.h", ""),
                ("other/only/here.h", ""),
                ("other/one/twice.h", ""),
                ("other/two/twice.h", ""),
                ("lib/x/gen/near.h", ""),
                ("other/near.h", ""),
            ],
        );
        assert_eq!(
            folder.import_targets("lib/x/src/deep/x.c"),
            [
                "lib/x/include/x.h",
                "lib/x/include/x/api.h",
                "lib/x/src/deep/y.h",
                "other/only/here.h",
                "unresolved: twice.h",
                "lib/x/gen/near.h"
            ]
        );
    }

    #[test]
    fn makefiles_are_asked() {
        let folder = ProjectFixture::new(
            CModules::new,
            &[
                ("Makefile", "DIR = internal/x\nCFLAGS = -Isrc -I$(DIR)\n"),
                ("src/a/a.c", "#include \"arena.h\"\n"),
                ("src/b/arena.h", ""),
                ("internal/x/arena.h", ""),
            ],
        );
        assert_eq!(folder.import_targets("src/a/a.c"), ["internal/x/arena.h"]);
    }

    #[test]
    fn the_compilation_database_is_asked() {
        let folder = ProjectFixture::new(
            CModules::new,
            &[
                ("a/main.c", "#include \"twice.h\"\n#include <sys.h>\n"),
                ("b/main.c", "#include \"twice.h\"\n"),
                ("one/twice.h", "#include \"twice_more.h\"\n"),
                ("two/twice.h", ""),
                ("two/twice_more.h", ""),
                ("other/twice_more.h", ""),
                ("sys/sys.h", ""),
                (
                    "build/compile_commands.json",
                    r#"[{"directory": "/elsewhere/p/build", "command": "cc -I../one -isystem ../sys -DX='a b' -c ../a/main.c", "file": "../a/main.c"},
                    {"directory": "/elsewhere/p/build", "arguments": ["cc", "-I", "/elsewhere/p/two", "-c", "../b/main.c"], "file": "/elsewhere/p/b/main.c"}]"#,
                ),
            ],
        );
        assert_eq!(folder.import_targets("a/main.c"), ["one/twice.h", "sys/sys.h"]);
        assert_eq!(folder.import_targets("b/main.c"), ["two/twice.h"]);
        // A header has no compiler call of its own, so the include folders of all files apply to it.
        assert_eq!(folder.import_targets("one/twice.h"), ["two/twice_more.h"]);
    }
}
