//! The members of a Vue component that its template sees: what the options of the component define, and the properties
//! that `defineProps` declares.

use std::collections::HashMap;

use crate::languages::javascript::embedded::{find_script_blocks_and_language, has_setup_script};
use crate::names::{
    BindingId, BindingKind, Exported, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, ScopeId, ScopeKind,
};

/// How many expressions are looked at to find the objects that an option or the component has.
const MAX_LOOKED_AT: usize = 32;

/// How far behind `export default` the options of a component begin, such as behind the name of a function.
const MAX_OPTIONS_DISTANCE: usize = 200;

/// What the template of a component sees.
#[derive(Default)]
pub(super) struct ComponentMembers {
    /// What the members mean, by their names.
    pub members: HashMap<NameId, ExprId>,
    pub components: HashMap<NameId, ExprId>,
    pub directives: HashMap<NameId, ExprId>,
    /// The type of another file that declares the properties.
    pub property_type: Option<ExprId>,
    /// The value that has the component's properties as members.
    pub properties: Option<ExprId>,
    /// Whether the names of the scripts are visible in the template (`<script setup>`).
    pub has_setup: bool,
}

/// The bindings and scopes of a file by their places.
struct Index {
    bindings_by_scope: HashMap<ScopeId, Vec<BindingId>>,
    /// The first binding of each name at file level.
    file_bindings: HashMap<NameId, BindingId>,
    /// The scopes of members by the offset at which they begin.
    member_scope_by_start: HashMap<u32, ScopeId>,
}

/// The members of the component that the scripts of a file define.
pub(super) fn component_members_of_file(builder: &mut NamesBuilder<'_>) -> ComponentMembers {
    let mut found = ComponentMembers { has_setup: has_setup_script(builder.source), ..ComponentMembers::default() };
    let mut index = Index {
        bindings_by_scope: HashMap::new(),
        file_bindings: HashMap::new(),
        member_scope_by_start: HashMap::new(),
    };
    for (id, binding) in (0..).zip(&builder.names.bindings) {
        if binding.scope == FILE_SCOPE {
            index.file_bindings.entry(binding.name).or_insert(id);
        }
        index.bindings_by_scope.entry(binding.scope).or_default().push(id);
    }
    for (id, scope) in (0..).zip(&builder.names.scopes) {
        if scope.kind == ScopeKind::Type {
            index.member_scope_by_start.entry(scope.bytes.start).or_insert(id);
        }
    }
    add_properties_of_macro(&mut found, &index, builder);
    for scope in option_scopes(&index, builder) {
        add_members_of_options(&mut found, scope, &index, builder);
    }
    found
}

/// The scopes of the members of what the file exports as the component.
fn option_scopes(index: &Index, builder: &NamesBuilder<'_>) -> Vec<ScopeId> {
    let names = &builder.names;
    let mut exports = names.exports.iter().flatten();
    let Some(export) = exports.rfind(|export| names.name_text(export.name) == "default") else {
        return Vec::new();
    };
    let mut scopes = match export.what {
        Exported::Expr(expr) | Exported::Module(expr) => scopes_of_objects(expr, index, builder),
        _ => Vec::new(),
    };
    if scopes.is_empty() {
        // The options are an argument: `export default defineComponent({ … })`.
        let start = export.at as usize;
        let text = builder.source.get(start..).unwrap_or("");
        let distance = text.find('{').filter(|distance| *distance < MAX_OPTIONS_DISTANCE);
        let scope = distance
            .and_then(|distance| index.member_scope_by_start.get(&u32::try_from(start + distance).unwrap_or(u32::MAX)));
        scopes.extend(scope);
    }
    scopes
}

/// The scopes of the objects and classes that an expression can be, as far as the file says.
fn scopes_of_objects(expr: ExprId, index: &Index, builder: &NamesBuilder<'_>) -> Vec<ScopeId> {
    let names = &builder.names;
    let mut scopes = Vec::new();
    let mut left = vec![expr];
    for _ in 0..MAX_LOOKED_AT {
        let Some(expr) = left.pop() else { break };
        let binding = match names.expr_by_id(expr) {
            Expr::Object { scope } => {
                scopes.push(scope);
                continue;
            }
            Expr::Either(span) => {
                left.extend(names.expr_ids_in_list_range(span).iter().rev());
                continue;
            }
            Expr::Applied { args, .. } => {
                left.extend(names.expr_ids_in_list_range(args).first());
                continue;
            }
            Expr::Function { binding } | Expr::Bound { binding } => Some(binding),
            Expr::Name { name, .. } => index.file_bindings.get(&name).copied(),
            _ => None,
        };
        let Some(binding) = binding.and_then(|id| names.bindings.get(id as usize)) else { continue };
        if binding.kind == BindingKind::Type {
            scopes.extend(binding.body);
        }
        left.extend(names.expr_ids_in_list_range(binding.values).iter().rev());
    }
    scopes
}

/// Adds what the options in `scope` define. The members of a class are members themselves.
fn add_members_of_options(found: &mut ComponentMembers, scope: ScopeId, index: &Index, builder: &mut NamesBuilder<'_>) {
    let owner = builder.names.scopes.get(scope as usize).and_then(|scope| scope.owner);
    let is_class = owner
        .and_then(|owner| builder.names.bindings.get(owner as usize))
        .is_some_and(|owner| owner.kind == BindingKind::Type);
    if is_class {
        add_members_of_scope(&mut found.members, (scope, false), index, builder);
        return;
    }
    let options = index.bindings_by_scope.get(&scope).cloned().unwrap_or_default();
    let mut left = MAX_LOOKED_AT;
    for option in options {
        let Some(binding) = builder.names.bindings.get(option as usize) else { continue };
        let name = builder.names.name_text(binding.name);
        let has_other_names = matches!(name, "components" | "directives");
        let are_properties = name == "props";
        let into = match name {
            "components" => &mut found.components,
            "directives" => &mut found.directives,
            "data" | "setup" | "asyncData" | "props" | "computed" | "methods" | "inject" | "filters" => {
                &mut found.members
            }
            _ => continue,
        };
        let values = builder.names.expr_ids_in_list_range(binding.values).to_vec();
        for value in values {
            for scope in scopes_of_objects(value, index, builder) {
                if left == 0 {
                    return;
                }
                left -= 1;
                if are_properties && found.properties.is_none() {
                    found.properties = Some(builder.add_expr(Expr::Object { scope }));
                }
                add_members_of_scope(into, (scope, has_other_names), index, builder);
            }
        }
    }
}

/// Adds the members in `scope`. A member that only hands on a variable means that variable: it has the variable's name, or may
/// have another one, where `has_other_names`.
fn add_members_of_scope(
    into: &mut HashMap<NameId, ExprId>,
    (scope, has_other_names): (ScopeId, bool),
    index: &Index,
    builder: &mut NamesBuilder<'_>,
) {
    for id in index.bindings_by_scope.get(&scope).into_iter().flatten() {
        let Some(binding) = builder.names.bindings.get(*id as usize) else { continue };
        let name = binding.name;
        let same = match builder.names.expr_ids_in_list_range(binding.values) {
            [value] if binding.kind == BindingKind::Field => match builder.names.expr_by_id(*value) {
                Expr::Name { name: of, .. } if has_other_names || of == name => Some(*value),
                _ => None,
            },
            _ => None,
        };
        let meaning = same.unwrap_or_else(|| builder.add_expr(Expr::Bound { binding: *id }));
        into.entry(name).or_insert(meaning);
    }
}

/// Adds the properties that calls of `defineProps` declare.
fn add_properties_of_macro(found: &mut ComponentMembers, index: &Index, builder: &mut NamesBuilder<'_>) {
    let source = builder.source;
    for block in find_script_blocks_and_language(source).ranges {
        let text = source.get(block.clone()).unwrap_or("");
        for (at, word) in text.match_indices("defineProps").take(MAX_LOOKED_AT) {
            let behind = at + word.len();
            let after = text.get(behind..).unwrap_or("");
            let inside = after.trim_start_matches(char::is_whitespace);
            let Some(argument) = inside.strip_prefix(['<', '(']).map(str::trim_start) else { continue };
            let start = block.start + text.len() - argument.len();
            let start = u32::try_from(start).unwrap_or(u32::MAX);
            if let Some(scope) = index.member_scope_by_start.get(&start) {
                found.properties = Some(builder.add_expr(Expr::Object { scope: *scope }));
                add_members_of_scope(&mut found.members, (*scope, false), index, builder);
                continue;
            }
            let length = argument.find(|c: char| !super::lexer::is_word_char(c)).unwrap_or(argument.len());
            if length == 0 || !inside.starts_with('<') {
                continue;
            }
            let name = builder.intern_source_text(argument.get(..length).unwrap_or(""));
            let declared = index.file_bindings.get(&name).and_then(|id| builder.names.bindings.get(*id as usize));
            if let Some(scope) = declared.and_then(|binding| binding.body) {
                add_members_of_scope(&mut found.members, (scope, false), index, builder);
            }
            let of = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: start });
            found.property_type = Some(builder.add_expr(Expr::Instance { of }));
            found.properties = found.property_type;
        }
    }
}
