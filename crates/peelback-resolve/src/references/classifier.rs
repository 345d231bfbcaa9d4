//! What each occurrence of a name means: one of the symbols sought, something else, or nothing that is known.

use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use std::collections::{BTreeSet, HashMap};

use peelback_syntax::names::{BindingKind, NameId, Names, Occurrence, Role, ScopeKind, Target};

use super::aliases::Aliases;
use super::conditional_code::ConditionalCode;
use super::scan::{Hits, Scan, Words};
use super::target::SearchTarget;
use super::{Confidence, Search};
use crate::modules::{FileId, Module};

/// One use.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub at: u32,
    pub line: u32,
    pub role: Role,
    pub confidence: Confidence,
    /// Whether only some builds compile it.
    pub some_builds: bool,
    pub target: usize,
}

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub(super) struct FileReferences {
    pub uses: Vec<Use>,
    /// Names in strings and comments: first byte and line.
    pub in_text: Vec<(u32, u32)>,
}

/// What all files together say, before each is judged.
pub(super) struct ReferenceClassifier<'a> {
    search: &'a Search<'a>,
    targets: &'a [SearchTarget],
    words: &'a Words,
    aliases: &'a Aliases,
    scan: &'a Scan,
    /// Which goal a definition is one with.
    by_def: HashMap<Def, usize>,
    /// For each goal, whether it and what it overrides are the only members of its name.
    only: Vec<bool>,
}

impl<'a> ReferenceClassifier<'a> {
    pub fn new(
        search: &'a Search<'a>,
        targets: &'a [SearchTarget],
        words: &'a Words,
        aliases: &'a Aliases,
        scan: &'a Scan,
    ) -> Self {
        let only = targets.iter().map(|target| is_only_member(search, target, scan)).collect();
        let mut by_def = HashMap::new();
        for (at, target) in targets.iter().enumerate() {
            for def in &target.all {
                by_def.entry(*def).or_insert(at);
            }
        }
        Self { search, targets, words, aliases, scan, by_def, only }
    }

    /// The uses in a file; `None` where it holds none.
    pub fn classify_file(&self, file: FileId) -> Option<FileReferences> {
        let names = self.search.resolver.names(file)?;
        let hits = self.scan.hits(file)?;
        let mut sought: BTreeSet<NameId> = self.words.iter().filter_map(|word| names.id_of(word)).collect();
        sought.extend(self.aliases.of(file));
        let mut found_references = FileReferences::default();
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let some_builds = ConditionalCode::of(self.search.resolver, file, names);
        for occurrence in names.occurrences.iter().filter(|occurrence| sought.contains(&occurrence.name)) {
            known.insert(occurrence.at);
            if let Some((target, confidence)) = self.classify_occurrence(file, names, occurrence) {
                let Occurrence { at, line, .. } = *occurrence;
                let some_builds = some_builds.have(line);
                let found = Use { at, line, role: effective_role(names, occurrence), confidence, some_builds, target };
                match found_references.uses.last_mut() {
                    // `a as b` in an import is one use: the other name is the importing file's.
                    Some(last) if is_import_alias(occurrence) && is_same_import(last, &found) => {}
                    // One token that is two occurrences: the surer one.
                    Some(last) if last.at == found.at => {
                        if found.confidence < last.confidence {
                            *last = found;
                        }
                    }
                    _ => found_references.uses.push(found),
                }
            }
        }
        if self.search.text {
            found_references.in_text = text_occurrences(hits, &known, self.targets);
        }
        (!found_references.uses.is_empty() || !found_references.in_text.is_empty()).then_some(found_references)
    }

    /// Which goal an occurrence means, and how surely; `None` where it means something else, or is the definition.
    fn classify_occurrence(&self, file: FileId, names: &Names, occurrence: &Occurrence) -> Option<(usize, Confidence)> {
        let text = names.text(occurrence.name);
        if let Target::Binding(binding) = occurrence.target {
            let def = Def { file, binding };
            let kind = names.bindings.get(binding as usize).map(|binding| binding.kind);
            if kind != Some(BindingKind::Import) {
                let canonical = self.search.resolver.canonical(def);
                let original = self.search.resolver.resolve_forwarding(def);
                if let Some(target) = self.by_def.get(&original).copied() {
                    // The symbol's own name is no use of it; another declaration of the same thing is worth a row. What
                    // passes it on stands beside a use of it.
                    let declares = original == canonical && self.targets[target].own != Some(def);
                    return declares.then_some((target, Confidence::Resolved));
                }
                let target = self.related_target(canonical)?;
                // To a type checker of structural types all of them declare one member. In Go none of them says which
                // interface it is for.
                let semantics = self.targets.get(target)?.semantics();
                let declares = semantics.overriding_definition_is_reference();
                return declares.then_some((target, Confidence::Resolved));
            }
        }
        let resolver = self.search.resolver;
        let resolution = resolver.resolve_occurrence(file, occurrence);
        // What may be something unknown as well is not sure.
        let is_sure = resolution.sure && !resolution.partial;
        let mut best: Option<(usize, Confidence)> = None;
        for referent in &resolution.referents {
            let Some(target) = self.target_index(referent) else { continue };
            let confidence =
                if is_sure && resolution.referents.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            let sure = is_sure
                && (self.mean_one_target(&resolution.referents, target)
                    || self.are_alternatives(file, &resolution.referents));
            let confidence = if sure { Confidence::Resolved } else { confidence };
            if best.is_none_or(|(_, known)| confidence < known) {
                best = Some((target, confidence));
            }
        }
        if best.is_some() {
            return best;
        }
        if self.search.calls && occurrence.role == Role::Call && !resolution.is_empty() {
            let (held, sure) = resolver.callable_definitions(&resolution);
            let confidence = if sure && held.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            if let Some(target) = self.search.called_target(self.targets, &held) {
                return Some((target, confidence));
            }
        }
        // Something else, and that is known.
        if !resolution.is_empty() && !resolution.partial {
            return None;
        }
        let target = self.targets.iter().position(|target| target.name == text && self.can_use_target(target, file))?;
        let is_member = matches!(occurrence.target, Target::Expr(expr)
            if matches!(names.expr(expr), peelback_syntax::names::Expr::Member { .. }));
        let found = self.targets.get(target)?;
        if resolution.is_empty() && is_member && found.is_member && self.only.get(target) == Some(&true) {
            return self.can_have_role(found, occurrence.role).then_some((target, Confidence::Likely));
        }
        // A bare name never means a member, and a parameter's name is the function's own business.
        let bare = matches!(occurrence.target, Target::Expr(_)) && !is_member;
        if (bare && found.is_member) || matches!(occurrence.target, Target::Parameter { .. }) {
            return None;
        }
        Some((target, Confidence::Name))
    }

    /// Whether what has this role can be the member that is sought: in Rust a call is never one of a field.
    fn can_have_role(&self, target: &SearchTarget, role: Role) -> bool {
        if !target.semantics().separates_fields_from_methods() {
            return true;
        }
        match target.def.and_then(|def| kind_of(self.search, def)) {
            Some(BindingKind::Function) => matches!(role, Role::Call | Role::Read),
            Some(BindingKind::Field) => matches!(role, Role::Member | Role::Read | Role::Write),
            _ => true,
        }
    }

    fn can_use_target(&self, target: &SearchTarget, file: FileId) -> bool {
        match target.semantics {
            Some(semantics) => {
                let names = self.search.snapshot.file_names(file);
                names.is_ok_and(|names| semantics.can_be_used_from(names.language.name))
            }
            None => true,
        }
    }

    /// Whether all that a name leads to is one goal.
    fn mean_one_target(&self, referents: &[Referent], target: usize) -> bool {
        referents.iter().all(|referent| self.target_index(referent) == Some(target))
    }

    /// Whether what a name leads to are definitions of which one is compiled: nothing else gives a name of Rust two
    /// meanings, but for the members that several traits give to one type.
    fn are_alternatives(&self, file: FileId, referents: &[Referent]) -> bool {
        if !self.search.resolver.semantics(file).several_definitions_are_alternatives() {
            return false;
        }
        let mut holders = BTreeSet::new();
        referents.iter().all(|referent| match referent {
            Referent::Def(def) => {
                let holder = self.search.resolver.owner_type(*def, &mut EvaluationBudget::new());
                holder.is_none_or(|holder| holders.insert(holder))
            }
            // A module and a function may have one name.
            Referent::Module(_) => true,
            _ => false,
        })
    }

    fn target_index(&self, referent: &Referent) -> Option<usize> {
        let resolver = self.search.resolver;
        let def = match referent {
            Referent::Def(def) => def,
            // The module is, as a whole, what is sought: `module.exports = f`.
            Referent::Module(Module::File(file)) => {
                let means = |target: &SearchTarget, referent: &Referent| match referent {
                    Referent::Def(def) => target.all.contains(&resolver.resolve_forwarding(*def)),
                    _ => false,
                };
                return self.targets.iter().position(|target| {
                    target.semantics().modules_can_be_values()
                        && resolver.module_value_matches(*file, |found| means(target, found))
                });
            }
            _ => return None,
        };
        let canonical = resolver.resolve_forwarding(*def);
        let exact = self.by_def.get(&canonical).copied();
        exact
            .or_else(|| {
                // In Rust what implements a member of a trait is a use of it, and so is what uses that.
                self.targets.iter().position(|target| {
                    target.is_member
                        && target.semantics().implementing_member_is_reference()
                        && target
                            .def
                            .is_some_and(|own| resolver.implements_member(canonical, own, &mut EvaluationBudget::new()))
                })
            })
            .or_else(|| self.related_target(canonical))
    }

    /// The goal that has something in common with a member: that it overrides, that overrides it, or whose base it has
    /// too. A type checker takes them for one in languages of structural types.
    fn related_target(&self, member: Def) -> Option<usize> {
        self.targets.iter().position(|target| {
            target.is_member
                && target.semantics().overriding_members_are_one()
                && target.def.is_some_and(|own| self.is_same_member(own, member))
        })
    }

    fn is_same_member(&self, one: Def, other: Def) -> bool {
        let name = |def: Def| {
            let names = self.search.resolver.names(def.file)?;
            Some(names.text(names.bindings.get(def.binding as usize)?.name).to_owned())
        };
        name(one) == name(other) && are_related(self.search, one, other)
    }

    /// The lines of a file that were not understood and hold a name that is sought, in words.
    pub fn missed_line_note(&self, file: FileId, found_references: Option<&FileReferences>) -> Option<String> {
        let names = self.search.resolver.names(file)?;
        if names.missed.is_empty() {
            return None;
        }
        // What the parser made of a broken region may be anything: only what is a use in spite of it counts, and a name
        // alone is none.
        let uses = found_references.into_iter().flat_map(|found_references| &found_references.uses);
        let used: BTreeSet<u32> =
            uses.filter(|found| found.confidence != Confidence::Name).map(|found| found.at).collect();
        let hits = self.scan.hits(file)?;
        let lost = hits.entries.iter().find(|(at, (line, _))| {
            !used.contains(at) && names.missed.iter().any(|(first, last)| (*first..=*last).contains(line))
        });
        lost.map(|(_, (line, _))| format!("not understood where it holds the name (line {line})"))
    }
}

/// Whether an occurrence is the name under which a file knows what it imports.
fn is_import_alias(occurrence: &Occurrence) -> bool {
    occurrence.role == Role::Import && matches!(occurrence.target, Target::Binding(_))
}

/// Whether two uses stand beside each other in an import of the same thing.
fn is_same_import(before: &Use, found: &Use) -> bool {
    before.role == Role::Import && before.line == found.line && before.target == found.target
}

/// The role of an occurrence: a variable that is bound again is written.
fn effective_role(names: &Names, occurrence: &Occurrence) -> Role {
    let Target::Binding(binding) = occurrence.target else { return occurrence.role };
    match names.bindings.get(binding as usize).map(|binding| binding.kind) {
        Some(BindingKind::Field | BindingKind::Variable) if occurrence.role == Role::Definition => Role::Write,
        _ => occurrence.role,
    }
}

/// Places of a goal's own name that no occurrence stands at.
fn text_occurrences(hits: &Hits, known: &BTreeSet<u32>, targets: &[SearchTarget]) -> Vec<(u32, u32)> {
    let own = |len: u32| targets.iter().any(|target| target.name.len() == len as usize);
    let free = hits.entries.iter().filter(|(at, (_, len))| !known.contains(at) && own(*len));
    free.map(|(at, (line, _))| (*at, *line)).collect()
}

/// Whether a member and those that it overrides, or that override it, are the only ones of their name, so that what has
/// a member of that name likely means it. Names that the types of the language itself have tell nothing.
fn is_only_member(search: &Search<'_>, target: &SearchTarget, scan: &Scan) -> bool {
    let (Some(own), true, Some(semantics)) = (target.def, target.is_member, target.semantics) else { return false };
    if semantics.is_builtin_member(&target.name) {
        return false;
    }
    for file in scan.files() {
        let Some(names) = search.resolver.names(file) else { continue };
        let Some(name) = names.id_of(&target.name) else { continue };
        for (id, binding) in (0..).zip(&names.bindings) {
            let member = names.scopes.get(binding.scope as usize).is_some_and(|scope| scope.kind == ScopeKind::Type);
            if binding.name != name || !member {
                continue;
            }
            let def = search.resolver.resolve_forwarding(Def { file, binding: id });
            // In Rust what is called is no field, and what is not is no method.
            let apart = semantics.separates_fields_from_methods()
                && is_function(kind_of(search, own)) != is_function(Some(binding.kind));
            if !apart && !target.all.contains(&def) && !are_related(search, own, def) {
                return false;
            }
        }
    }
    true
}

fn kind_of(search: &Search<'_>, def: Def) -> Option<BindingKind> {
    search.resolver.names(def.file)?.bindings.get(def.binding as usize).map(|binding| binding.kind)
}

fn is_function(kind: Option<BindingKind>) -> bool {
    kind == Some(BindingKind::Function)
}

/// Whether a use of one of two members of one name may mean the other.
fn are_related(search: &Search<'_>, one: Def, other: Def) -> bool {
    let semantics = search.resolver.semantics(one.file);
    semantics.are_related_members(search.resolver, one, other, &mut EvaluationBudget::new())
}
