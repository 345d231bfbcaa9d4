//! The rules of functions and properties of Kotlin's standard library.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Rules: the type (none for functions without a receiver) and the names; behind a colon what a lambda is given, where
/// `this=` is its receiver; and the result. `S` is the receiver, `$0` its first type argument, `@0` the first argument, `^0`
/// an element of it, `^` any of the arguments, `#` what the last argument returns if it is a function, `~` an element of that.
/// `-` is a result of which nothing is known.
const RULES: &str = "
.run -> #
.with this=@0 -> #
.lazy -> Lazy<#>
.listOf,mutableListOf,arrayListOf,listOfNotNull -> List<^>
.setOf,mutableSetOf,hashSetOf,linkedSetOf -> Set<^>
.arrayOf,arrayOfNotNull -> Array<^>
.sequenceOf -> Sequence<^>
.flowOf -> Flow<^>
.generateSequence :@0 -> Sequence<@0>
.requireNotNull,checkNotNull -> @0
.synchronized,runBlocking,runCatching,measureTimedValue -> #
.maxOf,minOf -> @0
.async -> Deferred<#>
.withContext,coroutineScope,supervisorScope,withTimeout,withTimeoutOrNull -> #
.MutableStateFlow -> MutableStateFlow<@0>
.WeakReference -> WeakReference<@0>
.AtomicReference -> AtomicReference<@0>
.buildString this=StringBuilder -> String
.Pair -> Pair<@0,@1>
.Triple -> Triple<@0,@1,@2>
.Array,List,MutableList :Int -> List<#>
Any.let :S -> #
Any.run this=S -> #
Any.apply this=S -> S
Any.also :S -> S
Any.takeIf,takeUnless :S -> S
Any.use :S -> #
Any.to -> Pair<S,@0>
Any.toString -> String
Any.hashCode -> Int
Any.equals -> Boolean
Any.javaClass -> Class<S>
Any.asReversed -> S
KClass.java,javaObjectType,javaPrimitiveType -> Class<$0>
Lazy.value,getValue -> $0
Deferred.await -> $0
WeakReference.get -> $0
AtomicReference.get,getAndSet,updateAndGet -> $0
StateFlow.value -> $0
Pair.first,component1 -> $0
Pair.second,component2 -> $1
Triple.first,component1 -> $0
Triple.second,component2 -> $1
Triple.third,component3 -> $2
IndexedValue.index,component1 -> Int
IndexedValue.value,component2 -> $0
Entry.key,component1,getKey -> $0
Entry.value,component2,getValue,setValue -> $1
Result.getOrNull,getOrThrow -> $0
Result.onSuccess :$0 -> S
Result.getOrElse,getOrDefault -> $0
Result.map :$0 -> Result<#>
Iterator.next -> $0
Iterator.iterator -> S
Iterator.asSequence -> Sequence<$0>
Iterator.forEach :$0 -> Unit
Map.get,getValue,remove,put -> $1
Map.getOrPut,getOrElse,getOrDefault,putIfAbsent -> $1
Map.keys,keySet -> Set<$0>
Map.values -> Collection<$1>
Map.entries -> Set<Entry<$0,$1>>
Map.toList -> List<Pair<$0,$1>>
Map.iterator -> Iterator<Entry<$0,$1>>
Map.forEach :Entry<$0,$1> -> Unit
Map.onEach :Entry<$0,$1> -> S
Map.map,mapNotNull :Entry<$0,$1> -> List<#>
Map.flatMap :Entry<$0,$1> -> List<~>
Map.filter,filterNot :Entry<$0,$1> -> Map<$0,$1>
Map.filterKeys :$0 -> Map<$0,$1>
Map.filterValues :$1 -> Map<$0,$1>
Map.mapValues :Entry<$0,$1> -> Map<$0,#>
Map.mapKeys :Entry<$0,$1> -> Map<#,$1>
Map.any,all,none,count :Entry<$0,$1> -> Boolean
Map.firstOrNull,first,maxByOrNull,minByOrNull,maxBy,minBy :Entry<$0,$1> -> Entry<$0,$1>
Map.toMap,toMutableMap,toSortedMap,plus,minus,orEmpty -> Map<$0,$1>
Map.asSequence -> Sequence<Entry<$0,$1>>
Map.size -> Int
Map.containsKey,contains,isEmpty,isNotEmpty,containsValue -> Boolean
Map.computeIfAbsent :$0 -> $1
Iterable.iterator -> Iterator<$0>
Iterable.forEach :$0 -> Unit
Iterable.collect,collectLatest :$0 -> Unit
Iterable.forEachIndexed :Int,$0 -> Unit
Iterable.onEach :$0 -> S
Iterable.map,mapNotNull :$0 -> List<#>
Iterable.mapIndexed,mapIndexedNotNull :Int,$0 -> List<#>
Iterable.mapTo,mapNotNullTo :$0 -> @0
Iterable.flatMap :$0 -> List<~>
Iterable.flatten -> List<-0>
Iterable.filter,filterNot,takeWhile,dropWhile,dropLastWhile,takeLastWhile,distinctBy :$0 -> List<$0>
Iterable.filterTo,filterNotTo :$0 -> @0
Iterable.filterIndexed :Int,$0 -> List<$0>
Iterable.sortedBy,sortedByDescending :$0 -> List<$0>
Iterable.sortBy,sortByDescending,removeAll,removeIf,retainAll :$0 -> Unit
Iterable.sortedWith :$0,$0 -> List<$0>
Iterable.filterNotNull,take,drop,takeLast,dropLast,distinct,toList,toMutableList,reversed,sorted,sortedDescending,shuffled,plus,minus,orEmpty,subList,asIterable,asList,ifEmpty,slice,union,intersect,toTypedArray,copyOf,copyOfRange,asFlow,onEmpty,flowOn,buffer,conflate,distinctUntilChanged -> List<$0>
Iterable.toSet,toMutableSet,toHashSet,toSortedSet -> Set<$0>
Iterable.asSequence -> Sequence<$0>
Iterable.withIndex -> Iterable<IndexedValue<$0>>
Iterable.first,firstOrNull,last,lastOrNull,single,singleOrNull,find,findLast,maxBy,minBy,maxByOrNull,minByOrNull,random,randomOrNull :$0 -> $0
Iterable.maxOrNull,minOrNull,max,min,elementAt,elementAtOrNull -> $0
Iterable.firstNotNullOf,firstNotNullOfOrNull :$0 -> #
Iterable.get,getOrNull,set,removeAt,removeFirst,removeLast,removeFirstOrNull,removeLastOrNull,pop,peek,poll,component1,component2,component3,component4,component5 -> $0
Iterable.getOrElse -> $0
Iterable.any,all,none :$0 -> Boolean
Iterable.count,sumOf,sumBy,indexOfFirst,indexOfLast :$0 -> Int
Iterable.maxOf,minOf,maxOfOrNull,minOfOrNull :$0 -> #
Iterable.contains,isEmpty,isNotEmpty,containsAll,add,addAll,remove -> Boolean
Iterable.size,indexOf,lastIndex,lastIndexOf -> Int
Iterable.indices -> IntRange
Iterable.joinToString,joinTo :$0 -> String
Iterable.fold :@0,$0 -> @0
Iterable.foldRight :$0,@0 -> @0
Iterable.reduce,reduceOrNull :$0,$0 -> $0
Iterable.groupBy :$0 -> Map<#,List<$0>>
Iterable.associateBy :$0 -> Map<#,$0>
Iterable.associateWith :$0 -> Map<$0,#>
Iterable.associate :$0 -> Map
Iterable.partition :$0 -> Pair<List<$0>,List<$0>>
Iterable.zip -> List<Pair<$0,^0>>
Iterable.zipWithNext -> List<Pair<$0,$0>>
Iterable.chunked,windowed -> List<List<$0>>
Iterable.toMap -> Map
Array.map,mapNotNull :$0 -> List<#>
CharSequence.length,indexOf,lastIndexOf,lastIndex,compareTo,toInt,count -> Int
CharSequence.toLong -> Long
CharSequence.isEmpty,isNotEmpty,isBlank,isNotBlank,startsWith,endsWith,contains,equals,matches,isNullOrEmpty,isNullOrBlank,any,all -> Boolean
CharSequence.split,lines,chunked -> List<String>
CharSequence.get,first,last,single -> Char
CharSequence.let :S -> #
String.plus,substring,substringBefore,substringAfter,substringBeforeLast,substringAfterLast,trim,trimIndent,trimMargin,replace,replaceFirst,uppercase,lowercase,toUpperCase,toLowerCase,format,padStart,padEnd,removePrefix,removeSuffix,repeat,capitalize,decapitalize,reversed,take,drop,filter,intern,trimStart,trimEnd,ifEmpty,ifBlank,orEmpty,dropLast,takeLast,removeSurrounding -> String
String.toByteArray,encodeToByteArray -> ByteArray
String.toCharArray -> CharArray
Int.plus,minus,times,div,rem,unaryMinus,and,or,xor,shl,shr,ushr,inv,coerceAtLeast,coerceAtMost,coerceIn,inc,dec,toInt -> Int
Int.rangeTo,until,downTo,step -> IntRange
Long.plus,minus,times,div,rem,unaryMinus,and,or,xor,shl,shr,ushr,inv,coerceAtLeast,coerceAtMost,coerceIn,toLong -> Long
Double.plus,minus,times,div,rem,unaryMinus,toDouble -> Double
Float.plus,minus,times,div,rem,unaryMinus,toFloat -> Float
Number.toInt -> Int
Number.toLong -> Long
Number.toByte -> Byte
Number.toShort -> Short
Number.toDouble -> Double
Number.toFloat -> Float
Char.code,toInt -> Int
IntRange.iterator -> Iterator<Int>
IntRange.forEach :Int -> Unit
IntRange.map :Int -> List<#>
IntRange.first,last,step -> Int
Enum.name -> String
Enum.ordinal -> Int
<type>.values -> Array<$0>
<type>.entries -> List<$0>
<type>.valueOf -> $0
";

/// What a rule says of a result, or of what a lambda is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
    Receiver,
    TypeArgument(usize),
    Argument(usize),
    ElementOfArgument(usize),
    ElementsOfArguments,
    Result,
    ElementOfResult,
    Named(&'static str, Vec<Spec>),
}

/// What is known of a function or property.
#[derive(Debug)]
pub(super) struct Rule {
    /// What a lambda is given.
    pub given: Vec<Spec>,
    /// What `this` is in a lambda.
    pub this: Option<Spec>,
    /// What is returned; `None` if nothing is known of it.
    pub result: Option<Spec>,
}

static RULES_BY_TYPE: LazyLock<HashMap<&'static str, HashMap<&'static str, Rule>>> = LazyLock::new(|| {
    let mut by_type: HashMap<&str, HashMap<&str, Rule>> = HashMap::new();
    for line in RULES.lines() {
        let Some((head, result)) = line.split_once(" -> ") else { continue };
        let (path, given) = head.split_once(' ').unwrap_or((head, ""));
        let Some((name, methods)) = path.split_once('.') else { continue };
        for method in methods.split(',') {
            let rule = Rule {
                given: given.strip_prefix(':').map_or_else(Vec::new, parse_specs),
                this: given.strip_prefix("this=").and_then(parse_spec),
                result: parse_spec(result),
            };
            by_type.entry(name).or_default().entry(method).or_insert(rule);
        }
    }
    by_type
});

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
    let numbered = |mark: &str| text.strip_prefix(mark).and_then(|number| number.parse::<usize>().ok());
    match text {
        "S" => return Some(Spec::Receiver),
        "#" => return Some(Spec::Result),
        "~" => return Some(Spec::ElementOfResult),
        "^" => return Some(Spec::ElementsOfArguments),
        _ if text.starts_with('-') || text.is_empty() => return None,
        _ => {}
    }
    for (mark, make) in
        [("$", Spec::TypeArgument as fn(usize) -> Spec), ("@", Spec::Argument), ("^", Spec::ElementOfArgument)]
    {
        if let Some(index) = numbered(mark) {
            return Some(make(index));
        }
    }
    match text.split_once('<') {
        Some((name, rest)) => Some(Spec::Named(name, parse_specs(rest.strip_suffix('>')?))),
        None => Some(Spec::Named(text, Vec::new())),
    }
}

/// The rule of a member that a type has or inherits.
pub(super) fn rule_of_type(name: &str, method: &str) -> Option<&'static Rule> {
    if let Some(rule) = RULES_BY_TYPE.get(name).and_then(|methods| methods.get(method)) {
        return Some(rule);
    }
    let bases: &[&str] = match super::types::BASES.get(name) {
        Some(bases) => bases,
        None => crate::languages::jvm::platform::bases_of_type(name).unwrap_or(&[]),
    };
    bases.iter().find_map(|base| rule_of_type(base, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_understood() {
        for line in RULES.lines().filter(|line| !line.is_empty()) {
            assert!(line.contains(" -> ") && line.contains('.'), "{line}");
        }
        let rule = rule_of_type("MutableList", "map").unwrap();
        assert_eq!(rule.given, [Spec::TypeArgument(0)]);
        assert_eq!(rule.result, Some(Spec::Named("List", vec![Spec::Result])));
        assert!(rule_of_type("Mystery", "map").is_none());
    }
}
