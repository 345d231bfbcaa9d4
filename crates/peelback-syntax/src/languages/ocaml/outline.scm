(comment) @comment

((open_module module: (_) @source) @import (#set! import "glob"))
((include_module module: (_) @source) @import (#set! import "include"))

((type_binding name: (type_constructor) @name body: (record_declaration) @body) @definition.struct (#set! keyword ""))
((type_binding name: (type_constructor) @name body: (variant_declaration) @body) @definition.enum (#set! keyword ""))
((type_binding name: (type_constructor) @name) @definition.type (#set! keyword ""))
(field_declaration (field_name) @name) @definition.field
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.enum_member)
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.struct

((value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name . (parameter) body: (_) @body) @definition.function) (#set! keyword ""))
((value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name body: [(fun_expression) (function_expression)] @body) @definition.function) (#set! keyword ""))
((value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name body: (_) @value) @definition.variable) (#set! keyword ""))
((value_definition (let_binding pattern: (tuple_pattern (value_name) @name)) @definition.variable) (#set! keyword ""))
(external [(value_name) (parenthesized_operator)] @name) @definition.function
(value_specification [(value_name) (parenthesized_operator)] @name type: (function_type)) @definition.function
(value_specification [(value_name) (parenthesized_operator)] @name) @definition.variable

((module_binding (module_name) @name) @definition.module (#set! keyword "") (#set! line ""))
((module_type_definition (module_type_name) @name) @definition.interface (#set! line ""))
((class_binding (class_name) @name) @definition.class (#set! keyword "") (#set! line ""))
((class_type_binding (class_type_name) @name) @definition.interface (#set! keyword "") (#set! line ""))
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

; Code without a name.
(value_definition (let_binding pattern: [(unit) (any_pattern)] body: (_) @body))
(value_definition (attribute_id) (let_binding body: (_) @body))
(fun_expression body: (_) @body)
