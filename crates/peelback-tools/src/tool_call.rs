//! The macro that builds a call from the type of a tool, so that a name of a tool or a parameter is checked by the
//! compiler.

/// Builds a [`Call`](crate::call::Call) of a tool type. The code does not compile after a rename of the tool or a
/// parameter.
///
/// `call!(Outline { path: "src" })` starts a call; `call!(call => Outline { depth: 2 })` sets arguments of an existing
/// call. Arguments keep the order in which they are written.
macro_rules! call {
    ($tool:ty { $($parameter:ident : $value:expr),* $(,)? }) => {
        $crate::tool_call::call!(
            $crate::call::Call::new(<$tool as $crate::tool::Tool>::NAME) => $tool { $($parameter : $value),* }
        )
    };
    ($call:expr => $tool:ty { $($parameter:ident : $value:expr),* $(,)? }) => {{
        let call: $crate::call::Call = $call;
        $(let call = call.with_argument(
            $crate::parameter_name::parameter_name!(<$tool as $crate::tool::Tool>::Parameters, $parameter),
            $value,
        );)*
        call
    }};
}

pub(crate) use call;
