//! The names of types of the Java platform: those that need no import, those of packages that are often imported as a
//! whole, and what can be thrown.

/// The types of `java.lang`, in byte order, without those that can be thrown.
const LANG: &[&str] = &[
    "Appendable", "AutoCloseable", "Boolean", "Byte", "CharSequence", "Character", "Class", "ClassLoader", "Cloneable", "Comparable", "Deprecated", "Double", "Enum", "Float", "FunctionalInterface", "InheritableThreadLocal", "Integer", "Iterable", "Long", "Math", "Module", "Number", "Object", "Override", "Package", "Process", "ProcessBuilder", "ProcessHandle", "Readable", "Record", "Runnable", "Runtime", "SafeVarargs", "SecurityManager", "Short", "StackTraceElement", "StackWalker", "StrictMath", "String", "StringBuffer", "StringBuilder", "SuppressWarnings", "System", "Thread", "ThreadGroup", "ThreadLocal", "Throwable", "Void",
];

/// The packages whose types are listed here or in the table of types.
const LISTED_PACKAGES: &[&str] = &[
    "java.io", "java.lang", "java.lang.reflect", "java.math", "java.net", "java.nio.charset", "java.nio.file", "java.text", "java.time", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.util.function", "java.util.regex", "java.util.stream",
];

/// Further types of [`LISTED_PACKAGES`], in byte order, of which nothing else is known.
const FURTHER: &[&str] = &[
    "AbstractQueue", "AbstractSequentialList", "Array", "AtomicLongArray", "AtomicMarkableReference", "AtomicReferenceArray", "AtomicStampedReference", "Base64", "BreakIterator", "CharArrayReader", "CharArrayWriter", "CharsetDecoder", "CharsetEncoder", "ChoiceFormat", "Clock", "Collator", "CompletionService", "ConcurrentLinkedDeque", "ConcurrentNavigableMap", "ConcurrentSkipListMap", "ConcurrentSkipListSet", "Console", "CookieHandler", "CookieManager", "CopyOnWriteArraySet", "CopyOption", "CyclicBarrier", "DataInput", "DataInputStream", "DataOutput", "DataOutputStream", "DatagramPacket", "DatagramSocket", "DateFormat", "DateFormatSymbols", "DayOfWeek", "DecimalFormat", "DecimalFormatSymbols", "DelayQueue", "Delayed", "Dictionary", "DirectoryStream", "DoubleAccumulator", "DoubleAdder", "DoubleBinaryOperator", "DoubleConsumer", "DoublePredicate", "DoubleSummaryStatistics", "DoubleSupplier", "DoubleToIntFunction", "DoubleToLongFunction", "DoubleUnaryOperator", "EventListener", "EventObject", "Exchanger", "ExecutorCompletionService", "Executors", "FileDescriptor", "FileFilter", "FileStore", "FileSystem", "FileSystems", "FileVisitOption", "FileVisitResult", "FileVisitor", "FilenameFilter", "FilterInputStream", "FilterOutputStream", "FilterReader", "FilterWriter", "ForkJoinPool", "ForkJoinTask", "Formattable", "Formatter", "FutureTask", "HttpURLConnection", "Inet4Address", "Inet6Address", "InetAddress", "InetSocketAddress", "IntSummaryStatistics", "IntToDoubleFunction", "IntToLongFunction", "JarURLConnection", "LineNumberReader", "LinkOption", "LinkedBlockingDeque", "LinkedBlockingQueue", "LinkedTransferQueue", "LocalTime", "LongAccumulator", "LongAdder", "LongBinaryOperator", "LongConsumer", "LongPredicate", "LongSummaryStatistics", "LongToDoubleFunction", "LongToIntFunction", "LongUnaryOperator", "MatchResult", "MathContext", "Modifier", "Month", "MonthDay", "MulticastSocket", "NetworkInterface", "Normalizer", "ObjDoubleConsumer", "ObjIntConsumer", "ObjLongConsumer", "ObjectInput", "ObjectOutput", "ObjectStreamClass", "ObjectStreamField", "Observable", "Observer", "OffsetDateTime", "OffsetTime", "OpenOption", "OptionalDouble", "ParsePosition", "PasswordAuthentication", "PathMatcher", "Paths", "Period", "Phaser", "PipedInputStream", "PipedOutputStream", "PipedReader", "PipedWriter", "PrimitiveIterator", "PriorityBlockingQueue", "PropertyResourceBundle", "Proxy", "ProxySelector", "PushbackInputStream", "PushbackReader", "RandomAccessFile", "RecursiveAction", "RecursiveTask", "RejectedExecutionHandler", "ResourceBundle", "RoundingMode", "ScheduledFuture", "ScheduledThreadPoolExecutor", "Semaphore", "SequenceInputStream", "ServerSocket", "ServiceLoader", "SimpleFileVisitor", "SimpleTimeZone", "Socket", "SocketAddress", "Spliterator", "Spliterators", "SplittableRandom", "StandardCharsets", "StandardCopyOption", "StandardOpenOption", "StreamSupport", "StreamTokenizer", "StringJoiner", "StringTokenizer", "SynchronousQueue", "ThreadLocalRandom", "ThreadPoolExecutor", "Timer", "TimerTask", "ToDoubleBiFunction", "ToIntBiFunction", "ToLongBiFunction", "TransferQueue", "URLClassLoader", "URLConnection", "URLDecoder", "URLEncoder", "WatchService", "Year", "YearMonth", "ZoneId", "ZoneOffset",
];

/// What can be thrown, in byte order, each with its base.
const THROWABLES: &[(&str, &str)] = &[
    ("AbstractMethodError", "IncompatibleClassChangeError"),
    ("AccessDeniedException", "FileSystemException"),
    ("ArithmeticException", "RuntimeException"),
    ("ArrayIndexOutOfBoundsException", "IndexOutOfBoundsException"),
    ("ArrayStoreException", "RuntimeException"),
    ("AssertionError", "Error"),
    ("BindException", "SocketException"),
    ("BrokenBarrierException", "Exception"),
    ("CancellationException", "IllegalStateException"),
    ("CharacterCodingException", "IOException"),
    ("ClassCastException", "RuntimeException"),
    ("ClassFormatError", "LinkageError"),
    ("ClassNotFoundException", "ReflectiveOperationException"),
    ("CloneNotSupportedException", "Exception"),
    ("CompletionException", "RuntimeException"),
    ("ConcurrentModificationException", "RuntimeException"),
    ("ConnectException", "SocketException"),
    ("DateTimeException", "RuntimeException"),
    ("DateTimeParseException", "DateTimeException"),
    ("DirectoryNotEmptyException", "FileSystemException"),
    ("EOFException", "IOException"),
    ("EmptyStackException", "RuntimeException"),
    ("ExceptionInInitializerError", "LinkageError"),
    ("ExecutionException", "Exception"),
    ("FileAlreadyExistsException", "FileSystemException"),
    ("FileNotFoundException", "IOException"),
    ("FileSystemException", "IOException"),
    ("IOException", "Exception"),
    ("IllegalAccessException", "ReflectiveOperationException"),
    ("IllegalArgumentException", "RuntimeException"),
    ("IllegalFormatException", "IllegalArgumentException"),
    ("IllegalMonitorStateException", "RuntimeException"),
    ("IllegalStateException", "RuntimeException"),
    ("IllegalThreadStateException", "IllegalArgumentException"),
    ("IncompatibleClassChangeError", "LinkageError"),
    ("IndexOutOfBoundsException", "RuntimeException"),
    ("InputMismatchException", "NoSuchElementException"),
    ("InstantiationException", "ReflectiveOperationException"),
    ("InternalError", "VirtualMachineError"),
    ("InterruptedException", "Exception"),
    ("InterruptedIOException", "IOException"),
    ("InvalidPathException", "IllegalArgumentException"),
    ("InvocationTargetException", "ReflectiveOperationException"),
    ("LinkageError", "Error"),
    ("MalformedURLException", "IOException"),
    ("MissingResourceException", "RuntimeException"),
    ("NegativeArraySizeException", "RuntimeException"),
    ("NoClassDefFoundError", "LinkageError"),
    ("NoSuchElementException", "RuntimeException"),
    ("NoSuchFieldException", "ReflectiveOperationException"),
    ("NoSuchFileException", "FileSystemException"),
    ("NoSuchMethodException", "ReflectiveOperationException"),
    ("NotSerializableException", "ObjectStreamException"),
    ("NullPointerException", "RuntimeException"),
    ("NumberFormatException", "IllegalArgumentException"),
    ("ObjectStreamException", "IOException"),
    ("OutOfMemoryError", "VirtualMachineError"),
    ("ParseException", "Exception"),
    ("PatternSyntaxException", "IllegalArgumentException"),
    ("ReflectiveOperationException", "Exception"),
    ("RejectedExecutionException", "RuntimeException"),
    ("SecurityException", "RuntimeException"),
    ("SocketException", "IOException"),
    ("SocketTimeoutException", "InterruptedIOException"),
    ("StackOverflowError", "VirtualMachineError"),
    ("StringIndexOutOfBoundsException", "IndexOutOfBoundsException"),
    ("TimeoutException", "Exception"),
    ("URISyntaxException", "Exception"),
    ("UncheckedIOException", "RuntimeException"),
    ("UndeclaredThrowableException", "RuntimeException"),
    ("UnknownHostException", "IOException"),
    ("UnsatisfiedLinkError", "LinkageError"),
    ("UnsupportedCharsetException", "IllegalArgumentException"),
    ("UnsupportedEncodingException", "IOException"),
    ("UnsupportedOperationException", "RuntimeException"),
    ("VirtualMachineError", "Error"),
];

/// Types that can be thrown and are in `java.lang`, beside those whose names say nothing else.
const THROWABLES_OUTSIDE_LANG: &[&str] = &[
    "AccessDeniedException", "BindException", "BrokenBarrierException", "CancellationException", "CharacterCodingException", "CompletionException", "ConcurrentModificationException", "ConnectException", "DateTimeException", "DateTimeParseException", "DirectoryNotEmptyException", "EOFException", "EmptyStackException", "ExecutionException", "FileAlreadyExistsException", "FileNotFoundException", "FileSystemException", "IOException", "IllegalFormatException", "InputMismatchException", "InterruptedIOException", "InvalidPathException", "InvocationTargetException", "MalformedURLException", "MissingResourceException", "NoSuchElementException", "NoSuchFileException", "NotSerializableException", "ObjectStreamException", "ParseException", "PatternSyntaxException", "RejectedExecutionException", "SocketException", "SocketTimeoutException", "TimeoutException", "URISyntaxException", "UncheckedIOException", "UndeclaredThrowableException", "UnknownHostException", "UnsupportedCharsetException", "UnsupportedEncodingException",
];

/// Whether a type of `java.lang` has this name: it needs no import.
pub(super) fn is_in_lang(name: &str) -> bool {
    LANG.binary_search(&name).is_ok()
        || matches!(name, "Error" | "Exception" | "RuntimeException")
        || (base_of_throwable(name).is_some() && THROWABLES_OUTSIDE_LANG.binary_search(&name).is_err())
}

/// Whether the types of a package are listed, so that other names are none of its types.
pub(super) fn is_listed_package(name: &str) -> bool {
    LISTED_PACKAGES.binary_search(&name).is_ok()
}

/// Whether a type of a listed package has this name, of which nothing else is known.
pub(super) fn is_further_type(name: &str) -> bool {
    FURTHER.binary_search(&name).is_ok() || LANG.binary_search(&name).is_ok()
}

/// The base of a type that can be thrown.
pub(super) fn base_of_throwable(name: &str) -> Option<&'static &'static str> {
    let at = THROWABLES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    THROWABLES.get(at).map(|(_, base)| base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for list in [LANG, LISTED_PACKAGES, FURTHER, THROWABLES_OUTSIDE_LANG] {
            assert!(list.is_sorted(), "{:?}", list.windows(2).find(|pair| pair[0] > pair[1]));
        }
        assert!(THROWABLES.is_sorted());
        for name in THROWABLES_OUTSIDE_LANG {
            assert!(base_of_throwable(name).is_some(), "{name}");
        }
        for (_, base) in THROWABLES {
            let is_root = matches!(*base, "Error" | "Exception" | "RuntimeException");
            assert!(is_root || base_of_throwable(base).is_some(), "{base}");
        }
    }
}
