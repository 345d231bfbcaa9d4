//! What is known of the types of the Java platform: which derive from which, and which are functions.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::fit::Fit;
use super::{platform_members, platform_names};

/// The name of the type that all others derive from.
pub(super) static OBJECT: LazyLock<Arc<str>> = LazyLock::new(|| "Object".into());

/// Types of the platform, each with the types that it derives from directly.
const TYPES: &[(&str, &[&str])] = &[
    ("AbstractCollection", &["Collection"]),
    ("AbstractList", &["AbstractCollection", "List"]),
    ("AbstractMap", &["Map"]),
    ("AbstractSet", &["AbstractCollection", "Set"]),
    ("Annotation", &[]),
    ("AnnotatedElement", &[]),
    ("AnnotatedType", &["AnnotatedElement"]),
    ("Appendable", &[]),
    ("ArrayDeque", &["AbstractCollection", "Deque", "Cloneable", "Serializable"]),
    ("ArrayList", &["AbstractList", "RandomAccess", "Cloneable", "Serializable"]),
    ("Arrays", &[]),
    ("AtomicBoolean", &["Serializable"]),
    ("AtomicInteger", &["Number"]),
    ("AtomicIntegerArray", &["Serializable"]),
    ("AtomicLong", &["Number"]),
    ("AtomicLongArray", &["Serializable"]),
    ("AtomicReference", &["Serializable"]),
    ("AutoCloseable", &[]),
    ("BaseStream", &["AutoCloseable"]),
    ("BiConsumer", &[]),
    ("BiFunction", &[]),
    ("BiPredicate", &[]),
    ("BigDecimal", &["Number", "Comparable"]),
    ("BigInteger", &["Number", "Comparable"]),
    ("BinaryOperator", &["BiFunction"]),
    ("BitSet", &["Cloneable", "Serializable"]),
    ("BlockingQueue", &["Queue"]),
    ("Boolean", &["Comparable", "Serializable"]),
    ("BooleanSupplier", &[]),
    ("BufferedInputStream", &["InputStream"]),
    ("BufferedOutputStream", &["OutputStream"]),
    ("BufferedReader", &["Reader"]),
    ("BufferedWriter", &["Writer"]),
    ("Byte", &["Number", "Comparable"]),
    ("ByteArrayInputStream", &["InputStream"]),
    ("ByteArrayOutputStream", &["OutputStream"]),
    ("ByteBuffer", &["Comparable"]),
    ("Calendar", &["Cloneable", "Comparable", "Serializable"]),
    ("Callable", &[]),
    ("CharBuffer", &["CharSequence", "Appendable", "Readable", "Comparable"]),
    ("CharSequence", &[]),
    ("Character", &["Comparable", "Serializable"]),
    ("Charset", &["Comparable"]),
    ("Class", &["Type", "AnnotatedElement", "GenericDeclaration", "Serializable"]),
    ("ClassLoader", &[]),
    ("Cloneable", &[]),
    ("Closeable", &["AutoCloseable"]),
    ("Collection", &["Iterable"]),
    ("Collections", &[]),
    ("Collector", &[]),
    ("Collectors", &[]),
    ("Comparable", &[]),
    ("Comparator", &[]),
    ("CompletableFuture", &["Future", "CompletionStage"]),
    ("CompletionStage", &[]),
    ("ConcurrentHashMap", &["AbstractMap", "ConcurrentMap", "Serializable"]),
    ("ConcurrentLinkedQueue", &["AbstractCollection", "Queue", "Serializable"]),
    ("ConcurrentMap", &["Map"]),
    ("Condition", &[]),
    ("Constructor", &["Executable"]),
    ("Consumer", &[]),
    ("CopyOnWriteArrayList", &["List", "RandomAccess", "Cloneable", "Serializable"]),
    ("CountDownLatch", &[]),
    ("Currency", &["Serializable"]),
    ("Date", &["Comparable", "Cloneable", "Serializable"]),
    ("Deque", &["Queue"]),
    ("Double", &["Number", "Comparable"]),
    ("DoubleFunction", &[]),
    ("DoubleStream", &["BaseStream"]),
    ("Duration", &["Comparable", "Serializable"]),
    ("Entry", &[]),
    ("Enum", &["Comparable", "Serializable"]),
    ("EnumMap", &["AbstractMap", "Cloneable", "Serializable"]),
    ("EnumSet", &["AbstractSet", "Cloneable", "Serializable"]),
    ("Enumeration", &[]),
    ("Error", &["Throwable"]),
    ("Exception", &["Throwable"]),
    ("Executable", &["AccessibleObject", "Member", "GenericDeclaration"]),
    ("AccessibleObject", &["AnnotatedElement"]),
    ("Executor", &[]),
    ("ExecutorService", &["Executor"]),
    ("Field", &["AccessibleObject", "Member"]),
    ("File", &["Comparable", "Serializable"]),
    ("FileInputStream", &["InputStream"]),
    ("FileOutputStream", &["OutputStream"]),
    ("FileReader", &["InputStreamReader"]),
    ("FileWriter", &["OutputStreamWriter"]),
    ("Files", &[]),
    ("Externalizable", &["Serializable"]),
    ("Float", &["Number", "Comparable"]),
    ("Flushable", &[]),
    ("Format", &["Cloneable", "Serializable"]),
    ("Function", &[]),
    ("Future", &[]),
    ("GenericArrayType", &["Type"]),
    ("GenericDeclaration", &["AnnotatedElement"]),
    ("GregorianCalendar", &["Calendar"]),
    ("HashMap", &["AbstractMap", "Cloneable", "Serializable"]),
    ("HashSet", &["AbstractSet", "Cloneable", "Serializable"]),
    ("Hashtable", &["Map", "Cloneable", "Serializable"]),
    ("IdentityHashMap", &["AbstractMap"]),
    ("InputStream", &["Closeable"]),
    ("InputStreamReader", &["Reader"]),
    ("Instant", &["Comparable", "Serializable"]),
    ("IntBinaryOperator", &[]),
    ("InvocationHandler", &[]),
    ("IntConsumer", &[]),
    ("IntFunction", &[]),
    ("IntPredicate", &[]),
    ("IntStream", &["BaseStream"]),
    ("IntSupplier", &[]),
    ("IntUnaryOperator", &[]),
    ("Integer", &["Number", "Comparable"]),
    ("Iterable", &[]),
    ("Iterator", &[]),
    ("LinkedHashMap", &["HashMap"]),
    ("LinkedHashSet", &["HashSet"]),
    ("LinkedList", &["AbstractList", "Deque", "Cloneable", "Serializable"]),
    ("List", &["Collection"]),
    ("ListIterator", &["Iterator"]),
    ("LocalDate", &["Comparable", "Serializable"]),
    ("LocalDateTime", &["Comparable", "Serializable"]),
    ("Locale", &["Cloneable", "Serializable"]),
    ("Lock", &[]),
    ("Logger", &[]),
    ("Long", &["Number", "Comparable"]),
    ("LongFunction", &[]),
    ("LongStream", &["BaseStream"]),
    ("LongSupplier", &[]),
    ("Map", &[]),
    ("Matcher", &[]),
    ("Math", &[]),
    ("Member", &[]),
    ("MessageFormat", &["Format"]),
    ("Method", &["Executable"]),
    ("NavigableMap", &["SortedMap"]),
    ("NavigableSet", &["SortedSet"]),
    ("Number", &["Serializable"]),
    ("NumberFormat", &["Format"]),
    ("ObjectInputStream", &["InputStream"]),
    ("ObjectOutputStream", &["OutputStream"]),
    ("Objects", &[]),
    ("Optional", &[]),
    ("OptionalInt", &[]),
    ("OptionalLong", &[]),
    ("OutputStream", &["Closeable", "Flushable"]),
    ("OutputStreamWriter", &["Writer"]),
    ("Package", &["AnnotatedElement"]),
    ("Parameter", &["AnnotatedElement"]),
    ("ParameterizedType", &["Type"]),
    ("Path", &["Comparable", "Iterable"]),
    ("Pattern", &["Serializable"]),
    ("Predicate", &[]),
    ("PrintStream", &["OutputStream", "Appendable"]),
    ("PrintWriter", &["Writer"]),
    ("PriorityQueue", &["AbstractCollection", "Queue", "Serializable"]),
    ("Process", &[]),
    ("Properties", &["Hashtable"]),
    ("Queue", &["Collection"]),
    ("Random", &["Serializable"]),
    ("RandomAccess", &[]),
    ("Readable", &[]),
    ("Reader", &["Readable", "Closeable"]),
    ("Record", &[]),
    ("Runnable", &[]),
    ("RuntimeException", &["Exception"]),
    ("Scanner", &["Iterator", "Closeable"]),
    ("ScheduledExecutorService", &["ExecutorService"]),
    ("Serializable", &[]),
    ("Set", &["Collection"]),
    ("Short", &["Number", "Comparable"]),
    ("DateFormat", &["Format"]),
    ("SimpleDateFormat", &["DateFormat"]),
    ("SortedMap", &["Map"]),
    ("SortedSet", &["Set"]),
    ("Stack", &["Vector"]),
    ("StackTraceElement", &["Serializable"]),
    ("Stream", &["BaseStream"]),
    ("String", &["CharSequence", "Comparable", "Serializable"]),
    ("StringBuffer", &["CharSequence", "Appendable", "Serializable"]),
    ("StringBuilder", &["CharSequence", "Appendable", "Serializable"]),
    ("StringReader", &["Reader"]),
    ("StringWriter", &["Writer"]),
    ("Supplier", &[]),
    ("System", &[]),
    ("Thread", &["Runnable"]),
    ("ThreadFactory", &[]),
    ("ThreadLocal", &[]),
    ("Throwable", &["Serializable"]),
    ("TimeUnit", &["Comparable", "Serializable"]),
    ("TimeZone", &["Cloneable", "Serializable"]),
    ("ToDoubleFunction", &[]),
    ("ToIntFunction", &[]),
    ("ToLongFunction", &[]),
    ("TreeMap", &["AbstractMap", "NavigableMap", "Cloneable", "Serializable"]),
    ("TreeSet", &["AbstractSet", "NavigableSet", "Cloneable", "Serializable"]),
    ("Type", &[]),
    ("TypeVariable", &["Type", "AnnotatedElement"]),
    ("URI", &["Comparable", "Serializable"]),
    ("URL", &["Serializable"]),
    ("UUID", &["Comparable", "Serializable"]),
    ("UnaryOperator", &["Function"]),
    ("Vector", &["AbstractList", "RandomAccess", "Cloneable", "Serializable"]),
    ("Void", &[]),
    ("WeakHashMap", &["AbstractMap"]),
    ("WeakReference", &[]),
    ("WildcardType", &["Type"]),
    ("Writer", &["Appendable", "Closeable", "Flushable"]),
    ("ZonedDateTime", &["Comparable", "Serializable"]),
    ("Deprecated", &[]),
    ("FunctionalInterface", &[]),
    ("Object", &[]),
    ("Override", &[]),
    ("SafeVarargs", &[]),
    ("SuppressWarnings", &[]),
];

/// The interfaces of the platform that a lambda can implement, each with the positions of the type arguments that its
/// parameters have; [`NONE`] for a parameter whose type is no type argument.
const FUNCTIONAL_INTERFACES: &[(&str, &[usize])] = &[
    ("BiConsumer", &[0, 1]),
    ("BiFunction", &[0, 1]),
    ("BiPredicate", &[0, 1]),
    ("BinaryOperator", &[0, 0]),
    ("BooleanSupplier", &[]),
    ("Callable", &[]),
    ("Comparable", &[0]),
    ("Comparator", &[0, 0]),
    ("Consumer", &[0]),
    ("DoubleFunction", &[NONE]),
    ("Executor", &[NONE]),
    ("FileFilter", &[NONE]),
    ("FilenameFilter", &[NONE, NONE]),
    ("Function", &[0]),
    ("IntBinaryOperator", &[NONE, NONE]),
    ("IntConsumer", &[NONE]),
    ("IntFunction", &[NONE]),
    ("IntPredicate", &[NONE]),
    ("IntSupplier", &[]),
    ("IntUnaryOperator", &[NONE]),
    ("LongFunction", &[NONE]),
    ("LongSupplier", &[]),
    ("Predicate", &[0]),
    ("PrivilegedAction", &[]),
    ("Runnable", &[]),
    ("Supplier", &[]),
    ("ThreadFactory", &[NONE]),
    ("ToDoubleFunction", &[0]),
    ("ToIntFunction", &[0]),
    ("ToLongFunction", &[0]),
    ("UnaryOperator", &[0]),
    ("AutoCloseable", &[]),
    ("Closeable", &[]),
    ("InvocationHandler", &[NONE, NONE, NONE]),
    ("UncaughtExceptionHandler", &[NONE, NONE]),
    ("Flushable", &[]),
    ("Iterable", &[]),
    ("Readable", &[NONE]),
];

/// In place of the position of a type argument: the type is primitive, or one of the platform.
const NONE: usize = usize::MAX;

/// The primitive types that are numbers, from the narrowest to the widest; each widens to all that follow it, except that
/// `char` is apart from the narrower ones.
const NUMBERS: &[&str] = &["byte", "short", "char", "int", "long", "float", "double"];

/// Each primitive type with the type of its objects.
const BOXES: &[(&str, &str)] = &[
    ("boolean", "Boolean"),
    ("byte", "Byte"),
    ("char", "Character"),
    ("double", "Double"),
    ("float", "Float"),
    ("int", "Integer"),
    ("long", "Long"),
    ("short", "Short"),
];

/// The index of [`TYPES`] by name.
static BASES: LazyLock<HashMap<&'static str, &'static [&'static str]>> =
    LazyLock::new(|| TYPES.iter().copied().collect());

/// Whether a type of the platform, a primitive one or that of `null` has this name.
pub(in super::super) fn is_well_known_type(name: &str) -> bool {
    BASES.contains_key(name)
        || is_primitive_or_void(name)
        || name == "null"
        || platform_names::base_of_throwable(name).is_some()
        || platform_names::is_further_type(name)
}

/// The direct bases of a type of the platform; `None` if the type is not known.
pub(in super::super) fn bases_of_type(name: &str) -> Option<&'static [&'static str]> {
    match BASES.get(name) {
        Some(bases) => Some(bases),
        None => platform_names::base_of_throwable(name).map(std::slice::from_ref),
    }
}

/// Whether one type of the platform is another one or derives from it; `None` if that is not known.
pub(in super::super) fn is_subtype(name: &str, of: &str) -> Option<bool> {
    if name == of || of == "Object" {
        return Some(true);
    }
    let bases = bases_of_type(name)?;
    if bases.iter().any(|base| is_subtype(base, of) == Some(true)) {
        return Some(true);
    }
    // A type that is not known may be one of those that a known type derives from.
    bases_of_type(of).is_some().then_some(false)
}

/// Whether a name is that of a primitive type, or `void`.
fn is_primitive_or_void(name: &str) -> bool {
    name == "boolean" || name == "void" || NUMBERS.contains(&name)
}

/// The place of a primitive type among those that widen to each other; `None` for types of objects.
pub(in super::super) fn width_of_primitive(name: &str) -> Option<usize> {
    if name == "boolean" {
        return Some(NUMBERS.len());
    }
    NUMBERS.iter().position(|number| *number == name)
}

/// The primitive type whose objects have a type.
pub(in super::super) fn primitive_of_box(name: &str) -> Option<&'static str> {
    BOXES.iter().find(|(_, boxed)| *boxed == name).map(|(primitive, _)| *primitive)
}

/// The primitive type that a value of a type is, or is converted to: the type itself, or that of its objects.
pub(in super::super) fn primitive_of_value(name: &str) -> Option<&'static str> {
    BOXES.iter().find(|(primitive, boxed)| *primitive == name || *boxed == name).map(|(primitive, _)| *primitive)
}

fn box_of(primitive: &str) -> Option<&'static str> {
    BOXES.iter().find(|(name, _)| *name == primitive).map(|(_, of)| *of)
}

/// How well a value of the type `name` fits the type `of`.
pub(in super::super) fn fit_of_type(name: &str, of: &str) -> Fit {
    if name == of {
        return Fit::Exact;
    }
    match (width_of_primitive(name), width_of_primitive(of)) {
        (Some(one), Some(other)) => {
            let widens = one < other && other < NUMBERS.len() && of != "char";
            if widens { Fit::Derived } else { Fit::Not }
        }
        (Some(_), None) => match box_of(name).and_then(|boxed| is_subtype(boxed, of)) {
            Some(true) => Fit::Boxed,
            Some(false) => Fit::Not,
            None => Fit::Unknown,
        },
        (None, Some(other)) => {
            if name == "null" {
                return Fit::Not;
            }
            match BOXES
                .iter()
                .find(|(_, boxed)| *boxed == name)
                .and_then(|(primitive, _)| width_of_primitive(primitive))
            {
                Some(one) if one == other || one < other && other < NUMBERS.len() && of != "char" => Fit::Boxed,
                _ => Fit::Not,
            }
        }
        (None, None) => {
            if name == "null" {
                return Fit::Derived;
            }
            match is_subtype(name, of) {
                Some(true) => Fit::Derived,
                Some(false) => Fit::Not,
                None => Fit::Unknown,
            }
        }
    }
}

/// Whether it is known that objects of a type have no member called `name`: only the members of a few types are all known.
pub(in super::super) fn lacks_member(of: &str, name: &str) -> bool {
    let has_known_members = matches!(
        of,
        "Annotation" | "Cloneable" | "Enum" | "Iterator" | "Object" | "RandomAccess" | "Record" | "Serializable"
    ) || (of != "Comparator" && parameters_of_functional_interface(of).is_some());
    let is_default_method = matches!(
        name,
        "compose"
            | "describeConstable"
            | "forEachRemaining"
            | "identity"
            | "isEqual"
            | "maxBy"
            | "minBy"
            | "not"
            | "spliterator"
    );
    has_known_members && !is_default_method && platform_members::member_names().binary_search(&name).is_err()
}

/// The positions of the type arguments that the parameters of an interface's only method have; `None` if the type is no
/// interface of the platform that a lambda can implement.
pub(in super::super) fn parameters_of_functional_interface(name: &str) -> Option<&'static [usize]> {
    FUNCTIONAL_INTERFACES.iter().find(|(known, _)| *known == name).map(|(_, parameters)| *parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_derive_from_others_at_any_depth() {
        assert_eq!(is_subtype("LinkedHashMap", "Map"), Some(true));
        assert_eq!(is_subtype("ArrayList", "Iterable"), Some(true));
        assert_eq!(is_subtype("String", "Number"), Some(false));
        assert_eq!(is_subtype("Mystery", "Number"), None);
        assert_eq!(is_subtype("IOException", "Throwable"), Some(true));
    }

    #[test]
    fn bases_of_types_are_types() {
        for (name, bases) in TYPES {
            for base in *bases {
                assert!(BASES.contains_key(base), "{name}: {base}");
            }
        }
    }

    #[test]
    fn primitive_values_widen_before_they_are_boxed() {
        assert_eq!(fit_of_type("int", "long"), Fit::Derived);
        assert_eq!(fit_of_type("long", "int"), Fit::Not);
        assert_eq!(fit_of_type("int", "Object"), Fit::Boxed);
        assert_eq!(fit_of_type("char", "CharSequence"), Fit::Not);
        assert_eq!(fit_of_type("byte", "char"), Fit::Not);
        assert_eq!(fit_of_type("boolean", "int"), Fit::Not);
        assert_eq!(fit_of_type("null", "int"), Fit::Not);
    }
}
