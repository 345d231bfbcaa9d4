//! What a bare name means.

use peelback_syntax::names::{BindingId, BindingKind, FILE_SCOPE, NameId, ScopeId, ScopeKind};

use super::{Def, Indexed, Meaning, Referent, Resolver, Walk};
use crate::modules::{Family, FileId};

impl Resolver<'_> {
    /// What `name` means where it is used at byte `at`, sought from `scope` outwards. An import is followed.
    pub(super) fn look_up(&self, file: FileId, scope: ScopeId, name: NameId, at: u32, walk: &mut Walk) -> Meaning {
        let Some(indexed) = self.file(file) else { return Meaning::default() };
        let text = indexed.names().text(name);
        let mut unknown_glob = false;
        let mut announced = Meaning::default();
        let mut next = Some(scope);
        while let Some(here) = next {
            if here == scope || indexed.kind(here) != ScopeKind::Type {
                let found = visible(indexed, indexed.bound(here, name), at);
                if !found.is_empty() {
                    let mut meaning = Meaning::default();
                    for binding in found {
                        meaning.add(self.follow(Def { file, binding }, walk));
                    }
                    if !self.is_announced(file, &meaning) {
                        return meaning;
                    }
                    announced = meaning;
                }
                for import in indexed.globs(here) {
                    let found = self.everything_of(file, import, text, &mut unknown_glob, walk);
                    if self.is_announced(file, &found) {
                        announced.add(found);
                    } else if !found.is_empty() {
                        announced.add(found);
                        return announced;
                    }
                }
            }
            // A module of Rust does not see what is around it.
            let closed = indexed.kind(here) == ScopeKind::Module && self.family(file) == Some(Family::Rust);
            next = if closed { None } else { indexed.parent(here) };
        }
        if !announced.is_empty() {
            announced.add(self.linkage(file, text));
            return announced;
        }
        let Some(modules) = self.modules(file) else { return Meaning::default() };
        for module in modules.implicit(self.project_index(), file) {
            let found = self.given(&module, text, walk);
            if !found.is_empty() {
                return found;
            }
        }
        if let Some(module) = modules.beginning(self.project_index(), file, scope, text) {
            return Meaning::of(vec![Referent::Module(module)], true);
        }
        let imported = self.linkage(file, text);
        if !imported.is_empty() || unknown_glob {
            return imported;
        }
        Meaning::external()
    }

    /// Whether a file defines a macro of this name, or includes one that does.
    pub fn is_macro(&self, file: FileId, name: NameId) -> bool {
        let meaning = self.look_up(file, FILE_SCOPE, name, u32::MAX, &mut Walk::new());
        meaning.referents.iter().any(|referent| match referent {
            Referent::Def(def) => self.binding(*def).is_some_and(|binding| binding.kind == BindingKind::Macro),
            _ => false,
        })
    }

    /// Whether all that a name leads to are announcements of C types (`struct node;`), whose definitions may stand
    /// elsewhere.
    pub(super) fn is_announced(&self, file: FileId, meaning: &Meaning) -> bool {
        let announces = |referent: &Referent| match referent {
            Referent::Def(def) => {
                self.binding(*def).is_some_and(|binding| binding.kind == BindingKind::Type && binding.body.is_none())
            }
            _ => false,
        };
        !meaning.is_empty() && self.family(file) == Some(Family::C) && meaning.referents.iter().all(announces)
    }

    /// What an import of everything gives under a name; `unknown` is set where its source is not understood.
    fn everything_of(&self, file: FileId, import: u32, text: &str, unknown: &mut bool, walk: &mut Walk) -> Meaning {
        let source = self.imported(file, import, None, walk);
        if source.is_empty() {
            *unknown = true;
        }
        let mut found = Meaning::default();
        for referent in &source.referents {
            match referent {
                Referent::Module(module) if self.starred(module, text) => {
                    found.add(walk.deeper(|walk| self.given(module, text, walk)));
                }
                // `use Enum::*`.
                Referent::Def(def) => found.add(self.type_member(*def, text, walk)),
                // A package's names are not known: any name may be its own.
                Referent::External => *unknown = true,
                _ => {}
            }
        }
        found
    }

    /// The bindings of the file's own scope, which is where a search from outside begins.
    pub(super) fn top_level(&self, file: FileId, text: &str) -> Vec<Def> {
        let Some(indexed) = self.file(file) else { return Vec::new() };
        indexed.bound_text(FILE_SCOPE, text).iter().map(|binding| Def { file, binding: *binding }).collect()
    }
}

/// Those of the bindings of one name in one scope that hold at byte `at`: all that hold everywhere, or the last
/// sequential one before it.
fn visible(indexed: &Indexed, bound: &[BindingId], at: u32) -> Vec<BindingId> {
    match bound {
        [] => return Vec::new(),
        [one] if indexed.binding(*one).visible_from <= at => return vec![*one],
        _ => {}
    }
    let from = |id: &&BindingId| indexed.binding(**id).visible_from;
    let last = bound.iter().filter(|id| (1..=at).contains(&from(id))).max_by_key(from);
    if let Some(last) = last {
        return vec![*last];
    }
    let everywhere: Vec<BindingId> = bound.iter().copied().filter(|id| from(&id) == 0).collect();
    // A name that is imported and bound again (`try: import x` … `except: x = None`) means the import first.
    let imports = everywhere.iter().any(|id| indexed.binding(*id).kind == BindingKind::Import);
    let others = everywhere.iter().any(|id| indexed.binding(*id).kind != BindingKind::Import);
    if imports && others {
        let (mut first, second): (Vec<_>, Vec<_>) =
            everywhere.into_iter().partition(|id| indexed.binding(*id).kind == BindingKind::Import);
        first.extend(second);
        return first;
    }
    everywhere
}
