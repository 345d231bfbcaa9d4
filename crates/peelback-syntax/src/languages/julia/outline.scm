[(line_comment) (block_comment)] @comment
; A string directly above a definition documents it.
(source_file (string_literal (content) @text) @documentation)
(module_definition (string_literal (content) @text) @documentation)

((using_statement (selected_import . (_) @source)) @import (#set! import "namespace"))
((using_statement [(identifier) (import_path) (scoped_identifier)] @source) @import (#set! import "glob"))
((import_statement (selected_import . (_) @source)) @import (#set! import "namespace"))
((import_statement [(identifier) (import_path) (scoped_identifier)] @source) @import (#set! import "namespace"))
((call_expression . (identifier) @_word (argument_list . (string_literal) @source)) @import
  (#eq? @_word "include") (#set! import "include"))

((module_definition name: (_) @name) @definition.module (#set! line ""))
(struct_definition (type_head [(identifier) @name (parametrized_type_expression . (identifier) @name) (binary_expression . (identifier) @name) (binary_expression . (parametrized_type_expression . (identifier) @name))]) @end) @definition.struct
(abstract_definition (type_head [(identifier) @name (parametrized_type_expression . (identifier) @name) (binary_expression . (identifier) @name) (binary_expression . (parametrized_type_expression . (identifier) @name))])) @definition.interface
(primitive_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.struct
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (identifier) @name @definition.field)
(struct_definition (assignment . (typed_expression . (identifier) @name)) @definition.field)
((macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list . (identifier) @name)) @definition.enum
  (#eq? @_word "enum"))
((macrocall_expression (macro_identifier (identifier) @_word) (macro_argument_list . (_) (identifier) @name @definition.enum_member))
  (#eq? @_word "enum"))

((function_definition (signature [
  (identifier) @name
  (call_expression . [(identifier) (operator)] @name)
  (call_expression . (field_expression value: (_) [(identifier) @name (quote_expression (_) @name)]))
  (typed_expression . (call_expression . [(identifier) (operator)] @name))
  (typed_expression . (call_expression . (field_expression value: (_) [(identifier) @name (quote_expression (_) @name)])))
  (where_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (call_expression . (field_expression value: (_) [(identifier) @name (quote_expression (_) @name)])))
  (where_expression . (call_expression . (parametrized_type_expression . (identifier) @name)))
  (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name)))
]) . (_)? @body) @definition.function (#set! rest ""))
((macro_definition (signature (call_expression . [(identifier) (operator)] @name)) . (_)? @body) @definition.macro (#set! rest ""))
(assignment . [
  (call_expression . [(identifier) (operator)] @name)
  (call_expression . (field_expression value: (_) [(identifier) @name (quote_expression (_) @name)]))
  (typed_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (call_expression . [(identifier) (operator)] @name))
  (where_expression . (typed_expression . (call_expression . [(identifier) (operator)] @name)))
] (operator) . (_) @body) @definition.function

((const_statement (assignment . (identifier) @name (operator) . (_) @value)) @definition.constant (#set! once ""))
((const_statement (assignment . (typed_expression . (identifier) @name) (operator) . (_) @value)) @definition.constant (#set! once ""))
((const_statement (assignment . (open_tuple (identifier) @name))) @definition.constant (#set! once ""))
((source_file (assignment . (identifier) @name (operator) . (_) @value) @definition.variable) (#set! once ""))
((module_definition (assignment . (identifier) @name (operator) . (_) @value) @definition.variable) (#set! once ""))

; Code without a name.
(do_clause (_) @body .)
