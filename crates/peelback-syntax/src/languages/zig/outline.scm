(comment) @comment

((variable_declaration (identifier) (builtin_function (builtin_identifier) @_word (arguments (string) @source))) @import
  (#any-of? @_word "@import" "@cImport") (#set! import "namespace"))
((using_namespace_declaration (builtin_function (builtin_identifier) @_word (arguments (string) @source))) @import
  (#eq? @_word "@import") (#set! import "glob"))

(variable_declaration . (identifier) @name (struct_declaration) @end) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration) @end) @definition.enum
(variable_declaration . (identifier) @name (union_declaration) @end) @definition.union
(variable_declaration . (identifier) @name (opaque_declaration) @end) @definition.struct
(variable_declaration . (identifier) @name (error_set_declaration) @end) @definition.enum
(error_set_declaration (identifier) @name @definition.enum_member)
(enum_declaration (container_field name: (_) @name) @definition.enum_member)
(container_field name: (_) @name) @definition.field
; A function that returns a type is that type.
(function_declaration name: (_) @name body: (block (expression_statement (return_expression (struct_declaration))) @body)) @definition.struct
(function_declaration name: (_) @name body: (_)? @body) @definition.function
(test_declaration [(string) (identifier)] @name (block) @body (#set! prefix "test ")) @definition.function
(variable_declaration "const" . (identifier) @name (_)? @value) @definition.constant
(variable_declaration "var" . (identifier) @name (_)? @value) @definition.variable
