//! Tests of the files that Ruby code loads.
