//! What the languages of the Java virtual machine share: packages, the types of the platform, and how arguments fit.

pub(super) use super::java::{fit, lambdas, modules, platform, platform_methods, types};
