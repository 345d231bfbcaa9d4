//! What is known of Ruby's own classes: their names, and the names of their methods.

/// The name of the language.
pub(super) const NAME: &str = "ruby";

/// The name of the language of templates with Ruby code.
pub(super) const NAME_OF_TEMPLATES: &str = "erb";

/// Whether a path is that of a class or module of Ruby itself. A project that opens it adds to it.
pub(super) fn is_core_type(path: &str) -> bool {
    CORE_TYPES.binary_search(&path).is_ok()
}

/// The names of Ruby's own classes and modules, in byte order.
#[rustfmt::skip]
const CORE_TYPES: &[&str] = &[
    "ArgumentError", "Array", "BasicObject", "Class", "Comparable", "Complex", "Data", "Date", "DateTime", "Dir",
    "Encoding", "Enumerable", "Enumerator", "Errno", "Exception", "FalseClass", "Fiber", "File", "FileTest", "Float",
    "GC", "Hash", "IO", "Integer", "Kernel", "LoadError", "Marshal", "MatchData", "Math", "Method", "Module", "Mutex",
    "NameError", "NilClass", "NoMethodError", "Numeric", "Object", "ObjectSpace", "Pathname", "Proc", "Process",
    "Queue", "Random", "Range", "Rational", "Regexp", "RuntimeError", "Set", "Signal", "StandardError", "String",
    "StringIO", "Struct", "Symbol", "Thread", "Time", "TrueClass", "UnboundMethod",
];

/// Whether every object has a method of this name.
pub(super) fn is_method_of_every_object(name: &str) -> bool {
    METHODS_OF_EVERY_OBJECT.binary_search(&name).is_ok()
}

/// The names of methods that every object has, in byte order.
#[rustfmt::skip]
const METHODS_OF_EVERY_OBJECT: &[&str] = &[
    "!", "!=", "!~", "<=>", "==", "===", "=~", "Array", "Float", "Hash", "Integer", "String", "__id__", "__method__",
    "__send__", "abort", "at_exit", "autoload", "binding", "block_given?", "caller", "caller_locations", "catch",
    "class", "clone", "define_singleton_method", "display", "dup", "enum_for", "eql?", "equal?", "eval", "exec",
    "exit", "exit!", "extend", "fail", "fork", "format", "freeze", "frozen?", "gets", "global_variables", "hash",
    "inspect", "instance_eval", "instance_exec", "instance_of?", "instance_variable_defined?",
    "instance_variable_get", "instance_variable_set", "instance_variables", "is_a?", "itself", "kind_of?", "lambda",
    "load", "local_variables", "loop", "method", "methods", "nil?", "object_id", "open", "p", "pp", "print", "printf",
    "proc", "public_method", "public_send", "putc", "puts", "raise", "rand", "readline", "readlines",
    "remove_instance_variable", "require", "require_relative", "respond_to?", "respond_to_missing?", "select", "send",
    "set_trace_func", "singleton_class", "singleton_method", "singleton_methods", "sleep", "spawn", "sprintf",
    "srand", "syscall", "system", "tap", "test", "then", "throw", "to_enum", "to_s", "trace_var", "trap",
    "untrace_var", "warn", "yield_self",
];

/// Whether every class has a method of this name.
pub(super) fn is_method_of_every_type(name: &str) -> bool {
    METHODS_OF_EVERY_TYPE.binary_search(&name).is_ok()
}

/// The names of methods that every class has, in byte order.
#[rustfmt::skip]
const METHODS_OF_EVERY_TYPE: &[&str] = &[
    "<", "<=", "===", ">", ">=", "alias_method", "allocate", "ancestors", "attr", "attr_accessor", "attr_reader",
    "attr_writer", "class_eval", "class_exec", "class_variable_get", "class_variable_set", "class_variables",
    "const_defined?", "const_get", "const_missing", "const_set", "constants", "define_method", "include", "include?",
    "included_modules", "instance_method", "instance_methods", "method_defined?", "module_eval", "module_exec",
    "module_function", "name", "new", "prepend", "private", "private_class_method", "private_constant",
    "private_instance_methods", "private_method_defined?", "protected", "public", "public_class_method",
    "public_instance_method", "public_instance_methods", "public_method_defined?", "refine", "remove_class_variable",
    "remove_const", "remove_method", "subclasses", "superclass", "undef_method", "using",
];

/// Whether the methods of a core class return values of core classes alone, and not what it holds.
pub(super) fn has_methods_that_return_core_values(type_name: &str) -> bool {
    matches!(
        type_name,
        "String"
            | "Symbol"
            | "Integer"
            | "Float"
            | "Regexp"
            | "TrueClass"
            | "FalseClass"
            | "Time"
            | "Date"
            | "DateTime"
            | "Pathname"
            | "StringIO"
            | "MatchData"
    )
}

/// Whether a method of this name returns a value of a core class, whatever its receiver is.
pub(super) fn returns_core_value(name: &str) -> bool {
    matches!(
        name,
        "to_s"
            | "to_str"
            | "to_sym"
            | "to_i"
            | "to_f"
            | "inspect"
            | "length"
            | "size"
            | "count"
            | "hash"
            | "object_id"
            | "empty?"
            | "nil?"
            | "is_a?"
            | "kind_of?"
            | "respond_to?"
            | "include?"
            | "key?"
            | "any?"
            | "all?"
            | "none?"
            | "join"
            | "name"
            | "keys"
            | "=="
            | "!="
            | "<"
            | ">"
            | "<="
            | ">="
            | "<=>"
            | "frozen?"
            | "eql?"
            | "equal?"
    )
}

/// Whether a method of a class that is stored in a database returns an object of the class, by convention.
pub(super) fn is_finder(name: &str) -> bool {
    matches!(
        name,
        "find"
            | "find_by"
            | "find_by!"
            | "create"
            | "create!"
            | "first"
            | "first!"
            | "last"
            | "last!"
            | "build"
            | "take"
            | "find_or_create_by"
            | "find_or_create_by!"
            | "find_or_initialize_by"
            | "instance"
            | "allocate"
            | "[]"
    )
}

/// The names of methods of Ruby's own classes, in byte order.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "!", "!=", "%", "&", "*", "**", "+", "+@", "-", "-@", "/", "<", "<<", "<=", "<=>", "==", "===", "=~", ">", ">=",
    ">>", "[]", "[]=", "^", "abs", "accept", "add", "all?", "any?", "append", "arity", "assoc", "at", "backtrace",
    "basename", "between?", "bind", "binmode", "bytes", "bytesize", "call", "capitalize", "ceil", "center", "chars",
    "children", "chomp", "chop", "chr", "chunk", "chunk_while", "clamp", "class", "clear", "clone", "close",
    "closed?", "codepoints", "coerce", "collect", "collect_concat", "combination", "compact", "compact!",
    "compare_by_identity", "concat", "count", "cover?", "curry", "cycle", "day", "default", "default=", "delete",
    "delete!", "delete_at", "delete_if", "detect", "difference", "dig", "dirname", "divmod", "downcase", "downto",
    "drop", "drop_while", "dump", "dup", "each", "each_char", "each_cons", "each_entry", "each_index", "each_key",
    "each_line", "each_pair", "each_slice", "each_value", "each_with_index", "each_with_object", "empty?", "encode",
    "encoding", "end", "end_with?", "entries", "eof?", "eql?", "even?", "except", "exception", "exist?", "extname",
    "fetch", "fetch_values", "file?", "fill", "filter", "filter_map", "find", "find_all", "find_index", "first",
    "flat_map", "flatten", "flatten!", "floor", "flush", "force_encoding", "format", "freeze", "frozen?",
    "full_message", "getc", "gets", "group_by", "gsub", "gsub!", "has_key?", "has_value?", "hash", "hex", "hour",
    "include?", "index", "inject", "insert", "inspect", "intern", "intersect?", "intersection", "invert", "is_a?",
    "join", "keep_if", "key", "key?", "keys", "kind_of?", "lambda?", "last", "lazy", "length", "lines", "ljust",
    "load", "lock", "lstrip", "map", "map!", "match", "match?", "max", "max_by", "member?", "members", "merge",
    "merge!", "message", "method", "min", "min_by", "minmax", "month", "name", "named_captures", "new", "next",
    "nil?", "none?", "nonzero?", "object_id", "odd?", "one?", "open", "ord", "owner", "pack", "parameters", "parent",
    "partition", "path", "permutation", "pop", "pos", "positive?", "pred", "prepend", "product", "push", "puts",
    "quo", "raise", "read", "readline", "readlines", "reduce", "rehash", "reject", "reject!", "remove", "replace",
    "respond_to?", "reverse", "reverse!", "reverse_each", "rewind", "rindex", "rjust", "rotate", "round", "rstrip",
    "run", "sample", "scan", "seek", "select", "select!", "send", "shift", "shuffle", "size", "slice", "slice!",
    "sort", "sort!", "sort_by", "source", "source_location", "split", "squeeze", "start_with?", "step", "strftime",
    "string", "strip", "strip!", "sub", "sub!", "succ", "sum", "superclass", "swapcase", "sync", "synchronize",
    "take", "take_while", "tally", "tap", "then", "times", "to_a", "to_ary", "to_c", "to_enum", "to_f", "to_h",
    "to_hash", "to_i", "to_int", "to_json", "to_proc", "to_r", "to_s", "to_str", "to_sym", "tr", "transform_keys",
    "transform_values", "transpose", "truncate", "type", "unicode_normalize", "union", "uniq", "uniq!", "unlock",
    "unpack", "unshift", "upcase", "update", "upto", "utc", "valid_encoding?", "value", "value?", "values",
    "values_at", "wait", "with_index", "with_object", "write", "year", "zero?", "zip", "|", "~",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_names_are_sorted() {
        for names in [super::CORE_TYPES, super::METHODS_OF_EVERY_OBJECT, super::METHODS_OF_EVERY_TYPE, super::MEMBERS] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
