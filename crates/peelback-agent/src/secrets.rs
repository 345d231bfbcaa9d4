//! Files that hold secrets, which no model is sent.
