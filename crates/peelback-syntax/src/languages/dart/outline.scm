[(comment) (documentation_comment)] @comment
(annotation) @attribute

((import_or_export [(library_import (import_specification uri: (configurable_uri (uri) @source))) (library_export uri: (configurable_uri (uri) @source))]) @import
  (#set! import "namespace"))
((part_directive uri: (uri) @source) @import (#set! import "include"))

(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(mixin_declaration name: (identifier) @name body: (_)? @body) @definition.trait
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.enum
(extension_declaration name: (identifier) @name body: (_)? @body (#set! prefix "extension ")) @definition.impl
(extension_type_declaration name: (extension_type_name (identifier) @name) body: (_)? @body) @definition.class
(enum_entry name: (identifier) @name) @definition.enum_member
(type_alias (type_identifier) @name) @definition.type

; Constructors: `Order(…)`, `Order.empty()`.
(member_declaration (declaration [(constructor_signature . name: (identifier) @name . parameters: (_)) (constant_constructor_signature . name: (identifier) @name . parameters: (_))])) @definition.constructor
(member_declaration (declaration [(constructor_signature name: (identifier) . name: "." . name: (identifier) @name) (constant_constructor_signature name: (identifier) . name: "." . name: (identifier) @name)])) @definition.constructor
(member_declaration (declaration (redirecting_factory_constructor_signature name: (identifier) . name: "." . name: (identifier) @name))) @definition.constructor
(member_declaration (method_declaration signature: (method_signature [(constructor_signature . name: (identifier) @name . parameters: (_)) (factory_constructor_signature . name: (identifier) @name . parameters: (_))]) body: (_)? @body)) @definition.constructor
(member_declaration (method_declaration signature: (method_signature [(constructor_signature name: (identifier) . name: "." . name: (identifier) @name) (factory_constructor_signature name: (identifier) . name: "." . name: (identifier) @name)]) body: (_)? @body)) @definition.constructor

(member_declaration (method_declaration signature: (method_signature (function_signature name: (identifier) @name)) body: (_)? @body)) @definition.method
(member_declaration (method_declaration signature: (method_signature (getter_signature name: (identifier) @name)) body: (_)? @body)) @definition.method
(member_declaration (method_declaration signature: (method_signature (setter_signature name: (identifier) @name)) body: (_)? @body)) @definition.method
(member_declaration (method_declaration signature: (method_signature (operator_signature operator: _ @name)) body: (_)? @body)) @definition.method
(member_declaration (declaration [(function_signature name: (identifier) @name) (getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)])) @definition.method
(member_declaration (declaration (operator_signature operator: _ @name))) @definition.method
(member_declaration (declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name value: (_)? @value)))) @definition.field
(member_declaration (declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name value: (_)? @value)))) @definition.field
(member_declaration (declaration (identifier_list (identifier) @name))) @definition.field

(function_declaration signature: (function_signature name: (identifier) @name) body: (_)? @body) @definition.function
(getter_declaration signature: (getter_signature name: (identifier) @name) body: (_)? @body) @definition.function
(setter_declaration signature: (setter_signature name: (identifier) @name) body: (_)? @body) @definition.function
(external_function_declaration signature: (function_signature name: (identifier) @name)) @definition.function
(external_getter_declaration signature: (getter_signature name: (identifier) @name)) @definition.function
(local_function_declaration (function_signature name: (identifier) @name) (function_body) @body) @definition.function

(top_level_variable_declaration modifier: "const" (static_final_declaration_list (static_final_declaration name: (identifier) @name value: (_)? @value))) @definition.constant
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name value: (_)? @value))) @definition.variable
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (identifier) @name value: (_)? @value))) @definition.variable

; Code without a name.
(function_expression body: (_) @body)
