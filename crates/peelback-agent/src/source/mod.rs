//! Sources: a folder, a context document, a git URL.
