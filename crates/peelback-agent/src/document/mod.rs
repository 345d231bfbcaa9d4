//! Documents: front matter, sections, where they are written.
