[(line_comment) (block_comment) (groovydoc_comment)] @comment
(annotation) @attribute

(import_declaration) @import

(package_declaration name: (_) @name) @definition.namespace
(class_declaration name: (_) @name body: (_)? @body) @definition.class
(interface_declaration name: (_) @name body: (_)? @body) @definition.interface
(trait_declaration name: (_) @name body: (_)? @body) @definition.trait
(enum_declaration name: (_) @name body: (_)? @body) @definition.enum
(enum_constant name: (_) @name) @definition.enum_member
(constructor_declaration name: (_) @name body: (_)? @body) @definition.constructor
(method_declaration name: (_) @name body: (_)? @body) @definition.function
(field_declaration (variable_declarator name: (_) @name value: (_)? @value)) @definition.field
; Behind a class, the grammar reads `def name(…) { … }` as three statements.
((source_file (local_variable_declaration (variable_declarator name: (_) @name !value)) @definition.function
  . (expression_statement (parenthesized_expression)) . (expression_statement (closure) @body)) (#set! span ""))
((source_file (local_variable_declaration (variable_declarator name: (_) @name value: (_)? @value)) @definition.variable) (#set! once ""))
((source_file (local_variable_declaration name: (_) @name value: (_)? @value) @definition.variable) (#set! once ""))

; Tasks of Gradle.
((source_file (expression_statement (identifier) @_word) . (command_chain receiver: (identifier) @name argument: (closure) @body) @definition.function)
  (#eq? @_word "task") (#set! prefix "task "))
((source_file (expression_statement (identifier) @_word) . (expression_statement (method_invocation function: (identifier) @name)) @definition.function)
  (#eq? @_word "task") (#set! prefix "task "))
((source_file (expression_statement (method_invocation function: (field_access object: (identifier) @_object field: (identifier) @_word) arguments: (argument_list . (string_literal) @name))) @definition.function)
  (#eq? @_object "tasks") (#any-of? @_word "register" "create") (#set! prefix "task "))

; Code without a name.
(closure) @body
