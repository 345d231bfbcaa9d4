(command command_name: (command_name) @reference.call)
(invokation_expression (member_name (simple_name) @reference.call))
(member_access (member_name (simple_name) @reference.member))
(member_name (simple_name) @reference.member)
(type_identifier) @reference.type
(class_statement ":" (simple_name) @reference.type)
(variable) @reference
