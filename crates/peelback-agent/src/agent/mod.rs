//! The agent: a model that explores with tools until it knows enough.
