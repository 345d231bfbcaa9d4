(method_invocation function: (identifier) @reference.call)
(method_invocation function: (field_access field: (identifier) @reference.call))
(command_chain receiver: (identifier) @reference.call)
(annotation name: (_) @reference.decorator)
(object_creation_expression type: (type_identifier) @reference.call)
(type_identifier) @reference.type
(qualified_name (identifier) @reference.import .)
(qualified_name (identifier) @reference.none)
(field_access field: (identifier) @reference.member)
(formal_parameter name: (identifier) @reference.none)
(closure_parameter name: (identifier) @reference.none)
(named_argument key: (identifier) @reference.none)
(assignment_expression left: (identifier) @reference.write)
(identifier) @reference
