//! What methods of .NET return, and what they pass to lambdas, where that can be of a type of the project.

use peelback_syntax::names::{Expr, ExprId};

use super::views::outside_views;
use super::{lambdas, operators, platform};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::missing::Missing;
use crate::resolve::outside::is_written_as_type;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// A call of a method outside the project.
struct OutsideCall<'a> {
    file: FileId,
    method: &'a str,
    /// The arguments of the call, as expressions of the file, without a receiver among them.
    arguments: &'a [ExprId],
    /// The possible values of the receiver; empty where there is none.
    receiver: PossibleValues,
    /// The name of the type outside the project that the method is called on, if it is.
    type_name: Option<&'a str>,
    /// The type arguments that the call writes.
    type_arguments: Vec<PossibleValues>,
}

/// The possible values of a call of `callee`, a method outside the project.
pub(super) fn result_of_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Some(call) = outside_call(resolver, (file, callee), budget) else { return PossibleValues::unknown() };
    if let Some(found) = result_of_static_method(resolver, &call, budget) {
        return found;
    }
    if let Some(element) = element_of_receiver(resolver, &call, budget)
        && let Some(found) = result_of_sequence_method(resolver, &call, element, budget)
    {
        return found;
    }
    if let Some(found) = result_of_member(resolver, &call, budget) {
        return found;
    }
    if !call.type_arguments.is_empty() {
        // What a type argument names is mostly what the method gives.
        let mut all = PossibleValues::default();
        for of in call.type_arguments {
            all.add(of);
        }
        let is_outside = all.list.iter().all(|value| matches!(value, Value::Outside(_, None) | Value::External));
        return if is_outside { PossibleValues::external() } else { PossibleValues { sure: false, ..all } };
    }
    // A method of which nothing is known is open if it can return a value of the project: one that an argument holds, or a type
    // argument of the receiver's type.
    let mut is_open = call.arguments.iter().any(|argument| {
        let given = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget));
        given.missing.is_any() || given.list.iter().any(may_hold_project_value)
    });
    is_open = is_open
        || call.receiver.list.iter().any(|value| {
            let views = outside_views(resolver, value, budget);
            views.into_iter().any(|view| may_hold_project_value(&Value::Outside(view.name, view.arguments)))
        });
    if is_open { PossibleValues::unknown() } else { PossibleValues::external() }
}

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (usize, usize),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let Some(call) = outside_call(resolver, (file, callee), budget) else { return PossibleValues::unknown() };
    let of_map = |at: usize| {
        call.receiver.list.iter().find_map(|value| match value {
            Value::Outside(name, Some(arguments)) if platform::is_map(name) => arguments.get(at).cloned(),
            _ => None,
        })
    };
    let given = match (call.method, argument, parameter) {
        // A variable that is an argument has the number of no parameter.
        ("TryGetValue" | "TryRemove" | "Remove", 1, OUT_PARAMETER) => of_map(1),
        ("TryDequeue" | "TryPeek" | "TryPop" | "TryTake", 0, OUT_PARAMETER) => {
            element_of_receiver(resolver, &call, budget)
        }
        (_, _, OUT_PARAMETER) => call.type_arguments.first().cloned(),
        ("GetOrAdd", 1, 0) | ("AddOrUpdate", 1 | 2, 0) => of_map(0),
        ("AddOrUpdate", 2, 1) => of_map(1),
        ("ContinueWith", 0, 0) => Some(call.receiver.clone()),
        ("Aggregate", 1, 0) => call
            .arguments
            .first()
            .map(|seed| budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *seed, budget))),
        ("Aggregate", 1, 1) | ("Aggregate", 0, _) => element_of_receiver(resolver, &call, budget),
        ("SelectMany", 1, 1) => None,
        ("Zip", 1, 1) | ("Join" | "GroupJoin", 2, 0) => call.arguments.first().and_then(|other| {
            let other = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *other, budget));
            other.list.first().and_then(|value| operators::element_of_value(resolver, value, budget))
        }),
        ("Sort" | "ForEach" | "RemoveAll", _, _) => element_of_receiver(resolver, &call, budget),
        (_, _, 0) => element_of_receiver(resolver, &call, budget),
        _ => None,
    };
    given.unwrap_or_else(PossibleValues::unknown)
}

/// The number that the binder writes for a variable that is an argument.
const OUT_PARAMETER: usize = u32::MAX as usize;

/// The value of a member outside the project that is read.
pub(super) fn value_of_member(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let receiver = resolver.evaluate_expr(file, base, budget);
    let of_type = |name: &str| Some(platform::instance_of_type(name, None));
    let [value] = receiver.list.as_slice() else { return None };
    if let Value::Tuple(items) = value {
        let number = name.strip_prefix("Item").and_then(|number| number.parse::<usize>().ok());
        let item = number.and_then(|number| items.get(number.checked_sub(1)?));
        return Some(item.cloned().unwrap_or_else(PossibleValues::unknown));
    }
    match (value, name) {
        // A value of `T?` counts as one of `T`.
        (Value::Instance(..), "Value") => Some(receiver.clone()),
        (_, "HasValue") => of_type("bool"),
        (_, "Length" | "Count") => of_type("int"),
        (Value::Outside(of, Some(arguments)), _) => {
            let collection = |at: usize| {
                let argument = arguments.get(at).cloned()?;
                Some(platform::instance_of_type("ICollection", Some(vec![argument].into())))
            };
            match name {
                "Keys" if platform::is_map(of) => collection(0),
                "Values" if platform::is_map(of) => collection(1),
                "Key" => arguments.first().cloned(),
                "Value" | "Result" | "Current" | "Target" | "Object" => arguments.last().cloned(),
                "Task" => Some(platform::instance_of_type("Task", Some(arguments.clone()))),
                "First" | "Last" | "Next" | "Previous" if **of == *"LinkedList" => arguments.last().cloned(),
                // A method, or a property of which nothing is known.
                _ => Some(PossibleValues { missing: Missing::Unknown, ..PossibleValues::external() }),
            }
        }
        // A static member of a type of the platform mostly is of that type.
        (Value::External, _) => {
            let of = resolver.last_name_of_path(file, base);
            match (platform::plain_name(of), name) {
                ("string", "Empty") => of_type("string"),
                ("Task", "CompletedTask") => of_type("Task"),
                (
                    of @ ("TimeSpan" | "DateTime" | "DateTimeOffset" | "Guid" | "CultureInfo" | "Encoding"
                    | "StringComparer"),
                    _,
                ) => of_type(of),
                _ => None,
            }
        }
        _ => None,
    }
}

fn outside_call<'r>(
    resolver: &'r Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> Option<OutsideCall<'r>> {
    let (named, type_arguments) = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), args } => {
            let written = resolver.evaluate_type_arguments(file, args, budget);
            (base, written.map_or_else(Vec::new, |written| written.iter().cloned().collect()))
        }
        _ => (callee, Vec::new()),
    };
    let method = resolver.last_name_of_path(file, named);
    let mut arguments = resolver.names_of_file(file)?.arguments_of_call(named).unwrap_or(&[]);
    let (mut receiver, type_name) = match resolver.expr_by_id(file, named) {
        Expr::Member { base, .. } => {
            let receiver = resolver.evaluate_expr(file, base, budget);
            let name = platform::plain_name(resolver.last_name_of_path(file, base));
            let is_type = receiver.list == [Value::External] && (is_written_as_type(name) || name == "string");
            (receiver, is_type.then_some(name))
        }
        Expr::Name { scope, .. } => (resolver.this_value(file, scope, budget), None),
        _ => return None,
    };
    if let (Some("Enumerable" | "Queryable"), Some((first, rest))) = (type_name, arguments.split_first()) {
        receiver = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *first, budget));
        arguments = rest;
    }
    Some(OutsideCall { file, method, arguments, receiver, type_name, type_arguments })
}

fn element_of_receiver(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let mut all = PossibleValues { missing: call.receiver.missing, ..PossibleValues::default() };
    for value in &call.receiver.list {
        let element = operators::element_of_outside_views(resolver, value, budget)
            .or_else(|| operators::element_of_value(resolver, value, budget))?;
        all.add(element);
    }
    (!all.list.is_empty()).then_some(all)
}

/// What a lambda that is an argument returns.
fn result_of_argument(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    at: usize,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let argument = call.arguments.get(at)?;
    let function = budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget));
    let function = function.list.first()?;
    let result =
        budget.run_nested_within_limits(|budget| lambdas::result_of_function_value(resolver, function, budget));
    Some(result)
}

fn sequence(name: &str, element: PossibleValues) -> PossibleValues {
    platform::instance_of_type(name, Some(vec![element].into()))
}

/// What a method of sequences returns.
fn result_of_sequence_method(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    element: PossibleValues,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let unknown = PossibleValues::unknown;
    Some(match call.method {
        "Where" | "Take" | "TakeLast" | "TakeWhile" | "Skip" | "SkipLast" | "SkipWhile" | "Distinct" | "DistinctBy"
        | "Reverse" | "Concat" | "Union" | "UnionBy" | "Intersect" | "IntersectBy" | "Except" | "ExceptBy"
        | "Append" | "Prepend" | "AsEnumerable" | "AsParallel" | "DefaultIfEmpty" | "FindAll" | "GetRange"
        | "AsReadOnly" | "Order" | "OrderDescending" | "OrderBy" | "OrderByDescending" | "ThenBy"
        | "ThenByDescending" | "Slice" | "AsSpan" | "Include" | "AsNoTracking" => sequence("IEnumerable", element),
        "AsQueryable" => sequence("IQueryable", element),
        "ToList" | "ToListAsync" | "ToImmutableList" => {
            let list = sequence("List", element);
            if call.method.ends_with("Async") { sequence("Task", list) } else { list }
        }
        "ToHashSet" | "ToImmutableHashSet" => sequence("HashSet", element),
        "ToArray" | "ToImmutableArray" => element.into_container(),
        "First" | "FirstOrDefault" | "Single" | "SingleOrDefault" | "Last" | "LastOrDefault" | "ElementAt"
        | "ElementAtOrDefault" | "Find" | "FindLast" | "MinBy" | "MaxBy" | "Dequeue" | "Peek" | "Pop" => element,
        "FirstAsync" | "FirstOrDefaultAsync" | "SingleAsync" | "SingleOrDefaultAsync" => sequence("Task", element),
        "Aggregate" if call.arguments.len() == 1 => element,
        "Min" | "Max" if call.arguments.is_empty() => element,
        "Select" | "ConvertAll" => {
            sequence("IEnumerable", result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown))
        }
        "Min" | "Max" => result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown),
        "SelectMany" if call.arguments.len() == 1 => {
            let many = result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown);
            let inner = many.list.first().and_then(|value| operators::element_of_value(resolver, value, budget));
            sequence("IEnumerable", inner.unwrap_or_else(unknown))
        }
        "OfType" | "Cast" => sequence("IEnumerable", call.type_arguments.first().cloned()?),
        "GroupBy" if call.arguments.len() == 1 => {
            let key = result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown);
            sequence("IEnumerable", platform::instance_of_type("IGrouping", Some(vec![key, element].into())))
        }
        "ToLookup" if call.arguments.len() == 1 => {
            let key = result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown);
            platform::instance_of_type("ILookup", Some(vec![key, element].into()))
        }
        "ToDictionary" => {
            let key = result_of_argument(resolver, call, 0, budget).unwrap_or_else(unknown);
            let value = match call.arguments.len() {
                1 => element,
                _ => result_of_argument(resolver, call, 1, budget).unwrap_or_else(unknown),
            };
            platform::instance_of_type("Dictionary", Some(vec![key, value].into()))
        }
        "GetEnumerator" => sequence("IEnumerator", element),
        "Any" | "All" | "Contains" | "SequenceEqual" | "Exists" | "TrueForAll" => {
            platform::instance_of_type("bool", None)
        }
        "Count" | "IndexOf" | "FindIndex" | "RemoveAll" => platform::instance_of_type("int", None),
        "Chunk" => sequence("IEnumerable", element.into_container()),
        _ => return None,
    })
}

/// What a static method of the platform returns.
fn result_of_static_method(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let name = call.type_name?;
    let mut argument = |at: usize| {
        let argument = call.arguments.get(at)?;
        Some(budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget)))
    };
    Some(match (name, call.method) {
        ("Task" | "ValueTask", "FromResult") => sequence("Task", argument(0)?),
        ("Task", "Run") => {
            let result = result_of_argument(resolver, call, 0, budget)?;
            match result.list.first() {
                Some(Value::Outside(of, _)) if platform::is_task(of) => result,
                _ => sequence("Task", result),
            }
        }
        ("Enumerable", "Empty") => sequence("IEnumerable", call.type_arguments.first().cloned()?),
        ("Enumerable", "Repeat") => sequence("IEnumerable", call.receiver.clone()),
        ("Enumerable", "Range") => sequence("IEnumerable", platform::instance_of_type("int", None)),
        ("Array", "Empty") => call.type_arguments.first().cloned()?.into_container(),
        ("Activator", "CreateInstance") => call.type_arguments.first().cloned()?,
        ("Interlocked" | "Volatile", _) => argument(0)?,
        ("string" | "Path", _) => platform::instance_of_type("string", None),
        ("Convert", "ToInt32") => platform::instance_of_type("int", None),
        ("TimeSpan" | "DateTime" | "DateTimeOffset" | "Guid", method)
            if method != "Compare" && !method.starts_with("Try") =>
        {
            platform::instance_of_type(name, None)
        }
        _ => return None,
    })
}

/// What a method of an object of the platform returns.
fn result_of_member(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    match call.method {
        "ToString" | "Trim" | "Substring" | "ToLower" | "ToUpper" | "ToLowerInvariant" | "ToUpperInvariant" => {
            return Some(platform::instance_of_type("string", None));
        }
        "Equals" => return Some(platform::instance_of_type("bool", None)),
        "GetHashCode" | "CompareTo" => return Some(platform::instance_of_type("int", None)),
        "GetType" => return Some(platform::instance_of_type("Type", None)),
        "ConfigureAwait" | "GetAwaiter" => return Some(call.receiver.clone()),
        "MemberwiseClone" | "GetValueOrDefault"
            if call.receiver.list.iter().any(|value| matches!(value, Value::Instance(..))) =>
        {
            return Some(call.receiver.clone());
        }
        _ => {}
    }
    let [Value::Outside(name, Some(arguments))] = call.receiver.list.as_slice() else { return None };
    match call.method {
        "GetResult" | "GetValueOrDefault" | "GetOrAdd" | "AddOrUpdate" => arguments.last().cloned(),
        "Invoke" => {
            let delegate = Value::Outside(name.clone(), Some(arguments.clone()));
            Some(lambdas::result_of_delegate(resolver, &delegate, budget))
        }
        "AsTask" => Some(platform::instance_of_type("Task", Some(arguments.clone()))),
        _ => None,
    }
}

/// Whether a value is of a type of the project, or can hold one.
fn may_hold_project_value(value: &Value) -> bool {
    match value {
        Value::External | Value::Outside(_, None) => false,
        Value::Outside(_, Some(arguments)) => arguments.iter().any(|argument| {
            argument.list.is_empty()
                || argument.list.iter().any(|value| !matches!(value, Value::External | Value::Outside(_, None)))
        }),
        Value::Container(held) => held.iter().any(|value| !matches!(value, Value::External | Value::Outside(_, None))),
        _ => true,
    }
}
