//! A whole repository in one document.
