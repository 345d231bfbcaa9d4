[(line_comment) (block_comment)] @comment
[(annotation) (marker_annotation)] @attribute

(import_declaration) @import

(class_declaration name: (identifier) @name body: (_)? @body) @definition.class
(record_declaration name: (identifier) @name body: (_)? @body) @definition.class
(interface_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_)? @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @definition.enum

(enum_constant name: (identifier) @name body: (_)? @body) @definition.enum_member

(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (_)? @body) @definition.constructor
(annotation_type_element_declaration name: (identifier) @name value: (_)? @value) @definition.method

(field_declaration
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @definition.field
(constant_declaration
  declarator: (variable_declarator name: (identifier) @name value: (_)? @value)) @definition.constant
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))

; Code without a name.
(lambda_expression body: (block) @body)
(static_initializer (block) @body)
(class_body (block) @body)
