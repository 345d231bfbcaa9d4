//! Values of the calls of functions that Vue and Pinia define, whose results have the types of what they are given: `ref`,
//! `computed`, `defineProps`, `defineStore`.

use tree_sitter::Node;

use super::Binder;
use super::kinds::Kind;
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, ScopeKind};

/// The packages whose functions these are.
const PACKAGES: &[&str] = &[
    "#imports",
    "@vue/composition-api",
    "@vue/reactivity",
    "@vue/runtime-core",
    "@vueuse/core",
    "@vueuse/shared",
    "pinia",
    "vue",
    "vue-demi",
];

/// What is known of the result of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// An instance of the type argument.
    Instance,
    /// A wrapper of an instance of the type argument, else of the first argument.
    Wrapper,
    /// A wrapper of what the first argument returns.
    WrapperOfResult,
    /// The first argument.
    Argument,
    /// A function that returns the store which the last argument describes.
    Store,
}

fn result_of_function(name: &str) -> Option<Given> {
    Some(match name {
        "defineProps" | "inject" => Given::Instance,
        "defineModel" | "ref" | "shallowRef" => Given::Wrapper,
        "computed" => Given::WrapperOfResult,
        "createGlobalState"
        | "createSharedComposable"
        | "markRaw"
        | "reactive"
        | "readonly"
        | "shallowReactive"
        | "shallowReadonly"
        | "storeToRefs"
        | "toRaw"
        | "toRefs"
        | "withDefaults" => Given::Argument,
        "defineStore" => Given::Store,
        _ => return None,
    })
}

impl<'t> Binder<'t> {
    /// The value of a call of `function`, if that is a function of a framework whose result is known. The functions can be
    /// imported, or in sight without an import.
    pub(super) fn value_of_framework_call(
        &self,
        function: Node<'t>,
        callee: ExprId,
        args: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if self.kind_of_node(function) != Kind::Identifier {
            return None;
        }
        let given = result_of_function(builder.text_of_node(function))?;
        if !self.is_from_framework(function, builder) {
            return None;
        }
        let unknown = builder.unknown_expr();
        let declared = match builder.names.expr_by_id(callee) {
            Expr::Generic { base: Some(_), args } => builder.names.expr_ids_in_list_range(args).first().copied(),
            _ => None,
        };
        let declared = declared.filter(|of| *of != unknown);
        let first = args.first().copied().unwrap_or(unknown);
        let value = match given {
            Given::Instance => Self::instance_expr_of_type(declared?, builder),
            Given::Argument => declared.map_or(first, |of| Self::instance_expr_of_type(of, builder)),
            Given::Wrapper | Given::WrapperOfResult => match declared {
                Some(of) => {
                    let args = builder.add_expr_list(&[of]);
                    builder.add_expr(Expr::Generic { base: None, args })
                }
                None => {
                    let held = match (given, builder.names.expr_by_id(first)) {
                        (Given::Wrapper, _) => first,
                        (_, Expr::Function { .. }) => builder.add_expr(Expr::Call { callee: first }),
                        _ => unknown,
                    };
                    Self::container_type_of_element_value(held, builder)
                }
            },
            Given::Store => Self::store_function(function, args.last().copied()?, builder)?,
        };
        (value != unknown).then_some(value)
    }

    fn is_from_framework(&self, function: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let name = builder.name_id_of_node(function);
        let Some(binding) = self.find_visible_binding_in_file(self.scope, name, builder) else { return true };
        let import = builder.binding_mut(binding).import;
        import.and_then(|(import, _)| builder.names.imports.get(import as usize)).is_some_and(|import| {
            let source = builder.names.name_text(import.source);
            PACKAGES.contains(&source)
        })
    }

    /// The function that returns the store: the one that sets it up, or for a store that is described by options, one that
    /// returns what its state, its getters and its actions have.
    fn store_function(call: Node<'t>, described: ExprId, builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        let options = match builder.names.expr_by_id(described) {
            Expr::Function { .. } => return Some(described),
            Expr::Object { scope } => scope,
            _ => return None,
        };
        let mut parts = Vec::new();
        for binding in builder.names.bindings.iter().filter(|binding| binding.scope == options) {
            let name = builder.names.name_text(binding.name);
            if let [value] = builder.names.expr_ids_in_list_range(binding.values) {
                parts.push((name == "state", *value));
            }
        }
        let mut members = Vec::new();
        for (is_state, value) in parts {
            match builder.names.expr_by_id(value) {
                Expr::Function { .. } if is_state => members.push(builder.add_expr(Expr::Call { callee: value })),
                Expr::Object { .. } => members.push(value),
                _ => {}
            }
        }
        let end = call.end_byte();
        let body = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Function, end..end);
        let unnamed = builder.intern_constructed_text("");
        let binding = builder.add_binding(body, BindingKind::Function, unnamed, call.start_byte());
        builder.link_binding_and_body_scope(binding, body);
        let members = builder.expr_of_possible_values(members);
        Self::set_binding_values_except_unknown(binding, &[members], builder);
        Some(builder.add_expr(Expr::Function { binding }))
    }
}
