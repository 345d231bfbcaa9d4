(call_expression function: (identifier) @reference.call)
(message_expression method: (identifier) @reference.call)
(selector_expression (identifier) @reference)
(type_identifier) @reference.type
(class_declaration (identifier) @reference.none)
(class_interface superclass: (identifier) @reference.type)
(class_implementation superclass: (identifier) @reference.type)
(protocol_reference_list (identifier) @reference.type)
(property_attribute (identifier) @reference.none)
(method_parameter (identifier) @reference.none)
(method_declaration (method_type) (identifier) @reference.none)
(method_definition (method_type) (identifier) @reference.none)
(class_interface (identifier) @reference.none)
(class_implementation (identifier) @reference.none)
(preproc_params (identifier) @reference.none)
(field_expression field: (field_identifier) @reference.member)
(assignment_expression left: (identifier) @reference.write)
(field_identifier) @reference.member
(identifier) @reference
