[(comment) (multiline_comment)] @comment
(modifiers (attribute) @attribute)

((import_declaration) @import (#set! import "namespace"))

(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body (#set! prefix "extension ")) @definition.impl
(class_declaration name: (_) @name body: (_) @body) @definition.class
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.enum_member

(function_declaration name: [(simple_identifier) (custom_operator) (bang)] @name body: (_)? @body) @definition.function
(function_declaration
  name: [
    "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "++" "--" "~" "|" "^" "<<" ">>" "&"
  ] @name
  body: (_)? @body) @definition.function
(protocol_function_declaration name: [(simple_identifier) (custom_operator) (bang)] @name) @definition.method
(protocol_function_declaration
  name: [
    "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "++" "--" "~" "|" "^" "<<" ">>" "&"
  ] @name) @definition.method
(init_declaration "init" @name body: (_)? @body) @definition.constructor
(deinit_declaration "deinit" @name body: (_)? @body) @definition.method
(subscript_declaration "subscript" @name (computed_property)? @body) @definition.method
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.function

(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_)? @value
  [(computed_property) (willset_didset_block)]? @end) @definition.property)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_)? @value
  [(computed_property) (willset_didset_block)]? @end) @definition.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
((source_file (property_declaration
  (value_binding_pattern) @_let
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_)? @value) @definition.constant) (#eq? @_let "let"))
(source_file (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (_)? @value
  [(computed_property) (willset_didset_block)]? @end) @definition.variable)

; Code without a name.
(property_declaration [(computed_property) (willset_didset_block)] @body)
(lambda_literal) @body
