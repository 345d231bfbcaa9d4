//! A macro for the names of parameters, which the compiler checks.

/// The name of a parameter as a string. The code does not compile after a rename of the parameter's field.
///
/// `parameter_name!(Parameters, path)` is `"path"`, where `Parameters` has a field of that name.
macro_rules! parameter_name {
    ($parameters:ty, $parameter:ident) => {{
        fn is_declared(parameters: &$parameters) {
            let _ = &parameters.$parameter;
        }
        let _ = is_declared;
        stringify!($parameter)
    }};
}

pub(crate) use parameter_name;
