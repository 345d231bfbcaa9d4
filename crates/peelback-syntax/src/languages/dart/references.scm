(call_expression function: (identifier) @reference.call)
(call_expression function: (member_expression property: (identifier) @reference.call))
(call_expression function: (null_aware_member_expression property: (identifier) @reference.call))
(cascade_call_expression property: (identifier) @reference.call)
(annotation name: (_) @reference.decorator)
(type_identifier) @reference.type
(member_expression property: (identifier) @reference.member)
(null_aware_member_expression property: (identifier) @reference.member)
(combinator (identifier) @reference.import)
(assignment_expression left: (assignable_expression . (identifier) @reference.write))
(label (identifier) @reference.none)
(formal_parameter name: (identifier) @reference.none)
(identifier) @reference
