//! A snapshot of the project's files as the index in which names are resolved.

use std::sync::{Arc, OnceLock};

use peelback_project::{AttachedValue, FileId, FileTable, NamesInFile, Snapshot};
use peelback_syntax::{Language, Names};

use crate::languages;
use crate::modules::ProjectIndex;
use crate::resolve::index::NamesIndex;
use crate::semantics::ModuleResolvers;

impl AttachedValue for ModuleResolvers {}

/// Gives the module resolvers that a snapshot of the project keeps while it is valid.
pub(crate) trait ResolvingSnapshot {
    /// The module resolvers of all languages.
    fn module_resolvers(&self) -> &ModuleResolvers;
}

impl ResolvingSnapshot for Snapshot {
    fn module_resolvers(&self) -> &ModuleResolvers {
        self.attached_values().get_or_init(languages::new_module_resolvers)
    }
}

/// The index of the names in one file, cached with the names.
#[derive(Default)]
struct IndexSlot(OnceLock<Arc<NamesIndex>>);

impl AttachedValue for IndexSlot {}

fn cached_names_index(names: &NamesInFile) -> Arc<NamesIndex> {
    let slot = names.extensions.get_or_init(IndexSlot::default);
    slot.0.get_or_init(|| Arc::new(NamesIndex::new(names.names.clone()))).clone()
}

impl ProjectIndex for Snapshot {
    fn project_file_table(&self) -> &FileTable {
        self.file_table()
    }

    fn names_of_file(&self, file: FileId) -> Option<Arc<Names>> {
        self.names_if_parsable(file)
    }

    fn language_of_project_file(&self, file: FileId) -> Option<&'static Language> {
        let name = self.file_table().entry(file).name();
        // The text of a file tells which of the languages it is in that share its extension.
        if peelback_syntax::language::possible_languages_of_file_name(name).nth(1).is_some()
            && let Ok(code) = self.code_file_identity(file)
        {
            return Some(code.language);
        }
        self.language_of_file(file)
    }

    fn may_file_contain_name(&self, file: FileId, word: &str) -> bool {
        self.can_contain_name(file, word)
    }

    fn may_text_contain_word(&self, file: FileId, word: &str) -> bool {
        self.can_contain_word(file, word)
    }

    fn names_index_of_file(&self, file: FileId) -> Option<Arc<NamesIndex>> {
        self.names_in_file(file).ok().map(|names| cached_names_index(names))
    }
}
