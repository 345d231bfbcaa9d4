//! Types of annotations that leave open what a value is, or what it holds.

use peelback_syntax::names::ExprId;

use crate::modules::FileId;
use crate::resolve::outside::FirstName;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::PossibleValues;

/// A module whose types leave something open, with their names. The module of a name without one is that of the builtins.
struct OpenTypes {
    module: &'static str,
    /// Types whose instances can be anything, or have attributes of any type.
    of_anything: &'static [&'static str],
    /// Types whose instances hold, give or return values: without the types of these, nothing is known of them.
    containers: &'static [&'static str],
}

const BUILTINS: OpenTypes = OpenTypes {
    module: "builtins",
    // An `object` is one that the code asks for more.
    of_anything: &["object", "type"],
    containers: &["dict", "frozenset", "list", "set", "tuple"],
};

#[rustfmt::skip]
const MODULES: &[OpenTypes] = &[
    OpenTypes { module: "argparse", of_anything: &["Namespace"], containers: &[] },
    OpenTypes { module: "asyncio", of_anything: &[], containers: &["Future", "LifoQueue", "PriorityQueue", "Queue", "Task"] },
    OpenTypes {
        module: "collections",
        of_anything: &[],
        containers: &[
            "ChainMap", "OrderedDict", "UserDict", "UserList", "defaultdict", "deque", "AsyncGenerator", "AsyncIterable",
            "AsyncIterator", "Awaitable", "Callable", "Collection", "Container", "Coroutine", "Generator", "ItemsView",
            "Iterable", "Iterator", "Mapping", "MutableMapping", "MutableSequence", "MutableSet", "Reversible", "Sequence",
            "Set", "ValuesView",
        ],
    },
    OpenTypes { module: "concurrent", of_anything: &[], containers: &["Future"] },
    OpenTypes { module: "contextvars", of_anything: &[], containers: &["ContextVar"] },
    OpenTypes { module: "multiprocessing", of_anything: &[], containers: &["JoinableQueue", "Queue", "SimpleQueue"] },
    OpenTypes { module: "queue", of_anything: &[], containers: &["LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"] },
    OpenTypes { module: "threading", of_anything: &["local"], containers: &[] },
    OpenTypes { module: "types", of_anything: &["SimpleNamespace"], containers: &["MappingProxyType"] },
    TYPING,
    OpenTypes { module: "typing_extensions", ..TYPING },
    OpenTypes { module: "weakref", of_anything: &[], containers: &["WeakKeyDictionary", "WeakSet", "WeakValueDictionary", "ref"] },
];

#[rustfmt::skip]
const TYPING: OpenTypes = OpenTypes {
    module: "typing",
    of_anything: &["Any", "AnyStr", "Optional", "Type", "Union"],
    containers: &[
        "AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Callable", "ChainMap", "Collection", "Container",
        "Coroutine", "DefaultDict", "Deque", "Dict", "FrozenSet", "Generator", "ItemsView", "Iterable", "Iterator", "List",
        "Mapping", "MutableMapping", "MutableSequence", "MutableSet", "OrderedDict", "Reversible", "Sequence", "Set",
        "Tuple", "ValuesView",
    ],
};

/// What is known of an instance of the type that an annotation or a call names, where the type leaves it open.
pub(super) fn instance_of_open_type(resolver: &Resolver<'_>, file: FileId, of: ExprId) -> Option<PossibleValues> {
    let name = resolver.last_name_of_path(file, of);
    let types = match resolver.first_name_of_path(file, of) {
        FirstName::Unbound(first) if first == name => &BUILTINS,
        FirstName::Imported(source) => {
            let top = source.split('.').next().unwrap_or_default();
            MODULES.iter().find(|types| types.module == top)?
        }
        _ => return None,
    };
    if types.of_anything.contains(&name) {
        Some(PossibleValues::unknown())
    } else if types.containers.contains(&name) {
        Some(PossibleValues::container_of_unknown_elements())
    } else {
        None
    }
}
