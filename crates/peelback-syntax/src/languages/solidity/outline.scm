(comment) @comment

((import_directive import_name: (_) source: (_) @source) @import (#set! import "namespace"))
((import_directive source: (_) @source) @import (#set! import "namespace"))

(contract_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(library_declaration name: (_) @name body: (_) @body) @definition.class
(struct_declaration name: (_) @name body: (_) @body) @definition.struct
(struct_member name: (_) @name) @definition.field
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(enum_body (enum_value) @name @definition.enum_member)
(event_definition name: (_) @name) @definition.struct
(error_declaration name: (_) @name) @definition.struct
(user_defined_type_definition name: (_) @name) @definition.type
(function_definition name: (_) @name (visibility) @visibility body: (_)? @body) @definition.function
(function_definition name: (_) @name body: (_)? @body) @definition.function
(modifier_definition name: (_) @name body: (_)? @body) @definition.method
(constructor_definition "constructor" @name body: (_)? @body) @definition.constructor
(fallback_receive_definition ["receive" "fallback"] @name body: (_)? @body) @definition.method
(state_variable_declaration name: (_) @name value: (_)? @value) @definition.field
(constant_variable_declaration name: (_) @name value: (_)? @value) @definition.constant
