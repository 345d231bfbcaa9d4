//! The uses of symbols: names resolved, not just matched.
//!
//! 1. `scan.rs` reads every file that is not known to lack them and notes the lines that hold a name that the symbol
//!    goes by.
//! 2. `aliases.rs` finds the names that it goes by elsewhere (imports and exports under another name), until no new
//!    one comes.
//! 3. `classifier.rs` asks the resolver what each occurrence of such a name means.
//!
//! `relations.rs` goes on from there to callers and callees, `implementations.rs` to what derives from a definition;
//! `outlined.rs` knows what the outline calls a definition.

mod aliases;
mod classifier;
mod conditional_code;
mod implementations;
mod linkage;
mod outlined;
mod relations;
mod scan;
mod shown;
mod target;

use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use peelback_project::{CodeError, Completeness, Evidence, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, FILE_SCOPE, Names, Role, ScopeId, ScopeKind};
use peelback_syntax::{Facts, Symbol};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::analyzer::ProjectAnalyzer;
use crate::modules::{Destination, FileId};
use crate::snapshot_index::ResolvingSnapshot as _;
use aliases::Aliases;
use classifier::{FileReferences, ReferenceClassifier, Use};
use scan::{Scan, Words};
use target::SearchTarget;

/// How sure it is that a reference means its symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A chain of bindings leads to the definition.
    Resolved,
    /// The receiver's type was inferred.
    Likely,
    /// Only the name is the same.
    Name,
}

impl Confidence {
    /// Every level, the surest first.
    pub const ALL: &[Self] = &[Self::Resolved, Self::Likely, Self::Name];

    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Likely => "likely",
            Self::Name => "name",
        }
    }
}

/// A symbol whose uses are sought: one that an outline of its file gave.
#[derive(Debug, Clone)]
pub struct SymbolQuery {
    /// Its file, from the root.
    pub path: String,
    /// The symbol.
    pub symbol: Symbol,
}

/// What is sought, and where.
#[derive(Debug, Clone, Default)]
pub struct ReferenceQuery {
    /// The symbols.
    pub symbols: Vec<SymbolQuery>,
    /// Files, folders or globs in which uses count; everywhere where it is empty.
    pub scope: Vec<String>,
    /// Names in strings and comments too, as [`Confidence::Name`] without a role.
    pub text: bool,
    /// How what is sought is related to the symbols.
    pub relation: Relation,
    /// How many steps calls are followed, at least 1.
    pub depth: u32,
}

/// How what is sought is related to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// Its uses.
    #[default]
    Uses,
    /// The calls of it, and of the functions in which those stand, to a depth.
    Callers,
    /// The calls inside it, and inside the functions that it calls, to a depth. Calls of what is not of the project
    /// are left out.
    Callees,
    /// The types that extend or implement it, or the members that override or implement it.
    Implementations,
}

/// One use of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The file, from the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The name's first byte in the file.
    pub at: u32,
    /// The column of the name's first character, from 1, in characters; 0 until [`ProjectAnalyzer::show`] was asked.
    pub column: u32,
    /// That one line; empty until [`ProjectAnalyzer::show`] was asked.
    pub context: String,
    /// The part that the name plays; `None` in strings and comments.
    pub role: Option<Role>,
    /// The qualified name of the definition in which it stands; empty at the file's top level.
    pub enclosing: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether only builds that define a macro compile the line (C): in others it is no use.
    pub some_builds: bool,
    /// Which of the symbols it belongs to, from 0; the first where only the name is the same.
    pub symbol: usize,
    /// How many steps it is away, from 1.
    pub depth: u32,
    /// The function that is called, where that is not the symbol; what implements it. `None` where the outline does
    /// not have it.
    pub other: Option<Endpoint>,
}

/// A definition at the other end of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its file, from the root.
    pub path: String,
    /// Its qualified name, as its outline tells it from others.
    pub qualified_name: String,
}

/// All uses that were found.
#[derive(Debug, Clone)]
pub struct References {
    /// In the order of paths and places.
    pub references: Vec<Reference>,
    /// How far they can be trusted.
    pub evidence: Evidence,
}

/// The most steps that calls are followed.
const MAX_DEPTH: u32 = 10;

impl ProjectAnalyzer {
    /// The uses of symbols by the project's own name resolution.
    pub fn resolved_references(&self, query: &ReferenceQuery) -> Result<References, CodeError> {
        let snapshot = self.snapshot()?;
        let snapshot: &Snapshot = &snapshot;
        let resolver = Resolver::new(snapshot, snapshot.module_resolvers());
        let mut evidence = Evidence::complete("syntax");
        for skipped in snapshot.skipped() {
            evidence.skip(&skipped.path, skipped.reason.clone());
        }
        let mut targets = Vec::with_capacity(query.symbols.len());
        for sought in &query.symbols {
            let origin = targets.len();
            targets.push(SearchTarget { origin, ..target(snapshot, &resolver, sought)? });
        }
        let scope = match query.scope.as_slice() {
            [] => None,
            scopes => {
                let set = self.project().files_of(scopes, &peelback_project::WalkOptions::default())?;
                let unseen = set.entries.iter().filter(|entry| snapshot.files().id(&entry.path).is_none()).count();
                if unseen > 0 {
                    evidence
                        .note(format!("{unseen} of the files in scope are ignored or hidden: they were not searched"));
                    evidence.weaken(Completeness::LowerBound);
                }
                Some(set.entries.into_iter().map(|entry| entry.path).collect::<BTreeSet<String>>())
            }
        };
        let search = Search {
            access: self,
            snapshot,
            resolver: &resolver,
            text: query.text && query.relation == Relation::Uses,
            outlines: Mutex::default(),
            calls: query.relation == Relation::Callers,
        };
        let depth = query.depth.clamp(1, MAX_DEPTH);
        if query.depth > MAX_DEPTH {
            evidence.note(format!("calls were followed {MAX_DEPTH} steps"));
        }
        let unknown: Vec<String> =
            targets.iter().filter(|target| target.def.is_none()).map(|target| search.id(target)).collect();
        if query.relation != Relation::Uses && !unknown.is_empty() {
            evidence.note(format!("not resolved: {}", few(&unknown)));
            evidence.weaken(Completeness::Unknown);
        }
        let mut references: Vec<Reference> = match query.relation {
            Relation::Uses => {
                let found = search.run(&mut targets, &mut evidence);
                found
                    .into_par_iter()
                    .flat_map_iter(|(file, found_references)| search.rows(file, found_references))
                    .collect()
            }
            Relation::Callers => search.callers(targets, depth, &mut evidence),
            Relation::Callees => search.callable_definitions(targets, depth, &mut evidence),
            Relation::Implementations => search.implementations(targets, &mut evidence),
        };
        if let Some(scope) = scope {
            references.retain(|reference| scope.contains(&reference.path));
        }
        references.sort_by(|a, b| (a.depth, &a.path, a.at).cmp(&(b.depth, &b.path, b.at)));
        evidence.skipped.sort();
        evidence.skipped.dedup();
        Ok(References { references, evidence })
    }

    /// Fills in the columns and the lines of references: most answers show few of those that were found.
    pub fn show(&self, references: &mut [Reference]) {
        shown::show(self, references);
    }
}

impl ProjectAnalyzer {
    /// Where the imports of a file lead, in the order of the text, each once: the path of a file of the project,
    /// `external: PACKAGE` or `unresolved: SOURCE`.
    ///
    /// # Errors
    /// Those of [`crate::Project::files`]; [`CodeError::NotFound`].
    pub fn destinations(&self, path: &str) -> Result<Vec<String>, CodeError> {
        let snapshot = self.snapshot()?;
        let snapshot: &Snapshot = &snapshot;
        let resolver = Resolver::new(snapshot, snapshot.module_resolvers());
        let missing = || CodeError::NotFound { path: path.to_owned(), nearest: Vec::new() };
        let file = snapshot.files().id(path).ok_or_else(missing)?;
        let (Some(names), Some(modules)) = (resolver.names(file), resolver.module_resolver(file)) else {
            return Ok(Vec::new());
        };
        let mut found: Vec<String> = Vec::new();
        for import in &names.imports {
            let files = modules.dependencies(snapshot, file, names, import);
            let mut leads: Vec<String> = files.into_iter().map(|file| snapshot.files().path(file).to_owned()).collect();
            if leads.is_empty() {
                leads.extend(match modules.destination(snapshot, file, names, import) {
                    Destination::External(package) => Some(format!("external: {package}")),
                    Destination::Unresolved(source) => Some(format!("unresolved: {source}")),
                    Destination::Module(_) => None,
                });
            }
            for lead in leads {
                if !found.contains(&lead) {
                    found.push(lead);
                }
            }
        }
        Ok(found)
    }
}

/// Finds the definition that an outline's symbol is.
fn target(snapshot: &Snapshot, resolver: &Resolver<'_>, sought: &SymbolQuery) -> Result<SearchTarget, CodeError> {
    let Some(file) = snapshot.files().id(&sought.path) else {
        return Err(CodeError::NotFound { path: sought.path.clone(), nearest: Vec::new() });
    };
    let names = snapshot.file_names(file).ok().cloned();
    let found = names.as_ref().and_then(|names| binding_of(&names.names, &sought.symbol));
    let own = found.map(|binding| Def { file, binding }).map(|own| match resolver.resolve_forwarding(own) {
        original if original == resolver.canonical(own) => own,
        // What only passes a definition on is sought as that.
        original => original,
    });
    let def = own.map(|own| resolver.canonical(own));
    let file = own.map_or(file, |own| own.file);
    let names = snapshot.file_names(file).ok().cloned().or(names);
    let language = names.as_ref().map_or("", |names| names.language.name);
    let is_member = def.is_some_and(|def| {
        let scope = names.as_ref().and_then(|names| names.names.bindings.get(def.binding as usize)).map(|b| b.scope);
        let kind = |scope: ScopeId| names.as_ref().and_then(|names| names.names.scopes.get(scope as usize));
        scope.and_then(kind).is_some_and(|scope| scope.kind == ScopeKind::Type)
    });
    let name = def
        .and_then(|def| names.as_ref().map(|names| names.names.bindings[def.binding as usize].name))
        .and_then(|name| names.as_ref().map(|names| names.names.text(name).to_owned()))
        .unwrap_or_else(|| sought.symbol.name.clone());
    Ok(SearchTarget {
        name,
        file,
        def,
        own,
        origin: 0,
        all: def.into_iter().collect(),
        is_member,
        semantics: resolver.semantics_of(file),
        language,
    })
}

/// The binding that a symbol is: of its name, the first one in its text.
fn binding_of(names: &Names, symbol: &Symbol) -> Option<u32> {
    let name = symbol.name.rsplit(['.', ':', '#']).next().unwrap_or(&symbol.name);
    let candidates = |name: &str| {
        let id = names.id_of(name)?;
        let inside = |at: u32| symbol.bytes.contains(&(at as usize));
        let found = (0..)
            .zip(&names.bindings)
            .filter(|(_, binding)| binding.name == id && inside(binding.at) && binding.kind != BindingKind::Import);
        // A constructor's parameter may have the name of the field that it sets: the outer definition comes first.
        found.min_by_key(|(_, binding)| binding.at).map(|(id, _)| id)
    };
    candidates(&symbol.name).or_else(|| candidates(name))
}

/// One search over a snapshot.
pub(crate) struct Search<'a> {
    pub access: &'a ProjectAnalyzer,
    pub snapshot: &'a Snapshot,
    pub resolver: &'a Resolver<'a>,
    /// Whether names in strings and comments count.
    pub text: bool,
    /// What the outlines that were asked for say; `None` for files that cannot be read.
    outlines: Mutex<BTreeMap<FileId, Option<Arc<Facts>>>>,
    /// Whether calls are sought: those of variables and fields that hold a function count, too.
    pub calls: bool,
}

/// Some of several, in words.
fn few(all: &[String]) -> String {
    const MOST: usize = 3;
    let shown = all.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if all.len() > MOST { format!("{shown} and {} more", all.len() - MOST) } else { shown }
}

impl Search<'_> {
    /// The goal whose function is called where one of `functions` is: itself, or what it holds.
    fn called_target(&self, targets: &[SearchTarget], functions: &[Def]) -> Option<usize> {
        let held = |target: &SearchTarget| target.def.and_then(|def| self.resolver.unnamed_function_of(def));
        targets.iter().position(|target| {
            let own = functions.iter().any(|def| target.all.contains(def));
            own || (!functions.is_empty() && held(target).is_some_and(|held| functions.contains(&held)))
        })
    }

    /// What a goal is called in notes.
    fn id(&self, target: &SearchTarget) -> String {
        format!("{}:{}", self.snapshot.files().path(target.file), target.name)
    }

    /// All occurrences that mean one of the goals, or may, by file.
    fn run(&self, targets: &mut [SearchTarget], evidence: &mut Evidence) -> BTreeMap<FileId, FileReferences> {
        let mut words: Words = targets.iter().map(|target| target.name.clone()).collect();
        let mut scan = Scan::default();
        let mut aliases = Aliases::default();
        let mut fresh = words.clone();
        while !fresh.is_empty() {
            scan.add(self, &fresh, targets, evidence);
            linkage::link_targets(self.resolver, targets, &scan);
            fresh = aliases.find(self, targets, &scan, &words);
            words.extend(fresh.iter().cloned());
        }
        let classifier = ReferenceClassifier::new(self, targets, &words, &aliases, &scan);
        let files: Vec<FileId> = scan.files().collect();
        let cancellation = self.access.project().cancellation();
        let left = AtomicUsize::new(0);
        let count = files.len();
        let judge = |file: FileId| {
            if cancellation.stopped().is_some() {
                left.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            Some((file, classifier.classify_file(file)?))
        };
        let found_references: BTreeMap<FileId, FileReferences> = files.into_par_iter().filter_map(judge).collect();
        cancellation.cut_short(left.into_inner(), count, evidence);
        let mut basic = false;
        for file in scan.files() {
            if let Ok(names) = self.snapshot.file_names(file) {
                basic |= names.names.basic;
                let lost = classifier.missed_line_note(file, found_references.get(&file));
                if let Some(lines) = lost {
                    evidence.skip(self.snapshot.files().path(file), lines);
                }
            }
        }
        if basic {
            evidence.mark_basic();
        }
        let unknown: Vec<String> =
            targets.iter().filter(|target| target.def.is_none()).map(|target| self.id(target)).collect();
        if !unknown.is_empty() {
            evidence.note(format!("matched by name, not resolved: {}", few(&unknown)));
            evidence.weaken(Completeness::LowerBound);
        }
        found_references
    }

    /// One file's occurrences as rows.
    fn rows(&self, file: FileId, found_references: FileReferences) -> Vec<Reference> {
        let path = self.snapshot.files().path(file);
        let Ok(names) = self.snapshot.file_names(file) else { return Vec::new() };
        let mut entries: Vec<u32> = found_references.uses.iter().map(|found| found.at).collect();
        entries.extend(found_references.in_text.iter().map(|(at, _)| *at));
        entries.sort_unstable();
        entries.dedup();
        let scopes = names.names.scopes_at(&entries);
        let scope_of = |at: u32| entries.binary_search(&at).ok().and_then(|index| scopes.get(index).copied());
        let row = |at: u32, line: u32, role, confidence, symbol| Reference {
            path: path.to_owned(),
            line,
            at,
            column: 0,
            context: String::new(),
            role,
            enclosing: qualified(&names.names, scope_of(at).unwrap_or(FILE_SCOPE)),
            confidence,
            some_builds: false,
            symbol,
            depth: 1,
            other: None,
        };
        let uses = found_references.uses.iter();
        let in_text = found_references.in_text.iter();
        let used = |found: &Use| row(found.at, found.line, Some(found.role), found.confidence, found.target);
        uses.map(|found| Reference { some_builds: found.some_builds, ..used(found) })
            .chain(in_text.map(|(at, line)| row(*at, *line, None, Confidence::Name, 0)))
            .collect()
    }
}

/// The qualified name of the innermost definition around a byte.
pub(crate) fn enclosing(names: &Names, at: u32) -> String {
    qualified(names, names.scope_at(at))
}

/// The qualified name of the definition that a scope is inside of.
pub(crate) fn qualified(names: &Names, scope: ScopeId) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut next = Some(scope);
    while let Some(id) = next {
        let Some(scope) = names.scopes.get(id as usize) else { break };
        if let Some(owner) = scope.owner.and_then(|owner| names.bindings.get(owner as usize)) {
            let named = matches!(
                owner.kind,
                BindingKind::Function | BindingKind::Property | BindingKind::Type | BindingKind::Module
            );
            if named && owner.body != Some(owner.scope) {
                parts.push(names.text(owner.name));
            }
        } else if scope.kind == ScopeKind::Type
            && let Some(extension) = names.extensions.iter().find(|extension| extension.scope == id)
        {
            parts.extend(last_name(names, extension.target));
        }
        next = scope.parent;
        if id == FILE_SCOPE {
            break;
        }
    }
    parts.reverse();
    parts.join(".")
}

/// The last name of a path of names.
fn last_name(names: &Names, expr: u32) -> Option<&str> {
    use peelback_syntax::names::Expr;
    match names.expr(expr) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(names.text(name)),
        Expr::Generic { base: Some(base), .. } => last_name(names, base),
        Expr::Generic { base: None, args } => names.list(args).last().and_then(|last| last_name(names, *last)),
        _ => None,
    }
}
