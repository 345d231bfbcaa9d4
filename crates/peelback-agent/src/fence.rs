//! Repository text as data: between marks that the text cannot forge.
