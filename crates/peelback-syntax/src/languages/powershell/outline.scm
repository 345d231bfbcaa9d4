(comment) @comment
(attribute) @attribute

((command command_name: (command_name) @_word command_elements: (command_elements (generic_token) @source .)) @import
  (#any-of? @_word "using" "Import-Module" "import-module") (#set! import "namespace"))
((command (command_invokation_operator) @_dot command_name: (command_name_expr) @source) @import
  (#eq? @_dot ".") (#set! import "include"))

(function_statement (function_name) @name (script_block) @body) @definition.function
(function_statement (function_name) @name) @definition.function
((class_statement . (simple_name) @name) @definition.class (#set! line ""))
(class_property_definition (variable) @name) @definition.property
((class_method_definition (simple_name) @name (script_block)? @body) @definition.method)
((enum_statement (simple_name) @name) @definition.enum (#set! line ""))
(enum_member (simple_name) @name) @definition.enum_member
((program (statement_list (pipeline (assignment_expression (left_assignment_expression (logical_expression (bitwise_expression (comparison_expression (additive_expression (multiplicative_expression (format_expression (range_expression (array_literal_expression (unary_expression (variable) @name)))))))))) value: (_) @value)) @definition.variable)) (#set! once ""))

; Code without a name.
(script_block_expression (script_block) @body)
