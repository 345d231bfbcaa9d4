(comment) @comment

((variable_declaration (assignment_statement (expression_list
  value: (function_call name: (identifier) @_word arguments: (arguments . (string) @source))))) @import
  (#eq? @_word "require") (#set! import "require"))
((function_call name: (identifier) @_word arguments: (arguments . (string) @source)) @import
  (#any-of? @_word "require" "dofile") (#set! import "require"))

(function_declaration
  name: [(identifier) (dot_index_expression) (method_index_expression)] @qualified body: (_)? @body) @definition.function
(variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body)))) @definition.function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @qualified)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field
  name: [(identifier) (string)] @name value: (function_definition body: (_)? @body)) @definition.method

((chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name) (expression_list . value: (_) @value))) @definition.variable)
  (#set! once ""))
((chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable) (#set! once ""))
((chunk (assignment_statement
  (variable_list name: [(identifier) (dot_index_expression)] @qualified)
  (expression_list . value: (_) @value)) @definition.variable) (#set! once ""))

; Code without a name.
(arguments (function_definition body: (_) @body))
