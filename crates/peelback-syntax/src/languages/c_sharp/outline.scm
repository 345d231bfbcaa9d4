(comment) @comment
(attribute_list) @attribute

((using_directive) @import (#set! import "namespace"))

(namespace_declaration name: (_) @qualified body: (_) @body) @definition.namespace
; The namespace of all that follows.
((file_scoped_namespace_declaration name: (_) @qualified) @definition.namespace (#set! extends ""))

(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(struct_declaration name: (identifier) @name body: (_)? @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.enum_member
(delegate_declaration name: (identifier) @name) @definition.type

(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))

(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration
  name: (identifier) @name (constructor_initializer)? @end body: (_)? @body) @definition.constructor
(destructor_declaration name: (identifier) @name body: (_)? @body (#set! prefix "~")) @definition.method
(operator_declaration
  operator: _ @name body: (_)? @body (#set! prefix "operator ")) @definition.method
(conversion_operator_declaration
  type: (_) @name body: (_)? @body (#set! prefix "operator ")) @definition.method
(local_function_statement name: (identifier) @name body: (_)? @body) @definition.function

((field_declaration
  (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_const "const"))
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name "=" . (_) @value))) @definition.field
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.property
(event_declaration name: (identifier) @name accessors: (_)? @value) @definition.property
(property_declaration name: (identifier) @name accessors: (_) @value) @definition.property
(property_declaration name: (identifier) @name value: (_)? @value) @definition.property
(indexer_declaration "this" @name accessors: (_) @value) @definition.property
(indexer_declaration "this" @name value: (_) @value) @definition.property

; Code without a name.
(lambda_expression body: (block) @body)
(anonymous_method_expression (block) @body)
(accessor_declaration body: (_) @body)
