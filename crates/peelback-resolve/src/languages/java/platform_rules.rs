//! The rules of methods of the Java platform that return what their receiver or their arguments hold.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::platform;

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
    /// For each argument that is a function, what its parameters are.
    pub lambdas: Vec<(usize, Vec<Spec>)>,
    pub result: Spec,
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

/// The rule of a method that a type of the platform has or inherits.
pub(super) fn rule_of_method(name: &str, method: &str) -> Option<&'static Rule> {
    if let Some(rule) = RULES_BY_TYPE.get(name).and_then(|methods| methods.get(method)) {
        return Some(rule);
    }
    platform::bases_of_type(name)?.iter().find_map(|base| rule_of_method(base, method))
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
