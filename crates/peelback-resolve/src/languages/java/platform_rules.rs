//! The rules of methods of the Java platform that return what their receiver or their arguments hold.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::platform;

/// Rules of methods: the type and the method, what each argument that is a function is given, and the result. `$0` is the
/// first type argument of the receiver, `@0` the value of the first argument, `^0` an element of it, `#0` what the first
/// argument returns if it is a function, `~0` what a container holds that it returns, and `$@0` the first type argument of
/// the first argument: the type that a class literal names. `/2` behind a method says that the rule is about calls with two
/// arguments. If no rule of a method is about a call, its result is not known.
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
Collection.toArray/0 -> Object[]
Collection.toArray/1 -> $0[]
List.get -> $0
List.getFirst -> $0
List.getLast -> $0
List.remove/1 -> $0
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
Queue.remove/0 -> $0
Queue.remove/1 -> boolean
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
Map.remove/1 -> $1
Map.remove/2 -> boolean
Map.getOrDefault -> $1
Map.putIfAbsent -> $1
Map.replace/2 -> $1
Map.replace/3 -> boolean
Map.computeIfAbsent 0:$0 1:$0 -> $1
Map.computeIfPresent 1:$0,$1 -> $1
Map.compute 1:$0,$1 -> $1
Map.merge 2:$1,$1 -> $1
Map.forEach 0:$0,$1 -> void
Map.replaceAll 0:$0,$1 -> void
Map.keySet -> Set<$0>
Map.values -> Collection<$1>
Map.entrySet -> Set<Entry<$0,$1>>
Map.of/2 -> Map<@0,@1>
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
Stream.reduce/1 0:$0,$0 -> Optional<$0>
Stream.reduce/2 1:$0,$0 -> $0
Stream.toList -> List<$0>
Stream.toArray/0 -> Object[]
Stream.toArray/1 -> $0[]
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
Arrays.copyOf/2 -> @0
Arrays.copyOfRange/3 -> @0
Arrays.sort/1 -> void
Arrays.sort/2 1:^0,^0 -> void
Arrays.sort/4 3:^0,^0 -> void
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
ExecutorService.submit/1 -> Future<#0>
ExecutorService.submit/2 -> Future<@1>
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

/// What a rule says of a result or of what a lambda is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
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
pub(super) struct Rule {
    /// The number of arguments of the calls that the rule is about; `None` if it is about all.
    count: Option<usize>,
    /// For each argument that is a function, what its parameters are.
    pub lambdas: Vec<(usize, Vec<Spec>)>,
    pub result: Spec,
}

/// The rules by type and method.
static RULES_BY_TYPE: LazyLock<HashMap<&'static str, HashMap<&'static str, Vec<Rule>>>> = LazyLock::new(|| {
    let mut by_type: HashMap<&str, HashMap<&str, Vec<Rule>>> = HashMap::new();
    for ((name, method), rule) in RULES.lines().filter_map(parse_rule) {
        by_type.entry(name).or_default().entry(method).or_default().push(rule);
    }
    by_type
});

fn parse_rule(line: &'static str) -> Option<((&'static str, &'static str), Rule)> {
    let (head, result) = line.split_once(" -> ")?;
    let mut words = head.split(' ');
    let (name, method) = words.next()?.split_once('.')?;
    let (method, count) = match method.split_once('/') {
        Some((method, count)) => (method, Some(count.parse().ok()?)),
        None => (method, None),
    };
    let lambdas = words.filter_map(|word| {
        let (argument, given) = word.split_once(':')?;
        Some((argument.parse().ok()?, parse_specs(given)))
    });
    Some(((name, method), Rule { count, lambdas: lambdas.collect(), result: parse_spec(result)? }))
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

/// What the rules say of a method.
#[derive(Clone, Copy)]
pub(super) enum KnownRule {
    Rule(&'static Rule),
    /// The method has rules, but none for that number of arguments.
    OtherOverload,
}

/// The rule of a method that a type of the platform has or inherits, for calls with `count` arguments.
pub(super) fn rule_of_method(name: &str, method: &str, count: usize) -> Option<KnownRule> {
    let rules = RULES_BY_TYPE.get(name).and_then(|methods| methods.get(method));
    let fits = |rule: &&Rule| rule.count.is_none_or(|of| of == count);
    if let Some(rule) = rules.and_then(|rules| rules.iter().find(fits)) {
        return Some(KnownRule::Rule(rule));
    }
    let inherited = platform::bases_of_type(name)?.iter().find_map(|base| rule_of_method(base, method, count));
    inherited.or(rules.map(|_| KnownRule::OtherOverload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_understood() {
        let lines = RULES.lines().filter(|line| !line.is_empty());
        assert_eq!(lines.count(), RULES_BY_TYPE.values().flat_map(HashMap::values).map(Vec::len).sum::<usize>());
    }

    #[test]
    fn methods_of_bases_have_rules() {
        assert!(rule_of_method("ArrayList", "get", 1).is_some());
        assert!(rule_of_method("LinkedHashMap", "entrySet", 0).is_some());
        assert!(rule_of_method("TreeSet", "iterator", 0).is_some());
        assert!(rule_of_method("String", "length", 0).is_none());
        assert!(matches!(rule_of_method("Stream", "reduce", 3), Some(KnownRule::OtherOverload)));
        let Some(KnownRule::Rule(rule)) = rule_of_method("Map", "entrySet", 0) else { panic!("no rule") };
        let entry = Spec::Named("Entry", vec![Spec::TypeArgument(0), Spec::TypeArgument(1)]);
        assert_eq!(rule.result, Spec::Named("Set", vec![entry]));
    }
}
