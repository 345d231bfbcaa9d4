//! What a module gives under a name, and where imports lead.

use std::collections::BTreeMap;

use peelback_syntax::names::{BindingKind, Exported, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, ScopeKind};

use super::{Def, Meaning, Referent, Resolver, Walk};
use crate::modules::{Destination, Family, FileId, Module};

/// How many declaration files are asked for the modules that they declare.
const MAX_DECLARING: usize = 200;

impl Resolver<'_> {
    /// What a definition means: itself, or what it imports.
    pub(super) fn follow(&self, def: Def, walk: &mut Walk) -> Meaning {
        let Some(binding) = self.binding(def) else { return Meaning::default() };
        match binding.import {
            Some((import, name)) if binding.kind == BindingKind::Import => {
                walk.deeper(|walk| self.imported(def.file, import, name, walk))
            }
            _ => Meaning::of(vec![Referent::Def(def)], true),
        }
    }

    /// What an import leads to: its source as a module, or the name `name` of it.
    pub(super) fn imported(
        &self,
        file: FileId,
        import: ModuleImportId,
        name: Option<NameId>,
        walk: &mut Walk,
    ) -> Meaning {
        let Some(names) = self.names(file) else { return Meaning::default() };
        let Some(found) = names.imports.get(import as usize) else { return Meaning::default() };
        let Some(modules) = self.modules(file) else { return Meaning::default() };
        if let Some(module) = self.ambient(file, names.text(found.source)) {
            let given = match name {
                Some(name) => walk.deeper(|walk| self.given(&module, names.text(name), walk)),
                None => Meaning::of(vec![Referent::Module(module)], true),
            };
            if !given.is_empty() {
                return given;
            }
        }
        let is_path = self.family(file) == Some(Family::Rust) && found.kind != ModuleImportKind::Module;
        let source = if is_path {
            self.path(file, import, walk)
        } else {
            match modules.destination(self.project_index(), file, names, found) {
                Destination::Module(module) => Meaning::of(vec![Referent::Module(module)], true),
                Destination::External(_) => Meaning::external(),
                Destination::Unresolved(_) => Meaning::default(),
            }
        };
        let Some(name) = name else { return source };
        let text = names.text(name);
        let mut meaning = Meaning::default();
        for referent in &source.referents {
            let mut found = self.part(referent, text, walk);
            found.sure &= source.sure;
            found.partial |= source.partial;
            meaning.add(found);
        }
        meaning
    }

    /// The module that a declaration file declares by its name (`declare module "x" { … }`), as TypeScript looks first.
    fn ambient(&self, from: FileId, source: &str) -> Option<Module> {
        if self.family(from) != Some(Family::JavaScript) || source.starts_with(['.', '/']) {
            return None;
        }
        let known = self.ambient.get_or_init(|| {
            let files = self.project_index().files();
            let entries = (0..).zip(files.entries());
            let declaring = entries.filter(|(_, entry)| {
                let name = entry.name();
                [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| name.ends_with(ending))
            });
            let mut known = BTreeMap::new();
            for (file, _) in declaring.take(MAX_DECLARING) {
                let Some(names) = self.names(file) else { continue };
                for import in names.imports.iter().filter(|import| import.kind == ModuleImportKind::Mention) {
                    let scope = names.scopes.get(import.scope as usize);
                    if scope.is_some_and(|scope| scope.kind == ScopeKind::Module && scope.owner.is_none()) {
                        known.entry(names.text(import.source).into()).or_insert(Module::Scope(file, import.scope));
                    }
                }
            }
            known
        });
        known.get(source).cloned()
    }

    /// The name `text` inside what a path has led to so far.
    fn part(&self, referent: &Referent, text: &str, walk: &mut Walk) -> Meaning {
        match referent {
            Referent::Module(module) => walk.deeper(|walk| self.given(module, text, walk)),
            Referent::Def(def) => walk.deeper(|walk| self.type_member(*def, text, walk)),
            Referent::Value(file, expr) => {
                let values = self.value(*file, *expr, walk);
                let mut meaning = Meaning::default();
                for value in &values.list {
                    meaning.add(self.member_of(value, text, walk));
                }
                meaning.sure &= values.sure;
                meaning.partial |= values.partial;
                meaning
            }
            Referent::External => Meaning::external(),
        }
    }

    /// An import whose source is a path of names (`crate::a::B`), each looked up in the one before it.
    fn path(&self, file: FileId, import: ModuleImportId, walk: &mut Walk) -> Meaning {
        let Some(indexed) = self.file(file) else { return Meaning::default() };
        let Some(import) = indexed.names().imports.get(import as usize) else { return Meaning::default() };
        let mut segments = indexed.names().text(import.source).split("::").filter(|segment| !segment.is_empty());
        let Some(first) = segments.next() else { return Meaning::default() };
        let mut meaning = walk.deeper(|walk| self.first_segment(file, import.scope, first, walk));
        for segment in segments {
            let mut next = Meaning::default();
            for referent in &meaning.referents {
                next.add(match (segment, referent) {
                    ("self", _) => Meaning::of(vec![referent.clone()], true),
                    ("super", Referent::Module(Module::File(inside))) => self.beginning(*inside, FILE_SCOPE, "super"),
                    ("super", Referent::Module(Module::Scope(inside, scope))) => {
                        self.beginning(*inside, *scope, "super")
                    }
                    _ => self.part(referent, segment, walk),
                });
            }
            meaning = next;
        }
        meaning
    }

    fn beginning(&self, file: FileId, scope: u32, text: &str) -> Meaning {
        let module = self.modules(file).and_then(|modules| modules.beginning(self.project_index(), file, scope, text));
        module.map_or_else(Meaning::default, |module| Meaning::of(vec![Referent::Module(module)], true))
    }

    fn first_segment(&self, file: FileId, scope: u32, text: &str, walk: &mut Walk) -> Meaning {
        let keyword = matches!(text, "crate" | "self" | "super");
        if keyword {
            return self.beginning(file, scope, text);
        }
        let Some(indexed) = self.file(file) else { return Meaning::default() };
        // A module does not see what is around it.
        let around = |scope| if indexed.kind(scope) == ScopeKind::Module { None } else { indexed.parent(scope) };
        let mut next = Some(scope);
        // An item beside the `use`, unless it is what that very `use` binds.
        while let Some(here) = next {
            for binding in indexed.bound_text(here, text) {
                let bound = indexed.binding(*binding);
                let itself = bound.import.is_some_and(|(import, _)| {
                    indexed
                        .names()
                        .imports
                        .get(import as usize)
                        .is_some_and(|import| import.kind != ModuleImportKind::Module)
                });
                if bound.visible_from == 0 && !itself {
                    return self.follow(Def { file, binding: *binding }, walk);
                }
            }
            next = around(here);
        }
        let begun = self.beginning(file, scope, text);
        if !begun.is_empty() {
            return begun;
        }
        // A path may begin with what another `use` binds.
        let mut next = Some(scope);
        while let Some(here) = next {
            if let Some(binding) = indexed.bound_text(here, text).first() {
                return self.follow(Def { file, binding: *binding }, walk);
            }
            next = around(here);
        }
        Meaning::external()
    }

    /// Whether an import of everything takes `text` of a module.
    pub(super) fn starred(&self, module: &Module, text: &str) -> bool {
        let Module::File(file) = module else { return true };
        if self.family(*file) != Some(Family::Python) {
            return true;
        }
        let Some(names) = self.names(*file) else { return true };
        match &names.star {
            Some(star) => star.iter().any(|name| names.text(*name) == text),
            None => !text.starts_with('_'),
        }
    }

    /// What a module gives under a name. Re-exports are followed.
    pub(super) fn given(&self, module: &Module, text: &str, walk: &mut Walk) -> Meaning {
        let key = (module.clone(), Box::from(text));
        if let Some(known) = self.exported.get(&key) {
            return known;
        }
        // `from . import a` in a package asks for itself first.
        if walk.asked.contains(&key) {
            walk.turn_back();
            return Meaning::default();
        }
        walk.asked.push(key);
        let before = std::mem::replace(&mut walk.cut, false);
        let found = walk.deeper(|walk| match module {
            Module::File(file) => self.given_by_file(*file, text, walk),
            Module::Scope(file, scope) => self.given_by_scope(*file, *scope, text, walk),
            Module::Folder(folder) => self.given_by_folder(module, folder, text, walk),
        });
        if let Some(key) = walk.asked.pop()
            && !walk.cut
        {
            self.exported.put(key, found.clone());
        }
        walk.cut |= before;
        found
    }

    fn given_by_file(&self, file: FileId, text: &str, walk: &mut Walk) -> Meaning {
        let Some(names) = self.names(file) else { return Meaning::default() };
        let mut found = match &names.exports {
            Some(_) => self.exported_by(file, text, walk),
            None => self.given_by_scope(file, FILE_SCOPE, text, walk),
        };
        if found.is_empty()
            && let Some(module) = self
                .modules(file)
                .and_then(|modules| modules.submodule(self.project_index(), &Module::File(file), text))
        {
            found = Meaning::of(vec![Referent::Module(module)], true);
        }
        if found.is_empty() && self.family(file) == Some(Family::Rust) {
            // A macro for all is in the root of its crate, wherever it is written.
            found = self.linkage(file, text);
        }
        found
    }

    fn given_by_scope(&self, file: FileId, scope: u32, text: &str, walk: &mut Walk) -> Meaning {
        let Some(indexed) = self.file(file) else { return Meaning::default() };
        let mut meaning = Meaning::default();
        let bound = indexed.bound_text(scope, text);
        // What a C file takes in stands there as if it were written there.
        let open = self.family(file) == Some(Family::C);
        let first = bound.iter().filter(|id| open || !indexed.binding(**id).private);
        for binding in first {
            meaning.add(self.follow(Def { file, binding: *binding }, walk));
        }
        if (meaning.is_empty() && bound.is_empty()) || self.is_announced(file, &meaning) {
            for import in indexed.globs(scope) {
                let source = self.imported(file, import, None, walk);
                for referent in &source.referents {
                    match referent {
                        Referent::Module(module) if self.starred(module, text) => {
                            meaning.add(self.given(module, text, walk));
                        }
                        Referent::Def(def) => meaning.add(self.type_member(*def, text, walk)),
                        _ => {}
                    }
                }
                if !meaning.is_empty() && !self.is_announced(file, &meaning) {
                    break;
                }
            }
        }
        meaning
    }

    fn given_by_folder(&self, module: &Module, folder: &str, text: &str, walk: &mut Walk) -> Meaning {
        let files: Vec<FileId> = self.project_index().files().children(folder).collect();
        let mut meaning = Meaning::default();
        for file in &files {
            if self.family(*file) == Some(Family::Go) && !self.is_external_test(*file) {
                for def in self.top_level(*file, text) {
                    // Imports hold in their own file alone.
                    if self.binding(def).is_some_and(|binding| binding.kind != BindingKind::Import) {
                        meaning.add(Meaning::of(vec![Referent::Def(def)], true));
                    }
                }
            }
        }
        if meaning.is_empty() {
            let below = self.project_index().files().below(folder);
            let families = below.map(|file| self.family(file)).find(Option::is_some).flatten();
            let modules = families.map(|family| self.families.of(family, self.project_index()));
            if let Some(sub) = modules.and_then(|modules| modules.submodule(self.project_index(), module, text)) {
                meaning = Meaning::of(vec![Referent::Module(sub)], true);
            }
        }
        let _ = walk;
        meaning
    }

    /// Whether a Go file belongs to a package beside the folder's own, which nobody can import.
    fn is_external_test(&self, file: FileId) -> bool {
        let names = self.names(file);
        names.is_some_and(|names| names.package.is_some_and(|package| names.text(package).ends_with("_test")))
    }

    /// What a file that exports name by name gives under a name.
    fn exported_by(&self, file: FileId, text: &str, walk: &mut Walk) -> Meaning {
        let Some(names) = self.names(file) else { return Meaning::default() };
        let exports = names.exports.as_deref().unwrap_or(&[]);
        let mut meaning = Meaning::default();
        for export in exports.iter().filter(|export| names.text(export.name) == text) {
            match export.what {
                Exported::Expr(expr) => {
                    let defined = self.define(file, expr, walk);
                    let known = defined.referents.iter().any(|referent| *referent != Referent::External);
                    meaning.add(if known { defined } else { Meaning::of(vec![Referent::Value(file, expr)], true) });
                }
                Exported::From(import, name) => meaning.add(self.imported(file, import, name, walk)),
                Exported::AllOf(_) | Exported::Module(_) => {}
            }
        }
        if meaning.is_empty() {
            for export in exports {
                match export.what {
                    Exported::AllOf(import) if text != "default" => {
                        let source = self.imported(file, import, None, walk);
                        for referent in &source.referents {
                            if let Referent::Module(module) = referent {
                                meaning.add(self.given(module, text, walk));
                            }
                        }
                    }
                    Exported::Module(expr) if text == "default" => {
                        let defined = self.define(file, expr, walk);
                        let known = defined.referents.iter().any(|referent| *referent != Referent::External);
                        meaning.add(if known { defined } else { Meaning::of(vec![Referent::Value(file, expr)], true) });
                    }
                    Exported::Module(expr) => {
                        meaning.add(self.member_of_expr(file, expr, text, walk));
                    }
                    _ => {}
                }
            }
        }
        meaning
    }

    /// The value of a whole module, where it is one: what `module.exports = …` says.
    pub(super) fn module_value(&self, module: &Module) -> Option<(FileId, u32)> {
        let Module::File(file) = module else { return None };
        let exports = self.names(*file)?.exports.as_deref()?;
        exports.iter().rev().find_map(|export| match export.what {
            Exported::Module(expr) => Some((*file, expr)),
            _ => None,
        })
    }

    /// What a name without a binding in sight means to the linker: its declarations in all files of the project, which
    /// the search for references finds and says ([`Resolver::import`]). Macros of Rust hold without an import, too.
    pub(super) fn linkage(&self, file: FileId, text: &str) -> Meaning {
        if !matches!(self.family(file), Some(Family::C | Family::Rust)) {
            return Meaning::default();
        }
        let known = self.linked_names.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let defs = known.get(text).map(|defs| defs.iter().map(|def| Referent::Def(*def)).collect());
        defs.map_or_else(Meaning::default, |defs| Meaning::of(defs, true))
    }
}
