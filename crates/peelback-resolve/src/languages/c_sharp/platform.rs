//! What is known of the types of .NET: which derive from which, which are sequences, and which are delegates.

use super::fit::Fit;
use crate::resolve::inner_values::InnerValues;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// The types that have keywords, each with its keyword.
const KEYWORDS: &[(&str, &str)] = &[
    ("Boolean", "bool"),
    ("Byte", "byte"),
    ("Char", "char"),
    ("Decimal", "decimal"),
    ("Double", "double"),
    ("Int16", "short"),
    ("Int32", "int"),
    ("Int64", "long"),
    ("Object", "object"),
    ("SByte", "sbyte"),
    ("Single", "float"),
    ("String", "string"),
    ("UInt16", "ushort"),
    ("UInt32", "uint"),
    ("UInt64", "ulong"),
];

/// The types of numbers, each converted to those after it.
const NUMBERS: &[&str] =
    &["sbyte", "byte", "char", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"];

/// Types of the platform, each with the types that it derives from directly.
const TYPES: &[(&str, &[&str])] = &[
    ("Action", &["Delegate"]),
    ("ArgumentException", &["Exception"]),
    ("ArgumentNullException", &["ArgumentException"]),
    ("ArgumentOutOfRangeException", &["ArgumentException"]),
    ("Array", &["IList"]),
    ("Assembly", &[]),
    ("BinaryReader", &["IDisposable"]),
    ("BinaryWriter", &["IDisposable"]),
    ("CancellationToken", &[]),
    ("CancellationTokenSource", &["IDisposable"]),
    ("Collection", &["IList", "IReadOnlyList"]),
    ("ConcurrentBag", &["IReadOnlyCollection", "IEnumerable"]),
    ("ConcurrentDictionary", &["IDictionary", "IReadOnlyDictionary"]),
    ("ConcurrentQueue", &["IReadOnlyCollection"]),
    ("ConstructorInfo", &["MethodBase"]),
    ("CultureInfo", &["IFormatProvider"]),
    ("DateOnly", &["IFormattable"]),
    ("DateTime", &["IFormattable", "IConvertible"]),
    ("DateTimeOffset", &["IFormattable"]),
    ("DbConnection", &["IDbConnection"]),
    ("Delegate", &[]),
    ("Dictionary", &["IDictionary", "IReadOnlyDictionary"]),
    ("Encoding", &[]),
    ("Enum", &["ValueType", "IFormattable", "IConvertible"]),
    ("EventArgs", &[]),
    ("EventHandler", &["Delegate"]),
    ("EventInfo", &["MemberInfo"]),
    ("Exception", &[]),
    ("Expression", &[]),
    ("FieldInfo", &["MemberInfo"]),
    ("FileStream", &["Stream"]),
    ("Func", &["Delegate"]),
    ("Guid", &["IFormattable"]),
    ("HashSet", &["ISet", "IReadOnlyCollection"]),
    ("ICollection", &["IEnumerable"]),
    ("IComparable", &[]),
    ("IConvertible", &[]),
    ("IDataReader", &["IDisposable"]),
    ("IDbConnection", &["IDisposable"]),
    ("IDictionary", &["ICollection"]),
    ("IDisposable", &[]),
    ("IEnumerable", &[]),
    ("IEnumerator", &[]),
    ("IFormatProvider", &[]),
    ("IFormattable", &[]),
    ("IGrouping", &["IEnumerable"]),
    ("IList", &["ICollection"]),
    ("IOrderedEnumerable", &["IEnumerable"]),
    ("IOrderedQueryable", &["IQueryable"]),
    ("IQueryable", &["IEnumerable"]),
    ("IReadOnlyCollection", &["IEnumerable"]),
    ("IReadOnlyDictionary", &["IReadOnlyCollection"]),
    ("IReadOnlyList", &["IReadOnlyCollection"]),
    ("IServiceProvider", &[]),
    ("ISet", &["ICollection"]),
    ("ImmutableArray", &["IReadOnlyList", "IList"]),
    ("ImmutableList", &["IReadOnlyList", "IList"]),
    ("InvalidOperationException", &["Exception"]),
    ("KeyValuePair", &[]),
    ("KeyedCollection", &["Collection"]),
    ("Lazy", &[]),
    ("LambdaExpression", &["Expression"]),
    ("LinkedList", &["ICollection", "IReadOnlyCollection"]),
    ("List", &["IList", "IReadOnlyList"]),
    ("MemberExpression", &["Expression"]),
    ("MemberInfo", &[]),
    ("MemoryStream", &["Stream"]),
    ("MethodBase", &["MemberInfo"]),
    ("MethodCallExpression", &["Expression"]),
    ("MethodInfo", &["MethodBase"]),
    ("NotImplementedException", &["Exception"]),
    ("NotSupportedException", &["Exception"]),
    ("ObservableCollection", &["Collection"]),
    ("OperationCanceledException", &["Exception"]),
    ("ParameterExpression", &["Expression"]),
    ("ParameterInfo", &[]),
    ("PropertyInfo", &["MemberInfo"]),
    ("Queue", &["IReadOnlyCollection", "ICollection"]),
    ("Random", &[]),
    ("ReadOnlyCollection", &["IList", "IReadOnlyList"]),
    ("ReadOnlyMemory", &[]),
    ("ReadOnlySpan", &[]),
    ("Regex", &[]),
    ("SortedDictionary", &["IDictionary", "IReadOnlyDictionary"]),
    ("SortedSet", &["ISet", "IReadOnlyCollection"]),
    ("Span", &[]),
    ("Stack", &["IReadOnlyCollection", "ICollection"]),
    ("Stopwatch", &[]),
    ("Stream", &["IDisposable"]),
    ("StreamReader", &["TextReader"]),
    ("StreamWriter", &["TextWriter"]),
    ("StringBuilder", &[]),
    ("StringComparer", &["IComparer", "IEqualityComparer"]),
    ("StringComparison", &["Enum"]),
    ("StringReader", &["TextReader"]),
    ("StringWriter", &["TextWriter"]),
    ("IComparer", &[]),
    ("IEqualityComparer", &[]),
    ("Task", &[]),
    ("TextReader", &["IDisposable"]),
    ("TextWriter", &["IDisposable"]),
    ("TimeOnly", &["IFormattable"]),
    ("TimeProvider", &[]),
    ("TimeSpan", &["IFormattable"]),
    ("Type", &["MemberInfo"]),
    ("Uri", &[]),
    ("ValueTask", &[]),
    ("ValueType", &[]),
    ("Version", &[]),
    ("XmlReader", &["IDisposable"]),
    ("XmlWriter", &["IDisposable"]),
    ("bool", &["ValueType"]),
    ("string", &["IEnumerable", "IComparable", "IConvertible"]),
];

/// The limit on the levels of bases of types.
const MAX_LEVELS: usize = 8;

/// Maps of keys to values.
const MAPS: &[&str] = &[
    "ConcurrentDictionary",
    "Dictionary",
    "FrozenDictionary",
    "IDictionary",
    "IImmutableDictionary",
    "IReadOnlyDictionary",
    "ImmutableDictionary",
    "ImmutableSortedDictionary",
    "OrderedDictionary",
    "ReadOnlyDictionary",
    "SortedDictionary",
    "SortedList",
];

/// Sequences of their only type argument.
const SEQUENCES: &[&str] = &[
    "ArraySegment",
    "BlockingCollection",
    "Collection",
    "ConcurrentBag",
    "ConcurrentQueue",
    "ConcurrentStack",
    "DbSet",
    "FrozenSet",
    "HashSet",
    "IAsyncEnumerable",
    "ICollection",
    "IEnumerable",
    "IEnumerator",
    "IImmutableList",
    "IImmutableSet",
    "IList",
    "IOrderedEnumerable",
    "IOrderedQueryable",
    "IProducerConsumerCollection",
    "IQueryable",
    "IReadOnlyCollection",
    "IReadOnlyList",
    "IReadOnlySet",
    "ISet",
    "ImmutableArray",
    "ImmutableHashSet",
    "ImmutableList",
    "ImmutableQueue",
    "ImmutableSortedSet",
    "ImmutableStack",
    "LinkedList",
    "List",
    "Memory",
    "ObservableCollection",
    "ParallelQuery",
    "Queue",
    "ReadOnlyCollection",
    "ReadOnlyMemory",
    "ReadOnlyObservableCollection",
    "ReadOnlySpan",
    "SortedSet",
    "Span",
    "Stack",
    "TheoryData",
];

/// The name of a type as its keyword writes it.
pub(super) fn plain_name(name: &str) -> &str {
    KEYWORDS.iter().find(|(known, _)| *known == name).map_or(name, |(_, keyword)| keyword)
}

/// An instance of a type outside the project.
pub(super) fn instance_of_type(name: &str, arguments: Arguments) -> PossibleValues {
    match (name, &arguments) {
        ("Nullable", Some(arguments)) if arguments.len() == 1 => arguments.first().cloned().unwrap_or_default(),
        ("ValueTuple", Some(arguments)) => {
            PossibleValues::single(Value::Tuple(arguments.iter().cloned().collect()), true)
        }
        ("dynamic", _) => PossibleValues::unknown(),
        _ => PossibleValues::single(Value::Outside(name.into(), arguments), true),
    }
}

/// Whether a type of the platform has this name.
pub(super) fn is_known_type(name: &str) -> bool {
    bases_of_type(name).is_some() || width_of_number(name).is_some() || name == "object" || is_map_or_sequence(name)
}

fn bases_of_type(name: &str) -> Option<&'static [&'static str]> {
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, bases)| *bases)
}

/// Whether one type of the platform is another one or derives from it; `None` if that is not known.
fn is_subtype(name: &str, of: &str, levels: usize) -> Option<bool> {
    if name == of {
        return Some(true);
    }
    let levels = levels.checked_sub(1)?;
    let bases = bases_of_type(name)?;
    if bases.iter().any(|base| is_subtype(base, of, levels) == Some(true)) {
        return Some(true);
    }
    is_known_type(of).then_some(false)
}

/// The place of a number's type among those that are converted to each other.
pub(super) fn width_of_number(name: &str) -> Option<usize> {
    NUMBERS.iter().position(|number| *number == name)
}

/// How well a value of the type `name` fits the type `of`.
pub(super) fn fit_of_type(name: &str, of: &str) -> Fit {
    if name == of {
        return Fit::Exact;
    }
    if of == "object" {
        return Fit::Converted;
    }
    match (width_of_number(name), width_of_number(of)) {
        (Some(one), Some(other)) => {
            let narrows = of == "char" || of == "decimal" && matches!(name, "float" | "double");
            return match one < other && !narrows {
                true => Fit::Derived,
                // A constant is converted to a smaller number that can hold it.
                false if name == "int" && other < one => Fit::Converted,
                false => Fit::Not,
            };
        }
        (None, Some(_)) => return if name == "null" || is_known_type(name) { Fit::Not } else { Fit::Unknown },
        (Some(_), None) => {
            return match of {
                "IComparable" | "IConvertible" | "IFormattable" | "ValueType" => Fit::Derived,
                _ if is_known_type(of) => Fit::Not,
                _ => Fit::Unknown,
            };
        }
        (None, None) => {}
    }
    if name == "null" {
        return if matches!(of, "bool" | "DateTime" | "TimeSpan" | "Guid") { Fit::Not } else { Fit::Derived };
    }
    if name == "string" && of == "ReadOnlySpan" {
        return Fit::Converted;
    }
    match is_subtype(name, of, MAX_LEVELS) {
        Some(true) => Fit::Derived,
        Some(false) => Fit::Not,
        None => Fit::Unknown,
    }
}

fn is_map_or_sequence(name: &str) -> bool {
    MAPS.binary_search(&name).is_ok() || SEQUENCES.binary_search(&name).is_ok()
}

/// Whether a type is a map.
pub(super) fn is_map(name: &str) -> bool {
    MAPS.binary_search(&name).is_ok()
}

/// The element of a sequence with these type arguments; `None` if the type is no sequence.
pub(super) fn element_of_sequence(name: &str, arguments: &InnerValues<PossibleValues>) -> Option<PossibleValues> {
    if MAPS.binary_search(&name).is_ok() {
        return Some(instance_of_type("KeyValuePair", Some(arguments.clone())));
    }
    match name {
        "ILookup" | "Lookup" => Some(instance_of_type("IGrouping", Some(arguments.clone()))),
        "IGrouping" | "KeyedCollection" => arguments.last().cloned(),
        _ => SEQUENCES.binary_search(&name).ok().and_then(|_| arguments.last().cloned()),
    }
}

/// Whether indexing an instance of a type gives its last type argument.
pub(super) fn is_indexed_by_last_argument(name: &str) -> bool {
    is_map_or_sequence(name) || matches!(name, "KeyedCollection" | "ThreadLocal")
}

/// Whether an array can stand for a type.
pub(super) fn can_be_array(name: &str) -> bool {
    matches!(
        name,
        "Array"
            | "ICollection"
            | "IEnumerable"
            | "IList"
            | "IReadOnlyCollection"
            | "IReadOnlyList"
            | "Memory"
            | "ReadOnlyMemory"
            | "ReadOnlySpan"
            | "Span"
            | "ArraySegment"
    )
}

/// Whether `await` gives the last type argument of a type.
pub(super) fn is_task(name: &str) -> bool {
    matches!(name, "Task" | "ValueTask" | "ConfiguredTaskAwaitable" | "ConfiguredValueTaskAwaitable" | "TaskAwaiter")
}

/// Whether a type holds a lambda as data.
pub(super) fn is_quoted_function(name: &str) -> bool {
    name == "Expression"
}

/// The number of parameters of a delegate with so many type arguments; `None` if the type is no delegate.
pub(super) fn delegate_parameter_positions(name: &str, argument_count: usize) -> Option<usize> {
    match name {
        "Action" => Some(argument_count),
        "Func" => argument_count.checked_sub(1),
        "Predicate" | "Converter" | "WaitCallback" | "TimerCallback" | "SendOrPostCallback" => Some(1),
        "Comparison" | "EventHandler" => Some(2),
        "ThreadStart" => Some(0),
        _ => None,
    }
}

/// Whether it is known that objects of a type have no member called `name` by its bare name.
pub(super) fn lacks_member(of: &str, name: &str) -> bool {
    let is_interface = of.starts_with('I') && of.chars().nth(1).is_some_and(char::is_uppercase);
    let is_plain = matches!(of, "object" | "ValueType" | "Enum" | "Attribute");
    let is_of_object = matches!(
        name,
        "Equals" | "GetHashCode" | "GetType" | "ToString" | "MemberwiseClone" | "ReferenceEquals" | "TypeId" | "Match"
    );
    is_interface || is_plain && !is_of_object
}

/// Methods of the platform's collections themselves, which extension methods of the same name do not replace.
const COLLECTION_METHODS: &[&str] = &[
    "Add",
    "AddRange",
    "Clear",
    "Contains",
    "ContainsKey",
    "CopyTo",
    "Dequeue",
    "Enqueue",
    "Find",
    "FindAll",
    "ForEach",
    "IndexOf",
    "Insert",
    "Peek",
    "Pop",
    "Push",
    "Remove",
    "RemoveAll",
    "RemoveAt",
    "Sort",
    "ToArray",
    "TryAdd",
    "TryGetValue",
];

/// Whether a type of the platform declares such a method itself.
pub(super) fn has_method(of: &str, name: &str) -> bool {
    let is_collection = fit_of_type(of, "IEnumerable") <= Fit::Derived && of != "IEnumerable";
    is_collection && COLLECTION_METHODS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(MAPS.is_sorted() && SEQUENCES.is_sorted() && COLLECTION_METHODS.is_sorted());
    }

    #[test]
    fn types_derive_from_others_at_any_depth() {
        assert_eq!(fit_of_type("List", "IEnumerable"), Fit::Derived);
        assert_eq!(fit_of_type("int", "long"), Fit::Derived);
        assert_eq!(fit_of_type("string", "int"), Fit::Not);
        assert_eq!(fit_of_type("string", "object"), Fit::Converted);
        assert_eq!(fit_of_type("Mystery", "string"), Fit::Unknown);
        assert_eq!(fit_of_type("null", "int"), Fit::Not);
    }
}
