//! The names of members that types in Go's own library have.

/// Names of members that types in Go's own library have, in byte order. Such a name alone does not indicate a member of
/// the project.
#[rustfmt::skip]
pub(super) const MEMBERS: &[&str] = &[
    "Add", "Bytes", "Close", "Done", "Error", "Exec", "Flush", "Format", "Get", "Len", "Less", "Lock", "Name", "Next",
    "Print", "Printf", "Println", "Read", "Reset", "Run", "Seek", "Set", "Size", "String", "Swap", "Unlock", "Unwrap",
    "Wait", "Write", "WriteString",
];
