//! The pipeline: discovery, exploration over outlines, synthesis.
