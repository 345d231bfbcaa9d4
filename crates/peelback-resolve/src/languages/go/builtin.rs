//! The members of types that Go brings itself.

/// Members of types of Go's own library, in byte order: their names alone indicate nothing.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "Add", "Bytes", "Close", "Done", "Error", "Exec", "Flush", "Format", "Get", "Len", "Less", "Lock", "Name", "Next",
    "Print", "Printf", "Println", "Read", "Reset", "Run", "Seek", "Set", "Size", "String", "Swap", "Unlock", "Unwrap",
    "Wait", "Write", "WriteString",
];
