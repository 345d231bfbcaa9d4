(comment) @comment

((preproc_include path: (_) @source) @import (#set! import "include"))
((module_import path: (_) @source) @import (#set! import "namespace"))

(class_interface "@interface" . (identifier) @name category: (_) @_category (#set! prefix "@interface ") (#set! line "")) @definition.impl
((class_interface "@interface" . (identifier) @name !category) @definition.class (#set! line ""))
(class_implementation "@implementation" . (identifier) @name (#set! prefix "@implementation ") (#set! line "")) @definition.impl
((protocol_declaration "@protocol" . (identifier) @name) @definition.interface (#set! line ""))
; A method is named by the first part of its selector.
(method_declaration (method_type) . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (struct_declarator [(identifier) @name (pointer_declarator declarator: (identifier) @name)]))) @definition.property
(property_declaration (struct_declaration (struct_declarator (function_declarator declarator: (parenthesized_declarator (block_pointer_declarator declarator: (identifier) @name)))))) @definition.property
(instance_variable (struct_declaration (struct_declarator [(identifier) @name (pointer_declarator declarator: (identifier) @name)]))) @definition.field

(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @definition.enum
(type_definition declarator: [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator [(block_pointer_declarator declarator: (type_identifier) @name) (pointer_declarator declarator: (type_identifier) @name)]))) @definition.type
(struct_specifier name: (_) @name body: (_) @body) @definition.struct
(union_specifier name: (_) @name body: (_) @body) @definition.union
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
(enumerator name: (_) @name) @definition.enum_member
(field_declaration declarator: [(field_identifier) @name (pointer_declarator declarator: (field_identifier) @name)]) @definition.field
(preproc_function_def name: (_) @name) @definition.macro
(preproc_def name: (_) @name value: (_)) @definition.macro
(translation_unit (declaration (type_qualifier) declarator: (init_declarator declarator: (identifier) @name value: (_) @value)) @definition.constant)
(translation_unit (declaration declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name) (init_declarator declarator: [(identifier) @name (pointer_declarator declarator: (identifier) @name)] value: (_) @value)]) @definition.variable)

; Code without a name.
(block_literal (compound_statement) @body)
