//! Names of members that types of .NET have: such a name alone does not indicate a member of the project.

/// Names of the members of the platform's most used types, in byte order.
pub(super) const MEMBERS: &[&str] = &[
    "Add", "AddRange", "Aggregate", "All", "Any", "Append", "AppendFormat", "AppendLine", "AsEnumerable",
    "AsReadOnly", "AsSpan", "Average", "BinarySearch", "Cancel", "Cast", "Clear", "Clone", "Close", "Compare",
    "CompareTo", "Concat", "ConfigureAwait", "Contains", "ContainsKey", "ContainsValue", "ContinueWith",
    "Copy", "CopyTo", "Count", "Create", "CreateInstance", "Current", "Delay", "Dequeue", "Dispose",
    "DisposeAsync", "Distinct", "ElementAt", "Empty", "EndsWith", "Enqueue", "Equals", "Except", "Exists",
    "Find", "FindAll", "First", "FirstOrDefault", "Flush", "ForEach", "Format", "FromResult", "FullName",
    "Get", "GetAwaiter", "GetEnumerator", "GetHashCode", "GetResult", "GetType", "GetValue",
    "GetValueOrDefault", "GroupBy", "HasValue", "IndexOf", "InnerException", "Insert", "Invoke",
    "IsCompleted", "IsGenericType", "IsNullOrEmpty", "Item", "Join", "Key", "Keys", "Last", "LastOrDefault",
    "Length", "Max", "Message", "Min", "MoveNext", "Name", "Now", "OfType", "OrderBy", "OrderByDescending",
    "Parse", "Peek", "Pop", "Position", "Push", "Read", "ReadAsync", "ReadLine", "Remove", "RemoveAll",
    "RemoveAt", "Replace", "Reset", "Result", "Reverse", "Run", "Select", "SelectMany", "Send", "Set",
    "SetValue", "Single", "SingleOrDefault", "Skip", "Sort", "Split", "StackTrace", "Start", "StartsWith",
    "Stop", "Substring", "Sum", "Take", "ToArray", "ToDictionary", "ToList", "ToLower", "ToString", "ToUpper",
    "Token", "Trim", "TryAdd", "TryGetValue", "TryParse", "Type", "Union", "Value", "Values", "Wait",
    "WhenAll", "Where", "Write", "WriteAsync", "WriteLine", "Zip",
];
