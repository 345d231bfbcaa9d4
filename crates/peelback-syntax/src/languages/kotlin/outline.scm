[(line_comment) (block_comment)] @comment
(modifiers (annotation) @attribute)

(import) @import

(class_declaration name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name (class_body)? @body) @definition.class
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
(companion_object name: (identifier) @name (class_body)? @body) @definition.class
((companion_object !name (class_body)? @body) @definition.class (#set! name "Companion"))
(type_alias type: (identifier) @name) @definition.type
(enum_entry (identifier) @name (class_body)? @body) @definition.enum_member

((secondary_constructor
  "constructor" (constructor_delegation_call)? @end (block)? @body) @definition.constructor (#set! name "constructor"))
(function_declaration
  [(user_type) (nullable_type)] @container . name: (identifier) @name (function_body)? @body) @definition.function
(function_declaration name: (identifier) @name (function_body)? @body) @definition.function

; Parameters of a class that are its properties.
(class_parameter ["val" "var"] . (identifier) @name) @definition.property

(property_declaration
  (modifiers (property_modifier) @_const) (variable_declaration (identifier) @name)
  (#eq? @_const "const")) @definition.constant
(property_declaration
  [(user_type) (nullable_type)] @container . (variable_declaration (identifier) @name)
  [(getter) (setter)] @end) @definition.property

(class_body (property_declaration
  (variable_declaration (identifier) @name) "=" . (_) @value) @definition.property)
(class_body (property_declaration
  (variable_declaration (identifier) @name)
  [(getter) (setter)]? @end (property_delegate (_) @value)?) @definition.property)
(class_body (property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.property)
(enum_class_body (property_declaration
  (variable_declaration (identifier) @name) "=" . (_) @value) @definition.property)
(enum_class_body (property_declaration
  (variable_declaration (identifier) @name)
  [(getter) (setter)]? @end (property_delegate (_) @value)?) @definition.property)
(enum_class_body (property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.property)
(source_file (property_declaration
  (variable_declaration (identifier) @name) "=" . (_) @value) @definition.variable)
(source_file (property_declaration
  (variable_declaration (identifier) @name)
  [(getter) (setter)]? @end (property_delegate (_) @value)?) @definition.variable)
(source_file (property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.variable)
; Code without a name.
(getter (function_body) @body)
(setter (function_body) @body)
(anonymous_initializer (block) @body)
(lambda_literal) @body
(anonymous_function (function_body) @body)
