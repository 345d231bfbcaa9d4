//! What methods of the Java platform return, and what they pass to lambdas, where that can be of a type of the project.

use std::collections::HashMap;
use std::sync::LazyLock;

use peelback_syntax::names::{Expr, ExprId};

use super::types::{OutsideView, views_as_outside_types};
use super::{lambdas, platform};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::outside::{FirstName, is_written_as_type};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};

/// Rules of methods: the type and the method, what each argument that is a function is given, and the result. `$0` is the
/// first type argument of the receiver, `@0` the value of the first argument, `^0` an element of it, `#0` what the first
/// argument returns if it is a function, and `~0` what a container holds that it returns.
const RULES: &str = "
Iterable.iterator -> Iterator<$0>
Iterable.forEach 0:$0 -> void
Iterable.spliterator -> Spliterator<$0>
Iterator.next -> $0
Iterator.forEachRemaining 0:$0 -> void
ListIterator.previous -> $0
Enumeration.nextElement -> $0
Collection.stream -> Stream<$0>
Collection.parallelStream -> Stream<$0>
Collection.removeIf 0:$0 -> boolean
Collection.toArray -> $0[]
List.get -> $0
List.getFirst -> $0
List.getLast -> $0
List.remove -> $0
List.set -> $0
List.subList -> List<$0>
List.listIterator -> ListIterator<$0>
List.sort 0:$0,$0 -> void
List.replaceAll 0:$0 -> void
List.of -> List<^0>
List.copyOf -> List<^0>
Set.of -> Set<^0>
Set.copyOf -> Set<^0>
Set.remove -> boolean
Collection.remove -> boolean
SortedSet.first -> $0
SortedSet.last -> $0
SortedSet.headSet -> SortedSet<$0>
SortedSet.tailSet -> SortedSet<$0>
NavigableSet.floor -> $0
NavigableSet.ceiling -> $0
NavigableSet.higher -> $0
NavigableSet.lower -> $0
NavigableSet.pollFirst -> $0
NavigableSet.pollLast -> $0
Queue.peek -> $0
Queue.poll -> $0
Queue.element -> $0
Queue.remove -> $0
BlockingQueue.take -> $0
Deque.peekFirst -> $0
Deque.peekLast -> $0
Deque.pollFirst -> $0
Deque.pollLast -> $0
Deque.getFirst -> $0
Deque.getLast -> $0
Deque.removeFirst -> $0
Deque.removeLast -> $0
Deque.pop -> $0
Deque.descendingIterator -> Iterator<$0>
LinkedList.getFirst -> $0
LinkedList.getLast -> $0
LinkedList.removeFirst -> $0
LinkedList.removeLast -> $0
Stack.pop -> $0
Stack.peek -> $0
Stack.push -> $0
Vector.elementAt -> $0
Vector.firstElement -> $0
Vector.lastElement -> $0
Vector.elements -> Enumeration<$0>
Map.get -> $1
Map.put -> $1
Map.remove -> $1
Map.getOrDefault -> $1
Map.putIfAbsent -> $1
Map.replace -> $1
Map.computeIfAbsent 0:$0 1:$0 -> $1
Map.computeIfPresent 1:$0,$1 -> $1
Map.compute 1:$0,$1 -> $1
Map.merge 2:$1,$1 -> $1
Map.forEach 0:$0,$1 -> void
Map.replaceAll 0:$0,$1 -> void
Map.keySet -> Set<$0>
Map.values -> Collection<$1>
Map.entrySet -> Set<Entry<$0,$1>>
Map.of -> Map<@0,@1>
Map.entry -> Entry<@0,@1>
Hashtable.keys -> Enumeration<$0>
Hashtable.elements -> Enumeration<$1>
SortedMap.firstKey -> $0
SortedMap.lastKey -> $0
SortedMap.headMap -> SortedMap<$0,$1>
SortedMap.tailMap -> SortedMap<$0,$1>
SortedMap.subMap -> SortedMap<$0,$1>
NavigableMap.firstEntry -> Entry<$0,$1>
NavigableMap.lastEntry -> Entry<$0,$1>
NavigableMap.floorEntry -> Entry<$0,$1>
NavigableMap.ceilingEntry -> Entry<$0,$1>
NavigableMap.floorKey -> $0
NavigableMap.ceilingKey -> $0
NavigableMap.descendingMap -> SortedMap<$0,$1>
Entry.getKey -> $0
Entry.getValue -> $1
Entry.setValue -> $1
Optional.get -> $0
Optional.orElse -> $0
Optional.orElseGet -> $0
Optional.orElseThrow -> $0
Optional.map 0:$0 -> Optional<#0>
Optional.flatMap 0:$0 -> #0
Optional.filter 0:$0 -> Optional<$0>
Optional.or -> Optional<$0>
Optional.ifPresent 0:$0 -> void
Optional.ifPresentOrElse 0:$0 -> void
Optional.stream -> Stream<$0>
Optional.of -> Optional<@0>
Optional.ofNullable -> Optional<@0>
Stream.filter 0:$0 -> Stream<$0>
Stream.takeWhile 0:$0 -> Stream<$0>
Stream.dropWhile 0:$0 -> Stream<$0>
Stream.map 0:$0 -> Stream<#0>
Stream.flatMap 0:$0 -> Stream<~0>
Stream.mapToInt 0:$0 -> IntStream
Stream.mapToLong 0:$0 -> LongStream
Stream.mapToDouble 0:$0 -> DoubleStream
Stream.distinct -> Stream<$0>
Stream.sorted 0:$0,$0 -> Stream<$0>
Stream.peek 0:$0 -> Stream<$0>
Stream.limit -> Stream<$0>
Stream.skip -> Stream<$0>
Stream.forEach 0:$0 -> void
Stream.forEachOrdered 0:$0 -> void
Stream.anyMatch 0:$0 -> boolean
Stream.allMatch 0:$0 -> boolean
Stream.noneMatch 0:$0 -> boolean
Stream.findFirst -> Optional<$0>
Stream.findAny -> Optional<$0>
Stream.min 0:$0,$0 -> Optional<$0>
Stream.max 0:$0,$0 -> Optional<$0>
Stream.reduce 0:$0,$0 1:$0,$0 -> Optional<$0>
Stream.toList -> List<$0>
Stream.toArray -> $0[]
Stream.iterator -> Iterator<$0>
Stream.count -> long
Stream.of -> Stream<^0>
Stream.concat -> Stream<^0>
Stream.generate -> Stream<#0>
Stream.parallel -> Stream<$0>
Stream.sequential -> Stream<$0>
Stream.onClose -> Stream<$0>
IntStream.mapToObj -> Stream<#0>
LongStream.mapToObj -> Stream<#0>
DoubleStream.mapToObj -> Stream<#0>
Arrays.asList -> List<^0>
Arrays.stream -> Stream<^0>
Arrays.copyOf -> @0
Arrays.copyOfRange -> @0
Arrays.sort 1:^0,^0 -> void
Collections.emptyList -> List
Collections.emptyMap -> Map
Collections.emptySet -> Set
Collections.singletonList -> List<@0>
Collections.singleton -> Set<@0>
Collections.singletonMap -> Map<@0,@1>
Collections.unmodifiableList -> @0
Collections.unmodifiableCollection -> @0
Collections.unmodifiableSet -> @0
Collections.unmodifiableMap -> @0
Collections.synchronizedList -> @0
Collections.synchronizedMap -> @0
Collections.synchronizedSet -> @0
Collections.enumeration -> Enumeration<^0>
Collections.list -> List<^0>
Collections.max -> ^0
Collections.min -> ^0
Collections.sort 1:^0,^0 -> void
Objects.requireNonNull -> @0
Objects.requireNonNullElse -> @0
Objects.requireNonNullElseGet -> @0
Class.newInstance -> $0
Class.cast -> $0
Class.getConstructor -> Constructor<$0>
Class.getDeclaredConstructor -> Constructor<$0>
Class.getEnumConstants -> $0[]
Class.getAnnotation -> $@0
Class.asSubclass -> @0
Class.getSuperclass -> Class
Class.forName -> Class
Class.getComponentType -> Class
Class.getDeclaringClass -> Class
Class.getEnclosingClass -> Class
AnnotatedElement.getAnnotation -> $@0
AnnotatedElement.getAnnotations -> Annotation[]
Constructor.newInstance -> $0
Method.getAnnotation -> $@0
Field.getAnnotation -> $@0
Parameter.getAnnotation -> $@0
AtomicReference.get -> $0
AtomicReference.getAndSet -> $0
AtomicReference.updateAndGet 0:$0 -> $0
AtomicReference.getAndUpdate 0:$0 -> $0
ThreadLocal.get -> $0
ThreadLocal.withInitial -> ThreadLocal<#0>
WeakReference.get -> $0
SoftReference.get -> $0
Reference.get -> $0
Supplier.get -> $0
Callable.call -> $0
Function.apply -> $1
BiFunction.apply -> $2
UnaryOperator.apply -> $0
BinaryOperator.apply -> $0
IntFunction.apply -> $0
Function.andThen -> Function<$0,#0>
Function.identity -> Function
PrivilegedAction.run -> $0
Future.get -> $0
CompletableFuture.get -> $0
CompletableFuture.join -> $0
CompletableFuture.thenApply 0:$0 -> CompletableFuture<#0>
CompletableFuture.thenAccept 0:$0 -> CompletableFuture
CompletableFuture.thenCompose 0:$0 -> #0
CompletableFuture.supplyAsync -> CompletableFuture<#0>
CompletableFuture.completedFuture -> CompletableFuture<@0>
CompletableFuture.whenComplete 0:$0 -> CompletableFuture<$0>
CompletableFuture.handle 0:$0 -> CompletableFuture<#0>
ExecutorService.submit -> Future<#0>
ServiceLoader.load -> ServiceLoader<$@0>
Comparator.compare -> int
Comparator.thenComparing 0:$0,$0 -> Comparator<$0>
Comparator.reversed -> Comparator<$0>
Enum.valueOf -> $@0
Enum.getDeclaringClass -> Class<$0>
EnumSet.of -> EnumSet<@0>
EnumSet.noneOf -> EnumSet<$@0>
EnumSet.allOf -> EnumSet<$@0>
EnumSet.copyOf -> EnumSet<^0>
EnumSet.range -> EnumSet<@0>
";

/// Methods of the platform whose results have a type without arguments: the type, its result type, and the methods.
const RESULTS: &[(&str, &str, &[&str])] = &[
    (
        "String",
        "String",
        &[
            "concat",
            "format",
            "formatted",
            "intern",
            "join",
            "repeat",
            "replace",
            "replaceAll",
            "replaceFirst",
            "strip",
            "stripLeading",
            "stripTrailing",
            "substring",
            "toLowerCase",
            "toUpperCase",
            "trim",
            "valueOf",
            "copyValueOf",
            "indent",
        ],
    ),
    ("String", "int", &["codePointAt", "compareTo", "compareToIgnoreCase", "indexOf", "lastIndexOf", "length"]),
    (
        "String",
        "boolean",
        &[
            "contains",
            "contentEquals",
            "endsWith",
            "equals",
            "equalsIgnoreCase",
            "isBlank",
            "isEmpty",
            "matches",
            "regionMatches",
            "startsWith",
        ],
    ),
    ("String", "char", &["charAt"]),
    ("CharSequence", "char", &["charAt"]),
    ("CharSequence", "int", &["length"]),
    ("CharSequence", "CharSequence", &["subSequence"]),
    ("CharSequence", "boolean", &["isEmpty"]),
    (
        "StringBuilder",
        "StringBuilder",
        &["append", "appendCodePoint", "delete", "deleteCharAt", "insert", "replace", "reverse"],
    ),
    ("StringBuilder", "String", &["substring"]),
    ("StringBuilder", "int", &["capacity", "indexOf", "lastIndexOf", "length"]),
    ("StringBuffer", "StringBuffer", &["append", "delete", "deleteCharAt", "insert", "replace", "reverse"]),
    ("StringBuffer", "String", &["substring"]),
    ("StringBuffer", "int", &["capacity", "indexOf", "length"]),
    ("Class", "String", &["getCanonicalName", "getName", "getSimpleName", "getTypeName", "getPackageName"]),
    ("Class", "int", &["getModifiers"]),
    (
        "Class",
        "boolean",
        &[
            "isAnnotation",
            "isAnnotationPresent",
            "isAnonymousClass",
            "isArray",
            "isAssignableFrom",
            "isEnum",
            "isInstance",
            "isInterface",
            "isLocalClass",
            "isMemberClass",
            "isPrimitive",
            "desiredAssertionStatus",
        ],
    ),
    ("Class", "Package", &["getPackage"]),
    ("Class", "ClassLoader", &["getClassLoader"]),
    ("Class", "Method", &["getMethod", "getDeclaredMethod", "getEnclosingMethod"]),
    ("Class", "Field", &["getField", "getDeclaredField"]),
    ("Class", "Type", &["getGenericSuperclass"]),
    ("Member", "String", &["getName"]),
    ("Member", "int", &["getModifiers"]),
    ("Member", "Class", &["getDeclaringClass"]),
    ("Method", "Class", &["getReturnType"]),
    ("Method", "Object", &["invoke"]),
    ("Method", "Type", &["getGenericReturnType"]),
    ("Executable", "boolean", &["isAnnotationPresent", "isVarArgs"]),
    ("Field", "Class", &["getType"]),
    ("Field", "Object", &["get"]),
    ("Field", "Type", &["getGenericType"]),
    ("Field", "int", &["getInt"]),
    ("Field", "boolean", &["getBoolean", "isAnnotationPresent", "isEnumConstant"]),
    ("Integer", "int", &["parseInt", "compare", "bitCount", "signum", "sum", "max", "min", "compareTo", "intValue"]),
    ("Integer", "String", &["toHexString", "toBinaryString", "toOctalString"]),
    ("Long", "long", &["parseLong", "longValue", "sum", "max", "min"]),
    ("Long", "int", &["compare", "compareTo", "bitCount"]),
    ("Long", "String", &["toHexString"]),
    ("Double", "double", &["parseDouble", "longBitsToDouble"]),
    ("Double", "long", &["doubleToLongBits", "doubleToRawLongBits"]),
    ("Double", "int", &["compare", "compareTo"]),
    ("Double", "boolean", &["isNaN", "isInfinite"]),
    ("Float", "float", &["parseFloat", "intBitsToFloat"]),
    ("Float", "int", &["compare", "floatToIntBits"]),
    ("Float", "boolean", &["isNaN", "isInfinite"]),
    ("Boolean", "boolean", &["parseBoolean", "booleanValue", "logicalAnd", "logicalOr"]),
    ("Character", "boolean", &["isDigit", "isLetter", "isLetterOrDigit", "isLowerCase", "isUpperCase", "isWhitespace"]),
    ("Character", "char", &["charValue", "toLowerCase", "toUpperCase", "toTitleCase"]),
    ("Character", "int", &["getNumericValue", "charCount", "codePointAt"]),
    ("Byte", "byte", &["parseByte", "byteValue"]),
    ("Short", "short", &["parseShort", "shortValue"]),
    ("Number", "int", &["intValue"]),
    ("Number", "long", &["longValue"]),
    ("Number", "double", &["doubleValue"]),
    ("Number", "float", &["floatValue"]),
    ("Number", "short", &["shortValue"]),
    ("Number", "byte", &["byteValue"]),
    (
        "AtomicInteger",
        "int",
        &[
            "get",
            "incrementAndGet",
            "getAndIncrement",
            "decrementAndGet",
            "getAndDecrement",
            "addAndGet",
            "getAndAdd",
            "getAndSet",
        ],
    ),
    (
        "AtomicLong",
        "long",
        &["get", "incrementAndGet", "getAndIncrement", "decrementAndGet", "addAndGet", "getAndAdd", "getAndSet"],
    ),
    ("AtomicBoolean", "boolean", &["get", "compareAndSet", "getAndSet"]),
    (
        "BigInteger",
        "BigInteger",
        &["add", "subtract", "multiply", "divide", "mod", "negate", "pow", "abs", "max", "min"],
    ),
    (
        "BigDecimal",
        "BigDecimal",
        &["add", "subtract", "multiply", "divide", "negate", "setScale", "abs", "max", "min", "round"],
    ),
    ("Math", "double", &["ceil", "floor", "pow", "random", "sqrt", "log", "log10", "exp", "sin", "cos", "rint"]),
    ("System", "long", &["currentTimeMillis", "nanoTime"]),
    ("System", "String", &["getProperty", "getenv", "lineSeparator"]),
    ("System", "int", &["identityHashCode"]),
    ("Collection", "int", &["size"]),
    ("Collection", "boolean", &["add", "addAll", "contains", "containsAll", "isEmpty", "removeAll", "retainAll"]),
    ("List", "int", &["indexOf", "lastIndexOf"]),
    ("Map", "int", &["size"]),
    ("Map", "boolean", &["containsKey", "containsValue", "isEmpty"]),
    ("Iterator", "boolean", &["hasNext"]),
    ("Enumeration", "boolean", &["hasMoreElements"]),
    ("Optional", "boolean", &["isPresent", "isEmpty"]),
    ("IntStream", "int", &["sum"]),
    ("LongStream", "long", &["sum", "count"]),
    ("DoubleStream", "double", &["sum"]),
    ("Arrays", "String", &["deepToString", "toString"]),
    ("Arrays", "int", &["hashCode", "binarySearch", "deepHashCode"]),
    ("Arrays", "boolean", &["equals", "deepEquals"]),
    ("Objects", "int", &["hash", "hashCode"]),
    ("Objects", "boolean", &["equals", "isNull", "nonNull"]),
    ("Objects", "String", &["toString"]),
    ("Collections", "int", &["frequency"]),
    ("Throwable", "String", &["getMessage", "getLocalizedMessage"]),
    ("Throwable", "Throwable", &["getCause", "fillInStackTrace", "initCause"]),
    ("Thread", "Thread", &["currentThread"]),
    ("Thread", "String", &["getName"]),
    ("Thread", "long", &["getId"]),
    ("Thread", "boolean", &["isAlive", "isDaemon", "isInterrupted", "interrupted"]),
    ("File", "String", &["getName", "getPath", "getAbsolutePath", "getParent", "getCanonicalPath"]),
    ("File", "File", &["getParentFile", "getAbsoluteFile", "getCanonicalFile", "createTempFile"]),
    (
        "File",
        "boolean",
        &["exists", "isDirectory", "isFile", "mkdir", "mkdirs", "delete", "createNewFile", "canRead", "canWrite"],
    ),
    ("File", "long", &["length", "lastModified"]),
    ("File", "Path", &["toPath"]),
    ("Path", "Path", &["resolve", "getParent", "getFileName", "toAbsolutePath", "normalize", "relativize"]),
    ("Path", "File", &["toFile"]),
    ("Date", "long", &["getTime"]),
    ("Calendar", "Date", &["getTime"]),
    ("Calendar", "long", &["getTimeInMillis"]),
    ("Calendar", "int", &["get"]),
    ("Locale", "String", &["getLanguage", "getCountry", "getVariant", "getDisplayName"]),
    ("Pattern", "Pattern", &["compile"]),
    ("Pattern", "Matcher", &["matcher"]),
    ("Pattern", "String", &["quote", "pattern"]),
    ("Matcher", "boolean", &["find", "matches", "lookingAt", "hitEnd"]),
    ("Matcher", "String", &["group", "replaceAll", "replaceFirst"]),
    ("Matcher", "int", &["start", "end", "groupCount"]),
    ("StackTraceElement", "String", &["getClassName", "getMethodName", "getFileName"]),
    ("StackTraceElement", "int", &["getLineNumber"]),
    ("ByteArrayOutputStream", "int", &["size"]),
    ("Reader", "int", &["read"]),
    ("BufferedReader", "String", &["readLine"]),
    ("InputStream", "int", &["read", "available"]),
    ("Random", "int", &["nextInt"]),
    ("Random", "long", &["nextLong"]),
    ("Random", "double", &["nextDouble"]),
    ("Random", "boolean", &["nextBoolean"]),
    ("Supplier", "boolean", &["getAsBoolean"]),
    ("IntSupplier", "int", &["getAsInt"]),
    ("LongSupplier", "long", &["getAsLong"]),
    ("BooleanSupplier", "boolean", &["getAsBoolean"]),
    ("Predicate", "boolean", &["test"]),
    ("BiPredicate", "boolean", &["test"]),
    ("Comparable", "int", &["compareTo"]),
    ("Enum", "int", &["compareTo", "ordinal"]),
    ("Enum", "String", &["name"]),
];

/// Methods of the platform whose results are arrays: the type, the type of the elements, and the methods.
const ARRAY_RESULTS: &[(&str, &str, &[&str])] = &[
    ("String", "byte", &["getBytes"]),
    ("String", "char", &["toCharArray"]),
    ("String", "String", &["split"]),
    ("Pattern", "String", &["split"]),
    ("Class", "Method", &["getMethods", "getDeclaredMethods"]),
    ("Class", "Field", &["getFields", "getDeclaredFields"]),
    ("Class", "Constructor", &["getConstructors", "getDeclaredConstructors"]),
    ("Class", "Class", &["getInterfaces", "getClasses", "getDeclaredClasses"]),
    ("Class", "Type", &["getGenericInterfaces"]),
    ("Class", "TypeVariable", &["getTypeParameters"]),
    ("Executable", "Class", &["getParameterTypes", "getExceptionTypes"]),
    ("Executable", "Type", &["getGenericParameterTypes"]),
    ("ParameterizedType", "Type", &["getActualTypeArguments"]),
    ("WildcardType", "Type", &["getLowerBounds", "getUpperBounds"]),
    ("TypeVariable", "Type", &["getBounds"]),
    ("AnnotatedElement", "Annotation", &["getAnnotations", "getDeclaredAnnotations"]),
    ("Throwable", "StackTraceElement", &["getStackTrace"]),
    ("Thread", "StackTraceElement", &["getStackTrace"]),
    ("File", "File", &["listFiles"]),
    ("File", "String", &["list"]),
    ("ByteArrayOutputStream", "byte", &["toByteArray"]),
    ("IntStream", "int", &["toArray"]),
    ("Locale", "Locale", &["getAvailableLocales"]),
];

/// Static methods that make an instance of their type.
const MAKERS: &[&str] = &[
    "copyOf",
    "from",
    "getDefault",
    "getInstance",
    "now",
    "of",
    "ofMillis",
    "ofSeconds",
    "parse",
    "randomUUID",
    "valueOf",
];

/// What a rule says of a result or of what a lambda is given.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Spec {
    TypeArgument(usize),
    Argument(usize),
    ElementOfArgument(usize),
    ResultOfArgument(usize),
    ElementOfResult(usize),
    /// The type argument of an argument: the class that a literal `A.class` names.
    TypeArgumentOfArgument(usize),
    Named(&'static str, Vec<Spec>),
    Array(Box<Spec>),
}

/// What is known of a method.
struct Rule {
    /// For each argument that is a function, what its parameters are.
    lambdas: Vec<(usize, Vec<Spec>)>,
    result: Spec,
}

/// The rules by type and method.
static RULES_BY_TYPE: LazyLock<HashMap<&'static str, HashMap<&'static str, Rule>>> = LazyLock::new(|| {
    let mut by_type: HashMap<&str, HashMap<&str, Rule>> = HashMap::new();
    for ((name, method), rule) in RULES.lines().filter_map(parse_rule) {
        by_type.entry(name).or_default().insert(method, rule);
    }
    by_type
});

fn parse_rule(line: &'static str) -> Option<((&'static str, &'static str), Rule)> {
    let (head, result) = line.split_once(" -> ")?;
    let mut words = head.split(' ');
    let method = words.next()?.split_once('.')?;
    let lambdas = words.filter_map(|word| {
        let (argument, given) = word.split_once(':')?;
        Some((argument.parse().ok()?, parse_specs(given)))
    });
    Some((method, Rule { lambdas: lambdas.collect(), result: parse_spec(result)? }))
}

/// Parses specs that commas separate. Commas inside angle brackets belong to one spec.
fn parse_specs(text: &'static str) -> Vec<Spec> {
    let (mut specs, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                specs.extend(text.get(start..at).and_then(parse_spec));
                start = at + 1;
            }
            _ => {}
        }
    }
    specs.extend(text.get(start..).and_then(parse_spec));
    specs
}

fn parse_spec(text: &'static str) -> Option<Spec> {
    let text = text.trim();
    if let Some(element) = text.strip_suffix("[]") {
        return Some(Spec::Array(Box::new(parse_spec(element)?)));
    }
    let numbered = |mark: &str| text.strip_prefix(mark).and_then(|number| number.parse::<usize>().ok());
    if let Some(index) = numbered("$@") {
        return Some(Spec::TypeArgumentOfArgument(index));
    }
    for (mark, make) in [
        ("$", Spec::TypeArgument as fn(usize) -> Spec),
        ("@", Spec::Argument),
        ("^", Spec::ElementOfArgument),
        ("#", Spec::ResultOfArgument),
        ("~", Spec::ElementOfResult),
    ] {
        if let Some(index) = numbered(mark) {
            return Some(make(index));
        }
    }
    match text.split_once('<') {
        Some((name, rest)) => Some(Spec::Named(name, parse_specs(rest.strip_suffix('>')?))),
        None => Some(Spec::Named(text, Vec::new())),
    }
}

/// A call of a method outside the project.
struct OutsideCall<'a> {
    file: FileId,
    /// The arguments of the call, as expressions of the file.
    arguments: &'a [ExprId],
    /// The possible values of the receiver; empty where there is none.
    receiver: PossibleValues,
    /// The name of the type outside the project that the method is called on, if it is.
    type_name: Option<&'a str>,
    /// The rule of the method with the type arguments of the receiver's type that it is about.
    rule: Option<(&'static Rule, Arguments)>,
}

/// The possible values of a call of `callee`, a method outside the project.
pub(super) fn result_of_call(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let (named, method) = name_of_callee(resolver, file, callee);
    let call = outside_call(resolver, file, named, method, budget);
    if let Some(result) = result_by_receiver(&call, method) {
        return result;
    }
    if method == "collect"
        && let Some(collected) = result_of_collecting(resolver, &call, budget)
    {
        return collected;
    }
    if let Some((rule, arguments)) = &call.rule {
        return values_of_spec(resolver, &call, (&rule.result, arguments), budget);
    }
    if let Some(result) = result_of_plain_method(resolver, &call, method, budget) {
        return result;
    }
    // What is not known of a method is its result only where that can be of a type of the project.
    let may_return = |values: &PossibleValues| {
        values.missing.is_any() || values.list.is_empty() || values.list.iter().any(may_hold_project_value)
    };
    let is_known_type = !call.receiver.list.is_empty()
        && call
            .receiver
            .list
            .iter()
            .all(|value| matches!(value, Value::Outside(name, None) if platform::is_well_known_type(name)));
    if is_known_type {
        return PossibleValues::external();
    }
    let is_open = call.arguments.iter().any(|argument| {
        may_return(&budget.run_nested_within_limits(|budget| resolver.evaluate_expr(file, *argument, budget)))
    }) || call
        .receiver
        .list
        .iter()
        .any(|value| matches!(value, Value::Outside(_, Some(_))) && may_hold_project_value(value));
    if is_open { PossibleValues::unknown() } else { PossibleValues::external() }
}

/// The value of parameter `parameter` of the lambda that is argument `argument` of a call of `callee`.
pub(super) fn value_given_to_lambda(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    (argument, parameter): (usize, usize),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let (named, method) = name_of_callee(resolver, file, callee);
    let call = outside_call(resolver, file, named, method, budget);
    let Some((rule, arguments)) = &call.rule else { return PossibleValues::unknown() };
    let given = rule.lambdas.iter().find(|(of, _)| *of == argument);
    match given.and_then(|(_, given)| given.get(parameter)) {
        Some(spec) => values_of_spec(resolver, &call, (spec, arguments), budget),
        None => PossibleValues::unknown(),
    }
}

/// A callee without its type arguments, and its name.
fn name_of_callee<'r>(resolver: &'r Resolver<'_>, file: FileId, callee: ExprId) -> (ExprId, &'r str) {
    let named = match resolver.expr_by_id(file, callee) {
        Expr::Generic { base: Some(base), .. } => base,
        _ => callee,
    };
    (named, resolver.last_name_of_path(file, named))
}

fn outside_call<'r>(
    resolver: &'r Resolver<'_>,
    file: FileId,
    callee: ExprId,
    method: &str,
    budget: &mut EvaluationBudget,
) -> OutsideCall<'r> {
    let arguments = resolver.names_of_file(file).and_then(|names| names.arguments_of_call(callee)).unwrap_or(&[]);
    let (receiver, type_name) = match resolver.expr_by_id(file, callee) {
        Expr::Member { base, .. } => {
            let receiver = resolver.evaluate_expr(file, base, budget);
            let name = resolver.last_name_of_path(file, base);
            let is_type = receiver.list == [Value::External] && is_written_as_type(name);
            (receiver, is_type.then_some(name))
        }
        Expr::Name { scope, .. } => {
            // A static import, or a method that the type around the call inherits.
            let imported = match resolver.first_name_of_path(file, callee) {
                FirstName::Imported(source) => source.rsplit('.').next(),
                _ => None,
            };
            let receiver = match imported {
                Some(_) => PossibleValues::default(),
                None => resolver.this_value(file, scope, budget),
            };
            (receiver, imported)
        }
        _ => (PossibleValues::default(), None),
    };
    let rule = match type_name {
        Some(name) => rule_of_method(name, method).map(|rule| (rule, None)),
        None => receiver.list.iter().find_map(|value| {
            let views = views_as_outside_types(resolver, value, budget);
            views
                .into_iter()
                .find_map(|OutsideView { name, arguments }| rule_of_method(&name, method).map(|rule| (rule, arguments)))
        }),
    };
    OutsideCall { file, arguments, receiver, type_name, rule }
}

/// The result of a method whose type has no arguments that could be of the project.
fn result_of_plain_method(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    method: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    if let Some(name) = call.type_name {
        if let Some(result) = result_by_table(name, method) {
            return Some(PossibleValues::single(result, true));
        }
        if name == "Math" && matches!(method, "abs" | "max" | "min") {
            let mut all = PossibleValues::default();
            for argument in call.arguments {
                all.add(budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget)));
            }
            return Some(all);
        }
        let makes_own = platform::is_well_known_type(name) && MAKERS.contains(&method);
        return makes_own.then(|| PossibleValues::single(Value::Outside(name.into(), None), true));
    }
    let mut all = PossibleValues::default();
    for value in &call.receiver.list {
        let views = views_as_outside_types(resolver, value, budget);
        let result = views.iter().find_map(|view| result_by_table(&view.name, method))?;
        all.add(PossibleValues::single(result, call.receiver.sure));
    }
    (!all.list.is_empty()).then_some(all)
}

/// The rule of a method that a type of the platform has or inherits.
fn rule_of_method(name: &str, method: &str) -> Option<&'static Rule> {
    if let Some(rule) = RULES_BY_TYPE.get(name).and_then(|methods| methods.get(method)) {
        return Some(rule);
    }
    platform::bases_of_type(name)?.iter().find_map(|base| rule_of_method(base, method))
}

/// The result of a method of the platform whose type has no arguments.
fn result_by_table(name: &str, method: &str) -> Option<Value> {
    let find = |table: &[(&str, &'static str, &[&str])]| {
        table.iter().find(|(of, _, methods)| *of == name && methods.contains(&method)).map(|(_, result, _)| *result)
    };
    if let Some(result) = find(RESULTS) {
        return Some(Value::Outside(result.into(), None));
    }
    if let Some(element) = find(ARRAY_RESULTS) {
        return Some(Value::Container(vec![Value::Outside(element.into(), None)].into()));
    }
    platform::bases_of_type(name)?.iter().find_map(|base| result_by_table(base, method))
}

/// The value of a field outside the project: the length of an array, and constants of numbers and the like.
pub(super) fn value_of_field(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    name: &str,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let of_type = |name: &str| Some(PossibleValues::single(Value::Outside(name.into(), None), true));
    let type_name = resolver.last_name_of_path(file, base);
    if is_written_as_type(type_name)
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9' | b'N' | b'a'))
    {
        if let Some(primitive) = platform::primitive_of_box(type_name) {
            return if primitive == "boolean" { of_type(type_name) } else { of_type(primitive) };
        }
        if matches!(type_name, "BigDecimal" | "BigInteger" | "Duration" | "Instant" | "Locale" | "TimeUnit") {
            return of_type(type_name);
        }
    }
    let receiver = resolver.evaluate_expr(file, base, budget);
    match (name, receiver.list.first()) {
        ("length", Some(Value::Container(_))) => of_type("int"),
        _ => None,
    }
}

/// The result of a method that every object, every array or every enum has.
fn result_by_receiver(call: &OutsideCall<'_>, method: &str) -> Option<PossibleValues> {
    let first = call.receiver.list.first()?;
    let known = |value: Value| Some(PossibleValues::single(value, call.receiver.sure));
    match (method, first) {
        ("getClass", _) if call.arguments.is_empty() => {
            known(Value::Outside("Class".into(), Some(vec![call.receiver.clone()].into())))
        }
        ("clone", Value::Container(_)) => known(first.clone()),
        ("values", Value::Type(def, _)) => known(Value::Container(vec![Value::Instance(*def, None)].into())),
        ("valueOf", Value::Type(def, _)) => known(Value::Instance(*def, None)),
        ("toString" | "name", _) if call.arguments.is_empty() => {
            known(Value::Outside("String".into(), super::no_arguments()))
        }
        ("hashCode" | "ordinal", _) if call.arguments.is_empty() => {
            known(Value::Outside("int".into(), super::no_arguments()))
        }
        _ => None,
    }
}

/// The result of `stream.collect(…)`, if the argument is a call of a usual collector.
fn result_of_collecting(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let stream = call.receiver.list.iter().find_map(|value| match value {
        Value::Outside(name, Some(arguments)) if **name == *"Stream" => Some(arguments.clone()),
        _ => None,
    })?;
    let Expr::Call { callee } = resolver.expr_by_id(call.file, *call.arguments.first()?) else { return None };
    let (named, collector) = name_of_callee(resolver, call.file, callee);
    let element = || stream.first().cloned().unwrap_or_default();
    let container = |name: &str, arguments: Vec<PossibleValues>| {
        Some(PossibleValues::single(Value::Outside(name.into(), Some(arguments.into())), call.receiver.sure))
    };
    let arguments = resolver.names_of_file(call.file)?.arguments_of_call(named).unwrap_or(&[]);
    let inner =
        OutsideCall { file: call.file, arguments, receiver: PossibleValues::default(), type_name: None, rule: None };
    match collector {
        "toList" | "toUnmodifiableList" => container("List", vec![element()]),
        "toSet" | "toUnmodifiableSet" => container("Set", vec![element()]),
        "toMap" | "toUnmodifiableMap" => {
            let key = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(0), &None), budget);
            let value = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(1), &None), budget);
            container("Map", vec![key, value])
        }
        "groupingBy" if arguments.len() == 1 => {
            let key = values_of_spec(resolver, &inner, (&Spec::ResultOfArgument(0), &None), budget);
            let list = container("List", vec![element()])?;
            container("Map", vec![key, list])
        }
        "joining" => Some(PossibleValues::single(Value::Outside("String".into(), None), true)),
        _ => None,
    }
}

fn values_of_spec(
    resolver: &Resolver<'_>,
    call: &OutsideCall<'_>,
    (spec, type_arguments): (&Spec, &Arguments),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let argument = |index: usize, budget: &mut EvaluationBudget| match call.arguments.get(index) {
        Some(argument) => {
            budget.run_nested_within_limits(|budget| resolver.evaluate_expr(call.file, *argument, budget))
        }
        None => PossibleValues::unknown(),
    };
    let result_of = |index: usize, budget: &mut EvaluationBudget| match call.arguments.get(index) {
        Some(argument) => {
            let functions =
                budget.run_nested_within_limits(|budget| resolver.evaluate_callee(call.file, *argument, budget));
            let mut all = PossibleValues { sure: functions.sure, ..PossibleValues::default() };
            for function in &functions.list {
                all.add(lambdas::result_of_function_value(resolver, function, budget));
            }
            if all.list.is_empty() { PossibleValues::unknown() } else { all }
        }
        None => PossibleValues::unknown(),
    };
    match spec {
        // The type argument may not be written: `List list`.
        Spec::TypeArgument(index) => {
            let given = type_arguments.as_ref().and_then(|arguments| arguments.get(*index).cloned());
            let mut given = given.unwrap_or_else(PossibleValues::unknown);
            given.sure &= call.receiver.sure;
            given.missing |= call.receiver.missing;
            given
        }
        Spec::Argument(index) => argument(*index, budget),
        Spec::ElementOfArgument(index) => {
            let values = argument(*index, budget);
            match values.list.iter().any(|value| matches!(value, Value::Container(_) | Value::Outside(_, Some(_)))) {
                true => resolver.values_yielded_by_values(values, budget),
                false => values,
            }
        }
        Spec::ResultOfArgument(index) => result_of(*index, budget),
        Spec::ElementOfResult(index) => {
            let result = result_of(*index, budget);
            resolver.values_yielded_by_values(result, budget)
        }
        Spec::TypeArgumentOfArgument(index) => {
            let values = argument(*index, budget);
            let of = values.list.iter().find_map(|value| match value {
                Value::Outside(_, Some(arguments)) => arguments.first().cloned(),
                _ => None,
            });
            of.unwrap_or_else(PossibleValues::unknown)
        }
        Spec::Named(name, inner) => {
            let arguments: Vec<PossibleValues> =
                inner.iter().map(|spec| values_of_spec(resolver, call, (spec, type_arguments), budget)).collect();
            let arguments = (!arguments.is_empty()).then(|| arguments.into());
            PossibleValues::single(Value::Outside((*name).into(), arguments), true)
        }
        Spec::Array(element) => {
            let element = values_of_spec(resolver, call, (element, type_arguments), budget);
            if element.list.is_empty() { PossibleValues::unknown() } else { element.into_container() }
        }
    }
}

/// Whether a value is of a type of the project, or may hold one.
fn may_hold_project_value(value: &Value) -> bool {
    match value {
        Value::Outside(_, Some(arguments)) => arguments.iter().any(|argument| {
            argument.missing.is_any() || argument.list.is_empty() || argument.list.iter().any(may_hold_project_value)
        }),
        Value::Outside(_, None) | Value::External => false,
        Value::Container(held) => held.iter().any(may_hold_project_value),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_understood() {
        let lines = RULES.lines().filter(|line| !line.is_empty());
        assert_eq!(lines.count(), RULES_BY_TYPE.values().map(HashMap::len).sum::<usize>());
    }

    #[test]
    fn methods_of_bases_have_rules() {
        assert!(rule_of_method("ArrayList", "get").is_some());
        assert!(rule_of_method("LinkedHashMap", "entrySet").is_some());
        assert!(rule_of_method("TreeSet", "iterator").is_some());
        assert!(rule_of_method("String", "length").is_none());
        let rule = rule_of_method("Map", "entrySet").map(|rule| rule.result.clone());
        let entry = Spec::Named("Entry", vec![Spec::TypeArgument(0), Spec::TypeArgument(1)]);
        assert_eq!(rule, Some(Spec::Named("Set", vec![entry])));
    }
}
